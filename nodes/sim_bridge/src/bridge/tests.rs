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
