//! Images of magnitudes, such as two-dimensional spectra.

use base64::prelude::{Engine, BASE64_STANDARD};

use super::axis::{linear_ticks, log_ticks, Tick};
use super::colormap::{color, Rgb, MISSING};
use super::frame::{label_room, left_edge, Frame, Labels, TICK_SIZE};
use super::svg::{Anchor, Style, Svg, WIDTH};

/// Longest side of the embedded image, in pixels.
const MOST_PIXELS: usize = 1024;
/// Decades shown below the largest magnitude.
const DECADES: f64 = 8.0;
/// Colours used; the palette has one more entry for missing values.
const LEVELS: usize = 255;
const BAR_GAP: f64 = 26.0;
const BAR_WIDTH: f64 = 18.0;

/// An image of magnitudes on a logarithmic colour scale, 900 by 540 units
/// large, with axes and a colour bar.
///
/// The colours cover at most the eight decades below the largest magnitude;
/// smaller ones and zeros get the darkest colour. Values that are not finite,
/// or beyond the end of `values`, are grey.
#[derive(Clone, Debug)]
pub struct ImagePlot<'a> {
    /// Text above the image.
    pub title: &'a str,
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
}

impl ImagePlot<'_> {
    /// Draws the image as an SVG document.
    pub fn to_svg(&self) -> String {
        let x = usable(self.x_range);
        let (top, bottom) = usable(self.y_range);
        let x_ticks = linear_ticks(x.0.min(x.1), x.0.max(x.1), 6.0);
        let y_ticks = linear_ticks(top.min(bottom), top.max(bottom), 7.0);
        let pixels = Pixels::downsample(self.values, self.width, self.height);
        let range = pixels.log_range();
        let bar_ticks = log_ticks(range.0, range.1, 8.0);
        let frame = self.frame(x, (bottom, top), &y_ticks, &bar_ticks);

        let mut svg = Svg::new(Style::FILE);
        draw_pixels(&mut svg, &frame, &pixels, range);
        draw_bar(&mut svg, &frame, range, &bar_ticks);
        let labels = Labels {
            title: self.title,
            x: self.x_label,
            y: self.y_label,
        };
        frame.draw_axes(&mut svg, &x_ticks, &y_ticks, &labels);
        svg.finish()
    }

    /// Centres image and colour bar on the page. Pixels are square unless the
    /// image is very long.
    fn frame(&self, x: (f64, f64), y: (f64, f64), y_ticks: &[Tick], bar_ticks: &[Tick]) -> Frame {
        let left = left_edge(y_ticks);
        let right = BAR_GAP + BAR_WIDTH + label_room(bar_ticks) + 10.0;
        let room = WIDTH - left - right;
        let square = self.width.max(1) as f64 / self.height.max(1) as f64;
        let width = (Frame::HEIGHT * square).clamp(Frame::HEIGHT * 0.6, room);
        Frame {
            left: left + (room - width) / 2.0,
            top: Frame::TOP,
            width,
            height: Frame::HEIGHT,
            x,
            y,
        }
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

/// A grid of magnitudes; NaN where there is none.
struct Pixels {
    width: usize,
    height: usize,
    values: Vec<f64>,
}

impl Pixels {
    /// Reduces `values` to at most [`MOST_PIXELS`] a side; every pixel is the
    /// largest magnitude that falls into it, so that narrow peaks survive.
    fn downsample(values: &[f64], width: usize, height: usize) -> Self {
        let mut pixels = Self {
            width: width.min(MOST_PIXELS),
            height: height.min(MOST_PIXELS),
            values: Vec::new(),
        };
        pixels.values = vec![f64::NAN; pixels.width * pixels.height];
        if pixels.values.is_empty() {
            return pixels;
        }
        for (y, row) in values.chunks(width).take(height).enumerate() {
            let start = scaled(y, height, pixels.height) * pixels.width;
            for (x, value) in row.iter().enumerate().filter(|(_, v)| v.is_finite()) {
                let pixel = &mut pixels.values[start + scaled(x, width, pixels.width)];
                // `max` prefers the number over the NaN of an empty pixel.
                *pixel = pixel.max(value.abs());
            }
        }
        pixels
    }

    /// The logarithms at the ends of the colour scale.
    fn log_range(&self) -> (f64, f64) {
        let logs = || {
            self.values
                .iter()
                .map(|v| v.log10())
                .filter(|v| v.is_finite())
        };
        let high = logs().fold(f64::NEG_INFINITY, f64::max);
        if high == f64::NEG_INFINITY {
            return (-1.0, 0.0);
        }
        let low = logs().fold(high, f64::min).max(high - DECADES);
        if high - low < 1e-3 {
            return (high - 1.0, high);
        }
        (low, high)
    }

    /// The image as an indexed PNG file.
    fn to_png(&self, (low, high): (f64, f64)) -> Result<Vec<u8>, png::EncodingError> {
        let (zoom_x, zoom_y) = (zoom(self.width), zoom(self.height));
        let index = |value: &f64| match value.is_nan() {
            true => LEVELS as u8,
            // The logarithm of zero is clamped to the darkest colour.
            false => level((value.log10() - low) / (high - low)),
        };
        let mut indices = Vec::new();
        for row in self.values.chunks(self.width) {
            let row = row.iter().map(index);
            let row: Vec<u8> = row.flat_map(|i| std::iter::repeat_n(i, zoom_x)).collect();
            indices.extend(row.repeat(zoom_y));
        }
        let mut file = Vec::new();
        // Both sides are at most `MOST_PIXELS`.
        let (width, height) = (self.width * zoom_x, self.height * zoom_y);
        let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette(palette());
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&indices)?;
        writer.finish()?;
        Ok(file)
    }
}

