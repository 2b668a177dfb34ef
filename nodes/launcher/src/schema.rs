//! Which elements, attributes and substitutions a launch file may use, and the check for it.

use crate::element::Element;
use crate::error::{LaunchError, Problem};
use crate::template::{self, Part};

/// What may stand in and on one element.
struct Rule {
    tag: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
    children: &'static [&'static str],
}

const ACTIONS: &[&str] = &[
    "arg",
    "let",
    "include",
    "group",
    "node",
    "executable",
    "push_ros_namespace",
    "push-ros-namespace",
    "set_env",
    "unset_env",
    "set_parameter",
    "set_remap",
];

const PROCESS: &[&str] = &[
    "cwd",
    "output",
    "respawn",
    "respawn_delay",
    "respawn_max_retries",
    "on_exit",
    "launch-prefix",
];

/// The element `tag` under `parent`: names such as `arg` mean two things.
fn rule(parent: &str, tag: &str) -> Option<Rule> {
    let rule = |tag, required, optional, children| Rule {
        tag,
        required,
        optional,
        children,
    };
    const NAME_VALUE: &[&str] = &["name", "value"];
    const FROM_TO: &[&str] = &["from", "to"];
    Some(match (parent, tag) {
        ("include", "arg") => rule("arg", NAME_VALUE, &[], &[]),
        ("arg", "choice") => rule("choice", &["value"], &[], &[]),
        ("node", "remap") => rule("remap", FROM_TO, &[], &[]),
        ("node" | "executable", "env") => rule("env", NAME_VALUE, &[], &[]),
        ("node" | "param", "param") => {
            rule("param", &[], &["name", "value", "type", "from"], &["param"])
        }
        (_, "arg") => rule("arg", &["name"], &["default", "description"], &["choice"]),
        (_, "let") => rule("let", NAME_VALUE, &[], &[]),
        (_, "include") => rule("include", &["file"], &[], &["arg"]),
        (_, "group") => rule("group", &[], &["scoped"], ACTIONS),
        (_, "node") => rule(
            "node",
            &["pkg", "exec"],
            &["name", "namespace", "args", "ros_args", "exec_name"],
            &["param", "remap", "env"],
        ),
        (_, "executable") => rule("executable", &["cmd"], &["name"], &["env"]),
        (_, "push_ros_namespace" | "push-ros-namespace") => {
            rule("push_ros_namespace", &["namespace"], &[], &[])
        }
        (_, "set_env") => rule("set_env", NAME_VALUE, &[], &[]),
        (_, "unset_env") => rule("unset_env", &["name"], &[], &[]),
        (_, "set_parameter") => rule("set_parameter", NAME_VALUE, &[], &[]),
        (_, "set_remap") => rule("set_remap", FROM_TO, &[], &[]),
        _ => return None,
    })
}

/// Substitutions with the fewest and the most arguments each takes.
const SUBSTITUTIONS: &[(&str, usize, usize)] = &[
    ("var", 1, 2),
    ("env", 1, 2),
    ("find-pkg-share", 1, 1),
    ("find-pkg-prefix", 1, 1),
    ("exec-in-pkg", 2, 2),
    ("dirname", 0, 0),
    ("filename", 0, 0),
    ("not", 1, 1),
    ("and", 2, 2),
    ("or", 2, 2),
    ("all", 1, usize::MAX),
    ("any", 1, usize::MAX),
    ("equals", 2, 2),
    ("not-equals", 2, 2),
    ("if", 2, 3),
];

/// Attributes that are taken literally, without substitution.
fn is_literal(tag: &str, attribute: &str) -> bool {
    matches!(
        (tag, attribute),
        ("arg", "description") | ("choice", "value") | ("param", "type") | ("group", "scoped")
    ) || attribute == "on_exit"
}

/// Checks a whole file before anything of it is carried out.
///
/// # Errors
/// The first unknown or missing tag, attribute or substitution, with what is allowed there.
pub fn check(root: &Element) -> Result<(), LaunchError> {
    if root.tag != "launch" {
        return Err(Problem::with_allowed("unknown root element", ["launch"]).at(root));
    }
    check_attributes(root, &[], &[])?;
    check_children(root, ACTIONS)
}

fn check_children(parent: &Element, allowed: &[&str]) -> Result<(), LaunchError> {
    for child in &parent.children {
        let rule = rule(&parent.tag, &child.tag)
            .filter(|_| allowed.contains(&child.tag.as_str()))
            .ok_or_else(|| {
                let text = format!("unknown tag in <{}>", parent.tag);
                if allowed.is_empty() {
                    Problem::new(format!("{text}, which takes none")).at(child)
                } else {
                    Problem::with_allowed(text, allowed).at(child)
                }
            })?;
        let mut optional = rule.optional.to_vec();
        if matches!(rule.tag, "node" | "executable") {
            optional.extend(PROCESS);
        }
        if allowed == ACTIONS {
            optional.extend(["if", "unless"]);
        }
        check_attributes(child, rule.required, &optional)?;
        check_children(child, rule.children)?;
    }
    Ok(())
}

