//! The bridge's one loop: states out, commands in, time on.

use crate::Bridge;
use crate::ros::cameras::Cameras;
use crate::ros::links::Links;
use crate::ros::pace::Pace;
use crate::ros::robots::Robot;
use crate::ros::told::Told;
use crate::ros::windows::{Open, Owner};
use crate::window::WindowStep;
use std::time::{Duration, Instant};
use troupe_core::team::WindowReason;
use troupe_ros::RosNode;
use troupe_ros::convert::{low_state, team_state};
use troupe_ros::mode::Mode;
use troupe_ros::node::IDLE;
use troupe_ros::r2r::rosgraph_msgs::msg::Clock;
use troupe_ros::r2r::{ServiceRequest, WrappedServiceTypeSupport};
use troupe_ros::settings::{RosSettings, wall};
use troupe_ros::stamp;

/// The bridge on the graph.
pub struct Shell {
    pub ros: RosNode,
    pub bridge: Bridge,
    pub settings: RosSettings,
    pub mode: Mode,
    pub links: Links,
    pub robots: Vec<Robot>,
    pub cameras: Option<Cameras>,
    pub told: Told,
    pub pace: Pace,
    /// Time passes by itself.
    pub playing: bool,
    /// The window through which time passes otherwise.
    pub open: Option<Open>,
    /// Since when the robots' answers to the current tick are awaited.
    pub awaiting: Option<Instant>,
    /// When the current state was sent last.
    pub sent: Instant,
    /// Every robot has answered once.
    pub ready: bool,
}

impl Shell {
    /// Runs until the process is asked to end.
    pub fn run(mut self) {
        self.publish_frame();
        while !self.ending() {
            let wait = self.wait();
            self.spin(wait);
            self.serve();
            self.advance();
            let silent = if self.awaiting.is_some() { self.bridge.silent() } else { Vec::new() };
            self.told.tell(&self.ros, &self.bridge, &self.robots, &silent);
            self.show();
        }
        self.close(WindowReason::Stopped, "the bridge ends");
        // Results are on their way before the node closes.
        std::thread::sleep(Duration::from_millis(50));
        tracing::info!("ended");
        troupe_ros::shutdown::farewell(0);
    }

    /// The process is asked to end.
    pub fn ending(&self) -> bool {
        self.ros.shutdown().requested()
    }

    /// One spin; commands and stops are taken at once.
    pub fn spin(&mut self, wait: Duration) {
        self.ros.spin(wait);
        while let Some(stop) = self.links.team_stop.take() {
            if stop.data {
                self.stop_window();
            }
        }
        let lockstep = self.mode == Mode::Lockstep;
        let now_ms = tick_ms(self.bridge.tick());
        for (index, robot) in self.robots.iter_mut().enumerate() {
            while let Some(command) = robot.take() {
                let answers = command.answers_tick_ms;
                // Only the answer to this very tick may count, whoever else writes to the topic.
                if lockstep && answers != now_ms {
                    robot.drop_command(&format!("answers {answers} ms; the state is of {now_ms} ms"));
                    continue;
                }
                match self.bridge.accept(index, command) {
                    Ok(()) => robot.answered_ms = Some(answers),
                    Err(error) => robot.drop_command(&error),
                }
            }
        }
        if let Some(since) = self.awaiting
            && self.bridge.all_answered()
        {
            self.told.answered(since.elapsed());
            self.awaiting = None;
            if !self.ready {
                self.ready = true;
                self.playing = self.mode == Mode::Realtime;
                tracing::info!(robots = ?self.bridge.robots(), mode = ?self.mode, "ready");
            }
        }
    }

    fn wait(&mut self) -> Duration {
        if self.awaiting.is_none() && self.open.is_some() && self.steps_wait_for_answers() {
            return Duration::ZERO;
        }
        if self.ready && self.playing && self.mode == Mode::Realtime {
            return self.pace.wait(Instant::now()).min(IDLE);
        }
        IDLE
    }

    /// Time waits for the robots: always in lockstep, and for single steps of a paused simulation.
    fn steps_wait_for_answers(&self) -> bool {
        self.mode == Mode::Lockstep || !self.playing
    }

    fn serve(&mut self) {
        self.serve_simulation();
        // Everything else needs a team that is there.
        if self.ready {
            self.serve_windows();
            self.serve_world();
        }
    }

    fn advance(&mut self) {
        if !self.ready {
            self.repeat();
        } else if self.steps_wait_for_answers() {
            self.pace.pause();
            self.advance_window();
        } else if self.pace.wait(Instant::now()).is_zero() {
            self.step();
            self.pace.ticked(Instant::now());
            self.watch_window();
        }
    }

