//! The thread that spins: it keeps the newest state, the samples of the path and a stop that came in.

use crate::experience::SharedBank;
use crate::ports::{TeamError, TeamSample};
use crate::ros::experience::{Desk, Shared};
use crate::ros::recover::{self, RecoveryDesk, RecoveryLine};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use troupe_coordination::experience::BankCaps;
use troupe_core::state::TeamState;
use troupe_ros::convert::team_state;
use troupe_ros::inbox::Inbox;
use troupe_ros::node::IDLE;
use troupe_ros::r2r::sensor_msgs::msg::CompressedImage;
use troupe_ros::r2r::std_msgs::msg::Bool;
use troupe_ros::r2r::troupe_msgs::msg::TeamState as Message;
use troupe_ros::r2r::Publisher;
use troupe_ros::shutdown::Shutdown;
use troupe_ros::{RosError, RosNode, names, qos, stamp};

/// What has been heard.
#[derive(Debug, Default)]
struct Heard {
    newest: Option<TeamState>,
    at: Option<Instant>,
    samples: Vec<TeamSample>,
    stopped: bool,
}

/// A picture that someone waits for.
struct Wanted {
    camera: String,
    from_ns: i64,
    to: Sender<Vec<u8>>,
}

/// The ear of the loop's thread.
#[derive(Debug)]
pub struct Listener {
    heard: Arc<(Mutex<Heard>, Condvar)>,
    wanted: Sender<Wanted>,
    shared: Sender<Shared>,
    stop: Publisher<Bool>,
    /// Recoveries that somebody asks for.
    pub recoveries: RecoveryLine,
    shutdown: Shutdown,
    done: Shutdown,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    /// Moves the node to a thread that spins until this is dropped.
    pub fn start(mut ros: RosNode) -> Result<Self, RosError> {
        let states = ros.subscribe(names::TEAM_STATE, qos::TEAM_STATE_STREAM)?;
        let stops = ros.subscribe(names::TEAM_STOP, qos::LATCHED)?;
        let stop = ros.publish(names::TEAM_STOP, qos::LATCHED)?;
        let (wanted, orders) = channel();
        let (shared, banks) = channel();
        let experience = Desk::open(&mut ros, banks)?;
        let (desk, recoveries) = recover::open(&mut ros)?;
        let heard: Arc<(Mutex<Heard>, Condvar)> = Arc::default();
        let shutdown = ros.shutdown().clone();
        let done = Shutdown::default();
        let (for_thread, until) = (Arc::clone(&heard), done.clone());
        let ears = Ears { states, stops, orders, experience, recoveries: desk };
        let stop_of_thread = stop.clone();
        let spin = move || spin_until(ros, ears, &stop_of_thread, &for_thread, &until);
        let thread = std::thread::Builder::new().name("spin".into()).spawn(spin)?;
        Ok(Self { heard, wanted, shared, stop, recoveries, shutdown, done, thread: Some(thread) })
    }

    fn lock(&self) -> MutexGuard<'_, Heard> {
        self.heard.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets others ask about this experience.
    pub fn share(&self, bank: SharedBank, caps: BankCaps) {
        if self.shared.send(Shared { bank, caps }).is_err() {
            tracing::warn!("the thread that spins has ended; nobody can ask about experience");
        }
    }

    /// Why everything must end, if it must.
    pub fn stop_reason(&self) -> Option<String> {
        if self.shutdown.requested() {
            return Some("the process is asked to end".to_owned());
        }
        self.lock().stopped.then(|| names::TEAM_STOP.to_owned())
    }

    /// Stops every robot.
    pub fn stop_team(&self) {
        publish_stop(&self.stop);
        // On its way before the node closes.
        std::thread::sleep(Duration::from_millis(100));
    }

    /// The newest state.
    pub fn newest(&self) -> Option<TeamState> {
        self.lock().newest.clone()
    }

    /// Time since the last state, counted from `begun` at the earliest.
    pub fn silence(&self, begun: Instant) -> Duration {
        self.lock().at.map_or(begun, |at| at.max(begun)).elapsed()
    }

    /// Waits for a state that fits.
    pub fn await_state(&self, limit: Duration, fits: impl Fn(&TeamState) -> bool) -> Result<TeamState, TeamError> {
        let until = Instant::now() + limit;
        let mut heard = self.lock();
        loop {
            if let Some(state) = heard.newest.as_ref().filter(|s| fits(s)) {
                return Ok(state.clone());
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(TeamError::Silent { what: names::TEAM_STATE.to_owned() });
            }
            drop(heard);
            if let Some(reason) = self.stop_reason() {
                return Err(TeamError::Stopped { reason });
            }
            heard = self.lock();
            let (guard, _) = self.heard.1.wait_timeout(heard, left.min(IDLE)).unwrap_or_else(PoisonError::into_inner);
            heard = guard;
        }
    }

