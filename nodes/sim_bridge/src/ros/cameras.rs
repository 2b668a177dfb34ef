//! Camera images for whoever subscribes, drawn on a thread of their own so that time never waits for them.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use troupe_ros::r2r::Publisher;
use troupe_ros::r2r::sensor_msgs::msg::{CompressedImage, Image as Message};
use troupe_ros::settings::CameraSettings;
use troupe_ros::{RosError, RosNode, names, qos, stamp};
use troupe_world::camera::mesh_folder;
use troupe_world::{Camera, Image, PictureOptions, WorldDescription, WorldError};

/// The topics of one camera.
#[derive(Clone, Debug)]
struct Outlet {
    name: String,
    raw: Publisher<Message>,
    png: Publisher<CompressedImage>,
}

impl Outlet {
    fn readers(&self) -> [usize; 2] {
        [
            self.raw.get_inter_process_subscription_count().unwrap_or_default(),
            self.png.get_inter_process_subscription_count().unwrap_or_default(),
        ]
    }
}

/// A state to draw and the cameras that are asked for.
struct Job {
    stamp_s: f64,
    qpos: Vec<f64>,
    wanted: Vec<usize>,
}

/// All cameras of the world.
#[derive(Debug)]
pub struct Cameras {
    outlets: Vec<Outlet>,
    readers: Vec<[usize; 2]>,
    every_ticks: u64,
    drawn_tick: Option<u64>,
    jobs: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Cameras {
    /// Opens the topics and the drawing thread.
    pub fn open(node: &mut RosNode, world: &WorldDescription, assets: Option<PathBuf>, settings: &CameraSettings) -> Result<Self, RosError> {
        let mut outlets = Vec::new();
        for camera in &world.config.cameras {
            let topic = names::camera(camera.name());
            outlets.push(Outlet {
                name: camera.name().to_owned(),
                raw: node.publish(&topic, qos::IMAGE)?,
                png: node.publish(&format!("{topic}/compressed"), qos::PICTURE)?,
            });
        }
        let (jobs, inbox) = sync_channel(1);
        let kind = world.robots.first().map_or("g1", |r| r.config.kind.as_str());
        let options = PictureOptions {
            max_width: settings.width_px,
            max_height: settings.height_px,
            shadows: settings.shadows,
            mesh_folder: assets.and_then(|folder| mesh_folder(&folder, kind)),
        };
        let (world, for_thread) = (world.clone(), outlets.clone());
        let draw = move || draw_all(&world, &options, &for_thread, &inbox);
        let thread = std::thread::Builder::new().name("cameras".into()).spawn(draw)?;
        let readers = vec![[0; 2]; outlets.len()];
        Ok(Self { outlets, readers, every_ticks: settings.every_ticks, drawn_tick: None, jobs: Some(jobs), thread: Some(thread) })
    }

    /// Draws for every camera that has a reader: on every n-th tick, and for a new reader at once.
    pub fn show(&mut self, tick: u64, stamp_s: f64, qpos: &[f64]) {
        let Some(jobs) = &self.jobs else { return };
        let due = self.drawn_tick.is_none_or(|drawn| tick >= drawn + self.every_ticks);
        let mut wanted = Vec::new();
        for (index, (outlet, before)) in self.outlets.iter().zip(&mut self.readers).enumerate() {
            let now = outlet.readers();
            let joined = now.iter().zip(before.iter()).any(|(now, before)| now > before);
            if joined || (due && now.iter().any(|n| *n > 0)) {
                wanted.push(index);
            }
            if !joined {
                *before = now;
            }
        }
        if wanted.is_empty() {
            return;
        }
        match jobs.try_send(Job { stamp_s, qpos: qpos.to_vec(), wanted: wanted.clone() }) {
            Ok(()) => {
                self.drawn_tick = Some(tick);
                for index in wanted {
                    if let (Some(outlet), Some(before)) = (self.outlets.get(index), self.readers.get_mut(index)) {
                        *before = outlet.readers();
                    }
                }
            }
            // The thread is busy: this state is skipped, a new reader gets the next one.
            Err(TrySendError::Full(_)) => {}
            Err(TrySendError::Disconnected(_)) => self.jobs = None,
        }
    }
}

impl Drop for Cameras {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn draw_all(world: &WorldDescription, options: &PictureOptions, outlets: &[Outlet], inbox: &Receiver<Job>) {
    // The context opens with the first reader: most runs need no picture for a long while.
    let mut camera: Option<Camera> = None;
    while let Ok(job) = inbox.recv() {
        let drawn = job.wanted.iter().filter_map(|i| outlets.get(*i)).try_for_each(|outlet| {
            let camera = match &mut camera {
                Some(camera) => camera,
                none => none.insert(Camera::new(world, options)?),
            };
            let picture = camera.picture_of(&job.qpos, &outlet.name, options.max_width, options.max_height)?;
            publish(outlet, &picture, job.stamp_s)
        });
        if let Err(error) = drawn {
            tracing::warn!(%error, "no camera images");
            return;
        }
    }
}

fn publish(outlet: &Outlet, picture: &Image, stamp_s: f64) -> Result<(), WorldError> {
    let header = stamp::header(stamp::to_wire(stamp_s), &outlet.name);
    let [raw, png] = outlet.readers();
    if raw > 0 {
        let message = Message {
            header: header.clone(),
            height: picture.height,
            width: picture.width,
            encoding: "rgb8".to_owned(),
            is_bigendian: 0,
            step: picture.width * 3,
            data: picture.rgb.clone(),
        };
        // A reader that is too slow misses a picture.
        let _ = outlet.raw.publish(&message);
    }
    if png > 0 {
        let message = CompressedImage { header, format: "rgb8; png compressed".to_owned(), data: picture.png()? };
        let _ = outlet.png.publish(&message);
    }
    Ok(())
}
