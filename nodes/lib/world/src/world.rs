//! The stepping world: robots driven by motor commands, a payload, contacts, seeded sensors.

use crate::contacts::ContactSums;
use crate::description::WorldDescription;
use crate::entity;
use crate::error::WorldError;
use crate::index::{FreeIndex, RobotIndex, free};
use crate::motor;
use crate::noise::{Noise, Stream};
use crate::payload;
use crate::scene::{Purpose, mjcf};
use crate::sense::{Sensed, sense};
use crate::snapshot::Snapshot;
use mujoco_rs::mujoco_c::mjtState;
use mujoco_rs::prelude::{MjData, MjModel};
use troupe_core::device::{G1_JOINTS, Imu, MotorCommand, MotorState};
use troupe_core::frames::{Pose, Twist, lowest_point};
use troupe_core::state::{Contact, PayloadState, RobotMode, RobotState};

const INTEGRATION: u32 = mjtState::mjSTATE_INTEGRATION as u32;

/// A running world. Same description, seed and commands give the same bits on the same machine.
#[derive(Debug)]
pub struct World {
    description: WorldDescription,
    data: MjData<Box<MjModel>>,
    robots: Vec<RobotIndex>,
    payload: FreeIndex,
    commands: Vec<[MotorCommand; G1_JOINTS]>,
    sensed: Vec<Sensed>,
    noise: Noise,
    seed: u64,
    hoist: Option<Pose>,
    sums: ContactSums,
    contacts: Vec<Contact>,
}

impl World {
    /// Compiles a world and resets it with `seed`.
    ///
    /// # Errors
    /// [`WorldError::Compile`] when MuJoCo refuses the model.
    pub fn new(description: &WorldDescription, seed: u64) -> Result<Self, WorldError> {
        let name = &description.config.name;
        let refused = |reason: String| WorldError::Compile { world: name.clone(), reason };
        let model = MjModel::from_xml_string(&mjcf(description, Purpose::Physics)).map_err(|e| refused(e.to_string()))?;
        let robots = RobotIndex::all(&model, description)?;
        let payload = free(&model, &description.config.payload.name)?;
        let sums = ContactSums::new(&model, &description.config.payload.name);
        let data = MjData::try_new(Box::new(model)).map_err(|e| refused(e.to_string()))?;
        let mut world = Self {
            description: description.clone(),
            data,
            robots,
            payload,
            commands: Vec::new(),
            sensed: Vec::new(),
            noise: Noise::new(seed, Stream::Sensors),
            seed,
            hoist: None,
            sums,
            contacts: Vec::new(),
        };
        world.reset(seed)?;
        Ok(world)
    }

    /// Puts everything back to the start, with start and sensor noise drawn from `seed`: robots stand in
    /// their default pose and hold it, the payload hangs at its hoist.
    ///
    /// # Errors
    /// [`WorldError::Diverged`] when the start itself is not finite.
    pub fn reset(&mut self, seed: u64) -> Result<(), WorldError> {
        self.data.reset();
        self.seed = seed;
        self.noise = Noise::new(seed, Stream::Sensors);
        let mut start = Noise::new(seed, Stream::Start);
        let spread = self.description.config.start_noise;
        self.commands = self.description.robots.iter().map(|r| stand_command(&r.config.joints)).collect();
        for (index, placement) in self.description.config.robots.iter().enumerate() {
            let height = self.description.robots.get(index).map_or(0.0, |r| r.config.stand_height_m);
            let x = placement.position_m[0] + start.normal(spread.position_sd_m);
            let y = placement.position_m[1] + start.normal(spread.position_sd_m);
            let yaw = placement.yaw_rad + start.normal(spread.yaw_sd_rad);
            let (Some(robot), Some(command)) = (self.robots.get(index), self.commands.get(index)) else { continue };
            entity::set_pose(&mut self.data, robot.free, &Pose::upright([x, y, height], yaw));
            let default = self.description.robots.get(index).map(|r| &r.config.joints);
            for (address, joint) in robot.qpos.iter().zip(default.into_iter().flatten()) {
                if let Some(q) = self.data.qpos_mut().get_mut(*address) {
                    *q = joint.default_rad;
                }
            }
            motor::command(&mut self.data, robot, command);
        }
        let hoist = self.description.config.payload.hoist;
        self.hoist = Some(Pose::upright(hoist.position_m, hoist.yaw_rad));
        self.hold_payload();
        self.sums.clear();
        self.contacts.clear();
        // Fills accelerometer and motor torques for the first readings.
        self.data.forward();
        self.finish()
    }

