//! Where packages and their executables are: ament prefixes, and this workspace's source tree.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::Problem;

/// The package that a source tree of this workspace stands for.
const WORKSPACE_PACKAGE: &str = "troupe";
/// Names the folder with the workspace's built executables.
const BUILD_DIR_VARIABLE: &str = "TROUPE_BUILD_DIR";

/// Finds packages by name.
#[derive(Debug, Clone, Default)]
pub struct Packages {
    /// Install prefixes of `AMENT_PREFIX_PATH`, first wins.
    prefixes: Vec<PathBuf>,
    /// Root of a source tree of this workspace.
    tree: Option<PathBuf>,
    /// Whether the source tree comes before the prefixes.
    tree_first: bool,
    /// Folders with the source tree's executables, first wins.
    build_dirs: Vec<PathBuf>,
}

impl Packages {
    /// `environment` gives `AMENT_PREFIX_PATH` and `TROUPE_BUILD_DIR`. A launch file inside a
    /// source tree uses that tree before any prefix; a launcher that was built in one falls back
    /// to it.
    pub fn new(
        environment: &BTreeMap<String, String>,
        launch_file: Option<&Path>,
        launcher: Option<&Path>,
    ) -> Self {
        let prefixes = environment
            .get("AMENT_PREFIX_PATH")
            .map(|path| {
                path.split(':')
                    .filter(|p| !p.is_empty())
                    .map(PathBuf::from)
                    .collect()
            })
            .unwrap_or_default();
        let tree_of_file = launch_file.and_then(source_tree);
        let tree_first = tree_of_file.is_some();
        let tree = tree_of_file.or_else(|| launcher.and_then(source_tree));
        let mut build_dirs = Vec::new();
        if let Some(dir) = environment.get(BUILD_DIR_VARIABLE) {
            build_dirs.push(PathBuf::from(dir));
        } else if let Some(root) = &tree {
            let beside = launcher
                .and_then(Path::parent)
                .filter(|d| d.starts_with(root));
            build_dirs.extend(beside.map(Path::to_path_buf));
            build_dirs.push(root.join("target/debug"));
        }
        Self {
            prefixes,
            tree,
            tree_first,
            build_dirs,
        }
    }

    /// `<prefix>/share/<package>`, or the root of the source tree.
    ///
    /// # Errors
    /// A [`Problem`] that names every place looked at.
    pub fn share(&self, package: &str) -> Result<PathBuf, Problem> {
        check_name(package)?;
        let tree = self.tree.clone().filter(|_| package == WORKSPACE_PACKAGE);
        if let Some(tree) = tree.clone().filter(|_| self.tree_first) {
            return Ok(tree);
        }
        let installed = self.prefixes.iter().map(|p| p.join("share").join(package));
        let found = installed.clone().find(|dir| dir.is_dir()).or(tree);
        found.ok_or_else(|| not_found(format!("package `{package}`"), installed))
    }

    /// The install prefix that holds a package, or the root of the source tree.
    ///
    /// # Errors
    /// As [`Packages::share`].
    pub fn prefix(&self, package: &str) -> Result<PathBuf, Problem> {
        let share = self.share(package)?;
        if self.tree.as_ref() == Some(&share) {
            return Ok(share);
        }
        Ok(share.ancestors().nth(2).unwrap_or(&share).to_path_buf())
    }

    /// `<prefix>/lib/<package>/<executable>`, or the one built in the source tree.
    ///
    /// # Errors
    /// A [`Problem`] that names every place looked at.
    pub fn executable(&self, package: &str, executable: &str) -> Result<PathBuf, Problem> {
        check_name(package)?;
        check_name(executable)?;
        let installed: Vec<_> = self
            .prefixes
            .iter()
            .map(|p| p.join("lib").join(package).join(executable))
            .collect();
        let mut places = Vec::new();
        if package == WORKSPACE_PACKAGE {
            places.extend(self.build_dirs.iter().map(|d| d.join(executable)));
        }
        let at = if self.tree_first { places.len() } else { 0 };
        places.splice(at..at, installed);
        places
            .iter()
            .find(|p| is_executable(p))
            .cloned()
            .ok_or_else(|| {
                not_found(
                    format!("executable `{executable}` of package `{package}`"),
                    places,
                )
            })
    }
}

