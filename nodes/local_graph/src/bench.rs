//! Speeds of physics, policies and both together, measured in one run: `bench`.

use crate::crew::Crew;
use crate::team::Folders;
use serde::Serialize;
use std::time::Instant;
use troupe_core::TICK_S;
use troupe_core::skill::{SkillCall, SkillGoal};
use troupe_core::stats::quantile;
use troupe_g1::G1Config;
use troupe_policy::{WalkPolicy, WalkingPolicy};
use troupe_world::{World, WorldDescription};

/// What was measured; all times wall-clock.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bench {
    /// Physics steps per second in a bare loop, robots standing.
    pub physics_steps_per_s: f64,
    /// Simulated over wall-clock time of physics and policies in a bare loop, both robots carrying.
    pub bare_real_time_factor: f64,
    /// Tick of the bare loop, median, ms.
    pub bare_tick_p50_ms: f64,
    /// Tick of the bare loop, 99th percentile, ms.
    pub bare_tick_p99_ms: f64,
    /// One policy inference, median, µs.
    pub inference_p50_us: f64,
    /// One policy inference, 99th percentile, µs.
    pub inference_p99_us: f64,
}

/// Measures in `world`.
///
/// # Errors
/// When configuration, policy or world do not load.
pub fn bench(folders: &Folders, world: &str) -> anyhow::Result<Bench> {
    let description = WorldDescription::named(&folders.config, world)?;
    let substeps = f64::from(u32::try_from(description.config.physics.substeps)?);
    let mut physics = World::new(&description, 0)?;
    let ticks = 500;
    let start = Instant::now();
    for _ in 0..ticks {
        physics.step_tick()?;
    }
    let physics_steps_per_s = f64::from(ticks) * substeps / start.elapsed().as_secs_f64();

    let mut crew = carrying(folders, world)?;
    let mut times_ms = Vec::new();
    let start = Instant::now();
    for _ in 0..1500 {
        let tick = Instant::now();
        crew.window(1, false, &mut |_| {})?;
        times_ms.push(tick.elapsed().as_secs_f64() * 1e3);
    }
    let bare_real_time_factor = times_ms.len() as f64 * TICK_S / start.elapsed().as_secs_f64();

    let config = G1Config::load(&folders.config.join("nodes/g1.yaml"), &folders.config.join("robots/g1.yaml"))?;
    let mut policy = WalkPolicy::load(&folders.assets.join(&config.settings.policy))?;
    let mut times_us = Vec::new();
    for i in 0..2000 {
        let observation = [0.001 * i as f32; 100];
        let start = Instant::now();
        policy.infer(&observation)?;
        times_us.push(start.elapsed().as_secs_f64() * 1e6);
    }
    let at = |values: &[f64], q: f64| quantile(values, q).unwrap_or(f64::NAN);
    Ok(Bench {
        physics_steps_per_s,
        bare_real_time_factor,
        bare_tick_p50_ms: at(&times_ms, 0.5),
        bare_tick_p99_ms: at(&times_ms, 0.99),
        inference_p50_us: at(&times_us, 0.5),
        inference_p99_us: at(&times_us, 0.99),
    })
}

/// Two robots that carry the payload and stand: what a tick costs in the middle of the job.
fn carrying(folders: &Folders, world: &str) -> anyhow::Result<Crew> {
    let mut crew = Crew::load(&folders.config, &folders.assets, world, 0)?;
    crew.reset(0, &mut |_| {})?;
    let goal = SkillGoal {
        call: SkillCall::InitSupport,
        transaction_id: "bench".into(),
        context_epoch: crew.bridge().context_epoch(),
        start_tick: crew.bridge().tick() + 1,
        deadline_s: 30.0,
    };
    let goals = vec![goal; crew.robots().len()];
    crew.dispatch(&goals, 1502, &mut |_| {})?;
    crew.place_payload(&mut |_| {})?;
    crew.window(200, false, &mut |_| {})?;
    Ok(crew)
}

/// The measurements for people.
#[must_use]
pub fn summary(bench: &Bench) -> String {
    format!(
        "physics, two standing robots: {:.0} steps/s\nphysics and policies carrying, bare loop: {:.1} × real time, tick {:.2} ms median, {:.2} ms p99\npolicy inference: {:.0} µs median, {:.0} µs p99\n",
        bench.physics_steps_per_s,
        bench.bare_real_time_factor,
        bench.bare_tick_p50_ms,
        bench.bare_tick_p99_ms,
        bench.inference_p50_us,
        bench.inference_p99_us
    )
}
