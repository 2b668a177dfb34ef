//! Skill calls, goals, results and feedback of `troupe_msgs/ExecuteSkill`.

use super::ConvertError;
use r2r::geometry_msgs::msg::Vector3;
use r2r::troupe_msgs::action::ExecuteSkill;
use r2r::troupe_msgs::msg;
use troupe_core::frames::Planar;
use troupe_core::skill::{Direction, SkillCall, SkillCode, SkillFeedback, SkillGoal, SkillResult, SkillStage};

/// A call.
#[must_use]
pub fn call_to_wire(call: &SkillCall) -> msg::SkillCall {
    let (names, values) = call.arguments().into_iter().map(|(n, v)| (n.to_owned(), v)).unzip();
    let direction = call.direction().map_or("", Direction::name).to_owned();
    msg::SkillCall { skill: call.name().to_owned(), direction, names, values }
}

/// A call as sent.
///
/// # Errors
/// [`ConvertError::Skill`], [`ConvertError::Length`].
pub fn call_from_wire(message: &msg::SkillCall) -> Result<SkillCall, ConvertError> {
    if message.names.len() != message.values.len() {
        let (given, required) = (message.values.len(), message.names.len());
        return Err(ConvertError::Length { field: "call.values", given, required });
    }
    let arguments: Vec<(String, f64)> = message.names.iter().cloned().zip(message.values.iter().copied()).collect();
    Ok(SkillCall::from_parts(&message.skill, &message.direction, &arguments)?)
}

/// A goal.
#[must_use]
pub fn goal_to_wire(goal: &SkillGoal) -> ExecuteSkill::Goal {
    ExecuteSkill::Goal {
        call: call_to_wire(&goal.call),
        transaction_id: goal.transaction_id.clone(),
        context_epoch: goal.context_epoch,
        start_tick: goal.start_tick,
        deadline_s: goal.deadline_s,
    }
}

/// A goal as sent.
///
/// # Errors
/// As [`call_from_wire`].
pub fn goal_from_wire(message: &ExecuteSkill::Goal) -> Result<SkillGoal, ConvertError> {
    Ok(SkillGoal {
        call: call_from_wire(&message.call)?,
        transaction_id: message.transaction_id.clone(),
        context_epoch: message.context_epoch,
        start_tick: message.start_tick,
        deadline_s: message.deadline_s,
    })
}

/// A result.
#[must_use]
pub fn result_to_wire(result: &SkillResult) -> ExecuteSkill::Result {
    ExecuteSkill::Result {
        error_code: result.code as u16,
        error_msg: result.message.clone(),
        displacement: Vector3 { x: result.displacement.x, y: result.displacement.y, z: 0.0 },
        yaw_change: result.displacement.yaw,
        coast: result.coast_m,
        settled: result.settled,
        consumed_tick: result.consumed_tick,
        stop_tick: result.stop_tick,
        end_tick: result.end_tick,
    }
}

/// A result as sent.
///
/// # Errors
/// [`ConvertError::Code`].
pub fn result_from_wire(message: &ExecuteSkill::Result) -> Result<SkillResult, ConvertError> {
    Ok(SkillResult {
        code: code_from_wire(message.error_code)?,
        message: message.error_msg.clone(),
        displacement: Planar { x: message.displacement.x, y: message.displacement.y, yaw: message.yaw_change },
        coast_m: message.coast,
        settled: message.settled,
        consumed_tick: message.consumed_tick,
        stop_tick: message.stop_tick,
        end_tick: message.end_tick,
    })
}

/// A skill's code as sent.
///
/// # Errors
/// [`ConvertError::Code`].
pub fn code_from_wire(code: u16) -> Result<SkillCode, ConvertError> {
    SkillCode::from_number(code).ok_or(ConvertError::Code {
        field: "error_code",
        given: u64::from(code),
        allowed: "0 and 100 to 111",
    })
}

/// Feedback.
#[must_use]
pub fn feedback_to_wire(feedback: &SkillFeedback) -> ExecuteSkill::Feedback {
    ExecuteSkill::Feedback {
        stage: match feedback.stage {
            SkillStage::Waiting => 0,
            SkillStage::Moving => 1,
            SkillStage::Correcting => 2,
            SkillStage::Settling => 3,
        },
        travelled: feedback.travelled_m,
        turned: feedback.turned_rad,
        progress: feedback.progress,
        tick: feedback.tick,
    }
}

/// Feedback as sent.
///
/// # Errors
/// [`ConvertError::Code`].
pub fn feedback_from_wire(message: &ExecuteSkill::Feedback) -> Result<SkillFeedback, ConvertError> {
    let stage = match message.stage {
        0 => SkillStage::Waiting,
        1 => SkillStage::Moving,
        2 => SkillStage::Correcting,
        3 => SkillStage::Settling,
        other => return Err(ConvertError::Code { field: "stage", given: u64::from(other), allowed: "0 to 3" }),
    };
    Ok(SkillFeedback {
        stage,
        travelled_m: message.travelled,
        turned_rad: message.turned,
        progress: message.progress,
        tick: message.tick,
    })
}
