//! The rules of provider `builtin`: which move comes next, and its numbers.
//!
//! A list of possible moves in order of preference; the first that is due and has not been rejected too
//! often is proposed. After a rejection the same move comes back smaller, never with the same numbers.

use crate::config::BuiltinConfig;
use crate::role::context::RoleContext;
use troupe_coordination::phase::PLACE_PHASE;
use troupe_core::decision::{Decision, Kind, Mode, Objective, Role};
use troupe_core::frames::{Planar, wrap};
use troupe_core::route::SegmentKind;
use troupe_core::skill::{Direction, SkillCall};

/// A decision of the rules with the calls that carry it out.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// kappa.
    pub kind: Kind,
    /// d.
    pub objective: Objective,
    /// m.
    pub mode: Mode,
    /// One for each robot.
    pub roles: Vec<Role>,
    /// One for each robot.
    pub calls: Vec<SkillCall>,
}

impl Move {
    fn both(kind: Kind, objective: Objective, call: SkillCall) -> Self {
        Self { kind, objective, mode: Mode::Sync, roles: vec![Role::Peer; 2], calls: vec![call; 2] }
    }

    pub(super) fn walk(objective: Objective, distance_m: f64, direction: Direction, speed_mps: f64) -> Self {
        Self::both(Kind::LinearTransport, objective, SkillCall::Walk { distance_m, direction, speed_mps })
    }
}

/// The move that the rules propose.
#[must_use]
pub fn next_move(context: &RoleContext, config: &BuiltinConfig) -> Move {
    let rules = Rules { context, config };
    let candidates = rules.candidates();
    let fallback = rules.for_formation(rules.step_ahead(Objective::AdvanceSegment, config.step_min_m));
    candidates.into_iter().find(|m| rules.worth_trying(m)).unwrap_or(fallback)
}

/// Calls for the decision in the context, smaller for each rejection and refusal so far.
#[must_use]
pub fn with_numbers(context: &RoleContext, config: &BuiltinConfig) -> Vec<SkillCall> {
    let rules = Rules { context, config };
    let preferred = next_move(context, config);
    let Some(decision) = &context.decision else { return preferred.calls };
    let fits = |m: &Move| m.kind == decision.kind && m.objective == decision.objective && m.roles == decision.roles;
    let mut chosen = if fits(&preferred) {
        preferred
    } else {
        // A decision that the rules would not have made: the nearest move of its kind.
        let mut candidates = rules.candidates().into_iter();
        let near = candidates.find(|m| m.kind == decision.kind && m.roles == decision.roles);
        near.or_else(|| rules.carried_out(decision)).unwrap_or(preferred)
    };
    let tries = rules.tries(&chosen) + context.findings.len();
    rules.shrink(&mut chosen, tries);
    for _ in 0..20 {
        if !rules.was_rejected(&chosen.calls) {
            break;
        }
        rules.shrink(&mut chosen, 1);
        rules.nudge(&mut chosen);
    }
    chosen.calls
}

pub(super) struct Rules<'a> {
    pub(super) context: &'a RoleContext,
    pub(super) config: &'a BuiltinConfig,
}

