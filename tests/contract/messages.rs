//! Message definitions: radians on the wire, units in comments, every interface in the table.

use anyhow::Result;
use std::path::PathBuf;
use troupe_tests::listed;

fn definitions() -> Result<Vec<(PathBuf, String)>> {
    let mut all = Vec::new();
    for extension in ["msg", "srv", "action"] {
        all.extend(listed::texts(extension)?.into_iter().filter(|(file, _)| listed::is_in(file, "msgs")));
    }
    Ok(all)
}

/// Type, name and comment of every field; constants are left out.
fn fields(text: &str) -> Vec<(String, String, String)> {
    let mut fields = Vec::new();
    for line in text.lines() {
        let (code, comment) = line.split_once('#').unwrap_or((line, ""));
        let mut words = code.split_whitespace();
        if let (Some(kind), Some(name)) = (words.next(), words.next())
            && !name.contains('=')
            && !code.contains('=')
        {
            fields.push((kind.to_owned(), name.to_owned(), comment.trim().to_owned()));
        }
    }
    fields
}

#[test]
fn no_field_is_in_degrees() -> Result<()> {
    for (file, text) in definitions()? {
        for (_, name, _) in fields(&text) {
            let degrees = name.split('_').any(|word| ["deg", "degrees", "degree"].contains(&word));
            assert!(!degrees, "{}: {name}", file.display());
        }
    }
    Ok(())
}

#[test]
fn our_numbers_and_poses_say_their_unit_or_frame() -> Result<()> {
    let documented = ["troupe_msgs", "unitree_hg"];
    for (file, text) in definitions()? {
        if !documented.iter().any(|p| listed::is_in(&file, &format!("msgs/{p}"))) {
            continue;
        }
        for (kind, name, comment) in fields(&text) {
            let physical = kind.starts_with("float") || kind.starts_with("geometry_msgs/");
            // A measured value names its unit in the field beside it.
            let carries_unit = fields(&text).iter().any(|(_, n, _)| n == "unit");
            assert!(!physical || carries_unit || !comment.is_empty(), "{}: {name} has neither unit nor frame", file.display());
        }
    }
    Ok(())
}

#[test]
fn every_service_and_action_of_ours_is_in_the_table() -> Result<()> {
    let (_, table) = listed::read("msgs/README.md".into())?;
    for (file, _) in definitions()? {
        let stem = file.file_stem().and_then(|s| s.to_str()).unwrap_or_default().to_owned();
        let is_interface = file.extension().is_some_and(|e| e != "msg") && listed::is_in(&file, "msgs/troupe_msgs");
        assert!(!is_interface || table.contains(&format!("troupe_msgs/{stem}")), "msgs/README.md lacks {stem}");
    }
    Ok(())
}

#[test]
fn every_name_in_the_table_is_in_the_code_and_back() -> Result<()> {
    let (_, table) = listed::read("msgs/README.md".into())?;
    let (_, names) = listed::read("nodes/lib/ros/src/names.rs".into())?;
    for line in names.lines().filter(|l| l.starts_with("pub const ")) {
        if let Some(name) = line.split('"').nth(1) {
            assert!(table.contains(&format!("`{name}`")), "msgs/README.md lacks {name}");
        }
    }
    Ok(())
}

#[test]
fn actions_state_their_error_message() -> Result<()> {
    for (file, text) in definitions()?.into_iter().filter(|(f, _)| f.extension().is_some_and(|e| e == "action")) {
        if listed::is_in(&file, "msgs/troupe_msgs") {
            assert!(text.contains("string error_msg"), "{} has no error_msg", file.display());
        }
    }
    Ok(())
}
