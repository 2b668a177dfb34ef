//! What viewers are told: decisions, verdicts, evidence, budget, checkpoints, text.

use crate::ports::Announcement;
use troupe_core::team::CheckpointInfo;
use troupe_ros::convert::{budget, checkpoint, decision, evidence, verdict};
use troupe_ros::r2r::Publisher;
use troupe_ros::r2r::std_msgs::msg::String as Text;
use troupe_ros::r2r::troupe_msgs::msg;
use troupe_ros::{RosError, RosNode, names, qos};

/// The topics.
#[derive(Debug)]
pub struct Notes {
    run_id: String,
    decision: Publisher<msg::Decision>,
    verdict: Publisher<msg::Verdict>,
    evidence: Publisher<msg::Evidence>,
    budget: Publisher<msg::BudgetState>,
    checkpoint: Publisher<msg::CheckpointInfo>,
    text: Publisher<Text>,
}

impl Notes {
    /// Opens them.
    pub fn open(ros: &mut RosNode, run_id: &str) -> Result<Self, RosError> {
        Ok(Self {
            run_id: run_id.to_owned(),
            decision: ros.publish(names::TEAM_DECISION, qos::NOTES)?,
            verdict: ros.publish(names::TEAM_VERDICT, qos::NOTES)?,
            evidence: ros.publish(names::TEAM_EVIDENCE, qos::NOTES)?,
            budget: ros.publish(names::TEAM_BUDGET, qos::NOTES)?,
            checkpoint: ros.publish(names::TEAM_CHECKPOINT, qos::NOTES)?,
            text: ros.publish(names::TEAM_TEXT, qos::NOTES)?,
        })
    }

    /// Publishes one; a run does not depend on who listens.
    pub fn tell(&self, note: &Announcement) {
        let sent = match note {
            Announcement::Decision(d) => self.decision.publish(&decision::to_wire(d)),
            Announcement::Policies(policies) => {
                let data = policies.iter().map(|p| format!("# {}\n{}\n", p.robot, p.source)).collect();
                self.text.publish(&Text { data })
            }
            Announcement::Verdict { verdict: v, evidence: e } => self
                .evidence
                .publish(&evidence::to_wire(e))
                .and_then(|()| self.verdict.publish(&verdict::to_wire(v))),
            Announcement::Budget(b) => self.budget.publish(&budget::to_wire(&self.run_id, b)),
            Announcement::Checkpoint { id, created_by } => {
                let info = CheckpointInfo {
                    id: id.clone(),
                    parent: String::new(),
                    trusted: true,
                    digest: String::new(),
                    tick: 0,
                    context_epoch: 0,
                    created_by: created_by.clone(),
                };
                self.checkpoint.publish(&checkpoint::to_wire(&info))
            }
            Announcement::Text(text) => self.text.publish(&Text { data: text.clone() }),
        };
        if let Err(error) = sent {
            tracing::warn!(%error, "a note was not published");
        }
    }
}
