//! The compiled world is what the configuration says.
#![allow(clippy::unwrap_used, clippy::panic, clippy::float_cmp)]

mod support;

use mujoco_rs::prelude::MjtObjBase;
use support::{description, world};

/// CE-001.
#[test]
fn the_payload_is_free_and_held_by_contact_only() {
    let world = world(0);
    assert_eq!(world.model().neq(), 0, "CE-001: no equality constraint");
    let payload = world.payload_state();
    assert!((payload.mass_kg - 0.5).abs() < 1e-12);
    let body = world.model().name_to_id(MjtObjBase::mjOBJ_BODY, "payload").unwrap();
    assert!((world.model().body_mass()[body] - 0.5).abs() < 1e-12);
}

#[test]
fn joints_come_in_motor_order_with_their_limits_and_rotors() {
    let (description, world) = (description(), world(0));
    let model = world.model();
    for (robot, placement) in description.robots.iter().zip(&description.config.robots) {
        let mut previous = 0;
        for joint in &robot.config.joints {
            let name = format!("{}/{}", placement.name, joint.name);
            let id = model.name_to_id(MjtObjBase::mjOBJ_JOINT, &name).unwrap();
            assert!(id > previous, "{name} is out of order");
            previous = id;
            let limit = &robot.urdf.joints.iter().find(|j| j.name == joint.name).unwrap().limit;
            assert_eq!(model.jnt_range()[id], [limit.lower, limit.upper]);
            let dof = model.jnt_dofadr()[id] as usize;
            assert!((model.dof_armature()[dof] - joint.armature_kgm2).abs() < 1e-15);
            let actuator = model.name_to_id(MjtObjBase::mjOBJ_ACTUATOR, &name).unwrap();
            assert_eq!(model.actuator_forcerange()[actuator], [-joint.effort_nm, joint.effort_nm]);
            let [_, stiffness, damping, ..] = model.actuator_biasprm()[actuator];
            assert!((stiffness + joint.kp).abs() < 1e-5 && (damping + joint.kd).abs() < 1e-6, "{name}");
        }
    }
}

#[test]
fn masses_are_those_of_the_urdf() {
    let (description, world) = (description(), world(0));
    let robot = &description.robots[0];
    for link in robot.urdf.links.iter().filter(|l| l.inertial.mass.value > 0.0) {
        let body = world.model().name_to_id(MjtObjBase::mjOBJ_BODY, &format!("g1_1/{}", link.name)).unwrap();
        assert!((world.model().body_mass()[body] - link.inertial.mass.value).abs() < 1e-12, "{}", link.name);
        // Principal moments of the compiled body and of the URDF's tensor have the same sum.
        let i = &link.inertial.inertia;
        let sum: f64 = world.model().body_inertia()[body].iter().sum();
        assert!((sum - (i.ixx + i.iyy + i.izz)).abs() < 1e-9, "{}", link.name);
    }
    let total: f64 = robot.urdf.links.iter().map(|l| l.inertial.mass.value).sum();
    assert!((total - 33.34).abs() < 0.5, "a G1 weighs about 33 kg: {total}");
}

#[test]
fn the_same_positions_fit_the_picture_model() {
    use mujoco_rs::prelude::MjModel;
    use troupe_world::scene::{Purpose, mjcf};
    let (description, world) = (description(), world(0));
    let purpose = Purpose::Pictures { width: 64, height: 48, mesh_folder: None };
    let pictures = MjModel::from_xml_string(&mjcf(&description, purpose)).unwrap();
    assert_eq!(pictures.nq(), world.model().nq());
    assert_eq!(pictures.jnt_qposadr(), world.model().jnt_qposadr());
    assert!(pictures.ngeom() > world.model().ngeom());
}

#[test]
fn ce_010_palms_and_forearms_have_the_stated_half_extents() {
    let (description, world) = (description(), world(0));
    let model = world.model();
    let geoms: Vec<[f64; 3]> = model.geom_size().to_vec();
    for half in [[0.06, 0.035, 0.006], [0.11, 0.032, 0.006]] {
        let same = |size: &&[f64; 3]| size.iter().zip(half).all(|(a, b)| (a - b).abs() < 1e-12);
        assert_eq!(geoms.iter().filter(same).count(), 2 * description.robots.len(), "two a robot of {half:?}");
    }
}
