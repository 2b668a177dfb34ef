//! The stepping world: robots driven by motor commands, a payload, contacts, seeded sensors.

use crate::contacts::ContactSums;
use crate::delay::Pending;
use crate::description::WorldDescription;
use crate::entity;
use crate::error::WorldError;
use crate::index::{FreeIndex, RobotIndex, free};
use crate::motor;
use troupe_core::noise::{Noise, Stream};
use crate::payload;
use crate::scene::{Purpose, mjcf};
use crate::sense::{Sensed, sense};
use mujoco_rs::prelude::{MjData, MjModel};
use std::collections::VecDeque;
use troupe_core::device::{G1_JOINTS, MotorCommand};
use troupe_core::frames::{Pose, Twist};
use troupe_core::state::Contact;

/// A running world. Same description, seed and commands give the same bits on the same machine.
/// A clone is a world of its own at this very instant: model, state, solver memory and noise are copied.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) description: WorldDescription,
    pub(crate) data: MjData<Box<MjModel>>,
    pub(crate) robots: Vec<RobotIndex>,
    pub(crate) payload: FreeIndex,
    pub(crate) commands: Vec<[MotorCommand; G1_JOINTS]>,
    pub(crate) pending: VecDeque<Pending>,
    pub(crate) sensed: Vec<Sensed>,
    pub(crate) noise: Noise,
    pub(crate) seed: u64,
    pub(crate) hoist: Option<Pose>,
    pub(crate) sums: ContactSums,
    pub(crate) contacts: Vec<Contact>,
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
            pending: VecDeque::new(),
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
        self.pending.clear();
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

    /// Sets what the motors of robot `index` do from now on, or after the delay of commands.
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
        self.robots.get(index).ok_or_else(|| robot_index(index, self.robots.len()))?;
        self.send(index, motors);
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
            self.arrive_due();
            self.data.step();
            self.approach();
            self.sums.add(&self.data);
        }
        self.hold_payload();
        self.contacts = self.sums.report(substeps, self.description.config.physics.timestep_s);
        self.finish()
    }

    /// Brings derived poses and readings up to date. Does not touch what the next step starts from.
    pub(crate) fn finish(&mut self) -> Result<(), WorldError> {
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

    pub(crate) fn hold_payload(&mut self) {
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

    /// Takes the payload up wherever it lies and holds it `lift_m` above the robots' forearms, the
    /// stand-in for an operator who picks it up to lay it on anew. A held payload is moved there.
    ///
    /// # Errors
    /// When the world lacks forearms.
    pub fn hoist_payload(&mut self, lift_m: f64) -> Result<(), WorldError> {
        let mut pose = payload::place_pose(&self.data, &self.robots, &self.description.config.payload)?;
        pose.position[2] += lift_m;
        self.hoist = Some(pose);
        self.hold_payload();
        self.contacts.retain(|c| c.body_a != "payload" && c.body_b != "payload");
        self.finish()
    }
}

pub(crate) fn robot_index(index: usize, count: usize) -> WorldError {
    WorldError::RobotIndex { index, last: count.saturating_sub(1) }
}

/// Holds the default pose with the policy's gains.
fn stand_command(joints: &[troupe_core::robot::JointConfig]) -> [MotorCommand; G1_JOINTS] {
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