fn not_found(what: String, places: impl IntoIterator<Item = PathBuf>) -> Problem {
    let places: Vec<_> = places
        .into_iter()
        .map(|p| p.display().to_string())
        .collect();
    Problem::new(if places.is_empty() {
        format!("{what} not found: AMENT_PREFIX_PATH is empty; source a ROS 2 environment")
    } else {
        format!("{what} not found; looked at {}", places.join(", "))
    })
}

/// A package or executable is one path component, so that it cannot leave its prefix.
fn check_name(name: &str) -> Result<(), Problem> {
    if name.is_empty() || name.contains('/') || name == "." || name == ".." {
        return Err(Problem::new(format!(
            "`{name}` is not a name of a package or executable"
        )));
    }
    Ok(())
}

fn source_tree(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    let mut roots = path.ancestors().skip(1);
    roots
        .find(|dir| {
            dir.join("Cargo.toml").is_file() && dir.join("nodes/launcher/Cargo.toml").is_file()
        })
        .map(Path::to_path_buf)
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn touch(path: &Path, mode: u32) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    fn environment(pairs: &[(&str, &Path)]) -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), v.display().to_string()))
            .collect()
    }

    #[test]
    fn installed_packages() {
        let dir = tempfile::tempdir().unwrap();
        let prefix = dir.path();
        touch(&prefix.join("lib/p/run"), 0o755);
        touch(&prefix.join("lib/p/data"), 0o644);
        touch(&prefix.join("share/p/package.xml"), 0o644);
        let packages = Packages::new(&environment(&[("AMENT_PREFIX_PATH", prefix)]), None, None);
        assert_eq!(
            packages.executable("p", "run").unwrap(),
            prefix.join("lib/p/run")
        );
        assert_eq!(packages.share("p").unwrap(), prefix.join("share/p"));
        assert_eq!(packages.prefix("p").unwrap(), prefix);
        for missing in [
            packages.executable("p", "data"),
            packages.executable("p", "../run"),
        ] {
            assert!(missing.is_err());
        }
        assert!(packages.share("q").unwrap_err().text.contains("looked at"));
        assert!(
            Packages::default()
                .share("q")
                .unwrap_err()
                .text
                .contains("source a ROS 2")
        );
    }

    #[test]
    fn a_launch_file_in_a_source_tree_uses_the_tree() {
        let dir = tempfile::tempdir().unwrap();
        let (root, prefix) = (
            dir.path().canonicalize().unwrap().join("w"),
            dir.path().join("p"),
        );
        for file in [
            "Cargo.toml",
            "nodes/launcher/Cargo.toml",
            "launch/a.launch.xml",
        ] {
            touch(&root.join(file), 0o644);
        }
        touch(&root.join("target/debug/g1"), 0o755);
        touch(&prefix.join("lib/troupe/g1"), 0o755);
        touch(&prefix.join("share/troupe/x"), 0o644);
        let file = root.join("launch/a.launch.xml");
        let both = environment(&[("AMENT_PREFIX_PATH", &prefix)]);
        let packages = Packages::new(&both, Some(&file), None);
        assert_eq!(
            packages.executable("troupe", "g1").unwrap(),
            root.join("target/debug/g1")
        );
        assert_eq!(packages.share("troupe").unwrap(), root);
        // Elsewhere the installed package is used, and a build folder named by hand only adds.
        let packages = Packages::new(&both, None, Some(&root.join("target/debug/g1")));
        assert_eq!(
            packages.executable("troupe", "g1").unwrap(),
            prefix.join("lib/troupe/g1")
        );
        assert_eq!(
            packages.share("troupe").unwrap(),
            prefix.join("share/troupe")
        );
        let named = environment(&[("TROUPE_BUILD_DIR", &root.join("target/debug"))]);
        let packages = Packages::new(&named, None, None);
        assert_eq!(
            packages.executable("troupe", "g1").unwrap(),
            root.join("target/debug/g1")
        );
    }
}
