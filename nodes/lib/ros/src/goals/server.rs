//! The ROS side of an action server: three services and two topics around a [`GoalBook`].

use crate::error::RosError;
use crate::goals::book::{GoalBook, GoalId, GoalStatus, Offer, ResultAnswer};
use crate::inbox::Inbox;
use crate::node::RosNode;
use crate::{qos, stamp};
use r2r::action_msgs::msg::{GoalInfo, GoalStatus as StatusMessage, GoalStatusArray};
use r2r::action_msgs::srv::CancelGoal;
use r2r::unique_identifier_msgs::msg::UUID;
use r2r::{Publisher, ServiceRequest, WrappedActionTypeSupport as Action, WrappedServiceTypeSupport as Service};

/// Ended goals whose results can still be asked for.
const KEEP: usize = 256;

type ResultRequest<A> = ServiceRequest<<A as Action>::GetResult>;

/// Why a goal is not accepted; the result tells whoever asks for it.
#[derive(Debug)]
pub struct Refused<A: Action>(pub A::Result);

/// What a client wants; the owner of the server decides.
pub enum Event<A: Action> {
    /// A new goal, to be answered with [`ActionServer::accept`] or [`ActionServer::refuse`].
    Goal(NewGoal<A>),
    /// The goal is to be canceled before it began: answered already, [`ActionServer::end`] it.
    CanceledBefore(GoalId),
    /// This goal is to be stopped; [`ActionServer::end`] it once it is.
    Cancel(GoalId),
}

/// A goal that waits for its answer.
pub struct NewGoal<A: Action> {
    /// Chosen by the client.
    pub id: GoalId,
    /// What is wanted.
    pub goal: A::Goal,
    request: ServiceRequest<A::SendGoal>,
}

/// An action that this node offers.
pub struct ActionServer<A: Action + 'static> {
    goals: Inbox<ServiceRequest<A::SendGoal>>,
    cancels: Inbox<ServiceRequest<CancelGoal::Service>>,
    results: Inbox<ResultRequest<A>>,
    feedback: Publisher<A::FeedbackMessage>,
    status: Publisher<GoalStatusArray>,
    book: GoalBook<A::Result, ResultRequest<A>>,
}

impl<A: Action> std::fmt::Debug for ActionServer<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ActionServer")
    }
}

