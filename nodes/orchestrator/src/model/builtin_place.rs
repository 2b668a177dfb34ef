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
