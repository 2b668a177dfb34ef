//! Resets, checkpoints and the payload. Each is done at once and alone: nothing ticks meanwhile.

use crate::HOIST_LIFT_M;
use crate::ros::robots::{Answer, Ask};
use crate::ros::shell::{Shell, answer};
use std::time::{Duration, Instant};
use troupe_core::team::{CheckpointInfo, Restored, WindowReason};
use troupe_ros::convert::{checkpoint, world};
use troupe_ros::mode::Mode;
use troupe_ros::r2r::troupe_msgs::srv;
use troupe_ros::settings::wall;

impl Shell {
    /// Serves the project's own world services.
    pub fn serve_world(&mut self) {
        while let Some(request) = self.links.capabilities.take() {
            let lockstep = self.mode == Mode::Lockstep;
            answer(request, world::capabilities_to_wire(&self.bridge.capabilities(lockstep)));
        }
        while let Some(request) = self.links.reset.take() {
            let done = self.reset(request.message.seed);
            let (tick, context_epoch) = (self.bridge.tick(), self.bridge.context_epoch());
            let (ok, error_msg) = (done.is_ok(), done.err().unwrap_or_default());
            answer(request, srv::ResetWorld::Response { ok, tick, context_epoch, error_msg });
        }
        while let Some(request) = self.links.place_payload.take() {
            let done = self.place(&request.message.payload);
            let (ok, error_msg) = (done.is_ok(), done.err().unwrap_or_default());
            answer(request, srv::PlacePayload::Response { ok, error_msg });
        }
        while let Some(request) = self.links.hoist_payload.take() {
            let done = self.hoist(&request.message.payload);
            let (ok, error_msg) = (done.is_ok(), done.err().unwrap_or_default());
            answer(request, srv::HoistPayload::Response { ok, error_msg });
        }
        while let Some(request) = self.links.save.take() {
            let response = match self.save(&request.message.id, &request.message.created_by) {
                Ok(info) => srv::SaveCheckpoint::Response { ok: true, info: checkpoint::to_wire(&info), error_msg: String::new() },
                Err(error_msg) => srv::SaveCheckpoint::Response { ok: false, error_msg, ..Default::default() },
            };
            answer(request, response);
        }
        while let Some(request) = self.links.restore.take() {
            let response = match self.restore(&request.message.id, request.message.resume) {
                Ok(restored) => checkpoint::restored_to_wire(&restored),
                Err(error_msg) => srv::RestoreCheckpoint::Response { ok: false, error_msg, ..Default::default() },
            };
            answer(request, response);
        }
    }

    /// A new episode: fresh physics, fresh controllers, the first state answered by every robot.
    pub fn reset(&mut self, seed: u64) -> Result<(), String> {
        self.close(WindowReason::Stopped, "the world is reset");
        self.awaiting = None;
        self.bridge.reset(seed).map_err(|e| e.to_string())?;
        let fresh = vec![None; self.robots.len()];
        self.give_back(fresh, false)?;
        self.publish_frame();
        self.await_answers()
    }

    fn place(&mut self, payload: &str) -> Result<(), String> {
        self.by_hand(payload)?;
        self.bridge.place_payload().map_err(|e| e.to_string())?;
        self.moved_by_hand();
        Ok(())
    }

    fn hoist(&mut self, payload: &str) -> Result<(), String> {
        self.by_hand(payload)?;
        self.bridge.hoist_payload(HOIST_LIFT_M).map_err(|e| e.to_string())?;
        self.moved_by_hand();
        Ok(())
    }

    /// What an operator may touch, and when.
    fn by_hand(&self, payload: &str) -> Result<(), String> {
        let known = &self.bridge.world().description().config.payload.name;
        if !payload.is_empty() && payload != known {
            return Err(format!("payload = `{payload}`; allowed: {known}"));
        }
        if self.open.is_some() {
            return Err("a window is open".to_owned());
        }
        Ok(())
    }

    /// The world changed without a tick: the robots' held commands stay in force.
    pub fn moved_by_hand(&mut self) {
        self.awaiting = None;
        self.publish_team();
    }

    fn save(&mut self, id: &str, created_by: &str) -> Result<CheckpointInfo, String> {
        if self.mode == Mode::Lockstep && self.open.is_some() {
            return Err("a window is open".to_owned());
        }
        let limit = wall(self.settings.bridge.controller_wall_s);
        let asks = self.robots.iter().map(|r| r.ask_save(limit)).collect();
        let memories = self.await_controllers(asks)?.into_iter().map(|a| a.memory).collect();
        self.bridge.save(id, created_by, memories).map_err(|e| e.to_string())
    }

    fn restore(&mut self, id: &str, resume: bool) -> Result<Restored, String> {
        self.close(WindowReason::Stopped, "a checkpoint is restored");
        let (mut restored, memories) = self.bridge.restore(id).map_err(|e| e.to_string())?;
        self.awaiting = None;
        restored.controller_epochs = self.give_back(memories.into_iter().map(Some).collect(), resume)?;
        self.publish_team();
        Ok(restored)
    }

    /// Gives the controllers their memories, or fresh ones, in the current epoch.
    fn give_back(&mut self, memories: Vec<Option<Vec<u8>>>, resume: bool) -> Result<Vec<u32>, String> {
        let limit = wall(self.settings.bridge.controller_wall_s);
        let epoch = self.bridge.context_epoch();
        let asks = self.robots.iter().zip(memories).map(|(r, memory)| r.ask_restore(epoch, memory, resume, limit)).collect();
        let epochs: Vec<u32> = self.await_controllers(asks)?.into_iter().map(|a| a.controller_epoch).collect();
        for (index, epoch) in epochs.iter().enumerate() {
            self.bridge.acknowledged(index, *epoch, resume);
        }
        Ok(epochs)
    }

    /// Waits for all controllers at once; every call has its own deadline.
    fn await_controllers(&mut self, mut asks: Vec<Ask>) -> Result<Vec<Answer>, String> {
        let mut answers: Vec<Option<Answer>> = vec![None; asks.len()];
        while answers.iter().any(Option::is_none) {
            for (index, (ask, slot)) in asks.iter_mut().zip(&mut answers).enumerate() {
                if slot.is_some() {
                    continue;
                }
                if let Some(result) = ask.poll() {
                    let name = self.robots.get(index).map_or("", |r| &r.name);
                    *slot = Some(result.map_err(|why| format!("{name}: {why}"))?);
                }
            }
            if self.ending() {
                return Err("the bridge ends".to_owned());
            }
            if answers.iter().any(Option::is_none) {
                self.spin(Duration::from_millis(2));
            }
        }
        Ok(answers.into_iter().flatten().collect())
    }

    fn await_answers(&mut self) -> Result<(), String> {
        let until = Instant::now() + wall(self.settings.bridge.robot_silence_wall_s);
        while self.awaiting.is_some() {
            if Instant::now() > until || self.ending() {
                return Err(self.silence());
            }
            self.spin(Duration::from_millis(2));
        }
        Ok(())
    }
}
