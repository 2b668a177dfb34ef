//! Prints how fast the world L1 steps with both robots standing on their motor law.

use std::path::Path;
use std::time::Instant;
use troupe_world::{World, WorldDescription};

fn main() -> Result<(), troupe_world::WorldError> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../config/worlds/l1.yaml");
    let description = WorldDescription::load(&file)?;
    let substeps = description.config.physics.substeps;
    let mut world = World::new(&description, 0)?;
    let ticks = 30;
    let mut best = f64::INFINITY;
    for seed in 0..8 {
        // Without a walking policy robots stand for about a second.
        world.reset(seed)?;
        let start = Instant::now();
        for _ in 0..ticks {
            world.step_tick()?;
        }
        best = best.min(start.elapsed().as_secs_f64() / f64::from(ticks));
    }
    let state = world.robot_state(0)?;
    println!("pelvis at {:.3} m after {} ticks", state.base.position[2], ticks);
    println!("{:.0} us per physics step, {:.0} steps/s", 1e6 * best / f64::from(substeps), f64::from(substeps) / best);
    println!("{:.1} times real time", troupe_core::TICK_S / best);
    Ok(())
}
