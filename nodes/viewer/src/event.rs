//! What the viewer has seen: one event for each message that is worth showing.

use std::collections::BTreeMap;
use troupe_core::budget::Budget;
use troupe_core::decision::Decision;
use troupe_core::evidence::{Evidence, Verdict};
use troupe_core::state::TeamState;
use troupe_core::team::CheckpointInfo;

/// Something to show.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Trusted state, with how time passes.
    State(Box<TeamState>, Pace),
    /// Angles of a robot's joints.
    Joints(Joints),
    /// An image of a camera.
    Picture(Picture),
    /// What shall be done next.
    Decision(Decision),
    /// A judgement.
    Verdict(Verdict),
    /// What it rests on.
    Evidence(Evidence),
    /// The trusted checkpoint in force.
    Checkpoint(CheckpointInfo),
    /// Counters of a run.
    Budget {
        /// Run.
        run_id: String,
        /// Its counters.
        budget: Budget,
    },
    /// Plan and progress in words.
    Text(String),
    /// `team/stop`.
    Stop(bool),
    /// A node's diagnostics.
    Health(Health),
}

/// How time passes, as the viewer sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    /// Mean wall milliseconds of a tick since the last state shown; pauses are left out.
    pub tick_wall_ms: f64,
    /// Longest of them.
    pub tick_wall_max_ms: f64,
    /// States that never reached the viewer, since it started.
    pub lost_states: u64,
}

/// `joint_states` of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Joints {
    /// Namespace.
    pub robot: String,
    /// s.
    pub stamp_s: f64,
    /// Angle by joint, rad.
    pub angles_rad: BTreeMap<String, f64>,
}

/// One image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Name of the camera.
    pub camera: String,
    /// Stamp, ns.
    pub stamp_ns: i64,
    /// PNG file.
    pub png: Vec<u8>,
}

/// One status of `/diagnostics`.
#[derive(Clone, Debug, PartialEq)]
pub struct Health {
    /// Name of the node.
    pub name: String,
    /// 0 works, 1 warns, 2 failed, 3 stale.
    pub level: u8,
    /// In words.
    pub message: String,
    /// Figures, the key with its unit.
    pub values: Vec<(String, f64)>,
}

impl Event {
    /// Kind, for counting.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::State(..) => "states",
            Self::Joints(_) => "joints",
            Self::Picture(_) => "images",
            Self::Decision(_) => "decisions",
            Self::Verdict(_) => "verdicts",
            Self::Evidence(_) => "evidence",
            Self::Checkpoint(_) => "checkpoints",
            Self::Budget { .. } => "budgets",
            Self::Text(_) => "texts",
            Self::Stop(_) => "stops",
            Self::Health(_) => "diagnostics",
        }
    }

    /// Bytes that it takes while it waits, roughly.
    #[must_use]
    pub fn bytes(&self) -> usize {
        /// Anything but an image: a state of two robots with its contacts stays below.
        const RECORD: usize = 2048;
        match self {
            Self::Picture(picture) => RECORD + picture.png.len(),
            Self::Text(text) => RECORD + text.len(),
            _ => RECORD,
        }
    }
}
