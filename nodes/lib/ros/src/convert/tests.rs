//! Every message keeps what it carries, and refuses what makes no sense.

use super::*;
use proptest::prelude::*;
use troupe_core::decision::{Decision, Formation, Kind, Mode, Objective, PolicyCode, Role};
use troupe_core::device::{G1_JOINTS, Imu, LowCommand, LowState, MotorCommand, MotorState};
use troupe_core::evidence::{Comparator, Evidence, FailureType, Level, Measured, Outcome, Predicate, Source, Verdict, VerdictKind};
use troupe_core::frames::{Planar, Pose, Twist};
use troupe_core::relation::{Argument, Comparison, Relation};
use troupe_core::route::{Gate, RouteReference};
use troupe_core::skill::{Direction, SkillCall, SkillCode, SkillFeedback, SkillGoal, SkillResult, SkillStage};
use troupe_core::state::{Contact, PayloadState, RobotMode, RobotState, TeamState};
use troupe_core::team::{Capabilities, Finding, ValidateRequest, ValidateResponse, VerifyRequest};

fn finite32() -> impl Strategy<Value = f32> {
    -1e3_f32..1e3
}

fn triple() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(-1e3..1e3)
}

prop_compose! {
    fn low_command()(
        values in prop::collection::vec((finite32(), finite32(), finite32(), 0_f32..500.0, 0_f32..50.0), G1_JOINTS),
        tick in any::<u32>(), flags in any::<u32>(), epoch in any::<u32>(),
    ) -> LowCommand {
        let mut motors = [MotorCommand::default(); G1_JOINTS];
        for (motor, (q, dq, tau, kp, kd)) in motors.iter_mut().zip(values) {
            *motor = MotorCommand { mode: 1, q, dq, tau, kp, kd };
        }
        LowCommand { mode_machine: 5, motors, answers_tick_ms: tick, flags, controller_epoch: epoch }
    }
}

prop_compose! {
    fn low_state()(
        values in prop::collection::vec((finite32(), finite32(), finite32()), G1_JOINTS),
        tick_ms in any::<u32>(), quaternion_wxyz in prop::array::uniform4(finite32()),
        gyroscope in prop::array::uniform3(finite32()), accelerometer in prop::array::uniform3(finite32()), rpy in prop::array::uniform3(finite32()),
    ) -> LowState {
        let mut motors = [MotorState::default(); G1_JOINTS];
        for (motor, (q, dq, tau_est)) in motors.iter_mut().zip(values) {
            *motor = MotorState { mode: 1, q, dq, tau_est };
        }
        LowState { mode_machine: 5, tick_ms, imu: Imu { quaternion_wxyz, gyroscope, accelerometer, rpy }, motors }
    }
}

prop_compose! {
    fn pose()(position in triple(), orientation in prop::array::uniform4(-1.0..1.0)) -> Pose { Pose { position, orientation } }
}

prop_compose! {
    fn twist()(linear in triple(), angular in triple()) -> Twist { Twist { linear, angular } }
}

