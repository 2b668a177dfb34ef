//! A world ready to be assembled: the world file, its robot files and URDFs, checked against each other.

use crate::config::{CameraConfig, WorldConfig};
use crate::error::WorldError;
use troupe_core::robot::{CapsuleConfig, ContactConfig, RobotConfig, TRANSVERSE};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use troupe_core::config::{ConfigError, in_range, load};
use troupe_core::corridor::{WorldText, world_text};
use troupe_core::device::G1_JOINTS;
use troupe_core::variation::Drawn;

/// One robot file and its URDF.
#[derive(Clone, Debug)]
pub struct RobotDescription {
    /// Path of the robot file.
    pub file: PathBuf,
    /// Its content.
    pub config: RobotConfig,
    /// Path of the URDF.
    pub urdf_file: PathBuf,
    /// Its text, for `robot_description`.
    pub urdf_text: String,
    /// Its content.
    pub urdf: urdf_rs::Robot,
}

/// A checked world.
#[derive(Clone, Debug)]
pub struct WorldDescription {
    /// Path of the world file.
    pub file: PathBuf,
    /// Its content.
    pub config: WorldConfig,
    /// One per robot, in team order.
    pub robots: Vec<RobotDescription>,
    /// Physics steps from a motor command to the motors; 0 as read from a file (CE-153).
    pub command_delay_steps: u32,
}

impl WorldDescription {
    /// Reads world `world` below the configuration folder and everything it names, and checks it; the name
    /// is that of a file in `worlds/`, or `sampled-<n>` (CE-008).
    ///
    /// # Errors
    /// [`WorldError::Config`] or [`WorldError::Urdf`]: file, key, value, what is allowed.
    pub fn named(config: &Path, world: &str) -> Result<Self, WorldError> {
        Self::of(&world_text(config, world, |file| std::fs::read_to_string(file))?)
    }

    /// Reads a world file wherever it lies, and everything it names, and checks it.
    ///
    /// # Errors
    /// [`WorldError::Config`] or [`WorldError::Urdf`]: file, key, value, what is allowed.
    pub fn load(file: &Path) -> Result<Self, WorldError> {
        let text = std::fs::read_to_string(file);
        let text = text.map_err(|e| ConfigError::Read { file: file.to_owned(), reason: e.to_string() })?;
        Self::of(&WorldText { file: file.to_owned(), text })
    }

    fn of(text: &WorldText) -> Result<Self, WorldError> {
        let file = text.file.as_path();
        let config: WorldConfig = text.parse()?;
        let robots = config
            .robots
            .iter()
            .map(|r| RobotDescription::load(&beside(file, &r.description)))
            .collect::<Result<Vec<_>, _>>()?;
        let description = Self { file: file.to_owned(), config, robots, command_delay_steps: 0 };
        description.check()?;
        Ok(description)
    }

    /// Names of the robots, in team order.
    #[must_use]
    pub fn robot_names(&self) -> Vec<String> {
        self.config.robots.iter().map(|r| r.name.clone()).collect()
    }

    /// The same world with what an episode drew (CE-153): sliding friction of payload and support boxes,
    /// mass of the payload, delay of commands.
    #[must_use]
    pub fn varied(&self, drawn: &Drawn) -> Self {
        let mut varied = self.clone();
        if let Some(friction) = drawn.friction {
            varied.config.payload.contact.friction[0] = friction;
            for robot in &mut varied.robots {
                robot.config.supports.contact.friction[0] = friction;
            }
        }
        if let Some(mass_kg) = drawn.payload_mass_kg {
            varied.config.payload.mass_kg = mass_kg;
        }
        varied.command_delay_steps = drawn.command_delay_steps;
        varied
    }

    fn check(&self) -> Result<(), ConfigError> {
        let (file, c) = (self.file.as_path(), &self.config);
        let positive = |key: &str, value: f64| in_range(file, key, value, 1e-9, 1e9);
        let tick = c.physics.timestep_s * f64::from(c.physics.substeps);
        if (tick - troupe_core::TICK_S).abs() > 1e-12 {
            let reason = format!("value {tick} s is not a control tick; allowed: timestep_s x substeps = {} s", troupe_core::TICK_S);
            return Err(ConfigError::key(file, "physics.substeps", reason));
        }
        positive("physics.impratio", c.physics.impratio)?;
        in_range(file, "physics.iterations", f64::from(c.physics.iterations), 1.0, 1000.0)?;
        in_range(file, "physics.ls_iterations", f64::from(c.physics.ls_iterations), 1.0, 1000.0)?;
        in_range(file, "robots", c.robots.len() as f64, 1.0, 8.0)?;
        positive("payload.mass_kg", c.payload.mass_kg)?;
        for half in c.payload.half_extents_m {
            positive("payload.half_extents_m", half)?;
        }
        for half in c.stand.half_extents_m {
            positive("stand.half_extents_m", half)?;
        }
        positive("walls.height_m", c.walls.height_m)?;
        positive("walls.thickness_m", c.walls.thickness_m)?;
        for (index, line) in c.walls.lines.iter().enumerate() {
            let length = (line.to_m[0] - line.from_m[0]).hypot(line.to_m[1] - line.from_m[1]);
            positive(&format!("walls.lines[{index}]"), length)?;
        }
        let noise = [
            ("start_noise.position_sd_m", c.start_noise.position_sd_m),
            ("start_noise.yaw_sd_rad", c.start_noise.yaw_sd_rad),
            ("sensor_noise.joint_position_rad", c.sensor_noise.joint_position_rad),
            ("sensor_noise.joint_velocity_radps", c.sensor_noise.joint_velocity_radps),
            ("sensor_noise.gyro_radps", c.sensor_noise.gyro_radps),
            ("sensor_noise.accelerometer_mps2", c.sensor_noise.accelerometer_mps2),
        ];
        for (key, value) in noise {
            in_range(file, key, value, 0.0, 10.0)?;
        }
        for (key, contact) in [
            ("floor.contact", &c.floor.contact),
            ("payload.contact", &c.payload.contact),
            ("walls.contact", &c.walls.contact),
            ("stand.contact", &c.stand.contact),
        ] {
            check_contact(file, key, contact)?;
        }
        self.check_supports()?;
        self.check_names()
    }

