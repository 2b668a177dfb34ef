//! What a variation changes from episode to episode (CE-153, CE-154).

use troupe_core::state::TeamState;
use troupe_core::variation::{Drawn, Estimator, Variation};
use troupe_world::WorldDescription;

/// The world as described, the variation, and what is in force.
#[derive(Clone, Debug)]
pub(crate) struct Varying {
    described: WorldDescription,
    variation: Variation,
    drawn: Drawn,
    /// In the way between truth and `team/state`; none where truth is published.
    pub estimator: Option<Estimator>,
}

impl Varying {
    pub fn new(described: &WorldDescription, variation: &Variation) -> Self {
        let (described, variation) = (described.clone(), variation.clone());
        Self { described, variation, drawn: Drawn::default(), estimator: None }
    }

    /// Draws an episode's values: the world with them, and whether it differs from the one in force.
    pub fn draw(&mut self, seed: u64) -> (WorldDescription, bool) {
        let drawn = self.variation.draw(seed, self.described.config.physics.timestep_s);
        let differs = drawn != self.drawn;
        self.drawn = drawn;
        (self.described.varied(&self.drawn), differs)
    }

    /// Begins an episode's estimation at its first state.
    pub fn start(&mut self, seed: u64, truth: &TeamState) {
        self.estimator = self.variation.estimate.map(|config| Estimator::new(config, seed, truth));
    }
}