impl<A: Action + 'static> ActionServer<A>
where
    A::SendGoal: Send + 'static,
    A::GetResult: Send + 'static,
    <A::SendGoal as Service>::Request: Send,
    <A::GetResult as Service>::Request: Send,
    <A::GetResult as Service>::Response: 'static,
    <A::SendGoal as Service>::Response: 'static,
    A::FeedbackMessage: 'static,
{
    /// Offers the action `name`.
    ///
    /// # Errors
    /// [`RosError`].
    pub fn open(node: &mut RosNode, name: &str) -> Result<Self, RosError> {
        Ok(Self {
            goals: node.serve(&format!("{name}/_action/send_goal"))?,
            cancels: node.serve(&format!("{name}/_action/cancel_goal"))?,
            results: node.serve(&format!("{name}/_action/get_result"))?,
            feedback: node.publish(&format!("{name}/_action/feedback"), qos::FEEDBACK)?,
            status: node.publish(&format!("{name}/_action/status"), qos::LATCHED)?,
            book: GoalBook::new(KEEP),
        })
    }

    /// The next thing to decide, if any; call until it is `None` after every spin.
    pub fn take(&mut self) -> Option<Event<A>> {
        while let Some(request) = self.results.take() {
            self.answer_result(request);
        }
        while let Some(request) = self.goals.take() {
            let (uuid, goal) = A::destructure_goal_request_msg(request.message.clone());
            let id = id_of(&uuid);
            match self.book.offer(id) {
                Offer::Duplicate => respond(request, A::make_goal_response_msg(false, stamp::now())),
                Offer::New => return Some(Event::Goal(NewGoal { id, goal, request })),
                Offer::Canceled => {
                    self.begin(id, request);
                    return Some(Event::CanceledBefore(id));
                }
            }
        }
        self.cancel_next()
    }

    fn cancel_next(&mut self) -> Option<Event<A>> {
        let request = self.cancels.take()?;
        let info = &request.message.goal_info;
        let (code, begin, named) = self.book.cancel(id_of(&info.goal_id), stamp::nanoseconds(&info.stamp));
        let goals_canceling = named.iter().map(|id| goal_info(id, 0)).collect();
        respond(request, CancelGoal::Response { return_code: code as i8, goals_canceling });
        self.publish_status();
        match begin.as_slice() {
            [] => self.take(),
            [id] => Some(Event::Cancel(*id)),
            // One goal at a time runs in every action here; more would be handed out one by one.
            [id, rest @ ..] => {
                tracing::warn!(rest = rest.len(), "one cancel request stops several goals");
                Some(Event::Cancel(*id))
            }
        }
    }

    fn answer_result(&mut self, request: ResultRequest<A>) {
        let id = id_of(&A::destructure_result_request_msg(request.message.clone()));
        match self.book.result(id, request) {
            ResultAnswer::Later => {}
            ResultAnswer::Now(request, status, result) => {
                respond(request, A::make_result_response_msg(status as i8, result));
            }
            // 0: unknown, as rcl answers.
            ResultAnswer::Unknown(request) => respond(request, A::make_result_response_msg(0, A::Result::default())),
        }
    }

    /// Accepts a goal; it executes from now on.
    pub fn accept(&mut self, goal: NewGoal<A>) {
        self.begin(goal.id, goal.request);
    }

    fn begin(&mut self, id: GoalId, request: ServiceRequest<A::SendGoal>) {
        let now = stamp::now();
        self.book.accept(id, stamp::nanoseconds(&now));
        respond(request, A::make_goal_response_msg(true, now));
        self.publish_status();
    }

    /// Refuses a goal.
    pub fn refuse(&mut self, goal: NewGoal<A>, why: Refused<A>) {
        respond(goal.request, A::make_goal_response_msg(false, stamp::now()));
        let Refused(result) = why;
        for request in self.book.refuse(goal.id, result.clone()) {
            respond(request, A::make_result_response_msg(GoalStatus::Aborted as i8, result.clone()));
        }
    }

    /// Ends a goal; the second end of a goal is ignored.
    pub fn end(&mut self, id: GoalId, status: GoalStatus, result: A::Result) {
        for request in self.book.end(id, status, result.clone()) {
            respond(request, A::make_result_response_msg(status as i8, result.clone()));
        }
        self.publish_status();
    }

    /// Publishes feedback of a goal.
    pub fn feedback(&self, id: &GoalId, feedback: A::Feedback) {
        let message = A::make_feedback_msg(UUID { uuid: id.to_vec() }, feedback);
        // Feedback is best told, never waited for.
        let _ = self.feedback.publish(&message);
    }

    /// True when a cancel of this goal was taken.
    #[must_use]
    pub fn is_canceling(&self, id: &GoalId) -> bool {
        self.book.status(id) == Some(GoalStatus::Canceling)
    }

    /// Goals that have not ended.
    #[must_use]
    pub fn active(&self) -> Vec<GoalId> {
        self.book.active()
    }

    fn publish_status(&self) {
        let status_list = self
            .book
            .listed()
            .into_iter()
            .map(|(id, at_ns, status)| StatusMessage { goal_info: goal_info(&id, at_ns), status: status as i8 })
            .collect();
        let _ = self.status.publish(&GoalStatusArray { status_list });
    }
}

fn goal_info(id: &GoalId, at_ns: i64) -> GoalInfo {
    let at_ns = u64::try_from(at_ns).unwrap_or_default();
    GoalInfo { goal_id: UUID { uuid: id.to_vec() }, stamp: stamp::from_nanoseconds(at_ns) }
}

/// The 16 bytes of a wire id; an id of another length reads as zeros.
#[must_use]
pub fn id_of(uuid: &UUID) -> GoalId {
    GoalId::try_from(uuid.uuid.as_slice()).unwrap_or_default()
}

fn respond<S: Service + 'static>(request: ServiceRequest<S>, response: S::Response) {
    // The client may be gone; that is its own business.
    if let Err(error) = request.respond(response) {
        tracing::debug!(%error, "no answer could be sent");
    }
}
