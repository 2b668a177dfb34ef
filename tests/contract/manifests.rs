//! Reading Cargo.toml and Cargo.lock, as far as the tests need.

use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use troupe_tests::listed;

/// One crate of the workspace.
pub struct Manifest {
    /// Relative to the checkout.
    pub file: PathBuf,
    /// Name of the package.
    pub name: String,
    /// Whole text.
    pub text: String,
    /// By section, for example `dev-dependencies`: name and rest of the line.
    pub dependencies: BTreeMap<String, Vec<(String, String)>>,
}

impl Manifest {
    fn read(file: PathBuf, text: String) -> Result<Self> {
        let mut dependencies: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
        let (mut section, mut name) = (String::new(), String::new());
        for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            if let Some(header) = line.strip_prefix('[') {
                header.trim_matches(['[', ']']).clone_into(&mut section);
            } else if section == "package" && line.starts_with("name") {
                name = line.split('"').nth(1).context("a name without quotes")?.to_owned();
            } else if section.ends_with("dependencies") && let Some((key, rest)) = line.split_once('=') {
                let (key, rest) = (key.trim(), rest.trim());
                let key = key.split('.').next().unwrap_or(key).trim_matches('"');
                dependencies.entry(section.clone()).or_default().push((key.to_owned(), format!("{line} {rest}")));
            }
        }
        Ok(Self { file, name, text, dependencies })
    }

    /// Names of all dependencies, of every kind.
    pub fn named(&self) -> BTreeSet<&str> {
        self.dependencies.values().flatten().map(|(name, _)| name.as_str()).collect()
    }

    /// Names of those that are shipped.
    pub fn shipped(&self) -> BTreeSet<&str> {
        let shipped = self.dependencies.iter().filter(|(section, _)| !section.contains("dev-"));
        shipped.flat_map(|(_, names)| names).map(|(name, _)| name.as_str()).collect()
    }
}

/// Every crate of the workspace.
pub fn crates() -> Result<Vec<Manifest>> {
    let files = listed::files()?.into_iter().filter(|f| f.ends_with("Cargo.toml") && f.components().count() > 1);
    files.map(|f| listed::read(f).and_then(|(file, text)| Manifest::read(file, text))).collect()
}

/// Everything that a package is built from, by Cargo.lock; development dependencies of workspace members count.
pub fn closure(package: &str, skip: &BTreeSet<String>) -> Result<BTreeSet<String>> {
    let (_, lock) = listed::read(PathBuf::from("Cargo.lock"))?;
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for block in lock.split("[[package]]").skip(1) {
        let name = block.lines().find_map(|l| l.strip_prefix("name = ")).context("a package without a name")?.trim_matches('"');
        let to = edges.entry(name.to_owned()).or_default();
        let listed = block.lines().skip_while(|l| !l.starts_with("dependencies")).skip(1).take_while(|l| !l.starts_with(']'));
        to.extend(listed.filter_map(|l| l.trim().trim_matches([',', '"']).split(' ').next()).map(str::to_owned));
    }
    let (mut found, mut open) = (BTreeSet::new(), vec![package.to_owned()]);
    while let Some(name) = open.pop() {
        let to = edges.get(&name).with_context(|| format!("{name} is not in Cargo.lock"))?;
        for next in to.iter().filter(|n| !(name == package && skip.contains(*n))) {
            if found.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    Ok(found)
}
