//! Checks what a planner proposes: it may report and block, never complete (CE-R1).

use super::answers::{PhaseStatus, PlanProposal};
use troupe_coordination::plan::{Phase, Plan, Status};

/// Why a proposed plan is refused; words for the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanRefusal {
    /// Not the phases of the plan, each once and in order.
    #[error("E_PLAN: phases: name each phase once, in this order: {0}")]
    Phases(String),
    /// A phase without certified evidence was called done.
    #[error("E_PLAN: status of `{0}`: only evidence makes it done")]
    Done(String),
    /// A completed phase was taken back.
    #[error("E_PLAN: status of `{0}`: it is done and stays so")]
    Undone(String),
    /// Not exactly the first open phase is active.
    #[error("E_PLAN: exactly one phase is active, and it is `{0}`")]
    Active(String),
    /// The plan's own invariants.
    #[error("E_PLAN: {0}")]
    Invariant(String),
}

impl PhaseStatus {
    /// The host's name for it.
    #[must_use]
    pub fn host(self) -> Status {
        match self {
            Self::Pending => Status::Pending,
            Self::Active => Status::Active,
            Self::Done => Status::Done,
            Self::Blocked => Status::Blocked,
        }
    }

    /// Name as in prompts.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Done => "done",
            Self::Blocked => "blocked",
        }
    }

    /// From the host's status.
    #[must_use]
    pub fn of(status: Status) -> Self {
        match status {
            Status::Pending => Self::Pending,
            Status::Active => Self::Active,
            Status::Done => Self::Done,
            Status::Blocked => Self::Blocked,
        }
    }
}

/// Takes a proposal over into the plan.
///
/// # Errors
/// [`PlanRefusal`]; the plan then stays as it was.
pub fn take_over(plan: &mut Plan, proposal: &PlanProposal) -> Result<(), PlanRefusal> {
    let names: Vec<&str> = plan.phases().iter().map(|p| p.id.as_str()).collect();
    if !proposal.phases.iter().map(|p| p.phase_id.as_str()).eq(names.iter().copied()) {
        return Err(PlanRefusal::Phases(names.join(", ")));
    }
    for (phase, proposed) in plan.phases().iter().zip(&proposal.phases) {
        match (phase.status == Status::Done, proposed.status == PhaseStatus::Done) {
            (false, true) => return Err(PlanRefusal::Done(phase.id.clone())),
            (true, false) => return Err(PlanRefusal::Undone(phase.id.clone())),
            _ => {}
        }
    }
    // The route is travelled in order: what is active follows from what is done.
    let open = plan.phases().iter().find(|p| p.status != Status::Done).map(|p| p.id.as_str());
    let active = proposal.phases.iter().filter(|p| p.status == PhaseStatus::Active);
    if !active.map(|p| p.phase_id.as_str()).eq(open) {
        return Err(PlanRefusal::Active(open.unwrap_or("none").to_owned()));
    }
    let phases: Vec<Phase> = plan
        .phases()
        .iter()
        .zip(&proposal.phases)
        .map(|(phase, proposed)| Phase { status: proposed.status.host(), ..phase.clone() })
        .collect();
    let invariant = |e: String| PlanRefusal::Invariant(e);
    let edited: Plan = serde_json::from_value(serde_json::json!({ "phases": phases })).map_err(|e| invariant(e.to_string()))?;
    plan.propose(edited).map_err(|e| invariant(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::role::answers::PhaseProposal;

    fn plan() -> Plan {
        let phases = serde_json::json!({"phases": [
            {"id": "a", "completion": "a", "status": "done"},
            {"id": "b", "completion": "b", "status": "active"},
            {"id": "place", "completion": "terminal", "status": "pending"}]});
        serde_json::from_value(phases).unwrap()
    }

    fn proposal(statuses: [PhaseStatus; 3]) -> PlanProposal {
        let phases = ["a", "b", "place"].into_iter().zip(statuses);
        PlanProposal { phases: phases.map(|(id, status)| PhaseProposal { phase_id: id.into(), status }).collect() }
    }

    #[test]
    fn only_reports_and_blocks_are_taken() {
        use PhaseStatus::{Active, Blocked, Done, Pending};
        let take = |statuses| take_over(&mut plan(), &proposal(statuses));
        assert_eq!(take([Done, Active, Pending]), Ok(()));
        assert_eq!(take([Done, Active, Blocked]), Ok(()));
        assert_eq!(take([Done, Done, Active]), Err(PlanRefusal::Done("b".into())));
        assert_eq!(take([Active, Pending, Pending]), Err(PlanRefusal::Undone("a".into())));
        assert_eq!(take([Done, Pending, Active]), Err(PlanRefusal::Active("b".into())));
        assert_eq!(take([Done, Active, Active]), Err(PlanRefusal::Active("b".into())));
        let mut short = proposal([Done, Active, Pending]);
        short.phases.pop();
        assert!(matches!(take_over(&mut plan(), &short), Err(PlanRefusal::Phases(_))));
    }
}
