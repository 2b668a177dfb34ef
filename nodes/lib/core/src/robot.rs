//! The robot file (`config/robots/*.yaml`): what a simulated robot needs beyond its URDF.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Contact parameters of one kind of surface; MuJoCo's meaning.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactConfig {
    /// Sliding (1), torsional (m), rolling (m).
    pub friction: [f64; 3],
    /// Time constant (s) and damping ratio (1).
    pub solref: [f64; 2],
    /// Dimension of the contact: 1, 3, 4 or 6.
    pub condim: u8,
}

/// One actuated joint.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointConfig {
    /// Name in the URDF.
    pub name: String,
    /// Default pose, rad.
    pub default_rad: f64,
    /// Stiffness that the walking policy expects, N m/rad.
    pub kp: f64,
    /// Damping that the walking policy expects, N m s/rad.
    pub kd: f64,
    /// Largest torque, N m; not above the URDF's effort.
    pub effort_nm: f64,
    /// Rotor inertia seen at the joint, kg m².
    pub armature_kgm2: f64,
}

/// One linear limit over several joints: Σ coefficient · angle ≤ upper.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TendonConfig {
    /// Largest value of the sum, m.
    pub upper: f64,
    /// Coefficient by joint, m/rad.
    pub terms: BTreeMap<String, f64>,
}

/// Coupled limits of the ankles.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnkleConfig {
    /// Time constant (s) and damping ratio (1) of the limit.
    pub solref: [f64; 2],
    /// MuJoCo's impedance of the limit.
    pub solimp: [f64; 5],
    /// The limits.
    pub tendons: Vec<TendonConfig>,
}

/// Spheres under the feet.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeetConfig {
    /// Foot links.
    pub links: Vec<String>,
    /// m.
    pub radius_m: f64,
    /// Sphere centres in each foot link's frame, m.
    pub points_m: Vec<[f64; 3]>,
    /// Surface.
    pub contact: ContactConfig,
}

/// One capsule of the body.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CapsuleConfig {
    /// Link it is fixed to.
    pub link: String,
    /// Name in contact reports.
    pub part: String,
    /// One end of the axis in the link's frame, m.
    pub from: [f64; 3],
    /// Other end, m.
    pub to: [f64; 3],
    /// m.
    pub radius_m: f64,
    /// True when it also meets the payload.
    pub payload: bool,
}

/// Capsules of the body.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodiesConfig {
    /// Surface.
    pub contact: ContactConfig,
    /// The capsules.
    pub capsules: Vec<CapsuleConfig>,
}

/// One box that carries the payload.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoxConfig {
    /// Link it is fixed to.
    pub link: String,
    /// Name in contact reports.
    pub part: String,
    /// Centre in the link's frame, m.
    pub position_m: [f64; 3],
    /// Along the link's axes, m.
    pub half_extents_m: [f64; 3],
}

/// Boxes that carry the payload.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SupportsConfig {
    /// Surface.
    pub contact: ContactConfig,
    /// The boxes of `transverse`, the way to carry when none is named.
    pub boxes: Vec<BoxConfig>,
    /// Boxes of other ways to carry, by the name that a world gives a robot as `support`.
    #[serde(default)]
    pub presets: BTreeMap<String, Vec<BoxConfig>>,
}

/// Name of the way to carry that a robot file's `supports.boxes` and a robot node's `support` describe.
pub const TRANSVERSE: &str = "transverse";

impl SupportsConfig {
    /// Boxes of the way to carry of this name; those of `transverse` for a name that the file does not know.
    #[must_use]
    pub fn of(&self, support: &str) -> &[BoxConfig] {
        self.presets.get(support).map_or(&self.boxes, Vec::as_slice)
    }
}

/// A vendor mesh for pictures.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeshConfig {
    /// Link it shows.
    pub link: String,
    /// File name in the mesh folder.
    pub file: String,
    /// In the link's frame, m.
    pub position_m: [f64; 3],
    /// Name of a material of the URDF.
    pub material: String,
}

/// The robot file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RobotConfig {
    /// `g1`, `go2`, `alohamini2` or `droid`.
    pub kind: String,
    /// URDF, relative to this file.
    pub urdf: PathBuf,
    /// Floating base.
    pub base_link: String,
    /// Link whose up axis gives the torso tilt.
    pub torso_link: String,
    /// Frame of the IMU.
    pub imu_link: String,
    /// Frame of the head camera: x forward, z up.
    pub head_camera_link: String,
    /// Height of the base when set down standing, m.
    pub stand_height_m: f64,
    /// In motor order.
    pub joints: Vec<JointConfig>,
    /// Dry friction in every joint, N m.
    pub joint_friction_nm: f64,
    /// Viscous damping in every joint, N m s/rad.
    pub joint_damping_nms: f64,
    /// MuJoCo's impedance of the joint limits.
    pub joint_limit_solimp: [f64; 3],
    /// Coupled limits.
    pub ankle_limits: AnkleConfig,
    /// Spheres under the feet.
    pub feet: FeetConfig,
    /// Capsules of the body.
    pub bodies: BodiesConfig,
    /// Boxes that carry the payload.
    pub supports: SupportsConfig,
    /// Vendor meshes.
    pub meshes: Vec<MeshConfig>,
}
