//! The vendor's high-level requests (`api/sport/request`), answered in simulation as on the robot.

use crate::config::Settings;
use crate::controller::G1;
use crate::memory::VelocityCommand;
use serde::Deserialize;
use troupe_core::skill::SkillCode;
use troupe_core::ticks;

/// State: motors without torque.
pub const FSM_ZERO_TORQUE: u32 = 0;
/// State: motors damp.
pub const FSM_DAMP: u32 = 1;
/// State: stands, does not walk.
pub const FSM_STAND_UP: u32 = 4;
/// State: walking controller, skills are taken.
pub const FSM_WALKING: u32 = 500;

/// Answered.
pub const CODE_OK: i32 = 0;
/// No such request.
pub const CODE_NOT_IMPLEMENTED: i32 = 3203;
/// The parameter is malformed or out of range.
pub const CODE_PARAMETER: i32 = 3204;
/// Not now: stopped, disabled, faulty, executing a skill, or in another state.
pub const CODE_NOT_AVAILABLE: i32 = 7301;
/// No such state.
pub const CODE_FSM: i32 = 7302;

/// Answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SportReply {
    /// 0 = done.
    pub code: i32,
    /// JSON on success, the reason otherwise.
    pub data: String,
}

impl SportReply {
    /// Done; `data` is JSON or empty.
    #[must_use]
    pub fn done(data: impl Into<String>) -> Self {
        Self { code: CODE_OK, data: data.into() }
    }

    /// Refused.
    #[must_use]
    pub fn refused(code: i32, why: impl Into<String>) -> Self {
        Self { code, data: why.into() }
    }
}

/// A request with its parameter parsed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SportRequest {
    /// 7001.
    GetFsm,
    /// 7101.
    SetFsm(u32),
    /// 7102: true keeps stepping at zero velocity.
    SetContinuousGait(bool),
    /// 7105.
    SetVelocity(VelocityCommand),
}

#[derive(Deserialize)]
struct Data {
    data: i64,
}

#[derive(Deserialize)]
struct Velocity {
    velocity: [f64; 3],
    duration: f64,
}

/// Parses a request.
///
/// # Errors
/// The reply that refuses it.
pub fn parse(settings: &Settings, api_id: i64, parameter: &str) -> Result<SportRequest, SportReply> {
    let malformed = |e: serde_json::Error| SportReply::refused(CODE_PARAMETER, e.to_string());
    match api_id {
        7001 => Ok(SportRequest::GetFsm),
        7101 => {
            let Data { data } = serde_json::from_str(parameter).map_err(malformed)?;
            [FSM_ZERO_TORQUE, FSM_DAMP, FSM_STAND_UP, FSM_WALKING]
                .into_iter()
                .find(|id| i64::from(*id) == data)
                .map(SportRequest::SetFsm)
                .ok_or_else(|| SportReply::refused(CODE_FSM, format!("state {data} is not 0, 1, 4 or 500")))
        }
        7102 => {
            let Data { data } = serde_json::from_str(parameter).map_err(malformed)?;
            match data {
                0 | 1 => Ok(SportRequest::SetContinuousGait(data == 1)),
                _ => Err(SportReply::refused(CODE_PARAMETER, format!("balance mode {data} is not 0 or 1"))),
            }
        }
        7105 => {
            let asked: Velocity = serde_json::from_str(parameter).map_err(malformed)?;
            velocity(settings, &asked).map(SportRequest::SetVelocity)
        }
        _ => Err(SportReply::refused(CODE_NOT_IMPLEMENTED, format!("api {api_id} is not 7001, 7101, 7102 or 7105"))),
    }
}

impl G1 {
    /// Answers a request. Zero torque and damping are always granted; everything that moves needs an
    /// enabled, healthy robot that is neither stopped nor executing a skill.
    pub fn sport(&mut self, api_id: i64, parameter: &str) -> SportReply {
        let request = match parse(&self.config.settings, api_id, parameter) {
            Ok(request) => request,
            Err(refusal) => return refusal,
        };
        match request {
            SportRequest::GetFsm => SportReply::done(format!("{{\"data\":{}}}", self.memory.fsm)),
            SportRequest::SetFsm(id) => match self.unavailable().filter(|_| id > FSM_DAMP) {
                Some(why) => SportReply::refused(CODE_NOT_AVAILABLE, why),
                None => {
                    self.set_fsm(id);
                    SportReply::done("")
                }
            },
            SportRequest::SetContinuousGait(on) => {
                self.memory.continuous_gait = on;
                SportReply::done("")
            }
            SportRequest::SetVelocity(command) => match self.why_not_velocity() {
                Some(why) => SportReply::refused(CODE_NOT_AVAILABLE, why),
                None => {
                    let moves = command.velocity.iter().any(|v| v.abs() > 0.0);
                    self.memory.velocity = moves.then_some(command);
                    self.memory.reference = None;
                    SportReply::done("")
                }
            },
        }
    }

