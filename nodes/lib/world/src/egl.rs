//! An off-screen OpenGL context that needs no window and no display server.
#![allow(unsafe_code)]

use crate::error::WorldError;
use glutin::api::egl::context::PossiblyCurrentContext;
use glutin::api::egl::device::Device;
use glutin::api::egl::display::Display;
use glutin::api::egl::surface::Surface;
use glutin::config::{ConfigSurfaceTypes, ConfigTemplateBuilder};
use glutin::context::{ContextApi, ContextAttributesBuilder, GlProfile, Version};
use glutin::prelude::{GlDisplay, NotCurrentGlContext, PossiblyCurrentGlContext};
use glutin::surface::{PbufferSurface, SurfaceAttributesBuilder};
use std::num::NonZero;

/// A context on the first device that gives one; current on the thread that made it.
#[derive(Debug)]
pub(crate) struct EglContext {
    context: PossiblyCurrentContext,
    surface: Surface<PbufferSurface>,
}

impl EglContext {
    /// Opens a context and makes it current on the calling thread.
    pub(crate) fn new() -> Result<Self, WorldError> {
        let devices = Device::query_devices().map_err(|e| WorldError::NoEgl { reason: e.to_string() })?;
        let mut reason = "no device".to_owned();
        for device in devices {
            match Self::on(&device) {
                Ok(context) => return Ok(context),
                Err(error) => reason = error.to_string(),
            }
        }
        Err(WorldError::NoEgl { reason })
    }

    fn on(device: &Device) -> glutin::error::Result<Self> {
        // SAFETY: the device comes from the query above and no native display handle is given.
        let display = unsafe { Display::with_device(device, None)? };
        let template = ConfigTemplateBuilder::new()
            .with_surface_type(ConfigSurfaceTypes::PBUFFER)
            .with_alpha_size(0)
            .with_depth_size(24)
            .with_stencil_size(8)
            .build();
        // SAFETY: the display was initialised above.
        let config = unsafe { display.find_configs(template)? }
            .next()
            .ok_or(glutin::error::ErrorKind::NotSupported("no configuration with an off-screen surface"))?;
        // MuJoCo draws with the compatibility profile.
        let attributes = ContextAttributesBuilder::new()
            .with_profile(GlProfile::Compatibility)
            .with_context_api(ContextApi::OpenGl(Some(Version::new(2, 0))))
            .build(None);
        let one = NonZero::<u32>::MIN;
        // SAFETY: display and configuration belong together and outlive the call.
        let surface = unsafe {
            display.create_pbuffer_surface(&config, &SurfaceAttributesBuilder::<PbufferSurface>::new().build(one, one))?
        };
        // SAFETY: as above; no share context is given.
        let context = unsafe { display.create_context(&config, &attributes)? }.make_current(&surface)?;
        Ok(Self { context, surface })
    }

    /// Makes the context current again, in case another one was made current on this thread.
    pub(crate) fn make_current(&self) -> Result<(), WorldError> {
        self.context.make_current(&self.surface).map_err(|e| WorldError::Render { reason: e.to_string() })
    }
}
