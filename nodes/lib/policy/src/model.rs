//! Inference of a frozen walking policy.

use crate::error::PolicyError;
use crate::metadata::Metadata;
use crate::observation::{ACTIONS, OBSERVATIONS};
use std::path::Path;
use std::sync::Arc;
use tract_onnx::prelude::{DatumExt, Framework, InferenceModelExt, IntoRunnable, Tensor, TypedRunnableModel, tvec};

/// Something that turns an observation into an action: the vendor's network, or a simple one in tests.
pub trait WalkingPolicy: Send {
    /// The raw action for one observation, in motor order.
    ///
    /// # Errors
    /// [`PolicyError::Inference`] or [`PolicyError::NotFinite`].
    fn infer(&mut self, observation: &[f32; OBSERVATIONS]) -> Result<[f32; ACTIONS], PolicyError>;
}

/// A policy of the G1 from an ONNX file. It has no memory: equal observations give equal bytes.
#[derive(Clone)]
pub struct WalkPolicy {
    plan: Arc<TypedRunnableModel>,
    metadata: Metadata,
}

impl WalkPolicy {
    /// Reads, checks and optimises a model with 100 inputs and 29 outputs.
    ///
    /// # Errors
    /// [`PolicyError`] naming the file.
    pub fn load(path: &Path) -> Result<Self, PolicyError> {
        let bytes = std::fs::read(path)
            .map_err(|e| PolicyError::Read { file: path.to_owned(), reason: e.to_string() })?;
        let wrong = |e: tract_onnx::prelude::TractError| PolicyError::Model {
            file: path.to_owned(),
            reason: format!("{e:#}"),
        };
        let onnx = tract_onnx::onnx();
        let proto = onnx.proto_model_for_read(&mut bytes.as_slice()).map_err(wrong)?;
        let properties: Vec<(String, String)> =
            proto.metadata_props.iter().map(|p| (p.key.clone(), p.value.clone())).collect();
        let metadata = Metadata::from_properties(path, &properties)?;
        let plan = onnx
            .model_for_proto_model(&proto)
            .and_then(|model| model.with_input_fact(0, f32::fact([1, OBSERVATIONS]).into()))
            .and_then(InferenceModelExt::into_optimized)
            .and_then(IntoRunnable::into_runnable)
            .map_err(wrong)?;
        let mut policy = Self { plan, metadata };
        // One run shows a wrong number of outputs now, not while the robot stands.
        policy.infer(&[0.0; OBSERVATIONS]).map_err(|e| PolicyError::Model {
            file: path.to_owned(),
            reason: e.to_string(),
        })?;
        Ok(policy)
    }

    /// What the model says about itself.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }
}

impl WalkingPolicy for WalkPolicy {
    fn infer(&mut self, observation: &[f32; OBSERVATIONS]) -> Result<[f32; ACTIONS], PolicyError> {
        let failed = |e: tract_onnx::prelude::TractError| PolicyError::Inference(format!("{e:#}"));
        let input = Tensor::from_shape(&[1, OBSERVATIONS], observation).map_err(failed)?;
        let outputs = self.plan.run(tvec!(input.into())).map_err(failed)?;
        let first = outputs.first().ok_or_else(|| PolicyError::Inference("no output".to_owned()))?;
        let view = first.to_plain_array_view::<f32>().map_err(failed)?;
        let values: Vec<f32> = view.iter().copied().collect();
        let action: [f32; ACTIONS] = values
            .try_into()
            .map_err(|v: Vec<f32>| PolicyError::Inference(format!("{} outputs, {ACTIONS} are needed", v.len())))?;
        match action.iter().enumerate().find(|(_, v)| !v.is_finite()) {
            Some((index, value)) => Err(PolicyError::NotFinite { index, value: *value }),
            None => Ok(action),
        }
    }
}
