//! Where things stand in the compiled model's arrays, looked up by name once.

use crate::description::{RobotDescription, WorldDescription};
use crate::error::WorldError;
use mujoco_rs::prelude::{MjModel, MjtObjBase};
use troupe_core::device::G1_JOINTS;

/// A free joint: seven numbers in `qpos`, six in `qvel`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeIndex {
    pub(crate) qpos: usize,
    pub(crate) qvel: usize,
}

/// A support box: geom and half extents, m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SupportIndex {
    pub(crate) geom: usize,
    pub(crate) half_extents_m: [f64; 3],
}

/// One robot; joints and actuators in motor order.
#[derive(Clone, Debug)]
pub(crate) struct RobotIndex {
    pub(crate) free: FreeIndex,
    pub(crate) qpos: [usize; G1_JOINTS],
    pub(crate) qvel: [usize; G1_JOINTS],
    pub(crate) actuators: [usize; G1_JOINTS],
    pub(crate) torso: usize,
    pub(crate) accelerometer: usize,
    /// Support boxes whose part ends with `forearm`.
    pub(crate) forearms: Vec<SupportIndex>,
    /// The other support boxes.
    pub(crate) palms: Vec<SupportIndex>,
}

/// Id of a named object.
pub(crate) fn id(model: &MjModel, kind: MjtObjBase, word: &'static str, name: &str) -> Result<usize, WorldError> {
    model.name_to_id(kind, name).ok_or_else(|| WorldError::missing(word, name))
}

fn at<T: Copy>(values: &[T], index: usize, word: &'static str, name: &str) -> Result<T, WorldError> {
    values.get(index).copied().ok_or_else(|| WorldError::missing(word, name))
}

/// Addresses of a joint in `qpos` and `qvel`.
fn joint(model: &MjModel, name: &str) -> Result<(usize, usize), WorldError> {
    let id = id(model, MjtObjBase::mjOBJ_JOINT, "joint", name)?;
    let qpos = at(model.jnt_qposadr(), id, "joint", name)?;
    let qvel = at(model.jnt_dofadr(), id, "joint", name)?;
    let address = |a: i32| usize::try_from(a).map_err(|_| WorldError::missing("joint", name));
    Ok((address(qpos)?, address(qvel)?))
}

/// The free joint `<entity>/free`.
pub(crate) fn free(model: &MjModel, entity: &str) -> Result<FreeIndex, WorldError> {
    joint(model, &format!("{entity}/free")).map(|(qpos, qvel)| FreeIndex { qpos, qvel })
}

impl RobotIndex {
    fn new(model: &MjModel, robot: &RobotDescription, name: &str, support: &str) -> Result<Self, WorldError> {
        let named = |what: &str| format!("{name}/{what}");
        let (mut qpos, mut qvel, mut actuators) = ([0; G1_JOINTS], [0; G1_JOINTS], [0; G1_JOINTS]);
        let slots = qpos.iter_mut().zip(&mut qvel).zip(&mut actuators);
        for (((q, v), a), config) in slots.zip(&robot.config.joints) {
            let full = named(&config.name);
            (*q, *v) = joint(model, &full)?;
            *a = id(model, MjtObjBase::mjOBJ_ACTUATOR, "actuator", &full)?;
        }
        let sensor = named("accelerometer");
        let sensor_id = id(model, MjtObjBase::mjOBJ_SENSOR, "sensor", &sensor)?;
        let accelerometer = usize::try_from(at(model.sensor_adr(), sensor_id, "sensor", &sensor)?)
            .map_err(|_| WorldError::missing("sensor", &sensor))?;
        let boxes = robot.config.supports.of(support);
        let supports = |forearm: bool| {
            boxes
                .iter()
                .filter(|b| b.part.ends_with("forearm") == forearm)
                .map(|b| {
                    id(model, MjtObjBase::mjOBJ_GEOM, "geom", &named(&b.part))
                        .map(|geom| SupportIndex { geom, half_extents_m: b.half_extents_m })
                })
                .collect::<Result<Vec<_>, _>>()
        };
        let (forearms, palms) = (supports(true)?, supports(false)?);
        Ok(Self {
            free: free(model, name)?,
            qpos,
            qvel,
            actuators,
            torso: id(model, MjtObjBase::mjOBJ_BODY, "body", &named(&robot.config.torso_link))?,
            accelerometer,
            forearms,
            palms,
        })
    }

    /// All robots of a world, in team order.
    pub(crate) fn all(model: &MjModel, world: &WorldDescription) -> Result<Vec<Self>, WorldError> {
        world.robots.iter().zip(&world.config.robots).map(|(r, p)| Self::new(model, r, &p.name, &p.support)).collect()
    }
}
