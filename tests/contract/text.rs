//! What no file of the checkout may say.

use anyhow::Result;
use std::path::PathBuf;
use troupe_tests::listed;

/// Folders of single machines, in two halves so that this file does not hold them.
const FOLDERS: [(&str, &str); 5] = [("/wo", "rk/"), ("/ro", "ot/"), ("/ho", "me/"), ("/t", "mp/"), ("/Us", "ers/")];
/// Where packages come from is the machine's own business.
const REGISTRIES: [(&str, &str); 6] = [
    ("index-", "url"),
    ("artifac", "tory"),
    ("nex", "us."),
    ("trusted-", "host"),
    ("replace-", "with"),
    ("files.python", "hosted"),
];
/// Words of things that are not finished.
const UNFINISHED: [(&str, &str); 5] = [("TO", "DO"), ("FIX", "ME"), ("XX", "X:"), ("lorem ", "ipsum"), ("for ", "now,")];
const TEXT: [&str; 16] =
    ["rs", "toml", "md", "yaml", "yml", "xml", "sh", "py", "msg", "srv", "action", "txt", "in", "lock", "urdf", "json"];

fn texts() -> Result<Vec<(PathBuf, String)>> {
    let is_text = |f: &PathBuf| {
        f.extension().is_none_or(|e| e.to_str().is_some_and(|e| TEXT.contains(&e)))
    };
    let files = listed::files()?.into_iter().filter(is_text);
    Ok(files.filter_map(|f| listed::read(f).ok()).collect())
}

fn refuse(words: &[(&str, &str)], why: &str) -> Result<()> {
    let mut found = Vec::new();
    for (file, text) in texts()? {
        for (number, line) in text.lines().enumerate() {
            for (a, b) in words {
                // A folder of this name inside another one is something else.
                let inside = |at: usize| line.get(..at).and_then(|l| l.chars().last()).is_some_and(|c| c.is_alphanumeric() || "_}.".contains(c));
                let word = format!("{a}{b}");
                if line.match_indices(&word).any(|(at, _)| !(word.starts_with('/') && inside(at))) {
                    let shown: String = line.trim().chars().take(120).collect();
                    found.push(format!("{}:{}: {shown}", file.display(), number + 1));
                }
            }
        }
    }
    assert!(found.is_empty(), "{why}:\n{}", found.join("\n"));
    Ok(())
}

#[test]
fn no_file_names_a_folder_of_one_machine() -> Result<()> {
    refuse(&FOLDERS, "folders of one machine")
}

#[test]
fn no_file_names_a_package_registry() -> Result<()> {
    refuse(&REGISTRIES, "package registries")?;
    let (_, lock) = listed::read("Cargo.lock".into())?;
    let public = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
    for line in lock.lines().filter(|l| l.starts_with("source = ")) {
        assert_eq!(line, public, "Cargo.lock");
    }
    Ok(())
}

#[test]
fn nothing_is_left_unfinished() -> Result<()> {
    refuse(&UNFINISHED, "left unfinished")
}
