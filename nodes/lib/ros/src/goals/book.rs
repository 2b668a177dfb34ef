//! The states of all goals of one action, without any input or output.

use std::collections::{BTreeMap, VecDeque};

/// The 16 bytes that a client chose for its goal.
pub type GoalId = [u8; 16];

/// Status numbers of `action_msgs/GoalStatus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i8)]
pub enum GoalStatus {
    /// Being worked on.
    Executing = 2,
    /// A cancel was taken; the work is being stopped.
    Canceling = 3,
    /// Done.
    Succeeded = 4,
    /// Canceled.
    Canceled = 5,
    /// Failed, or refused before it began.
    Aborted = 6,
}

impl GoalStatus {
    /// True for the three ends.
    #[must_use]
    pub fn is_end(self) -> bool {
        !matches!(self, Self::Executing | Self::Canceling)
    }
}

/// Return codes of `action_msgs/CancelGoal`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i8)]
pub enum CancelCode {
    /// The goals named are being canceled.
    Taken = 0,
    /// Nothing fits.
    Rejected = 1,
    /// The goal has ended before.
    Ended = 3,
}

/// What a new goal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// New.
    New,
    /// Canceled before it came: to be accepted and canceled at once.
    Canceled,
    /// The id is taken.
    Duplicate,
}

#[derive(Debug)]
struct Entry<M, R> {
    accepted_ns: i64,
    shown: bool,
    status: GoalStatus,
    result: Option<M>,
    waiting: Vec<R>,
}

/// What to answer to a request for a result.
#[derive(Debug, PartialEq)]
pub enum ResultAnswer<M, R> {
    /// Answer now.
    Now(R, GoalStatus, M),
    /// It is kept until the goal ends.
    Later,
    /// No such goal.
    Unknown(R),
}

/// All goals: `M` is a result message, `R` a request that waits for one.
#[derive(Debug)]
pub struct GoalBook<M, R> {
    goals: BTreeMap<GoalId, Entry<M, R>>,
    ended: VecDeque<GoalId>,
    early_cancels: VecDeque<GoalId>,
    keep: usize,
}

impl<M: Clone, R> GoalBook<M, R> {
    /// Remembers the last `keep` ended goals and early cancels.
    #[must_use]
    pub fn new(keep: usize) -> Self {
        Self { goals: BTreeMap::new(), ended: VecDeque::new(), early_cancels: VecDeque::new(), keep: keep.max(1) }
    }

    /// A goal has come.
    pub fn offer(&mut self, id: GoalId) -> Offer {
        if self.goals.contains_key(&id) {
            return Offer::Duplicate;
        }
        match self.early_cancels.iter().position(|early| *early == id) {
            Some(index) => {
                self.early_cancels.remove(index);
                Offer::Canceled
            }
            None => Offer::New,
        }
    }

    /// The goal is accepted and executes from now on.
    pub fn accept(&mut self, id: GoalId, accepted_ns: i64) {
        self.insert(id, accepted_ns, true);
    }

    /// The goal is refused; its result says why. Refused goals are not listed.
    pub fn refuse(&mut self, id: GoalId, result: M) -> Vec<R> {
        self.insert(id, 0, false);
        self.end(id, GoalStatus::Aborted, result)
    }

    fn insert(&mut self, id: GoalId, accepted_ns: i64, shown: bool) {
        let entry = Entry { accepted_ns, shown, status: GoalStatus::Executing, result: None, waiting: Vec::new() };
        self.goals.insert(id, entry);
    }

    /// The goal has ended; returns the requests that waited for its result. A second end is ignored.
    pub fn end(&mut self, id: GoalId, status: GoalStatus, result: M) -> Vec<R> {
        let Some(entry) = self.goals.get_mut(&id).filter(|e| !e.status.is_end()) else { return Vec::new() };
        entry.status = status;
        entry.result = Some(result);
        let waiting = std::mem::take(&mut entry.waiting);
        self.ended.push_back(id);
        if self.ended.len() > self.keep
            && let Some(oldest) = self.ended.pop_front()
        {
            self.goals.remove(&oldest);
        }
        waiting
    }

    /// A cancel request as `action_msgs/CancelGoal` defines it: an id of zeros means all goals, a stamp
    /// above 0 all goals accepted up to then. Returns the code and the goals that begin to cancel now;
    /// the answer also names a goal that is being canceled already, and one that has not come yet.
    pub fn cancel(&mut self, id: GoalId, until_ns: i64) -> (CancelCode, Vec<GoalId>, Vec<GoalId>) {
        let all = id == GoalId::default() && until_ns == 0;
        let (mut begin, mut named) = (Vec::new(), Vec::new());
        for (goal, entry) in &mut self.goals {
            let meant = all || *goal == id || (until_ns > 0 && entry.accepted_ns <= until_ns);
            if !meant || entry.status.is_end() {
                continue;
            }
            if entry.status == GoalStatus::Executing {
                entry.status = GoalStatus::Canceling;
                begin.push(*goal);
            }
            named.push(*goal);
        }
        if !named.is_empty() {
            return (CancelCode::Taken, begin, named);
        }
        if id == GoalId::default() {
            return (CancelCode::Rejected, begin, named);
        }
        if self.goals.contains_key(&id) {
            return (CancelCode::Ended, begin, named);
        }
        if !self.early_cancels.contains(&id) {
            self.early_cancels.push_back(id);
            if self.early_cancels.len() > self.keep {
                self.early_cancels.pop_front();
            }
        }
        (CancelCode::Taken, begin, vec![id])
    }

    /// Someone asks for a result.
    pub fn result(&mut self, id: GoalId, request: R) -> ResultAnswer<M, R> {
        match self.goals.get_mut(&id) {
            None => ResultAnswer::Unknown(request),
            Some(Entry { status, result: Some(result), .. }) => ResultAnswer::Now(request, *status, result.clone()),
            Some(entry) => {
                entry.waiting.push(request);
                ResultAnswer::Later
            }
        }
    }

