//! A node that only tests start: it sends what no good node would send, stands in for an estimator, calls
//! services, and prints what it hears, one line each.
//!
//! `probe watch`, `probe command ROBOT nan|gain|crc COUNT`, `probe estimate FROM`, `probe enable ROBOT`,
//! `probe clear ROBOT`, `probe lift SERVICE`, `probe sport ROBOT API PARAMETER`, `probe gains ROBOT`,
//! `probe stop`

use anyhow::{Context, Result, bail};
use std::io::Write;
use std::time::{Duration, Instant};
use troupe_core::device::{G1_JOINTS, G1_MODE_MACHINE, LowCommand, MotorCommand};
use troupe_ros::call::Caller;
use troupe_ros::convert::{low_command, team_state};
use troupe_ros::names::{self, robot};
use troupe_ros::node::IDLE;
use troupe_ros::r2r::WrappedServiceTypeSupport;
use troupe_ros::r2r::diagnostic_msgs::msg::DiagnosticArray;
use troupe_ros::r2r::rosgraph_msgs::msg::Clock;
use troupe_ros::r2r::std_msgs::msg::Bool;
use troupe_ros::r2r::std_srvs::srv::{SetBool, Trigger};
use troupe_ros::r2r::troupe_msgs::msg::TeamState;
use troupe_ros::r2r::troupe_msgs::srv::ResetWorld;
use troupe_ros::r2r::unitree_api::msg::{Request, Response};
use troupe_ros::r2r::unitree_hg::msg::LowCmd;
use troupe_ros::{RosNode, qos, stamp};

/// Until somebody listens or answers.
const LIMIT: Duration = Duration::from_secs(20);

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut node = RosNode::open("probe", "", Vec::new())?;
    match words.as_slice() {
        ["watch"] => watch(&mut node),
        ["command", name, fault, count] => command(&mut node, name, fault, count.parse()?),
        ["estimate", from] => estimate(&mut node, from),
        ["enable", name] => {
            let caller = node.caller::<SetBool::Service>(&robot(name, "enable"))?;
            let answer = call(&mut node, &caller, SetBool::Request { data: true })?;
            say(&format!("enabled {}", answer.success))
        }
        ["clear", name] => {
            let caller = node.caller::<Trigger::Service>(&robot(name, "clear_stop"))?;
            // Asked again for every new state: a robot has to know that it stands.
            let mut states = node.subscribe::<TeamState>(names::TEAM_STATE, qos::TEAM_STATE_STREAM)?;
            let until = Instant::now() + LIMIT;
            loop {
                let answer = call(&mut node, &caller, Trigger::Request::default())?;
                if answer.success || Instant::now() > until {
                    return say(&format!("cleared {} {}", answer.success, answer.message));
                }
                while states.newest().is_none() && Instant::now() < until {
                    node.spin(IDLE);
                }
            }
        }
        ["stop"] => stop(&mut node),
        ["lift", service] => lift(&mut node, service),
        ["sport", name, api, parameter] => sport(&mut node, name, api.parse()?, parameter),
        ["gains", name] => gains(&mut node, name),
        other => bail!("unknown: {other:?}"),
    }
}

fn say(line: &str) -> Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

/// Clock, team state and diagnostics until it is ended.
fn watch(node: &mut RosNode) -> Result<()> {
    let mut clocks = node.subscribe::<Clock>(names::CLOCK, qos::CLOCK)?;
    let mut states = node.subscribe::<TeamState>(names::TEAM_STATE, qos::TEAM_STATE_STREAM)?;
    let mut diagnostics = node.subscribe::<DiagnosticArray>(names::DIAGNOSTICS, qos::DIAGNOSTICS)?;
    while !node.shutdown().requested() {
        node.spin(IDLE);
        while let Some(clock) = clocks.take() {
            say(&format!("clock {}", stamp::nanoseconds(&clock.clock)))?;
        }
        while let Some(message) = states.take() {
            let state = team_state::from_wire(&message)?;
            let robots = state.robots.iter().map(|r| {
                let speed = r.twist.linear[0].hypot(r.twist.linear[1]);
                format!("{}:{:?}:{:.4}:{speed:.4}", r.robot, r.mode, r.base.position[2])
            });
            say(&format!("state {} {} {}", state.tick, state.context_epoch, robots.collect::<Vec<_>>().join(" ")))?;
        }
        while let Some(array) = diagnostics.take() {
            for status in array.status {
                let values: Vec<String> = status.values.iter().map(|v| format!("{}={}", v.key, v.value)).collect();
                say(&format!("diagnostics {} | {} | {}", status.name, status.message, values.join(" ")))?;
            }
        }
    }
    Ok(())
}

