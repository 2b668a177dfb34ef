//! A picture and its PNG file.

use crate::error::WorldError;
use std::path::Path;

/// An RGB picture; rows from top to bottom, three bytes a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// `width · height · 3` bytes.
    pub rgb: Vec<u8>,
}

impl Image {
    /// Writes a PNG file.
    ///
    /// # Errors
    /// [`WorldError::Png`].
    pub fn write_png(&self, file: &Path) -> Result<(), WorldError> {
        let bad = |reason: String| WorldError::Png { file: file.to_owned(), reason };
        let target = std::fs::File::create(file).map_err(|e| bad(e.to_string()))?;
        self.encode(std::io::BufWriter::new(target)).map_err(|e| bad(e.to_string()))
    }

    /// The content of a PNG file.
    ///
    /// # Errors
    /// [`WorldError::Render`].
    pub fn png(&self) -> Result<Vec<u8>, WorldError> {
        let mut bytes = Vec::new();
        self.encode(&mut bytes).map_err(|e| WorldError::Render { reason: e.to_string() })?;
        Ok(bytes)
    }

    fn encode(&self, target: impl std::io::Write) -> Result<(), png::EncodingError> {
        let mut encoder = png::Encoder::new(target, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgb)?;
        writer.finish()
    }

    /// Mean brightness in [0, 255].
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.rgb.iter().map(|b| f64::from(*b)).sum::<f64>() / self.rgb.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_comes_back_from_its_file() {
        let image = Image { width: 2, height: 1, rgb: vec![1, 2, 3, 250, 251, 252] };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.png");
        image.write_png(&file).unwrap();
        let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&file).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut rgb).unwrap();
        assert_eq!(rgb, image.rgb);
        let error = image.write_png(&folder.path().join("no/a.png")).unwrap_err().to_string();
        assert!(error.contains("no/a.png"));
    }
}
