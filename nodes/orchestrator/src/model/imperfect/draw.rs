//! Seeded chance without state: a number for each name.

use troupe_core::identity::sha256_hex;

/// Draws that depend on nothing but their parts and names.
#[derive(Clone, Debug)]
pub(super) struct Draw {
    base: String,
}

impl Draw {
    /// Draws of these parts.
    pub(super) fn new(parts: &[&str]) -> Self {
        Self { base: parts.join("\u{0}") }
    }

    /// A number in `[0, 1)`, uniform over names and parts.
    pub(super) fn of(&self, name: &str) -> f64 {
        let hash = sha256_hex(format!("{}\u{0}{name}", self.base).as_bytes());
        // 13 hex digits are 52 bits, which a float holds exactly.
        let bits = hash.get(..13).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or_default();
        bits as f64 / (1u64 << 52) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_uniform_and_repeat() {
        let draw = Draw::new(&["a", "b"]);
        let values: Vec<f64> = (0..2000).map(|i| draw.of(&i.to_string())).collect();
        assert!(values.iter().all(|v| (0.0..1.0).contains(v)));
        let mean = values.iter().sum::<f64>() / 2000.0;
        assert!((mean - 0.5).abs() < 0.03, "{mean}");
        assert!(values.iter().filter(|v| **v < 0.1).count().abs_diff(200) < 50);
        assert_eq!(draw.of("x").to_bits(), Draw::new(&["a", "b"]).of("x").to_bits());
        assert_ne!(draw.of("x").to_bits(), Draw::new(&["a", "c"]).of("x").to_bits());
    }
}
