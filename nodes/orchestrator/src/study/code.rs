//! One hash for everything that the conditions of a study must share (CE-125, CE-156).

use serde_json::{Value, json};
use std::path::Path;
use troupe_core::config::{ConfigError, load};
use troupe_core::corridor::world_text;
use troupe_core::identity::identity;

/// Node configurations that change what happens in a run.
const NODES: [&str; 3] = ["g1", "orchestrator", "verifier"];

/// Identity of this program's version and of the settings of nodes, robots, task and world; comments and
/// white space do not count. Method, provider and seed are what a study varies and are not part of it.
///
/// # Errors
/// [`ConfigError`] naming a file that cannot be read.
pub fn code_hash(config: &Path, task: &str, world: &str) -> Result<String, ConfigError> {
    let mut files: Vec<String> = NODES.iter().map(|n| format!("nodes/{n}.yaml")).collect();
    files.push(format!("tasks/{task}.yaml"));
    files.extend(robots(config)?);
    let mut settings = serde_json::Map::new();
    for name in files {
        let file = config.join(&name);
        let value: Value = load(&file, std::fs::read_to_string(&file))?;
        settings.insert(name, value);
    }
    let text = world_text(config, world, |file| std::fs::read_to_string(file))?;
    settings.insert(format!("worlds/{world}.yaml"), load(&text.file, Ok(text.text))?);
    let all = json!({ "version": env!("CARGO_PKG_VERSION"), "settings": settings });
    identity(&all).map_err(|e| ConfigError::Read { file: config.to_owned(), reason: e.to_string() })
}

/// Files of the robots, in order.
fn robots(config: &Path) -> Result<Vec<String>, ConfigError> {
    let folder = config.join("robots");
    let failed = |e: std::io::Error| ConfigError::Read { file: folder.clone(), reason: e.to_string() };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".yaml") {
            names.push(format!("robots/{name}"));
        }
    }
    names.sort();
    Ok(names)
}
