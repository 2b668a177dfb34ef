//! How a run ends: one label, by precedence (CE-100).

use serde::{Deserialize, Serialize};

/// Final stop condition of a run, in falling precedence; not a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Label {
    /// The endpoint holds.
    S,
    /// Too many drops.
    D,
    /// The physical budget is spent.
    B,
    /// Generation or repair stalled.
    G,
    /// Stopped on request.
    C,
    /// The infrastructure failed.
    I,
}

impl Label {
    /// Every label in falling precedence.
    pub const ALL: [Self; 6] = [Self::S, Self::D, Self::B, Self::G, Self::C, Self::I];

    /// One letter, as in records.
    #[must_use]
    pub fn letter(self) -> &'static str {
        match self {
            Self::S => "S",
            Self::D => "D",
            Self::B => "B",
            Self::G => "G",
            Self::C => "C",
            Self::I => "I",
        }
    }

    /// For people.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::S => "endpoint reached",
            Self::D => "drop limit reached",
            Self::B => "physical budget spent",
            Self::G => "generation or repair stalled",
            Self::C => "stopped on request",
            Self::I => "infrastructure failed",
        }
    }
}

/// The one label of conditions that hold at once.
#[must_use]
pub fn winner(labels: &[Label]) -> Option<Label> {
    labels.iter().copied().min()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CE-100.
    #[test]
    fn precedence_of_every_pair() {
        for (i, a) in Label::ALL.iter().enumerate() {
            for (j, b) in Label::ALL.iter().enumerate() {
                assert_eq!(winner(&[*a, *b]), Some(Label::ALL[i.min(j)]));
            }
        }
        assert_eq!(winner(&[]), None);
    }
}
