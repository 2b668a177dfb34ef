//! Poses and numbers as rerun has them: f32, quaternions x, y, z, w.

use nalgebra::Isometry3;
use rerun::{Quaternion, Transform3D};
use troupe_core::frames::Pose;

/// Three numbers.
pub fn vec3(v: [f64; 3]) -> [f32; 3] {
    v.map(|x| x as f32)
}

/// A rigid motion.
pub fn transform(pose: &Isometry3<f64>) -> Transform3D {
    let t = pose.translation;
    Transform3D::from_translation_rotation([t.x as f32, t.y as f32, t.z as f32], quaternion(pose))
}

/// Its rotation.
pub fn quaternion(pose: &Isometry3<f64>) -> Quaternion {
    let q = pose.rotation.coords;
    Quaternion::from_xyzw([q.x as f32, q.y as f32, q.z as f32, q.w as f32])
}

/// A pose in the world.
pub fn pose(pose: &Pose) -> Transform3D {
    transform(&crate::urdf::isometry(pose))
}
