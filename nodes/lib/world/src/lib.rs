//! The MuJoCo world: scene assembly, stepping, contacts, snapshots, cameras.
//!
//! A [`WorldDescription`] is read from `config/worlds/*.yaml` and what it names; a [`World`] steps it.
//! Pictures come from a second model with the same joints, see [`camera`].

pub mod camera;
pub mod config;
mod contacts;
mod delay;
mod description;
mod egl;
mod entity;
mod error;
mod image;
mod index;
mod layers;
mod motor;
mod payload;
mod robot_scene;
pub mod scene;
mod sense;
mod snapshot;
mod truth;
mod world;
mod xml;

pub use delay::Pending;
pub use description::{RobotDescription, WorldDescription};
pub use camera::{Camera, PictureOptions};
pub use error::WorldError;
pub use image::Image;
pub use sense::Sensed;
pub use snapshot::Snapshot;
pub use world::World;
