//! Work on several threads, results in the order of the items.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Gives every item to one of `jobs` threads. An item for which `work` returns `None` ends its thread's part:
/// nothing more is taken up, what others have begun is finished.
///
/// # Errors
/// When a thread ended early.
pub fn each<T: Sync, R: Send>(items: &[T], jobs: usize, work: impl Fn(&T) -> Option<R> + Sync) -> anyhow::Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(result) = items.get(index).and_then(&work) else { break };
                    if let Ok(mut done) = done.lock() {
                        done.push((index, result));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().map_err(|_| anyhow::anyhow!("a working thread ended early"))?;
    done.sort_by_key(|(index, _)| *index);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_and_a_stop_stops() {
        let items: Vec<u32> = (0..50).collect();
        assert_eq!(each(&items, 4, |i| Some(i * 2)).unwrap(), (0..50).map(|i| i * 2).collect::<Vec<_>>());
        assert_eq!(each(&items, 1, |i| (*i < 3).then_some(*i)).unwrap(), [0, 1, 2]);
        assert!(each(&[] as &[u32], 4, |i| Some(*i)).unwrap().is_empty());
    }
}
