//! The static skill catalog: names, arguments and bounds (CE-035, CE-036), goals and results.

use crate::frames::Planar;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Direction of a walk in the robot's base frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// +x.
    Forward,
    /// −x.
    Back,
    /// +y.
    Left,
    /// −y.
    Right,
}

impl Direction {
    /// Name as in policies and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Back => "back",
            Self::Left => "left",
            Self::Right => "right",
        }
    }

    /// The direction of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Forward, Self::Back, Self::Left, Self::Right].into_iter().find(|d| d.name() == name)
    }

    /// Unit vector in the base frame.
    #[must_use]
    pub fn unit(self) -> [f64; 2] {
        match self {
            Self::Forward => [1.0, 0.0],
            Self::Back => [-1.0, 0.0],
            Self::Left => [0.0, 1.0],
            Self::Right => [0.0, -1.0],
        }
    }
}

/// One call of a skill with its arguments, SI.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "skill", rename_all = "snake_case")]
pub enum SkillCall {
    /// Straight walk with constant heading.
    Walk {
        /// m, positive.
        distance_m: f64,
        /// In the base frame.
        direction: Direction,
        /// m/s.
        speed_mps: f64,
    },
    /// Turn in place, counter-clockwise positive.
    Turn {
        /// rad.
        yaw_rad: f64,
        /// rad/s, positive.
        speed_rps: f64,
    },
    /// Walk along a circle: forward for positive distance, turning by `yaw_rad` on the way.
    Arc {
        /// m along the circle; negative walks backward.
        distance_m: f64,
        /// rad, counter-clockwise positive.
        yaw_rad: f64,
        /// m/s, positive.
        speed_mps: f64,
    },
    /// Stand still.
    Hold {
        /// s.
        duration_s: f64,
    },
    /// End motion at once.
    Stop,
    /// Ramp the arms into the support posture.
    InitSupport,
    /// Lower the forearms until the target carries the payload.
    LowerToTarget,
    /// Flatten the palms and lower the arms away from the payload.
    Release,
    /// Walk backward after a release.
    Retreat {
        /// m, positive.
        distance_m: f64,
    },
}

/// Why parts do not make a skill call.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SkillError {
    /// No such skill.
    #[error("unknown skill `{0}`; allowed: {names}", names = SkillCall::NAMES.join(", "))]
    Unknown(String),
    /// An argument is absent.
    #[error("`{skill}` lacks `{argument}`; it takes {allowed}")]
    Missing {
        /// Skill name.
        skill: String,
        /// Argument name.
        argument: &'static str,
        /// All arguments of the skill.
        allowed: String,
    },
    /// An argument that the skill does not take.
    #[error("`{skill}` has no argument `{argument}`; it takes {allowed}")]
    Unexpected {
        /// Skill name.
        skill: String,
        /// Argument name.
        argument: String,
        /// All arguments of the skill.
        allowed: String,
    },
    /// Not a direction.
    #[error("direction `{0}` is not one of forward, back, left, right")]
    Direction(String),
    /// Outside the bounds.
    #[error("`{skill}`: {argument} = {value} is outside {low} to {high}")]
    Bounds {
        /// Skill name.
        skill: &'static str,
        /// Argument name.
        argument: &'static str,
        /// Value given.
        value: f64,
        /// Lower bound of the magnitude.
        low: f64,
        /// Upper bound of the magnitude.
        high: f64,
    },
    /// NaN or infinite.
    #[error("`{skill}`: {argument} = {value} is not finite")]
    NotFinite {
        /// Skill name.
        skill: &'static str,
        /// Argument name.
        argument: &'static str,
        /// Value given.
        value: f64,
    },
}