    fn set_fsm(&mut self, id: u32) {
        if id == self.memory.fsm {
            return;
        }
        self.end_motion(SkillCode::Stopped, &format!("the vendor's state was set to {id}"));
        if self.memory.fsm <= FSM_DAMP {
            self.restart_gait();
        }
        self.memory.fsm = id;
    }

    fn unavailable(&self) -> Option<String> {
        match (&self.latches.fault, self.stopped()) {
            (Some(fault), _) => Some(fault.clone()),
            (_, Some(reason)) => Some(format!("stopped: {reason}")),
            _ if !self.enabled => Some("commands are not enabled".to_owned()),
            _ => None,
        }
    }

    fn why_not_velocity(&self) -> Option<String> {
        self.unavailable().or_else(|| {
            if self.memory.fsm != FSM_WALKING {
                return Some(format!("state is {}, walking needs {FSM_WALKING}", self.memory.fsm));
            }
            self.memory.active.as_ref().map(|a| format!("executing `{}`", a.goal.call.name()))
        })
    }
}

/// Out-of-limit requests are refused, not clipped: the caller must know what the robot does.
fn velocity(settings: &Settings, asked: &Velocity) -> Result<VelocityCommand, SportReply> {
    let limits = settings.motion.command_limit;
    if asked.velocity.iter().zip(limits).any(|(v, most)| !v.is_finite() || v.abs() > most) {
        let text = format!("velocity {:?} is outside ± {limits:?} (m/s, m/s, rad/s)", asked.velocity);
        return Err(SportReply::refused(CODE_PARAMETER, text));
    }
    let most = settings.safety.velocity_duration_s;
    if !(asked.duration > 0.0 && asked.duration <= most) {
        let text = format!("duration {} s is outside 0 to {most} s", asked.duration);
        return Err(SportReply::refused(CODE_PARAMETER, text));
    }
    Ok(VelocityCommand { velocity: asked.velocity.map(|v| v as f32), ticks: ticks(asked.duration).max(1) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests_support::settings;

    #[test]
    fn requests_are_parsed_and_bad_ones_refused_with_their_code() {
        let s = settings();
        let code = |id, text: &str| parse(&s, id, text).map_err(|r| r.code);
        assert_eq!(code(7001, ""), Ok(SportRequest::GetFsm));
        assert_eq!(code(7101, r#"{"data":1}"#), Ok(SportRequest::SetFsm(1)));
        assert_eq!(code(7101, r#"{"data":3}"#), Err(CODE_FSM));
        assert_eq!(code(7102, r#"{"data":1}"#), Ok(SportRequest::SetContinuousGait(true)));
        assert_eq!(code(7102, r#"{"data":2}"#), Err(CODE_PARAMETER));
        assert_eq!(code(1008, "{}"), Err(CODE_NOT_IMPLEMENTED));
        let walk = VelocityCommand { velocity: [0.3, 0.0, -0.25], ticks: 50 };
        assert_eq!(code(7105, r#"{"velocity":[0.3,0,-0.25],"duration":1}"#), Ok(SportRequest::SetVelocity(walk)));
        for bad in [
            "",
            r#"{"velocity":[0.3,0],"duration":1}"#,
            r#"{"velocity":[9,0,0],"duration":1}"#,
            r#"{"velocity":[0.1,0,0],"duration":0}"#,
            r#"{"velocity":[0.1,0,0],"duration":-1}"#,
            r#"{"velocity":[0.1,0,0],"duration":1e300}"#,
            r#"{"velocity":[0.1,0,0]}"#,
        ] {
            assert_eq!(code(7105, bad), Err(CODE_PARAMETER), "{bad}");
        }
    }
}
