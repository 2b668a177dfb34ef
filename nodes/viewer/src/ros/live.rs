//! The stream to a live viewer.

use rerun::{RecordingStream, RecordingStreamBuilder, RecordingStreamError, SpawnOptions};

/// Connects to the viewer at `url`; with an empty one starts `rerun`, or tries the default address.
/// The connection is made in the background: a viewer that starts later gets what follows.
pub fn connect(builder: impl Fn() -> RecordingStreamBuilder, url: &str) -> Result<RecordingStream, RecordingStreamError> {
    if !url.is_empty() {
        return builder().connect_grpc_opts(url);
    }
    let options = SpawnOptions { hide_welcome_screen: true, ..SpawnOptions::default() };
    match builder().spawn_opts(&options) {
        Ok(stream) => Ok(stream),
        Err(error) => {
            // Its first line says why; the rest is advice on how to install it.
            let error = error.to_string();
            tracing::warn!(error = error.lines().next(), url = rerun::DEFAULT_CONNECT_URL, "`rerun` cannot be started; trying the default address");
            builder().connect_grpc()
        }
    }
}
