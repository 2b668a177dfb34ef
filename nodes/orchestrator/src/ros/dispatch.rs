//! Goals to all robots, all or none accepted, and the window in which they run.

use crate::ports::TeamError;
use crate::ros::team::{RosTeam, failed};
use std::time::Duration;
use troupe_core::skill::{SkillCode, SkillGoal, SkillResult};
use troupe_core::team::{Dispatched, WindowReason};
use troupe_core::ticks;
use troupe_ros::action_client::{ActionCaller, ResultMessage, accepted, ended};
use troupe_ros::call::Pending;
use troupe_ros::convert::{skill, world};
use troupe_ros::goals::GoalId;
use troupe_ros::mode::Mode;
use troupe_ros::names;
use troupe_ros::r2r::action_msgs::srv::CancelGoal;
use troupe_ros::r2r::troupe_msgs::action::{ExecuteSkill, RunWindow};
use troupe_ros::settings::wall;

/// Longest wait for the answer to a cancel.
const MOMENT: Duration = Duration::from_millis(500);

type Skill = ExecuteSkill::Action;
type Run = RunWindow::Action;

/// A window that has closed.
#[derive(Debug)]
pub struct Closed {
    pub start_tick: u64,
    pub closed_tick: u64,
    pub reason: WindowReason,
    /// Words of the bridge; empty when all is well.
    pub message: String,
}

impl RosTeam {
    /// Sends one goal to each robot, opens the window and collects the results.
    pub fn dispatch_goals(&mut self, goals: &[SkillGoal]) -> Result<Dispatched, TeamError> {
        if goals.len() != self.robots.len() {
            return Err(failed("dispatch", format!("{} goals for {} robots", goals.len(), self.robots.len())));
        }
        // Finding the robots may take longer than the lead of a start tick in real time.
        for robot in &self.robots {
            for found in robot.action.appear(self.quick()) {
                self.wait(found)?;
            }
        }
        let goals = self.started_together(goals);
        let ids: Vec<GoalId> = goals.iter().map(|_| ActionCaller::<Skill>::new_id()).collect();
        let done = self.dispatch_as(&goals, &ids);
        if done.is_err() {
            self.cancel(&ids);
        }
        done
    }

    /// In real time a start tick must lie ahead of every robot's newest state.
    fn started_together(&self, goals: &[SkillGoal]) -> Vec<SkillGoal> {
        let mut goals = goals.to_vec();
        if self.mode == Mode::Realtime
            && let Some(state) = self.listener.newest()
        {
            let start_tick = state.tick + self.settings.bridge.realtime_lead_ticks;
            goals.iter_mut().for_each(|g| g.start_tick = start_tick);
        }
        goals
    }

    fn dispatch_as(&self, goals: &[SkillGoal], ids: &[GoalId]) -> Result<Dispatched, TeamError> {
        self.send(goals, ids)?;
        let limit = wall(self.settings.calls.window_wall_s);
        // Asked for before the window opens, so that they come as soon as they are formed.
        let pending: Vec<_> = self.robots.iter().zip(ids).map(|(robot, id)| robot.action.result(*id, limit)).collect();
        let transaction = goals.first().map_or("", |g| g.transaction_id.as_str());
        let most = goals.iter().map(|g| ticks(g.deadline_s)).max().unwrap_or_default() + 2;
        if !self.simulated {
            return self.collect_on_robots(goals, pending);
        }
        let closed = self.run_window(transaction, most, true)?;
        if matches!(closed.reason, WindowReason::RobotSilent | WindowReason::Refused) {
            return Err(failed(names::WORLD_RUN_WINDOW, closed.message));
        }
        if closed.reason == WindowReason::Stopped
            && let Some(reason) = self.listener.stop_reason()
        {
            return Err(TeamError::Stopped { reason });
        }
        let results = pending.into_iter().map(|p| self.result(p)).collect::<Result<_, _>>()?;
        let Closed { start_tick, closed_tick, reason, .. } = closed;
        Ok(Dispatched { start_tick, closed_tick, reason, results })
    }