    /// Sets what the motors of robot `index` do from now on.
    ///
    /// # Errors
    /// [`WorldError::RobotIndex`], or [`WorldError::Value`] for a number that is not finite or a negative gain.
    pub fn set_command(&mut self, index: usize, motors: &[MotorCommand; G1_JOINTS]) -> Result<(), WorldError> {
        for (joint, m) in motors.iter().enumerate() {
            let bad = [m.q, m.dq, m.tau, m.kp, m.kd].into_iter().find(|v| !v.is_finite());
            let negative = [m.kp, m.kd].into_iter().find(|v| *v < 0.0);
            if let Some(value) = bad.or(negative) {
                let what = format!("command of robot {index}, motor {joint}");
                return Err(WorldError::Value { what, value: f64::from(value), allowed: "finite numbers, gains not below 0" });
            }
        }
        let robot = self.robots.get(index).ok_or_else(|| robot_index(index, self.robots.len()))?;
        motor::command(&mut self.data, robot, motors);
        if let Some(stored) = self.commands.get_mut(index) {
            *stored = *motors;
        }
        Ok(())
    }

    /// Advances one control tick (20 ms).
    ///
    /// # Errors
    /// [`WorldError::Diverged`].
    pub fn step_tick(&mut self) -> Result<(), WorldError> {
        let substeps = self.description.config.physics.substeps;
        self.sums.clear();
        for _ in 0..substeps {
            self.hold_payload();
            self.data.step();
            self.sums.add(&self.data);
        }
        self.hold_payload();
        self.contacts = self.sums.report(substeps, self.description.config.physics.timestep_s);
        self.finish()
    }

    /// Brings derived poses and readings up to date. Does not touch what the next step starts from.
    fn finish(&mut self) -> Result<(), WorldError> {
        if !self.data.qpos().iter().all(|v| v.is_finite()) {
            return Err(self.diverged("position"));
        }
        if !self.data.qvel().iter().all(|v| v.is_finite()) {
            return Err(self.diverged("velocity"));
        }
        self.data.kinematics();
        let config = self.description.config.sensor_noise;
        self.sensed = self.robots.iter().map(|r| sense(&self.data, r, &config, &mut self.noise)).collect();
        Ok(())
    }

    fn diverged(&self, what: &'static str) -> WorldError {
        WorldError::Diverged { what, time_s: self.data.time() }
    }

    fn hold_payload(&mut self) {
        if let Some(pose) = &self.hoist {
            entity::set_pose(&mut self.data, self.payload, pose);
            entity::set_twist(&mut self.data, self.payload, &Twist::default());
        }
    }

    /// What the world was made from.
    #[must_use]
    pub fn description(&self) -> &WorldDescription {
        &self.description
    }

    /// Number of robots.
    #[must_use]
    pub fn robot_count(&self) -> usize {
        self.robots.len()
    }

    /// The episode's seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// MuJoCo's own time, s; goes back on a restore.
    #[must_use]
    pub fn physics_time_s(&self) -> f64 {
        self.data.time()
    }

    /// All generalised positions in MuJoCo's order (m, rad, quaternions w x y z); fits the picture model.
    #[must_use]
    pub fn qpos(&self) -> &[f64] {
        self.data.qpos()
    }

    /// The compiled physics model.
    #[must_use]
    pub fn model(&self) -> &MjModel {
        self.data.model()
    }

    /// Ground truth of robot `index`; `mode` and `controller_epoch` are the caller's to fill in.
    ///
    /// # Errors
    /// [`WorldError::RobotIndex`].
    pub fn robot_state(&self, index: usize) -> Result<RobotState, WorldError> {
        let outside = || robot_index(index, self.robots.len());
        let robot = self.robots.get(index).ok_or_else(outside)?;
        let name = self.description.config.robots.get(index).map(|r| r.name.clone()).ok_or_else(outside)?;
        let kind = self.description.robots.get(index).map(|r| r.config.kind.clone()).ok_or_else(outside)?;
        // Last entry of a row-major rotation matrix: cosine between the body's z axis and world up.
        let up = self.data.xmat().get(robot.torso).map_or(f64::NAN, |m| m[8]);
        Ok(RobotState {
            robot: name,
            kind,
            base: entity::pose(&self.data, robot.free),
            twist: entity::twist(&self.data, robot.free),
            torso_tilt_rad: up.clamp(-1.0, 1.0).acos(),
            mode: RobotMode::Idle,
            controller_epoch: 0,
            privileged: true,
            pose_std_m: 0.0,
        })
    }

