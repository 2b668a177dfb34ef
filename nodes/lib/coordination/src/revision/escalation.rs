//! After two failed revisions of one scope the host suggests the next higher one (CE-083).

use serde::{Deserialize, Serialize};
use troupe_core::evidence::Level;

/// Failed revisions of one scope before the next is suggested.
const FAILURES: u32 = 2;

/// Failed revisions at one checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Escalation {
    parameter: u32,
    coordination: u32,
}

impl Escalation {
    /// Counts a revision of this scope that was rejected.
    pub fn failed(&mut self, scope: Level) {
        match scope {
            Level::Parameter => self.parameter += 1,
            Level::Coordination => self.coordination += 1,
            Level::Strategy => {}
        }
    }

    /// Forgets everything: another checkpoint is in force.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The level to suggest when the failure itself suggests `level`. A model may always choose a higher one.
    #[must_use]
    pub fn suggest(&self, level: Level) -> Level {
        if self.coordination >= FAILURES {
            return Level::Strategy;
        }
        if self.parameter >= FAILURES && level == Level::Parameter {
            return Level::Coordination;
        }
        level
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ce_083_two_failures_of_a_scope_suggest_the_next() {
        let mut e = Escalation::default();
        e.failed(Level::Parameter);
        assert_eq!(e.suggest(Level::Parameter), Level::Parameter);
        e.failed(Level::Parameter);
        assert_eq!(e.suggest(Level::Parameter), Level::Coordination);
        assert_eq!(e.suggest(Level::Strategy), Level::Strategy);
        e.failed(Level::Coordination);
        e.failed(Level::Coordination);
        assert_eq!(e.suggest(Level::Parameter), Level::Strategy);
        e.clear();
        assert_eq!(e.suggest(Level::Parameter), Level::Parameter);
    }
}
