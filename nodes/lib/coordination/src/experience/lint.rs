//! Keeps numbers of a scene out of strategy text (CE-091).

/// Why a text may not be promoted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: `{found}` is {what}; allowed: words that hold in any scene")]
pub struct LintError {
    /// Field of the record.
    pub field: &'static str,
    /// What was found.
    pub found: String,
    /// What it is.
    pub what: &'static str,
}

/// Longest text of a record, characters.
const LONGEST: usize = 400;
const UNITS: [&str; 17] = [
    "m", "cm", "mm", "km", "rad", "radian", "radians", "deg", "degree", "degrees", "s", "sec", "second", "seconds", "metre", "metres",
    "meters",
];

/// Checks one text.
///
/// # Errors
/// [`LintError`] naming the field, what was found and what it is.
pub fn lint(field: &'static str, text: &str) -> Result<(), LintError> {
    let refuse = |found: &str, what| Err(LintError { field, found: found.chars().take(40).collect(), what });
    if text.chars().count() > LONGEST {
        return refuse(text, "longer than 400 characters");
    }
    let words: Vec<&str> = text.split_whitespace().map(trimmed).collect();
    for (i, word) in words.iter().enumerate() {
        let lower = word.to_lowercase();
        if lower.contains("ckpt") || is_hash(&lower) {
            return refuse(word, "a checkpoint or content hash");
        }
        let number = lower.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | '−')));
        let (digits, rest) = lower.split_at(number.unwrap_or(lower.len()));
        if !digits.contains(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let unit = rest.trim_start_matches('-');
        let next = words.get(i + 1).copied().unwrap_or_default();
        if UNITS.contains(&unit) || unit.starts_with(['°', '%', '/']) || unit.starts_with("m/") || unit.starts_with("rad/") {
            return refuse(word, "a magnitude with its unit");
        }
        if unit.is_empty() && (UNITS.contains(&next.to_lowercase().as_str()) || next.starts_with("m/")) {
            return refuse(&format!("{word} {next}"), "a magnitude with its unit");
        }
        if digits.contains('.') {
            return refuse(word, "a decimal number");
        }
    }
    if let Some(tuple) = tuple(text) {
        return refuse(&tuple, "a tuple of coordinates");
    }
    Ok(())
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| matches!(c, ',' | ';' | ':' | '(' | ')' | '[' | ']' | '"' | '\'' | '!' | '?'))
        .trim_end_matches('.')
}

fn is_hash(word: &str) -> bool {
    word.len() >= 8 && word.chars().all(|c| c.is_ascii_hexdigit()) && word.chars().any(|c| c.is_ascii_digit())
}

/// `(1, 2)` or `[1 2]`: a bracket with two or more numbers and nothing else.
fn tuple(text: &str) -> Option<String> {
    text.split(['(', '[', '{']).skip(1).find_map(|after| {
        let inside = after.split([')', ']', '}']).next()?;
        let parts: Vec<&str> = inside.split([',', ';', ' ']).filter(|p| !p.trim().is_empty()).collect();
        let numbers = parts.iter().all(|p| p.trim().parse::<f64>().is_ok());
        (parts.len() >= 2 && numbers).then(|| format!("({inside})"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ce_091_numbers_of_a_scene_are_refused() {
        for bad in [
            "step 0.3 m ahead", "turn by 15°", "turn 15 degrees", "walk 30cm", "go to (1.2, 3.4)", "stand at [2 3]",
            "return to ckpt-12", "as in 9f86d081884c7d65", "at 0.25 m/s", "use 40% of it", "about 1.5 of it", "slower, 2 s.",
        ] {
            assert!(lint("principle", bad).is_err(), "{bad}");
        }
        for good in [
            "The inner robot turns in place while the outer one walks around it.",
            "Both robots take the same step; after 2 failed tries make it shorter.",
            "Align (the corrector moves, the reference holds) before the corner.",
        ] {
            assert_eq!(lint("principle", good), Ok(()), "{good}");
        }
    }

    proptest! {
        #[test]
        fn any_text_gets_an_answer(text in ".{0,500}") {
            let _ = lint("repair", &text);
        }

        #[test]
        fn any_magnitude_is_found(value in 0.0f64..100.0, unit in prop::sample::select(UNITS.to_vec()), space in any::<bool>()) {
            let gap = if space { " " } else { "" };
            let text = format!("walk {value:.2}{gap}{unit} ahead");
            prop_assert!(lint("repair", &text).is_err());
        }
    }
}
