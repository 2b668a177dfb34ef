//! Run time: elapsed inside recorded segments, once per logical run (CE-116).

use serde::{Deserialize, Serialize};

/// A stretch of wall-clock time inside a logical run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    /// Begin, s since some moment that all segments of the run share.
    pub from_s: f64,
    /// End, s; `None` when it was not recorded.
    pub to_s: Option<f64>,
    /// Newest moment that the segment is known to have reached, s.
    pub seen_s: f64,
    /// Excluded: a manual pause, an edit of code, a wait in a queue.
    pub excluded: bool,
}

/// Time of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunTime {
    /// Wall-clock s.
    pub wall_s: f64,
    /// An interval is missing: the true time is longer.
    pub lower_bound: bool,
}

/// Sums segments: overlaps of concurrent children count once, excluded stretches not at all, and a segment
/// without an end counts up to where it was last seen and makes the sum a lower bound.
#[must_use]
pub fn run_time(segments: &[Segment]) -> RunTime {
    let mut lower_bound = false;
    let mut spans: Vec<(f64, f64)> = Vec::new();
    for segment in segments.iter().filter(|s| !s.excluded) {
        let end = segment.to_s.unwrap_or_else(|| {
            lower_bound = true;
            segment.seen_s
        });
        if segment.from_s.is_finite() && end.is_finite() && end > segment.from_s {
            spans.push((segment.from_s, end));
        }
    }
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut wall_s, mut reached) = (0.0, f64::NEG_INFINITY);
    for (from, to) in spans {
        wall_s += (to - from.max(reached)).max(0.0);
        reached = reached.max(to);
    }
    RunTime { wall_s, lower_bound }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(from_s: f64, to_s: Option<f64>) -> Segment {
        Segment { from_s, to_s, seen_s: from_s + 5.0, excluded: false }
    }

    #[test]
    fn ce_116_segments_are_summed_once() {
        // A pause between the first two; two children at once in the third.
        let all = [segment(0.0, Some(10.0)), segment(30.0, Some(40.0)), segment(35.0, Some(42.0)), segment(36.0, Some(38.0))];
        assert_eq!(run_time(&all), RunTime { wall_s: 22.0, lower_bound: false });
        let pause = Segment { excluded: true, ..segment(10.0, Some(30.0)) };
        assert_eq!(run_time(&[all[0], pause]), RunTime { wall_s: 10.0, lower_bound: false });
    }

    #[test]
    fn ce_116_a_missing_end_is_a_lower_bound_and_not_zero() {
        assert_eq!(run_time(&[segment(0.0, None)]), RunTime { wall_s: 5.0, lower_bound: true });
        assert_eq!(run_time(&[]), RunTime::default());
    }
}
