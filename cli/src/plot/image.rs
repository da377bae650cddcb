//! Images of magnitudes, such as two-dimensional spectra.

use super::axis::{linear_ticks, Tick};
use super::canvas::{Anchor, Area, Canvas, Indexed, Place, WIDTH};
use super::colormap::{color, Rgb, MISSING};
use super::frame::{label_room, left_edge, Frame, Labels, LABEL_SIZE, TICK_SIZE};
use super::{Format, PictureError, Scale};

/// Pixels of a unit of the page, each way, that an image has at most.
const DENSITY: f64 = 2.0;
/// The width of a frame that has room beside any ticks.
const SURE_WIDTH: f64 = 640.0;
/// Decades shown below the largest magnitude.
const DECADES: f64 = 8.0;
/// Colours used; the palette has one more entry for missing values.
const LEVELS: usize = 255;
/// The ends of linear colours are between these, so that they can be divided by ticks.
const SMALLEST: f64 = 1e-290;
const LARGEST: f64 = 1e300;
const BAR_GAP: f64 = 26.0;
const BAR_WIDTH: f64 = 18.0;
/// Room for the text beside the bar.
const BAR_LABEL: f64 = 22.0;

/// An image of magnitudes in colours, 900 by 540 units large, with axes and a
/// colour bar.
///
/// Logarithmic colours cover at most the eight decades below the largest
/// magnitude; smaller ones and zeros get the darkest colour. Values that are
/// not finite, or beyond the end of `values`, are grey.
#[derive(Clone, Debug)]
pub struct ImagePlot<'a> {
    /// Text above the image.
    pub title: &'a str,
    /// Smaller text below the title; may be empty.
    pub caption: &'a str,
    /// Text below the horizontal axis.
    pub x_label: &'a str,
    /// Text beside the vertical axis.
    pub y_label: &'a str,
    /// Number of columns.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// Magnitudes, `height` rows of `width` each; the first row is at the top.
    pub values: &'a [f64],
    /// Coordinates at the left and at the right edge of the image.
    pub x_range: (f64, f64),
    /// Coordinates at the top and at the bottom edge of the image.
    pub y_range: (f64, f64),
    /// The colours' axis.
    pub scale: Scale,
    /// Text beside the colour bar.
    pub bar_label: &'a str,
}

impl ImagePlot<'_> {
    /// The plot as a file.
    ///
    /// # Errors
    /// Where the pixels of a PNG file cannot be had.
    pub fn to_file(&self, format: Format) -> Result<Vec<u8>, PictureError> {
        format.file(|canvas| self.draw(canvas))
    }

    fn draw(&self, canvas: &mut dyn Canvas) -> Result<(), PictureError> {
        let x = usable(self.x_range);
        let (top, bottom) = usable(self.y_range);
        let x_ticks = linear_ticks(x.0.min(x.1), x.0.max(x.1), 6.0);
        let y_ticks = linear_ticks(top.min(bottom), top.max(bottom), 7.0);
        let pixels = Pixels::downsample(self);
        let range = pixels.range();
        let bar_ticks = self.scale.ticks(range.0, range.1);
        let frame = self.frame(x, (bottom, top), &y_ticks, &bar_ticks);

        pixels.draw(canvas, frame.area(), range)?;
        draw_bar(canvas, &frame, range, &bar_ticks, self.bar_label)?;
        let labels = Labels {
            title: self.title,
            caption: self.caption,
            x: self.x_label,
            y: self.y_label,
        };
        frame.draw_axes(canvas, &x_ticks, &y_ticks, &labels);
        Ok(())
    }

    /// Centres image and colour bar on the page.
    fn frame(&self, x: (f64, f64), y: (f64, f64), y_ticks: &[Tick], bar_ticks: &[Tick]) -> Frame {
        let left = left_edge(y_ticks);
        let right = BAR_GAP + BAR_WIDTH + label_room(bar_ticks) + BAR_LABEL + 10.0;
        let room = WIDTH - left - right;
        let width = self.page_width(room);
        Frame {
            left: left + (room - width) / 2.0,
            top: Frame::TOP,
            width,
            height: Frame::HEIGHT,
            x,
            y,
        }
    }

    /// The width on the page. Pixels are square unless the image is very long.
    fn page_width(&self, room: f64) -> f64 {
        let square = self.width.max(1) as f64 / self.height.max(1) as f64;
        (Frame::HEIGHT * square).clamp(Frame::HEIGHT * 0.6, room)
    }
}

/// The range itself, or pixel-like defaults if it cannot span an axis.
fn usable((from, to): (f64, f64)) -> (f64, f64) {
    let span = (to - from).abs();
    let size = from.abs().max(to.abs());
    if span.is_finite() && span > size * 1e-9 && span > 1e-290 {
        return (from, to);
    }
    (0.0, 1.0)
}