impl SkillCall {
    /// All skill names.
    pub const NAMES: [&'static str; 9] =
        ["walk", "turn", "arc", "hold", "stop", "init_support", "lower_to_target", "release", "retreat"];

    /// Name as in policies and messages.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Walk { .. } => "walk",
            Self::Turn { .. } => "turn",
            Self::Arc { .. } => "arc",
            Self::Hold { .. } => "hold",
            Self::Stop => "stop",
            Self::InitSupport => "init_support",
            Self::LowerToTarget => "lower_to_target",
            Self::Release => "release",
            Self::Retreat { .. } => "retreat",
        }
    }

    /// Names of the numeric arguments of a skill, in wire order; `None` for an unknown skill.
    #[must_use]
    pub fn argument_names(skill: &str) -> Option<&'static [&'static str]> {
        Some(match skill {
            "walk" => &["distance_m", "speed_mps"],
            "turn" => &["yaw_rad", "speed_rps"],
            "arc" => &["distance_m", "yaw_rad", "speed_mps"],
            "hold" => &["duration_s"],
            "retreat" => &["distance_m"],
            "stop" | "init_support" | "lower_to_target" | "release" => &[],
            _ => return None,
        })
    }

    /// Numeric arguments in wire order.
    #[must_use]
    pub fn arguments(&self) -> Vec<(&'static str, f64)> {
        match *self {
            Self::Walk { distance_m, speed_mps, .. } => vec![("distance_m", distance_m), ("speed_mps", speed_mps)],
            Self::Turn { yaw_rad, speed_rps } => vec![("yaw_rad", yaw_rad), ("speed_rps", speed_rps)],
            Self::Arc { distance_m, yaw_rad, speed_mps } => {
                vec![("distance_m", distance_m), ("yaw_rad", yaw_rad), ("speed_mps", speed_mps)]
            }
            Self::Hold { duration_s } => vec![("duration_s", duration_s)],
            Self::Retreat { distance_m } => vec![("distance_m", distance_m)],
            Self::Stop | Self::InitSupport | Self::LowerToTarget | Self::Release => vec![],
        }
    }

    /// Direction of a walk.
    #[must_use]
    pub fn direction(&self) -> Option<Direction> {
        match self {
            Self::Walk { direction, .. } => Some(*direction),
            _ => None,
        }
    }

    /// Builds a call from its wire parts; every argument once, no other.
    ///
    /// # Errors
    /// [`SkillError`] naming the skill, the argument and what is allowed.
    pub fn from_parts(skill: &str, direction: &str, arguments: &[(String, f64)]) -> Result<Self, SkillError> {
        let names = Self::argument_names(skill).ok_or_else(|| SkillError::Unknown(skill.to_owned()))?;
        let allowed = || {
            let mut all: Vec<&str> = names.to_vec();
            if skill == "walk" {
                all.push("direction");
            }
            if all.is_empty() { "no arguments".to_owned() } else { all.join(", ") }
        };
        if let Some((name, _)) = arguments.iter().find(|(n, _)| !names.contains(&n.as_str())) {
            return Err(SkillError::Unexpected { skill: skill.into(), argument: name.clone(), allowed: allowed() });
        }
        let get = |argument: &'static str| {
            arguments.iter().find(|(n, _)| n == argument).map(|(_, v)| *v).ok_or_else(|| SkillError::Missing {
                skill: skill.into(),
                argument,
                allowed: allowed(),
            })
        };
        if skill != "walk" && !direction.is_empty() {
            return Err(SkillError::Unexpected { skill: skill.into(), argument: "direction".into(), allowed: allowed() });
        }
        Ok(match skill {
            "walk" => Self::Walk {
                distance_m: get("distance_m")?,
                direction: Direction::from_name(direction).ok_or_else(|| SkillError::Direction(direction.into()))?,
                speed_mps: get("speed_mps")?,
            },
            "turn" => Self::Turn { yaw_rad: get("yaw_rad")?, speed_rps: get("speed_rps")? },
            "arc" => Self::Arc {
                distance_m: get("distance_m")?,
                yaw_rad: get("yaw_rad")?,
                speed_mps: get("speed_mps")?,
            },
            "hold" => Self::Hold { duration_s: get("duration_s")? },
            "retreat" => Self::Retreat { distance_m: get("distance_m")? },
            "stop" => Self::Stop,
            "init_support" => Self::InitSupport,
            "lower_to_target" => Self::LowerToTarget,
            _ => Self::Release,
        })
    }

    /// Pose change that the call asks for, in the base frame at its start.
    #[must_use]
    pub fn intended(&self) -> Planar {
        match *self {
            Self::Walk { distance_m, direction, .. } => {
                let [ux, uy] = direction.unit();
                Planar { x: distance_m * ux, y: distance_m * uy, yaw: 0.0 }
            }
            Self::Turn { yaw_rad, .. } => Planar { yaw: yaw_rad, ..Planar::default() },
            Self::Arc { distance_m, yaw_rad, .. } => {
                if yaw_rad.abs() < 1e-9 {
                    return Planar { x: distance_m, ..Planar::default() };
                }
                let radius = distance_m / yaw_rad;
                Planar { x: radius * yaw_rad.sin(), y: radius * (1.0 - yaw_rad.cos()), yaw: yaw_rad }
            }
            Self::Retreat { distance_m } => Planar { x: -distance_m, ..Planar::default() },
            Self::Hold { .. } | Self::Stop | Self::InitSupport | Self::LowerToTarget | Self::Release => {
                Planar::default()
            }
        }
    }

    /// True for the lifecycle skills, which are allowed only in their phase.
    #[must_use]
    pub fn is_lifecycle(&self) -> bool {
        matches!(self, Self::InitSupport | Self::LowerToTarget | Self::Release | Self::Retreat { .. })
    }
}

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

