//! Copies of the crew, forecasts and recoveries in the real physics (CE-150, CE-151, CE-155). Needs the
//! fetched assets (`TROUPE_ASSETS`).

use std::path::{Path, PathBuf};
use std::time::Instant;
use troupe_core::forecast::ForecastRules;
use troupe_core::skill::{Direction, SkillCall, SkillGoal};
use troupe_core::state::TeamState;
use troupe_core::task::Task;
use troupe_local_graph::crew::Crew;
use troupe_local_graph::forecast::{roll, roll_all};

fn config() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config")
}

fn assets() -> PathBuf {
    std::env::var_os("TROUPE_ASSETS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.troupe/assets"), PathBuf::from)
}

fn goals(crew: &mut Crew, calls: &[SkillCall]) -> Vec<SkillGoal> {
    let (tick, context_epoch) = (crew.bridge().tick(), crew.bridge().context_epoch());
    let goal = |call: &SkillCall| SkillGoal {
        call: *call,
        transaction_id: "t".into(),
        context_epoch,
        start_tick: tick + 1,
        deadline_s: 20.0,
    };
    calls.iter().map(goal).collect()
}

fn dispatch(crew: &mut Crew, calls: &[SkillCall]) -> Vec<TeamState> {
    let goals = goals(crew, calls);
    let mut states = Vec::new();
    crew.dispatch(&goals, 1100, &mut |s| states.push(s.clone())).unwrap();
    states
}

/// A crew that carries the bar.
fn carrying(seed: u64) -> Crew {
    let mut crew = Crew::load(&config(), &assets(), "l1", seed).unwrap();
    dispatch(&mut crew, &[SkillCall::InitSupport; 2]);
    crew.place_payload(&mut |_| {}).unwrap();
    crew.window(100, false, &mut |_| {}).unwrap();
    crew
}

fn walk(distance_m: f64, direction: Direction) -> SkillCall {
    SkillCall::Walk { distance_m, direction, speed_mps: 0.25 }
}

/// CE-155.
#[test]
fn a_fork_goes_on_bit_for_bit_and_leaves_the_crew_alone() {
    let mut crew = carrying(3);
    let before = crew.bridge().world().snapshot();
    let (tick, epoch) = (crew.bridge().tick(), crew.bridge().context_epoch());
    let calls = [SkillCall::Turn { yaw_rad: 0.3, speed_rps: 0.25 }, SkillCall::Arc { distance_m: 0.24, yaw_rad: 0.3, speed_mps: 0.2 }];
    let mut fork = crew.fork();
    let foretold = dispatch(&mut fork, &calls);
    drop(dispatch(&mut fork, &[walk(0.3, Direction::Back); 2]));
    assert_eq!(crew.bridge().world().snapshot().digest_bytes(), before.digest_bytes());
    assert_eq!((crew.bridge().tick(), crew.bridge().context_epoch()), (tick, epoch));
    let happened = dispatch(&mut crew, &calls);
    assert_eq!(foretold.len(), happened.len());
    // Debug text shows every digit that tells two numbers apart.
    for (a, b) in foretold.iter().zip(&happened) {
        assert_eq!(format!("{a:?}"), format!("{b:?}"));
    }
}

#[test]
fn forecasts_in_threads_equal_forecasts_one_by_one() {
    let crew = carrying(4);
    let task_file = config().join("tasks/transport.yaml");
    let task = Task::load(&task_file, std::fs::read_to_string(&task_file)).unwrap();
    let rules = ForecastRules::of(&task, 0.25);
    let candidates = vec![
        vec![walk(0.3, Direction::Forward); 2],
        vec![SkillCall::Turn { yaw_rad: 0.3, speed_rps: 0.25 }; 2],
        vec![walk(0.9, Direction::Forward); 2],
        vec![walk(0.2, Direction::Left); 2],
    ];
    let start = Instant::now();
    let together = roll_all(&crew, &candidates, &rules);
    let wall = start.elapsed().as_secs_f64();
    let alone: Vec<_> = candidates.iter().map(|c| roll(crew.fork(), c, &rules)).collect();
    assert_eq!(together, alone);
    assert!(together[0].progress_m > 0.2 && together[0].support_duty > 0.8 && together[0].settled, "{:?}", together[0]);
    assert!(together[2].refused.contains("distance_m"), "{:?}", together[2]);
    assert!(together[1].formation_heading_rad < 0.2 && together[1].progress_m < 0.1);
    let sim_s: f64 = together.iter().map(|f| f.sim_s).sum();
    println!("{wall:.3} s wall for {sim_s:.1} simulated s in {} candidates", candidates.len());
}

#[test]
fn what_a_fork_costs() {
    let crew = carrying(5);
    let start = Instant::now();
    let forks: Vec<Crew> = (0..50).map(|_| crew.fork()).collect();
    let each_ms = 1e3 * start.elapsed().as_secs_f64() / 50.0;
    let mut first = forks.into_iter().next().unwrap();
    let start = Instant::now();
    let states = dispatch(&mut first, &[walk(0.4, Direction::Forward); 2]);
    let per_s = 1e3 * start.elapsed().as_secs_f64() / (states.len() as f64 * 0.02);
    println!("fork {each_ms:.2} ms; {per_s:.1} ms per simulated second");
    assert!(each_ms < 100.0, "{each_ms} ms");
}

#[test]
fn a_dropped_bar_is_picked_up_and_laid_on_again() {
    let mut crew = carrying(6);
    // Knocked off the arms.
    let mut pose = crew.bridge().world().entity_pose("payload").unwrap();
    pose.position[0] += 1.0;
    crew.bridge().set_entity("payload", Some(&pose), None).unwrap();
    crew.window(100, false, &mut |_| {}).unwrap();
    let state = crew.bridge().team_state().unwrap();
    assert!(state.payload().unwrap().z_min_m < 0.1);
    crew.hoist_payload(&mut |_| {}).unwrap();
    let state = crew.bridge().team_state().unwrap();
    assert!(state.payload().unwrap().held && state.payload().unwrap().z_min_m > 1.5);
    dispatch(&mut crew, &[SkillCall::InitSupport; 2]);
    crew.place_payload(&mut |_| {}).unwrap();
    crew.window(100, false, &mut |_| {}).unwrap();
    let state = crew.bridge().team_state().unwrap();
    assert!(state.supports("g1_0") && state.supports("g1_1") && state.payload().unwrap().tilt_rad < 0.15);
}
