//! Who lets time pass, and what they are told when it stops.

use crate::ros::shell::Shell;
use crate::window::{Window, WindowStep};
use troupe_core::team::WindowReason;
use troupe_ros::goals::{Event, GoalId, GoalStatus, NewGoal, Refused};
use troupe_ros::mode::Mode;
use troupe_ros::r2r::ServiceRequest;
use troupe_ros::r2r::simulation_interfaces::action::SimulateSteps;
use troupe_ros::r2r::simulation_interfaces::msg::Result as SimResult;
use troupe_ros::r2r::simulation_interfaces::srv::StepSimulation;
use troupe_ros::r2r::troupe_msgs::action::RunWindow;

/// Ticks that a stopped window still runs, so that every robot's stop reaches its motors: 50 ms.
const STOP_TICKS: u64 = 3;

/// Who opened a window.
pub enum Owner {
    /// `world/run_window`.
    Window(GoalId),
    /// `simulate_steps`.
    Steps(GoalId, u64),
    /// `step_simulation`.
    Step(ServiceRequest<StepSimulation::Service>),
    /// `set_simulation_state` playing, in lockstep.
    Playing,
}

/// A window and who waits for it.
pub struct Open {
    /// Counts.
    pub window: Window,
    /// Who opened it.
    pub owner: Owner,
    /// At least one step was made.
    pub begun: bool,
    /// Ticks that are left after a stop.
    pub stopping: Option<u64>,
}

impl Open {
    /// A window that has not begun.
    pub fn new(window: Window, owner: Owner) -> Self {
        Self { window, owner, begun: false, stopping: None }
    }

    /// It is to end soon.
    pub fn stop(&mut self) {
        if !matches!(self.owner, Owner::Playing) {
            self.stopping.get_or_insert(STOP_TICKS);
        }
    }

    /// What to do once a tick is answered.
    pub fn answered(&mut self, busy: bool) -> WindowStep {
        match &mut self.stopping {
            Some(left) if *left == 0 || !busy => WindowStep::Close(WindowReason::Stopped),
            Some(left) => {
                *left -= 1;
                WindowStep::Step
            }
            None => self.window.answered(busy),
        }
    }
}

impl Shell {
    /// Takes windows, steps and their cancels.
    pub fn serve_windows(&mut self) {
        while let Some(event) = self.links.run_window.take() {
            match event {
                Event::Goal(goal) => self.open_window(goal),
                Event::CanceledBefore(id) => {
                    let result = self.window_result(WindowReason::Stopped, self.bridge.tick(), "canceled before it was accepted");
                    self.links.run_window.end(id, GoalStatus::Canceled, result);
                }
                Event::Cancel(_) => self.stop_window(),
            }
        }
        while let Some(event) = self.links.simulation.steps.take() {
            match event {
                Event::Goal(goal) => self.open_steps(goal),
                Event::CanceledBefore(id) => {
                    let result = SimulateSteps::Result { result: failed("canceled before it was accepted") };
                    self.links.simulation.steps.end(id, GoalStatus::Canceled, result);
                }
                Event::Cancel(_) => self.stop_window(),
            }
        }
    }

    /// The open window ends within three ticks.
    pub fn stop_window(&mut self) {
        if let Some(open) = &mut self.open {
            open.stop();
        }
    }

    fn open_window(&mut self, goal: NewGoal<RunWindow::Action>) {
        let asked = &goal.goal;
        let window = Window::open(self.bridge.tick(), asked.max_ticks, asked.until_idle);
        let why = match (&self.open, &window) {
            (Some(_), _) => "another window is open",
            (None, None) => "max_ticks is 0; at least 1 is needed",
            (None, Some(_)) if self.mode == Mode::Realtime && !self.playing => "the simulation is paused",
            _ => "",
        };
        match window {
            Some(window) if why.is_empty() => {
                self.begin(Open::new(window, Owner::Window(goal.id)));
                self.links.run_window.accept(goal);
            }
            _ => {
                let result = self.window_result(WindowReason::Refused, self.bridge.tick(), why);
                self.links.run_window.refuse(goal, Refused(result));
            }
        }
    }

    fn open_steps(&mut self, goal: NewGoal<SimulateSteps::Action>) {
        match self.steps_window(goal.goal.steps) {
            Ok(window) => {
                let owner = Owner::Steps(goal.id, goal.goal.steps);
                self.begin(Open::new(window, owner));
                self.links.simulation.steps.accept(goal);
            }
            Err(result) => self.links.simulation.steps.refuse(goal, Refused(SimulateSteps::Result { result })),
        }
    }

