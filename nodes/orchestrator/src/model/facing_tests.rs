//! The rules' moves and the example answers in both formations: legal, and what they say in the world.

use super::builtin_moves::{Move, next_move, with_numbers};
use crate::config::{BuiltinConfig, OrchestratorConfig};
use crate::role::context::RoleContext;
use crate::role::example;
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, PI};
use std::path::Path;
use troupe_coordination::catalog::{self, CATALOG};
use troupe_coordination::pairing::{self, PairLimits};
use troupe_coordination::phase::{PLACE_PHASE, Stage};
use troupe_core::decision::{Decision, Formation, Kind, Objective, Role};
use troupe_core::frames::{Planar, wrap};
use troupe_core::observation::{Observation, RobotView};
use troupe_core::route::{Gate, RouteReference, SegmentKind, Target};
use troupe_core::skill::{SkillBounds, SkillCall};

const LIMITS: PairLimits = PairLimits { distance_m: 0.02, yaw_rad: 0.0175 };

fn shipped() -> (BuiltinConfig, SkillBounds) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config");
    let file = folder.join("nodes/orchestrator.yaml");
    let config = OrchestratorConfig::parse(&file, std::fs::read_to_string(&file)).unwrap();
    (config.builtin, crate::setup::part(&folder.join("nodes/g1.yaml"), "bounds").unwrap())
}

fn formation(facing: bool) -> Formation {
    if facing {
        Formation { distance_m: 1.5, heading_offset_rad: PI }
    } else {
        Formation { distance_m: 0.8, heading_offset_rad: 0.0 }
    }
}

/// Robots in formation about `team`.
fn robots(facing: bool, team: Planar) -> [Planar; 2] {
    let places = if facing {
        [Planar { x: -0.75, ..Planar::default() }, Planar { x: 0.75, y: 0.0, yaw: PI }]
    } else {
        [Planar { y: 0.4, ..Planar::default() }, Planar { y: -0.4, ..Planar::default() }]
    };
    places.map(|p| team.compose(p))
}

/// A segment along +x from the origin that wants the heading `gate_rad`.
fn context(facing: bool, team: Planar, second_off: Planar, kind: SegmentKind, gate_rad: f64, place: bool) -> RoleContext {
    let [first, second] = robots(facing, team);
    let second = second.compose(second_off);
    let view = |name: &str, p: Planar| RobotView {
        robot: name.into(),
        x_m: p.x,
        y_m: p.y,
        yaw_rad: p.yaw,
        torso_tilt_rad: 0.0,
        supports_payload: true,
    };
    let gate = Gate { position: [1.5, 0.0], heading_rad: gate_rad, width_m: 1.0, heading_tolerance_rad: 0.26 };
    let observation = Observation {
        tick: 1,
        context_epoch: 1,
        robots: vec![view("g1_0", first), view("g1_1", second)],
        team,
        payload: team,
        payload_z_m: 0.9,
        payload_tilt_rad: 0.0,
        formation_distance_m: first.distance(&second),
        formation_heading_rad: wrap(second.yaw - first.yaw),
        segment_kind: kind,
        segment: RouteReference {
            segment_id: "s".into(),
            direction: [1.0, 0.0],
            local_target: [1.6, 0.0],
            left_boundary: vec![],
            right_boundary: vec![],
            gate,
        },
        along_m: team.x,
        remaining_m: 1.6 - team.x,
        across_m: team.y,
        heading_error_rad: wrap(gate_rad - team.yaw),
    };
    let target = Target { position: [1.6, 0.0, 0.86], heading_rad: gate_rad, radius_m: 0.3 };
    let phase = if place { PLACE_PHASE.into() } else { "s".into() };
    RoleContext::new(observation, target, (phase, Stage::Carrying), formation(facing), shipped().1)
}

fn decision(of: &Move, wanted: Formation) -> Decision {
    Decision {
        id: String::new(),
        checkpoint_id: "ckpt-0".into(),
        context_epoch: 1,
        phase_id: "s".into(),
        kind: of.kind,
        objective: of.objective,
        mode: of.mode,
        roles: of.roles.clone(),
        formation: wanted,
        evidence_required: vec![],
        parent_id: String::new(),
        scope: None,
        relations: vec![],
        strategy_ids: vec![],
    }
}

