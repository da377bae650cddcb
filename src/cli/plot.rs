//! Line plots and images as self-contained SVG documents, and plots of measurements as parts of
//! an HTML page.
//!
//! They use no scripts or external files, contain only finite coordinates whatever the data are,
//! and escape all text. Those of a page have the colours of its style sheet: `--paper`, `--ink`,
//! `--grid`, `--axis`, `--ours`, `--peer`, `--bad`.

mod axis;
mod colormap;
mod dots;
mod frame;
mod image;
mod line;
mod series;
mod svg;
#[cfg(test)]
mod tests;

pub use dots::{Dot, DotPlot};
pub use image::ImagePlot;
pub use line::LinePlot;
pub use series::{Mark, Series, SeriesPlot};
pub use svg::escape;