/// The bin, of `bins`, of item `index` of `count`.
fn scaled(index: usize, count: usize, bins: usize) -> usize {
    // In 128 bits, as the product may overflow.
    (index as u128 * bins as u128 / count as u128) as usize
}

/// How often to repeat each of `pixels` pixels, so that viewers that smooth
/// images (many ignore `image-rendering`) keep the pixels of small ones sharp.
fn zoom(pixels: usize) -> usize {
    (MOST_PIXELS / pixels).max(1)
}

/// The palette index at `position` of the colour scale.
fn level(position: f64) -> u8 {
    (position.clamp(0.0, 1.0) * (LEVELS - 1) as f64).round() as u8
}

fn palette() -> Vec<u8> {
    (0..LEVELS)
        .map(|level| color(level as f64 / (LEVELS - 1) as f64))
        .chain([MISSING])
        .flatten()
        .collect()
}

/// Embeds the pixels; an image without pixels is left out.
fn draw_pixels(svg: &mut Svg, frame: &Frame, pixels: &Pixels, range: (f64, f64)) {
    if pixels.values.is_empty() {
        return;
    }
    let png = pixels
        .to_png(range)
        .expect("a valid image is encoded to memory");
    svg.raw(format_args!(
        "<image x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" \
         preserveAspectRatio=\"none\" style=\"image-rendering: optimizeSpeed; image-rendering: pixelated\" \
         href=\"data:image/png;base64,{}\"/>\n",
        frame.left,
        frame.top,
        frame.width,
        frame.height,
        BASE64_STANDARD.encode(png)
    ));
}

/// Draws the colour bar with its ticks right of the frame.
fn draw_bar(svg: &mut Svg, frame: &Frame, (low, high): (f64, f64), ticks: &[Tick]) {
    const STOPS: usize = 16;
    svg.raw(format_args!(
        "<linearGradient id=\"scale\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">"
    ));
    for stop in 0..STOPS {
        let position = stop as f64 / (STOPS - 1) as f64;
        let [r, g, b]: Rgb = color(position);
        svg.raw(format_args!(
            "<stop offset=\"{position:.4}\" stop-color=\"#{r:02x}{g:02x}{b:02x}\"/>"
        ));
    }
    let left = frame.right() + BAR_GAP;
    svg.raw(format_args!(
        "</linearGradient>\n<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{BAR_WIDTH}\" \
         height=\"{:.1}\" fill=\"url(#scale)\"/>\n",
        frame.top, frame.height
    ));
    svg.border(left, frame.top, BAR_WIDTH, frame.height);
    let right = left + BAR_WIDTH;
    for tick in ticks {
        let y = frame.bottom() - (tick.at - low) / (high - low) * frame.height;
        svg.line((right, y), (right + 5.0, y), "#444");
        svg.text(
            (right + 9.0, y + 4.5),
            TICK_SIZE,
            Anchor::Start,
            &tick.label,
        );
    }
}