    /// Readings of the IMU of robot `index`.
    ///
    /// # Errors
    /// [`WorldError::RobotIndex`].
    pub fn imu(&self, index: usize) -> Result<Imu, WorldError> {
        self.sensed.get(index).map(|s| s.imu).ok_or_else(|| robot_index(index, self.robots.len()))
    }

    /// Readings of the motors of robot `index`.
    ///
    /// # Errors
    /// [`WorldError::RobotIndex`].
    pub fn motors(&self, index: usize) -> Result<[MotorState; G1_JOINTS], WorldError> {
        self.sensed.get(index).map(|s| s.motors).ok_or_else(|| robot_index(index, self.robots.len()))
    }

    /// Ground truth of the joints of robot `index`: angle (rad) and speed (rad/s), in motor order.
    ///
    /// # Errors
    /// [`WorldError::RobotIndex`].
    pub fn joints(&self, index: usize) -> Result<[(f64, f64); G1_JOINTS], WorldError> {
        let robot = self.robots.get(index).ok_or_else(|| robot_index(index, self.robots.len()))?;
        let mut joints = [(f64::NAN, f64::NAN); G1_JOINTS];
        for (joint, (q, v)) in joints.iter_mut().zip(robot.qpos.iter().zip(&robot.qvel)) {
            if let (Some(q), Some(v)) = (self.data.qpos().get(*q), self.data.qvel().get(*v)) {
                *joint = (*q, *v);
            }
        }
        Ok(joints)
    }

    /// Torques that the motors of robot `index` exert at the present state, N m, in motor order.
    ///
    /// # Errors
    /// [`WorldError::RobotIndex`].
    pub fn motor_torques(&mut self, index: usize) -> Result<[f64; G1_JOINTS], WorldError> {
        let robot = self.robots.get(index).ok_or_else(|| robot_index(index, self.robots.len()))?;
        // Positions, velocities and transmissions first: after a step they are those before it.
        self.data.fwd_position();
        self.data.fwd_velocity();
        self.data.fwd_actuation();
        let mut torques = [f64::NAN; G1_JOINTS];
        for (torque, actuator) in torques.iter_mut().zip(&robot.actuators) {
            if let Some(force) = self.data.actuator_force().get(*actuator) {
                *torque = *force;
            }
        }
        Ok(torques)
    }

    /// Ground truth of the payload.
    #[must_use]
    pub fn payload_state(&self) -> PayloadState {
        let config = &self.description.config.payload;
        let pose = entity::pose(&self.data, self.payload);
        PayloadState {
            name: config.name.clone(),
            pose,
            twist: entity::twist(&self.data, self.payload),
            half_extents_m: config.half_extents_m,
            z_min_m: lowest_point(&pose, config.half_extents_m),
            tilt_rad: pose.tilt(),
            mass_kg: config.mass_kg,
            held: self.hoist.is_some(),
        }
    }

    /// Contacts of the last tick, sorted by `body_a`, then `body_b`. Empty after a reset.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// True while the hoist holds the payload.
    #[must_use]
    pub fn payload_held(&self) -> bool {
        self.hoist.is_some()
    }

    /// Lays the held payload on the robots' forearms and lets go of it.
    ///
    /// # Errors
    /// [`WorldError::NotHeld`] when it is free already.
    pub fn place_payload(&mut self) -> Result<(), WorldError> {
        if self.hoist.is_none() {
            return Err(WorldError::NotHeld);
        }
        self.hoist = Some(payload::place_pose(&self.data, &self.robots, &self.description.config.payload)?);
        self.hold_payload();
        self.hoist = None;
        self.finish()
    }

    /// Names of the robots and of the payload.
    #[must_use]
    pub fn entities(&self) -> Vec<String> {
        let mut names = self.description.robot_names();
        names.push(self.description.config.payload.name.clone());
        names
    }

    fn entity(&self, name: &str) -> Result<FreeIndex, WorldError> {
        if name == self.description.config.payload.name {
            return Ok(self.payload);
        }
        let found = self.description.config.robots.iter().position(|r| r.name == name);
        found.and_then(|i| self.robots.get(i)).map(|r| r.free).ok_or_else(|| WorldError::UnknownEntity {
            name: name.to_owned(),
            allowed: self.entities().join(", "),
        })
    }

