//! Resets: time goes on, and a command works on the first tick after each.

use crate::rig::crew;
use anyhow::Result;

#[test]
fn time_never_goes_back_over_a_hundred_resets() -> Result<()> {
    let mut crew = crew(0)?;
    let mut last = None;
    let (mut backwards, mut seen) = (0, 0);
    for seed in 0..100 {
        let mut note = |s: &troupe_core::state::TeamState| {
            seen += 1;
            backwards += usize::from(last.is_some_and(|l| s.tick <= l));
            last = Some(s.tick);
            assert!((s.stamp_s - s.tick as f64 * 0.02).abs() < 1e-9);
        };
        crew.reset(seed, &mut note)?;
        assert!(!crew.bridge().any_busy());
        let first = crew.robots().first_mut().map(|r| r.sport(7105, r#"{"velocity":[0.2,0,0],"duration":1.0}"#).code);
        assert_eq!(first, Some(0), "after reset {seed}");
        crew.window(1, false, &mut note)?;
        assert!(crew.bridge().any_busy(), "the command of the first tick after reset {seed} is not in force");
    }
    assert_eq!((backwards, seen), (0, 200));
    assert_eq!(crew.bridge().context_epoch(), 100);
    Ok(())
}

#[test]
fn equal_seeds_reset_to_equal_states() -> Result<()> {
    let mut crew = crew(3)?;
    let mut starts = Vec::new();
    for seed in [4, 9, 4] {
        crew.reset(seed, &mut |s| starts.push(s.robots.clone()))?;
        crew.window(5, false, &mut |s| starts.push(s.robots.clone()))?;
    }
    let poses: Vec<Vec<u64>> = starts
        .chunks(6)
        .map(|run| run.iter().flatten().flat_map(|r| r.base.position.map(f64::to_bits)).collect())
        .collect();
    assert_eq!(poses.first(), poses.last());
    assert_ne!(poses.first(), poses.get(1));
    Ok(())
}
