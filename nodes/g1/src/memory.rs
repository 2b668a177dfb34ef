//! All that the controller remembers from tick to tick: what a checkpoint must hold.

use crate::active::Active;
use crate::arms::Arms;
use crate::config::G1Config;
use crate::sport::FSM_WALKING;
use crate::supervisor::MeanVelocity;
use serde::{Deserialize, Serialize};
use troupe_core::device::G1_JOINTS;
use troupe_core::frames::Planar;
use troupe_policy::GaitPhase;

/// How far the carrying of a payload has come; lifecycle skills are allowed only in their phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// The walking policy drives the arms, or they are being raised.
    #[default]
    Free,
    /// In the support posture.
    Supporting,
    /// Lowered onto the target.
    Lowered,
    /// Clear of the payload.
    Released,
}

/// A velocity command of the vendor's API.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VelocityCommand {
    /// vx, vy in m/s, yaw rate in rad/s; base frame.
    pub velocity: [f32; 3],
    /// Ticks that are left.
    pub ticks: u64,
}

/// The controller's memory. Equal memories and equal inputs give equal commands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Raw policy action of the tick before.
    pub last_action: [f32; G1_JOINTS],
    /// Phase of the legs.
    pub gait: GaitPhase,
    /// Velocity command given to the policy in the tick before.
    pub velocity_command: [f32; 3],
    /// Where the last motion should have ended; the next one may start there.
    pub reference: Option<Planar>,
    /// The arms.
    pub arms: Arms,
    /// How far the carrying has come.
    pub lifecycle: Lifecycle,
    /// State of the vendor's state machine.
    pub fsm: u32,
    /// True: keeps stepping at zero velocity.
    pub continuous_gait: bool,
    /// Means of the measured velocity.
    pub mean_velocity: MeanVelocity,
    /// The goal that is executing.
    pub active: Option<Active>,
    /// The vendor API's velocity command that is executing.
    pub velocity: Option<VelocityCommand>,
}

impl Memory {
    /// As after a reset: standing, arms with the policy.
    #[must_use]
    pub fn fresh(config: &G1Config) -> Self {
        Self {
            last_action: [0.0; G1_JOINTS],
            gait: GaitPhase::starting_at(config.settings.gait.start_phase_rad),
            velocity_command: [0.0; 3],
            reference: None,
            arms: Arms::relaxed(&config.joints.home),
            lifecycle: Lifecycle::Free,
            fsm: FSM_WALKING,
            continuous_gait: false,
            mean_velocity: MeanVelocity::default(),
            active: None,
            velocity: None,
        }
    }
}
