//! A model that answers at random, though validly, never earns trust that measurements do not give (CE-040).

use crate::rig::{Random, episode_with, setup};
use anyhow::{Context, Result};
use serde_json::Value;
use troupe_coordination::experience::{Claim, Polarity};
use troupe_coordination::{catalog, phase};
use troupe_core::decision::{Decision, Kind, Mode, Objective, PolicyCode, Role};
use troupe_core::evidence::{FailureType, Level};
use troupe_core::skill::{Direction, SkillBounds, SkillCall};
use troupe_orchestrator::model::builtin::source;
use troupe_orchestrator::model::{LanguageModel, ModelError, ModelReply, ModelRequest, RoleId};
use troupe_orchestrator::role::answers::{
    CallProposal, CodeProposal, DecisionProposal, EvaluationProposal, ExperienceProposal, PhaseProposal, PhaseStatus,
    PlanProposal, RevisionProposal,
};
use troupe_orchestrator::role::context::RoleContext;

/// Answers every role with something of its schema that the rules before dispatch let through most times.
struct Anything(Random);

impl Anything {
    fn answer(&mut self, role: RoleId, context: &RoleContext) -> Result<String> {
        Ok(match role {
            RoleId::Planner => {
                let phases = context.plan.iter().map(|p| PhaseProposal { phase_id: p.id.clone(), status: PhaseStatus::of(p.status) });
                serde_json::to_string(&PlanProposal { phases: phases.collect() })?
            }
            RoleId::Orchestrator => serde_json::to_string(&self.decision(context)?)?,
            RoleId::Coder => serde_json::to_string(&self.code(context)?)?,
            RoleId::Evaluator => {
                let scene = "All is well.".to_owned();
                let failure_type = Some(self.0.one_of(FailureType::ALL)?);
                let failure_level = Some(self.0.one_of(Level::ALL)?);
                serde_json::to_string(&EvaluationProposal { scene, failure_type, failure_level, proceed: true })?
            }
            RoleId::Reviser => serde_json::to_string(&self.revision(context)?)?,
            RoleId::Writer => serde_json::to_string(&self.experience(context)?)?,
        })
    }

    /// Another strategy, or other numbers for the same calls.
    fn revision(&mut self, context: &RoleContext) -> Result<RevisionProposal> {
        let parent = context.parent.as_ref().context("no parent")?;
        let empty = RevisionProposal {
            scope: Level::Strategy,
            kind: None,
            objective: None,
            mode: None,
            roles: None,
            calls: None,
            reason: "chance".into(),
        };
        let numbers = parent.calls.iter().all(|c| !c.arguments().is_empty());
        if numbers && context.forced.is_none() && self.0.below(2) == 0 {
            let share = self.0.between(0.3, 0.9);
            let calls = parent.calls.iter().map(CallProposal::of).map(|mut c| {
                c.arguments.iter_mut().filter(|a| !a.name.starts_with("speed")).for_each(|a| a.value *= share);
                c
            });
            return Ok(RevisionProposal { scope: Level::Parameter, calls: Some(calls.collect()), ..empty });
        }
        for _ in 0..1000 {
            let d = self.decision(&RoleContext { child: None, ..context.clone() })?;
            if (d.kind, d.objective) != (parent.decision.kind, parent.decision.objective) {
                return Ok(RevisionProposal { kind: Some(d.kind), objective: Some(d.objective), ..empty });
            }
        }
        // In some stages nothing else is legal; the host refuses this one.
        Ok(empty)
    }

    fn experience(&mut self, context: &RoleContext) -> Result<ExperienceProposal> {
        let executed = context.executed.as_ref().context("nothing was executed")?;
        let claim = Claim {
            kind: executed.decision.kind,
            objective: executed.decision.objective,
            mode: executed.decision.mode,
            polarity: self.0.one_of(Polarity::ALL)?,
            effect: executed.effects.first().cloned().unwrap_or_default(),
            applicability: "At any time.".into(),
            principle: "Go on.".into(),
            failure_pattern: "None.".into(),
            repair: "None.".into(),
        };
        Ok(ExperienceProposal { claims: vec![claim] })
    }

    /// Drawn until catalog and phase allow it; an approved child is followed.
    fn decision(&mut self, context: &RoleContext) -> Result<DecisionProposal> {
        if let Some(c) = &context.child {
            return Ok(DecisionProposal {
                kind: c.kind,
                objective: c.objective,
                mode: c.mode,
                roles: c.roles.clone(),
                formation: context.formation,
                evidence_required: Vec::new(),
            });
        }
        let robots = context.observation.robots.len();
        for _ in 0..10_000 {
            let kind = self.0.one_of(Kind::ALL)?;
            let objective = self.0.one_of(Objective::ALL)?;
            let mode = self.0.one_of(Mode::ALL)?;
            let roles = (0..robots).map(|_| self.0.one_of(Role::ALL)).collect::<Result<Vec<_>>>()?;
            let allowed = catalog::check(kind, objective, mode, &roles, robots).is_ok()
                && phase::check_decision(&context.phase_id, kind, &context.phase_id, context.stage).is_ok();
            if allowed {
                return Ok(DecisionProposal { kind, objective, mode, roles, formation: context.formation, evidence_required: Vec::new() });
            }
        }
        anyhow::bail!("no decision is allowed in phase {}", context.phase_id)
    }

