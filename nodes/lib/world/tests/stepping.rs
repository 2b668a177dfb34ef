//! Stepping: motor law, replay, hoist, contacts, entities.
#![allow(clippy::unwrap_used, clippy::panic, clippy::float_cmp)]

mod support;

use support::{description, stand, world};
use troupe_core::device::{G1_JOINTS, MotorCommand};
use troupe_core::frames::{Pose, Twist};
use troupe_core::variation::Drawn;
use troupe_world::{World, WorldDescription, WorldError};

/// Deterministic, varied set-points around the default pose.
fn wiggle(base: &[MotorCommand; G1_JOINTS], tick: usize, robot: usize) -> [MotorCommand; G1_JOINTS] {
    let mut command = *base;
    for (i, motor) in command.iter_mut().enumerate() {
        let phase = (tick * 7 + i * 13 + robot * 5) as f32;
        motor.q += 0.15 * (phase * 0.37).sin();
        motor.dq = 0.2 * (phase * 0.11).cos();
        motor.tau = 0.5 * (phase * 0.23).sin();
        motor.kp *= 1.0 + 0.3 * (phase * 0.19).sin();
    }
    command
}

fn run(world: &mut World, base: &[MotorCommand; G1_JOINTS], from: usize, ticks: usize) -> Vec<Vec<u8>> {
    (from..from + ticks)
        .map(|tick| {
            for robot in 0..2 {
                world.set_command(robot, &wiggle(base, tick, robot)).unwrap();
            }
            world.step_tick().unwrap();
            world.snapshot().digest_bytes()
        })
        .collect()
}

#[test]
fn a_restored_world_repeats_every_bit_for_150_ticks() {
    let base = stand(&description());
    let mut first = world(3);
    run(&mut first, &base, 0, 20);
    first.place_payload().unwrap();
    run(&mut first, &base, 20, 5);
    let saved = first.snapshot();
    let once = run(&mut first, &base, 25, 150);
    first.restore(&saved).unwrap();
    assert_eq!(first.snapshot().digest_bytes(), saved.digest_bytes());
    assert!(run(&mut first, &base, 25, 150) == once, "replay in the same world differs");
    let mut second = world(99);
    second.restore(&saved).unwrap();
    assert!(run(&mut second, &base, 25, 150) == once, "replay in a second world differs");
}

#[test]
fn a_restored_world_with_late_commands_repeats_every_bit() {
    for steps in [4, 10, 12] {
        let drawn = Drawn { friction: Some(0.5), payload_mass_kg: Some(0.9), command_delay_steps: steps, ..Drawn::default() };
        let description = description().varied(&drawn);
        let base = stand(&description);
        let mut first = World::new(&description, 3).unwrap();
        assert_eq!(first.payload_state().mass_kg, 0.9);
        run(&mut first, &base, 0, 20);
        first.place_payload().unwrap();
        run(&mut first, &base, 20, 5);
        let saved = first.snapshot();
        // A tick has four steps: so many of both robots' commands are on their way between two ticks.
        assert_eq!(saved.pending.len(), 2 * (steps / 4) as usize, "{steps} steps");
        let once = run(&mut first, &base, 25, 60);
        first.restore(&saved).unwrap();
        assert!(run(&mut first, &base, 25, 60) == once, "replay in the same world differs");
        let mut second = World::new(&description, 99).unwrap();
        second.restore(&saved).unwrap();
        assert!(run(&mut second, &base, 25, 60) == once, "replay in a second world differs");
    }
}

#[test]
fn a_late_command_is_the_same_command_later() {
    // One tick late: as if every command had been given one tick later.
    let base = stand(&description());
    let late = description().varied(&Drawn { command_delay_steps: 4, ..Drawn::default() });
    let (mut prompt, mut late) = (world(3), World::new(&late, 3).unwrap());
    prompt.step_tick().unwrap();
    late.set_command(0, &wiggle(&base, 0, 0)).unwrap();
    late.step_tick().unwrap();
    assert_eq!(prompt.qpos(), late.qpos());
    for tick in 0..10 {
        prompt.set_command(0, &wiggle(&base, tick, 0)).unwrap();
        prompt.step_tick().unwrap();
        late.set_command(0, &wiggle(&base, tick + 1, 0)).unwrap();
        late.step_tick().unwrap();
        assert_eq!(prompt.qpos(), late.qpos(), "tick {tick}");
    }
}

