//! Action clients with deadlines. The goal's id is chosen here, so that a goal can be canceled before
//! its acceptance was heard of.

use crate::call::{Caller, Pending};
use crate::error::RosError;
use crate::goals::{GoalId, GoalStatus};
use crate::inbox::Inbox;
use crate::node::RosNode;
use crate::qos;
use r2r::action_msgs::msg::GoalInfo;
use r2r::action_msgs::srv::CancelGoal;
use r2r::unique_identifier_msgs::msg::UUID;
use r2r::{WrappedActionTypeSupport as Action, WrappedServiceTypeSupport as Service};
use std::time::Duration;

/// Answer to a goal request.
pub type GoalAnswer<A> = <<A as Action>::SendGoal as Service>::Response;
/// Answer to a result request.
pub type ResultMessage<A> = <<A as Action>::GetResult as Service>::Response;

/// An action of another node.
#[derive(Debug)]
pub struct ActionCaller<A: Action + 'static>
where
    A::SendGoal: 'static,
    A::GetResult: 'static,
{
    send: Caller<A::SendGoal>,
    result: Caller<A::GetResult>,
    cancel: Caller<CancelGoal::Service>,
}

impl<A: Action + 'static> ActionCaller<A>
where
    <A::SendGoal as Service>::Request: Send + Sync,
    <A::SendGoal as Service>::Response: Send,
    <A::GetResult as Service>::Request: Send + Sync,
    <A::GetResult as Service>::Response: Send,
{
    /// Calls the action `name`.
    ///
    /// # Errors
    /// [`RosError`].
    pub fn open(node: &mut RosNode, name: &str) -> Result<Self, RosError> {
        Ok(Self {
            send: node.caller(&format!("{name}/_action/send_goal"))?,
            result: node.caller(&format!("{name}/_action/get_result"))?,
            cancel: node.caller(&format!("{name}/_action/cancel_goal"))?,
        })
    }

    /// Waits within `limit`, one after the other, until goals can be sent, their results asked for, and canceled.
    pub fn appear(&self, limit: Duration) -> [Pending<()>; 3] {
        [self.send.appear(limit), self.result.appear(limit), self.cancel.appear(limit)]
    }

    /// A fresh goal id.
    #[must_use]
    pub fn new_id() -> GoalId {
        *r2r::uuid::Uuid::new_v4().as_bytes()
    }

    /// Sends a goal; [`accepted`] reads the answer.
    pub fn send(&self, id: GoalId, goal: A::Goal, limit: Duration) -> Pending<GoalAnswer<A>> {
        self.send.start(A::make_goal_request_msg(uuid(id), goal), limit)
    }

    /// Asks for the result, which comes when the goal ends; [`ended`] reads the answer. A refused goal
    /// of our own servers tells why.
    pub fn result(&self, id: GoalId, limit: Duration) -> Pending<ResultMessage<A>> {
        self.result.start(A::make_result_request_msg(uuid(id)), limit)
    }

    /// Cancels a goal, accepted or not.
    pub fn cancel(&self, id: GoalId, limit: Duration) -> Pending<CancelGoal::Response> {
        let goal_info = GoalInfo { goal_id: uuid(id), ..GoalInfo::default() };
        self.cancel.start(CancelGoal::Request { goal_info }, limit)
    }
}

/// Feedback of all goals of the action `name`, with their ids; [`A::destructure_feedback_msg`] reads it.
///
/// # Errors
/// [`RosError`].
///
/// [`A::destructure_feedback_msg`]: r2r::WrappedActionTypeSupport::destructure_feedback_msg
pub fn feedback<A: Action + 'static>(node: &mut RosNode, name: &str) -> Result<Inbox<A::FeedbackMessage>, RosError>
where
    A::FeedbackMessage: Send + 'static,
{
    node.subscribe(&format!("{name}/_action/feedback"), qos::FEEDBACK)
}

/// Whether a goal was accepted.
pub fn accepted<A: Action>(answer: GoalAnswer<A>) -> bool {
    A::destructure_goal_response_msg(answer).0
}

/// How a goal ended; `None` as status when the server does not know the goal.
pub fn ended<A: Action>(message: ResultMessage<A>) -> (Option<GoalStatus>, A::Result) {
    let (status, result) = A::destructure_result_response_msg(message);
    let known = [GoalStatus::Succeeded, GoalStatus::Canceled, GoalStatus::Aborted];
    (known.into_iter().find(|s| *s as i8 == status), result)
}

fn uuid(id: GoalId) -> UUID {
    UUID { uuid: id.to_vec() }
}
