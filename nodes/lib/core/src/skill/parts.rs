//! How a skill call is read from JSON: field by field.
//!
//! serde reads a tagged enum through a buffer, and a buffer loses floats as soon as any crate of the
//! build switches on serde_json's `arbitrary_precision`.

use super::{Direction, SkillCall, SkillError};
use serde::Deserialize;

/// All fields that a call may have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parts {
    skill: String,
    direction: Option<Direction>,
    distance_m: Option<f64>,
    speed_mps: Option<f64>,
    yaw_rad: Option<f64>,
    speed_rps: Option<f64>,
    duration_s: Option<f64>,
}

impl TryFrom<Parts> for SkillCall {
    type Error = SkillError;

    fn try_from(parts: Parts) -> Result<Self, SkillError> {
        let arguments: Vec<(String, f64)> = [
            ("distance_m", parts.distance_m),
            ("speed_mps", parts.speed_mps),
            ("yaw_rad", parts.yaw_rad),
            ("speed_rps", parts.speed_rps),
            ("duration_s", parts.duration_s),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect();
        Self::from_parts(&parts.skill, parts.direction.map_or("", Direction::name), &arguments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_survive_json() {
        let calls = [
            SkillCall::Walk { distance_m: 0.1, direction: Direction::Left, speed_mps: 0.3 },
            SkillCall::Turn { yaw_rad: -0.2, speed_rps: 0.25 },
            SkillCall::Arc { distance_m: 0.2, yaw_rad: 0.26, speed_mps: 0.2 },
            SkillCall::ArcAside { distance_m: 0.4, direction: Direction::Right, yaw_rad: 0.26, speed_mps: 0.2 },
            SkillCall::Hold { duration_s: 1.0 },
            SkillCall::Release,
            SkillCall::Retreat { distance_m: 0.4 },
        ];
        for call in calls {
            let text = serde_json::to_string(&call).unwrap();
            assert_eq!(serde_json::from_str::<SkillCall>(&text).unwrap(), call);
        }
        let text = serde_json::from_str::<SkillCall>(r#"{"skill":"hold","duration_m":1.0}"#).unwrap_err().to_string();
        assert!(text.contains("duration_m") && text.contains("duration_s"), "{text}");
    }
}
