//! Numbers over time.

use super::Recorder;
use crate::event::Pace;
use rerun::RecordingStreamError;
use troupe_core::TICK_S;
use troupe_core::budget::Budget;
use troupe_core::evidence::{Comparator, Evidence};
use troupe_core::frames::wrap;
use troupe_core::state::TeamState;

impl Recorder {
    /// Everything that a state tells.
    pub(super) fn state_curves(&self, state: &TeamState, pace: &Pace) -> Result<(), RecordingStreamError> {
        if let Some(payload) = state.payload() {
            self.scalar("curves/payload/tilt_rad", payload.tilt_rad)?;
            self.scalar("curves/payload/z_min_m", payload.z_min_m)?;
        }
        for robot in &state.robots {
            let name = &robot.robot;
            self.scalar(format!("curves/robots/{name}/torso_tilt_rad"), robot.torso_tilt_rad)?;
            self.scalar(format!("curves/robots/{name}/pelvis_z_m"), robot.base.position[2])?;
            self.scalar(format!("curves/support/{name}_n"), support_n(state, name))?;
        }
        if let [a, b, ..] = state.robots.as_slice() {
            let (a, b) = (a.base.planar(), b.base.planar());
            self.scalar("curves/formation/distance_error_m", a.distance(&b) - self.formation_m)?;
            self.scalar("curves/formation/heading_difference_rad", wrap(b.yaw - a.yaw))?;
        }
        self.scalar("curves/time/tick_wall_ms", pace.tick_wall_ms)?;
        self.scalar("curves/time/tick_wall_max_ms", pace.tick_wall_max_ms)?;
        if pace.tick_wall_ms > 0.0 {
            self.scalar("curves/time/real_time_factor", TICK_S * 1e3 / pace.tick_wall_ms)?;
        }
        self.scalar("curves/viewer/lost_states", pace.lost_states as f64)?;
        self.route_curves(state)
    }

    fn route_curves(&self, state: &TeamState) -> Result<(), RecordingStreamError> {
        let (Some(route), Some(payload)) = (&self.scene.route, state.payload()) else { return Ok(()) };
        let centre = [payload.pose.position[0], payload.pose.position[1]];
        let length = |s: &troupe_core::route::Segment| s.along_m(s.end);
        let mut before_m = 0.0;
        for segment in &route.segments {
            if segment.id == state.route.segment_id {
                let along_m = segment.along_m(centre).clamp(0.0, length(segment));
                let total_m: f64 = route.segments.iter().map(length).sum();
                self.scalar("curves/route/progress_m", before_m + along_m)?;
                self.scalar("curves/route/remaining_m", total_m - before_m - along_m)?;
                self.scalar("curves/route/across_m", segment.across_m(centre))?;
                return self.scalar("curves/margins/wall_clearance_m", segment.clearance_m(centre));
            }
            before_m += length(segment);
        }
        Ok(())
    }

    /// How far each judged value is from its limit; below 0 it failed.
    pub(super) fn margins(&self, evidence: &Evidence) -> Result<(), RecordingStreamError> {
        for p in &evidence.predicates {
            let margin = match p.comparator {
                Comparator::Le => p.limit - p.value,
                Comparator::Ge => p.value - p.limit,
                Comparator::Eq => continue,
            };
            if margin.is_finite() {
                self.scalar(format!("curves/margins/{}", p.name), margin)?;
            }
        }
        Ok(())
    }

    /// Counters of the run.
    pub(super) fn budget_curves(&self, budget: &Budget) -> Result<(), RecordingStreamError> {
        for (name, value) in [
            ("transactions", budget.transactions),
            ("accepted", budget.accepted),
            ("rejected", budget.rejected),
            ("unresolved", budget.unresolved),
            ("drops", budget.drops),
        ] {
            self.scalar(format!("curves/budget/{name}"), f64::from(value))?;
        }
        Ok(())
    }
}

/// Force with which a robot carries the payload, N.
fn support_n(state: &TeamState, robot: &str) -> f64 {
    let carries = |body: &str| body.split_once('/').is_some_and(|(name, part)| name == robot && (part.ends_with("forearm") || part.ends_with("palm")));
    state.contacts.iter().filter(|c| c.body_a == "payload" && carries(&c.body_b)).map(|c| c.force_n).sum()
}