/// Commands that must be dropped: numbers that are not finite, a negative gain, a wrong checksum.
fn command(node: &mut RosNode, name: &str, fault: &str, count: usize) -> Result<()> {
    let publisher = node.publish::<LowCmd>(&robot(name, "lowcmd"), qos::DEVICE)?;
    let end = Instant::now() + LIMIT;
    while publisher.get_inter_process_subscription_count()? == 0 {
        anyhow::ensure!(Instant::now() < end, "nobody listens to {name}/lowcmd");
        node.spin(Duration::from_millis(10));
    }
    let motor = MotorCommand { mode: 1, q: 2.0, dq: 0.0, tau: 80.0, kp: 0.0, kd: 0.0 };
    let mut wrong = LowCommand { mode_machine: G1_MODE_MACHINE, motors: [motor; G1_JOINTS], answers_tick_ms: 0, flags: 0, controller_epoch: 0 };
    match fault {
        "nan" => wrong.motors.iter_mut().for_each(|m| m.q = f32::NAN),
        "gain" => wrong.motors.iter_mut().for_each(|m| m.kp = -50.0),
        "crc" => {}
        other => bail!("unknown fault: {other}"),
    }
    let mut message = low_command::to_wire(&wrong);
    if fault == "crc" {
        message.crc ^= 1;
    }
    for _ in 0..count {
        publisher.publish(&message)?;
        // As fast as a robot node, so that no queue overflows.
        node.spin(Duration::from_millis(5));
        std::thread::sleep(Duration::from_millis(5));
    }
    say(&format!("sent {count}"))?;
    // The last ones are on their way before the node closes.
    std::thread::sleep(Duration::from_millis(200));
    Ok(())
}

/// Passes the states of another topic on as an estimator would publish them.
fn estimate(node: &mut RosNode, from: &str) -> Result<()> {
    let mut truth = node.subscribe::<TeamState>(from, qos::TEAM_STATE_STREAM)?;
    let publisher = node.publish::<TeamState>(names::TEAM_STATE, qos::TEAM_STATE)?;
    let mut first = true;
    while !node.shutdown().requested() {
        node.spin(IDLE);
        while let Some(mut state) = truth.take() {
            state.robots.iter_mut().for_each(|r| {
                r.privileged = false;
                r.pose_std = 0.01;
            });
            publisher.publish(&state)?;
            if std::mem::take(&mut first) {
                say("estimating")?;
            }
        }
    }
    Ok(())
}

/// One high-level request; prints the answer's code and data.
fn sport(node: &mut RosNode, name: &str, api_id: i64, parameter: &str) -> Result<()> {
    let mut answers = node.subscribe::<Response>(&robot(name, "api/sport/response"), qos::API)?;
    let publisher = node.publish::<Request>(&robot(name, "api/sport/request"), qos::API)?;
    let end = Instant::now() + LIMIT;
    while publisher.get_inter_process_subscription_count()? == 0
        || node.publishers_of(&robot(name, "api/sport/response"))?.is_empty()
    {
        anyhow::ensure!(Instant::now() < end, "nobody answers at {name}");
        node.spin(Duration::from_millis(10));
    }
    let mut request = Request { parameter: parameter.to_owned(), ..Request::default() };
    request.header.identity.id = 4711;
    request.header.identity.api_id = api_id;
    while Instant::now() < end {
        // Discovery is not the same on both ends: asked again until it is answered.
        publisher.publish(&request)?;
        let again = Instant::now() + Duration::from_millis(500);
        while Instant::now() < again {
            node.spin(Duration::from_millis(10));
            while let Some(answer) = answers.take() {
                if answer.header.identity.id == 4711 {
                    return say(&format!("code {} {}", answer.header.status.code, answer.data));
                }
            }
        }
    }
    bail!("no answer to api {api_id}")
}

/// Stands fallen robots up. The first state after the lift meets robots that still believe the estimate of
/// before, so that it is done again once the estimate has followed.
fn lift(node: &mut RosNode, service: &str) -> Result<()> {
    let mut states = node.subscribe::<TeamState>(names::TEAM_STATE, qos::TEAM_STATE_STREAM)?;
    let caller = node.caller::<ResetWorld::Service>(service)?;
    let stands = |s: &TeamState| s.robots.iter().all(|r| r.base.position.z > 0.7);
    for _ in 0..2 {
        let answer = call(node, &caller, ResetWorld::Request { seed: 0 })?;
        anyhow::ensure!(answer.ok, "{}", answer.error_msg);
        let end = Instant::now() + LIMIT;
        while !states.newest().is_some_and(|s| stands(&s)) {
            anyhow::ensure!(Instant::now() < end, "the estimate does not follow");
            node.spin(Duration::from_millis(5));
        }
    }
    say("lifted")
}

/// An operator's stop for the whole team.
fn stop(node: &mut RosNode) -> Result<()> {
    let publisher = node.publish::<Bool>(names::TEAM_STOP, qos::LATCHED)?;
    publisher.publish(&Bool { data: true })?;
    say("stopped")?;
    // Late readers get it as long as its publisher lives.
    while !node.shutdown().requested() {
        node.spin(IDLE);
    }
    Ok(())
}

/// Prints the sum of the gains of each command of a robot until it is ended.
fn gains(node: &mut RosNode, name: &str) -> Result<()> {
    let mut commands = node.subscribe::<LowCmd>(&robot(name, "lowcmd"), qos::DEVICE)?;
    while !node.shutdown().requested() {
        node.spin(IDLE);
        while let Some(command) = commands.take() {
            let sum: f32 = command.motor_cmd.iter().map(|m| m.kp + m.kd + m.tau.abs()).sum();
            say(&format!("gains {sum:.3}"))?;
        }
    }
    Ok(())
}

fn call<S: WrappedServiceTypeSupport + 'static>(node: &mut RosNode, caller: &Caller<S>, request: S::Request) -> Result<S::Response>
where
    S::Request: Send + Sync,
    S::Response: Send,
{
    let mut pending = caller.start(request, LIMIT);
    loop {
        if let Some(answer) = pending.poll() {
            return answer.with_context(|| caller.name().to_owned());
        }
        node.spin(Duration::from_millis(10));
    }
}