    /// The reason of a stop that comes within `limit`.
    pub fn await_stop(&self, limit: Duration) -> Option<String> {
        let until = Instant::now() + limit;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.stop_reason() {
                None if !left.is_zero() => {
                    let heard = self.lock();
                    drop(self.heard.1.wait_timeout(heard, left.min(IDLE)));
                }
                reason => return reason,
            }
        }
    }

    /// Samples since the last call, or since a reset.
    pub fn take_samples(&self) -> Vec<TeamSample> {
        std::mem::take(&mut self.lock().samples)
    }

    /// Drops samples from before `tick`.
    pub fn forget_before(&self, tick: u64) {
        self.lock().samples.retain(|s| s.tick >= tick);
    }

    /// A picture of `camera` not older than the newest state, as PNG.
    pub fn picture(&self, camera: &str, limit: Duration) -> Result<Vec<u8>, TeamError> {
        let (to, from) = channel();
        let from_ns = self.newest().map_or(0, |s| stamp::nanoseconds(&stamp::to_wire(s.stamp_s)));
        let silent = || TeamError::Silent { what: names::camera(camera) };
        self.wanted.send(Wanted { camera: camera.to_owned(), from_ns, to }).map_err(|_| silent())?;
        let until = Instant::now() + limit;
        loop {
            if let Some(reason) = self.stop_reason() {
                return Err(TeamError::Stopped { reason });
            }
            match from.recv_timeout(IDLE) {
                Ok(png) => return Ok(png),
                Err(RecvTimeoutError::Timeout) if Instant::now() < until => {}
                Err(_) => return Err(silent()),
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.done.request();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What the thread listens to.
struct Ears {
    states: Inbox<Message>,
    stops: Inbox<Bool>,
    orders: Receiver<Wanted>,
    experience: Desk,
    recoveries: RecoveryDesk,
}

fn publish_stop(publisher: &Publisher<Bool>) {
    if let Err(error) = publisher.publish(&Bool { data: true }) {
        tracing::error!(%error, "team/stop was not sent");
    }
}

fn spin_until(mut ros: RosNode, mut ears: Ears, stop: &Publisher<Bool>, heard: &(Mutex<Heard>, Condvar), done: &Shutdown) {
    let mut stopped = false;
    let mut pictures: Vec<(Wanted, Inbox<CompressedImage>)> = Vec::new();
    let mut refused = false;
    while !done.requested() {
        ros.spin(IDLE);
        if ros.shutdown().requested() && !stopped {
            // The robots first; the loop ends in its own time.
            stopped = true;
            publish_stop(stop);
        }
        while let Some(message) = ears.states.take() {
            match team_state::from_wire(&message) {
                Ok(state) => note_state(heard, state),
                Err(error) if !refused => {
                    refused = true;
                    tracing::warn!(%error, "team/state dropped");
                }
                Err(_) => {}
            }
        }
        while let Some(stop) = ears.stops.take() {
            if stop.data {
                heard.0.lock().unwrap_or_else(PoisonError::into_inner).stopped = true;
                heard.1.notify_all();
            }
        }
        while let Ok(wanted) = ears.orders.try_recv() {
            let topic = format!("{}/compressed", names::camera(&wanted.camera));
            match ros.subscribe(&topic, qos::PICTURE) {
                Ok(inbox) => pictures.push((wanted, inbox)),
                Err(error) => tracing::warn!(%error, "no picture"),
            }
        }
        ears.experience.answer();
        let epoch = heard.0.lock().unwrap_or_else(PoisonError::into_inner).newest.as_ref().map(|s| s.context_epoch);
        ears.recoveries.serve(epoch);
        pictures.retain_mut(|(wanted, inbox)| !deliver(wanted, inbox));
    }
    ears.recoveries.close();
}

fn note_state(heard: &(Mutex<Heard>, Condvar), state: TeamState) {
    let mut inner = heard.0.lock().unwrap_or_else(PoisonError::into_inner);
    // A state may be sent again for a robot that came late.
    if inner.newest.as_ref().is_none_or(|newest| newest.tick != state.tick) {
        inner.samples.extend(TeamSample::due(&state));
    }
    inner.newest = Some(state);
    inner.at = Some(Instant::now());
    drop(inner);
    heard.1.notify_all();
}

/// True when the picture is delivered, or nobody waits for it any more.
fn deliver(wanted: &Wanted, inbox: &mut Inbox<CompressedImage>) -> bool {
    while let Some(image) = inbox.take() {
        if stamp::nanoseconds(&image.header.stamp) >= wanted.from_ns {
            let _ = wanted.to.send(image.data);
            return true;
        }
    }
    false
}
