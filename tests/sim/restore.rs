//! A stored state replays to the bit, in mid-stride, and makes everything older stale.

use crate::rig::{Random, crew};
use anyhow::{Context, Result};
use troupe_core::skill::{SkillCall, SkillCode, SkillGoal};
use troupe_core::state::TeamState;
use troupe_local_graph::crew::Crew;

/// A quarter more than the longest velocity command of the checks below lasts.
const WALK: &str = r#"{"velocity":[0.25,0.0,0.1],"duration":5.0}"#;
const REPLAYED: u64 = 150;

/// What must be equal: everything but the counters that never go back. Text holds every bit of a float.
fn timeless(states: &[TeamState]) -> Result<Vec<String>> {
    let strip = |state: &TeamState| {
        let mut state = TeamState { tick: 0, stamp_s: 0.0, context_epoch: 0, ..state.clone() };
        state.robots.iter_mut().for_each(|r| r.controller_epoch = 0);
        Ok(serde_json::to_string(&state)?)
    };
    states.iter().map(strip).collect()
}

fn ticks(crew: &mut Crew, count: u64) -> Result<Vec<TeamState>> {
    let mut states = Vec::new();
    crew.window(count, false, &mut |s| states.push(s.clone()))?;
    Ok(states)
}

fn replay(seed: u64) -> Result<()> {
    let mut random = Random(seed);
    let mut crew = crew(seed)?;
    for robot in crew.robots() {
        assert_eq!(robot.sport(7105, WALK).code, 0);
    }
    let stride = 20 + random.below(60);
    let before = ticks(&mut crew, stride)?;
    let speeds = before.last().map(|s| s.robots.iter().map(|r| r.twist.linear[0].hypot(r.twist.linear[1])).collect::<Vec<_>>());
    assert!(speeds.is_some_and(|s| s.iter().all(|v| *v > 0.05)), "seed {seed}: not in mid-stride after {stride} ticks");
    crew.save("here", "")?;
    let (epoch, saved_tick) = (crew.bridge().context_epoch(), crew.bridge().tick());
    let first = ticks(&mut crew, REPLAYED)?;
    let tick_before = crew.bridge().tick();
    assert_eq!(tick_before, saved_tick + REPLAYED);

    let restored = crew.restore("here", true, &mut |_| {})?;
    assert_eq!((restored.max_error.to_bits(), restored.context_epoch), (0.0_f64.to_bits(), epoch + 1));
    assert!(restored.controller_epochs.iter().all(|e| *e >= 1) && restored.controller_epochs.len() == 2);
    assert!(crew.bridge().tick() > tick_before, "the tick went back");

    let second = ticks(&mut crew, REPLAYED)?;
    let (a, b) = (timeless(&first)?, timeless(&second)?);
    let differs = a.iter().zip(&b).position(|(x, y)| x != y);
    assert_eq!(differs, None, "seed {seed}: the replay differs after so many ticks");
    assert!(second.windows(2).all(|w| w.first().map(|s| s.tick) < w.last().map(|s| s.tick)));
    let shown = second.last().context("no state")?;
    assert_eq!(shown.robots.iter().map(|r| r.controller_epoch).collect::<Vec<_>>(), restored.controller_epochs);

    let stale = SkillGoal {
        call: SkillCall::Hold { duration_s: 1.0 },
        transaction_id: "t".into(),
        context_epoch: epoch,
        start_tick: 0,
        deadline_s: 5.0,
    };
    for robot in crew.robots() {
        robot.sport(7105, r#"{"velocity":[0,0,0],"duration":1.0}"#);
        let refusal = robot.accept("old".into(), stale.clone()).err().context("an old goal was accepted")?;
        assert_eq!(refusal.code, SkillCode::Stale, "{refusal}");
        let fresh = SkillGoal { context_epoch: epoch + 1, ..stale.clone() };
        let taken = robot.accept("new".into(), fresh);
        assert!(taken.is_ok(), "{taken:?}");
    }
    Ok(())
}

/// CE-052.
#[test]
fn both_robots_replay_to_the_bit_from_mid_stride() -> Result<()> {
    (11..14).try_for_each(replay)
}

#[test]
fn without_resume_a_restored_robot_stands_still() -> Result<()> {
    let mut crew = crew(5)?;
    for robot in crew.robots() {
        assert_eq!(robot.sport(7105, WALK).code, 0);
    }
    ticks(&mut crew, 60)?;
    crew.save("here", "")?;
    ticks(&mut crew, 20)?;
    crew.restore("here", false, &mut |_| {})?;
    assert!(!crew.bridge().any_busy());
    let states = ticks(&mut crew, 150)?;
    let still = states.last().map(|s| s.robots.iter().all(|r| r.twist.linear[0].hypot(r.twist.linear[1]) < 0.05 && r.base.position[2] > 0.6));
    assert_eq!(still, Some(true));
    assert!(crew.restore("absent", false, &mut |_| {}).is_err());
    Ok(())
}
