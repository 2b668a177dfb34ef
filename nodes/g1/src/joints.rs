//! The G1's joints in motor order, in the wire's float32: default pose, gains, limits.

use crate::config::Settings;
use std::path::Path;
use troupe_core::config::ConfigError;
use troupe_core::device::G1_JOINTS;
use troupe_core::robot::RobotConfig;
use troupe_policy::{Metadata, PolicyError};

/// Joints in motor order.
#[derive(Clone, Debug, PartialEq)]
pub struct Joints {
    /// Names in the URDF.
    pub names: Vec<String>,
    /// Stiffness as in the robot file, N m/rad.
    pub kp_exact: Vec<f64>,
    /// Damping as in the robot file, N m s/rad.
    pub kd_exact: Vec<f64>,
    /// Default pose, rad.
    pub home: [f32; G1_JOINTS],
    /// Stiffness, N m/rad.
    pub kp: [f32; G1_JOINTS],
    /// Damping, N m s/rad.
    pub kd: [f32; G1_JOINTS],
    /// Largest torque, N m.
    pub effort: [f32; G1_JOINTS],
    /// Lowest set-point, rad.
    pub lowest: [f32; G1_JOINTS],
    /// Highest set-point, rad.
    pub highest: [f32; G1_JOINTS],
}

impl Joints {
    /// Takes the joints of the robot file and the set-point limits of the node's file.
    ///
    /// # Errors
    /// [`ConfigError::Key`] for a wrong number of joints, a joint without limits, limits without a joint,
    /// or a default pose outside them.
    pub fn from_files(
        robot: &RobotConfig,
        robot_file: &Path,
        settings: &Settings,
        node_file: &Path,
    ) -> Result<Self, ConfigError> {
        if robot.kind != "g1" {
            return Err(ConfigError::key(robot_file, "kind", format!("`{}` is not `g1`", robot.kind)));
        }
        if robot.joints.len() != G1_JOINTS {
            let reason = format!("has {} entries; the G1 has {G1_JOINTS}", robot.joints.len());
            return Err(ConfigError::key(robot_file, "joints", reason));
        }
        let limits = &settings.set_points.joint_limits_rad;
        if let Some(name) = limits.keys().find(|name| robot.joints.iter().all(|j| j.name != **name)) {
            let key = format!("set_points.joint_limits_rad.{name}");
            return Err(ConfigError::key(node_file, key, "the robot has no such joint"));
        }
        let mut joints = Self {
            names: robot.joints.iter().map(|j| j.name.clone()).collect(),
            kp_exact: robot.joints.iter().map(|j| j.kp).collect(),
            kd_exact: robot.joints.iter().map(|j| j.kd).collect(),
            home: [0.0; G1_JOINTS],
            kp: [0.0; G1_JOINTS],
            kd: [0.0; G1_JOINTS],
            effort: [0.0; G1_JOINTS],
            lowest: [0.0; G1_JOINTS],
            highest: [0.0; G1_JOINTS],
        };
        for (i, joint) in robot.joints.iter().enumerate() {
            let Some([low, high]) = limits.get(&joint.name) else {
                let key = format!("set_points.joint_limits_rad.{}", joint.name);
                return Err(ConfigError::key(node_file, key, "absent; every joint needs its limits"));
            };
            for (what, value, low, high) in [
                ("default_rad", joint.default_rad, *low, *high),
                ("kp", joint.kp, 0.0, 1000.0),
                ("kd", joint.kd, 0.0, 100.0),
                ("effort_nm", joint.effort_nm, 0.1, 1000.0),
            ] {
                let key = format!("joints[{i}].{what}");
                troupe_core::config::in_range(robot_file, &key, value, low, high)?;
            }
            let beyond = settings.set_points.beyond_limit_rad;
            joints.home[i] = joint.default_rad as f32;
            joints.kp[i] = joint.kp as f32;
            joints.kd[i] = joint.kd as f32;
            joints.effort[i] = joint.effort_nm as f32;
            joints.lowest[i] = (low - beyond) as f32;
            joints.highest[i] = (high + beyond) as f32;
        }
        Ok(joints)
    }

    /// Compares with what the walking policy was trained on: names in order, kp, kd.
    ///
    /// # Errors
    /// [`PolicyError::Mismatch`].
    pub fn check_policy(&self, metadata: &Metadata) -> Result<(), PolicyError> {
        let rows = self.names.iter().zip(&self.kp_exact).zip(&self.kd_exact);
        metadata.check(rows.map(|((name, kp), kd)| (name.as_str(), *kp, *kd)))
    }
}