    /// Status of a goal.
    #[must_use]
    pub fn status(&self, id: &GoalId) -> Option<GoalStatus> {
        self.goals.get(id).map(|e| e.status)
    }

    /// Goals that have not ended.
    #[must_use]
    pub fn active(&self) -> Vec<GoalId> {
        self.goals.iter().filter(|(_, e)| !e.status.is_end()).map(|(id, _)| *id).collect()
    }

    /// All accepted goals that are remembered: id, acceptance in ns, status.
    #[must_use]
    pub fn listed(&self) -> Vec<(GoalId, i64, GoalStatus)> {
        self.goals.iter().filter(|(_, e)| e.shown).map(|(id, e)| (*id, e.accepted_ns, e.status)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const A: GoalId = [1; 16];
    const ALL: GoalId = [0; 16];

    fn book() -> GoalBook<&'static str, u32> {
        GoalBook::new(8)
    }

    #[test]
    fn a_cancel_that_overtakes_its_goal_still_cancels_it() {
        let mut book = book();
        assert_eq!(book.cancel(A, 0), (CancelCode::Taken, vec![], vec![A]));
        assert_eq!(book.cancel(A, 0), (CancelCode::Taken, vec![], vec![A]));
        assert_eq!(book.offer(A), Offer::Canceled);
        assert_eq!(book.offer(A), Offer::New, "an early cancel counts once");
    }

    #[test]
    fn a_second_cancel_is_harmless() {
        let mut book = book();
        book.accept(A, 5);
        assert_eq!(book.cancel(A, 0), (CancelCode::Taken, vec![A], vec![A]));
        assert_eq!(book.cancel(A, 0), (CancelCode::Taken, vec![], vec![A]));
        assert!(book.end(A, GoalStatus::Canceled, "stopped").is_empty());
        assert_eq!(book.cancel(A, 0), (CancelCode::Ended, vec![], vec![]));
        assert_eq!(book.cancel(ALL, 0).0, CancelCode::Rejected);
    }

    #[test]
    fn results_wait_for_the_end_and_are_kept_after_it() {
        let mut book = book();
        assert_eq!(book.result(A, 1), ResultAnswer::Unknown(1));
        book.accept(A, 5);
        assert_eq!(book.result(A, 2), ResultAnswer::Later);
        assert_eq!(book.end(A, GoalStatus::Succeeded, "done"), [2]);
        assert_eq!(book.end(A, GoalStatus::Aborted, "late"), [] as [u32; 0]);
        assert_eq!(book.result(A, 3), ResultAnswer::Now(3, GoalStatus::Succeeded, "done"));
    }

    #[test]
    fn a_refused_goal_says_why_but_is_not_listed() {
        let mut book = book();
        book.refuse(A, "stale");
        assert_eq!(book.result(A, 1), ResultAnswer::Now(1, GoalStatus::Aborted, "stale"));
        assert!(book.listed().is_empty());
        assert_eq!(book.offer(A), Offer::Duplicate);
    }

    #[test]
    fn stamps_select_older_goals() {
        let mut book = book();
        book.accept([1; 16], 10);
        book.accept([2; 16], 20);
        assert_eq!(book.cancel(ALL, 10).1, [[1; 16]]);
        assert_eq!(book.cancel(ALL, 0).1, [[2; 16]]);
    }

    #[derive(Clone, Debug)]
    enum Step {
        Offer(u8),
        Cancel(u8, i64),
        End(u8, bool),
        Result(u8),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (1_u8..6).prop_map(Step::Offer),
            (0_u8..6, 0_i64..3).prop_map(|(id, ns)| Step::Cancel(id, ns)),
            (1_u8..6, any::<bool>()).prop_map(|(id, ok)| Step::End(id, ok)),
            (1_u8..6).prop_map(Step::Result),
        ]
    }

    proptest! {
        #[test]
        fn every_request_is_answered_once_and_ends_are_final(steps in prop::collection::vec(step(), 0..60)) {
            let mut book: GoalBook<u8, usize> = GoalBook::new(100);
            let mut asked = 0_usize;
            let mut answered = Vec::new();
            let mut ends: BTreeMap<GoalId, GoalStatus> = BTreeMap::new();
            for step in steps {
                match step {
                    Step::Offer(id) => match book.offer([id; 16]) {
                        Offer::New => book.accept([id; 16], 1),
                        Offer::Canceled => { book.accept([id; 16], 1); ends.insert([id; 16], GoalStatus::Canceled); answered.extend(book.end([id; 16], GoalStatus::Canceled, 0)); }
                        Offer::Duplicate => {}
                    },
                    Step::Cancel(id, ns) => { book.cancel([id; 16], ns); }
                    Step::End(id, ok) => {
                        let status = if ok { GoalStatus::Succeeded } else { GoalStatus::Canceled };
                        if book.status(&[id; 16]).is_some_and(|s| !s.is_end()) { ends.insert([id; 16], status); }
                        answered.extend(book.end([id; 16], status, id));
                    }
                    Step::Result(id) => {
                        asked += 1;
                        match book.result([id; 16], asked) { ResultAnswer::Now(r, ..) | ResultAnswer::Unknown(r) => answered.push(r), ResultAnswer::Later => {} }
                    }
                }
            }
            for (id, status) in &ends { prop_assert_eq!(book.status(id), Some(*status)); }
            for id in book.active() { answered.extend(book.end(id, GoalStatus::Aborted, 0)); }
            answered.sort_unstable();
            prop_assert_eq!(answered, (1..=asked).collect::<Vec<_>>());
        }
    }
}
