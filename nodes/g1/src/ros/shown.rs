//! What people see of the robot: joint states, transforms, description, diagnostics.

use crate::controller::Report;
use crate::ros::links::Links;
use crate::ros::watchdog::Watchdog;
use std::time::{Duration, Instant};
use troupe_core::device::LowState;
use troupe_core::state::{RobotMode, TeamState};
use troupe_ros::convert::geometry;
use troupe_ros::diagnostics::{Diagnostics, Jitter, Level, Status};
use troupe_ros::r2r::builtin_interfaces::msg::Time;
use troupe_ros::r2r::geometry_msgs::msg::{Transform, TransformStamped};
use troupe_ros::r2r::sensor_msgs::msg::JointState;
use troupe_ros::r2r::tf2_msgs::msg::TFMessage;
use troupe_ros::stamp;

/// Ticks over which jitter is told.
const JITTER_TICKS: usize = 500;

/// Tells about the robot.
#[derive(Debug)]
pub struct Shown {
    robot: String,
    base_link: String,
    joints: Vec<String>,
    every_ticks: u64,
    simulated: bool,
    diagnostics: Diagnostics,
    period: Duration,
    told: Option<Instant>,
    /// Wall time between two ticks.
    pub between: Jitter,
    /// Wall time of one tick's computing.
    pub computing: Jitter,
    last: Option<Report>,
    at: Time,
}

impl Shown {
    /// Nothing is told yet.
    pub fn new(robot: &str, joints: Vec<String>, simulated: bool, every_ticks: u64, period: Duration, diagnostics: Diagnostics) -> Self {
        Self {
            robot: robot.to_owned(),
            base_link: format!("{robot}/pelvis"),
            joints,
            every_ticks,
            simulated,
            diagnostics,
            period,
            told: None,
            between: Jitter::new(JITTER_TICKS),
            computing: Jitter::new(JITTER_TICKS),
            last: None,
            at: Time::default(),
        }
    }

    /// One control tick is done.
    pub fn ticked(&mut self, links: &Links, low: &LowState, team: &TeamState, report: Report) {
        self.at = if self.simulated { stamp::to_wire(team.stamp_s) } else { stamp::now() };
        self.last = Some(report);
        if !team.tick.is_multiple_of(self.every_ticks) {
            return;
        }
        // Nobody may be listening to either; the next ones come anyway.
        let _ = links.joint_states.publish(&self.joint_state(low));
        if let Some(robot) = team.robot(&self.robot) {
            let base = geometry::pose_to_wire(&robot.base);
            let transform = Transform {
                translation: geometry::vector_to_wire(robot.base.position),
                rotation: base.orientation,
            };
            let header = stamp::header(stamp::to_wire(team.stamp_s), stamp::WORLD);
            let child_frame_id = self.base_link.clone();
            let _ = links.tf.publish(&TFMessage { transforms: vec![TransformStamped { header, child_frame_id, transform }] });
        }
    }

    fn joint_state(&self, low: &LowState) -> JointState {
        JointState {
            header: stamp::header(self.at.clone(), &self.base_link),
            name: self.joints.clone(),
            position: low.motors.iter().map(|m| f64::from(m.q)).collect(),
            velocity: low.motors.iter().map(|m| f64::from(m.dq)).collect(),
            effort: low.motors.iter().map(|m| f64::from(m.tau_est)).collect(),
        }
    }

    /// Publishes diagnostics when they are due.
    pub fn diagnose(&mut self, now: Instant, watchdog: &Watchdog, rejected: u64, enabled: bool) {
        if self.told.is_some_and(|told| now.duration_since(told) < self.period) {
            return;
        }
        self.told = Some(now);
        let mut status = Status::default();
        match &self.last {
            None => status.finding(Level::Stale, "no state has come yet"),
            Some(report) => report_into(report, &mut status),
        }
        if !enabled {
            status.finding(Level::Warn, "commands are not enabled");
        }
        if rejected > 0 {
            status.finding(Level::Warn, format!("{rejected} messages were dropped"));
        }
        for (key, age) in ["lowstate_age_s", "team_state_age_s"].into_iter().zip(watchdog.ages_s(now)) {
            status.value(key, age.map_or("never".to_owned(), |s| format!("{s:.3}")));
        }
        status.value("dropped_messages", rejected);
        status.jitter("tick_period", &self.between);
        status.jitter("tick_computing", &self.computing);
        let at = if self.simulated { self.at.clone() } else { stamp::now() };
        self.diagnostics.report(at, status);
    }
}

fn report_into(report: &Report, status: &mut Status) {
    if let Some(fault) = &report.fault {
        status.finding(Level::Error, fault.clone());
    }
    if let Some(reason) = &report.stopped {
        status.finding(Level::Warn, format!("stopped: {reason}"));
    }
    let mode = match report.mode {
        RobotMode::Idle => "idle",
        RobotMode::Moving => "moving",
        RobotMode::Holding => "holding",
        RobotMode::Stopped => "stopped",
        RobotMode::Fault => "fault",
    };
    status.value("mode", mode);
    status.value("lifecycle", format!("{:?}", report.lifecycle));
    status.value("limited_joints", report.limited.len());
    let [vx, vy, wz] = report.velocity_command;
    status.value("velocity_command_mps_rps", format!("{vx:.3} {vy:.3} {wz:.3}"));
}
