//! The team in one process: episodes, restores and resets.

mod episodes;
mod random_model;
mod resets;
mod restore;
mod rig;
