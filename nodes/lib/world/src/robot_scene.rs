//! One robot in MuJoCo's XML: the URDF's tree with contact shapes, or with what a picture shows.

use crate::config::{CameraConfig, RobotPlacement, WorldConfig};
use crate::description::RobotDescription;
use crate::layers::Layer;
use crate::scene::{Purpose, surface};
use crate::xml::{Xml, nums, text};
use troupe_core::robot::BoxConfig;
use nalgebra::UnitQuaternion;
use urdf_rs::{Geometry, Joint, JointType, Link, Pose};

/// Sections after the bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RobotTail {
    Tendons,
    Motors,
    Sensors,
}

/// One robot to be written.
pub(crate) struct RobotScene<'a> {
    robot: &'a RobotDescription,
    name: &'a str,
    support: &'a str,
    index: usize,
    count: usize,
    purpose: Purpose<'a>,
    /// Files of `meshes` that exist, by index in the configuration.
    meshes: Vec<(usize, String)>,
}

impl<'a> RobotScene<'a> {
    pub(crate) fn new(
        robot: &'a RobotDescription,
        placement: &'a RobotPlacement,
        index: usize,
        count: usize,
        purpose: Purpose<'a>,
    ) -> Self {
        let meshes = match purpose {
            Purpose::Pictures { mesh_folder: Some(folder), .. } => robot
                .config
                .meshes
                .iter()
                .enumerate()
                .map(|(i, mesh)| (i, folder.join(&mesh.file)))
                .filter(|(_, path)| path.is_file())
                .map(|(i, path)| (i, path.to_string_lossy().into_owned()))
                .collect(),
            _ => Vec::new(),
        };
        Self { robot, name: &placement.name, support: &placement.support, index, count, purpose, meshes }
    }

    fn named(&self, what: &str) -> String {
        format!("{}/{what}", self.name)
    }

    /// Meshes and materials.
    pub(crate) fn assets(&self, xml: &mut Xml) {
        for (i, path) in &self.meshes {
            xml.leaf("mesh", &[("name", self.named(&format!("mesh{i}"))), ("file", path.clone())]);
        }
        for material in &self.robot.urdf.materials {
            if let Some(color) = &material.color {
                xml.leaf("material", &[("name", self.named(&material.name)), ("rgba", nums(&color.rgba.0)), ("specular", nums(&[0.2]))]);
            }
        }
    }

    /// The tree of bodies, set down at the start pose.
    pub(crate) fn body(&self, xml: &mut Xml, world: &WorldConfig) {
        let c = &self.robot.config;
        let at = world.robots.get(self.index).map_or([0.0; 2], |r| r.position_m);
        let base = Pose { xyz: urdf_rs::Vec3([at[0], at[1], c.stand_height_m]), rpy: urdf_rs::Vec3([0.0; 3]) };
        if let Some(link) = self.link(&c.base_link) {
            self.write_link(xml, world, link, None, &base);
        }
    }