fn legal(of: &Move, calls: &[SkillCall], facing: bool, bounds: &SkillBounds) -> Result<(), String> {
    catalog::check(of.kind, of.objective, of.mode, &of.roles, 2).map_err(|e| e.to_string())?;
    calls.iter().try_for_each(|c| bounds.check(c)).map_err(|e| e.to_string())?;
    let errors = pairing::check(of.mode, &of.roles, calls, &LIMITS, formation(facing).heading_offset_rad);
    errors.first().map_or(Ok(()), |e| Err(e.to_string()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    /// Whatever the state, proposal and numbers are legal; walks and pivots keep the formation.
    #[test]
    fn moves_are_legal_and_keep_the_formation(
        facing in any::<bool>(),
        (x, y, yaw) in (0.0f64..1.6, -0.3f64..0.3, -0.4f64..0.4),
        (off_x, off_y, off_yaw) in (-0.1f64..0.1, -0.1f64..0.1, -0.2f64..0.2),
        tidy in any::<bool>(),
        (kind, quarters, place) in (0usize..3, 0u8..3, any::<bool>()),
    ) {
        let kinds = [SegmentKind::Straight, SegmentKind::Corner, SegmentKind::Approach];
        let gate_rad = f64::from(quarters) * FRAC_PI_2 - FRAC_PI_2;
        let off = if tidy { Planar::default() } else { Planar { x: off_x, y: off_y, yaw: off_yaw } };
        let team = Planar { x, y, yaw: yaw + if kind == 1 { 0.0 } else { gate_rad } };
        let mut now = context(facing, team, off, kinds[kind], gate_rad, place);
        let (config, bounds) = shipped();
        let chosen = next_move(&now, &config);
        prop_assert_eq!(legal(&chosen, &chosen.calls, facing, &bounds), Ok(()), "{:?}", chosen);
        now.decision = Some(decision(&chosen, now.formation));
        let calls = with_numbers(&now, &config);
        prop_assert_eq!(legal(&chosen, &calls, facing, &bounds), Ok(()), "{:?}", calls);
        if tidy && chosen.kind != Kind::Alignment {
            let starts = robots(facing, team);
            let ends = [starts[0].compose(calls[0].intended()), starts[1].compose(calls[1].intended())];
            let (before, after) = (starts[0].inverse_of(starts[1]), ends[0].inverse_of(ends[1]));
            prop_assert!(before.distance(&after) < 1e-9 && wrap(before.yaw - after.yaw).abs() < 1e-9, "{:?} {:?}", chosen, after);
        }
        // A step along the segment goes along it in the world, whatever the team's heading.
        if tidy && chosen.objective == Objective::ApproachTarget && !place && x < 1.5 {
            let start = robots(facing, team)[0];
            let moved = start.compose(calls[0].intended()).x - start.x;
            prop_assert!(moved > 0.0, "{:?} {}", calls, moved);
        }
    }
}

#[test]
fn example_answers_are_legal_in_both_formations() {
    for facing in [false, true] {
        for entry in CATALOG {
            for support in [0, 1] {
                let objective = if entry.kind == Kind::Lifecycle { Objective::Place } else { Objective::RotateAtCorner };
                let roles: Vec<Role> = entry.roles(2, support);
                let of = Move { kind: entry.kind, objective, mode: entry.mode, roles, calls: vec![] };
                let mut now = context(facing, Planar::default(), Planar::default(), SegmentKind::Straight, 0.0, false);
                now.decision = Some(decision(&of, now.formation));
                let calls = example::calls(&now);
                // Side by side the middle of all bounds may be too far for a pivot; the form is what counts.
                let errors = pairing::check(of.mode, &of.roles, &calls, &LIMITS, now.formation.heading_offset_rad);
                assert!(errors.is_empty(), "{facing} {of:?} {calls:?} {errors:?}");
                if of.kind == Kind::Pivot && facing {
                    assert_eq!(legal(&of, &calls, facing, &now.bounds), Ok(()));
                }
            }
        }
    }
}
