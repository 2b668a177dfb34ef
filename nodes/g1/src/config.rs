//! The node's settings (`config/nodes/g1.yaml`) and what it takes from the robot file.

use crate::joints::Joints;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::path::{Path, PathBuf};
use troupe_core::config::{ConfigError, in_range};
use troupe_core::robot::{RobotConfig, TRANSVERSE};
use troupe_core::skill::SkillBounds;

/// The node's settings; ranges are checked by [`G1Config::load`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Walking policy, relative to the folder of fetched assets.
    pub policy: PathBuf,
    /// Gait and policy scaling.
    pub gait: GaitSettings,
    /// Bounds of the skill catalog.
    pub bounds: SkillBounds,
    /// Walking skills.
    pub motion: MotionSettings,
    /// Coming to rest.
    pub settle: SettleSettings,
    /// The arms as a support.
    pub support: SupportSettings,
    /// Limits that end motion.
    pub safety: SafetySettings,
    /// What is sent while commands are not enabled.
    pub when_disabled: WhenDisabled,
    /// Limits of joint set-points.
    pub set_points: SetPointSettings,
}

/// Gait and policy scaling.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GaitSettings {
    /// Control ticks of one gait cycle.
    pub ticks_per_cycle: f64,
    /// Phase of left and right leg at the first step, rad.
    pub start_phase_rad: [f64; 2],
    /// rad of set-point per unit of action.
    pub action_scale: f32,
    /// Largest magnitude of a raw action.
    pub action_limit: f32,
}

/// Walking skills.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MotionSettings {
    /// From rest to the asked speed, s.
    pub ramp_s: f64,
    /// Velocity per pose error, 1/s.
    pub feedback_per_s: f64,
    /// Largest vx, vy (m/s) and yaw rate (rad/s) sent to the policy.
    pub command_limit: [f64; 3],
    /// Least speed sent to the policy while moving, m/s.
    pub keep_stepping_mps: f64,
    /// Time for closing in on the final pose, s.
    pub correct_s: f64,
    /// A motion starts from the end of the one before when the robot is within this, m …
    pub reference_carry_m: f64,
    /// … and this, rad.
    pub reference_carry_rad: f64,
    /// m/s.
    pub retreat_speed_mps: f64,
    /// Ticks after the start tick at which a goal may still begin.
    pub start_slack_ticks: u64,
    /// Ticks that a goal may wait for its start tick.
    pub start_ahead_ticks: u64,
}

/// Coming to rest.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettleSettings {
    /// Planar speed that counts as rest, m/s.
    pub speed_below_mps: f64,
    /// How long it must last, s.
    pub rest_s: f64,
    /// Least time after the stop command, s.
    pub least_s: f64,
    /// Longest time after the stop command, s.
    pub most_s: f64,
}

/// Set-points of the left arm, rad; the right arm mirrors roll and yaw.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmPosture {
    /// Positive swings the arm back.
    pub shoulder_pitch_rad: f64,
    /// Positive lifts the left arm sideways.
    pub shoulder_roll_rad: f64,
    /// About the upper arm.
    pub shoulder_yaw_rad: f64,
    /// 0 is a right angle; positive straightens.
    pub elbow_rad: f64,
    /// About the forearm.
    pub wrist_roll_rad: f64,
    /// Negative lifts the palm.
    pub wrist_pitch_rad: f64,
    /// Sideways.
    pub wrist_yaw_rad: f64,
}

/// The arms as a support.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SupportSettings {
    /// N m/rad.
    pub stiffness_nm: f32,
    /// N m s/rad.
    pub damping_nms: f32,
    /// Into the support posture, s.
    pub ramp_s: f64,
    /// Standing after the ramp, s.
    pub still_s: f64,
    /// Stepping back to the place where the ramp began, s.
    pub place_s: f64,
    /// Lowering, s.
    pub lower_s: f64,
    /// Releasing, s.
    pub release_s: f64,
    /// Holding after lowering and after releasing, s.
    pub rest_s: f64,
    /// Carries the payload.
    pub carry: ArmPosture,
    /// The target carries the payload.
    pub lowered: ArmPosture,
    /// Clear of the payload.
    pub released: ArmPosture,
    /// Other ways to carry, by the name that a world gives a robot as `support`; what stands above is
    /// `transverse`.
    #[serde(default)]
    pub presets: BTreeMap<String, SupportPreset>,
}

