//! Assembles a world description into MuJoCo's XML, once for physics and once for pictures.
//!
//! Both models have the same bodies and joints in the same order, so one `qpos` fits both. The physics
//! model holds contact shapes only: nothing that is merely shown can change a result.

use crate::config::{CameraConfig, Cone, Integrator, WorldConfig};
use crate::description::WorldDescription;
use crate::layers::Layer;
use crate::robot_scene::{RobotScene, RobotTail};
use troupe_core::robot::ContactConfig;
use crate::xml::{Xml, nums, text};
use std::path::Path;
use troupe_core::frames::{Pose, wxyz_from_xyzw};

/// What the model is for.
#[derive(Clone, Copy, Debug)]
pub enum Purpose<'a> {
    /// Stepping.
    Physics,
    /// Pictures, with the largest picture size and the folder of vendor meshes if there is one.
    Pictures {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
        /// Folder that holds the vendor's mesh files.
        mesh_folder: Option<&'a Path>,
    },
}

impl Purpose<'_> {
    pub(crate) fn is_pictures(&self) -> bool {
        matches!(self, Self::Pictures { .. })
    }
}

/// MuJoCo's XML of a world.
#[must_use]
pub fn mjcf(description: &WorldDescription, purpose: Purpose<'_>) -> String {
    let c = &description.config;
    let robots: Vec<RobotScene<'_>> = description
        .robots
        .iter()
        .zip(&c.robots)
        .enumerate()
        .map(|(index, (robot, placement))| RobotScene::new(robot, placement, index, c.robots.len(), purpose))
        .collect();
    let mut xml = Xml::default();
    xml.open("mujoco", &[("model", text(&c.name))]);
    xml.leaf("compiler", &[("angle", text("radian")), ("autolimits", text("true"))]);
    options(&mut xml, c);
    assets(&mut xml, purpose, &robots);
    xml.open("worldbody", &[]);
    surroundings(&mut xml, c, purpose);
    for robot in &robots {
        robot.body(&mut xml, c);
    }
    payload(&mut xml, c, purpose);
    xml.close();
    for (section, tail) in [("tendon", RobotTail::Tendons), ("actuator", RobotTail::Motors), ("sensor", RobotTail::Sensors)] {
        xml.open(section, &[]);
        for robot in &robots {
            robot.tail(&mut xml, tail);
        }
        xml.close();
    }
    xml.finish()
}

fn options(xml: &mut Xml, c: &WorldConfig) {
    let integrator = match c.physics.integrator {
        Integrator::Implicitfast => "implicitfast",
        Integrator::Euler => "Euler",
    };
    let cone = match c.physics.cone {
        Cone::Elliptic => "elliptic",
        Cone::Pyramidal => "pyramidal",
    };
    xml.open(
        "option",
        &[
            ("timestep", nums(&[c.physics.timestep_s])),
            ("integrator", text(integrator)),
            ("solver", text("Newton")),
            ("cone", text(cone)),
            ("impratio", nums(&[c.physics.impratio])),
            ("iterations", c.physics.iterations.to_string()),
            ("ls_iterations", c.physics.ls_iterations.to_string()),
        ],
    );
    // A diverged simulation must be reported, not silently reset.
    xml.leaf("flag", &[("autoreset", text("disable"))]);
    xml.close();
}

fn assets(xml: &mut Xml, purpose: Purpose<'_>, robots: &[RobotScene<'_>]) {
    let Purpose::Pictures { width, height, .. } = purpose else { return };
    xml.open("visual", &[]);
    xml.leaf("global", &[("offwidth", width.to_string()), ("offheight", height.to_string())]);
    xml.leaf("quality", &[("shadowsize", text("2048")), ("offsamples", text("4"))]);
    xml.leaf("map", &[("znear", nums(&[0.02])), ("zfar", nums(&[60.0]))]);
    xml.leaf("headlight", &[("ambient", nums(&[0.35, 0.35, 0.35])), ("diffuse", nums(&[0.35, 0.35, 0.35])), ("specular", nums(&[0.1, 0.1, 0.1]))]);
    xml.close();
    xml.open("asset", &[]);
    xml.leaf("texture", &[("name", text("sky")), ("type", text("skybox")), ("builtin", text("gradient")), ("rgb1", nums(&[0.86, 0.9, 0.95])), ("rgb2", nums(&[0.55, 0.63, 0.72])), ("width", text("256")), ("height", text("1536"))]);
    xml.leaf("texture", &[("name", text("tiles")), ("type", text("2d")), ("builtin", text("checker")), ("mark", text("edge")), ("rgb1", nums(&[0.82, 0.82, 0.8])), ("rgb2", nums(&[0.76, 0.76, 0.74])), ("markrgb", nums(&[0.6, 0.6, 0.6])), ("width", text("300")), ("height", text("300"))]);
    xml.leaf("material", &[("name", text("floor")), ("texture", text("tiles")), ("texuniform", text("true")), ("texrepeat", nums(&[1.0, 1.0])), ("reflectance", nums(&[0.05]))]);
    for robot in robots {
        robot.assets(xml);
    }
    xml.close();
}

