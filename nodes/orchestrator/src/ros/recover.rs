//! `team/recover`: an operator or another program asks for a recovery by motion. The thread that spins accepts the
//! goal; the loop carries it out between two transactions and says how it goes.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use troupe_coordination::recovery::Step;
use troupe_core::recovery::{RecoveryCode, RecoveryKind, RecoveryReport, RecoveryRequest};
use troupe_ros::convert::recovery::{report_to_wire, request_from_wire};
use troupe_ros::goals::{ActionServer, Event, GoalId, GoalStatus, NewGoal, Refused};
use troupe_ros::r2r::troupe_msgs::action::Recover;
use troupe_ros::{RosError, RosNode, names};

/// What both threads know.
#[derive(Debug, Default)]
struct Shared {
    /// A run is under way.
    run: bool,
    /// Accepted, not yet taken by the loop.
    wanted: Option<RecoveryRequest>,
    /// The goal that the loop carries out is to end.
    canceled: bool,
}

/// From the loop to whoever asked.
enum Told {
    Step(Recover::Feedback),
    End(Box<RecoveryReport>),
}

/// The loop's end of the line.
#[derive(Debug)]
pub struct RecoveryLine {
    shared: Arc<Mutex<Shared>>,
    told: Sender<Told>,
}

/// The server, on the thread that spins.
pub struct RecoveryDesk {
    server: ActionServer<Recover::Action>,
    shared: Arc<Mutex<Shared>>,
    told: Receiver<Told>,
    /// The goal that was accepted and has not ended.
    active: Option<GoalId>,
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Offers the action.
///
/// # Errors
/// [`RosError`].
pub fn open(ros: &mut RosNode) -> Result<(RecoveryDesk, RecoveryLine), RosError> {
    let shared: Arc<Mutex<Shared>> = Arc::default();
    let (told, hear) = channel();
    let server = ActionServer::open(ros, names::TEAM_RECOVER)?;
    let desk = RecoveryDesk { server, shared: Arc::clone(&shared), told: hear, active: None };
    Ok((desk, RecoveryLine { shared, told }))
}

impl RecoveryLine {
    /// A run is under way: requests make sense from now on.
    pub fn run_begins(&self) {
        lock(&self.shared).run = true;
    }

    /// The next request, which the caller carries out.
    pub fn take(&self) -> Option<RecoveryRequest> {
        lock(&self.shared).wanted.take()
    }

    /// True once after the goal under way was canceled.
    pub fn canceled(&self) -> bool {
        std::mem::take(&mut lock(&self.shared).canceled)
    }

    /// The goal under way is canceled, and nobody has asked yet.
    pub fn is_canceled(&self) -> bool {
        lock(&self.shared).canceled
    }

    /// Feedback.
    pub fn step(&self, kind: RecoveryKind, step: &Step, steps: usize, tick: u64) {
        let feedback = Recover::Feedback {
            kind: kind.name().to_owned(),
            step: match step {
                Step::Dispatch(_) => Recover::Feedback::STEP_DISPATCH as u8,
                Step::Hoist => Recover::Feedback::STEP_HOIST as u8,
                Step::Place => Recover::Feedback::STEP_PLACE as u8,
                Step::Wait => Recover::Feedback::STEP_WAIT as u8,
            },
            steps: u32::try_from(steps).unwrap_or(u32::MAX),
            tick,
        };
        // Without a goal, or with its thread gone, nobody listens.
        let _ = self.told.send(Told::Step(feedback));
    }

    /// The result.
    pub fn end(&self, report: &RecoveryReport) {
        let _ = self.told.send(Told::End(Box::new(report.clone())));
    }
}

impl RecoveryDesk {
    /// Takes what has come; `epoch` is the team's.
    pub fn serve(&mut self, epoch: Option<u32>) {
        while let Ok(told) = self.told.try_recv() {
            self.tell(told);
        }
        while let Some(event) = self.server.take() {
            match event {
                Event::Goal(goal) => self.offer(goal, epoch),
                Event::CanceledBefore(id) => {
                    let report = RecoveryReport::without(RecoveryCode::Canceled, "canceled before it was accepted");
                    self.server.end(id, GoalStatus::Canceled, report_to_wire(&report));
                }
                Event::Cancel(id) => self.cancel(id),
            }
        }
    }

    /// Ends what is left: the run is over.
    pub fn close(&mut self) {
        while let Ok(told) = self.told.try_recv() {
            self.tell(told);
        }
        let report = RecoveryReport::without(RecoveryCode::NoRun, "the run is over");
        if let Some(id) = self.active.take() {
            self.server.end(id, GoalStatus::Aborted, report_to_wire(&report));
        }
    }

    fn tell(&mut self, told: Told) {
        let Some(id) = self.active else { return };
        match told {
            Told::Step(feedback) => self.server.feedback(&id, feedback),
            Told::End(report) => {
                let status = match report.code {
                    RecoveryCode::None => GoalStatus::Succeeded,
                    RecoveryCode::Canceled if self.server.is_canceling(&id) => GoalStatus::Canceled,
                    _ => GoalStatus::Aborted,
                };
                self.active = None;
                lock(&self.shared).canceled = false;
                self.server.end(id, status, report_to_wire(&report));
            }
        }
    }

    fn offer(&mut self, goal: NewGoal<Recover::Action>, epoch: Option<u32>) {
        match self.accepts(&goal.goal, epoch) {
            Ok(request) => {
                tracing::info!(kind = ?request.kind, "a recovery is asked for");
                lock(&self.shared).wanted = Some(request);
                self.active = Some(goal.id);
                self.server.accept(goal);
            }
            Err(report) => {
                tracing::warn!(why = report.message, "a recovery was refused");
                self.server.refuse(goal, Refused(report_to_wire(&report)));
            }
        }
    }

    fn accepts(&self, goal: &Recover::Goal, epoch: Option<u32>) -> Result<RecoveryRequest, RecoveryReport> {
        let request = request_from_wire(goal).map_err(|e| RecoveryReport::without(RecoveryCode::InvalidKind, e.to_string()))?;
        let Some(epoch) = epoch.filter(|_| lock(&self.shared).run) else {
            return Err(RecoveryReport::without(RecoveryCode::NoRun, "no run is under way"));
        };
        if self.active.is_some() {
            return Err(RecoveryReport::without(RecoveryCode::Busy, "another recovery is under way"));
        }
        if request.context_epoch < epoch {
            let why = format!("context_epoch = {}; allowed: {epoch}", request.context_epoch);
            return Err(RecoveryReport::without(RecoveryCode::Stale, why));
        }
        Ok(request)
    }

    /// One that the loop has not taken ends at once; one under way after its step.
    fn cancel(&mut self, id: GoalId) {
        if self.active != Some(id) {
            return;
        }
        let mut shared = lock(&self.shared);
        if shared.wanted.take().is_none() {
            shared.canceled = true;
            return;
        }
        drop(shared);
        self.active = None;
        let report = RecoveryReport::without(RecoveryCode::Canceled, "canceled before it began");
        self.server.end(id, GoalStatus::Canceled, report_to_wire(&report));
    }
}
