//! Whether the calls of all robots go together (CE-063).

use serde::{Deserialize, Serialize};
use troupe_core::decision::{Mode, Role};
use troupe_core::skill::SkillCall;

/// How far the arguments of a synchronous pair may differ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairLimits {
    /// m.
    pub distance_m: f64,
    /// rad.
    pub yaw_rad: f64,
}

/// Why calls do not go together; messages name the field, the values and what is allowed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PairError {
    /// Different skills in a synchronous pair.
    #[error("method: `{a}` and `{b}` differ; allowed in mode `sync`: the same method")]
    Method {
        /// Of one robot.
        a: &'static str,
        /// Of another.
        b: &'static str,
    },
    /// Ways in a synchronous pair that differ in the world.
    #[error("direction: `{a}` and `{b}` differ; allowed in mode `sync`: the same direction, here `{a}` and `{allowed}`")]
    Direction {
        /// Of one robot, as it sees it.
        a: &'static str,
        /// Of the next, as it sees it.
        b: &'static str,
        /// What the next would call the way of the first.
        allowed: &'static str,
    },
    /// Amounts too far apart in a synchronous pair.
    #[error("{argument}: {a} and {b} differ by more than the allowed {limit}")]
    Amount {
        /// Argument.
        argument: &'static str,
        /// Of one robot.
        a: f64,
        /// Of another.
        b: f64,
        /// Allowed difference.
        limit: f64,
    },
    /// A role does not allow the skill.
    #[error("method `{method}` is not allowed for role `{role}`; allowed: {allowed}")]
    Role {
        /// Skill.
        method: &'static str,
        /// Role.
        role: &'static str,
        /// Skills of that role.
        allowed: String,
    },
    /// The inner robot turns one way, the outer one walks the other way.
    #[error("yaw_rad: {support} of the support and {mover} of the mover turn opposite ways; allowed: the same sign")]
    Sense {
        /// rad.
        support: f64,
        /// rad.
        mover: f64,
    },
    /// Not one call per role.
    #[error("{calls} calls for {roles} roles; allowed: one call per robot")]
    Count {
        /// Calls given.
        calls: usize,
        /// Roles given.
        roles: usize,
    },
}

/// Skills that a role of an asymmetric decision allows; empty for peers, who are bound by each other.
#[must_use]
pub fn methods(role: Role) -> &'static [&'static str] {
    match role {
        Role::Peer => &[],
        Role::InnerSupport | Role::Reference => &["hold", "turn"],
        Role::OuterMover => &["arc", "walk"],
        Role::Corrector => &["walk", "turn", "arc"],
    }
}

/// Checks calls in team order against mode and roles.
///
/// `heading_offset_rad` is the formation's, from one robot to the next: a synchronous pair moves alike in the
/// team's frame, so robots that face each other walk one forward and one back.
#[must_use]
pub fn check(
    mode: Mode,
    roles: &[Role],
    calls: &[SkillCall],
    limits: &PairLimits,
    heading_offset_rad: f64,
) -> Vec<PairError> {
    if roles.len() != calls.len() {
        return vec![PairError::Count { calls: calls.len(), roles: roles.len() }];
    }
    match mode {
        Mode::Sync => calls.windows(2).flat_map(|pair| sync(pair, limits, heading_offset_rad)).collect(),
        Mode::Asym => asym(roles, calls),
    }
}

fn sync(pair: &[SkillCall], limits: &PairLimits, heading_offset_rad: f64) -> Vec<PairError> {
    let [a, b] = pair else { return vec![] };
    if a.name() != b.name() {
        return vec![PairError::Method { a: a.name(), b: b.name() }];
    }
    let mut errors = Vec::new();
    if let (Some(way_a), Some(way_b)) = (a.way(), b.way()) {
        let allowed = way_a.turned(-heading_offset_rad);
        if way_b != allowed {
            errors.push(PairError::Direction { a: way_a.name(), b: way_b.name(), allowed: allowed.name() });
        }
    }
    for ((argument, va), (_, vb)) in a.arguments().into_iter().zip(b.arguments()) {
        let limit = match argument {
            "distance_m" => limits.distance_m,
            "yaw_rad" => limits.yaw_rad,
            _ => continue,
        };
        // The sign of an arc's length is part of its way.
        let apart = if argument == "distance_m" { va.abs() - vb.abs() } else { va - vb };
        // A hair of slack for decimals such as 0.27 − 0.25.
        if apart.abs() > limit + 1e-9 {
            errors.push(PairError::Amount { argument, a: va, b: vb, limit });
        }
    }
    errors
}

fn asym(roles: &[Role], calls: &[SkillCall]) -> Vec<PairError> {
    let mut errors = Vec::new();
    for (role, call) in roles.iter().zip(calls) {
        let allowed = methods(*role);
        if !allowed.contains(&call.name()) {
            errors.push(PairError::Role { method: call.name(), role: role.name(), allowed: allowed.join(", ") });
        }
    }
    let yaw_of = |wanted: Role| {
        roles.iter().zip(calls).find(|(r, _)| **r == wanted).map(|(_, c)| c.intended().yaw).filter(|yaw| *yaw != 0.0)
    };
    if let (Some(support), Some(mover)) = (yaw_of(Role::InnerSupport), yaw_of(Role::OuterMover))
        && support.signum() != mover.signum()
    {
        errors.push(PairError::Sense { support, mover });
    }
    errors
}

