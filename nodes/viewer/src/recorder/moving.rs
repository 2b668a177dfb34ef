//! What moves: robots, payload, contacts, and gates that change colour when their milestone is certified.

use super::Recorder;
use super::convert::{pose, transform, vec3};
use super::standing::{colour, on_floor};
use crate::event::Joints;
use nalgebra::Point3;
use rerun::{Arrows3D, Boxes3D, FillMode, LineStrips3D, RecordingStreamError};
use troupe_core::state::{Contact, TeamState};

const PAYLOAD: [u8; 4] = [200, 120, 50, 255];
const SUPPORT: [u8; 4] = [60, 180, 90, 255];
const HIT: [u8; 4] = [220, 60, 50, 255];
const OPEN: [u8; 4] = [130, 130, 140, 255];
const PASSED: [u8; 4] = [60, 180, 90, 255];
/// Thickness of an arrow, m.
const ARROW_RADIUS_M: f32 = 0.006;

/// One arrow: where it starts, and force upwards, N.
type Arrow = ([f32; 3], f64);

impl Recorder {
    /// Bases and payload.
    pub(super) fn moved(&mut self, state: &TeamState) -> Result<(), RecordingStreamError> {
        for robot in &state.robots {
            self.bases.insert(robot.robot.clone(), robot.base);
            let root = self.scene.robots.iter().find(|r| r.name == robot.robot).and_then(|r| r.body.links.first());
            let base = root.map_or("base", |link| link.name.as_str());
            self.stream.log(format!("world/{}/{base}", robot.robot), &pose(&robot.base))?;
        }
        let Some(payload) = state.payload() else { return Ok(()) };
        if self.payload_half_m != Some(payload.half_extents_m) {
            self.payload_half_m = Some(payload.half_extents_m);
            let shape = Boxes3D::from_half_sizes([vec3(payload.half_extents_m)])
                .with_colors([colour(PAYLOAD)])
                .with_fill_mode(FillMode::Solid);
            self.stream.log("world/payload/shape", &shape)?;
        }
        self.stream.log("world/payload", &pose(&payload.pose))
    }

    /// The angles of one robot.
    pub(super) fn posture(&self, joints: &Joints) -> Result<(), RecordingStreamError> {
        let Some(robot) = self.scene.robots.iter().find(|r| r.name == joints.robot) else { return Ok(()) };
        for link in &robot.body.links {
            let Some(joint) = link.joint.as_ref().filter(|j| j.axis.is_some()) else { continue };
            let Some(angle) = joints.angles_rad.get(&joint.name) else { continue };
            self.stream.log(format!("world/{}/{}", robot.name, link.path), &transform(&joint.at(*angle)))?;
        }
        Ok(())
    }

    /// Contacts as arrows, each as long as its force: what carries the payload, and everything else.
    pub(super) fn contacts(&self, state: &TeamState) -> Result<(), RecordingStreamError> {
        let (mut supports, mut hits) = (Vec::new(), Vec::new());
        for contact in &state.contacts {
            if let Some(origin) = self.support_point(contact) {
                supports.push((origin, contact.force_n));
            } else if contact.body_b != "floor" || contact.body_a == "payload" {
                // Feet on the floor are always there and would hide the rest.
                hits.extend(self.rough_point(contact, state).map(|origin| (origin, contact.force_n)));
            }
        }
        self.arrows("world/contacts/supports", &supports, SUPPORT)?;
        self.arrows("world/contacts/hits", &hits, HIT)
    }

    fn arrows(&self, path: &str, arrows: &[Arrow], rgba: [u8; 4]) -> Result<(), RecordingStreamError> {
        let up = |force_n: f64| [0.0, 0.0, (force_n * self.look.arrow_m_per_n) as f32];
        let drawn = Arrows3D::from_vectors(arrows.iter().map(|(_, force_n)| up(*force_n)))
            .with_origins(arrows.iter().map(|(origin, _)| *origin))
            .with_radii([ARROW_RADIUS_M])
            .with_colors([colour(rgba)]);
        self.stream.log(path, &drawn)
    }

    /// Centre of the box of a robot that the payload rests on.
    fn support_point(&self, contact: &Contact) -> Option<[f32; 3]> {
        let (name, part) = contact.body_b.split_once('/').filter(|_| contact.body_a == "payload")?;
        let robot = self.scene.robots.iter().find(|r| r.name == name)?;
        let support = robot.supports.iter().find(|s| s.part == part)?;
        let none = std::collections::BTreeMap::new();
        let angles = self.angles.get(name).unwrap_or(&none);
        let link = robot.body.pose_of(&support.link, self.bases.get(name)?, angles)?;
        let p = link * Point3::from(support.position_m);
        Some(vec3([p.x, p.y, p.z]))
    }

    /// Somewhere on the body: contacts carry no place.
    fn rough_point(&self, contact: &Contact, state: &TeamState) -> Option<[f32; 3]> {
        [&contact.body_a, &contact.body_b].into_iter().find_map(|body| match body.split_once('/') {
            Some((robot, _)) => self.bases.get(robot).map(|base| vec3(base.position)),
            None if body == "payload" => state.payload().map(|p| vec3(p.pose.position)),
            None => None,
        })
    }

    /// The gates, green once their milestone is certified.
    pub(super) fn gates(&self) -> Result<(), RecordingStreamError> {
        let Some(route) = &self.scene.route else { return Ok(()) };
        for segment in &route.segments {
            let gate = &segment.gate;
            let (sin, cos) = gate.heading_rad.sin_cos();
            let half = 0.5 * gate.width_m;
            let end = |side: f64| on_floor([gate.position[0] - side * half * sin, gate.position[1] + side * half * cos]);
            let rgba = if self.milestones.contains(&segment.id) { PASSED } else { OPEN };
            let line = LineStrips3D::new([[end(-1.0), end(1.0)]])
                .with_colors([colour(rgba)])
                .with_radii([0.02_f32])
                .with_labels([segment.id.clone()]);
            self.stream.log(format!("world/route/gates/{}", segment.id), &line)?;
        }
        Ok(())
    }
}
