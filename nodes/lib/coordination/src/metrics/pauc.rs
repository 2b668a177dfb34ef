//! Area under the progress curve over a fixed number of transactions (CE-112).

use super::facts::Attained;
use std::collections::BTreeMap;

/// PAUC@B of one run in percent: 100 / (K B) · Σ max(0, B − t) over milestones, t being the first
/// certification. 0 without milestones or horizon.
#[must_use]
pub fn pauc(certified_at: &[Attained], milestones_total: u32, horizon: u32) -> f64 {
    if milestones_total == 0 || horizon == 0 {
        return 0.0;
    }
    let credit: f64 = first(certified_at)
        .into_values()
        .take(milestones_total as usize)
        .map(|t| f64::from(horizon.saturating_sub(t)))
        // An empty sum of floats is -0, which tables would print.
        .fold(0.0, |sum, credit| sum + credit);
    100.0 * credit / (f64::from(milestones_total) * f64::from(horizon))
}

/// First certification of each milestone, whatever the order of the list.
fn first(certified_at: &[Attained]) -> BTreeMap<&str, u32> {
    let mut first = BTreeMap::new();
    for a in certified_at {
        let t = first.entry(a.milestone.as_str()).or_insert(a.transaction);
        *t = a.transaction.min(*t);
    }
    first
}

/// Milestones certified so far after each of 0..=`horizon` transactions; held after the end of a run.
#[must_use]
pub fn curve(certified_at: &[Attained], horizon: u32) -> Vec<u32> {
    let first = first(certified_at);
    (0..=horizon).map(|n| first.values().filter(|t| **t <= n).count() as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn runs() -> impl Strategy<Value = Vec<Attained>> {
        prop::collection::vec((0u8..8, 1u32..200), 0..12)
            .prop_map(|v| v.into_iter().map(|(m, transaction)| Attained { milestone: format!("m{m}"), transaction }).collect())
    }

    proptest! {
        #[test]
        fn ce_112_pauc_is_bounded_and_grows_with_the_horizon(run in runs(), b in 1u32..300, more in 0u32..100) {
            let (short, long) = (pauc(&run, 8, b), pauc(&run, 8, b + more));
            prop_assert!((0.0..=100.0).contains(&short) && (0.0..=100.0).contains(&long));
            prop_assert!(short <= long + 1e-9, "{short} {long}");
        }

        #[test]
        fn ce_112_later_duplicates_and_order_change_nothing(run in runs(), b in 1u32..300, later in 0u32..50) {
            let once = pauc(&run, 8, b);
            let mut twice = run.clone();
            twice.extend(run.iter().map(|a| Attained { milestone: a.milestone.clone(), transaction: a.transaction + later }));
            twice.reverse();
            prop_assert!((pauc(&twice, 8, b) - once).abs() < 1e-9);
        }

        #[test]
        fn ce_112_an_earlier_certification_never_costs(run in runs(), b in 1u32..300, sooner in 0u32..50) {
            let earlier: Vec<_> = run.iter().map(|a| Attained { transaction: a.transaction.saturating_sub(sooner).max(1), ..a.clone() }).collect();
            prop_assert!(pauc(&earlier, 8, b) + 1e-9 >= pauc(&run, 8, b));
        }

        #[test]
        fn ce_112_the_closed_form_is_the_mean_of_the_curve(run in runs(), b in 1u32..120) {
            // Credit from the transaction after certification on: the mean of the curve over 0..B.
            let curve = curve(&run, b);
            let area: u32 = curve.iter().take(b as usize).sum();
            let mean = 100.0 * f64::from(area) / (8.0 * f64::from(b));
            prop_assert!((pauc(&run, 8, b) - mean).abs() < 1e-6);
        }
    }
}
