//! The node's one loop: what arrived, what is due, what is stale.

use crate::G1;
use crate::controller::Output;
use crate::ros::links::Links;
use crate::ros::pairing::{Due, Pairing};
use crate::ros::shown::Shown;
use crate::ros::skills::Skills;
use crate::ros::watchdog::Watchdog;
use std::time::{Duration, Instant};
use troupe_core::device::LowState;
use troupe_core::state::TeamState;
use troupe_ros::convert::{low_command, low_state, team_state};
use troupe_ros::node::IDLE;
use troupe_ros::r2r::unitree_api::msg::{Request, Response, ResponseHeader, ResponseStatus};
use troupe_ros::r2r::unitree_hg::msg::LowCmd;
use troupe_ros::r2r::{self, std_srvs, troupe_msgs};
use troupe_ros::RosNode;

/// The parameter that an operator sets.
pub const ENABLED: &str = "commands_enabled";

/// A robot on the graph.
pub struct Shell {
    pub ros: RosNode,
    pub g1: G1,
    pub links: Links,
    pub skills: Skills,
    pub pairing: Pairing,
    pub watchdog: Watchdog,
    pub shown: Shown,
    pub enabled: bool,
    last_low: Option<LowState>,
    last_command: Option<LowCmd>,
    last_tick: Option<Instant>,
    stale: Option<String>,
    rejected: u64,
}

impl Shell {
    pub fn new(ros: RosNode, g1: G1, links: Links, skills: Skills, pairing: Pairing, watchdog: Watchdog, shown: Shown) -> Self {
        let enabled = ros.parameters().flag(ENABLED);
        let (last_low, last_command, last_tick, stale, rejected) = (None, None, None, None, 0);
        let mut shell = Self { ros, g1, links, skills, pairing, watchdog, shown, enabled, last_low, last_command, last_tick, stale, rejected };
        shell.g1.enable(enabled);
        shell
    }

    /// Runs until the process is asked to end; then stops the robot.
    pub fn run(mut self) {
        while !self.ros.shutdown().requested() {
            self.ros.spin(IDLE);
            let now = Instant::now();
            self.take_orders();
            self.take_states(now);
            self.skills.serve(&mut self.g1);
            self.watch(now);
            self.tick(now);
            self.shown.diagnose(now, &self.watchdog, self.rejected, self.enabled);
        }
        self.end();
    }

    fn take_orders(&mut self) {
        while let Some(stop) = self.links.team_stop.take() {
            if stop.data {
                tracing::warn!("team/stop");
                self.g1.stop("team/stop");
            }
        }
        let wanted = self.ros.parameters().flag(ENABLED);
        if wanted != self.enabled {
            self.enable(wanted);
        }
        while let Some(request) = self.links.enable.take() {
            let on = request.message.data;
            self.enable(on);
            let message = if on { "commands are enabled" } else { "commands are not enabled" };
            answer(request, std_srvs::srv::SetBool::Response { success: true, message: message.to_owned() });
        }
        while let Some(request) = self.links.clear_stop.take() {
            let (success, message) = match self.g1.clear_stop() {
                Ok(()) => (true, "cleared".to_owned()),
                Err(cause) => (false, cause),
            };
            tracing::info!(%message, "an operator clears the stop");
            answer(request, std_srvs::srv::Trigger::Response { success, message });
        }
        while let Some(request) = self.links.api.take() {
            self.sport(&request);
        }
        while let Some(request) = self.links.save.take() {
            let (state, controller_epoch) = (self.g1.save(), self.g1.controller_epoch());
            let response = troupe_msgs::srv::SaveController::Response { ok: true, controller_epoch, state, error_msg: String::new() };
            answer(request, response);
        }
        while let Some(request) = self.links.restore.take() {
            let asked = &request.message;
            let saved = (!asked.reinitialise).then_some(asked.state.as_slice());
            let response = match self.g1.restore(asked.context_epoch, saved, asked.resume) {
                Ok(controller_epoch) => troupe_msgs::srv::RestoreController::Response { ok: true, controller_epoch, error_msg: String::new() },
                Err(error) => troupe_msgs::srv::RestoreController::Response {
                    ok: false,
                    controller_epoch: self.g1.controller_epoch(),
                    error_msg: error.to_string(),
                },
            };
            answer(request, response);
        }
    }

