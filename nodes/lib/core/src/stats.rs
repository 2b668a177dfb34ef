//! Uncertainty that goes with every figure (G-12).

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

#[cfg(test)]
mod tests {
    use super::*;

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
