//! Entities of `simulation_interfaces`: robots and the payload.

use crate::{Bridge, BridgeError};
use regex_lite::Regex;
use troupe_ros::convert::geometry;
use troupe_ros::r2r::simulation_interfaces::msg::{Bounds, EntityCategory, EntityFilters, EntityState, Result as SimResult};
use troupe_ros::stamp;
use troupe_world::{World, WorldError};

/// Names that pass the filters, in the world's order.
pub fn matches(world: &World, filters: &EntityFilters) -> Result<Vec<String>, SimResult> {
    if filters.bounds.type_ != Bounds::TYPE_EMPTY as u8 {
        let error_message = "bounds are not supported".to_owned();
        return Err(SimResult { result: SimResult::RESULT_FEATURE_UNSUPPORTED as u8, error_message });
    }
    let whole = format!("^(?:{})$", filters.filter);
    let pattern = if filters.filter.is_empty() { None } else { Some(Regex::new(&whole).map_err(|e| failed(&e.to_string()))?) };
    let payload = &world.description().config.payload.name;
    let category = |name: &str| {
        if name == payload { EntityCategory::CATEGORY_DYNAMIC_OBJECT as u8 } else { EntityCategory::CATEGORY_ROBOT as u8 }
    };
    let wanted = |name: &String| {
        pattern.as_ref().is_none_or(|p| p.is_match(name))
            && (filters.categories.is_empty() || filters.categories.iter().any(|c| c.category == category(name)))
            // No entity carries a tag.
            && filters.tags.tags.is_empty()
    };
    Ok(world.entities().into_iter().filter(wanted).collect())
}

/// Where an entity is and how it moves, in the world frame.
pub fn to_wire(bridge: &Bridge, name: &str) -> Result<EntityState, SimResult> {
    let world = bridge.world();
    let refuse = |e: WorldError| refusal(&BridgeError::from(e));
    let pose = world.entity_pose(name).map_err(refuse)?;
    let twist = world.entity_twist(name).map_err(refuse)?;
    Ok(EntityState {
        header: stamp::header(stamp::to_wire(bridge.stamp_s()), stamp::WORLD),
        pose: geometry::pose_to_wire(&pose),
        twist: geometry::twist_to_wire(&twist),
        ..EntityState::default()
    })
}

/// The standard's code for a refusal.
pub fn refusal(error: &BridgeError) -> SimResult {
    let result = match error {
        BridgeError::World(WorldError::UnknownEntity { .. }) => SimResult::RESULT_NOT_FOUND as u8,
        _ => SimResult::RESULT_OPERATION_FAILED as u8,
    };
    SimResult { result, error_message: error.to_string() }
}

fn failed(why: &str) -> SimResult {
    SimResult { result: SimResult::RESULT_OPERATION_FAILED as u8, error_message: why.to_owned() }
}
