//! Allowed magnitudes of arguments (CE-036).

use super::{SkillCall, SkillError};
use serde::{Deserialize, Serialize};

/// Allowed magnitudes `[low, high]` of the arguments (CE-036).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillBounds {
    /// m.
    pub distance_m: [f64; 2],
    /// rad.
    pub yaw_rad: [f64; 2],
    /// m/s.
    pub speed_mps: [f64; 2],
    /// rad/s.
    pub speed_rps: [f64; 2],
    /// s.
    pub duration_s: [f64; 2],
}

impl SkillBounds {
    /// Bounds of an argument by name.
    #[must_use]
    pub fn of(&self, argument: &str) -> Option<[f64; 2]> {
        Some(match argument {
            "distance_m" => self.distance_m,
            "yaw_rad" => self.yaw_rad,
            "speed_mps" => self.speed_mps,
            "speed_rps" => self.speed_rps,
            "duration_s" => self.duration_s,
            _ => return None,
        })
    }

    /// Checks every argument of a call: finite, and its magnitude inside the bounds.
    ///
    /// # Errors
    /// [`SkillError::NotFinite`] or [`SkillError::Bounds`].
    pub fn check(&self, call: &SkillCall) -> Result<(), SkillError> {
        for (argument, value) in call.arguments() {
            if !value.is_finite() {
                return Err(SkillError::NotFinite { skill: call.name(), argument, value });
            }
            let Some([low, high]) = self.of(argument) else { continue };
            let signed = matches!(argument, "yaw_rad") || (argument == "distance_m" && call.name() == "arc");
            let magnitude = if signed { value.abs() } else { value };
            // A hair of slack, so that a bound given as a rounded decimal can be reached.
            if !(low - 1e-9..=high + 1e-9).contains(&magnitude) {
                return Err(SkillError::Bounds { skill: call.name(), argument, value, low, high });
            }
        }
        Ok(())
    }
}
