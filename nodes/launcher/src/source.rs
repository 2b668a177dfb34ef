//! Reads and checks launch files from disk.

use std::path::{Path, PathBuf};

use crate::element::Element;
use crate::error::LaunchError;
use crate::{schema, xml};

/// Files included deeper than this are refused: two files that include each other end here.
pub const MAX_INCLUDES: usize = 16;

/// Reads one launch file and checks it against the rules. The path becomes absolute.
///
/// # Errors
/// [`LaunchError`] when the file cannot be read, is no XML launch file or breaks a rule.
pub fn load(path: &Path) -> Result<Element, LaunchError> {
    let unreadable = |text: &str| LaunchError::Unreadable {
        file: path.to_path_buf(),
        text: text.to_owned(),
    };
    let name = path
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    if name.ends_with(".py") || name.ends_with(".yaml") || name.ends_with(".yml") {
        return Err(unreadable(
            "only XML launch files can be run without ros2 launch",
        ));
    }
    let file: PathBuf =
        std::path::absolute(path).map_err(|e| unreadable(&format!("cannot be found: {e}")))?;
    let bytes = std::fs::read(&file)
        .map_err(|e| unreadable(&format!("launch file cannot be read: {e}")))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("launch file is not UTF-8"))?;
    let root = xml::parse(&file, &text)?;
    schema::check(&root)?;
    Ok(root)
}
