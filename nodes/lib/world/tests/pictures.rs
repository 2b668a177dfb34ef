//! Pictures come from every camera of L1, and drawing changes nothing.
#![allow(clippy::unwrap_used, clippy::panic, clippy::float_cmp)]

mod support;

use support::{description, world};
use troupe_world::{Camera, PictureOptions, WorldError};

#[test]
fn every_camera_gives_a_picture_that_repeats() {
    let options = PictureOptions { max_width: 320, max_height: 240, shadows: false, mesh_folder: None };
    let mut camera = match Camera::new(&description(), &options) {
        Ok(camera) => camera,
        Err(WorldError::NoEgl { reason }) => {
            eprintln!("skipped, no off-screen rendering here: {reason}");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let mut world = world(0);
    world.place_payload().unwrap();
    let before = world.snapshot();
    for name in camera.names().to_vec() {
        let image = camera.picture(&world, &name, 160, 120).unwrap();
        assert_eq!(image.rgb.len(), 160 * 120 * 3);
        let (low, high) = (image.rgb.iter().min().unwrap(), image.rgb.iter().max().unwrap());
        assert!(high - low > 60, "{name} is nearly blank: {low} to {high}");
        let again = camera.picture(&world, &name, 160, 120).unwrap();
        let differing = image.rgb.iter().zip(&again.rgb).filter(|(a, b)| a != b).count();
        assert_eq!(differing, 0, "{name}: bytes that differ between two pictures of one state");
    }
    assert_eq!(before, world.snapshot());
    let error = camera.picture(&world, "ceiling", 160, 120).unwrap_err().to_string();
    assert!(error.contains("ceiling") && error.contains("overview"), "{error}");
    assert!(matches!(camera.picture(&world, "overview", 640, 120), Err(WorldError::Value { .. })));
}
