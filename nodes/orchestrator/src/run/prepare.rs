//! From the reset to the first trusted checkpoint; nothing here is charged.

use super::Halt;
use super::session::Session;
use crate::ports::{Announcement, TeamError};
use serde_json::json;
use troupe_coordination::run_state::Event;
use troupe_core::skill::{SkillCall, SkillCode, SkillGoal};
use troupe_core::team::BeginRun;
use troupe_core::ticks;

/// Version of the events' layout.
const FORMAT: u32 = 1;

impl Session<'_> {
    pub(super) fn prepare(&mut self) -> Result<Event, Halt> {
        let setup = self.setup;
        self.log(
            "run",
            json!({
                "format": FORMAT,
                "run": setup.run_key(),
                "seed": setup.seed,
                "world": setup.world,
                "task": setup.task.name,
                "method": setup.method,
                "provider": self.model.provider(),
                "config_hash": setup.hash(),
                "code_hash": setup.protocol.code_hash,
                "level": setup.protocol.level,
                "bank": setup.protocol.bank,
                "endpoint": setup.task.endpoint,
                "limit_original": setup.protocol.limit_original,
                "limit_effective": setup.task.budget_transactions,
                "horizon_report": setup.protocol.horizon_report,
                "milestones": self.plan.milestones(),
                "route": setup.route,
                "scenery": setup.scenery,
                "variation": setup.variation,
            }),
        )?;
        self.show();
        let capabilities = self.team.capabilities()?;
        let state = self.team.reset(setup.seed)?;
        let robots: Vec<String> = state.robots.iter().map(|r| r.robot.clone()).collect();
        let goals: Vec<SkillGoal> = robots
            .iter()
            .map(|_| SkillGoal {
                call: SkillCall::InitSupport,
                transaction_id: "prepare".into(),
                context_epoch: state.context_epoch,
                start_tick: state.tick + 1,
                deadline_s: setup.config.run.init_deadline_s,
            })
            .collect();
        self.begin(state);
        let ready = self.team.dispatch(&goals)?;
        self.refresh()?;
        if let Some(result) = ready.results.iter().find(|r| r.code != SkillCode::None) {
            let reason = format!("{:?}: {}", result.code, result.message);
            return Err(TeamError::Failed { what: "init_support".into(), reason }.into());
        }
        if capabilities.place_payload {
            self.team.place_payload()?;
        }
        let closed_tick = self.team.run_for(ticks(setup.config.run.settle_s))?;
        self.refresh()?;
        let request = BeginRun { run_id: setup.run_key(), task_id: setup.task.name.clone(), tick: closed_tick };
        self.checkpoint = self.team.begin_run(&request)?;
        self.refresh()?;
        let path = self.team.path();
        let data = json!({
            "robots": robots,
            "results": ready.results,
            "placed_by": if capabilities.place_payload { "hoist" } else { "operator" },
            "closed_tick": closed_tick,
            "path": path,
        });
        self.log("preparation", data)?;
        self.capabilities = Some(capabilities);
        self.checkpoint_event("")?;
        self.still("before");
        Ok(Event::Started)
    }

    /// Records and shows the trusted checkpoint in force.
    pub(super) fn checkpoint_event(&mut self, created_by: &str) -> Result<(), Halt> {
        let id = self.checkpoint.clone();
        self.home = self.newest()?.robots.iter().map(|r| r.base.planar()).collect();
        let data = json!({
            "id": id,
            "created_by": created_by,
            "milestones": self.milestones,
            "stage": self.stage,
            "phase": self.phase(),
        });
        self.log("checkpoint", data)?;
        self.team.announce(&Announcement::Checkpoint { id, created_by: created_by.to_owned() });
        Ok(())
    }

    pub(super) fn observe(&mut self) -> Result<Event, Halt> {
        self.refresh()?;
        self.snapshot.phase = self.phase();
        self.show();
        Ok(Event::Observed)
    }
}