/// A grid of magnitudes' coordinates on their axis; NaN where there is none.
struct Pixels {
    width: usize,
    height: usize,
    values: Vec<f64>,
    scale: Scale,
}

impl Pixels {
    /// Reduces the image to what the page resolves; every pixel is the largest magnitude that
    /// falls into it, so that narrow peaks survive.
    fn downsample(image: &ImagePlot<'_>) -> Self {
        let (width, height) = (image.width, image.height);
        let most = |units: f64| (units * DENSITY) as usize;
        let mut pixels = Self {
            width: width.min(most(image.page_width(SURE_WIDTH))),
            height: height.min(most(Frame::HEIGHT)),
            values: Vec::new(),
            scale: image.scale,
        };
        pixels.values = vec![f64::NAN; pixels.width * pixels.height];
        if pixels.values.is_empty() {
            return pixels;
        }
        for (y, row) in image.values.chunks(width).take(height).enumerate() {
            let start = scaled(y, height, pixels.height) * pixels.width;
            for (x, value) in row.iter().enumerate().filter(|(_, v)| v.is_finite()) {
                let pixel = &mut pixels.values[start + scaled(x, width, pixels.width)];
                // `max` prefers the number over the NaN of an empty pixel.
                *pixel = pixel.max(value.abs());
            }
        }
        for value in &mut pixels.values {
            *value = image.scale.coordinate(*value);
        }
        pixels
    }

    /// The coordinates at the ends of the colours.
    fn range(&self) -> (f64, f64) {
        let finite = || self.values.iter().copied().filter(|v| v.is_finite());
        let high = finite().fold(f64::NEG_INFINITY, f64::max);
        let Some(decade) = self.scale.decade() else {
            return match high > SMALLEST {
                true => (0.0, high.min(LARGEST)),
                false => (0.0, 1.0),
            };
        };
        if high == f64::NEG_INFINITY {
            return (-decade, 0.0);
        }
        let low = finite().fold(high, f64::min).max(high - DECADES * decade);
        if high - low < 1e-3 * decade {
            return (high - decade, high);
        }
        (low, high)
    }

    /// Draws the pixels; an image without pixels is left out.
    fn draw(
        &self,
        canvas: &mut dyn Canvas,
        area: Area,
        (low, high): (f64, f64),
    ) -> Result<(), PictureError> {
        if self.values.is_empty() {
            return Ok(());
        }
        let index = |value: &f64| match value.is_nan() {
            true => LEVELS as u8,
            // The logarithm of zero is clamped to the darkest colour.
            false => level((value - low) / (high - low)),
        };
        let image = Indexed {
            width: self.width,
            height: self.height,
            indices: &self.values.iter().map(index).collect::<Vec<u8>>(),
            palette: &palette(),
        };
        canvas.image(area, &image)
    }
}

/// The bin, of `bins`, of item `index` of `count`.
fn scaled(index: usize, count: usize, bins: usize) -> usize {
    // In 128 bits, as the product may overflow.
    (index as u128 * bins as u128 / count as u128) as usize
}

/// The palette index at `position` of the colour scale.
fn level(position: f64) -> u8 {
    (position.clamp(0.0, 1.0) * (LEVELS - 1) as f64).round() as u8
}

fn palette() -> Vec<Rgb> {
    (0..LEVELS)
        .map(|level| color(level as f64 / (LEVELS - 1) as f64))
        .chain([MISSING])
        .collect()
}

/// Draws the colour bar with its ticks right of the frame.
fn draw_bar(
    canvas: &mut dyn Canvas,
    frame: &Frame,
    (low, high): (f64, f64),
    ticks: &[Tick],
    label: &str,
) -> Result<(), PictureError> {
    let area = Area {
        left: frame.right() + BAR_GAP,
        width: BAR_WIDTH,
        ..frame.area()
    };
    let image = Indexed {
        width: 1,
        height: LEVELS,
        indices: &(0..LEVELS as u8).rev().collect::<Vec<u8>>(),
        palette: &palette(),
    };
    canvas.image(area, &image)?;
    canvas.border(area);
    let right = area.left + area.width;
    let color = canvas.style().axis;
    for tick in ticks {
        let y = frame.bottom() - (tick.at - low) / (high - low) * frame.height;
        canvas.line((right, y), (right + 5.0, y), color);
        let at = (right + 9.0, y + 4.5);
        canvas.text(at, TICK_SIZE, Anchor::Start, &tick.label);
    }
    let beside = Place {
        at: (
            right + label_room(ticks) + 14.0,
            frame.top + frame.height / 2.0,
        ),
        size: LABEL_SIZE,
        anchor: Anchor::Middle,
        upwards: true,
    };
    canvas.fitted(beside, frame.height, label);
    Ok(())
}
