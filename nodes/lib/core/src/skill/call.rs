//! One skill call: its parts on the wire and the motion it asks for (CE-035).

use super::{Direction, SkillError};
use crate::frames::Planar;
use serde::{Deserialize, Serialize};

/// One call of a skill with its arguments, SI.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "skill", rename_all = "snake_case", try_from = "super::parts::Parts")]
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
    /// The same skill `arc` walked sideways: around a point ahead of the robot or behind it. To the left
    /// while turning clockwise the point lies ahead.
    #[serde(rename = "arc")]
    ArcAside {
        /// m along the circle, positive.
        distance_m: f64,
        /// [`Direction::Left`] or [`Direction::Right`].
        direction: Direction,
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
            Self::Arc { .. } | Self::ArcAside { .. } => "arc",
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
            Self::Arc { distance_m, yaw_rad, speed_mps } | Self::ArcAside { distance_m, yaw_rad, speed_mps, .. } => {
                vec![("distance_m", distance_m), ("yaw_rad", yaw_rad), ("speed_mps", speed_mps)]
            }
            Self::Hold { duration_s } => vec![("duration_s", duration_s)],
            Self::Retreat { distance_m } => vec![("distance_m", distance_m)],
            Self::Stop | Self::InitSupport | Self::LowerToTarget | Self::Release => vec![],
        }
    }

    /// Direction of a walk or of an arc that is not walked forward.
    #[must_use]
    pub fn direction(&self) -> Option<Direction> {
        match self {
            Self::Walk { direction, .. } | Self::ArcAside { direction, .. } => Some(*direction),
            _ => None,
        }
    }

    /// The direction in which the base sets off; `None` for skills that do not travel.
    #[must_use]
    pub fn way(&self) -> Option<Direction> {
        match self {
            Self::Arc { distance_m, .. } if *distance_m < 0.0 => Some(Direction::Back),
            Self::Arc { .. } => Some(Direction::Forward),
            Self::ArcAside { distance_m, direction, .. } if *distance_m < 0.0 => {
                Some(direction.turned(std::f64::consts::PI))
            }
            _ => self.direction(),
        }
    }

    /// Builds a call from its wire parts; every argument once, no other. An arc without a direction is
    /// walked forward.
    ///
    /// # Errors
    /// [`SkillError`] naming the skill, the argument and what is allowed.
    pub fn from_parts(skill: &str, direction: &str, arguments: &[(String, f64)]) -> Result<Self, SkillError> {
        let names = Self::argument_names(skill).ok_or_else(|| SkillError::Unknown(skill.to_owned()))?;
        let allowed = || {
            let mut all: Vec<&str> = names.to_vec();
            if matches!(skill, "walk" | "arc") {
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
        if !matches!(skill, "walk" | "arc") && !direction.is_empty() {
            return Err(SkillError::Unexpected { skill: skill.into(), argument: "direction".into(), allowed: allowed() });
        }
        Ok(match skill {
            "walk" => Self::Walk {
                distance_m: get("distance_m")?,
                direction: Direction::from_name(direction).ok_or_else(|| SkillError::Direction(direction.into()))?,
                speed_mps: get("speed_mps")?,
            },
            "turn" => Self::Turn { yaw_rad: get("yaw_rad")?, speed_rps: get("speed_rps")? },
            "arc" => Self::arc(direction, get("distance_m")?, get("yaw_rad")?, get("speed_mps")?)?,
            "hold" => Self::Hold { duration_s: get("duration_s")? },
            "retreat" => Self::Retreat { distance_m: get("distance_m")? },
            "stop" => Self::Stop,
            "init_support" => Self::InitSupport,
            "lower_to_target" => Self::LowerToTarget,
            _ => Self::Release,
        })
    }

    fn arc(direction: &str, distance_m: f64, yaw_rad: f64, speed_mps: f64) -> Result<Self, SkillError> {
        let named = if direction.is_empty() { Some(Direction::Forward) } else { Direction::from_name(direction) };
        Ok(match named.ok_or_else(|| SkillError::Direction(direction.into()))? {
            Direction::Forward => Self::Arc { distance_m, yaw_rad, speed_mps },
            Direction::Back => Self::Arc { distance_m: -distance_m, yaw_rad, speed_mps },
            direction => Self::ArcAside { distance_m, direction, yaw_rad, speed_mps },
        })
    }

    /// The arc around a point at `centre` and `distance_m` from the base, turning by `yaw_rad` about it.
    #[must_use]
    pub fn around(centre: Direction, distance_m: f64, yaw_rad: f64, speed_mps: f64) -> Self {
        let along = distance_m * yaw_rad;
        match centre {
            Direction::Left => Self::Arc { distance_m: along, yaw_rad, speed_mps },
            Direction::Right => Self::Arc { distance_m: -along, yaw_rad, speed_mps },
            Direction::Forward | Direction::Back => {
                let left = (centre == Direction::Forward) == (yaw_rad < 0.0);
                let direction = if left { Direction::Left } else { Direction::Right };
                Self::ArcAside { distance_m: along.abs(), direction, yaw_rad, speed_mps }
            }
        }
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
            Self::Arc { distance_m, yaw_rad, .. } => forward_arc(distance_m, yaw_rad),
            Self::ArcAside { distance_m, direction, yaw_rad, .. } => {
                let Planar { x, y, yaw } = forward_arc(distance_m, yaw_rad);
                let [ux, uy] = direction.unit();
                Planar { x: ux * x - uy * y, y: uy * x + ux * y, yaw }
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

/// Pose change of an arc that sets off along +x.
fn forward_arc(distance_m: f64, yaw_rad: f64) -> Planar {
    if yaw_rad.abs() < 1e-9 {
        return Planar { x: distance_m, ..Planar::default() };
    }
    let radius = distance_m / yaw_rad;
    Planar { x: radius * yaw_rad.sin(), y: radius * (1.0 - yaw_rad.cos()), yaw: yaw_rad }
}
