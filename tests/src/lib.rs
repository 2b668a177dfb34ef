//! What the tests share: folders, configurations with changes, node graphs as real processes, ledgers.

pub mod configs;
pub mod domain;
pub mod graph;
pub mod ledgers;
pub mod listed;
pub mod output;
pub mod paths;
pub mod process;
