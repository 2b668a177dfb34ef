//! What files, crates and configurations promise, checked without running the team.

mod crates;
mod configurations;
mod launch_files;
mod manifests;
mod messages;
mod requirements;
mod sources;
mod text;