    fn enable(&mut self, on: bool) {
        self.enabled = on;
        self.g1.enable(on);
        self.ros.parameters().note_flag(ENABLED, on);
        tracing::info!(enabled = on, "commands");
    }

    fn sport(&mut self, request: &Request) {
        let identity = request.header.identity.clone();
        let reply = self.g1.sport(identity.api_id, &request.parameter);
        if request.header.policy.noreply {
            return;
        }
        let header = ResponseHeader { identity, status: ResponseStatus { code: reply.code } };
        let response = Response { header, data: reply.data, binary: Vec::new() };
        if let Err(error) = self.links.api_response.publish(&response) {
            tracing::warn!(%error, "the answer to an api request was not sent");
        }
    }

    fn take_states(&mut self, now: Instant) {
        while let Some(message) = self.links.heartbeat.take() {
            drop(message);
            self.watchdog.heartbeat(now);
        }
        while let Some(message) = self.links.team_state.take() {
            match team_state::from_wire(&message) {
                Ok(state) => {
                    self.watchdog.team(state.tick, now);
                    self.pairing.team(state);
                }
                Err(error) => self.reject("team/state", &error),
            }
        }
        while let Some(message) = self.links.low_state.take() {
            match low_state::from_wire(&message) {
                Ok(state) => {
                    self.watchdog.low(state.tick_ms, now);
                    self.pairing.low(state);
                }
                Err(error) => self.reject("lowstate", &error),
            }
        }
    }

    fn reject(&mut self, what: &str, error: &dyn std::fmt::Display) {
        self.rejected += 1;
        // One line for the first, the count goes to /diagnostics.
        if self.rejected == 1 {
            tracing::warn!(what, %error, "message dropped");
        }
    }

    /// Stops for staleness once; a robot whose state is stale gets a hold command, as no tick will come.
    fn watch(&mut self, now: Instant) {
        let reason = self.watchdog.check(self.skills.is_active(), now);
        if let Some(reason) = &reason
            && self.stale.is_none()
        {
            tracing::warn!(%reason, "stop");
            self.g1.stop(reason);
            self.skills.finish(self.g1.take_finished());
            self.send_hold();
        }
        self.stale = reason;
    }

    fn tick(&mut self, now: Instant) {
        match self.pairing.due() {
            Due::Wait => {}
            Due::Repeat => {
                if let Some(command) = &self.last_command {
                    send(&self.links.low_cmd, command);
                }
            }
            Due::Tick(low, team) => self.control(now, low, &team),
        }
    }

    fn control(&mut self, now: Instant, low: LowState, team: &TeamState) {
        let output = self.g1.tick(&low, team);
        let Output { command, send: sending, feedback, finished, report } = output;
        if sending {
            let message = low_command::to_wire(&command);
            send(&self.links.low_cmd, &message);
            self.last_command = Some(message);
        }
        // Everything below happens while the others already work on the command.
        self.skills.feedback(feedback.as_ref());
        self.skills.finish(finished);
        if let Some(last) = self.last_tick.replace(now) {
            self.shown.between.note(now.duration_since(last));
        }
        self.shown.computing.note(now.elapsed());
        self.shown.ticked(&self.links, &low, team, report);
        self.last_low = Some(low);
    }

    fn send_hold(&self) {
        if let Some(low) = &self.last_low {
            send(&self.links.low_cmd, &low_command::to_wire(&self.g1.hold_command(low)));
        }
    }

    fn end(mut self) {
        self.g1.stop("the node ends");
        self.skills.finish(self.g1.take_finished());
        self.send_hold();
        // The command and the results are on their way before the node closes.
        self.ros.spin(Duration::from_millis(20));
        std::thread::sleep(Duration::from_millis(50));
        tracing::info!("ended");
        troupe_ros::shutdown::farewell(0);
    }
}

fn send(publisher: &r2r::Publisher<LowCmd>, message: &LowCmd) {
    if let Err(error) = publisher.publish(message) {
        tracing::warn!(%error, "a command was not sent");
    }
}

fn answer<S: r2r::WrappedServiceTypeSupport + 'static>(request: r2r::ServiceRequest<S>, response: S::Response) {
    if let Err(error) = request.respond(response) {
        tracing::debug!(%error, "no answer could be sent");
    }
}
