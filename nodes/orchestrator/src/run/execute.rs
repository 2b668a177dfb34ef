//! Dispatch, settling, verdict and endpoint: what robots do and how it is judged.

use super::Halt;
use super::remember::{Judged, view};
use super::session::{Running, Session};
use crate::ports::{Announcement, TeamError, TeamSample};
use crate::role::context::RejectedTry;
use serde_json::json;
use troupe_coordination::phase::Stage;
use troupe_coordination::run_state::Event;
use troupe_coordination::revision::Parent;
use troupe_core::decision::Decision;
use troupe_core::evidence::{Evidence, Outcome, Verdict, VerdictKind};
use troupe_core::route::SegmentKind;
use troupe_core::skill::{SkillCall, SkillCode, SkillGoal, SkillResult};
use troupe_core::state::TeamState;
use troupe_core::task::EndpointKind;
use troupe_core::team::{VerifyRequest, VerifyResponse, WindowReason};
use troupe_core::ticks;

/// A step came without what the step before should have left.
pub(super) fn missing(what: &str) -> TeamError {
    TeamError::Failed { what: "loop".into(), reason: format!("no {what} at hand") }
}

/// Seconds that a call takes at its commanded speed.
pub(super) fn nominal_s(call: &SkillCall, slowest_mps: f64) -> f64 {
    match *call {
        SkillCall::Walk { distance_m, speed_mps, .. }
        | SkillCall::Arc { distance_m, speed_mps, .. }
        | SkillCall::ArcAside { distance_m, speed_mps, .. } => {
            distance_m.abs() / speed_mps.max(1e-3)
        }
        SkillCall::Turn { yaw_rad, speed_rps } => yaw_rad.abs() / speed_rps.max(1e-3),
        SkillCall::Hold { duration_s } => duration_s,
        SkillCall::Retreat { distance_m } => distance_m.abs() / slowest_mps.max(1e-3),
        _ => 0.0,
    }
}

/// Largest planar distance that a robot moved between two states, m.
fn moved_m(before: &TeamState, after: &TeamState) -> f64 {
    let pairs = before.robots.iter().zip(&after.robots);
    pairs.map(|(a, b)| a.base.planar().distance(&b.base.planar())).fold(0.0, f64::max)
}

/// Robots know which safety limit they breached, and by how much (AR-107).
fn with_breaches(mut reasons: Vec<String>, results: &[SkillResult]) -> Vec<String> {
    let breaches = results.iter().filter(|r| r.code == SkillCode::LimitBreached);
    reasons.extend(breaches.map(|r| r.message.clone()));
    reasons.dedup();
    reasons
}

