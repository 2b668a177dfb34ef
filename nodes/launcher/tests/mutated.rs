//! Damaged launch files: always an answer, never a panic.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use troupe_launcher::evaluate::{Surroundings, evaluate};
use troupe_launcher::packages::Packages;
use troupe_launcher::{declared::declared, error::LaunchError, xml};

const SEED: &str = r#"<?xml version="1.0"?>
<launch>
  <arg name="a" default="$(env HOME '/')/x" description="d"><choice value="y"/></arg>
  <let name="b" value="$(and true $(not $(equals '$(var a)' 2)))"/>
  <group if="$(var b)" scoped="true">
    <push_ros_namespace namespace="team"/>
    <set_env name="E" value="&quot;1&quot;"/>
    <executable cmd="ls -l 'a b' $(var a) $(dirname)" output="screen" respawn="true" respawn_delay="1.5"/>
  </group>
  <node pkg="p" exec="e" name="n" on_exit="shutdown">
    <param name="p" value="[1, 2]" type="list_of_int"/><remap from="a" to="b"/><env name="c" value="d"/>
  </node>
</launch>"#;

/// Pieces that change the meaning of what stands around them.
const PIECES: &[&str] = &[
    "",
    "<",
    ">",
    "/>",
    "\"",
    "'",
    "$(",
    ")",
    "$(var a)",
    "\\",
    "&",
    "&lt;",
    "<!--",
    "-->",
    "=",
    "<launch>",
    "</launch>",
    "<group>",
    "</group>",
    "<include file=\"$(filename)\"/>",
    "\u{0}",
    "é",
    "<arg name=\"a\"/>",
    " if=\"1\"",
    "<![CDATA[",
    "]]>",
    "\n",
    "-1",
    "1e999",
];

fn read(text: &[u8]) -> Result<usize, LaunchError> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("m.launch.xml");
    std::fs::write(&file, text).unwrap();
    let around = Surroundings {
        arguments: BTreeMap::from([("a".to_owned(), "y".to_owned())]),
        environment: BTreeMap::new(),
        packages: Packages::default(),
    };
    let _ = declared(&file, &around);
    evaluate(&file, &around).map(|specs| specs.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn mutated_files_never_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..12, 0..PIECES.len()), 1..6)
    ) {
        let mut text: Vec<char> = SEED.chars().collect();
        for (at, length, piece) in edits {
            let start = at.index(text.len() + 1);
            let end = (start + length).min(text.len());
            text.splice(start..end, PIECES[piece].chars());
        }
        let text: String = text.into_iter().collect();
        if let Err(error) = read(text.as_bytes()) {
            prop_assert!(error.to_string().contains("m.launch.xml"), "{}", error);
        }
    }

    #[test]
    fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes);
    }

    #[test]
    fn attribute_values_survive_xml(value in "[^\u{0}-\u{1f}\u{7f}-\u{9f}\u{fffe}\u{ffff}\u{2028}]{0,40}") {
        let escaped = value.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        let text = format!("<launch><let name=\"{escaped}\"/></launch>");
        let root = xml::parse(Path::new("m"), &text).unwrap();
        prop_assert_eq!(root.children[0].attribute("name"), Some(value.as_str()));
    }
}

#[test]
fn the_seed_itself_is_read_up_to_the_missing_package() {
    assert!(
        read(SEED.as_bytes())
            .unwrap_err()
            .to_string()
            .contains("package `p`")
    );
}