/// A goal for one robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkillGoal {
    /// What to do.
    pub call: SkillCall,
    /// Transaction it belongs to; free text for operators' goals.
    pub transaction_id: String,
    /// Refused as stale when older than the robot's.
    pub context_epoch: u32,
    /// Control tick on which the gait begins; 0 = at once.
    pub start_tick: u64,
    /// Simulated seconds from the start, settling included.
    pub deadline_s: f64,
}

/// How a goal ended; the codes of `troupe_msgs/ExecuteSkill`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u16)]
pub enum SkillCode {
    /// Succeeded.
    #[default]
    None = 0,
    /// Unknown skill or missing argument.
    InvalidSkill = 100,
    /// Outside the bounds, or not finite.
    OutOfBounds = 101,
    /// Older context epoch.
    Stale = 102,
    /// Another goal is executing.
    Busy = 103,
    /// Commands are not enabled.
    Disabled = 104,
    /// `team/stop`, lost heartbeat or stale state.
    Stopped = 105,
    /// Deadline passed.
    Timeout = 106,
    /// Canceled by the client.
    Canceled = 107,
    /// Fallen, or the state is not finite.
    Fault = 108,
    /// Lifecycle skill in the wrong phase.
    WrongPhase = 109,
    /// Start tick passed.
    StartMissed = 110,
}

impl SkillCode {
    /// The code with this number.
    #[must_use]
    pub fn from_number(number: u16) -> Option<Self> {
        [
            Self::None,
            Self::InvalidSkill,
            Self::OutOfBounds,
            Self::Stale,
            Self::Busy,
            Self::Disabled,
            Self::Stopped,
            Self::Timeout,
            Self::Canceled,
            Self::Fault,
            Self::WrongPhase,
            Self::StartMissed,
        ]
        .into_iter()
        .find(|c| *c as u16 == number)
    }
}

/// Result of a goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SkillResult {
    /// 0 = succeeded.
    pub code: SkillCode,
    /// Why, for people; empty on success.
    pub message: String,
    /// Pose change in the base frame at the start.
    pub displacement: Planar,
    /// Travelled after the stop command, m (CE-039).
    pub coast_m: f64,
    /// The robot came to rest.
    pub settled: bool,
    /// Tick on which the gait began.
    pub consumed_tick: u64,
    /// Tick on which stop was commanded.
    pub stop_tick: u64,
    /// Tick on which the result was formed.
    pub end_tick: u64,
}

