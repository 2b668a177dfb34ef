//! The services.

use crate::ros::shell::Shell;
use troupe_core::team::VerifyRequest;
use troupe_ros::convert::recovery;
use troupe_ros::convert::requests;
use troupe_ros::convert::verdict;
use troupe_ros::r2r::troupe_msgs::srv;
use troupe_ros::r2r::{ServiceRequest, WrappedServiceTypeSupport};

impl Shell {
    /// Answers what has come, in order.
    pub fn answer_requests(&mut self) {
        while let Some(request) = self.begin_run.take() {
            let response = match self.begin(&request.message) {
                Ok(checkpoint_id) => srv::BeginRun::Response { ok: true, checkpoint_id, error_msg: String::new() },
                Err(error_msg) => srv::BeginRun::Response { ok: false, checkpoint_id: String::new(), error_msg },
            };
            answer(request, response);
        }
        while let Some(request) = self.validate.take() {
            let response = match requests::validate_from_wire(&request.message) {
                Ok(asked) => requests::validated_to_wire(&self.verifier.validate(&asked)),
                Err(error) => srv::Validate::Response { error_msg: error.to_string(), ..Default::default() },
            };
            answer(request, response);
        }
        while let Some(request) = self.verify.take() {
            let judged = requests::verify_from_wire(&request.message).map_err(|e| e.to_string()).and_then(|asked| self.judge(&asked));
            let response = judged.unwrap_or_else(|error_msg| srv::Verify::Response { error_msg, ..Default::default() });
            answer(request, response);
        }
        while let Some(request) = self.endpoint.take() {
            let response = match self.await_tick(request.message.closed_tick) {
                Ok(()) => requests::endpoint_to_wire(&self.verifier.endpoint(request.message.closed_tick)),
                Err(error_msg) => srv::Endpoint::Response { error_msg, ..Default::default() },
            };
            answer(request, response);
        }
        while let Some(request) = self.confirm.take() {
            let asked = requests::confirm_from_wire(&request.message);
            let response = match self.await_tick(asked.closed_tick) {
                Ok(()) => srv::ConfirmRestore::Response {
                    verdict: verdict::to_wire(&self.verifier.confirm_restore(&asked)),
                    error_msg: String::new(),
                },
                Err(error_msg) => srv::ConfirmRestore::Response { error_msg, ..Default::default() },
            };
            answer(request, response);
        }
        while let Some(request) = self.recovery.take() {
            let judged = self.recovered(&request.message);
            let response = judged.unwrap_or_else(|error_msg| srv::ConfirmRecovery::Response { error_msg, ..Default::default() });
            answer(request, response);
        }
    }

    /// Whether the team may be trusted after a recovery by motion; nothing is stored.
    fn recovered(&mut self, message: &srv::ConfirmRecovery::Request) -> Result<srv::ConfirmRecovery::Response, String> {
        let asked = recovery::from_wire(message).map_err(|e| e.to_string())?;
        self.await_tick(asked.closed_tick)?;
        Ok(recovery::response_to_wire(&self.verifier.confirm_recovery(&asked)))
    }

    fn begin(&mut self, message: &srv::BeginRun::Request) -> Result<String, String> {
        let asked = requests::begin_run_from_wire(message);
        self.await_tick(asked.tick)?;
        let id = self.verifier.begin_run(&asked).map_err(|e| e.to_string())?;
        if let Err(why) = self.store(&id, "") {
            self.verifier.abort_run();
            return Err(format!("checkpoint `{id}` could not be stored: {why}"));
        }
        tracing::info!(run = %asked.run_id, task = %asked.task_id, "run begins");
        Ok(id)
    }

    fn judge(&mut self, asked: &VerifyRequest) -> Result<srv::Verify::Response, String> {
        self.await_tick(asked.closed_tick)?;
        let judged = self.verifier.judge(asked);
        let saved = match judged.save.clone() {
            Some(id) => self.store(&id, &asked.transaction_id),
            None => Err(String::new()),
        };
        Ok(requests::verified_to_wire(&self.verifier.commit(judged, saved)))
    }
}

fn answer<S: WrappedServiceTypeSupport + 'static>(request: ServiceRequest<S>, response: S::Response) {
    if let Err(error) = request.respond(response) {
        tracing::debug!(%error, "no answer could be sent");
    }
}