/// Set-points of another way to carry.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SupportPreset {
    /// Carries the payload.
    pub carry: ArmPosture,
    /// The target carries the payload.
    pub lowered: ArmPosture,
    /// Clear of the payload.
    pub released: ArmPosture,
}

/// Limits that end motion.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SafetySettings {
    /// Pelvis height below which the robot has fallen, m.
    pub fall_height_m: f64,
    /// Torso tilt beyond which the robot has fallen, rad.
    pub fall_tilt_rad: f64,
    /// Damping of every joint after a fault, N m s/rad.
    pub fault_damping_nms: f32,
    /// Largest mean planar speed, m/s.
    pub speed_mps: f64,
    /// Largest mean turn rate, rad/s.
    pub turn_rps: f64,
    /// Time constant of the means, s.
    pub mean_s: f64,
    /// Allowed distance between robots while they carry, m.
    pub separation_m: [f64; 2],
    /// Longest velocity command of the vendor's API, s.
    pub velocity_duration_s: f64,
}

/// What is sent while commands are not enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenDisabled {
    /// Commands without torque.
    ZeroGain,
    /// Nothing.
    Silent,
}

/// Limits of joint set-points.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetPointSettings {
    /// How far a set-point may lie outside the joint's limits, rad.
    pub beyond_limit_rad: f64,
    /// Lowest and highest position by joint, rad.
    pub joint_limits_rad: BTreeMap<String, [f64; 2]>,
}

/// All that a [`crate::G1`] is built from.
#[derive(Clone, Debug, PartialEq)]
pub struct G1Config {
    /// The node's settings.
    pub settings: Settings,
    /// The robot's joints in motor order.
    pub joints: Joints,
}

impl G1Config {
    /// Reads the node's file and the robot's file and checks both.
    ///
    /// # Errors
    /// [`ConfigError`] naming file, key, value and what is allowed.
    pub fn load(node_file: &Path, robot_file: &Path) -> Result<Self, ConfigError> {
        let settings: Settings = troupe_core::config::load(node_file, std::fs::read_to_string(node_file))?;
        settings.check(node_file)?;
        let robot: RobotConfig = troupe_core::config::load(robot_file, std::fs::read_to_string(robot_file))?;
        let joints = Joints::from_files(&robot, robot_file, &settings, node_file)?;
        Ok(Self { settings, joints })
    }

    /// The same robot in its place in a team: with the support preset of this name, and with this phase of
    /// left and right leg at its first step, rad, where one is given. `file` is the one that names them.
    ///
    /// # Errors
    /// [`ConfigError`] naming the presets that there are, or the phase's range.
    pub fn placed(mut self, file: &Path, support: &str, start_phase_rad: Option<[f64; 2]>) -> Result<Self, ConfigError> {
        let own = &mut self.settings.support;
        if support != TRANSVERSE {
            let SupportPreset { carry, lowered, released } = *own.presets.get(support).ok_or_else(|| {
                let known: Vec<&str> = own.presets.keys().map(String::as_str).collect();
                let reason = format!("value `{support}` is unknown; allowed: {TRANSVERSE}, {}", known.join(", "));
                ConfigError::key(file, "robots.support", reason)
            })?;
            (own.carry, own.lowered, own.released) = (carry, lowered, released);
        }
        if let Some(phase) = start_phase_rad {
            for value in phase {
                in_range(file, "robots.start_phase_rad", value, -PI, PI)?;
            }
            self.settings.gait.start_phase_rad = phase;
        }
        Ok(self)
    }

    /// The same robot as the world file sets it down under the name `robot`; unchanged when it does not.
    ///
    /// # Errors
    /// [`ConfigError`] naming file, key, value and what is allowed.
    pub fn in_world(self, world_file: &Path, robot: &str) -> Result<Self, ConfigError> {
        let mut all: BTreeMap<String, serde_json::Value> =
            troupe_core::config::load(world_file, std::fs::read_to_string(world_file))?;
        let robots = all.remove("robots").unwrap_or_default();
        let robots: Vec<InWorld> =
            serde_json::from_value(robots).map_err(|e| ConfigError::key(world_file, "robots", e.to_string()))?;
        match robots.into_iter().find(|r| r.name == robot) {
            Some(own) => self.placed(world_file, own.support.as_deref().unwrap_or(TRANSVERSE), own.start_phase_rad),
            None => Ok(self),
        }
    }
}

