//! Pictures of a world from its named cameras, drawn off screen.
//!
//! The picture model has the physics model's joints but its own shapes, so that drawing never changes
//! a result. One OpenGL context serves all cameras and sizes; it stays on the thread that made it.
#![allow(unsafe_code)]

use crate::description::WorldDescription;
use crate::egl::EglContext;
use crate::error::WorldError;
use crate::image::Image;
use crate::index::id;
use crate::scene::{Purpose, mjcf};
use crate::world::World;
use mujoco_rs::prelude::{
    MjData, MjModel, MjrContext, MjrRectangle, MjtObjBase, MjtRndFlag, MjvCamera, MjvOption, MjvPerturb, MjvScene,
};
use std::path::{Path, PathBuf};

/// Most geoms in one picture.
const SCENE_GEOMS: usize = 4000;

/// How pictures are drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureOptions {
    /// Largest width, pixels.
    pub max_width: u32,
    /// Largest height, pixels.
    pub max_height: u32,
    /// Shadows; about doubles the time.
    pub shadows: bool,
    /// Folder of the vendor's mesh files; primitives are drawn where a file is missing.
    pub mesh_folder: Option<PathBuf>,
}

/// The mesh folder of a robot kind below the folder of downloaded assets, when it exists.
#[must_use]
pub fn mesh_folder(assets: &Path, kind: &str) -> Option<PathBuf> {
    let folder = assets.join(kind).join("meshes");
    folder.is_dir().then_some(folder)
}

/// Draws pictures. Not `Send`: use it on the thread that made it.
pub struct Camera {
    // Order matters: what draws goes before the context it draws with.
    scene: MjvScene,
    drawing: MjrContext,
    data: MjData<Box<MjModel>>,
    egl: EglContext,
    names: Vec<String>,
    options: PictureOptions,
}

impl std::fmt::Debug for Camera {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Camera").field("names", &self.names).field("options", &self.options).finish_non_exhaustive()
    }
}

impl Camera {
    /// Opens a context and compiles the picture model; takes some 0.3 s, with meshes more.
    ///
    /// # Errors
    /// [`WorldError::NoEgl`] without off-screen rendering, [`WorldError::Compile`].
    pub fn new(description: &WorldDescription, options: &PictureOptions) -> Result<Self, WorldError> {
        let refused = |reason: String| WorldError::Compile { world: description.config.name.clone(), reason };
        let purpose = Purpose::Pictures {
            width: options.max_width,
            height: options.max_height,
            mesh_folder: options.mesh_folder.as_deref(),
        };
        let model = MjModel::from_xml_string(&mjcf(description, purpose)).map_err(|e| refused(e.to_string()))?;
        let egl = EglContext::new()?;
        // SAFETY: `egl` has just been made current on this thread; `Camera` is not `Send`, and its
        // fields drop in order, so the context outlives the drawing.
        let mut drawing = unsafe { MjrContext::new(&model) };
        drawing.offscreen();
        let mut scene = MjvScene::new(&model, SCENE_GEOMS);
        if let Some(flag) = scene.flags_mut().get_mut(MjtRndFlag::mjRND_SHADOW as usize) {
            *flag = u8::from(options.shadows);
        }
        let data = MjData::try_new(Box::new(model)).map_err(|e| refused(e.to_string()))?;
        let names = description.config.cameras.iter().map(|c| c.name().to_owned()).collect();
        Ok(Self { scene, drawing, data, egl, names, options: options.clone() })
    }

    /// Names of the cameras.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A picture of `world` as it is now.
    ///
    /// # Errors
    /// [`WorldError::UnknownCamera`], [`WorldError::Value`] for a size above the largest, [`WorldError::Render`].
    pub fn picture(&mut self, world: &World, camera: &str, width: u32, height: u32) -> Result<Image, WorldError> {
        self.picture_of(world.qpos(), camera, width, height)
    }

    /// A picture of a state given as MuJoCo's `qpos` (see [`World::qpos`]).
    ///
    /// # Errors
    /// As [`Camera::picture`]; also [`WorldError::Render`] when `qpos` is of another world.
    pub fn picture_of(&mut self, qpos: &[f64], camera: &str, width: u32, height: u32) -> Result<Image, WorldError> {
        if !self.names.iter().any(|n| n == camera) {
            return Err(WorldError::UnknownCamera { name: camera.to_owned(), allowed: self.names.join(", ") });
        }
        let fits = (1..=self.options.max_width).contains(&width) && (1..=self.options.max_height).contains(&height);
        if !fits {
            let what = format!("picture size {width} x {height}");
            return Err(WorldError::Value { what, value: f64::from(width.max(height)), allowed: "1 to the largest size in the picture options" });
        }
        if qpos.len() != self.data.qpos().len() {
            let reason = format!("{} positions; this world has {}", qpos.len(), self.data.qpos().len());
            return Err(WorldError::Render { reason });
        }
        self.egl.make_current()?;
        self.data.qpos_mut().copy_from_slice(qpos);
        self.data.kinematics();
        self.data.com_pos();
        self.data.camlight();
        let number = id(self.data.model(), MjtObjBase::mjOBJ_CAMERA, "camera", camera)?;
        let mut eye = MjvCamera::new_fixed(number);
        // The light at the camera is set from the camera of the update before, so a picture would depend
        // on the one taken last; the second update puts it right.
        for _ in 0..2 {
            self.scene.update(&mut self.data, &MjvOption::default(), &MjvPerturb::default(), &mut eye);
        }
        let pixels = |v: u32| i32::try_from(v).map_err(|e| WorldError::Render { reason: e.to_string() });
        let area = MjrRectangle::new(0, 0, pixels(width)?, pixels(height)?);
        self.scene.render(&area, &self.drawing);
        let row = width as usize * 3;
        let mut upside_down = vec![0; row * height as usize];
        self.drawing
            .read_pixels(Some(&mut upside_down), None, &area)
            .map_err(|e| WorldError::Render { reason: e.to_string() })?;
        // OpenGL's rows go from bottom to top.
        let rgb = upside_down.chunks_exact(row).rev().flatten().copied().collect();
        Ok(Image { width, height, rgb })
    }
}
