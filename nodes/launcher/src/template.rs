//! Text with substitutions, `$(name argument …)`, to its parts.

use crate::error::Problem;

/// Substitutions nested deeper than this are refused, so that no text can exhaust the stack.
const MAX_DEPTH: usize = 16;

/// A value of an attribute: literal text and substitutions, to be joined.
pub type Template = Vec<Part>;

/// A piece of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Literal text, backslashes already taken away.
    Text(String),
    /// `$(name argument …)`.
    Call {
        /// Name of the substitution.
        name: String,
        /// Its arguments.
        arguments: Vec<Template>,
    },
}

/// Splits an attribute's value. Arguments of a substitution are separated by one space each;
/// one that contains spaces or parentheses stands in quotes. A backslash takes the next
/// character literally.
///
/// # Errors
/// A [`Problem`] that quotes the value when a substitution is not closed or not well-formed.
pub fn parse(text: &str) -> Result<Template, Problem> {
    let mut parser = Parser {
        chars: text.chars().collect(),
        at: 0,
    };
    parser
        .template(None, 0)
        .map_err(|what| Problem::new(format!("`{text}`: {what}")))
}

struct Parser {
    chars: Vec<char>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek();
        self.at += usize::from(c.is_some());
        c
    }

    fn at_call(&self) -> bool {
        self.peek() == Some('$') && self.chars.get(self.at + 1) == Some(&'(')
    }

    /// Text up to `quote`, which is taken, or to the end when there is none.
    fn template(&mut self, quote: Option<char>, depth: usize) -> Result<Template, String> {
        let mut parts = Vec::new();
        let mut text = String::new();
        loop {
            if self.at_call() {
                push_text(&mut parts, &mut text);
                parts.push(self.call(depth)?);
                continue;
            }
            match (self.next(), quote) {
                (None, None) => break,
                (None, Some(quote)) => return Err(format!("missing {quote} at the end")),
                (Some(c), Some(quote)) if c == quote => break,
                (Some('\\'), _) => text.push(self.next().unwrap_or('\\')),
                (Some(c), _) => text.push(c),
            }
        }
        push_text(&mut parts, &mut text);
        Ok(parts)
    }

    fn call(&mut self, depth: usize) -> Result<Part, String> {
        if depth >= MAX_DEPTH {
            return Err(format!("substitutions are nested deeper than {MAX_DEPTH}"));
        }
        self.at += 2;
        let mut name = String::new();
        while let Some(c) = self.peek() {
            let first = name.is_empty();
            if !(c.is_ascii_alphabetic() || !first && (c.is_ascii_digit() || c == '_' || c == '-'))
            {
                break;
            }
            name.push(c);
            self.at += 1;
        }
        if name.is_empty() {
            return Err("a substitution's name must follow `$(`".to_owned());
        }
        let mut arguments = Vec::new();
        loop {
            match self.next() {
                Some(')') => return Ok(Part::Call { name, arguments }),
                Some(' ') => arguments.push(self.argument(depth + 1)?),
                Some(c) => return Err(format!("unexpected `{c}` in `$({name}`")),
                None => return Err(format!("missing `)` after `$({name}`")),
            }
        }
    }

    /// One argument: quoted, or up to a space or the closing parenthesis.
    fn argument(&mut self, depth: usize) -> Result<Template, String> {
        if let Some(quote @ ('"' | '\'')) = self.peek() {
            self.at += 1;
            return self.template(Some(quote), depth);
        }
        let mut parts = Vec::new();
        let mut text = String::new();
        loop {
            if self.at_call() {
                push_text(&mut parts, &mut text);
                parts.push(self.call(depth)?);
                continue;
            }
            match self.peek() {
                None | Some(' ' | ')') => break,
                Some(c @ ('(' | '"' | '\'')) => {
                    return Err(format!("`{c}` in an argument; put the argument in quotes"));
                }
                Some('\\') => {
                    self.at += 1;
                    text.push(self.next().unwrap_or('\\'));
                }
                Some(c) => {
                    self.at += 1;
                    text.push(c);
                }
            }
        }
        push_text(&mut parts, &mut text);
        if parts.is_empty() {
            return Err("an empty argument; one space separates arguments".to_owned());
        }
        Ok(parts)
    }
}

fn push_text(parts: &mut Template, text: &mut String) {
    if !text.is_empty() {
        parts.push(Part::Text(std::mem::take(text)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(s: &str) -> Part {
        Part::Text(s.to_owned())
    }

    fn call(name: &str, arguments: Vec<Template>) -> Part {
        Part::Call {
            name: name.to_owned(),
            arguments,
        }
    }

    #[test]
    fn splits_text_and_calls() {
        assert_eq!(parse("").unwrap(), vec![]);
        assert_eq!(parse("a $b").unwrap(), vec![text("a $b")]);
        assert_eq!(parse(r"\$(x)").unwrap(), vec![text("$(x)")]);
        assert_eq!(
            parse("$(find-pkg-share p)/$(var w).yaml").unwrap(),
            vec![
                call("find-pkg-share", vec![vec![text("p")]]),
                text("/"),
                call("var", vec![vec![text("w")]]),
                text(".yaml"),
            ]
        );
        assert_eq!(
            parse("$(equals '$(var a)b' \"c d\")").unwrap(),
            vec![call(
                "equals",
                vec![
                    vec![call("var", vec![vec![text("a")]]), text("b")],
                    vec![text("c d")]
                ]
            )]
        );
        assert_eq!(
            parse("$(env X '')").unwrap(),
            vec![call("env", vec![vec![text("X")], vec![]])]
        );
    }

    #[test]
    fn says_what_is_wrong() {
        for (value, complaint) in [
            ("$(var a", "missing `)`"),
            ("$(", "name must follow"),
            ("$(var  a)", "empty argument"),
            ("$(var 'a)", "missing '"),
            ("$(var a(b))", "in quotes"),
            ("$(var!)", "unexpected `!`"),
        ] {
            let problem = parse(value).unwrap_err();
            assert!(
                problem.text.contains(complaint),
                "{value}: {}",
                problem.text
            );
        }
        assert!(
            parse(&"$(not ".repeat(40))
                .unwrap_err()
                .text
                .contains("deeper")
        );
    }

    proptest! {
        #[test]
        fn never_panics(value in "[$()'\"\\\\a-c _-]{0,60}") {
            let _ = parse(&value);
        }

        #[test]
        fn text_without_dollar_or_backslash_is_kept(value in "[^$\\\\]{1,40}") {
            prop_assert_eq!(parse(&value), Ok(vec![Part::Text(value.clone())]));
        }
    }
}
