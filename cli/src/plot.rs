//! Line plots and images as self-contained SVG documents or PNG files, and plots of measurements
//! as parts of an HTML page.
//!
//! They use no scripts or external files, contain only finite coordinates whatever the data are,
//! and escape all text. Those of a page have the colours of its style sheet: `--paper`, `--ink`,
//! `--grid`, `--axis`, `--ours`, `--peer`, `--bad`.

mod axis;
mod canvas;
mod colormap;
mod dots;
mod frame;
mod image;
mod line;
mod raster;
mod scale;
mod series;
mod svg;
#[cfg(test)]
mod tests;

pub use axis::three_digits;
pub use dots::{Dot, DotPlot};
pub use image::ImagePlot;
pub use line::LinePlot;
pub use raster::PictureError;
pub use scale::Scale;
pub use series::{Mark, Series, SeriesPlot};
pub use svg::escape;

use canvas::{Canvas, Style};

/// What a picture's file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines and text.
    Svg,
    /// Pixels.
    Png,
}

impl Format {
    /// The names' extensions, the first for what has no name.
    pub const EXTENSIONS: [&str; 2] = ["svg", "png"];

    /// The format of one of the extensions.
    pub fn of(extension: Option<&str>) -> Self {
        match extension {
            Some("png") => Self::Png,
            _ => Self::Svg,
        }
    }

    /// A file that `draw` fills.
    fn file(
        self,
        draw: impl FnOnce(&mut dyn Canvas) -> Result<(), PictureError>,
    ) -> Result<Vec<u8>, PictureError> {
        match self {
            Self::Svg => {
                let mut svg = svg::Svg::new(Style::FILE);
                draw(&mut svg)?;
                Ok(svg.finish().into_bytes())
            }
            Self::Png => {
                let mut raster = raster::Raster::new(Style::FILE)?;
                draw(&mut raster)?;
                raster.finish()
            }
        }
    }
}