fn check_attributes(
    element: &Element,
    required: &[&str],
    optional: &[&str],
) -> Result<(), LaunchError> {
    for (name, value) in &element.attributes {
        if !required.contains(&name.as_str()) && !optional.contains(&name.as_str()) {
            let text = format!("unknown attribute `{name}`");
            let allowed: Vec<_> = required.iter().chain(optional).copied().collect();
            return Err(Problem::with_allowed(text, allowed).at(element));
        }
        if !is_literal(&element.tag, name) {
            template::parse(value)
                .and_then(|t| check_substitutions(&t))
                .map_err(|p| Problem {
                    text: format!("attribute `{name}`: {}", p.text),
                    ..p
                })
                .map_err(|p| p.at(element))?;
        }
    }
    match required
        .iter()
        .find(|name| element.attribute(name).is_none())
    {
        Some(name) => Err(Problem::new(format!("attribute `{name}` is missing")).at(element)),
        None => Ok(()),
    }
}

fn check_substitutions(template: &[Part]) -> Result<(), Problem> {
    for part in template {
        let Part::Call { name, arguments } = part else {
            continue;
        };
        let Some((_, least, most)) = SUBSTITUTIONS.iter().find(|(n, _, _)| n == name) else {
            let allowed = SUBSTITUTIONS.iter().map(|(n, _, _)| format!("$({n} …)"));
            return Err(Problem::with_allowed(
                format!("unknown substitution `$({name} …)`"),
                allowed,
            ));
        };
        let given = arguments.len();
        if given < *least || given > *most {
            let expected = match (least, most) {
                (l, m) if l == m => format!("{l}"),
                (l, &usize::MAX) => format!("{l} or more"),
                (l, m) => format!("{l} to {m}"),
            };
            let text = format!("`$({name} …)` takes {expected} arguments, not {given}");
            return Err(Problem::new(text));
        }
        arguments.iter().try_for_each(|a| check_substitutions(a))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn complaint(body: &str) -> String {
        let text = format!("<launch>\n{body}\n</launch>");
        let root = crate::xml::parse(Path::new("f.launch.xml"), &text).unwrap();
        check(&root).map_or_else(|e| e.to_string(), |()| String::new())
    }

    #[test]
    fn names_file_line_tag_and_what_is_allowed() {
        for (body, expected) in [
            (
                "<nod/>",
                "f.launch.xml:2: <nod>: unknown tag in <launch> (allowed: arg, let,",
            ),
            (
                "<let name='a'/>",
                "f.launch.xml:2: <let>: attribute `value` is missing",
            ),
            (
                "<let name='a' value='b' x='c'/>",
                "unknown attribute `x` (allowed: name, value, if, unless)",
            ),
            (
                "<let name='a' value='$(eval 1)'/>",
                "attribute `value`: unknown substitution `$(eval …)` (allowed: $(var",
            ),
            (
                "<let name='a' value='$(not)'/>",
                "`$(not …)` takes 1 arguments, not 0",
            ),
            (
                "<node pkg='a' exec='b'><remap from='a' to='b' if='true'/></node>",
                "<remap>: unknown attribute `if`",
            ),
            (
                "<node pkg='a' exec='b'><arg name='a'/></node>",
                "unknown tag in <node> (allowed: param, remap, env)",
            ),
            (
                "<include file='a'><arg name='a' default='b'/></include>",
                "unknown attribute `default` (allowed: name, value)",
            ),
            (
                "<let name='a' value='b'><a/></let>",
                "<a>: unknown tag in <let>, which takes none",
            ),
        ] {
            let found = complaint(body);
            assert!(found.contains(expected), "{body}\n  {found}");
        }
    }

    #[test]
    fn accepts_what_the_rules_list() {
        let body = "<arg name='a' default='b'><choice value='b'/></arg>
            <group if='$(var a)' scoped='true'><push-ros-namespace namespace='x'/>
            <node pkg='p' exec='e' name='n' respawn='true' on_exit='shutdown'>
            <param name='a' value='1' type='int'/><param name='b'><param name='c' value='d'/></param>
            <env name='a' value='b'/></node></group>
            <executable cmd='ls -l' output='screen'/>";
        assert_eq!(complaint(body), "");
    }
}
