//! The rules of provider `builtin` above and on the target: centre, lower, release, retreat.

use super::builtin_moves::{Move, Rules};
use std::f64::consts::{FRAC_PI_2, PI};
use troupe_coordination::phase::Stage;
use troupe_core::decision::Objective;
use troupe_core::frames::{Planar, wrap};
use troupe_core::skill::{Direction, SkillCall};

impl Rules<'_> {
    /// Moves of the place phase.
    pub(super) fn placing(&self) -> Vec<Move> {
        match self.context.stage {
            Stage::Carrying => self.to_target(),
            // What cannot be let go where it lies is raised, carried to a better place and lowered again.
            Stage::Lowered => vec![self.lifecycle(SkillCall::Release), self.lifecycle(SkillCall::InitSupport)],
            Stage::Released | Stage::Retreated => {
                vec![self.lifecycle(SkillCall::Retreat { distance_m: self.config.retreat_m })]
            }
        }
    }

    /// Above the target: centre payload and team, then lower.
    fn to_target(&self) -> Vec<Move> {
        let (o, config, target) = (&self.context.observation, self.config, &self.context.target);
        let frame = Planar { x: target.position[0], y: target.position[1], yaw: target.heading_rad };
        let in_target = frame.inverse_of(o.payload);
        let heading_error = wrap(target.heading_rad - o.team.yaw);
        let mut moves = Vec::new();
        let lower = self.lifecycle(SkillCall::LowerToTarget);
        // Once lowering was rejected here the state has to change before it can be tried again.
        let again = self.tries(&lower) > 0;
        if heading_error.abs() > config.place_heading_rad {
            moves.extend(self.pivot_if_large(heading_error));
        }
        let along = if in_target.x > 0.0 { Direction::Back } else { Direction::Forward };
        let (ahead, aside_m) = (in_target.x.abs(), self.shared(frame, in_target.y));
        let centre = Move::walk(Objective::ApproachTarget, self.clamped(ahead), along, config.speed_mps);
        if ahead > config.place_along_m {
            moves.push(centre.clone());
        }
        if aside_m.abs() > config.place_across_m {
            moves.extend(self.sideways(aside_m));
        }
        // Askew the payload lies against one robot, which then cannot let go of it.
        if self.skew().abs() > config.place_skew_rad {
            moves.extend(self.formation_within(0.5));
        }
        if again {
            if aside_m.abs() > ahead { moves.extend(self.sideways(aside_m)) } else { moves.push(centre) }
            moves.extend(self.formation_within(0.3));
        }
        moves.push(lower);
        moves
    }

    /// Offset to the left of a line that payload and team share: the payload is to lie on the stand, and
    /// the stand must fit between the robots, also when the payload has slid along its length.
    pub(super) fn shared(&self, line: Planar, payload_left_m: f64) -> f64 {
        0.5 * (payload_left_m + line.inverse_of(self.context.observation.team).y)
    }

    /// Heading of the payload against the team's, rad; the payload looks the same from both sides.
    fn skew(&self) -> f64 {
        let offset = wrap(self.context.observation.payload.yaw - self.context.observation.team.yaw);
        if offset > FRAC_PI_2 {
            offset - PI
        } else if offset <= -FRAC_PI_2 {
            offset + PI
        } else {
            offset
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::builtin_moves::next_move;
    use crate::role::context::{RejectedTry, RoleContext};
    use crate::setup::Setup;
    use std::path::Path;
    use troupe_coordination::phase::{PLACE_PHASE, Stage};
    use troupe_core::decision::{Kind, Objective};
    use troupe_core::frames::Planar;
    use troupe_core::observation::{Observation, RobotView};
    use troupe_core::skill::{Direction, SkillCall};

    fn setup() -> Setup {
        Setup::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config"), "placement", "l2", 0).unwrap()
    }

    /// Above L2's target, heading along −y; offsets to the left of the way.
    fn above_target(payload_left_m: f64, team_left_m: f64, stage: Stage) -> RoleContext {
        let setup = setup();
        let segment = setup.route.segments.last().unwrap().clone();
        let target = setup.route.target;
        let place = Planar { x: target.position[0], y: target.position[1], yaw: target.heading_rad };
        let at = |x: f64, y: f64| place.compose(Planar { x, y, yaw: 0.0 });
        let robot = |name: &str, y: f64| {
            let p = at(-0.13, y);
            RobotView { robot: name.into(), x_m: p.x, y_m: p.y, yaw_rad: p.yaw, torso_tilt_rad: 0.0, supports_payload: true }
        };
        let (payload, team) = (at(0.0, payload_left_m), at(-0.13, team_left_m));
        let observation = Observation {
            tick: 0,
            context_epoch: 0,
            robots: vec![robot("g1_0", team_left_m + 0.4), robot("g1_1", team_left_m - 0.4)],
            team,
            payload,
            payload_z_m: 0.9,
            payload_tilt_rad: 0.0,
            formation_distance_m: 0.8,
            formation_heading_rad: 0.0,
            segment_kind: segment.kind,
            segment: segment.reference(),
            along_m: 1.97,
            remaining_m: 0.0,
            across_m: payload_left_m,
            heading_error_rad: 0.0,
        };
        RoleContext::new(observation, target, (PLACE_PHASE.into(), stage), setup.task.formation, setup.bounds)
    }

    #[test]
    fn over_the_target_it_lowers() {
        let next = next_move(&above_target(0.0, 0.0, Stage::Carrying), &setup().config.builtin);
        assert_eq!(next.calls, [SkillCall::LowerToTarget; 2]);
    }

    #[test]
    fn payload_and_team_share_the_offset() {
        let config = setup().config.builtin;
        // The payload slid to the left by as much as the team stands to the right: there is no better place.
        assert_eq!(next_move(&above_target(0.1, -0.1, Stage::Carrying), &config).kind, Kind::Lifecycle);
        // A payload in its place does not help when a robot would run into the stand.
        let next = next_move(&above_target(0.02, -0.22, Stage::Carrying), &config);
        assert_eq!(next.objective, Objective::CentreInCorridor);
        assert_eq!(next.calls[0].direction(), Some(Direction::Left));
    }

    #[test]
    fn a_failed_release_is_followed_by_raising() {
        let config = setup().config.builtin;
        let mut context = above_target(0.0, 0.0, Stage::Lowered);
        assert_eq!(next_move(&context, &config).calls, [SkillCall::Release; 2]);
        context.rejected.push(RejectedTry {
            kind: Kind::Lifecycle,
            objective: Objective::Place,
            calls: vec![SkillCall::Release; 2],
            failure_type: None,
            failure_level: None,
            failed: vec![],
            reasons: vec![],
        });
        let next = next_move(&context, &config);
        assert_eq!(next.calls, [SkillCall::InitSupport; 2]);
        assert!(Stage::Lowered.lifecycle_methods().contains(&"init_support"));
        assert_eq!(Stage::Lowered.after(&SkillCall::InitSupport), Stage::Carrying);
    }
}
