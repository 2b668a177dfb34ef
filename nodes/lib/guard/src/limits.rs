//! What is refused before parsing: the parser recurses, so length and nesting are bounded first.

use crate::code::Code;
use troupe_core::team::Finding;

/// Largest policy text, comments included, bytes.
pub const MAX_BYTES: usize = 4096;
/// Most characters outside comments and white space; the longest skill call needs about 80.
pub const MAX_CODE: usize = 256;
/// Most open brackets at a time; a legal call needs one.
pub const MAX_NESTING: usize = 8;

/// The text without comments: plain ASCII, short and shallow.
///
/// Backslashes and triple quotes are refused, so that where a string ends is certain here and the
/// same as in the parser.
pub(crate) fn strip(source: &str) -> Result<String, Finding> {
    let refuse = |message: String| Err(Code::Syntax.finding(message));
    if source.len() > MAX_BYTES {
        return refuse(format!("text: {} bytes; allowed: at most {MAX_BYTES}", source.len()));
    }
    let mut kept = String::with_capacity(source.len());
    let (mut quote, mut comment, mut depth, mut code, mut quotes_in_row) = (None, false, 0_usize, 0_usize, 0_u8);
    for c in source.chars() {
        if comment && c != '\n' {
            continue;
        }
        comment = false;
        match (quote, c) {
            (_, '\\') => return Err(Code::Forbidden.finding("text: a backslash; allowed: two plain calls")),
            (None, '\r') => continue, // line ends of either kind
            (None, '#') => {
                comment = true;
                continue;
            }
            (_, c) if !c.is_ascii() || (c.is_ascii_control() && !matches!(c, '\n' | '\t')) => {
                return refuse(format!("text: character {c:?}; allowed outside comments: printable ASCII"));
            }
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open || c == '\n' => quote = None,
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        quotes_in_row = if matches!(c, '"' | '\'') { quotes_in_row + 1 } else { 0 };
        code += usize::from(!c.is_ascii_whitespace());
        if quotes_in_row >= 3 {
            return Err(Code::Forbidden.finding("text: a triple quote; allowed: two plain calls"));
        }
        if depth > MAX_NESTING {
            return refuse(format!("text: more than {MAX_NESTING} open brackets; allowed: at most {MAX_NESTING}"));
        }
        if code > MAX_CODE {
            return refuse(format!("text: more than {MAX_CODE} characters of code; allowed: at most {MAX_CODE}"));
        }
        // The parser knows no tabs.
        kept.push(if c == '\t' && quote.is_none() { ' ' } else { c });
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_strings_stay() {
        assert_eq!(strip("a('#') # b ((((((((((\nc").unwrap(), "a('#') \nc");
        assert_eq!(strip("# ä\r\nx()\r\n").unwrap(), "\nx()\n");
    }

    #[test]
    fn depth_cannot_hide_behind_a_quote_or_hash() {
        for hidden in ["'#' ", "\"'\" ", "'\"' ", "''", "# '\n", "'\n"] {
            assert!(strip(&format!("{hidden}{}", "(".repeat(9))).is_err(), "{hidden:?}");
        }
        for text in ["'\\''", "'''", "\"\"\"", &"x".repeat(257), &"#".repeat(4097), "\u{7}", "é()"] {
            assert!(strip(text).is_err(), "{text:?}");
        }
    }
}