prop_compose! {
    fn team_state()(
        tick in 0_u64..10_000_000, context_epoch in any::<u32>(), base in pose(), twist in twist(), tilt in 0.0..3.0,
        mode in prop_oneof![Just(RobotMode::Idle), Just(RobotMode::Moving), Just(RobotMode::Holding), Just(RobotMode::Stopped), Just(RobotMode::Fault)],
        half_extents_m in triple(), held in any::<bool>(), force_n in 0.0..500.0,
    ) -> TeamState {
        let robot = RobotState { robot: "g1_0".into(), kind: "g1".into(), base, twist, torso_tilt_rad: tilt, mode, controller_epoch: 3, privileged: true, pose_std_m: 0.0 };
        let payload = PayloadState { name: "payload".into(), pose: base, twist, half_extents_m, z_min_m: 0.7, tilt_rad: tilt, mass_kg: 3.0, held };
        let contact = Contact { body_a: "payload".into(), body_b: "g1_0/left_palm".into(), force_n, impulse_ns: force_n * 0.02 };
        let gate = Gate { position: [1.0, 2.0], heading_rad: 0.0, width_m: 1.0, heading_tolerance_rad: 0.0 };
        let route = RouteReference { segment_id: "straight".into(), direction: [0.6, 0.8], local_target: [1.0, 2.0], left_boundary: vec![[0.0, 1.0], [2.0, 1.0]], right_boundary: vec![], gate };
        TeamState { tick, stamp_s: tick as f64 * troupe_core::TICK_S, context_epoch, robots: vec![robot.clone(), robot], payloads: vec![payload], contacts: vec![contact], route }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn low_command_round_trips(command in low_command()) {
        let message = low_command::to_wire(&command);
        prop_assert_eq!(low_command::from_wire(&message).unwrap(), command);
    }

    #[test]
    fn low_command_with_a_flipped_bit_is_refused(command in low_command(), motor in 0_usize..35, bit in 0_u32..32) {
        let mut message = low_command::to_wire(&command);
        let q = &mut message.motor_cmd[motor].q;
        *q = f32::from_bits(q.to_bits() ^ (1 << bit));
        let refused = matches!(low_command::from_wire(&message), Err(ConvertError::Crc { .. }));
        prop_assert!(refused);
    }

    #[test]
    fn low_state_round_trips(state in low_state()) {
        prop_assert_eq!(low_state::from_wire(&low_state::to_wire(&state)).unwrap(), state);
    }

    /// CE-020.
    #[test]
    fn team_state_round_trips_to_the_last_bit(state in team_state()) {
        let back = team_state::from_wire(&team_state::to_wire(&state)).unwrap();
        prop_assert_eq!(back.stamp_s.to_bits(), state.stamp_s.to_bits());
        prop_assert_eq!(back, state);
    }

    #[test]
    fn skill_results_round_trip(x in -1.0..1.0, yaw in -1.0..1.0, coast_m in 0.0..0.1, tick in any::<u64>(), code in 100_u16..=111, settled in any::<bool>()) {
        let result = SkillResult {
            code: SkillCode::from_number(code).unwrap(), message: "why".into(), displacement: Planar { x, y: -x, yaw },
            coast_m, settled, consumed_tick: tick, stop_tick: tick, end_tick: tick,
        };
        prop_assert_eq!(skill::result_from_wire(&skill::result_to_wire(&result)).unwrap(), result);
        let feedback = SkillFeedback { stage: SkillStage::Settling, travelled_m: x, turned_rad: yaw, progress: 0.5, tick };
        prop_assert_eq!(skill::feedback_from_wire(&skill::feedback_to_wire(&feedback)).unwrap(), feedback);
    }
}

#[test]
fn what_is_not_finite_passes_where_the_receiver_judges_it() {
    let mut command = low_command::from_wire(&low_command::to_wire(&LowCommand {
        mode_machine: 5, motors: [MotorCommand::default(); G1_JOINTS], answers_tick_ms: 1, flags: 0, controller_epoch: 0,
    })).unwrap();
    command.motors[3].q = f32::NAN;
    assert!(!low_command::from_wire(&low_command::to_wire(&command)).unwrap().is_sound());
}

#[test]
fn an_empty_frame_is_refused() {
    let mut message = r2r::troupe_msgs::msg::TeamState::default();
    let text = team_state::from_wire(&message).unwrap_err().to_string();
    assert!(text.contains("frame_id") && text.contains("world"), "{text}");
    message.header.frame_id = "world".into();
    assert!(team_state::from_wire(&message).is_ok());
    message.robots.push(r2r::troupe_msgs::msg::RobotState { mode: 9, ..Default::default() });
    assert!(team_state::from_wire(&message).is_err());
    message.robots[0].header.frame_id = "world".into();
    assert!(team_state::from_wire(&message).unwrap_err().to_string().contains("mode = 9"));
}

fn decision() -> Decision {
    Decision {
        id: "d".into(), checkpoint_id: "c".into(), context_epoch: 2, phase_id: "p".into(), kind: Kind::Pivot,
        objective: Objective::RotateAtCorner, mode: Mode::Asym, roles: vec![Role::InnerSupport, Role::OuterMover],
        formation: Formation { distance_m: 0.8, heading_offset_rad: 0.0 }, evidence_required: vec!["tilt".into()], parent_id: String::new(), scope: Some(Level::Coordination),
        relations: vec![Relation { argument: Argument::YawRad, comparison: Comparison::Different }], strategy_ids: vec!["s-1".into()],
    }
}

#[test]
fn decisions_and_requests_round_trip() {
    assert_eq!(decision::from_wire(&decision::to_wire(&decision())).unwrap(), decision());
    let validate = ValidateRequest { decision: decision(), policies: vec![PolicyCode { robot: "g1_0".into(), source: "turn()".into() }] };
    assert_eq!(requests::validate_from_wire(&requests::validate_to_wire(&validate)).unwrap(), validate);
    let calls = vec![SkillCall::Turn { yaw_rad: 0.2, speed_rps: 0.3 }, SkillCall::Walk { distance_m: 0.2, direction: Direction::Back, speed_mps: 0.3 }];
    let validated = ValidateResponse { ok: false, findings: vec![Finding { code: "E_BOUNDS".into(), robot: String::new(), message: "m".into() }], calls: calls.clone(), fingerprint: "f".into() };
    assert_eq!(requests::validated_from_wire(&requests::validated_to_wire(&validated)).unwrap(), validated);
    let verify = VerifyRequest { transaction_id: "t".into(), decision: decision(), fingerprint: "f".into(), calls: calls.clone(), start_tick: 4, closed_tick: 9, robot_codes: vec![SkillCode::None, SkillCode::Timeout] };
    assert_eq!(requests::verify_from_wire(&requests::verify_to_wire(&verify)).unwrap(), verify);
    let goal = SkillGoal { call: calls[1], transaction_id: "t".into(), context_epoch: 2, start_tick: 5, deadline_s: 9.0 };
    assert_eq!(skill::goal_from_wire(&skill::goal_to_wire(&goal)).unwrap(), goal);
}

#[test]
fn unknown_names_list_what_is_allowed() {
    let mut message = decision::to_wire(&decision());
    message.kind = "dance".into();
    let text = decision::from_wire(&message).unwrap_err().to_string();
    assert!(text.contains("dance") && text.contains("coordinated_pivot"), "{text}");
    let mut call = skill::call_to_wire(&SkillCall::Hold { duration_s: 1.0 });
    call.values.clear();
    assert!(matches!(skill::call_from_wire(&call), Err(ConvertError::Length { .. })));
}

#[test]
fn evidence_verdicts_and_capabilities_round_trip() {
    let evidence = Evidence {
        id: "e".into(), transaction_id: "t".into(),
        measured: vec![Measured { name: "tilt_rad".into(), value: 0.1, unit: "rad".into(), std: 0.0 }],
        predicates: vec![Predicate { name: "tilt".into(), value: 0.1, limit: 0.2, comparator: Comparator::Le, unit: "rad".into(), passed: true, source: Source::Scripted }],
        failure_type: Some(FailureType::Tilt), failure_level: Some(Level::Parameter),
        required_relations: vec![Relation { argument: Argument::DistanceM, comparison: Comparison::Equal }],
    };
    assert_eq!(evidence::from_wire(&evidence::to_wire(&evidence)).unwrap(), evidence);
    let none = Evidence { failure_type: None, failure_level: None, ..evidence };
    assert_eq!(evidence::from_wire(&evidence::to_wire(&none)).unwrap(), none);
    let verdict = Verdict { id: "v".into(), subject: "t".into(), outcome: Outcome::InvalidInfra, kind: VerdictKind::Lifecycle, reasons: vec!["r".into()], milestones: vec!["m".into()] };
    assert_eq!(verdict::from_wire(&verdict::to_wire(&verdict)).unwrap(), verdict);
    let capabilities = Capabilities { lockstep: true, checkpoint: true, place_payload: false, privileged_state: true, world: "l1".into(), robots: vec!["g1_0".into()], seed: 7 };
    assert_eq!(world::capabilities_from_wire(&world::capabilities_to_wire(&capabilities)), capabilities);
    assert!(world::reason_from_wire(9).is_err());
}
