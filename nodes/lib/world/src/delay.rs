//! Commands on their way to the motors (CE-153): each takes effect a fixed number of physics steps after it
//! was given.

use crate::motor;
use crate::world::World;
use serde::{Deserialize, Serialize};
use troupe_core::device::{G1_JOINTS, MotorCommand};

/// A command that the motors do not know yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pending {
    /// Robot, in team order.
    pub robot: usize,
    /// Physics steps until it takes effect.
    pub steps: u32,
    /// The command.
    pub motors: [MotorCommand; G1_JOINTS],
}

impl World {
    /// Hands a command to the motors: at once, or to the queue when commands are delayed.
    pub(crate) fn send(&mut self, robot: usize, motors: &[MotorCommand; G1_JOINTS]) {
        match self.description.command_delay_steps {
            0 => self.arrive(robot, motors),
            steps => self.pending.push_back(Pending { robot, steps, motors: *motors }),
        }
    }

    /// Before a physics step: commands that are due arrive, in the order in which they were given.
    pub(crate) fn arrive_due(&mut self) {
        while self.pending.front().is_some_and(|p| p.steps == 0) {
            if let Some(due) = self.pending.pop_front() {
                self.arrive(due.robot, &due.motors);
            }
        }
    }

    /// After a physics step.
    pub(crate) fn approach(&mut self) {
        for pending in &mut self.pending {
            pending.steps = pending.steps.saturating_sub(1);
        }
    }

    fn arrive(&mut self, index: usize, motors: &[MotorCommand; G1_JOINTS]) {
        if let Some(robot) = self.robots.get(index) {
            motor::command(&mut self.data, robot, motors);
        }
        if let Some(stored) = self.commands.get_mut(index) {
            *stored = *motors;
        }
    }
}
