//! Uncertainty that goes with every figure (G-12).

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Resamples behind every published bootstrap interval (G-12).
pub const BOOTSTRAP_DRAWS: u32 = 10_000;

/// Wilson 95 % interval of a success count, as shares in 0..1; `None` without trials.
#[must_use]
pub fn wilson95(successes: u32, trials: u32) -> Option<[f64; 2]> {
    if trials == 0 {
        return None;
    }
    let (n, z) = (f64::from(trials), 1.959_963_984_540_054);
    let p = f64::from(successes.min(trials)) / n;
    let z2n = z * z / n;
    let centre = (p + 0.5 * z2n) / (1.0 + z2n);
    let half = z * (p * (1.0 - p) / n + 0.25 * z2n / n).sqrt() / (1.0 + z2n);
    Some([(centre - half).max(0.0), (centre + half).min(1.0)])
}

/// Quantile `q` (0..1) with linear interpolation; `None` without values.
#[must_use]
pub fn quantile(values: &[f64], q: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let position = q.clamp(0.0, 1.0) * sorted.len().checked_sub(1)? as f64;
    let low = position.floor() as usize;
    let a = *sorted.get(low)?;
    let b = sorted.get(low + 1).copied().unwrap_or(a);
    Some(a + (b - a) * (position - low as f64))
}

/// Mean of paired differences with its bootstrap interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bootstrap {
    /// Mean of the differences, in their unit.
    pub mean: f64,
    /// 2.5 % quantile of the resampled means.
    pub low: f64,
    /// 97.5 % quantile of the resampled means.
    pub high: f64,
    /// Pairs.
    pub pairs: usize,
}

impl Bootstrap {
    /// Whether zero lies outside the interval.
    #[must_use]
    pub fn excludes_zero(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// Percentile bootstrap over pairs: `differences` holds one value for each pair of runs that share task and
/// seed. Equal arguments give equal intervals. `None` without pairs, draws, or when a value is not finite.
#[must_use]
pub fn paired_bootstrap(differences: &[f64], draws: u32, seed: u64) -> Option<Bootstrap> {
    let pairs = differences.len();
    if pairs == 0 || draws == 0 || differences.iter().any(|d| !d.is_finite()) {
        return None;
    }
    let n = pairs as f64;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut means = Vec::with_capacity(draws as usize);
    for _ in 0..draws {
        let mut sum = 0.0;
        for _ in 0..pairs {
            // The high half of the product is uniform over the pairs.
            let at = ((u128::from(rng.next_u64()) * pairs as u128) >> 64) as usize;
            sum += differences.get(at).copied().unwrap_or_default();
        }
        means.push(sum / n);
    }
    means.sort_by(f64::total_cmp);
    let mean = differences.iter().sum::<f64>() / n;
    Some(Bootstrap { mean, low: quantile(&means, 0.025)?, high: quantile(&means, 0.975)?, pairs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn g_12_a_bootstrap_repeats_and_widens_with_spread() {
        let steady = [1.0; 20];
        let same = paired_bootstrap(&steady, BOOTSTRAP_DRAWS, 7).unwrap();
        assert_eq!((same.mean, same.low, same.high, same.pairs), (1.0, 1.0, 1.0, 20));
        assert!(same.excludes_zero());
        let mixed: Vec<f64> = (0..20).map(|i| if i < 12 { 100.0 } else { 0.0 }).collect();
        let a = paired_bootstrap(&mixed, BOOTSTRAP_DRAWS, 7).unwrap();
        assert_eq!(Some(a), paired_bootstrap(&mixed, BOOTSTRAP_DRAWS, 7));
        // The binomial spread of 12 in 20 is 10.95 points, so about 38.5 to 81.5.
        assert!((a.low - 40.0).abs() <= 5.0 && (a.high - 80.0).abs() <= 5.0, "{a:?}");
        assert_eq!(paired_bootstrap(&[], 10, 0), None);
        assert_eq!(paired_bootstrap(&[f64::NAN], 10, 0), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]
        #[test]
        fn a_bootstrap_stays_between_the_extremes(d in prop::collection::vec(-100.0..100.0f64, 1..15), seed in any::<u64>()) {
            let b = paired_bootstrap(&d, 500, seed).unwrap();
            let (low, high) = d.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
            prop_assert!(low - 1e-9 <= b.low && b.low <= b.high && b.high <= high + 1e-9);
        }
    }

    #[test]
    fn wilson_matches_the_worked_examples() {
        // G-12: 13/20, 6/10, 0/10.
        for (s, n, low, high) in [(13, 20, 43.3, 81.9), (6, 10, 31.3, 83.2), (0, 10, 0.0, 27.8)] {
            let [a, b] = wilson95(s, n).unwrap();
            assert!((100.0 * a - low).abs() < 0.05 && (100.0 * b - high).abs() < 0.06, "{s}/{n}: {a} {b}");
        }
        assert_eq!(wilson95(0, 0), None);
    }

    #[test]
    fn quantiles_interpolate() {
        assert_eq!(quantile(&[3.0, 1.0, 2.0], 0.5), Some(2.0));
        assert_eq!(quantile(&[1.0, 2.0], 0.75), Some(1.75));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