    /// The window in lockstep: one step for every tick that all robots have answered.
    fn advance_window(&mut self) {
        if self.awaiting.is_some() {
            return self.lose_patience();
        }
        let busy = self.bridge.any_busy();
        let Some(open) = &mut self.open else { return };
        if open.begun
            && let WindowStep::Close(reason) = open.answered(busy)
        {
            return self.close(reason, "");
        }
        self.step();
    }

    /// The window in real time: robots answer late, so that only commands from after its opening count.
    fn watch_window(&mut self) {
        let busy = self.bridge.any_busy();
        let Some(open) = &mut self.open else { return };
        let opened_ms = tick_ms(open.window.start_tick());
        let fresh = |ms: Option<u32>| ms.is_some_and(|ms| ms.wrapping_sub(opened_ms).cast_signed() > 0);
        let answered = self.robots.iter().all(|r| fresh(r.answered_ms));
        if let WindowStep::Close(reason) = open.answered(busy || !answered) {
            self.close(reason, "");
        }
    }

    fn step(&mut self) {
        if let Err(error) = self.bridge.step() {
            tracing::error!(%error, "the physics failed");
            self.playing = false;
            return self.close(WindowReason::Stopped, &error.to_string());
        }
        if let Some(open) = &mut self.open {
            open.begun = true;
            open.window.stepped();
        }
        self.publish_frame();
        self.told.stepped();
        self.window_feedback();
    }

    /// Publishes clock, device states and team state, and awaits the answers.
    pub fn publish_frame(&mut self) {
        match self.bridge.frame() {
            Ok(frame) => {
                self.publish_clock();
                for (robot, state) in self.robots.iter().zip(&frame.low_states) {
                    told(robot.low_state.publish(&low_state::to_wire(state)));
                }
                told(self.links.team_state.publish(&team_state::to_wire(&frame.team)));
            }
            Err(error) => tracing::error!(%error, "no state to publish"),
        }
        self.sent = Instant::now();
        self.awaiting.get_or_insert(self.sent);
    }

    /// Publishes clock and team state: nobody ticks for it.
    pub fn publish_team(&mut self) {
        match self.bridge.team_state() {
            Ok(state) => {
                self.publish_clock();
                told(self.links.team_state.publish(&team_state::to_wire(&state)));
            }
            Err(error) => tracing::error!(%error, "no state to publish"),
        }
    }

    fn publish_clock(&self) {
        told(self.links.clock.publish(&Clock { clock: stamp::to_wire(self.bridge.stamp_s()) }));
    }

    /// The time that robots may be silent counts from now.
    pub fn patience_from_now(&mut self) {
        if let Some(since) = &mut self.awaiting {
            *since = Instant::now();
        }
    }

    /// The current state again, for a robot that was not there when it was sent.
    fn repeat(&mut self) {
        if self.sent.elapsed() >= wall(self.settings.bridge.repeat_wall_s) {
            self.publish_frame();
        }
    }

    fn lose_patience(&mut self) {
        let limit = wall(self.settings.bridge.robot_silence_wall_s);
        if self.awaiting.is_some_and(|since| since.elapsed() > limit) {
            if self.open.is_some() {
                let message = self.silence();
                self.close(WindowReason::RobotSilent, &message);
            }
            self.repeat();
        }
    }

    /// Who is silent, and why as far as is known.
    pub fn silence(&self) -> String {
        let silent = self.bridge.silent();
        let reasons = self.robots.iter().filter(|r| silent.contains(&r.name) && !r.reason.is_empty());
        let reasons: Vec<String> = reasons.map(|r| format!("; last command of {}: {}", r.name, r.reason)).collect();
        format!("no answer to tick {} from {}{}", self.bridge.tick(), silent.join(", "), reasons.concat())
    }

    /// Opens the endless window of a playing simulation in lockstep.
    pub fn play(&mut self) {
        self.playing = true;
        if self.mode == Mode::Lockstep
            && let Some(window) = crate::Window::open(self.bridge.tick(), u64::MAX, false)
        {
            self.begin(Open::new(window, Owner::Playing));
        }
    }

    fn show(&mut self) {
        if let Some(cameras) = &mut self.cameras {
            cameras.show(self.bridge.tick(), self.bridge.stamp_s(), self.bridge.world().qpos());
        }
    }
}

fn tick_ms(tick: u64) -> u32 {
    (tick.wrapping_mul(20) & u64::from(u32::MAX)) as u32
}

fn told(published: troupe_ros::r2r::Result<()>) {
    if let Err(error) = published {
        tracing::warn!(%error, "a message was not sent");
    }
}

/// Answers a request; the client may be gone.
pub fn answer<S: WrappedServiceTypeSupport + 'static>(request: ServiceRequest<S>, response: S::Response) {
    if let Err(error) = request.respond(response) {
        tracing::debug!(%error, "no answer could be sent");
    }
}
