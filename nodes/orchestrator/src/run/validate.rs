//! The refusals before anything moves, and the choice among candidates (CE-060 to CE-067, CE-133, CE-155).

use super::Halt;
use super::execute::missing;
use super::propose::words;
use super::session::Session;
use crate::config::Grid;
use crate::ports::Announcement;
use serde_json::json;
use troupe_coordination::method::{Arguments, Selection};
use troupe_coordination::revision::{Child, alike};
use troupe_coordination::run_state::Event;
use troupe_core::decision::PolicyCode;
use troupe_core::skill::SkillCall;
use troupe_core::team::{Finding, ValidateRequest, ValidateResponse};

/// A candidate that may be dispatched.
struct Fit {
    policies: Vec<PolicyCode>,
    response: ValidateResponse,
}

impl Session<'_> {
    /// Lets the verifier check decision and policies; refusals cost model calls only (CE-067).
    pub(super) fn validate(&mut self) -> Result<Event, Halt> {
        self.budget.attempts += 1;
        let candidates = std::mem::take(&mut self.candidates);
        let (mut fits, mut refused): (Vec<Fit>, Option<ValidateResponse>) = (Vec::new(), None);
        for candidate in candidates {
            let response = self.check(candidate.as_ref().map_err(String::as_str))?;
            match candidate {
                Ok(policies) if response.ok => fits.push(Fit { policies, response }),
                _ => refused = refused.or(Some(response)),
            }
        }
        let Some(chosen) = self.choose(fits)? else { return self.refuse(refused.unwrap_or_default()) };
        self.policies = chosen.policies;
        self.validated = chosen.response;
        if let Some(finding) = self.precondition()? {
            return self.refuse(ValidateResponse { findings: vec![finding], ..ValidateResponse::default() });
        }
        self.team.announce(&Announcement::Policies(self.policies.clone()));
        Ok(Event::Valid)
    }

    /// One candidate; `ok` only with a call for every robot.
    fn check(&mut self, candidate: Result<&Vec<PolicyCode>, &str>) -> Result<ValidateResponse, Halt> {
        let decision = self.decision.clone().ok_or_else(|| missing("decision"))?;
        let schema = |message: String| Finding { code: "E_SCHEMA".into(), robot: String::new(), message };
        let policies = match candidate {
            Ok(policies) => policies.clone(),
            Err(message) => {
                return Ok(ValidateResponse { findings: vec![schema(message.to_owned())], ..ValidateResponse::default() });
            }
        };
        self.log("policies", json!({ "decision_id": decision.id, "policies": policies }))?;
        let robots = decision.roles.len();
        let asked = decision.clone();
        let mut response = self.team.validate(&ValidateRequest { decision, policies })?;
        if !response.ok {
            return Ok(response);
        }
        if response.calls.len() != robots {
            // An answer that says yes without calls for every robot is not a yes.
            response.findings.push(schema(format!("{} calls for {robots} robots", response.calls.len())));
        }
        response.findings.extend(self.own_rules(&response.calls));
        response.findings.extend(self.response_finding(&asked, &response.calls));
        response.ok = response.findings.is_empty();
        Ok(response)
    }

    /// What the method asks beyond the verifier's rules.
    fn own_rules(&self, calls: &[SkillCall]) -> Option<Finding> {
        let finding = |code: &str, message: String| Some(Finding { code: code.into(), robot: String::new(), message });
        if self.setup.method.arguments == Arguments::Grid {
            let grid = &self.setup.config.grid;
            let off = calls.iter().flat_map(SkillCall::arguments).find(|(name, value)| !grid.offers(name, *value));
            if let Some((name, value)) = off {
                return finding("E_CHOICE", format!("{name} = {value}; allowed: {}", options(grid, name)));
            }
        }
        None
    }

    /// The candidate that the method's rule prefers.
    fn choose(&mut self, mut fits: Vec<Fit>) -> Result<Option<Fit>, Halt> {
        if fits.len() < 2 {
            return Ok(fits.pop());
        }
        let best = match self.setup.method.selection {
            Selection::First => 0,
            Selection::Vote => {
                let votes = |i: &usize| {
                    let mine = fits.get(*i).map(|f| f.response.calls.as_slice()).unwrap_or_default();
                    fits.iter().filter(|f| alike(&f.response.calls, mine)).count()
                };
                // The first of several with equally many votes.
                (0..fits.len()).rev().max_by_key(votes).unwrap_or(0)
            }
            Selection::Forecast => self.best_forecast(&fits.iter().map(|f| f.response.calls.clone()).collect::<Vec<_>>())?,
        };
        Ok(Some(fits.swap_remove(best.min(fits.len() - 1))))
    }

    fn refuse(&mut self, response: ValidateResponse) -> Result<Event, Halt> {
        let data = json!({
            "decision_id": self.decision.as_ref().map(|d| d.id.clone()),
            "attempt": self.budget.attempts,
            "findings": response.findings,
            "fingerprint": response.fingerprint,
        });
        self.log("refusal", data)?;
        self.snapshot.verdict = "refused".into();
        self.snapshot.reason = response.findings.first().map(words).unwrap_or_default();
        self.reason = format!("refused before dispatch: {}", self.snapshot.reason);
        self.findings.extend(response.findings);
        self.show();
        let attempts = self.setup.task.repair.attempts_per_call;
        let spent = |child: &Child| child.calls.is_some() || self.code_attempts >= attempts;
        Ok(if self.child.as_ref().is_some_and(spent) { Event::ChildRefused } else { Event::Refused })
    }
}

fn options(grid: &Grid, argument: &str) -> String {
    grid.of(argument).unwrap_or_default().iter().map(f64::to_string).collect::<Vec<_>>().join(", ")
}
