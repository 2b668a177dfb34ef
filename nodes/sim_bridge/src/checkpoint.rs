//! Stored states: the world and every robot controller's memory (CE-029).

use crate::error::BridgeError;
use std::collections::BTreeMap;
use troupe_core::device::LowCommand;
use troupe_core::identity::sha256_hex;
use troupe_core::team::CheckpointInfo;
use troupe_core::variation::Estimator;
use troupe_world::Snapshot;

/// Memory of every robot's controller, in team order, as the robots gave it.
pub type Controllers = Vec<Vec<u8>>;

/// One stored state.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub world: Snapshot,
    pub commands: Vec<Option<LowCommand>>,
    pub controllers: Controllers,
    pub passed: Vec<String>,
    pub estimator: Option<Estimator>,
    pub info: CheckpointInfo,
}

/// All stored states by name.
#[derive(Debug, Default)]
pub(crate) struct Checkpoints {
    stored: BTreeMap<String, Stored>,
    latest: String,
}

impl Checkpoints {
    pub fn clear(&mut self) {
        self.stored.clear();
        self.latest.clear();
    }

    /// Name of the checkpoint that the world last came from or wrote; empty before the first.
    pub fn latest(&self) -> &str {
        &self.latest
    }

    pub fn set_latest(&mut self, id: &str) {
        id.clone_into(&mut self.latest);
    }

    pub fn get(&self, id: &str) -> Result<&Stored, BridgeError> {
        self.stored.get(id).ok_or_else(|| {
            let names: Vec<&str> = self.stored.keys().map(String::as_str).collect();
            let stored = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            BridgeError::UnknownCheckpoint { id: id.to_owned(), stored }
        })
    }

    pub fn insert(&mut self, mut stored: Stored) -> Result<CheckpointInfo, BridgeError> {
        let id = stored.info.id.clone();
        if self.stored.contains_key(&id) {
            return Err(BridgeError::CheckpointExists(id));
        }
        let mut bytes = stored.world.digest_bytes();
        for controller in &stored.controllers {
            bytes.extend((controller.len() as u64).to_le_bytes());
            bytes.extend(controller);
        }
        bytes.extend(stored.estimator.iter().flat_map(Estimator::digest_bytes));
        stored.info.digest = sha256_hex(&bytes);
        stored.info.parent = std::mem::replace(&mut self.latest, id.clone());
        let info = stored.info.clone();
        self.stored.insert(id, stored);
        Ok(info)
    }
}
