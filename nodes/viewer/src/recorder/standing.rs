//! What stands still: floor, walls, stand, route, and the shapes of robots.

use super::convert::{quaternion, transform, vec3};
use crate::scene::{Cuboid, Scene, SceneRobot};
use crate::urdf::{Shape, Visual};
use rerun::{Boxes3D, Color, Cylinders3D, Ellipsoids3D, FillMode, LineStrips3D, RecordingStream, RecordingStreamError, ViewCoordinates};
use troupe_core::frames::Pose;
use troupe_core::route::Route;

const WALL: [u8; 4] = [170, 175, 185, 90];
const STAND: [u8; 4] = [160, 120, 80, 255];
const ROUTE: [u8; 4] = [90, 140, 220, 255];
const TARGET: [u8; 4] = [240, 190, 60, 255];
/// Lines on the floor stand this high above it, m.
pub const ABOVE_FLOOR_M: f32 = 0.01;
/// Corners of the target's circle.
const CORNERS: u32 = 48;

/// Writes all of it.
pub fn log(stream: &RecordingStream, scene: &Scene) -> Result<(), RecordingStreamError> {
    stream.log_static("world", &ViewCoordinates::RIGHT_HAND_Z_UP())?;
    if !scene.walls.is_empty() {
        stream.log_static("world/corridor/walls", &boxes(&scene.walls, WALL))?;
    }
    if let Some(stand) = scene.stand {
        stream.log_static("world/corridor/stand", &boxes(&[stand], STAND))?;
    }
    if let Some(route) = &scene.route {
        log_route(stream, route)?;
    }
    scene.robots.iter().try_for_each(|robot| log_robot(stream, robot))
}

fn boxes(cuboids: &[Cuboid], rgba: [u8; 4]) -> Boxes3D {
    let turned = |c: &Cuboid| quaternion(&crate::urdf::isometry(&Pose::upright([0.0; 3], c.yaw_rad)));
    Boxes3D::from_centers_and_half_sizes(
        cuboids.iter().map(|c| vec3(c.centre_m)),
        cuboids.iter().map(|c| vec3(c.half_extents_m)),
    )
    .with_quaternions(cuboids.iter().map(turned))
    .with_colors([colour(rgba)])
    .with_fill_mode(FillMode::Solid)
}

/// A colour from red, green, blue, opacity.
pub fn colour([r, g, b, a]: [u8; 4]) -> Color {
    Color::from_unmultiplied_rgba(r, g, b, a)
}

/// A point on the floor.
pub fn on_floor([x, y]: [f64; 2]) -> [f32; 3] {
    [x as f32, y as f32, ABOVE_FLOOR_M]
}

fn log_route(stream: &RecordingStream, route: &Route) -> Result<(), RecordingStreamError> {
    let lines = route.segments.iter().map(|s| [on_floor(s.start), on_floor(s.end)]);
    let centre = LineStrips3D::new(lines)
        .with_colors([colour(ROUTE)])
        .with_radii([0.01_f32])
        .with_labels(route.segments.iter().map(|s| s.id.clone()))
        .with_show_labels(false);
    stream.log_static("world/route/centre_line", &centre)?;
    let [x, y, z] = route.target.position;
    let circle = (0..=CORNERS).map(|i| {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(i) / f64::from(CORNERS)).sin_cos();
        vec3([x + route.target.radius_m * cos, y + route.target.radius_m * sin, z])
    });
    let target = LineStrips3D::new([circle.collect::<Vec<_>>()]).with_colors([colour(TARGET)]).with_radii([0.008_f32]);
    stream.log_static("world/route/target", &target)
}

fn log_robot(stream: &RecordingStream, robot: &SceneRobot) -> Result<(), RecordingStreamError> {
    for link in &robot.body.links {
        let path = format!("world/{}/{}", robot.name, link.path);
        match &link.joint {
            Some(joint) if joint.axis.is_none() => stream.log_static(path.clone(), &transform(&joint.origin))?,
            // Until the first angles come.
            Some(joint) => stream.log(path.clone(), &transform(&joint.at(0.0)))?,
            None => {}
        }
        for (index, visual) in link.visuals.iter().enumerate() {
            log_visual(stream, format!("{path}/visual_{index}"), visual)?;
        }
    }
    Ok(())
}

fn log_visual(stream: &RecordingStream, path: String, visual: &Visual) -> Result<(), RecordingStreamError> {
    let t = visual.origin.translation;
    let (centre, turned, rgba) = ([vec3([t.x, t.y, t.z])], [quaternion(&visual.origin)], [colour(visual.rgba)]);
    match visual.shape {
        Shape::Box(half) => stream.log_static(
            path,
            &Boxes3D::from_centers_and_half_sizes(centre, [vec3(half)])
                .with_quaternions(turned)
                .with_colors(rgba)
                .with_fill_mode(FillMode::Solid),
        ),
        Shape::Cylinder { radius_m, length_m } => stream.log_static(
            path,
            &Cylinders3D::from_lengths_and_radii([length_m as f32], [radius_m as f32])
                .with_centers(centre)
                .with_quaternions(turned)
                .with_colors(rgba)
                .with_fill_mode(FillMode::Solid),
        ),
        Shape::Sphere(radius_m) => stream.log_static(
            path,
            &Ellipsoids3D::from_centers_and_radii(centre, [radius_m as f32])
                .with_colors(rgba)
                .with_fill_mode(FillMode::Solid),
        ),
    }
}
