//! Errors against the active reference: what set-ups lower and progress is measured along (CE-072).

use crate::config::VerifierConfig;
use crate::measure::{payload_planar, support_duty, team_yaw};
use troupe_coordination::phase::Stage;
use troupe_core::decision::Objective;
use troupe_core::frames::{Planar, wrap};
use troupe_core::route::{Route, Segment, SegmentKind};
use troupe_core::state::TeamState;
use troupe_core::task::Task;
use troupe_core::variation::EstimateStd;

/// What a judgement is made against.
pub(crate) struct Scene<'a> {
    pub task: &'a Task,
    pub route: &'a Route,
    pub robots: &'a [String],
    pub config: &'a VerifierConfig,
    /// Errors of the team's state; none where it is ground truth.
    pub estimate: Option<EstimateStd>,
    /// Certified before the transaction.
    pub milestones: &'a [String],
    pub stage: Stage,
}

impl Scene<'_> {
    /// The active segment; `None` in the place phase.
    pub(crate) fn segment(&self) -> Option<&Segment> {
        self.route.segments.iter().find(|s| !self.milestones.contains(&s.id))
    }

    /// Target centre with the team's heading on arrival.
    fn target(&self) -> Planar {
        let [x, y, _] = self.route.target.position;
        Planar { x, y, yaw: self.route.target.heading_rad }
    }
}

fn gate_frame(segment: &Segment) -> Planar {
    let [x, y] = segment.gate.position;
    Planar { x, y, yaw: segment.gate.heading_rad }
}

/// Signed way of the payload along the active reference, m. In a corner the reference bends from the
/// segment's direction to the gate's heading, so the larger of both counts.
pub(crate) fn progress_m(scene: &Scene, from: &TeamState, to: &TeamState) -> f64 {
    let (a, b) = (payload_planar(scene.task, from), payload_planar(scene.task, to));
    let in_frame = |frame: Planar| frame.inverse_of(b).x - frame.inverse_of(a).x;
    match scene.segment() {
        None => in_frame(scene.target()),
        Some(segment) => {
            let along = segment.along_m([b.x, b.y]) - segment.along_m([a.x, a.y]);
            if segment.kind == SegmentKind::Corner { along.max(in_frame(gate_frame(segment))) } else { along }
        }
    }
}

/// Magnitudes of all errors at one state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Errors {
    /// Payload beside the centre line, m.
    pub across_m: f64,
    /// Team heading against the gate's or the target's, rad.
    pub heading_rad: f64,
    /// Each robot against its place at its neighbour, in the neighbour's frame, m; stagger counts.
    pub formation_m: f64,
    /// Heading between the robots, rad.
    pub formation_rad: f64,
    /// Payload to target centre in the plane, m.
    pub target_m: f64,
    /// Share of the tail without support by the worst robot.
    pub support_loss: f64,
}

impl Errors {
    /// Errors of a state; `tail` are the states that end with it.
    pub(crate) fn of(scene: &Scene, state: &TeamState, tail: &[&TeamState]) -> Self {
        let payload = payload_planar(scene.task, state);
        let team_yaw = team_yaw(scene.task, state);
        let target = scene.target();
        let (across, heading) = match scene.segment() {
            None => (target.inverse_of(payload).y, wrap(target.yaw - team_yaw)),
            Some(s) if s.kind == SegmentKind::Corner => (gate_frame(s).inverse_of(payload).y, s.heading_error_rad(team_yaw)),
            Some(s) => (s.across_m([payload.x, payload.y]), s.heading_error_rad(team_yaw)),
        };
        let wanted = scene.task.formation;
        let poses: Vec<Planar> = scene.robots.iter().filter_map(|n| state.robot(n)).map(|r| r.base.planar()).collect();
        let (mut formation_m, mut formation_rad) = (0.0_f64, 0.0_f64);
        for pair in poses.windows(2) {
            let [a, b] = pair else { continue };
            let in_a = a.inverse_of(*b);
            let [along, across] = scene.task.along_and_across(in_a.x, in_a.y);
            formation_m = formation_m.max(across.hypot(along.abs() - wanted.distance_m));
            formation_rad = formation_rad.max(wrap(in_a.yaw - wanted.heading_offset_rad).abs());
        }
        Self {
            across_m: across.abs(),
            heading_rad: heading.abs(),
            formation_m,
            formation_rad,
            target_m: target.distance(&payload),
            support_loss: 1.0 - support_duty(tail, scene.robots),
        }
    }

    /// Every error with its scale of noise and of tolerance.
    fn scaled(&self, config: &VerifierConfig) -> [(f64, f64, f64); 5] {
        let (noise, tolerance) = (config.setup_errors.noise, config.setup_errors.tolerance);
        let m = |v| (v, noise.distance_m, tolerance.distance_m);
        let rad = |v| (v, noise.angle_rad, tolerance.angle_rad);
        [m(self.across_m), rad(self.heading_rad), m(self.formation_m), rad(self.formation_rad), m(self.target_m)]
    }

    /// Index of the errors that an objective names; empty for objectives that only progress serves.
    fn named(objective: Objective) -> &'static [usize] {
        match objective {
            Objective::CentreInCorridor => &[0],
            Objective::RotateAtCorner => &[1],
            Objective::EqualiseFormation => &[2, 3],
            Objective::ApproachTarget => &[4],
            _ => &[],
        }
    }

    /// Largest relative fall of a named error, and largest relative growth of any other one; `None` when
    /// the objective names no error.
    pub(crate) fn change(before: &Self, after: &Self, objective: Objective, config: &VerifierConfig) -> Option<(f64, f64)> {
        if objective == Objective::RestoreSupport {
            let fall = if before.support_loss > 0.0 { 1.0 - after.support_loss / before.support_loss } else { 0.0 };
            return Some((fall, Self::growth(before, after, &[], config)));
        }
        let named = Self::named(objective);
        let pairs = before.scaled(config).into_iter().zip(after.scaled(config)).enumerate();
        let falls = pairs.filter(|(i, _)| named.contains(i)).map(|(_, ((b, noise, _), (a, ..)))| {
            if b > noise { 1.0 - a / b } else { 0.0 }
        });
        let fall = falls.fold(None, |best: Option<f64>, f| Some(best.map_or(f, |b| b.max(f))))?;
        Some((fall, Self::growth(before, after, named, config)))
    }

    fn growth(before: &Self, after: &Self, named: &[usize], config: &VerifierConfig) -> f64 {
        // The distance to the target grows with every step back; it is an error only where it is named.
        let others = before.scaled(config).into_iter().zip(after.scaled(config)).take(4).enumerate();
        others
            .filter(|(i, _)| !named.contains(i) || named.len() > 1)
            .map(|(_, ((b, _, tolerance), (a, ..)))| {
                let floor = b.max(tolerance);
                if floor > 0.0 { a.max(tolerance) / floor - 1.0 } else { 0.0 }
            })
            .fold(0.0, f64::max)
    }
}