    /// A window of exactly `steps` ticks, allowed only while paused.
    pub fn steps_window(&self, steps: u64) -> Result<Window, SimResult> {
        if self.playing || self.open.is_some() {
            let error_message = "steps need a paused simulation and no open window".to_owned();
            return Err(SimResult { result: SimResult::RESULT_INCORRECT_STATE as u8, error_message });
        }
        Window::open(self.bridge.tick(), steps, false).ok_or_else(|| failed("steps = 0; allowed: at least 1"))
    }

    /// Opens a window; the time that robots may be silent counts from now.
    pub fn begin(&mut self, open: Open) {
        self.open = Some(open);
        self.patience_from_now();
    }

    /// Tells whoever opened the window that it is closed.
    pub fn close(&mut self, reason: WindowReason, message: &str) {
        let Some(open) = self.open.take() else { return };
        let start = open.window.start_tick();
        if !message.is_empty() {
            tracing::warn!(?reason, message, "window closed");
        }
        let done = matches!(reason, WindowReason::Idle | WindowReason::Limit);
        match open.owner {
            Owner::Window(id) => {
                let result = self.window_result(reason, start, message);
                let status = ended(done, self.links.run_window.is_canceling(&id));
                self.links.run_window.end(id, status, result);
            }
            Owner::Steps(id, _) => {
                let status = ended(done, self.links.simulation.steps.is_canceling(&id));
                self.links.simulation.steps.end(id, status, SimulateSteps::Result { result: stepped(done, message) });
            }
            Owner::Step(request) => {
                crate::ros::shell::answer(request, StepSimulation::Response { result: stepped(done, message) });
            }
            Owner::Playing => self.playing = false,
        }
    }

    fn window_result(&self, reason: WindowReason, start_tick: u64, message: &str) -> RunWindow::Result {
        RunWindow::Result {
            reason: reason as u8,
            start_tick,
            closed_tick: self.bridge.tick(),
            error_msg: message.to_owned(),
        }
    }

    /// Feedback of the open window.
    pub fn window_feedback(&self) {
        let Some(open) = &self.open else { return };
        let tick = self.bridge.tick();
        if !tick.is_multiple_of(self.settings.tell.feedback_ticks) {
            return;
        }
        match &open.owner {
            Owner::Window(id) => self.links.run_window.feedback(id, RunWindow::Feedback { tick }),
            Owner::Steps(id, steps) => {
                let remaining_steps = open.window.left();
                let completed_steps = steps.saturating_sub(remaining_steps);
                let feedback = SimulateSteps::Feedback { completed_steps, remaining_steps };
                self.links.simulation.steps.feedback(id, feedback);
            }
            Owner::Step(_) | Owner::Playing => {}
        }
    }
}

fn ended(done: bool, canceling: bool) -> GoalStatus {
    match (done, canceling) {
        (true, _) => GoalStatus::Succeeded,
        (false, true) => GoalStatus::Canceled,
        (false, false) => GoalStatus::Aborted,
    }
}

fn stepped(done: bool, message: &str) -> SimResult {
    if done { ok() } else { failed(if message.is_empty() { "stopped" } else { message }) }
}

/// `RESULT_OK`.
pub fn ok() -> SimResult {
    SimResult { result: SimResult::RESULT_OK as u8, error_message: String::new() }
}

/// `RESULT_OPERATION_FAILED`.
pub fn failed(why: &str) -> SimResult {
    SimResult { result: SimResult::RESULT_OPERATION_FAILED as u8, error_message: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_window_ends_when_the_robots_are_idle_or_after_50_ms() {
        let mut open = Open::new(Window::open(0, 1000, true).unwrap(), Owner::Window([0; 16]));
        assert_eq!(open.answered(true), WindowStep::Step);
        open.stop();
        for _ in 0..STOP_TICKS {
            assert_eq!(open.answered(true), WindowStep::Step);
        }
        assert_eq!(open.answered(true), WindowStep::Close(WindowReason::Stopped));
        let mut open = Open::new(Window::open(0, 1000, false).unwrap(), Owner::Steps([0; 16], 1000));
        open.stop();
        assert_eq!(open.answered(false), WindowStep::Close(WindowReason::Stopped));
    }

    #[test]
    fn playing_is_not_ended_by_a_stop() {
        let mut open = Open::new(Window::open(0, u64::MAX, false).unwrap(), Owner::Playing);
        open.stop();
        assert_eq!(open.answered(false), WindowStep::Step);
    }
}
