//! Seeded noise whose position in the stream can be saved and restored.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Streams of one seed that do not touch each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// What robots sense.
    Sensors = 0,
    /// Start poses.
    Start = 1,
    /// What a variation of the world draws (CE-153).
    Variation = 2,
    /// Errors and dropouts of estimated state (CE-154).
    Estimate = 3,
}

/// A noise source.
#[derive(Clone, Debug)]
pub struct Noise(ChaCha8Rng);

impl Noise {
    /// The start of a stream of an episode's seed.
    #[must_use]
    pub fn new(seed: u64, stream: Stream) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream as u64);
        Self(rng)
    }

    /// Words drawn so far.
    #[must_use]
    pub fn position(&self) -> u128 {
        self.0.get_word_pos()
    }

    /// Continues after that many words.
    pub fn set_position(&mut self, words: u128) {
        self.0.set_word_pos(words);
    }

    /// Uniform in [0, 1) with 53 bits.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [−half, half); draws also when `half` is 0, so that streams stay comparable.
    pub fn uniform(&mut self, half: f64) -> f64 {
        half * (2.0 * self.unit() - 1.0)
    }

    /// Normal with mean 0 (Box–Muller); draws twice.
    pub fn normal(&mut self, sd: f64) -> f64 {
        let (u, v) = (1.0 - self.unit(), self.unit());
        sd * (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restored_position_continues_the_same_numbers() {
        let mut noise = Noise::new(7, Stream::Sensors);
        for _ in 0..37 {
            noise.uniform(1.0);
        }
        let at = noise.position();
        let first: Vec<f64> = (0..50).map(|_| noise.uniform(1.0)).collect();
        let mut again = Noise::new(7, Stream::Sensors);
        again.set_position(at);
        let second: Vec<f64> = (0..50).map(|_| again.uniform(1.0)).collect();
        assert_eq!(first, second);
        assert!(first.iter().all(|v| (-1.0..1.0).contains(v)));
    }

    #[test]
    fn normal_noise_has_its_spread_and_streams_differ() {
        let mut noise = Noise::new(1, Stream::Start);
        let values: Vec<f64> = (0..20_000).map(|_| noise.normal(2.0)).collect();
        let mean = values.iter().sum::<f64>() / 20_000.0;
        let sd = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 20_000.0).sqrt();
        assert!(mean.abs() < 0.05 && (sd - 2.0).abs() < 0.05, "{mean} {sd}");
        assert!(Noise::new(1, Stream::Sensors).uniform(1.0).to_bits() != Noise::new(1, Stream::Start).uniform(1.0).to_bits());
    }
}