#[test]
fn a_seed_decides_the_start() {
    let (a, b, c) = (world(5), world(5), world(6));
    assert_eq!(a.snapshot().digest_bytes(), b.snapshot().digest_bytes());
    assert_ne!(a.snapshot().digest_bytes(), c.snapshot().digest_bytes());
    let base = a.robot_state(0).unwrap().base;
    assert!((base.position[1] - 0.4).abs() < 0.06 && base.yaw().abs() < 0.1);
    let q = a.motors(1).unwrap()[3].q;
    assert!((q - 0.669).abs() <= 0.011, "uniform noise of 0.01 rad: {q}");
}

#[test]
fn motors_follow_the_law_with_and_without_stiffness() {
    let description = description();
    let base = stand(&description);
    for scale in [1.0, 0.0] {
        let mut world = world(1);
        let mut command = base;
        for motor in &mut command {
            motor.kp *= scale;
            motor.tau = 0.7;
            motor.dq = 0.1;
        }
        world.set_command(0, &command).unwrap();
        // Forces of a tick's last step are those at its start; with a step of pose change they are
        // the law at the pose before. So read them where the pose does not change: right after a reset.
        let joints = world.joints(0).unwrap();
        let before: Vec<f64> = joints
            .iter()
            .zip(&command)
            .map(|((q, v), m)| {
                f64::from(m.tau) + f64::from(m.kp) * (f64::from(m.q) - q) + f64::from(m.kd) * (f64::from(m.dq) - v)
            })
            .collect();
        let forces = world.motor_torques(0).unwrap();
        for (i, (law, force)) in before.iter().zip(forces).enumerate() {
            let limit = description.robots[0].config.joints[i].effort_nm;
            assert!((law.clamp(-limit, limit) - force).abs() < 1e-6, "motor {i}: {law} against {force}");
        }
    }
}

#[test]
fn torque_is_cut_at_the_motors_limit() {
    let description = description();
    let mut world = world(1);
    let mut command = stand(&description);
    for motor in &mut command {
        motor.tau = 1000.0;
    }
    world.set_command(0, &command).unwrap();
    for (joint, torque) in description.robots[0].config.joints.iter().zip(world.motor_torques(0).unwrap()) {
        assert!((torque - joint.effort_nm).abs() < 1e-9, "{}", joint.name);
    }
}

#[test]
fn a_held_payload_stays_where_the_hoist_is() {
    let mut world = world(0);
    let start = world.payload_state();
    for _ in 0..50 {
        world.step_tick().unwrap();
    }
    let after = world.payload_state();
    assert!(after.held);
    assert_eq!(start.pose, after.pose);
    assert_eq!(after.twist, Twist::default());
}

#[test]
fn a_placed_payload_lies_just_above_the_forearms() {
    let mut world = world(0);
    world.place_payload().unwrap();
    let state = world.payload_state();
    assert!(!state.held && state.tilt_rad < 1e-9);
    assert!((0.6..1.1).contains(&state.pose.position[2]), "{:?}", state.pose);
    assert!(matches!(world.place_payload(), Err(WorldError::NotHeld)));
    // Default arms are lowered and steep; the bar touches them within half a second.
    let touched = (0..25).any(|_| {
        world.step_tick().unwrap();
        world.contacts().iter().any(|c| c.body_a == "payload" && c.body_b.starts_with("g1_"))
    });
    assert!(touched);
}

#[test]
fn a_plank_between_robots_that_face_each_other_lies_along_their_line() {
    let description = WorldDescription::load(&support::world_file().with_file_name("l4.yaml")).unwrap();
    assert!((description.config.heading_offset_rad() - std::f64::consts::PI).abs() < 1e-12);
    let mut world = World::new(&description, 3).unwrap();
    world.place_payload().unwrap();
    let pose = world.payload_state().pose;
    let [a, b] = [0, 1].map(|i| world.robot_state(i).unwrap().base.planar());
    assert!((pose.position[0] - 0.5 * (a.x + b.x)).abs() < 0.05 && (pose.position[1] - 0.5 * (a.y + b.y)).abs() < 0.05);
    // Its y axis, the long one, points from the second robot to the first.
    let line = (a.y - b.y).atan2(a.x - b.x) - std::f64::consts::FRAC_PI_2;
    assert!(troupe_core::frames::wrap(pose.yaw() - line).abs() < 1e-9);
}

