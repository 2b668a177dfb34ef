//! Looking up experience before a decision and before its code (CE-050, CE-093, CE-094).

use super::{Halt, RunError};
use super::execute::missing;
use super::session::Session;
use serde_json::json;
use troupe_coordination::experience::{ExemplarQuery, StrategyQuery};
use troupe_coordination::method::Memory;
use troupe_coordination::run_state::Event;

impl Session<'_> {
    /// Strategy records by phase and failure; the decision to come is no query term.
    pub(super) fn retrieve_strategies(&mut self) -> Result<Event, Halt> {
        self.strategies.clear();
        if self.setup.method.memory == Memory::Experience {
            let failed = self.failed_evidence.as_ref();
            let query = StrategyQuery {
                phase: self.phase_class(),
                layout: self.setup.world.clone(),
                failure_type: failed.and_then(|e| e.failure_type),
                failure_level: failed.and_then(|e| e.failure_level),
            };
            self.note_added()?;
            self.strategies = self.hooks.experience.retrieve_strategies(&query, &self.setup.config.experience);
            let ids: Vec<&str> = self.strategies.iter().map(|r| r.id.as_str()).collect();
            let data = json!({ "store": "strategy", "query": query, "ids": ids, "checkpoint_id": self.checkpoint });
            self.log("retrieval", data)?;
        }
        Ok(Event::Retrieved)
    }

    /// What others have added changes what is retrieved next, so it stands in the ledger before that.
    pub(super) fn note_added(&mut self) -> Result<(), RunError> {
        for added in self.hooks.experience.take_added() {
            self.log("experience_added", json!(added))?;
        }
        Ok(())
    }

    /// Exemplars by the committed decision's kappa, d and m.
    pub(super) fn retrieve_exemplars(&mut self) -> Result<Event, Halt> {
        self.exemplars.clear();
        if matches!(self.setup.method.memory, Memory::Experience | Memory::Library) {
            let decision = self.decision.as_ref().ok_or_else(|| missing("decision"))?;
            let query = ExemplarQuery {
                kind: decision.kind,
                objective: decision.objective,
                mode: decision.mode,
                phase: self.phase_class(),
            };
            let decision_id = decision.id.clone();
            self.note_added()?;
            self.exemplars = self.hooks.experience.retrieve_exemplars(&query, &self.setup.config.experience);
            let ids: Vec<&str> = self.exemplars.iter().map(|e| e.id.as_str()).collect();
            let data = json!({ "store": "exemplar", "decision_id": decision_id, "query": query, "ids": ids });
            self.log("retrieval", data)?;
        }
        Ok(Event::Retrieved)
    }
}