impl Session<'_> {
    /// Charges the transaction and sends the goals (CE-057, AR-102).
    pub(super) fn dispatch(&mut self) -> Result<Event, Halt> {
        let before = self.refresh()?.clone();
        let uncharged = self.budget.clone();
        let seq = self.budget.charge().ok_or_else(|| missing("budget"))?;
        let id = format!("t{seq:03}");
        let decision = self.decision.clone().ok_or_else(|| missing("decision"))?;
        let run = self.setup.config.run;
        let goals: Vec<SkillGoal> = self
            .validated
            .calls
            .iter()
            .map(|call| SkillGoal {
                call: *call,
                transaction_id: id.clone(),
                context_epoch: before.context_epoch,
                start_tick: before.tick + 1,
                deadline_s: run.deadline_base_s
                    + run.deadline_factor * nominal_s(call, self.setup.bounds.speed_mps[0]),
            })
            .collect();
        let data = json!({
            "n": seq,
            "transaction_id": id,
            "decision_id": decision.id,
            "checkpoint_id": decision.checkpoint_id,
            "fingerprint": self.validated.fingerprint,
            "goals": goals,
        });
        self.log("dispatch", data)?;
        self.findings.clear();
        // What was walked before belongs to no transaction.
        let _ = self.team.path();
        let start = json!(TeamSample::of(&before));
        if self.setup.method.evaluator {
            self.images.clear();
            self.look(&id, "before");
        }
        self.show();
        let mut running = Running {
            seq,
            id,
            start_tick: before.tick,
            closed_tick: before.tick,
            window: WindowReason::Refused,
            results: Vec::new(),
            failure: None,
            start,
        };
        match self.team.dispatch(&goals) {
            Ok(done) => {
                running.start_tick = done.start_tick;
                running.closed_tick = done.closed_tick;
                running.window = done.reason;
                running.results = done.results;
                if matches!(done.reason, WindowReason::RobotSilent | WindowReason::Refused) {
                    running.failure = Some(format!("the window closed with {:?}", done.reason));
                } else if running.results.len() != goals.len() {
                    running.failure = Some("results are missing".into());
                }
            }
            Err(TeamError::Refused { robot, code, message }) => {
                running.failure = Some(format!("{robot} refused its goal: {code:?}: {message}"));
                let after = self.refresh()?;
                running.closed_tick = after.tick;
                if moved_m(&before, after) <= run.moved_m {
                    // Nobody moved: nothing physical was spent.
                    self.budget = uncharged;
                    running.seq = 0;
                }
            }
            Err(error) => {
                // Goals may have been under way: charged, never judged.
                self.budget.judged(Outcome::Unresolved, false);
                return Err(error.into());
            }
        }
        self.running = Some(running);
        Ok(Event::Dispatched)
    }

    pub(super) fn settle(&mut self) -> Result<Event, Halt> {
        self.refresh()?;
        Ok(Event::Settled)
    }

    /// Has the transaction judged and records it.
    pub(super) fn verify(&mut self) -> Result<Event, Halt> {
        let running = self.running.take().ok_or_else(|| missing("transaction"))?;
        let decision = self.decision.clone().ok_or_else(|| missing("decision"))?;
        let stopped = running.window == WindowReason::Stopped;
        let response = match (&running.failure, stopped) {
            (None, false) => self.team.verify(&VerifyRequest {
                transaction_id: running.id.clone(),
                decision: decision.clone(),
                fingerprint: self.validated.fingerprint.clone(),
                calls: self.validated.calls.clone(),
                start_tick: running.start_tick,
                closed_tick: running.closed_tick,
                robot_codes: running.results.iter().map(|r| r.code).collect(),
            })?,
            (failure, _) => self.unjudged(&running.id, failure.as_deref().unwrap_or("stopped"), stopped)?,
        };
        self.observe_responses(&running.results);
        let outcome = response.verdict.outcome;
        if running.seq > 0 {
            self.budget.judged(outcome, response.drop);
        }
        let path = self.team.path();
        let wall_s = self.wall_s();
        let end = self.newest().ok().map(TeamSample::of);
        let data = json!({
            "n": running.seq,
            "transaction_id": running.id,
            "charged": running.seq > 0,
            "phase": decision.phase_id,
            "decision_id": decision.id,
            "kind": decision.kind,
            "objective": decision.objective,
            "checkpoint_id": decision.checkpoint_id,
            "fingerprint": self.validated.fingerprint,
            "calls": self.validated.calls,
            "start_tick": running.start_tick,
            "closed_tick": running.closed_tick,
            "window": running.window,
            "results": running.results,
            "evidence": response.evidence,
            "verdict": response.verdict,
            "drop": response.drop,
            "next_checkpoint_id": response.checkpoint_id,
            "start": running.start,
            "end": end,
            "path": path,
            "wall_s": wall_s,
        });
        self.log("transaction", data)?;
        let VerifyResponse { evidence, verdict, .. } = response.clone();
        self.team.announce(&Announcement::Verdict { verdict, evidence });
        self.show_verdict(&response.verdict);
        if stopped {
            return Err(TeamError::Stopped { reason: "the team was stopped during a transaction".into() }.into());
        }
        if outcome == Outcome::InvalidInfra {
            self.infra += 1;
            if self.infra >= self.setup.config.run.infra_limit {
                self.reason = response.verdict.reasons.join("; ");
                return Ok(Event::InfrastructureFailed);
            }
        } else {
            self.infra = 0;
        }
        let calls = self.validated.calls.clone();
        self.learn(&decision, &calls, &response)?;
        if outcome == Outcome::Accepted {
            self.accepted(&response, &running.id)?;
            return Ok(Event::Accepted);
        }
        self.frozen(&decision, &calls, &response);
        let reasons = with_breaches(response.verdict.reasons, &running.results);
        self.reason = format!("transaction {}: {}", running.id, reasons.join("; "));
        self.rejected.push(RejectedTry {
            kind: decision.kind,
            objective: decision.objective,
            calls: self.validated.calls.clone(),
            failure_type: response.evidence.failure_type,
            failure_level: response.evidence.failure_level,
            // A value that is not finite has no place in JSON.
            failed: response.evidence.predicates.into_iter().filter(|p| !p.passed && p.value.is_finite()).collect(),
            reasons,
        });
        Ok(Event::Rejected)
    }

    /// What evaluator and memory make of a judged transaction; nothing of it changes the verdict.
    fn learn(&mut self, decision: &Decision, calls: &[SkillCall], response: &VerifyResponse) -> Result<(), Halt> {
        let repaired = self.failed_evidence.clone();
        let judged = Judged {
            decision,
            calls,
            evidence: &response.evidence,
            verdict: &response.verdict,
            phase: self.phase_class(),
            repaired: repaired.as_ref(),
        };
        let view = view(&judged);
        if response.verdict.outcome == Outcome::Rejected {
            if self.setup.method.evaluator {
                self.look(&response.verdict.subject, "after");
            }
            self.evaluate(view)?;
        } else {
            self.evaluation = None;
            self.executed = Some(view);
        }
        self.remember(&judged)?;
        self.executed = None;
        Ok(())
    }

    /// Keeps what a typed revision starts from. An outcome that blames nobody leaves nothing to revise.
    fn frozen(&mut self, decision: &Decision, calls: &[SkillCall], response: &VerifyResponse) {
        self.child = None;
        if response.verdict.outcome != Outcome::Rejected {
            self.parent = None;
            return;
        }
        if let Some(scope) = decision.scope {
            self.escalation.failed(scope);
        }
        self.parent = Some(Parent {
            decision: decision.clone(),
            calls: calls.to_vec(),
            relations: response.evidence.required_relations.clone(),
        });
        self.failed_evidence = Some(response.evidence.clone());
    }

    fn accepted(&mut self, response: &VerifyResponse, transaction: &str) -> Result<(), Halt> {
        self.checkpoint.clone_from(&response.checkpoint_id);
        self.rejected.clear();
        self.parent = None;
        self.child = None;
        self.escalation.clear();
        self.failed_evidence = None;
        self.reason.clear();
        if let Some(call) = self.validated.calls.first() {
            self.stage = self.stage.after(call);
        }
        let phase = self.phase();
        let corner_before = self.corners();
        self.milestones.clone_from(&response.verdict.milestones);
        self.plan.advance(&self.milestones).map_err(super::RunError::from)?;
        self.count_setup(response.verdict.kind, &phase);
        if self.corners() > corner_before {
            self.still("corner");
        }
        self.checkpoint_event(transaction)
    }

    /// Corners whose milestones are certified.
    fn corners(&self) -> usize {
        let corners = self.setup.route.segments.iter().filter(|s| s.kind == SegmentKind::Corner);
        corners.filter(|s| self.milestones.contains(&s.id)).count()
    }

    /// A verdict for what the verifier cannot judge.
    fn unjudged(&self, id: &str, reason: &str, stopped: bool) -> Result<VerifyResponse, Halt> {
        let evidence = Evidence {
            id: String::new(),
            transaction_id: id.to_owned(),
            measured: Vec::new(),
            predicates: Vec::new(),
            failure_type: None,
            failure_level: None,
            required_relations: Vec::new(),
        };
        let verdict = Verdict {
            id: String::new(),
            subject: id.to_owned(),
            outcome: if stopped { Outcome::Unresolved } else { Outcome::InvalidInfra },
            kind: VerdictKind::Progress,
            reasons: vec![reason.to_owned()],
            milestones: self.milestones.clone(),
        };
        Ok(VerifyResponse {
            evidence: evidence.identified().map_err(super::RunError::from)?,
            verdict: verdict.identified().map_err(super::RunError::from)?,
            drop: false,
            checkpoint_id: self.checkpoint.clone(),
        })
    }

    /// Asks for the endpoint's verdict once placing is through, and watches as long as it needs.
    pub(super) fn accept(&mut self) -> Result<Event, Halt> {
        let through = match self.setup.task.endpoint {
            EndpointKind::Full => Stage::Retreated,
            EndpointKind::Placement => Stage::Released,
        };
        if self.stage < through {
            return Ok(Event::EndpointOpen);
        }
        self.snapshot.phase = "endpoint".into();
        let mut closed_tick = self.newest()?.tick;
        for _ in 0..self.setup.config.run.endpoint_rounds {
            let response = self.team.endpoint(closed_tick)?;
            let path = self.team.path();
            let data = json!({
                "closed_tick": closed_tick,
                "verdict": response.verdict,
                "evidence": response.evidence,
                "observe_s": response.observe_s,
                "path": path,
            });
            self.log("endpoint", data)?;
            if response.observe_s > 0.0 {
                closed_tick = self.team.run_for(ticks(response.observe_s).max(1))?;
                self.refresh()?;
                continue;
            }
            self.team.announce(&Announcement::Verdict {
                verdict: response.verdict.clone(),
                evidence: response.evidence.clone(),
            });
            self.show_verdict(&response.verdict);
            if response.verdict.outcome == Outcome::Accepted {
                self.milestones.clone_from(&response.verdict.milestones);
                self.plan.advance(&self.milestones).map_err(super::RunError::from)?;
                self.reason = "the endpoint holds".into();
                return Ok(Event::EndpointMet);
            }
            self.reason = format!("endpoint: {}", response.verdict.reasons.join("; "));
            break;
        }
        Ok(Event::EndpointOpen)
    }

    /// Evidence and verdict are in the ledger; nothing else is to be kept of a rejected transaction.
    pub(super) fn reject(&mut self) -> Result<Event, Halt> {
        self.decision = None;
        self.policies.clear();
        self.restores = 0;
        Ok(Event::Frozen)
    }
}