    /// Every robot's way to carry is one that its robot file knows.
    fn check_supports(&self) -> Result<(), ConfigError> {
        for (index, (placement, robot)) in self.config.robots.iter().zip(&self.robots).enumerate() {
            let presets = &robot.config.supports.presets;
            if placement.support != TRANSVERSE && !presets.contains_key(&placement.support) {
                let known: Vec<&str> = presets.keys().map(String::as_str).collect();
                let reason = format!("value `{}`; allowed: {TRANSVERSE}, {}", placement.support, known.join(", "));
                return Err(ConfigError::key(&self.file, format!("robots[{index}].support"), reason));
            }
        }
        Ok(())
    }

    /// Names are unique, and cameras point to something that exists.
    fn check_names(&self) -> Result<(), ConfigError> {
        let file = self.file.as_path();
        let mut entities = BTreeSet::from([self.config.payload.name.as_str()]);
        for (index, robot) in self.config.robots.iter().enumerate() {
            let key = format!("robots[{index}].name");
            let name = robot.name.as_str();
            let sound = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if !sound {
                return Err(ConfigError::key(file, key, format!("value `{name}` is not a name; allowed: letters, digits, _")));
            }
            if !entities.insert(name) {
                return Err(ConfigError::key(file, key, format!("value `{name}` is taken; allowed: a name of its own")));
            }
        }
        let mut cameras = BTreeSet::new();
        for (index, camera) in self.config.cameras.iter().enumerate() {
            let key = format!("cameras[{index}]");
            if !cameras.insert(camera.name()) {
                return Err(ConfigError::key(file, key, format!("name `{}` is taken; allowed: a name of its own", camera.name())));
            }
            in_range(file, &key, camera.fovy_rad(), 0.05, 3.0)?;
            match camera {
                CameraConfig::Follow { entity, .. } if entity != &self.config.payload.name => {
                    let reason = format!("entity `{entity}`; allowed: {}", self.config.payload.name);
                    return Err(ConfigError::key(file, key, reason));
                }
                CameraConfig::Head { robot, .. } if !self.config.robots.iter().any(|r| &r.name == robot) => {
                    let reason = format!("robot `{robot}`; allowed: {}", self.robot_names().join(", "));
                    return Err(ConfigError::key(file, key, reason));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl RobotDescription {
    /// Reads a robot file and its URDF and checks one against the other.
    ///
    /// # Errors
    /// [`WorldError::Config`] or [`WorldError::Urdf`].
    pub fn load(file: &Path) -> Result<Self, WorldError> {
        let config: RobotConfig = load(file, std::fs::read_to_string(file))?;
        let urdf_file = beside(file, &config.urdf);
        let bad = |reason: String| WorldError::Urdf { file: urdf_file.clone(), reason };
        let urdf_text = std::fs::read_to_string(&urdf_file).map_err(|e| bad(e.to_string()))?;
        let urdf = urdf_rs::read_from_string(&urdf_text).map_err(|e| bad(e.to_string()))?;
        let description = Self { file: file.to_owned(), config, urdf_file, urdf_text, urdf };
        description.check()?;
        Ok(description)
    }

    fn check(&self) -> Result<(), ConfigError> {
        let (file, c) = (self.file.as_path(), &self.config);
        let links: BTreeSet<&str> = self.urdf.links.iter().map(|l| l.name.as_str()).collect();
        let link = |key: String, name: &str| {
            if links.contains(name) {
                return Ok(());
            }
            let reason = format!("link `{name}` is not in {}; allowed: its links", self.urdf_file.display());
            Err(ConfigError::key(file, key, reason))
        };
        for (key, name) in [
            ("base_link", &c.base_link),
            ("torso_link", &c.torso_link),
            ("imu_link", &c.imu_link),
            ("head_camera_link", &c.head_camera_link),
        ] {
            link(key.to_owned(), name)?;
        }
        for name in &c.feet.links {
            link("feet.links".to_owned(), name)?;
        }
        for (i, capsule) in c.bodies.capsules.iter().enumerate() {
            link(format!("bodies.capsules[{i}].link"), &capsule.link)?;
            check_capsule(file, i, capsule)?;
        }
        for (i, support) in c.supports.boxes.iter().enumerate() {
            link(format!("supports.boxes[{i}].link"), &support.link)?;
        }
        for (preset, boxes) in &c.supports.presets {
            for (i, support) in boxes.iter().enumerate() {
                link(format!("supports.presets.{preset}[{i}].link"), &support.link)?;
            }
        }
        for (i, mesh) in c.meshes.iter().enumerate() {
            link(format!("meshes[{i}].link"), &mesh.link)?;
        }
        check_contact(file, "feet.contact", &c.feet.contact)?;
        check_contact(file, "bodies.contact", &c.bodies.contact)?;
        check_contact(file, "supports.contact", &c.supports.contact)?;
        in_range(file, "stand_height_m", c.stand_height_m, 0.1, 2.0)?;
        // The IMU's readings are written in the base's axes.
        let aligned = self.urdf.joints.iter().any(|j| {
            j.child.link == c.imu_link
                && j.parent.link == c.base_link
                && j.joint_type == urdf_rs::JointType::Fixed
                && j.origin.rpy.0.iter().all(|angle| angle.abs() < 1e-9)
        });
        if !aligned {
            let reason = format!("link `{}`; allowed: a link fixed to `{}` without rotation", c.imu_link, c.base_link);
            return Err(ConfigError::key(file, "imu_link", reason));
        }
        self.check_joints()
    }

    /// Every actuated joint of the URDF is configured once, within the URDF's limits.
    fn check_joints(&self) -> Result<(), ConfigError> {
        let (file, c) = (self.file.as_path(), &self.config);
        let moving: BTreeMap<&str, &urdf_rs::Joint> = self
            .urdf
            .joints
            .iter()
            .filter(|j| j.joint_type == urdf_rs::JointType::Revolute)
            .map(|j| (j.name.as_str(), j))
            .collect();
        if c.joints.len() != G1_JOINTS {
            let reason = format!("{} joints; allowed: {G1_JOINTS}", c.joints.len());
            return Err(ConfigError::key(file, "joints", reason));
        }
        let mut seen = BTreeSet::new();
        for (i, joint) in c.joints.iter().enumerate() {
            let Some(in_urdf) = moving.get(joint.name.as_str()) else {
                let reason = format!("joint `{}` is not in {}; allowed: its revolute joints", joint.name, self.urdf_file.display());
                return Err(ConfigError::key(file, format!("joints[{i}].name"), reason));
            };
            if !seen.insert(joint.name.as_str()) {
                let reason = format!("joint `{}` is listed twice; allowed: once", joint.name);
                return Err(ConfigError::key(file, format!("joints[{i}].name"), reason));
            }
            let limit = &in_urdf.limit;
            let key = |what: &str| format!("joints[{i}].{what} ({})", joint.name);
            in_range(file, &key("default_rad"), joint.default_rad, limit.lower, limit.upper)?;
            in_range(file, &key("effort_nm"), joint.effort_nm, 0.0, limit.effort)?;
            in_range(file, &key("kp"), joint.kp, 0.0, 1e4)?;
            in_range(file, &key("kd"), joint.kd, 0.0, 1e3)?;
            in_range(file, &key("armature_kgm2"), joint.armature_kgm2, 0.0, 10.0)?;
        }
        for (i, tendon) in c.ankle_limits.tendons.iter().enumerate() {
            if let Some(name) = tendon.terms.keys().find(|name| !moving.contains_key(name.as_str())) {
                let reason = format!("joint `{name}` is not in {}; allowed: its revolute joints", self.urdf_file.display());
                return Err(ConfigError::key(file, format!("ankle_limits.tendons[{i}].terms"), reason));
            }
        }
        Ok(())
    }
}

/// A path named in a file is relative to that file.
fn beside(file: &Path, named: &Path) -> PathBuf {
    file.parent().map_or_else(|| named.to_owned(), |folder| folder.join(named))
}

fn check_contact(file: &Path, key: &str, contact: &ContactConfig) -> Result<(), ConfigError> {
    if ![1, 3, 4, 6].contains(&contact.condim) {
        let reason = format!("value {} is not a contact dimension; allowed: 1, 3, 4, 6", contact.condim);
        return Err(ConfigError::key(file, format!("{key}.condim"), reason));
    }
    for value in contact.friction {
        in_range(file, &format!("{key}.friction"), value, 0.0, 10.0)?;
    }
    for value in contact.solref {
        in_range(file, &format!("{key}.solref"), value, 1e-4, 10.0)?;
    }
    Ok(())
}

fn check_capsule(file: &Path, index: usize, capsule: &CapsuleConfig) -> Result<(), ConfigError> {
    in_range(file, &format!("bodies.capsules[{index}].radius_m"), capsule.radius_m, 1e-4, 1.0)?;
    let length: f64 = capsule.from.iter().zip(capsule.to).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    in_range(file, &format!("bodies.capsules[{index}].to"), length, 1e-6, 2.0)
}