/// Where a running goal stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillStage {
    /// Waiting for the start tick.
    #[default]
    Waiting,
    /// Following the reference.
    Moving,
    /// Closing in on the final pose.
    Correcting,
    /// Stop commanded, coming to rest.
    Settling,
}

/// Feedback of a running goal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SkillFeedback {
    /// Stage.
    pub stage: SkillStage,
    /// m from the start pose.
    pub travelled_m: f64,
    /// rad from the start pose.
    pub turned_rad: f64,
    /// Share of the reference motion done, 0..1.
    pub progress: f64,
    /// Control tick.
    pub tick: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds() -> SkillBounds {
        SkillBounds {
            distance_m: [0.02, 0.5],
            yaw_rad: [0.0087, 0.35],
            speed_mps: [0.2, 0.5],
            speed_rps: [0.1, 0.5],
            duration_s: [0.2, 3.0],
        }
    }

    #[test]
    fn every_skill_survives_the_wire() {
        let calls = [
            SkillCall::Walk { distance_m: 0.25, direction: Direction::Left, speed_mps: 0.2 },
            SkillCall::Turn { yaw_rad: -0.2, speed_rps: 0.25 },
            SkillCall::Arc { distance_m: 0.2, yaw_rad: 0.26, speed_mps: 0.2 },
            SkillCall::Hold { duration_s: 1.0 },
            SkillCall::Stop,
            SkillCall::InitSupport,
            SkillCall::LowerToTarget,
            SkillCall::Release,
            SkillCall::Retreat { distance_m: 0.4 },
        ];
        for call in calls {
            let arguments: Vec<(String, f64)> = call.arguments().into_iter().map(|(n, v)| (n.to_owned(), v)).collect();
            let direction = call.direction().map_or("", Direction::name);
            assert_eq!(SkillCall::from_parts(call.name(), direction, &arguments), Ok(call));
            assert_eq!(bounds().check(&call), Ok(()));
        }
        assert_eq!(SkillCall::NAMES.len(), calls.len());
    }

    #[test]
    fn refusals_name_what_is_allowed() {
        let text = |r: Result<SkillCall, SkillError>| r.unwrap_err().to_string();
        assert!(text(SkillCall::from_parts("fly", "", &[])).contains("walk"));
        assert!(text(SkillCall::from_parts("walk", "up", &[("distance_m".into(), 0.2), ("speed_mps".into(), 0.2)])).contains("forward"));
        assert!(text(SkillCall::from_parts("hold", "", &[])).contains("duration_s"));
        assert!(text(SkillCall::from_parts("stop", "", &[("distance_m".into(), 0.2)])).contains("no arguments"));
        let far = SkillCall::Walk { distance_m: 0.6, direction: Direction::Forward, speed_mps: 0.3 };
        assert!(bounds().check(&far).unwrap_err().to_string().contains("0.02 to 0.5"));
        let nan = SkillCall::Hold { duration_s: f64::NAN };
        assert!(matches!(bounds().check(&nan), Err(SkillError::NotFinite { .. })));
        let negative = SkillCall::Walk { distance_m: -0.2, direction: Direction::Forward, speed_mps: 0.3 };
        assert!(bounds().check(&negative).is_err());
    }

    #[test]
    fn an_arc_ends_on_its_circle() {
        let quarter = SkillCall::Arc { distance_m: std::f64::consts::FRAC_PI_2, yaw_rad: std::f64::consts::FRAC_PI_2, speed_mps: 0.2 };
        let end = quarter.intended();
        assert!((end.x - 1.0).abs() < 1e-12 && (end.y - 1.0).abs() < 1e-12);
    }
}