#[test]
fn a_bar_dropped_on_the_stand_rests_there_with_its_weight() {
    let mut world = world(0);
    let stand = world.description().config.stand;
    let top = 2.0 * stand.half_extents_m[2];
    let above = Pose::upright([stand.position_m[0], stand.position_m[1], top + 0.03], stand.yaw_rad);
    world.place_payload().unwrap();
    world.set_entity_pose("payload", &above).unwrap();
    world.set_entity_twist("payload", &Twist::default()).unwrap();
    for _ in 0..150 {
        world.step_tick().unwrap();
    }
    let contacts = world.contacts().to_vec();
    let on_stand = contacts.iter().find(|c| c.body_a == "payload" && c.body_b == "stand").unwrap();
    assert!((on_stand.force_n - 0.5 * 9.81).abs() < 0.05, "{on_stand:?}");
    assert!((on_stand.impulse_ns - on_stand.force_n * 0.02).abs() < 1e-9);
    let state = world.payload_state();
    assert!(state.tilt_rad < 0.02 && (state.z_min_m - top).abs() < 0.005, "{state:?}");
    let mut sorted = contacts.clone();
    sorted.sort_by(|l, r| (&l.body_a, &l.body_b).cmp(&(&r.body_a, &r.body_b)));
    assert_eq!(contacts, sorted);
}

#[test]
fn standing_robots_press_the_floor_with_their_feet() {
    let mut world = world(0);
    for _ in 0..10 {
        world.step_tick().unwrap();
    }
    for robot in ["g1_0/foot", "g1_1/foot"] {
        let contact = world.contacts().iter().find(|c| c.body_a == robot && c.body_b == "floor").unwrap();
        assert!((150.0..700.0).contains(&contact.force_n), "{contact:?}");
    }
    let state = world.robot_state(0).unwrap();
    assert!(state.torso_tilt_rad < 0.2 && state.base.position[2] > 0.7 && state.kind == "g1");
    let imu = world.imu(0).unwrap();
    assert!((imu.accelerometer[2] - 9.81).abs() < 3.0, "{imu:?}");
}

#[test]
fn entities_move_and_unknown_ones_are_named() {
    let mut world = world(0);
    assert_eq!(world.entities(), ["g1_0", "g1_1", "payload"]);
    let pose = Pose::upright([0.5, -0.5, 0.8], 1.0);
    world.set_entity_pose("g1_1", &pose).unwrap();
    let twist = Twist { linear: [0.1, 0.2, 0.3], angular: [0.3, -0.2, 0.1] };
    world.set_entity_twist("g1_1", &twist).unwrap();
    let back = world.entity_twist("g1_1").unwrap();
    for (a, b) in twist.angular.iter().chain(&twist.linear).zip(back.angular.iter().chain(&back.linear)) {
        assert!((a - b).abs() < 1e-12);
    }
    assert!((world.entity_pose("g1_1").unwrap().yaw() - 1.0).abs() < 1e-12);
    let error = world.set_entity_pose("g1_7", &pose).unwrap_err().to_string();
    assert!(error.contains("g1_7") && error.contains("g1_0, g1_1, payload"), "{error}");
    let crooked = Pose { orientation: [0.0; 4], ..pose };
    assert!(matches!(world.set_entity_pose("g1_0", &crooked), Err(WorldError::Value { .. })));
}

#[test]
fn bad_commands_and_foreign_snapshots_are_refused() {
    let mut world = world(0);
    let mut command = stand(&description());
    command[4].q = f32::NAN;
    assert!(world.set_command(0, &command).unwrap_err().to_string().contains("motor 4"));
    command[4].q = 0.0;
    command[5].kd = -1.0;
    assert!(world.set_command(0, &command).is_err());
    command[5].kd = 1.0;
    assert!(matches!(world.set_command(2, &command), Err(WorldError::RobotIndex { index: 2, last: 1 })));
    let mut foreign = world.snapshot();
    foreign.world = "l9".into();
    assert!(world.restore(&foreign).unwrap_err().to_string().contains("l9"));
}
