//! Walks the parsed program against the allow-list: Module, Expr, Call, Name, Constant, keyword and
//! unary minus (CE-061). Nothing is evaluated.

use crate::code::{Code, of_skill_error};
use starlark::syntax::ast::{Argument, AstArgument, AstExpr, AstLiteral, AstStmt, Expr, Stmt};
use starlark::syntax::{AstModule, Dialect, DialectTypes};
use troupe_core::skill::SkillCall;
use troupe_core::team::Finding;

/// Every construct is parsed, so that a forbidden one is named as such and not as a typing error.
const DIALECT: Dialect = Dialect {
    enable_def: true,
    enable_lambda: true,
    enable_load: true,
    enable_keyword_only_arguments: true,
    enable_positional_only_arguments: true,
    enable_types: DialectTypes::Disable,
    enable_load_reexport: false,
    enable_top_level_stmt: true,
    enable_f_strings: true,
    _non_exhaustive: (),
};

/// Positional order of the arguments of each skill.
fn order(skill: &str) -> Option<&'static [&'static str]> {
    Some(match skill {
        "walk" => &["distance_m", "direction", "speed_mps"],
        "arc" => &["distance_m", "yaw_rad", "speed_mps", "direction"],
        other => SkillCall::argument_names(other)?,
    })
}

/// A constant argument.
enum Constant {
    Number(f64),
    Text(String),
}