    /// All robots are asked at once; the first refusal in team order is the error.
    fn send(&self, goals: &[SkillGoal], ids: &[GoalId]) -> Result<(), TeamError> {
        let quick = self.quick();
        let sent: Vec<_> = self
            .robots
            .iter()
            .zip(goals)
            .zip(ids)
            .map(|((robot, goal), id)| robot.action.send(*id, skill::goal_to_wire(goal), quick))
            .collect();
        let answers: Vec<Result<bool, TeamError>> =
            sent.into_iter().map(|pending| self.wait(pending).map(accepted::<Skill>)).collect();
        for ((robot, id), answer) in self.robots.iter().zip(ids).zip(answers) {
            if answer? {
                continue;
            }
            let result = self.result(robot.action.result(*id, quick))?;
            // The stop that a robot obeys may still be on its way to this node.
            if result.code == SkillCode::Stopped
                && let Some(reason) = self.listener.await_stop(MOMENT)
            {
                return Err(TeamError::Stopped { reason });
            }
            return Err(TeamError::Refused { robot: robot.name.clone(), code: result.code, message: result.message });
        }
        Ok(())
    }

    fn result(&self, pending: Pending<ResultMessage<Skill>>) -> Result<SkillResult, TeamError> {
        let (status, result) = ended::<Skill>(self.wait(pending)?);
        if status.is_none() {
            return Err(failed("skill", "the robot does not know its goal; it may have been restarted"));
        }
        skill::result_from_wire(&result).map_err(|e| failed("skill", e))
    }

    fn collect_on_robots(&self, goals: &[SkillGoal], pending: Vec<Pending<ResultMessage<Skill>>>) -> Result<Dispatched, TeamError> {
        let start_tick = goals.first().map_or(0, |g| g.start_tick);
        let results: Vec<SkillResult> = pending.into_iter().map(|p| self.result(p)).collect::<Result<_, _>>()?;
        let last = results.iter().map(|r| r.end_tick).max().unwrap_or_default();
        let state = self.listener.await_state(self.quick(), |s| s.tick >= last)?;
        let stopped = results.iter().any(|r| r.code == SkillCode::Stopped);
        let reason = if stopped { WindowReason::Stopped } else { WindowReason::Idle };
        Ok(Dispatched { start_tick, closed_tick: state.tick, reason, results })
    }

    /// Opens a window and waits until it has closed and its last state was seen.
    pub fn run_window(&self, transaction: &str, max_ticks: u64, until_idle: bool) -> Result<Closed, TeamError> {
        let goal = RunWindow::Goal { transaction_id: transaction.to_owned(), max_ticks, until_idle };
        let id = ActionCaller::<Run>::new_id();
        let ran = self.run_window_as(id, goal);
        if ran.is_err() {
            // Whoever waits no longer must not leave time running.
            self.heard_of_cancel(self.window.cancel(id, MOMENT));
            // The bridge first lets the robots' stops reach their motors; no other window opens before that.
            if let Err(error) = self.window.result(id, MOMENT).wait(&|| false) {
                tracing::warn!(%error, "the end of the canceled window");
            }
        }
        ran
    }

    fn run_window_as(&self, id: GoalId, goal: RunWindow::Goal) -> Result<Closed, TeamError> {
        // The result of a refused window says why.
        let _taken = accepted::<Run>(self.wait(self.window.send(id, goal, self.quick()))?);
        let limit = wall(self.settings.calls.window_wall_s);
        let (_, result) = ended::<Run>(self.wait_while_time_passes(self.window.result(id, limit))?);
        let reason = world::reason_from_wire(result.reason).map_err(|e| failed(names::WORLD_RUN_WINDOW, e))?;
        if reason != WindowReason::Refused {
            self.listener.await_state(self.quick(), |s| s.tick >= result.closed_tick)?;
        }
        let (start_tick, closed_tick) = (result.start_tick, result.closed_tick);
        Ok(Closed { start_tick, closed_tick, reason, message: result.error_msg })
    }

    /// Cancels goals wherever they stand; nobody waits longer than a moment for the answers.
    fn cancel(&self, ids: &[GoalId]) {
        let asked: Vec<_> = self.robots.iter().zip(ids).map(|(robot, id)| robot.action.cancel(*id, MOMENT)).collect();
        asked.into_iter().for_each(|pending| self.heard_of_cancel(pending));
    }

    /// A stop does not end this wait: it is what the stop is for.
    fn heard_of_cancel(&self, pending: Pending<CancelGoal::Response>) {
        if let Err(error) = pending.wait(&|| false) {
            tracing::warn!(%error, "cancel");
        }
    }
}