    /// Pose of a robot's base or of the payload in the world frame.
    ///
    /// # Errors
    /// [`WorldError::UnknownEntity`].
    pub fn entity_pose(&self, name: &str) -> Result<Pose, WorldError> {
        Ok(entity::pose(&self.data, self.entity(name)?))
    }

    /// Velocity of a robot's base or of the payload in the world frame.
    ///
    /// # Errors
    /// [`WorldError::UnknownEntity`].
    pub fn entity_twist(&self, name: &str) -> Result<Twist, WorldError> {
        Ok(entity::twist(&self.data, self.entity(name)?))
    }

    /// Moves a robot's base or the payload; a held payload is then held there.
    ///
    /// # Errors
    /// [`WorldError::UnknownEntity`], [`WorldError::Value`] for a pose that is not finite or has no rotation.
    pub fn set_entity_pose(&mut self, name: &str, pose: &Pose) -> Result<(), WorldError> {
        let at = self.entity(name)?;
        let pose = entity::checked_pose(name, pose)?;
        entity::set_pose(&mut self.data, at, &pose);
        if name == self.description.config.payload.name && self.hoist.is_some() {
            self.hoist = Some(pose);
        }
        self.finish()
    }

    /// Sets the velocity of a robot's base or of the payload, world frame; a held payload stays at rest.
    ///
    /// # Errors
    /// [`WorldError::UnknownEntity`], [`WorldError::Value`] for a velocity that is not finite.
    pub fn set_entity_twist(&mut self, name: &str, twist: &Twist) -> Result<(), WorldError> {
        let at = self.entity(name)?;
        entity::check_twist(name, twist)?;
        entity::set_twist(&mut self.data, at, twist);
        self.hold_payload();
        self.finish()
    }

    /// Saves the world.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            world: self.description.config.name.clone(),
            integration: self.data.state(INTEGRATION).into_vec(),
            commands: self.commands.clone(),
            sensed: self.sensed.clone(),
            seed: self.seed,
            noise_words: self.noise.position(),
            hoist: self.hoist,
            contacts: self.contacts.clone(),
        }
    }

    /// Goes back to a saved world, bit by bit.
    ///
    /// # Errors
    /// [`WorldError::Snapshot`] when it is of another world; nothing changes then.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        let differs = |reason: String| WorldError::Snapshot { reason };
        if snapshot.world != self.description.config.name {
            return Err(differs(format!("of world `{}`; allowed: `{}`", snapshot.world, self.description.config.name)));
        }
        let size = self.data.model().state_size(INTEGRATION);
        if snapshot.integration.len() != size {
            return Err(differs(format!("{} numbers; allowed: {size}", snapshot.integration.len())));
        }
        let robots = self.robots.len();
        if snapshot.commands.len() != robots || snapshot.sensed.len() != robots {
            return Err(differs(format!("{} robots; allowed: {robots}", snapshot.commands.len())));
        }
        for (robot, command) in self.robots.iter().zip(&snapshot.commands) {
            motor::command(&mut self.data, robot, command);
        }
        self.data.set_state(&snapshot.integration, INTEGRATION).map_err(|e| differs(e.to_string()))?;
        self.commands.clone_from(&snapshot.commands);
        self.sensed.clone_from(&snapshot.sensed);
        self.seed = snapshot.seed;
        self.noise = Noise::new(snapshot.seed, Stream::Sensors);
        self.noise.set_position(snapshot.noise_words);
        self.hoist = snapshot.hoist;
        self.contacts.clone_from(&snapshot.contacts);
        self.data.kinematics();
        Ok(())
    }
}

fn robot_index(index: usize, count: usize) -> WorldError {
    WorldError::RobotIndex { index, last: count.saturating_sub(1) }
}

/// Holds the default pose with the policy's gains.
fn stand_command(joints: &[crate::robot_config::JointConfig]) -> [MotorCommand; G1_JOINTS] {
    let mut command = [MotorCommand::default(); G1_JOINTS];
    for (motor, joint) in command.iter_mut().zip(joints) {
        *motor = MotorCommand {
            mode: 1,
            q: joint.default_rad as f32,
            dq: 0.0,
            tau: 0.0,
            kp: joint.kp as f32,
            kd: joint.kd as f32,
        };
    }
    command
}
