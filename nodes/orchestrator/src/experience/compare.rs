//! What one bank has that another has not.

use troupe_coordination::experience::Bank;

/// One record that differs, by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Only in the first.
    Removed(String),
    /// Only in the second.
    Added(String),
    /// In both, with other counters or texts.
    Changed(String),
}

impl Difference {
    /// One line for people: `-`, `+` or `~` and the id.
    #[must_use]
    pub fn line(&self) -> String {
        match self {
            Self::Removed(id) => format!("- {id}"),
            Self::Added(id) => format!("+ {id}"),
            Self::Changed(id) => format!("~ {id}"),
        }
    }
}

/// Differences from `a` to `b`, strategies first, in order of id.
#[must_use]
pub fn compare(a: &Bank, b: &Bank) -> Vec<Difference> {
    let mut out = each(&a.strategies, &b.strategies, |r| &r.id);
    out.extend(each(&a.exemplars, &b.exemplars, |e| &e.id));
    out
}

fn each<T: PartialEq>(a: &[T], b: &[T], id: fn(&T) -> &String) -> Vec<Difference> {
    let ids: std::collections::BTreeSet<&String> = a.iter().chain(b).map(id).collect();
    let find = |of: &'_ [T], wanted: &String| of.iter().position(|r| id(r) == wanted);
    ids.into_iter()
        .filter_map(|wanted| match (find(a, wanted), find(b, wanted)) {
            (Some(_), None) => Some(Difference::Removed(wanted.clone())),
            (None, Some(_)) => Some(Difference::Added(wanted.clone())),
            (Some(i), Some(j)) if a.get(i) != b.get(j) => Some(Difference::Changed(wanted.clone())),
            _ => None,
        })
        .collect()
}
