//! Splits a command line attribute into words, as a shell would without expansions.

use crate::error::Problem;
use crate::template::Part;

/// Words of a command line. White space and quotes in literal text separate and join words; what
/// a substitution yields is never split. `expand` gives the value of a substitution.
///
/// # Errors
/// A quote that is not closed within its piece of text (`ros2 launch` refuses it too), or what
/// `expand` reports.
pub fn split(
    template: &[Part],
    mut expand: impl FnMut(&Part) -> Result<String, Problem>,
) -> Result<Vec<String>, Problem> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    for part in template {
        match part {
            Part::Text(text) => split_text(text, &mut words, &mut word)?,
            Part::Call { .. } => word.get_or_insert_default().push_str(&expand(part)?),
        }
    }
    words.extend(word);
    Ok(words)
}

fn split_text(
    text: &str,
    words: &mut Vec<String>,
    word: &mut Option<String>,
) -> Result<(), Problem> {
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(q)) if c == q => quote = None,
            ('\\', None | Some('"')) => word
                .get_or_insert_default()
                .push(chars.next().unwrap_or('\\')),
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    match quote {
        Some(q) => Err(Problem::new(format!("`{text}`: missing {q}"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::parse;

    fn words(text: &str) -> Result<Vec<String>, Problem> {
        split(&parse(text)?, |_| Ok("x y".to_owned()))
    }

    #[test]
    fn splits_text_but_not_values() {
        assert_eq!(words("a  b 'c d' \"\"").unwrap(), ["a", "b", "c d", ""]);
        assert_eq!(words("--p $(var a) q").unwrap(), ["--p", "x y", "q"]);
        assert_eq!(words("--p=$(var a)/q r").unwrap(), ["--p=x y/q", "r"]);
        assert_eq!(words("$(var a) $(var b)").unwrap(), ["x y", "x y"]);
        assert!(words("  ").unwrap().is_empty());
        assert!(words("'$(var a)'").unwrap_err().text.contains("missing '"));
    }
}
