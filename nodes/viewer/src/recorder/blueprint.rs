//! How a viewer lays it out when it opens the recording.

use crate::scene::Scene;
use rerun::blueprint::{
    Blueprint, BlueprintActivation, ContainerLike, Horizontal, Spatial2DView, Spatial3DView, Tabs, TextDocumentView, TextLogView,
    TimeSeriesView, Vertical,
};
use rerun::{RecordingStream, RecordingStreamError};

/// Sends the layout.
pub fn send(stream: &RecordingStream, scene: &Scene) -> Result<(), RecordingStreamError> {
    let document = |name: &str| ContainerLike::from(TextDocumentView::new(name).with_origin(format!("text/{name}")));
    let curve = |name: &str| ContainerLike::from(TimeSeriesView::new(name).with_origin(format!("curves/{name}")));
    let camera = |name: &String| ContainerLike::from(Spatial2DView::new(name.as_str()).with_origin(format!("camera/{name}")));
    let seen = Vertical::new([
        Spatial3DView::new("world").with_origin("world").into(),
        Tabs::new([TextLogView::new("log").with_origin("log").into()].into_iter().chain(scene.cameras.iter().map(camera))).into(),
    ])
    .with_row_shares([3.0, 1.0]);
    let words = Tabs::new(["plan", "decision", "verdict", "evidence", "budget"].map(document));
    let curves = Vertical::new(["payload", "support", "margins", "formation", "route", "time", "viewer"].map(curve));
    let side = Vertical::new([words.into(), curves.into()]).with_row_shares([1.0, 3.0]);
    let root = Horizontal::new([seen.into(), side.into()]).with_column_shares([2.0, 1.0]);
    Blueprint::new(root).send(stream, BlueprintActivation::default())
}
