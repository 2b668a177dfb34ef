//! An image in a question to a model.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use troupe_core::identity::sha256_hex;

/// A PNG image and what it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImagePart {
    /// The bytes of a PNG file.
    pub png: Vec<u8>,
    /// A few words, sent before the image.
    pub caption: String,
}

impl ImagePart {
    /// Content identity of the bytes, 64 hex digits.
    #[must_use]
    pub fn sha256(&self) -> String {
        sha256_hex(&self.png)
    }

    /// The bytes in base64.
    #[must_use]
    pub fn base64(&self) -> String {
        STANDARD.encode(&self.png)
    }

    /// The bytes as a `data:` URL.
    #[must_use]
    pub fn data_url(&self) -> String {
        format!("data:image/png;base64,{}", self.base64())
    }
}
