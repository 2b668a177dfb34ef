//! A robot's links from the base outwards, and where they are for given joint angles.

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};
use std::collections::BTreeMap;
use troupe_core::frames::{Pose, rotation};

/// A primitive, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Half extents along the shape's axes.
    Box([f64; 3]),
    /// Along z.
    Cylinder {
        /// m.
        radius_m: f64,
        /// Whole length, m.
        length_m: f64,
    },
    /// Radius.
    Sphere(f64),
}

/// A primitive in its link's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Visual {
    /// Pose in the link's frame.
    pub origin: Isometry3<f64>,
    /// Shape.
    pub shape: Shape,
    /// Red, green, blue, opacity.
    pub rgba: [u8; 4],
}

/// What ties a link to its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name.
    pub name: String,
    /// Pose in the parent's frame at angle 0.
    pub origin: Isometry3<f64>,
    /// Axis of rotation in the joint's frame; `None` for a fixed joint.
    pub axis: Option<Unit<Vector3<f64>>>,
}

impl Joint {
    /// Pose in the parent's frame at an angle, rad.
    #[must_use]
    pub fn at(&self, angle_rad: f64) -> Isometry3<f64> {
        match &self.axis {
            Some(axis) => self.origin * UnitQuaternion::from_axis_angle(axis, angle_rad),
            None => self.origin,
        }
    }
}

/// One link.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Name.
    pub name: String,
    /// Parent's place in [`Body::links`]; always before the link itself. `None` for the base.
    pub parent: Option<usize>,
    /// Names from the base to this link, joined by `/`.
    pub path: String,
    /// Joint to the parent; `None` for the base.
    pub joint: Option<Joint>,
    /// What it looks like.
    pub visuals: Vec<Visual>,
}

/// A robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// From the base outwards: a parent stands before its children.
    pub links: Vec<Link>,
}

impl Body {
    /// World pose of a link; joints without an angle are at 0. `None` for an unknown link.
    #[must_use]
    pub fn pose_of(&self, link: &str, base: &Pose, angles_rad: &BTreeMap<String, f64>) -> Option<Isometry3<f64>> {
        let mut link = self.links.iter().find(|l| l.name == link)?;
        let mut pose = Isometry3::identity();
        while let (Some(joint), Some(parent)) = (&link.joint, link.parent) {
            pose = joint.at(angles_rad.get(&joint.name).copied().unwrap_or_default()) * pose;
            link = self.links.get(parent)?;
        }
        Some(isometry(base) * pose)
    }
}

/// A pose as a rigid motion.
#[must_use]
pub fn isometry(pose: &Pose) -> Isometry3<f64> {
    let [x, y, z] = pose.position;
    Isometry3::from_parts(Translation3::new(x, y, z), rotation(pose.orientation))
}