impl Rules<'_> {
    /// Moves in order of preference, in every robot's own words.
    fn candidates(&self) -> Vec<Move> {
        self.team_moves().into_iter().map(|m| self.for_formation(m)).collect()
    }

    /// A synchronous move in the team's frame as each robot calls it: who faces the first robot walks back
    /// when the team walks forward.
    fn for_formation(&self, team: Move) -> Move {
        let offset_rad = self.context.formation.heading_offset_rad;
        if team.mode != Mode::Sync {
            return team;
        }
        let own = |(index, call): (usize, &SkillCall)| match *call {
            SkillCall::Walk { distance_m, direction, speed_mps } => {
                SkillCall::Walk { distance_m, direction: direction.turned(-offset_rad * index as f64), speed_mps }
            }
            other => other,
        };
        Move { calls: team.calls.iter().enumerate().map(own).collect(), ..team }
    }

    /// Walks along the segment as the team calls them: a team may travel sideways, with another heading.
    fn along_travel(&self, mut moves: Vec<Move>) -> Vec<Move> {
        let o = &self.context.observation;
        let [dx, dy] = o.segment.direction;
        let travel_rad = wrap(dy.atan2(dx) - o.segment.gate.heading_rad);
        for call in moves.iter_mut().filter(|m| m.kind == Kind::LinearTransport).flat_map(|m| &mut m.calls) {
            if let SkillCall::Walk { direction, speed_mps, .. } = call {
                let turned = direction.turned(travel_rad);
                if turned != *direction {
                    (*direction, *speed_mps) = (turned, self.speed(turned));
                }
            }
        }
        moves
    }

    fn speed(&self, direction: Direction) -> f64 {
        match direction {
            Direction::Forward | Direction::Back => self.config.speed_mps,
            Direction::Left | Direction::Right => self.config.lateral_speed_mps,
        }
    }

    fn team_moves(&self) -> Vec<Move> {
        if self.context.phase_id == PLACE_PHASE {
            return self.placing();
        }
        match self.context.observation.segment_kind {
            SegmentKind::Straight => self.along_segment(Objective::AdvanceSegment),
            SegmentKind::Corner => self.around_corner(),
            SegmentKind::Approach => self.along_segment(Objective::ApproachTarget),
        }
    }

    /// Straight segments: corrections that are due, then a step ahead.
    fn along_segment(&self, objective: Objective) -> Vec<Move> {
        let o = &self.context.observation;
        let [dx, dy] = o.segment.direction;
        let heading_error = wrap(o.segment.gate.heading_rad - o.team.yaw);
        let approach = objective == Objective::ApproachTarget;
        let [x, y] = o.segment.local_target;
        let across_m = if approach { self.shared(Planar { x, y, yaw: dy.atan2(dx) }, o.across_m) } else { o.across_m };
        let mut moves = self.corrections(heading_error, across_m, self.config.across_limit_m);
        let gate = &o.segment.gate;
        let travel = Planar { x: gate.position[0], y: gate.position[1], yaw: dy.atan2(dx) };
        let in_gate = travel.inverse_of(o.payload);
        // Beside the gate a step ahead cannot pass it.
        if in_gate.x > -self.config.step_m && in_gate.y.abs() > 0.4 * gate.width_m {
            // Only as far as the gate asks, where the stand asks something of the robots too.
            let spare_m = if approach { in_gate.y.signum() * 0.3 * gate.width_m } else { 0.0 };
            moves.extend(self.sideways(o.across_m - spare_m));
        }
        if o.remaining_m < -self.config.place_along_m && approach {
            moves.push(Move::walk(objective, self.clamped(-o.remaining_m), Direction::Back, self.config.speed_mps));
        } else {
            moves.push(self.step_ahead(objective, o.remaining_m + self.config.overshoot_m));
        }
        self.along_travel(moves)
    }

    /// A corner: pivot until the gate's heading, then out through the gate.
    fn around_corner(&self) -> Vec<Move> {
        let o = &self.context.observation;
        let gate = &o.segment.gate;
        let mut moves = self.formation();
        if o.heading_error_rad.abs() > self.config.corner_done_rad {
            let parts = (o.heading_error_rad.abs() / self.config.pivot_step_rad - 0.05).ceil().max(1.0);
            moves.push(self.pivot(o.heading_error_rad / parts));
        }
        let in_gate = Planar { x: gate.position[0], y: gate.position[1], yaw: gate.heading_rad }.inverse_of(o.payload);
        if in_gate.y.abs() > 0.4 * gate.width_m {
            moves.extend(self.sideways(in_gate.y));
        }
        moves.push(self.step_ahead(Objective::ExitCorner, self.config.step_min_m - in_gate.x));
        moves
    }

    fn corrections(&self, heading_error: f64, across_m: f64, across_limit_m: f64) -> Vec<Move> {
        let mut moves = self.formation();
        let strict = self.strictness();
        if heading_error.abs() > strict * self.config.heading_limit_rad {
            moves.extend(self.pivot_if_large(heading_error));
        }
        if across_m.abs() > strict * across_limit_m {
            moves.extend(self.sideways(across_m));
        }
        moves
    }

    fn formation(&self) -> Vec<Move> {
        self.formation_within(self.strictness())
    }

    /// Steps along the route that were rejected at the current checkpoint.
    fn steps_rejected(&self) -> usize {
        let tidying = [Objective::CentreInCorridor, Objective::EqualiseFormation];
        self.context.rejected.iter().filter(|r| !tidying.contains(&r.objective)).count()
    }

    /// Share of the limits at which errors are corrected: steps that keep failing ask for a tidier start.
    fn strictness(&self) -> f64 {
        if self.steps_rejected() >= 2 { 0.5 } else { 1.0 }
    }

    /// Alignment moves for errors beyond `share` of their limits: the second robot corrects, and the first
    /// one when that was rejected.
    pub(super) fn formation_within(&self, share: f64) -> Vec<Move> {
        let o = &self.context.observation;
        let [first, second] = o.robots.as_slice() else { return Vec::new() };
        let pose = |r: &troupe_core::observation::RobotView| Planar { x: r.x_m, y: r.y_m, yaw: r.yaw_rad };
        let (first, second) = (pose(first), pose(second));
        let (c, wanted) = (self.config, &self.context.formation);
        let mut moves = Vec::new();
        for corrector in [1usize, 0] {
            let (reference, moving) = if corrector == 1 { (first, second) } else { (second, first) };
            let in_reference = reference.inverse_of(moving);
            let place = Direction::nearest(in_reference.x, in_reference.y).unit().map(|u| u * wanted.distance_m);
            let lies_beside = place[0] == 0.0;
            let offset = if corrector == 1 { wanted.heading_offset_rad } else { -wanted.heading_offset_rad };
            let turn = wrap(offset - in_reference.yaw);
            if turn.abs() > share * c.relative_heading_limit_rad {
                let call = SkillCall::Turn { yaw_rad: turn.signum() * turn.abs().clamp(self.turn_min(), c.pivot_step_rad), speed_rps: c.pivot_speed_rps };
                moves.push(self.alignment(corrector, call));
            }
            let beside = (place[1] - in_reference.y, Direction::Left);
            let ahead = (place[0] - in_reference.x, Direction::Forward);
            // The distance first, then what is off to the side of it.
            let (apart, aside) = if lies_beside { (beside, ahead) } else { (ahead, beside) };
            // Face to face the second robot's own heading puts the first one off to the side as it sees it;
            // no step of the first one mends that.
            let explained_m = if lies_beside || corrector == 1 { 0.0 } else { turn.abs() * wanted.distance_m };
            let limits_m = [share * c.formation_limit_m, share * c.stagger_limit_m + explained_m];
            for ((error_m, way), limit_m) in [apart, aside].into_iter().zip(limits_m) {
                if error_m.abs() > limit_m {
                    let way = if error_m > 0.0 { way } else { way.turned(std::f64::consts::PI) };
                    let direction = way.turned(-offset);
                    moves.push(self.alignment(corrector, self.correction(error_m, direction, self.speed(direction))));
                }
            }
        }
        moves
    }

    fn alignment(&self, corrector: usize, call: SkillCall) -> Move {
        let hold = SkillCall::Hold { duration_s: self.config.hold_s };
        let (roles, calls) = if corrector == 1 {
            (vec![Role::Reference, Role::Corrector], vec![hold, call])
        } else {
            (vec![Role::Corrector, Role::Reference], vec![call, hold])
        };
        Move { kind: Kind::Alignment, objective: Objective::EqualiseFormation, mode: Mode::Asym, roles, calls }
    }

    fn correction(&self, error_m: f64, direction: Direction, speed_mps: f64) -> SkillCall {
        let distance_m = self.clamped(error_m.abs().min(self.config.correction_max_m));
        SkillCall::Walk { distance_m, direction, speed_mps }
    }

    /// Both step sideways against an offset to the left of the line.
    pub(super) fn sideways(&self, left_m: f64) -> Option<Move> {
        let direction = if left_m > 0.0 { Direction::Right } else { Direction::Left };
        let distance_m = self.clamped(left_m.abs().min(self.config.correction_max_m));
        Some(Move::walk(Objective::CentreInCorridor, distance_m, direction, self.config.lateral_speed_mps))
    }

    pub(super) fn pivot_if_large(&self, yaw_rad: f64) -> Option<Move> {
        (yaw_rad.abs() >= self.yaw_min()).then(|| self.pivot(yaw_rad))
    }

    /// Turn by `yaw_rad` about the robot on that side; the other walks around it in the same time.
    fn pivot(&self, yaw_rad: f64) -> Move {
        let c = self.config;
        let yaw_rad = yaw_rad.signum() * yaw_rad.abs().clamp(self.yaw_min(), c.pivot_step_rad);
        let first_inner = match self.neighbour(0) {
            Direction::Left | Direction::Right => (self.neighbour(0) == Direction::Right) == (yaw_rad > 0.0),
            Direction::Forward | Direction::Back => self.first_keeps_line(yaw_rad),
        };
        let (inner, outer) = self.pivot_calls(yaw_rad, usize::from(first_inner));
        let (roles, calls) = if first_inner {
            (vec![Role::InnerSupport, Role::OuterMover], vec![inner, outer])
        } else {
            (vec![Role::OuterMover, Role::InnerSupport], vec![outer, inner])
        };
        Move { kind: Kind::Pivot, objective: Objective::RotateAtCorner, mode: Mode::Asym, roles, calls }
    }

    /// Calls of the inner robot and of the other one, number `outer` in team order, which walks around it.
    fn pivot_calls(&self, yaw_rad: f64, outer: usize) -> (SkillCall, SkillCall) {
        let (distance, mut rate) = (self.context.formation.distance_m, self.config.pivot_speed_rps);
        let centre = self.neighbour(outer);
        if matches!(centre, Direction::Forward | Direction::Back) {
            // Sideways it walks no faster than in any other sidestep; whole thousandths stay equal as text.
            rate = rate.min((1e3 * self.config.lateral_speed_mps / distance).ceil() / 1e3);
        }
        let inner = SkillCall::Turn { yaw_rad, speed_rps: rate };
        (inner, SkillCall::around(centre, distance, yaw_rad, rate * distance))
    }

    /// Where the other robot stands as robot `own` sees it.
    fn neighbour(&self, own: usize) -> Direction {
        let pose = |r: &troupe_core::observation::RobotView| Planar { x: r.x_m, y: r.y_m, yaw: r.yaw_rad };
        match self.context.observation.robots.as_slice() {
            [a, b, ..] => {
                let (own, other) = if own == 0 { (pose(a), pose(b)) } else { (pose(b), pose(a)) };
                let seen = own.inverse_of(other);
                Direction::nearest(seen.x, seen.y)
            }
            _ => Direction::Right,
        }
    }

    /// True when a pivot about the first robot leaves the payload nearer to the line of the route than one
    /// about the second: in a corner to its middle, else to the centre line.
    fn first_keeps_line(&self, yaw_rad: f64) -> bool {
        let o = &self.context.observation;
        let ([dx, dy], end) = (o.segment.direction, o.segment.local_target);
        let off = |robot: &troupe_core::observation::RobotView| {
            let (sin, cos) = yaw_rad.sin_cos();
            let (x, y) = (o.payload.x - robot.x_m, o.payload.y - robot.y_m);
            let from_end = [robot.x_m + cos * x - sin * y - end[0], robot.y_m + sin * x + cos * y - end[1]];
            match o.segment_kind {
                SegmentKind::Corner => from_end[0].hypot(from_end[1]),
                _ => (dx * from_end[1] - dy * from_end[0]).abs(),
            }
        };
        match o.robots.as_slice() {
            [first, second, ..] => off(first) <= off(second),
            _ => true,
        }
    }

    fn step_ahead(&self, objective: Objective, remaining_m: f64) -> Move {
        // Equal steps, so that none is too short to be told from the gait's scatter.
        let parts = (remaining_m / self.config.step_m - 0.05).ceil().max(1.0);
        Move::walk(objective, self.clamped(remaining_m / parts), Direction::Forward, self.config.speed_mps)
    }

    pub(super) fn lifecycle(&self, call: SkillCall) -> Move {
        Move::both(Kind::Lifecycle, Objective::Place, call)
    }

    pub(super) fn clamped(&self, distance_m: f64) -> f64 {
        let [low, high] = self.context.bounds.distance_m;
        distance_m.clamp(low.max(self.config.step_min_m.min(high)), high)
    }

    /// Smallest turn that is inside the bounds with the decimals of a policy's text.
    fn turn_min(&self) -> f64 {
        (1.02 * self.context.bounds.yaw_rad[0]).min(self.config.pivot_step_rad)
    }

    /// Smallest yaw whose arc is still inside the bounds.
    fn yaw_min(&self) -> f64 {
        let bounds = &self.context.bounds;
        bounds.yaw_rad[0].max(1.01 * bounds.distance_m[0] / self.context.formation.distance_m.max(0.1))
    }

    /// Rejections of this move at the current checkpoint, whatever its numbers.
    pub(super) fn tries(&self, candidate: &Move) -> usize {
        let same = |calls: &[SkillCall]| {
            calls.len() == candidate.calls.len()
                && calls.iter().zip(&candidate.calls).all(|(a, b)| a.name() == b.name() && a.direction() == b.direction())
        };
        self.context.rejected.iter().filter(|r| r.objective == candidate.objective && same(&r.calls)).count()
    }

    fn worth_trying(&self, candidate: &Move) -> bool {
        if self.context.closed.is_some_and(|c| c.kind == candidate.kind && c.objective == candidate.objective) {
            return false;
        }
        let limit = match candidate.kind {
            // Without arguments a second try would be the same transaction.
            Kind::Lifecycle if candidate.calls.iter().all(|c| c.arguments().is_empty()) => 1,
            // Alignments that fail one after the other are given up together, until a step fails too.
            Kind::Alignment => {
                let failed = self.context.rejected.iter().filter(|r| r.kind == Kind::Alignment).count();
                let rounds = if self.steps_rejected() > 0 { 2 } else { 1 };
                return failed < rounds * self.config.correction_tries as usize && self.tries(candidate) == 0;
            }
            // On a straight a pivot only tidies up; in a corner it is the way.
            Kind::Pivot if self.context.observation.segment_kind != SegmentKind::Corner => {
                self.config.correction_tries as usize
            }
            _ if candidate.objective == Objective::CentreInCorridor => self.config.correction_tries as usize,
            _ => usize::MAX,
        };
        self.tries(candidate) < limit
    }

    /// True when these calls equal rejected ones at the resolution of the fingerprint (CE-030).
    fn was_rejected(&self, calls: &[SkillCall]) -> bool {
        let key = |call: &SkillCall| -> Vec<i64> {
            let resolution = |name: &str| if name == "yaw_rad" { 0.5f64.to_radians() } else { 0.01 };
            call.arguments().into_iter().map(|(n, v)| (v / resolution(n)).round() as i64).collect()
        };
        self.context.rejected.iter().any(|r| {
            r.calls.len() == calls.len()
                && r.calls.iter().zip(calls).all(|(a, b)| {
                    a.name() == b.name() && a.direction() == b.direction() && key(a) == key(b)
                })
        })
    }

    fn shrink(&self, chosen: &mut Move, times: usize) {
        if times == 0 {
            return;
        }
        let share = self.config.shrink.powi(i32::try_from(times.min(20)).unwrap_or(20));
        if chosen.kind == Kind::Pivot {
            let yaw = chosen.calls.iter().find_map(|c| match c {
                SkillCall::Turn { yaw_rad, .. } => Some(*yaw_rad),
                _ => None,
            });
            self.set_pivot(chosen, yaw.unwrap_or_default() * share);
            return;
        }
        for call in &mut chosen.calls {
            match call {
                SkillCall::Walk { distance_m, .. } | SkillCall::Retreat { distance_m } => {
                    *distance_m = self.clamped(*distance_m * share);
                }
                SkillCall::Turn { yaw_rad, .. } => {
                    *yaw_rad = yaw_rad.signum() * (yaw_rad.abs() * share).max(self.turn_min());
                }
                _ => {}
            }
        }
    }

    /// Moves off the smallest step once shrinking has reached it.
    fn nudge(&self, chosen: &mut Move) {
        let tries = self.context.rejected.len() as f64;
        for call in &mut chosen.calls {
            if let SkillCall::Walk { distance_m, .. } = call {
                if *distance_m <= self.clamped(0.0) + 1e-9 {
                    *distance_m = self.clamped(self.clamped(0.0) + 0.02 * (1.0 + tries));
                }
            }
        }
    }

    /// A small legal move for a decision for which the rules see no need.
    fn carried_out(&self, decision: &Decision) -> Option<Move> {
        let as_decided = |m: Move| Move { objective: decision.objective, roles: decision.roles.clone(), ..m };
        match decision.kind {
            Kind::Alignment => self.formation_within(0.0).into_iter().find(|m| m.roles == decision.roles).map(as_decided),
            Kind::Pivot => {
                let error = self.context.observation.heading_error_rad;
                let mut pivot = as_decided(self.pivot(error));
                self.set_pivot(&mut pivot, error);
                Some(pivot)
            }
            Kind::LinearTransport => {
                let step = self.step_ahead(decision.objective, self.config.step_min_m);
                self.along_travel(vec![step]).into_iter().map(|m| self.for_formation(m)).next()
            }
            Kind::Lifecycle => None,
        }
    }

    fn set_pivot(&self, chosen: &mut Move, yaw_rad: f64) {
        let yaw_rad = yaw_rad.signum() * yaw_rad.abs().max(self.yaw_min());
        let outer = chosen.roles.iter().position(|r| *r == Role::OuterMover).unwrap_or_default();
        let (inner, outer) = self.pivot_calls(yaw_rad, outer);
        for (role, call) in chosen.roles.iter().zip(&mut chosen.calls) {
            *call = if *role == Role::InnerSupport { inner } else { outer };
        }
    }
}
