//! A relation between the robots' arguments that evidence may demand of a repair (CE-082).

use crate::closed_set;
use crate::skill::SkillCall;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

closed_set! {
    /// Argument that is compared across robots; its unit is in the name.
    Argument {
        /// m.
        DistanceM = "distance_m",
        /// rad.
        YawRad = "yaw_rad",
    }
}

closed_set! {
    /// How the argument must compare.
    Comparison {
        /// The same for all robots.
        Equal = "equal",
        /// Another one for each robot.
        Different = "different",
    }
}

/// Differences below this cannot be carried out: 0.01 m and 0.5 degrees (CE-030).
#[must_use]
pub fn resolution(argument: Argument) -> f64 {
    match argument {
        Argument::DistanceM => 0.01,
        Argument::YawRad => 0.5_f64.to_radians(),
    }
}

/// One demand, for example `yaw_rad different`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Relation {
    /// What is compared.
    pub argument: Argument,
    /// How it must compare.
    pub comparison: Comparison,
}

impl Relation {
    /// Words for messages and the wire.
    #[must_use]
    pub fn text(self) -> String {
        format!("{} {}", self.argument.name(), self.comparison.name())
    }

    /// The relation of [`Self::text`].
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let (argument, comparison) = text.split_once(' ')?;
        Some(Self { argument: Argument::from_name(argument)?, comparison: Comparison::from_name(comparison)? })
    }

    /// Amounts of the argument in team order; a call without it moves by 0.
    fn amounts(self, calls: &[SkillCall]) -> Vec<f64> {
        let of = |call: &SkillCall| {
            call.arguments().into_iter().find(|(name, _)| *name == self.argument.name()).map_or(0.0, |(_, v)| v)
        };
        calls.iter().map(of).collect()
    }

    /// Whether the calls satisfy the relation at the resolution of actuation.
    #[must_use]
    pub fn holds(self, calls: &[SkillCall]) -> bool {
        let step = resolution(self.argument);
        let amounts = self.amounts(calls);
        let apart = |pair: &[f64]| match pair {
            [a, b] => (a - b).abs() >= step - 1e-9,
            _ => false,
        };
        match self.comparison {
            Comparison::Equal => !amounts.windows(2).any(apart),
            Comparison::Different => amounts.windows(2).all(apart),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(degrees: f64) -> SkillCall {
        SkillCall::Turn { yaw_rad: f64::to_radians(degrees), speed_rps: 0.2 }
    }

    #[test]
    fn equal_corrections_do_not_satisfy_a_demand_for_different_ones() {
        let different = Relation { argument: Argument::YawRad, comparison: Comparison::Different };
        assert!(!different.holds(&[turn(2.5), turn(2.5)]));
        assert!(!different.holds(&[turn(2.0), turn(2.0)]));
        assert!(!different.holds(&[turn(2.0), turn(2.3)]), "below what can be carried out");
        assert!(different.holds(&[turn(2.5), turn(2.0)]));
        assert!(different.holds(&[SkillCall::Hold { duration_s: 1.0 }, turn(2.0)]));
        let equal = Relation { comparison: Comparison::Equal, ..different };
        assert!(equal.holds(&[turn(2.0), turn(2.3)]) && !equal.holds(&[turn(2.0), turn(4.0)]));
    }

    #[test]
    fn text_round_trips() {
        for argument in Argument::ALL {
            for comparison in Comparison::ALL {
                let relation = Relation { argument: *argument, comparison: *comparison };
                assert_eq!(Relation::from_text(&relation.text()), Some(relation));
            }
        }
        assert_eq!(Relation::from_text("speed_mps different"), None);
    }
}
