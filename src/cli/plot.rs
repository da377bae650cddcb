//! Line plots and images as self-contained SVG documents.
//!
//! The documents use no scripts, style sheets or external files, contain only
//! finite coordinates whatever the data are, and escape all text.

mod axis;
mod colormap;
mod frame;
mod image;
mod line;
mod svg;
#[cfg(test)]
mod tests;

pub use image::ImagePlot;
pub use line::LinePlot;