#[cfg(test)]
#[allow(clippy::float_cmp)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::f64::consts::PI;
    use troupe_core::frames::Planar;
    use troupe_core::skill::Direction;

    const LIMITS: PairLimits = PairLimits { distance_m: 0.02, yaw_rad: 0.017_453_292_52 };

    fn walk(distance_m: f64, direction: Direction) -> SkillCall {
        SkillCall::Walk { distance_m, direction, speed_mps: 0.25 }
    }

    fn peers(a: SkillCall, b: SkillCall) -> Vec<PairError> {
        check(Mode::Sync, &[Role::Peer; 2], &[a, b], &LIMITS, 0.0)
    }

    fn pivot(a: SkillCall, b: SkillCall) -> Vec<PairError> {
        check(Mode::Asym, &[Role::InnerSupport, Role::OuterMover], &[a, b], &LIMITS, 0.0)
    }

    /// CE-063.
    #[test]
    fn sync_bounds_have_two_sides() {
        use Direction::{Forward, Left};
        assert!(peers(walk(0.25, Forward), walk(0.27, Forward)).is_empty());
        assert!(matches!(peers(walk(0.25, Forward), walk(0.2702, Forward))[..], [PairError::Amount { .. }]));
        assert!(matches!(peers(walk(0.25, Forward), walk(0.25, Left))[..], [PairError::Direction { .. }]));
        let turn = |deg: f64| SkillCall::Turn { yaw_rad: deg.to_radians(), speed_rps: 0.25 };
        assert!(peers(turn(10.0), turn(11.0)).is_empty());
        assert_eq!(peers(turn(10.0), turn(11.1)).len(), 1);
        assert!(matches!(peers(turn(10.0), walk(0.25, Forward))[..], [PairError::Method { .. }]));
        assert!(peers(SkillCall::Release, SkillCall::Release).is_empty());
    }

    /// CE-063.
    #[test]
    fn support_may_only_hold_or_turn() {
        let arc = |yaw_rad: f64| SkillCall::Arc { distance_m: 0.2, yaw_rad, speed_mps: 0.2 };
        let turn = SkillCall::Turn { yaw_rad: 0.25, speed_rps: 0.25 };
        let hold = SkillCall::Hold { duration_s: 1.0 };
        assert!(pivot(turn, arc(0.25)).is_empty());
        assert!(pivot(hold, arc(0.25)).is_empty());
        assert!(matches!(pivot(walk(0.2, Direction::Forward), arc(0.25))[..], [PairError::Role { .. }]));
        assert!(matches!(pivot(turn, hold)[..], [PairError::Role { .. }]));
        assert!(matches!(pivot(turn, arc(-0.25))[..], [PairError::Sense { .. }]));
        let roles = [Role::Corrector, Role::Reference];
        assert!(check(Mode::Asym, &roles, &[walk(0.05, Direction::Left), hold], &LIMITS, 0.0).is_empty());
        assert_eq!(check(Mode::Asym, &roles, &[hold, walk(0.05, Direction::Left)], &LIMITS, 0.0).len(), 2);
    }

    #[test]
    fn counts_must_agree() {
        assert!(matches!(check(Mode::Sync, &[Role::Peer; 2], &[SkillCall::Release], &LIMITS, 0.0)[..], [PairError::Count { .. }]));
    }

    #[test]
    fn robots_that_face_each_other_walk_one_forward_and_one_back() {
        use Direction::{Back, Forward, Left, Right};
        let facing = |a, b| check(Mode::Sync, &[Role::Peer; 2], &[walk(0.25, a), walk(0.25, b)], &LIMITS, PI);
        assert!(facing(Forward, Back).is_empty() && facing(Left, Right).is_empty());
        let text = facing(Forward, Forward).first().map(ToString::to_string).unwrap_or_default();
        assert!(text.contains("`forward` and `back`"), "{text}");
        let retreat = SkillCall::Retreat { distance_m: 0.4 };
        assert!(check(Mode::Sync, &[Role::Peer; 2], &[retreat; 2], &LIMITS, PI).is_empty());
    }

    fn direction() -> impl Strategy<Value = Direction> {
        use Direction::{Back, Forward, Left, Right};
        prop_oneof![Just(Forward), Just(Back), Just(Left), Just(Right)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        /// A pair is accepted exactly when both robots translate alike in the world.
        #[test]
        fn a_pair_is_accepted_exactly_when_it_translates_alike(
            (da, db) in (direction(), direction()),
            (a, b) in (0.02f64..0.5, 0.02f64..0.5),
            quarters in 0u8..4,
            heading in -3.0f64..3.0,
        ) {
            let offset = f64::from(quarters) * PI / 2.0;
            let moved = |yaw: f64, call: &SkillCall| Planar { x: 0.0, y: 0.0, yaw }.compose(call.intended());
            let calls = [walk(a, da), walk(b, db)];
            let apart = moved(heading, &calls[0]).distance(&moved(heading + offset, &calls[1]));
            prop_assume!((apart - LIMITS.distance_m).abs() > 1e-6);
            let accepted = check(Mode::Sync, &[Role::Peer; 2], &calls, &LIMITS, offset).is_empty();
            prop_assert_eq!(accepted, apart <= LIMITS.distance_m);
        }
    }
}