    /// Boxes of the way in which this robot carries.
    fn supports(&self) -> &'a [BoxConfig] {
        self.robot.config.supports.of(self.support)
    }

    fn link(&self, name: &str) -> Option<&'a Link> {
        self.robot.urdf.links.iter().find(|l| l.name == name)
    }

    fn write_link(&self, xml: &mut Xml, world: &WorldConfig, link: &Link, joint: Option<&Joint>, origin: &Pose) {
        xml.open("body", &[("name", self.named(&link.name)), ("pos", nums(&origin.xyz.0)), ("quat", quat(&origin.rpy.0))]);
        match joint {
            None => xml.leaf("freejoint", &[("name", self.named("free"))]),
            Some(joint) => self.write_joint(xml, joint),
        }
        let inertial = &link.inertial;
        let i = &inertial.inertia;
        xml.leaf(
            "inertial",
            &[
                ("pos", nums(&inertial.origin.xyz.0)),
                ("mass", nums(&[inertial.mass.value])),
                ("fullinertia", nums(&[i.ixx, i.iyy, i.izz, i.ixy, i.ixz, i.iyz])),
            ],
        );
        if self.purpose.is_pictures() {
            self.shapes_to_see(xml, link);
        } else {
            self.shapes_to_touch(xml, link);
        }
        for child in self.robot.urdf.joints.iter().filter(|j| j.parent.link == link.name) {
            match (self.link(&child.child.link), &child.joint_type) {
                (Some(next), JointType::Revolute) => self.write_link(xml, world, next, Some(child), &child.origin),
                (Some(next), JointType::Fixed) => self.write_frame(xml, world, next, child),
                _ => {}
            }
        }
        xml.close();
    }

    fn write_joint(&self, xml: &mut Xml, joint: &Joint) {
        let c = &self.robot.config;
        let armature = c.joints.iter().find(|j| j.name == joint.name).map_or(0.0, |j| j.armature_kgm2);
        xml.leaf(
            "joint",
            &[
                ("name", self.named(&joint.name)),
                ("axis", nums(&joint.axis.xyz.0)),
                ("range", nums(&[joint.limit.lower, joint.limit.upper])),
                ("armature", nums(&[armature])),
                ("frictionloss", nums(&[c.joint_friction_nm])),
                ("damping", nums(&[c.joint_damping_nms])),
                ("solimplimit", nums(&c.joint_limit_solimp)),
            ],
        );
    }

    /// A link without mass that is fixed to its parent: a frame for sensors and cameras.
    fn write_frame(&self, xml: &mut Xml, world: &WorldConfig, link: &Link, joint: &Joint) {
        let (position, rotation) = (nums(&joint.origin.xyz.0), joint.origin.rpy.0);
        xml.leaf("site", &[("name", self.named(&link.name)), ("pos", position.clone()), ("quat", quat(&rotation)), ("size", nums(&[0.005])), ("rgba", text("0 0 0 0"))]);
        if !self.purpose.is_pictures() || link.name != self.robot.config.head_camera_link {
            return;
        }
        for camera in &world.cameras {
            if let CameraConfig::Head { name, robot, fovy_rad } = camera
                && robot == self.name
            {
                // MuJoCo's cameras look along -z with y up; the frame has x forward and z up.
                let turn = UnitQuaternion::from_euler_angles(rotation[0], rotation[1], rotation[2]);
                let (right, up) = (turn * -nalgebra::Vector3::y(), turn * nalgebra::Vector3::z());
                xml.leaf("camera", &[("name", text(name)), ("pos", position.clone()), ("xyaxes", nums(&[right.x, right.y, right.z, up.x, up.y, up.z])), ("fovy", nums(&[fovy_rad.to_degrees()]))]);
            }
        }
    }

    fn shapes_to_touch(&self, xml: &mut Xml, link: &Link) {
        let c = &self.robot.config;
        if c.feet.links.contains(&link.name) {
            for (i, point) in c.feet.points_m.iter().enumerate() {
                let mut geom = vec![("name", self.named(&format!("foot/{}/{i}", link.name))), ("type", text("sphere")), ("pos", nums(point)), ("size", nums(&[c.feet.radius_m]))];
                surface(&mut geom, &c.feet.contact, Layer::SOLE);
                xml.leaf("geom", &geom);
            }
        }
        for (i, capsule) in c.bodies.capsules.iter().enumerate().filter(|(_, b)| b.link == link.name) {
            let ends = [capsule.from, capsule.to].concat();
            let mut geom = vec![("name", self.named(&format!("{}/{}/{i}", capsule.part, link.name))), ("type", text("capsule")), ("fromto", nums(&ends)), ("size", nums(&[capsule.radius_m]))];
            surface(&mut geom, &c.bodies.contact, Layer::body(self.index, self.count, capsule.payload));
            xml.leaf("geom", &geom);
        }
        for support in self.supports().iter().filter(|b| b.link == link.name) {
            let mut geom = vec![("name", self.named(&support.part)), ("type", text("box")), ("pos", nums(&support.position_m)), ("size", nums(&support.half_extents_m))];
            surface(&mut geom, &c.supports.contact, Layer::CARRIER);
            xml.leaf("geom", &geom);
        }
    }

    fn shapes_to_see(&self, xml: &mut Xml, link: &Link) {
        let untouched = |mut geom: Vec<(&'static str, String)>| {
            geom.push(("contype", Layer::VISUAL.contype.to_string()));
            geom.push(("conaffinity", Layer::VISUAL.conaffinity.to_string()));
            geom
        };
        let mut shown = false;
        for (i, _) in &self.meshes {
            if let Some(mesh) = self.robot.config.meshes.get(*i).filter(|m| m.link == link.name) {
                shown = true;
                xml.leaf("geom", &untouched(vec![("type", text("mesh")), ("mesh", self.named(&format!("mesh{i}"))), ("pos", nums(&mesh.position_m)), ("material", self.named(&mesh.material))]));
            }
        }
        if shown {
            return;
        }
        for visual in &link.visual {
            let (kind, size) = match &visual.geometry {
                Geometry::Box { size } => ("box", size.0.map(|s| 0.5 * s).to_vec()),
                // Rounded ends look better and hide gaps at the joints.
                Geometry::Cylinder { radius, length } | Geometry::Capsule { radius, length } => ("capsule", vec![*radius, (0.5 * length - 0.4 * radius).max(0.005)]),
                Geometry::Sphere { radius } => ("sphere", vec![*radius]),
                Geometry::Mesh { .. } => continue,
            };
            let mut geom = vec![("type", text(kind)), ("size", nums(&size)), ("pos", nums(&visual.origin.xyz.0)), ("quat", quat(&visual.origin.rpy.0))];
            if let Some(material) = &visual.material {
                geom.push(("material", self.named(&material.name)));
            }
            xml.leaf("geom", &untouched(geom));
        }
    }

    /// Tendons, motors or sensors.
    pub(crate) fn tail(&self, xml: &mut Xml, tail: RobotTail) {
        let c = &self.robot.config;
        match tail {
            RobotTail::Tendons => {
                for tendon in &c.ankle_limits.tendons {
                    // MuJoCo wants two ends; the lower one is out of reach.
                    let range = nums(&[-100.0, tendon.upper]);
                    xml.open("fixed", &[("limited", text("true")), ("range", range), ("solreflimit", nums(&c.ankle_limits.solref)), ("solimplimit", nums(&c.ankle_limits.solimp))]);
                    for (joint, coefficient) in &tendon.terms {
                        xml.leaf("joint", &[("joint", self.named(joint)), ("coef", nums(&[*coefficient]))]);
                    }
                    xml.close();
                }
            }
            RobotTail::Motors => {
                for joint in &c.joints {
                    // force = ctrl - kp q - kd dq; a command sets kp, kd and ctrl = kp q* + kd dq* + tau.
                    let bias = nums(&[0.0, -joint.kp, -joint.kd]);
                    xml.leaf("general", &[("name", self.named(&joint.name)), ("joint", self.named(&joint.name)), ("gaintype", text("fixed")), ("gainprm", text("1")), ("biastype", text("affine")), ("biasprm", bias), ("forcerange", nums(&[-joint.effort_nm, joint.effort_nm]))]);
                }
            }
            RobotTail::Sensors => {
                xml.leaf("accelerometer", &[("name", self.named("accelerometer")), ("site", self.named(&c.imu_link))]);
            }
        }
    }
}

/// MuJoCo's quaternion of URDF's roll, pitch, yaw (rad, fixed axes).
fn quat(rpy: &[f64; 3]) -> String {
    let q = UnitQuaternion::from_euler_angles(rpy[0], rpy[1], rpy[2]);
    nums(&[q.w, q.i, q.j, q.k])
}
