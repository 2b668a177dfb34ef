//! Both stores with retrieval, merging and caps; where they are kept is another's matter (CE-090, CE-093 to CE-096).

use super::{Exemplar, ExemplarQuery, Polarity, StrategyQuery, StrategyRecord, score};
use serde::{Deserialize, Serialize};
use troupe_core::identity::{IdentityError, identity};

/// Bounds of a bank and of one retrieval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BankCaps {
    /// Strategy records kept (CE-096).
    pub strategies: usize,
    /// Exemplars kept (CE-096).
    pub exemplars: usize,
    /// Strategy records of one retrieval (CE-093).
    pub retrieved_strategies: usize,
    /// Counterexamples among them (CE-093).
    pub retrieved_counterexamples: usize,
    /// Exemplars of one retrieval (CE-094).
    pub retrieved_exemplars: usize,
}

/// What a promotion did to a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Record written.
    pub id: String,
    /// It was there already and only its counters rose.
    pub merged: bool,
    /// Record that had to go.
    pub evicted: Option<String>,
}

/// All experience of one bank, in order of creation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bank {
    /// M^D.
    pub strategies: Vec<StrategyRecord>,
    /// M^A.
    pub exemplars: Vec<Exemplar>,
}

impl Bank {
    fn next(&self) -> u64 {
        let newest = self.strategies.iter().map(|r| r.created).chain(self.exemplars.iter().map(|e| e.created)).max();
        newest.map_or(1, |n| n + 1)
    }

    /// The best records of the active phase (CE-093).
    #[must_use]
    pub fn retrieve_strategies(&self, query: &StrategyQuery, caps: &BankCaps) -> Vec<StrategyRecord> {
        let mut fitting: Vec<&StrategyRecord> = self.strategies.iter().filter(|r| r.phase == query.phase).collect();
        fitting.sort_by_key(|r| std::cmp::Reverse(r.created));
        let mut ranked: Vec<(f64, &StrategyRecord)> =
            fitting.into_iter().enumerate().map(|(age, r)| (score(query, r, age), r)).collect();
        // A stable sort keeps the newer of two equals first.
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut counterexamples = 0;
        ranked
            .into_iter()
            .filter(|(_, r)| {
                let counts = r.polarity == Polarity::Counterexample;
                counterexamples += usize::from(counts);
                !counts || counterexamples <= caps.retrieved_counterexamples
            })
            .take(caps.retrieved_strategies)
            .map(|(_, r)| r.clone())
            .collect()
    }

    /// Exemplars of exactly this kappa, d and m; those of the phase first, newest acceptance first (CE-094).
    #[must_use]
    pub fn retrieve_exemplars(&self, query: &ExemplarQuery, caps: &BankCaps) -> Vec<Exemplar> {
        let key = |e: &&Exemplar| (e.kind, e.objective, e.mode) == (query.kind, query.objective, query.mode);
        let mut fitting: Vec<&Exemplar> = self.exemplars.iter().filter(key).filter(|e| e.n_accept > e.n_reject).collect();
        fitting.sort_by_key(|e| (e.phase != query.phase, std::cmp::Reverse(e.created)));
        fitting.into_iter().take(caps.retrieved_exemplars).cloned().collect()
    }

    /// Adds a record or counts it into its near-duplicate (CE-096).
    pub fn add_strategy(&mut self, record: StrategyRecord, caps: &BankCaps) -> Change {
        let (id, created) = (record.id.clone(), self.next());
        if let Some(known) = self.strategies.iter_mut().find(|r| r.id == id) {
            known.n_accept += record.n_accept;
            known.n_reject += record.n_reject;
            return Change { id, merged: true, evicted: None };
        }
        let evicted = (self.strategies.len() >= caps.strategies).then(|| {
            let worst = |r: &&StrategyRecord| (worth(r.n_accept, r.n_reject), r.created);
            self.strategies.iter().min_by_key(worst).map(|r| r.id.clone())
        });
        let evicted = evicted.flatten();
        self.strategies.retain(|r| Some(&r.id) != evicted.as_ref());
        self.strategies.push(StrategyRecord { created, ..record });
        Change { id, merged: false, evicted }
    }

    /// Adds an exemplar or counts it into its duplicate (CE-096).
    pub fn add_exemplar(&mut self, exemplar: Exemplar, caps: &BankCaps) -> Change {
        let (id, created) = (exemplar.id.clone(), self.next());
        if let Some(known) = self.exemplars.iter_mut().find(|e| e.id == id) {
            known.n_accept += exemplar.n_accept;
            known.n_reject += exemplar.n_reject;
            if exemplar.n_accept > 0 {
                known.created = created;
            }
            return Change { id, merged: true, evicted: None };
        }
        let evicted = (self.exemplars.len() >= caps.exemplars).then(|| {
            let worst = |e: &&Exemplar| (worth(e.n_accept, e.n_reject), e.created);
            self.exemplars.iter().min_by_key(worst).map(|e| e.id.clone())
        });
        let evicted = evicted.flatten();
        self.exemplars.retain(|e| Some(&e.id) != evicted.as_ref());
        self.exemplars.push(Exemplar { created, ..exemplar });
        Change { id, merged: false, evicted }
    }

    /// Notes that retrieved records preceded a rejected transaction; their worth falls.
    pub fn count_rejected(&mut self, strategy_ids: &[String]) {
        for record in self.strategies.iter_mut().filter(|r| strategy_ids.contains(&r.id) && r.polarity == Polarity::Positive) {
            record.n_reject += 1;
        }
    }

    /// Identity of everything in it.
    ///
    /// # Errors
    /// When a number in it is not finite.
    pub fn identity(&self) -> Result<String, IdentityError> {
        identity(self)
    }
}

fn worth(n_accept: u32, n_reject: u32) -> i64 {
    i64::from(n_accept) - i64::from(n_reject)
}
