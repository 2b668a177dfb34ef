//! Numbers drawn from a seed by name, so that a new draw changes none of the others.

use crate::identity::sha256_hex;

/// Draws of one seed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draws {
    seed: u64,
}

impl Draws {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Uniform in [0, 1).
    pub(super) fn unit(self, name: &str) -> f64 {
        let hash = sha256_hex(format!("corridor/{}/{name}", self.seed).as_bytes());
        // 13 hex digits are the 52 bits that a float holds exactly.
        let bits = hash.get(..13).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or_default();
        bits as f64 / (1_u64 << 52) as f64
    }

    /// Uniform in `low..=high`, to the centimetre.
    pub(super) fn between(self, name: &str, [low, high]: [f64; 2]) -> f64 {
        let value = low + self.unit(name) * (high - low);
        // Not `clamp`, which panics where rounding has put the ends of an empty range in the wrong order.
        ((value * 100.0).round() / 100.0).max(low).min(high)
    }

    /// One of some items; `None` of none.
    pub(super) fn one_of<'a, T>(self, name: &str, items: &'a [T]) -> Option<&'a T> {
        items.get((self.unit(name) * items.len() as f64) as usize)
    }
}
