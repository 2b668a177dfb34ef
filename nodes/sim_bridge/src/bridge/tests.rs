use super::*;
use std::path::Path;
use troupe_core::device::MotorCommand;

fn bridge() -> Bridge {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/worlds/l1.yaml");
    Bridge::new(&WorldDescription::load(&file).unwrap(), 0).unwrap()
}

fn command(bridge: &Bridge, flags: u32) -> LowCommand {
    LowCommand {
        mode_machine: G1_MODE_MACHINE,
        motors: [MotorCommand { mode: 1, kp: 60.0, kd: 3.0, ..MotorCommand::default() }; G1_JOINTS],
        answers_tick_ms: tick_ms(bridge.tick()),
        flags,
        controller_epoch: 1,
    }
}

fn run(bridge: &mut Bridge, ticks: u64) -> Frame {
    for _ in 0..ticks {
        for index in 0..bridge.robots().len() {
            let command = command(bridge, 0);
            bridge.accept(index, command).unwrap();
        }
        bridge.step().unwrap();
    }
    bridge.frame().unwrap()
}

#[test]
fn restore_repeats_every_bit_while_the_clock_goes_on() {
    let mut bridge = bridge();
    run(&mut bridge, 20);
    bridge.save("a", "", vec![vec![1], vec![2]]).unwrap();
    let first = run(&mut bridge, 50);
    let before = bridge.tick();
    let (restored, controllers) = bridge.restore("a").unwrap();
    assert_eq!((restored.max_error, controllers), (0.0, vec![vec![1], vec![2]]));
    assert!(bridge.tick() > before);
    let second = run(&mut bridge, 50);
    assert_eq!(first.team.payloads, second.team.payloads);
    assert_eq!(first.team.robots.iter().map(|r| r.base).collect::<Vec<_>>(), second.team.robots.iter().map(|r| r.base).collect::<Vec<_>>());
    assert_eq!(first.low_states[0].motors, second.low_states[0].motors);
    assert_eq!(second.team.context_epoch, first.team.context_epoch + 1);
}

#[test]
fn the_clock_rises_over_a_hundred_resets() {
    let mut bridge = bridge();
    let mut last = bridge.stamp_s();
    for seed in 0..100 {
        bridge.reset(seed).unwrap();
        assert!(bridge.stamp_s() > last);
        last = bridge.stamp_s();
        run(&mut bridge, 1);
    }
}

#[test]
fn unsound_commands_are_refused_and_the_last_good_one_stays() {
    let mut bridge = bridge();
    let good = command(&bridge, LowCommand::BUSY);
    bridge.accept(0, good.clone()).unwrap();
    let mut bad = good.clone();
    bad.motors[3].q = f32::NAN;
    let text = bridge.accept(0, bad).unwrap_err().to_string();
    assert!(text.contains("g1_0") && text.contains("motor 3"), "{text}");
    assert!(bridge.any_busy());
    assert!(matches!(bridge.accept(9, good), Err(BridgeError::Robot { index: 9, last: 1 })));
    assert_eq!(bridge.silent(), ["g1_1"]);
}

#[test]
fn checkpoints_are_named_once_and_unknown_names_list_what_is_stored() {
    let mut bridge = bridge();
    bridge.save("a", "", vec![vec![], vec![]]).unwrap();
    assert_eq!(bridge.save("b", "t1", vec![vec![], vec![]]).unwrap().parent, "a");
    assert!(matches!(bridge.save("a", "", vec![vec![], vec![]]), Err(BridgeError::CheckpointExists(_))));
    assert!(matches!(bridge.save("c", "", vec![vec![]]), Err(BridgeError::Controllers { .. })));
    assert!(bridge.restore("z").unwrap_err().to_string().contains("stored: a, b"));
}

fn varied(text: &str) -> Bridge {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/worlds/l1.yaml");
    let variation = Variation::load(Path::new("some.yaml"), Ok(text.to_owned())).unwrap();
    Bridge::varied(&WorldDescription::load(&file).unwrap(), 0, &variation).unwrap()
}

const ESTIMATED: &str = "command_delay_s: 0.04
estimate:
  position_sd_m: 0.01
  yaw_sd_rad: 0.01
  payload_position_sd_m: 0.01
  payload_tilt_sd_rad: 0.02
  velocity_sd_mps: 0.05
  yaw_rate_sd_radps: 0.05
  dropout: { probability: 0.05, burst_ticks: 5 }
  filter: { pose: 0.2, velocity: 0.2 }
";

#[test]
fn restore_repeats_estimates_and_late_commands_too() {
    let mut bridge = varied(ESTIMATED);
    assert!(!bridge.capabilities(true).privileged_state);
    run(&mut bridge, 10);
    bridge.place_payload().unwrap();
    run(&mut bridge, 10);
    bridge.save("a", "", vec![vec![], vec![]]).unwrap();
    let first = run(&mut bridge, 50);
    bridge.restore("a").unwrap();
    let second = run(&mut bridge, 50);
    assert_eq!(first.team.payloads, second.team.payloads);
    let robots = |f: &Frame| f.team.robots.iter().map(|r| (r.base, r.twist, r.pose_std_m)).collect::<Vec<_>>();
    assert_eq!(robots(&first), robots(&second));
    assert_eq!(first.low_states[0].motors, second.low_states[0].motors);
}

#[test]
fn truth_stays_at_hand_and_what_is_published_is_near_it() {
    let mut bridge = varied(ESTIMATED);
    // Before the robots, which no policy holds up, begin to fall.
    let seen = run(&mut bridge, 12).team;
    let truth = bridge.true_state().unwrap();
    assert!(truth.robots.iter().all(|r| r.privileged) && seen.robots.iter().all(|r| !r.privileged && r.pose_std_m > 0.0));
    for (a, b) in seen.robots.iter().zip(&truth.robots) {
        let off = a.base.planar().distance(&b.base.planar());
        assert!(off > 0.0 && off < 0.05, "{off}");
    }
    // Asked again, the same tick is the same.
    assert_eq!(bridge.team_state().unwrap(), seen);
    assert_eq!(truth.route, seen.route);
}

#[test]
fn another_seed_draws_another_world_and_the_first_seed_the_first_one() {
    let mut bridge = varied("friction: [0.4, 1.2]\npayload_mass_kg: [0.3, 1.0]\n");
    let mass = |b: &mut Bridge| b.team_state().unwrap().payloads[0].mass_kg;
    let first = (mass(&mut bridge), run(&mut bridge, 20).team.robots);
    bridge.reset(1).unwrap();
    assert_ne!(mass(&mut bridge), first.0);
    bridge.reset(0).unwrap();
    assert_eq!(mass(&mut bridge), first.0);
    let again = run(&mut bridge, 20).team.robots;
    assert_eq!(again.iter().map(|r| r.base).collect::<Vec<_>>(), first.1.iter().map(|r| r.base).collect::<Vec<_>>());
}