/// What the node reads of its entry in a world file; the world checks the rest.
#[derive(Deserialize)]
struct InWorld {
    name: String,
    support: Option<String>,
    start_phase_rad: Option<[f64; 2]>,
}

#[cfg(test)]
pub(crate) mod tests_support {
    //! The shipped files, for tests.

    use super::{G1Config, Settings};
    use std::path::{Path, PathBuf};

    /// A path below the repository's root.
    pub fn shipped(path: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
    }

    /// The shipped configuration.
    pub fn config() -> G1Config {
        G1Config::load(&shipped("config/nodes/g1.yaml"), &shipped("config/robots/g1.yaml")).unwrap()
    }

    /// The shipped settings.
    pub fn settings() -> Settings {
        config().settings
    }
}

#[cfg(test)]
mod tests {
    use super::tests_support::{config, shipped};
    use super::*;

    fn with(change: impl Fn(String) -> String) -> String {
        let text = change(std::fs::read_to_string(shipped("config/nodes/g1.yaml")).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("g1.yaml");
        std::fs::write(&file, text).unwrap();
        G1Config::load(&file, &shipped("config/robots/g1.yaml")).unwrap_err().to_string()
    }

    #[test]
    fn the_shipped_files_load() {
        let config = config();
        assert_eq!(config.joints.names.len(), 29);
        assert_eq!(config.settings.support.stiffness_nm, 24.0);
    }

    #[test]
    fn ce_010_gains_ramp_and_palms_are_the_stated_ones() {
        let support = config().settings.support;
        assert_eq!((support.stiffness_nm, support.damping_nms, support.ramp_s), (24.0, 1.5, 6.0));
        assert!((support.carry.wrist_pitch_rad.abs() - 60.0_f64.to_radians()).abs() < 1e-12);
        assert_eq!(crate::arms::ARM_JOINTS, 14);
    }

    #[test]
    fn a_wrong_key_value_or_joint_names_file_key_and_what_is_allowed() {
        let unknown = with(|t| t.replace("ramp_s: 1.5", "ramp_ms: 1.5"));
        assert!(unknown.contains("g1.yaml") && unknown.contains("ramp_ms") && unknown.contains("ramp_s"), "{unknown}");
        let range = with(|t| t.replace("fall_height_m: 0.4", "fall_height_m: 4"));
        assert!(range.contains("safety.fall_height_m") && range.contains("0.1 to 0.7"), "{range}");
        let absent = with(|t| t.replace("    waist_yaw_joint: [-2.618, 2.618]\n", ""));
        assert!(absent.contains("waist_yaw_joint"), "{absent}");
        let extra = with(|t| t.replace("waist_yaw_joint:", "tail_joint: [0.0, 1.0]\n    waist_yaw_joint:"));
        assert!(extra.contains("tail_joint"), "{extra}");
    }

    #[test]
    fn a_world_names_support_and_first_step() {
        let world = shipped("config/worlds/l4.yaml");
        let of = |robot: &str| config().in_world(&world, robot).unwrap().settings;
        let (first, second) = (of("g1_0"), of("g1_1"));
        assert_eq!(first.gait.start_phase_rad, [0.0, PI]);
        assert_eq!(second.gait.start_phase_rad, [PI, 0.0]);
        assert_eq!(second.support.carry, config().settings.support.presets["facing"].carry);
        assert_eq!(config().in_world(&shipped("config/worlds/l1.yaml"), "g1_1").unwrap(), config());
        assert_eq!(config().in_world(&world, "another").unwrap(), config());
        let error = config().placed(&world, "upside_down", None).unwrap_err().to_string();
        assert!(error.contains("upside_down") && error.contains("transverse") && error.contains("facing"), "{error}");
        assert!(config().placed(&world, "facing", Some([9.0, 0.0])).is_err());
    }

    #[test]
    fn joint_limits_are_those_of_the_urdf() {
        let urdf = std::fs::read_to_string(shipped("urdf/g1/g1.urdf")).unwrap();
        let limits = config().settings.set_points.joint_limits_rad;
        for (name, [low, high]) in limits {
            let from = urdf.find(&format!("<joint name=\"{name}\"")).unwrap();
            let attribute = |key: &str| -> f64 {
                let rest = urdf[from..].split_once("<limit").unwrap().1.split_once(&format!("{key}=\"")).unwrap().1;
                rest.split_once('"').unwrap().0.parse().unwrap()
            };
            assert_eq!([low, high], [attribute("lower"), attribute("upper")], "{name}");
        }
    }
}
