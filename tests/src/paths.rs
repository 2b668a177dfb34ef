//! Where things lie.

use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

/// The checkout.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// `config/` of the checkout.
#[must_use]
pub fn config() -> PathBuf {
    root().join("config")
}

/// The folder of fetched policies and meshes.
///
/// # Errors
/// When the environment does not name one that holds the walking policy.
pub fn assets() -> Result<PathBuf> {
    let folder = from_environment("TROUPE_ASSETS")?;
    ensure!(Path::new(&folder).join("g1").is_dir(), "TROUPE_ASSETS = {folder} has no folder g1; run ./run setup");
    Ok(folder.into())
}

/// A program of the workspace, beside this test's executable.
///
/// # Errors
/// When it was not built.
pub fn program(name: &str) -> Result<PathBuf> {
    let test = std::env::current_exe()?;
    let folder = test.parent().and_then(Path::parent).context("the test lies in no build folder")?;
    let program = folder.join(name);
    ensure!(program.is_file(), "{} is missing: run the tests with ./run test, or ./run build before them", program.display());
    Ok(program)
}

/// A variable that `./run test` provides.
///
/// # Errors
/// Says how to get it.
pub fn from_environment(name: &str) -> Result<String> {
    std::env::var(name).with_context(|| format!("{name} is not set: run the tests with ./run test, or eval \"$(./run env)\" before them"))
}
