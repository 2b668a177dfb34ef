//! Every shipped layout and sampled corridors become worlds whose stand is where the route ends.

use std::path::Path;
use troupe_world::WorldDescription;

fn config() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../config")
}

/// CE-122.
#[test]
fn layouts_and_samples_become_worlds() {
    for name in ["l1", "l2", "l3", "sampled-0", "sampled-7", "sampled-123456"] {
        let world = WorldDescription::named(&config(), name).unwrap();
        assert_eq!(world.config.name, name);
        let (stand, target) = (world.config.stand, world.config.route.target);
        let apart = (stand.position_m[0] - target.position[0]).hypot(stand.position_m[1] - target.position[1]);
        assert!(apart < 1e-9, "{name}: {apart}");
        assert!((2.0 * stand.half_extents_m[2] - target.position[2]).abs() < 1e-9, "{name}");
        assert_eq!(world.robots.len(), 2, "{name}");
        troupe_world::World::new(&world, 0).unwrap();
    }
}

#[test]
fn a_sample_keeps_everything_else_of_its_base() {
    let base = WorldDescription::named(&config(), "l1").unwrap();
    let sampled = WorldDescription::named(&config(), "sampled-3").unwrap();
    assert_eq!(sampled.config.physics, base.config.physics);
    assert_eq!(sampled.config.payload, base.config.payload);
    assert_eq!(sampled.config.sensor_noise, base.config.sensor_noise);
    assert_eq!(sampled.config.robots, base.config.robots);
    assert_eq!(sampled.config.cameras.len(), base.config.cameras.len());
    assert_ne!(sampled.config.route, base.config.route);
}

#[test]
fn an_unknown_world_says_what_is_allowed() {
    let error = WorldDescription::named(&config(), "l99").unwrap_err().to_string();
    assert!(error.contains("l99") && error.contains("sampled-<n>"), "{error}");
}