fn surroundings(xml: &mut Xml, c: &WorldConfig, purpose: Purpose<'_>) {
    let pictures = purpose.is_pictures();
    if pictures {
        xml.leaf("light", &[("type", text("directional")), ("pos", nums(&[0.0, 0.0, 6.0])), ("dir", nums(&[0.3, 0.4, -1.0])), ("diffuse", nums(&[0.55, 0.55, 0.55]))]);
    }
    let mut floor = vec![("name", text("floor")), ("type", text("plane")), ("size", nums(&[0.0, 0.0, 0.5]))];
    surface(&mut floor, &c.floor.contact, Layer::STATIC);
    if pictures {
        floor.push(("material", text("floor")));
    }
    xml.leaf("geom", &floor);
    for (index, line) in c.walls.lines.iter().enumerate() {
        let (dx, dy) = (line.to_m[0] - line.from_m[0], line.to_m[1] - line.from_m[1]);
        let middle = [0.5 * (line.from_m[0] + line.to_m[0]), 0.5 * (line.from_m[1] + line.to_m[1]), 0.5 * c.walls.height_m];
        let mut wall = vec![
            ("name", format!("wall/{index}")),
            ("type", text("box")),
            ("pos", nums(&middle)),
            ("quat", quat(&Pose::upright(middle, dy.atan2(dx)))),
            ("size", nums(&[0.5 * dx.hypot(dy), 0.5 * c.walls.thickness_m, 0.5 * c.walls.height_m])),
        ];
        surface(&mut wall, &c.walls.contact, Layer::STATIC);
        if pictures {
            wall.push(("rgba", nums(&[0.55, 0.62, 0.72, 0.28])));
        }
        xml.leaf("geom", &wall);
    }
    let half = c.stand.half_extents_m;
    let centre = [c.stand.position_m[0], c.stand.position_m[1], half[2]];
    let mut stand = vec![
        ("name", text("stand")),
        ("type", text("box")),
        ("pos", nums(&centre)),
        ("quat", quat(&Pose::upright(centre, c.stand.yaw_rad))),
        ("size", nums(&half)),
    ];
    surface(&mut stand, &c.stand.contact, Layer::STATIC);
    if pictures {
        stand.push(("rgba", nums(&[0.2, 0.5, 0.35, 1.0])));
    }
    xml.leaf("geom", &stand);
    if pictures {
        for camera in &c.cameras {
            if let CameraConfig::Fixed { name, position_m, look_at_m, fovy_rad } = camera {
                let gaze = [look_at_m[0] - position_m[0], look_at_m[1] - position_m[1], look_at_m[2] - position_m[2]];
                xml.leaf("camera", &camera_attributes(name, *position_m, gaze, *fovy_rad, "fixed"));
            }
        }
    }
}

fn payload(xml: &mut Xml, c: &WorldConfig, purpose: Purpose<'_>) {
    let p = &c.payload;
    // Upright at the start, so that a following camera keeps world axes.
    xml.open("body", &[("name", text(&p.name)), ("pos", nums(&p.hoist.position_m))]);
    xml.leaf("freejoint", &[("name", format!("{}/free", p.name))]);
    let mut geom = vec![
        ("name", text(&p.name)),
        ("type", text("box")),
        ("size", nums(&p.half_extents_m)),
        ("mass", nums(&[p.mass_kg])),
    ];
    surface(&mut geom, &p.contact, Layer::CARRIED);
    if purpose.is_pictures() {
        geom.push(("rgba", nums(&[0.83, 0.47, 0.16, 1.0])));
    }
    xml.leaf("geom", &geom);
    if purpose.is_pictures() {
        for camera in &c.cameras {
            if let CameraConfig::Follow { name, offset_m, fovy_rad, .. } = camera {
                let gaze = [-offset_m[0], -offset_m[1], -offset_m[2]];
                xml.leaf("camera", &camera_attributes(name, *offset_m, gaze, *fovy_rad, "track"));
            }
        }
    }
    xml.close();
}

/// Contact attributes of a geom.
pub(crate) fn surface(attributes: &mut Vec<(&str, String)>, contact: &ContactConfig, layer: Layer) {
    attributes.push(("friction", nums(&contact.friction)));
    attributes.push(("solref", nums(&contact.solref)));
    attributes.push(("condim", contact.condim.to_string()));
    attributes.push(("contype", layer.contype.to_string()));
    attributes.push(("conaffinity", layer.conaffinity.to_string()));
}

/// Attributes of a camera at `position` that looks along `gaze` with the horizon level.
pub(crate) fn camera_attributes(
    name: &str,
    position: [f64; 3],
    gaze: [f64; 3],
    fovy_rad: f64,
    mode: &str,
) -> Vec<(&'static str, String)> {
    let forward = nalgebra::Vector3::from(gaze).normalize();
    let side = forward.cross(&nalgebra::Vector3::z());
    // A camera that looks straight down has no horizon; world y is then up in the picture.
    let right = if side.norm() < 1e-6 { nalgebra::Vector3::x() } else { side.normalize() };
    let up = right.cross(&forward);
    vec![
        ("name", text(name)),
        ("pos", nums(&position)),
        ("xyaxes", nums(&[right.x, right.y, right.z, up.x, up.y, up.z])),
        // MuJoCo takes degrees here whatever the angle setting.
        ("fovy", nums(&[fovy_rad.to_degrees()])),
        ("mode", text(mode)),
    ]
}

fn quat(pose: &Pose) -> String {
    nums(&wxyz_from_xyzw(pose.orientation))
}
