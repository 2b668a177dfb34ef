//! What Rust sources may not hold: panics outside tests, giants, unsafe code, side effects in pure crates.

use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use troupe_tests::{listed, paths};

/// Lines that a file may have; at 400 it should be asked why.
const MOST_LINES: usize = 600;
/// Crates in which `unsafe` may be allowed, each time with its reason.
const UNSAFE: [&str; 2] = ["nodes/lib/world", "nodes/launcher"];
const PURE: [&str; 3] = ["nodes/lib/core", "nodes/lib/coordination", "nodes/lib/guard"];
/// What would make a pure crate depend on clock, machine or order of a hash.
const SIDE_EFFECTS: [&str; 9] = [
    "std::fs", "std::net", "std::thread", "std::process", "std::env", "Instant::now", "SystemTime", "HashMap", "HashSet",
];

/// A source file without its tests.
struct Source {
    file: PathBuf,
    lines: Vec<String>,
}

/// Shipped Rust code: no tests, examples or benches, and nothing behind `#[cfg(test)]`.
fn shipped() -> Result<Vec<Source>> {
    let texts = listed::texts("rs")?;
    let mut excluded: BTreeSet<PathBuf> = BTreeSet::new();
    for (file, text) in &texts {
        let folder = file.parent().unwrap_or(Path::new(""));
        let stem = file.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        let beside = if ["lib", "main", "mod"].contains(&stem) { folder.to_owned() } else { folder.join(stem) };
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (index, line) in lines.iter().enumerate().filter(|(_, l)| **l == "#[cfg(test)]") {
            let next = lines.iter().skip(index + 1).take(2);
            for name in next.clone().filter_map(|l| l.strip_prefix("#[path = \"")?.strip_suffix("\"]")) {
                excluded.insert(folder.join(name));
            }
            let declared = next.filter_map(|l| l.trim_start_matches("pub(crate) ").strip_prefix("mod ")?.strip_suffix(';'));
            for name in declared {
                excluded.insert(beside.join(format!("{name}.rs")));
                excluded.insert(beside.join(name));
            }
            let _ = line;
        }
    }
    let aside = ["tests", "examples", "benches"];
    let mut sources = Vec::new();
    for (file, text) in texts {
        // The support library of the tests is held to the same rules; the tests themselves are not.
        let is_test = file.components().any(|c| c.as_os_str().to_str().is_some_and(|c| aside.contains(&c)));
        let is_support = file.starts_with("tests/src");
        if (is_test && !is_support) || excluded.iter().any(|e| file.starts_with(e)) {
            continue;
        }
        let code = text.lines().take_while(|l| l.trim() != "#[cfg(test)]" || l.starts_with(' '));
        sources.push(Source { file, lines: code.map(str::to_owned).collect() });
    }
    Ok(sources)
}

impl Source {
    /// Lines of code, with numbers from 1.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let numbered = self.lines.iter().enumerate().map(|(i, l)| (i + 1, l.split("//").next().unwrap_or(l)));
        numbered.filter(|(_, l)| !l.trim().is_empty())
    }
}

#[test]
fn nothing_panics_on_purpose_outside_tests() -> Result<()> {
    let file = paths::root().join("tests/contract/panic_budget");
    let text = std::fs::read_to_string(&file).context("tests/contract/panic_budget")?;
    let allowed: usize = text.trim().parse()?;
    let words = [".unwrap()", ".expect(", "panic!(", "unreachable!(", "todo!(", "unimplemented!(", ".unwrap_err()"];
    let mut found = Vec::new();
    for source in shipped()? {
        for (number, line) in source.code() {
            if words.iter().any(|w| line.contains(w)) {
                found.push(format!("{}:{number}: {}", source.file.display(), line.trim()));
            }
        }
    }
    assert!(found.len() <= allowed, "{} of {allowed} allowed:\n{}", found.len(), found.join("\n"));
    assert!(found.len() == allowed, "the budget may only fall: write {} into tests/contract/panic_budget", found.len());
    Ok(())
}

#[test]
fn lints_are_not_switched_off_outside_tests() -> Result<()> {
    let words = ["unwrap_used", "expect_used", "clippy::panic", "clippy::todo", "missing_docs", "unused_must_use"];
    for source in shipped()? {
        for (number, line) in source.code() {
            let off = line.contains("allow(") && !line.contains("cfg_attr(test") && words.iter().any(|w| line.contains(w));
            assert!(!off, "{}:{number}: {}", source.file.display(), line.trim());
            let unsafe_here = line.contains("allow(unsafe_code)");
            let home = UNSAFE.iter().any(|u| listed::is_in(&source.file, u));
            assert!(!unsafe_here || home, "{}:{number}: unsafe code belongs to {UNSAFE:?}", source.file.display());
        }
    }
    Ok(())
}

#[test]
fn files_stay_small_and_say_what_they_are_for() -> Result<()> {
    for (file, text) in listed::texts("rs")? {
        let lines = text.lines().count();
        assert!(lines <= MOST_LINES, "{} has {lines} lines; at most {MOST_LINES}", file.display());
    }
    for source in shipped()? {
        let first = source.lines.first().map(String::as_str).unwrap_or_default();
        assert!(first.starts_with("//! "), "{} does not begin with what it is for", source.file.display());
    }
    Ok(())
}

#[test]
fn pure_crates_have_no_side_effects() -> Result<()> {
    for source in shipped()?.iter().filter(|s| PURE.iter().any(|p| listed::is_in(&s.file, p))) {
        for (number, line) in source.code() {
            for word in SIDE_EFFECTS {
                assert!(!line.contains(word), "{}:{number}: {word} in a pure crate", source.file.display());
            }
        }
    }
    Ok(())
}
