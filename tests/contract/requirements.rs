//! Every requirement of docs/requirements.md has a test that carries its id, or a waiver with a reason.

use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use troupe_tests::listed;

/// What the paper on coordinated carrying states: world, records, skills, roles, loop, refusals, verifier, revision,
/// experience, metrics, protocol, baselines and figures.
const STATED: [&str; 83] = [
    "CE-001", "CE-002", "CE-003", "CE-004", "CE-005", "CE-006", "CE-007", "CE-009", "CE-010", "CE-011", "CE-012", "CE-020",
    "CE-021", "CE-022", "CE-024", "CE-025", "CE-027", "CE-030", "CE-035", "CE-036", "CE-039", "CE-R1", "CE-R2", "CE-R3",
    "CE-R4", "CE-R5", "CE-040", "CE-050", "CE-051", "CE-052", "CE-054", "CE-055", "CE-056", "CE-057", "CE-060", "CE-061",
    "CE-062", "CE-063", "CE-064", "CE-065", "CE-067", "CE-070", "CE-074", "CE-080", "CE-082", "CE-090", "CE-091", "CE-092",
    "CE-093", "CE-094", "CE-095", "CE-097", "CE-100", "CE-101", "CE-110", "CE-111", "CE-112", "CE-113", "CE-114", "CE-115",
    "CE-116", "CE-120", "CE-121", "CE-122", "CE-123", "CE-124", "CE-125", "CE-130", "CE-135", "CE-140", "CE-141", "CE-142",
    "CE-143", "CE-144", "CE-145", "CE-146", "CE-150", "CE-151", "CE-152", "CE-153", "CE-154", "CE-155", "CE-156",
];
/// Fewest words of a reason.
const REASON_WORDS: usize = 8;

/// A row of the table.
struct Row {
    id: String,
    title: String,
    tests: Vec<String>,
}

fn table() -> Result<Vec<Row>> {
    let (_, text) = listed::read("docs/requirements.md".into())?;
    let rows = text.lines().filter(|l| l.starts_with("| CE-"));
    rows.map(|line| {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let (id, title, tests) = (cells.next(), cells.next(), cells.next());
        let tests = tests.with_context(|| format!("docs/requirements.md: a row of three cells is wanted: {line}"))?;
        // Names stand in backticks, so every second piece is one.
        let tests = tests.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        Ok(Row { id: id.unwrap_or_default().to_owned(), title: title.unwrap_or_default().to_owned(), tests })
    })
    .collect()
}

/// Reasons by id.
fn waivers() -> Result<BTreeMap<String, String>> {
    let (_, text) = listed::read("docs/waivers.md".into())?;
    let mut all = BTreeMap::new();
    for line in text.lines().filter_map(|l| l.strip_prefix("- CE-")) {
        let (id, reason) = line.split_once(": ").with_context(|| format!("docs/waivers.md: no reason: {line}"))?;
        ensure!(all.insert(format!("CE-{id}"), reason.to_owned()).is_none(), "docs/waivers.md: CE-{id} stands twice");
    }
    Ok(all)
}

/// Names of tests, each with its comment.
fn tests_of(file: &Path, text: &str) -> Vec<(String, String)> {
    let python = file.extension().is_some_and(|e| e == "py");
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let rest = match line.strip_prefix("async ").unwrap_or(line) {
            l if python => l.strip_prefix("def "),
            l => l.strip_prefix("fn "),
        };
        let Some(name) = rest.and_then(|r| r.split('(').next()) else { continue };
        let above = lines.iter().take(index).rev();
        let above: Vec<&str> = above.take_while(|l| l.starts_with("//") || l.starts_with('#') || l.starts_with('@')).copied().collect();
        let is_test = if python { name.starts_with("test_") } else { above.iter().any(|l| l.starts_with("#[test]") || l.starts_with("#[tokio::test")) };
        if is_test {
            let comments = above.iter().filter(|l| l.starts_with("//") || (python && l.starts_with('#')));
            found.push((name.to_owned(), comments.copied().collect::<Vec<_>>().join(" ")));
        }
    }
    found
}

