//! What a person sees while a study runs: one line a run, how far it is, and how long it will take.

use indicatif::ProgressBar;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;
use troupe_orchestrator::report::Report;
use troupe_orchestrator::study::spec::Episode;

/// A bar on a terminal, plain lines elsewhere.
pub(super) struct Shown {
    bar: Option<ProgressBar>,
    total: usize,
    done: AtomicUsize,
    start: Instant,
    stopping: AtomicBool,
}

impl Shown {
    pub(super) fn new(total: usize, jobs: usize, kept: usize) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| ProgressBar::new(total as u64));
        let shown =
            Self { bar, total, done: AtomicUsize::new(0), start: Instant::now(), stopping: AtomicBool::new(false) };
        shown.line(&format!("{total} runs to make, {jobs} at a time; {kept} are kept. Ctrl-C finishes those under way."));
        shown
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => {
                // A closed standard error must not end a study.
                let _ = writeln!(std::io::stderr(), "{text}");
            }
        }
    }

    /// One run is over.
    pub(super) fn ran(&self, episode: &Episode, result: &anyhow::Result<Report>) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let words = match result {
            Ok(r) => format!(
                "{} after {} transactions, {} of {} milestones, {:.1} s wall",
                r.outcome,
                r.transactions,
                r.milestones.len(),
                r.milestones_all.len(),
                r.wall_s
            ),
            Err(error) => format!("failed: {error:#}"),
        };
        let p = &episode.place;
        let left = left(self.start.elapsed().as_secs_f64(), done, self.total);
        self.line(&format!(
            "[{done}/{}, {left} left] {} {} {} seed {}: {words}",
            self.total, p.world, p.provider, p.method, p.seed
        ));
        if let Some(bar) = &self.bar {
            bar.set_position(done as u64);
            bar.set_message(left);
        }
    }

    /// Says once that no more runs are begun.
    pub(super) fn stopping(&self) {
        if !self.stopping.swap(true, Ordering::Relaxed) {
            self.line("stopping: runs under way are finished; once more ends them at once, and the next call makes them anew");
        }
    }

    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Time left at the pace so far.
fn left(elapsed_s: f64, done: usize, total: usize) -> String {
    let left_s = elapsed_s / done.max(1) as f64 * total.saturating_sub(done) as f64;
    if left_s < 90.0 { format!("{left_s:.0} s") } else { format!("{:.0} min", left_s / 60.0) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_pace_so_far_gives_the_time_left() {
        assert_eq!((super::left(30.0, 3, 9), super::left(60.0, 2, 12)), ("60 s".into(), "5 min".into()));
    }
}
