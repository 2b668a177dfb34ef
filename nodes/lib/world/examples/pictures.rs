//! Writes one picture per camera of the world L1: `pictures FOLDER [MESH_FOLDER]`.

use std::path::{Path, PathBuf};
use std::time::Instant;
use troupe_world::{Camera, PictureOptions, World, WorldDescription, WorldError};

fn main() -> Result<(), WorldError> {
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let folder = arguments.next().unwrap_or_else(|| PathBuf::from("."));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../config/worlds/l1.yaml");
    let description = WorldDescription::load(&file)?;
    let mut world = World::new(&description, 0)?;
    world.place_payload()?;
    let options = PictureOptions { max_width: 960, max_height: 720, shadows: true, mesh_folder: arguments.next() };
    let mut camera = Camera::new(&description, &options)?;
    for name in camera.names().to_vec() {
        let start = Instant::now();
        let image = camera.picture(&world, &name, 960, 720)?;
        let milliseconds = 1e3 * start.elapsed().as_secs_f64();
        image.write_png(&folder.join(format!("{name}.png")))?;
        println!("{name}: {milliseconds:.0} ms, mean brightness {:.0}", image.mean());
    }
    Ok(())
}