/// Every test of the checkout: name and comments.
fn all_tests() -> Result<Vec<(String, String)>> {
    let mut all = Vec::new();
    for extension in ["rs", "py"] {
        for (file, text) in listed::texts(extension)? {
            if listed::is_in(&file, "nodes") || listed::is_in(&file, "tests") {
                all.extend(tests_of(&file, &text));
            }
        }
    }
    Ok(all)
}

/// True when the word is there and no letter or digit goes on behind it.
fn holds(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let behind = text.get(at + word.len()..).and_then(|rest| rest.chars().next());
        behind.is_none_or(|c| !c.is_ascii_alphanumeric())
    })
}

/// Whether a test's name or comment carries the id.
fn carries((name, comment): &(String, String), id: &str) -> bool {
    holds(name, &id.to_lowercase().replace('-', "_")) || holds(comment, id)
}

#[test]
fn the_table_lists_every_stated_requirement_once() -> Result<()> {
    let rows = table()?;
    let listed: Vec<&str> = rows.iter().map(|r| r.id.as_str()).collect();
    let known: BTreeSet<&str> = STATED.into_iter().collect();
    assert_eq!(known.len(), STATED.len(), "an id stands twice in the test's list");
    let missing: Vec<&&str> = STATED.iter().filter(|id| !listed.contains(*id)).collect();
    let foreign: Vec<&&str> = listed.iter().filter(|id| !known.contains(**id)).collect();
    assert!(missing.is_empty() && foreign.is_empty(), "docs/requirements.md lacks {missing:?} and has unknown {foreign:?}");
    assert_eq!(listed.len(), STATED.len(), "docs/requirements.md names an id twice");
    for row in &rows {
        assert!(row.title.split_whitespace().count() >= 3, "{}: what it asks is missing", row.id);
    }
    Ok(())
}

#[test]
fn every_requirement_has_a_test_or_a_waiver() -> Result<()> {
    let (tests, waivers) = (all_tests()?, waivers()?);
    let bare = STATED.iter().filter(|id| !waivers.contains_key(**id) && !tests.iter().any(|t| carries(t, id)));
    let bare: Vec<&&str> = bare.collect();
    assert!(bare.is_empty(), "no test carries these ids, in its name or in the comment above it, and no waiver names them: {bare:?}");
    for (id, reason) in &waivers {
        assert!(STATED.contains(&id.as_str()), "docs/waivers.md: {id} is not in docs/requirements.md");
        assert!(reason.split_whitespace().count() >= REASON_WORDS, "docs/waivers.md: {id}: a reason is wanted, not `{reason}`");
    }
    Ok(())
}

#[test]
fn tests_that_the_table_names_exist_and_carry_the_id() -> Result<()> {
    let (tests, waivers) = (all_tests()?, waivers()?);
    let mut wrong = Vec::new();
    for row in table()? {
        if row.tests.is_empty() && !waivers.contains_key(&row.id) {
            wrong.push(format!("{}: no test is named", row.id));
        }
        for name in &row.tests {
            let called: Vec<_> = tests.iter().filter(|(n, _)| n == name).collect();
            if called.is_empty() {
                wrong.push(format!("{}: there is no test `{name}`", row.id));
            } else if !called.iter().any(|t| carries(t, &row.id)) {
                wrong.push(format!("{}: `{name}` does not carry the id in its name or comment", row.id));
            }
        }
    }
    assert!(wrong.is_empty(), "docs/requirements.md:\n{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn ids_are_found_in_names_and_comments() {
    let text = "/// CE-004, CE-R1.\n#[test]\nfn a_thing() {}\n\n#[test]\nfn ce_021_holds() {}\n\n/// CE-022.\nfn no_test() {}\n";
    let found = tests_of(Path::new("a.rs"), text);
    assert_eq!(found.len(), 2);
    let has = |id| found.iter().any(|t| carries(t, id));
    assert!(has("CE-004") && has("CE-R1") && has("CE-021") && !has("CE-022") && !has("CE-00"));
    assert_eq!(tests_of(Path::new("a.py"), "# CE-004\ndef test_it():\n    pass\n").len(), 1);
}