/// Reads the one skill call of a program that [`crate::limits::strip`] let through.
pub(crate) fn read(code: String) -> Result<SkillCall, Vec<Finding>> {
    let module = AstModule::parse("policy", code, &DIALECT)
        .map_err(|e| vec![Code::Syntax.finding(format!("text: does not parse: {}", e.without_diagnostic()))])?;
    let mut statements = Vec::new();
    flatten(module.statement(), &mut statements);
    let mut findings = Vec::new();
    let mut calls = Vec::new();
    for statement in statements {
        match call_of(statement) {
            Ok(call) => calls.push(call),
            Err(finding) => findings.push(finding),
        }
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    let Some(((last, stop_arguments), actions)) = calls.split_last() else {
        return Err(vec![
            Code::ActionCount.finding("text: 0 skill calls; allowed: exactly 1, then stop()"),
            Code::NoStop.finding("text: no statement; the last must be stop()"),
        ]);
    };
    if *last != "stop" {
        findings.push(Code::NoStop.finding(format!("text: the last statement is `{last}`; it must be stop()")));
    } else if !stop_arguments.is_empty() {
        findings.push(Code::Schema.finding(format!("stop: {} arguments; allowed: none", stop_arguments.len())));
    }
    let count = if *last == "stop" { actions.len() } else { calls.len() };
    let stops = actions.iter().filter(|(name, _)| *name == "stop").count();
    if count != 1 || stops > 0 {
        let given = count - stops;
        findings.push(Code::ActionCount.finding(format!(
            "text: {given} skill calls and {stops} stop() before the last statement; allowed: exactly 1 skill call, then stop()"
        )));
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    let Some((name, arguments)) = actions.first() else {
        return Err(vec![Code::ActionCount.finding("text: 0 skill calls; allowed: exactly 1")]);
    };
    skill(name, arguments).map_err(|finding| vec![finding])
}

fn flatten<'a>(statement: &'a AstStmt, into: &mut Vec<&'a AstStmt>) {
    match &statement.node {
        Stmt::Statements(list) => list.iter().for_each(|s| flatten(s, into)),
        _ => into.push(statement),
    }
}

/// Name and arguments of a statement that is a plain call.
fn call_of(statement: &AstStmt) -> Result<(&str, &[AstArgument]), Finding> {
    let Stmt::Expression(expression) = &statement.node else {
        return Err(forbidden(statement_name(&statement.node)));
    };
    let Expr::Call(callee, arguments) = &expression.node else {
        return Err(forbidden(expression_name(&expression.node)));
    };
    let Expr::Identifier(name) = &callee.node else {
        return Err(forbidden(expression_name(&callee.node)));
    };
    for argument in &arguments.args {
        match &argument.node {
            Argument::Positional(value) | Argument::Named(_, value) => drop(constant("argument", value)?),
            Argument::Args(_) => return Err(forbidden("`*` arguments")),
            Argument::KwArgs(_) => return Err(forbidden("`**` arguments")),
        }
    }
    let name = name.node.ident.as_str();
    if order(name).is_none() {
        return Err(Code::Method.finding(format!("method `{name}` is not a skill; allowed: {}", SkillCall::NAMES.join(", "))));
    }
    Ok((name, &arguments.args))
}

fn skill(name: &str, arguments: &[AstArgument]) -> Result<SkillCall, Finding> {
    let names = order(name).unwrap_or(&[]);
    let allowed = || if names.is_empty() { "no arguments".to_owned() } else { names.join(", ") };
    let mut direction = String::new();
    let mut numbers: Vec<(String, f64)> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for (position, argument) in arguments.iter().enumerate() {
        let (field, value) = match &argument.node {
            Argument::Named(field, value) => (field.node.as_str(), value),
            Argument::Positional(value) => match names.get(position) {
                Some(field) => (*field, value),
                None => {
                    let given = arguments.len();
                    return Err(Code::Schema.finding(format!("{name}: {given} arguments; allowed: {}", allowed())));
                }
            },
            Argument::Args(_) | Argument::KwArgs(_) => return Err(forbidden("unpacked arguments")),
        };
        if seen.contains(&field) {
            return Err(Code::Schema.finding(format!("{name}: `{field}` is given twice; allowed: each of {} once", allowed())));
        }
        seen.push(field);
        match constant(field, value)? {
            Constant::Text(text) if field == "direction" => direction = text,
            Constant::Text(text) => {
                return Err(Code::Schema.finding(format!("{name}: {field} = {text:?} is text; allowed: a number")));
            }
            Constant::Number(value) if field == "direction" => {
                return Err(Code::Schema.finding(format!(
                    "{name}: direction = {value} is a number; allowed: \"forward\", \"back\", \"left\", \"right\""
                )));
            }
            Constant::Number(value) => numbers.push((field.to_owned(), value)),
        }
    }
    SkillCall::from_parts(name, &direction, &numbers).map_err(|e| of_skill_error(&e).finding(e.to_string()))
}

/// A number, a number behind one unary minus, or text.
fn constant(field: &str, value: &AstExpr) -> Result<Constant, Finding> {
    let number = |value: f64| {
        if value.is_finite() {
            return Ok(Constant::Number(value));
        }
        Err(Code::Numeric.finding(format!("{field} = {value}; allowed: a finite number")))
    };
    match &value.node {
        Expr::Literal(AstLiteral::String(text)) => Ok(Constant::Text(text.node.clone())),
        Expr::Minus(inner) => match unsigned(inner) {
            Some(value) => number(-value),
            None => Err(forbidden("a minus before something that is not a number")),
        },
        Expr::Identifier(name) if matches!(name.node.ident.to_ascii_lowercase().as_str(), "nan" | "inf" | "infinity") => {
            Err(Code::Numeric.finding(format!("{field} = {}; allowed: a finite number", name.node.ident)))
        }
        other => match unsigned(value) {
            Some(value) => number(value),
            None => Err(forbidden(expression_name(other))),
        },
    }
}

fn unsigned(value: &AstExpr) -> Option<f64> {
    match &value.node {
        Expr::Literal(AstLiteral::Float(float)) => Some(float.node),
        // Digits beyond f64's range read as infinite, which is refused as not finite.
        Expr::Literal(AstLiteral::Int(int)) => Some(int.node.to_string().parse().unwrap_or(f64::INFINITY)),
        _ => None,
    }
}

fn forbidden(construct: &str) -> Finding {
    Code::Forbidden.finding(format!("text: {construct}; allowed: plain calls of skills with constant arguments"))
}

fn statement_name(statement: &Stmt) -> &'static str {
    match statement {
        Stmt::Break | Stmt::Continue | Stmt::Pass | Stmt::Return(_) => "a control statement",
        Stmt::Expression(_) => "an expression",
        Stmt::Assign(_) | Stmt::AssignModify(..) => "an assignment",
        Stmt::Statements(_) => "a block",
        Stmt::If(..) | Stmt::IfElse(..) => "an `if` statement",
        Stmt::For(_) => "a loop",
        Stmt::Def(_) => "a function definition",
        Stmt::Load(_) => "a load",
    }
}

fn expression_name(expression: &Expr) -> &'static str {
    match expression {
        Expr::Dot(..) => "an attribute",
        Expr::Call(..) => "a nested call",
        Expr::Identifier(_) => "a name that is not called",
        Expr::Literal(_) => "a constant in this place",
        Expr::Lambda(_) => "a lambda",
        Expr::Index(_) | Expr::Index2(_) | Expr::Slice(..) => "an index",
        Expr::Minus(_) | Expr::Plus(_) | Expr::Not(_) | Expr::BitNot(_) | Expr::Op(..) => "an operator",
        Expr::If(_) => "a conditional",
        Expr::Tuple(_) | Expr::List(_) | Expr::Dict(_) => "a collection",
        Expr::ListComprehension(..) | Expr::DictComprehension(..) => "a comprehension",
        Expr::FString(_) => "a formatted string",
    }
}
