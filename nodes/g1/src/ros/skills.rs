//! The skill action around the controller's goals.

use crate::G1;
use troupe_core::skill::{SkillCode, SkillFeedback, SkillResult};
use troupe_ros::convert::{ConvertError, skill};
use troupe_ros::goals::{ActionServer, Event, GoalId, GoalStatus, NewGoal, Refused};
use troupe_ros::r2r::troupe_msgs::action::ExecuteSkill;
use troupe_ros::{RosError, RosNode, names};

type Server = ActionServer<ExecuteSkill::Action>;

/// Serves `/<robot>/skill`.
#[derive(Debug)]
pub struct Skills {
    server: Server,
    feedback_ticks: u64,
}

impl Skills {
    /// Offers the action.
    pub fn open(node: &mut RosNode, robot: &str, feedback_ticks: u64) -> Result<Self, RosError> {
        Ok(Self { server: ActionServer::open(node, &names::robot(robot, "skill"))?, feedback_ticks })
    }

    /// Takes goals and cancels, and hands out results that need no tick.
    pub fn serve(&mut self, g1: &mut G1) {
        while let Some(event) = self.server.take() {
            match event {
                Event::Goal(goal) => self.decide(g1, goal),
                Event::CanceledBefore(id) => {
                    let result = ended(SkillCode::Canceled, "canceled before it was accepted".to_owned());
                    self.server.end(id, GoalStatus::Canceled, skill::result_to_wire(&result));
                }
                Event::Cancel(id) => {
                    g1.cancel(&text_of(&id));
                }
            }
        }
        self.finish(g1.take_finished());
    }

    fn decide(&mut self, g1: &mut G1, goal: NewGoal<ExecuteSkill::Action>) {
        let taken = skill::goal_from_wire(&goal.goal)
            .map_err(|e| ended(code_of(&e), e.to_string()))
            .and_then(|wanted| g1.accept(text_of(&goal.id), wanted).map_err(|r| ended(r.code, r.message)));
        match taken {
            Ok(()) => self.server.accept(goal),
            Err(result) => {
                tracing::info!(code = ?result.code, reason = %result.message, "goal refused");
                self.server.refuse(goal, Refused(skill::result_to_wire(&result)));
            }
        }
    }

    /// True while a goal has not ended.
    pub fn is_active(&self) -> bool {
        !self.server.active().is_empty()
    }

    /// Ends goals that the controller has finished.
    pub fn finish(&mut self, finished: Vec<(String, SkillResult)>) {
        for (text, result) in finished {
            let Some(id) = id_of(&text) else { continue };
            let status = match result.code {
                SkillCode::None => GoalStatus::Succeeded,
                SkillCode::Canceled if self.server.is_canceling(&id) => GoalStatus::Canceled,
                _ => GoalStatus::Aborted,
            };
            self.server.end(id, status, skill::result_to_wire(&result));
        }
    }

    /// Publishes feedback, not on every tick.
    pub fn feedback(&self, feedback: Option<&(String, SkillFeedback)>) {
        let Some((text, feedback)) = feedback else { return };
        if feedback.tick.is_multiple_of(self.feedback_ticks)
            && let Some(id) = id_of(text)
        {
            self.server.feedback(&id, skill::feedback_to_wire(feedback));
        }
    }
}

fn ended(code: SkillCode, message: String) -> SkillResult {
    SkillResult { code, message, ..SkillResult::default() }
}

fn code_of(error: &ConvertError) -> SkillCode {
    use troupe_core::skill::SkillError;
    match error {
        ConvertError::Skill(SkillError::Bounds { .. } | SkillError::NotFinite { .. }) => SkillCode::OutOfBounds,
        _ => SkillCode::InvalidSkill,
    }
}

/// The controller knows goals by their id in hexadecimal.
fn text_of(id: &GoalId) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn id_of(text: &str) -> Option<GoalId> {
    let bytes: Option<Vec<u8>> =
        (0..16).map(|i| text.get(2 * i..2 * i + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok())).collect();
    GoalId::try_from(bytes?.as_slice()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_survive_the_controller() {
        let id: GoalId = std::array::from_fn(|i| (i * 17) as u8);
        assert_eq!(id_of(&text_of(&id)), Some(id));
        assert_eq!(id_of("not hexadecimal"), None);
    }
}