    fn code(&mut self, context: &RoleContext) -> Result<CodeProposal> {
        let decision = context.decision.as_ref().context("no decision")?;
        let mut calls = context.child.as_ref().and_then(|c| c.calls.clone()).unwrap_or_default();
        for role in decision.roles.iter().skip(calls.len()) {
            let call = match calls.first() {
                Some(first) if decision.mode == Mode::Sync => *first,
                _ => self.call(decision, *role, &context.bounds)?,
            };
            calls.push(call);
        }
        let robots = context.observation.robots.iter();
        let policies = robots.zip(&calls).map(|(r, c)| PolicyCode { robot: r.robot.clone(), source: source(c) });
        Ok(CodeProposal { policies: policies.collect() })
    }

    fn call(&mut self, decision: &Decision, role: Role, bounds: &SkillBounds) -> Result<SkillCall> {
        let mut number = |[low, high]: [f64; 2]| self.0.between(low, high);
        let (distance_m, speed_mps, speed_rps) = (number(bounds.distance_m), number(bounds.speed_mps), number(bounds.speed_rps));
        let (yaw, duration_s) = (number(bounds.yaw_rad), number(bounds.duration_s));
        let yaw_rad = if self.0.below(2) == 0 { yaw } else { -yaw };
        let direction = self.0.one_of(&[Direction::Forward, Direction::Back, Direction::Left, Direction::Right])?;
        let methods: &[&str] = match (decision.kind, role) {
            (Kind::Lifecycle, _) => &["lower_to_target", "release", "retreat"],
            (_, Role::InnerSupport | Role::Reference) => &["hold", "turn"],
            (_, Role::OuterMover) => &["arc", "walk"],
            _ => &["walk", "turn", "arc", "hold"],
        };
        Ok(match self.0.one_of(methods)? {
            "walk" => SkillCall::Walk { distance_m, direction, speed_mps },
            "turn" => SkillCall::Turn { yaw_rad, speed_rps },
            "arc" => SkillCall::Arc { distance_m, yaw_rad, speed_mps },
            "hold" => SkillCall::Hold { duration_s },
            "lower_to_target" => SkillCall::LowerToTarget,
            "release" => SkillCall::Release,
            _ => SkillCall::Retreat { distance_m },
        })
    }
}

impl LanguageModel for Anything {
    fn provider(&self) -> &str {
        "scripted"
    }

    fn complete(&mut self, request: &ModelRequest) -> Result<ModelReply, ModelError> {
        let refuse = |e: String| ModelError::Refused(e);
        let context = serde_json::from_value(request.context.clone()).map_err(|e| refuse(e.to_string()))?;
        let text = self.answer(request.role, &context).map_err(|e| refuse(e.to_string()))?;
        Ok(ModelReply { text, model: "random".into(), ..ModelReply::default() })
    }
}

fn text<'a>(data: &'a Value, pointer: &str) -> &'a str {
    data.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// CE-040.
#[test]
fn random_answers_never_make_a_trusted_checkpoint_whose_predicates_fail() -> Result<()> {
    let (mut judged, mut accepted) = (0, 0);
    for seed in 0..8 {
        let mut setup = setup(seed, Some(8))?;
        setup.task.repair.refusals = 400;
        setup.task.repair.rejections_at_checkpoint = 100;
        // Such a run may well end early: robots that come too close stop until an operator clears it.
        let (_, ledger) = episode_with(&setup, &mut Anything(Random(seed)))?;
        let mut transaction: Option<&Value> = None;
        let mut trusted = String::new();
        for record in &ledger.records {
            match record.event.as_str() {
                "transaction" => {
                    judged += 1;
                    let data = &record.data;
                    let passed = |p: &Value| p.get("passed") == Some(&Value::Bool(true));
                    let predicates = data.pointer("/evidence/predicates").and_then(Value::as_array).context("no predicates")?;
                    if text(data, "/verdict/outcome") == "accepted" {
                        accepted += 1;
                        assert!(!predicates.is_empty() && predicates.iter().all(passed), "seed {seed}: {data}");
                    } else {
                        assert_eq!(text(data, "/next_checkpoint_id"), trusted, "seed {seed}: trust without acceptance");
                    }
                    transaction = Some(data);
                }
                "checkpoint" => {
                    text(&record.data, "/id").clone_into(&mut trusted);
                    let created_by = text(&record.data, "/created_by");
                    if created_by.is_empty() {
                        assert!(transaction.is_none(), "seed {seed}: a checkpoint of nobody after the first");
                        continue;
                    }
                    let judged = transaction.take().context("a checkpoint without a transaction before it")?;
                    assert_eq!(text(judged, "/transaction_id"), created_by);
                    assert_eq!(text(judged, "/verdict/outcome"), "accepted");
                    assert_eq!(text(judged, "/next_checkpoint_id"), trusted);
                }
                _ => {}
            }
        }
    }
    // A test that judged nothing, or saw nothing rejected, would show nothing.
    assert!(judged >= 12 && accepted < judged, "{accepted} of {judged} accepted");
    Ok(())
}
