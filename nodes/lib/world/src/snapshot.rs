//! A world at one instant, complete enough that going on from it repeats every bit.

use crate::delay::Pending;
use crate::error::WorldError;
use crate::motor;
use troupe_core::noise::{Noise, Stream};
use crate::sense::Sensed;
use crate::world::World;
use mujoco_rs::mujoco_c::mjtState;
use serde::{Deserialize, Serialize};
use troupe_core::device::{G1_JOINTS, MotorCommand};
use troupe_core::frames::Pose;
use troupe_core::state::Contact;

const INTEGRATION: u32 = mjtState::mjSTATE_INTEGRATION as u32;

/// A saved world (CE-029). MuJoCo's integration state holds positions, velocities, controls, time and
/// the solver's warm start; the rest is what lies outside MuJoCo.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Name of the world.
    pub world: String,
    /// MuJoCo's integration state.
    pub integration: Vec<f64>,
    /// The command that each robot's motors follow, in team order.
    pub commands: Vec<[MotorCommand; G1_JOINTS]>,
    /// Commands that have not reached the motors, in the order in which they were given.
    pub pending: Vec<Pending>,
    /// Last readings of every robot, in team order.
    pub sensed: Vec<Sensed>,
    /// The episode's seed.
    pub seed: u64,
    /// Words drawn from the sensor noise.
    pub noise_words: u128,
    /// Where the hoist holds the payload; none when it is free.
    pub hoist: Option<Pose>,
    /// Contacts of the last tick.
    pub contacts: Vec<Contact>,
}

impl Snapshot {
    /// The whole snapshot as bytes, little-endian, in a fixed order: what a content identity is
    /// computed over. Two snapshots have equal bytes exactly when every number has equal bits.
    #[must_use]
    pub fn digest_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.integration.len() * 8 + 4096);
        let text = |s: &str, bytes: &mut Vec<u8>| {
            bytes.extend((s.len() as u64).to_le_bytes());
            bytes.extend(s.as_bytes());
        };
        text(&self.world, &mut bytes);
        bytes.extend((self.integration.len() as u64).to_le_bytes());
        bytes.extend(self.integration.iter().flat_map(|v| v.to_le_bytes()));
        self.commands.iter().flatten().for_each(|motor| motor_bytes(motor, &mut bytes));
        for sensed in &self.sensed {
            let imu = &sensed.imu;
            let imu = imu.quaternion_wxyz.iter().chain(&imu.gyroscope).chain(&imu.accelerometer).chain(&imu.rpy);
            bytes.extend(imu.flat_map(|v| v.to_le_bytes()));
            for motor in &sensed.motors {
                bytes.push(motor.mode);
                bytes.extend([motor.q, motor.dq, motor.tau_est].iter().flat_map(|v| v.to_le_bytes()));
            }
        }
        bytes.extend(self.seed.to_le_bytes());
        bytes.extend(self.noise_words.to_le_bytes());
        bytes.push(u8::from(self.hoist.is_some()));
        if let Some(pose) = &self.hoist {
            bytes.extend(pose.position.iter().chain(&pose.orientation).flat_map(|v| v.to_le_bytes()));
        }
        for contact in &self.contacts {
            text(&contact.body_a, &mut bytes);
            text(&contact.body_b, &mut bytes);
            bytes.extend([contact.force_n, contact.impulse_ns].iter().flat_map(|v| v.to_le_bytes()));
        }
        for pending in &self.pending {
            bytes.extend((pending.robot as u64).to_le_bytes());
            bytes.extend(pending.steps.to_le_bytes());
            pending.motors.iter().for_each(|motor| motor_bytes(motor, &mut bytes));
        }
        bytes
    }
}

fn motor_bytes(motor: &MotorCommand, bytes: &mut Vec<u8>) {
    bytes.push(motor.mode);
    bytes.extend([motor.q, motor.dq, motor.tau, motor.kp, motor.kd].iter().flat_map(|v| v.to_le_bytes()));
}

impl World {
    /// Saves the world.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            world: self.description.config.name.clone(),
            integration: self.data.state(INTEGRATION).into_vec(),
            commands: self.commands.clone(),
            pending: self.pending.iter().cloned().collect(),
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
        if let Some(stray) = snapshot.pending.iter().find(|p| p.robot >= robots) {
            return Err(differs(format!("a command for robot {}; allowed: 0 to {}", stray.robot, robots.saturating_sub(1))));
        }
        for (robot, command) in self.robots.iter().zip(&snapshot.commands) {
            motor::command(&mut self.data, robot, command);
        }
        self.data.set_state(&snapshot.integration, INTEGRATION).map_err(|e| differs(e.to_string()))?;
        self.commands.clone_from(&snapshot.commands);
        self.pending = snapshot.pending.iter().cloned().collect();
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
