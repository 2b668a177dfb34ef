//! `experience/retrieve` and `experience/promote`: people and programs look into a run's experience.

use crate::experience::SharedBank;
use crate::experience::request::{Lookup, add, look_up};
use std::sync::mpsc::Receiver;
use troupe_coordination::experience::BankCaps;
use troupe_ros::inbox::Inbox;
use troupe_ros::r2r::troupe_msgs::srv;
use troupe_ros::r2r::{ServiceRequest, WrappedServiceTypeSupport};
use troupe_ros::{RosError, RosNode, names};

/// Experience that may be asked about.
pub struct Shared {
    /// The run's own.
    pub bank: SharedBank,
    /// Bounds of a retrieval.
    pub caps: BankCaps,
}

/// Answers requests about the experience of the run under way.
pub struct Desk {
    retrieve: Inbox<ServiceRequest<srv::RetrieveExperience::Service>>,
    promote: Inbox<ServiceRequest<srv::PromoteExperience::Service>>,
    banks: Receiver<Shared>,
    shared: Option<Shared>,
}

const NO_RUN: &str = "no run is under way yet";

impl Desk {
    /// Opens both services.
    pub fn open(ros: &mut RosNode, banks: Receiver<Shared>) -> Result<Self, RosError> {
        Ok(Self {
            retrieve: ros.serve(names::EXPERIENCE_RETRIEVE)?,
            promote: ros.serve(names::EXPERIENCE_PROMOTE)?,
            banks,
            shared: None,
        })
    }

    /// Answers what has come, in order.
    pub fn answer(&mut self) {
        if let Ok(shared) = self.banks.try_recv() {
            self.shared = Some(shared);
        }
        while let Some(request) = self.retrieve.take() {
            let response = self.retrieved(&request.message).unwrap_or_else(|error_msg| {
                srv::RetrieveExperience::Response { error_msg, ..Default::default() }
            });
            send(request, response);
        }
        while let Some(request) = self.promote.take() {
            let response = match self.promoted(&request.message) {
                Ok((id, merged)) => srv::PromoteExperience::Response { ok: true, id, merged, error_msg: String::new() },
                Err(error_msg) => srv::PromoteExperience::Response { error_msg, ..Default::default() },
            };
            send(request, response);
        }
    }

    fn retrieved(&self, asked: &srv::RetrieveExperience::Request) -> Result<srv::RetrieveExperience::Response, String> {
        let Shared { bank, caps } = self.shared.as_ref().ok_or(NO_RUN)?;
        let lookup = Lookup {
            store: asked.store.clone(),
            phase: asked.phase.clone(),
            layout: asked.layout.clone(),
            failure_type: asked.failure_type.clone(),
            failure_level: asked.failure_level.clone(),
            kind: asked.kind.clone(),
            objective: asked.objective.clone(),
            mode: asked.mode.clone(),
        };
        let (ids, records) = look_up(bank, &lookup, caps)?.into_iter().unzip();
        let identity = bank.copy().identity().map_err(|e| e.to_string())?;
        Ok(srv::RetrieveExperience::Response { ids, records, identity, error_msg: String::new() })
    }

    fn promoted(&mut self, asked: &srv::PromoteExperience::Request) -> Result<(String, bool), String> {
        let Shared { bank, caps } = self.shared.as_mut().ok_or(NO_RUN)?;
        add(bank, &asked.store, &asked.record, caps)
    }
}

fn send<S: WrappedServiceTypeSupport + 'static>(request: ServiceRequest<S>, response: S::Response) {
    if let Err(error) = request.respond(response) {
        tracing::debug!(%error, "no answer could be sent");
    }
}
