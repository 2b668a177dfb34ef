//! Banks from banks: pooling those of several runs, and the best of one for studies of equal size (CE-125).

use super::{Bank, BankCaps, Exemplar, StrategyRecord};

/// A store that cannot give as many records as are asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bank has {has} {store}; allowed: a size up to that, not {asked}")]
pub struct TooSmall {
    /// Which store.
    pub store: &'static str,
    /// Its records.
    pub has: usize,
    /// Records asked for.
    pub asked: usize,
}

impl Bank {
    /// Takes in every record of another bank, as if its runs had been this one's.
    pub fn merge(&mut self, other: &Self, caps: &BankCaps) {
        for record in &other.strategies {
            self.add_strategy(record.clone(), caps);
        }
        for exemplar in &other.exemplars {
            self.add_exemplar(exemplar.clone(), caps);
        }
    }

    /// The `n` records of each store that were borne out most often, the newer of two equals first; they keep
    /// their order of creation.
    ///
    /// # Errors
    /// [`TooSmall`]: banks of equal size must be equal.
    pub fn best(&self, n: usize) -> Result<Self, TooSmall> {
        let worth = |(for_it, against): (u32, u32), created: u64| (i64::from(for_it) - i64::from(against), created);
        Ok(Self {
            strategies: best("strategies", &self.strategies, n, |r: &StrategyRecord| worth(r.borne_out(), r.created))?,
            exemplars: best("exemplars", &self.exemplars, n, |e: &Exemplar| worth((e.n_accept, e.n_reject), e.created))?,
        })
    }
}

fn best<T: Clone>(store: &'static str, all: &[T], n: usize, worth: impl Fn(&T) -> (i64, u64)) -> Result<Vec<T>, TooSmall> {
    if all.len() < n {
        return Err(TooSmall { store, has: all.len(), asked: n });
    }
    let mut ranked: Vec<(usize, &T)> = all.iter().enumerate().collect();
    ranked.sort_by_key(|(_, record)| std::cmp::Reverse(worth(record)));
    ranked.truncate(n);
    ranked.sort_by_key(|(place, _)| *place);
    Ok(ranked.into_iter().map(|(_, record)| record.clone()).collect())
}
