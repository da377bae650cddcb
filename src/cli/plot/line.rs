//! Line plots.

use std::fmt::Write;

use super::axis::{linear_ticks, log_ticks, range_of, three_digits, widened, Tick};
use super::frame::{left_edge, Frame, Labels};
use super::svg::{Anchor, Style, Svg, WIDTH};

/// More points than this are reduced to four per column of the page.
const MOST_POINTS: usize = 4000;
/// A logarithmic axis shows at most this many decades below its top: what
/// lies lower in floating-point data is rounding noise.
const MOST_DECADES: f64 = 20.0;
const RIGHT_MARGIN: f64 = 30.0;
const COLOR: &str = "#1f5fbf";
const PEAK_COLOR: &str = "#c8321e";

/// A plot of `y` over `x` as a line, 900 by 540 units large.
///
/// If the slices differ in length, the longer one is cut. Points with a
/// coordinate that is not finite are gaps in the line; so are values of `y`
/// that are not positive if `log_y` is set.
#[derive(Clone, Debug)]
pub struct LinePlot<'a> {
    /// Text above the plot.
    pub title: &'a str,
    /// Text below the horizontal axis.
    pub x_label: &'a str,
    /// Text beside the vertical axis.
    pub y_label: &'a str,
    /// Horizontal coordinates, one per point, normally in order.
    pub x: &'a [f64],
    /// Vertical coordinates, one per point.
    pub y: &'a [f64],
    /// Whether to mark the largest local maximum after the first point (which
    /// is the mean in a spectrum) with a dot and its `x`.
    pub annotate_peak: bool,
    /// Adds the period `1 / x` to the annotation, in this unit (may be empty).
    pub x_as_period: Option<&'a str>,
    /// Whether the vertical axis is logarithmic.
    pub log_y: bool,
}

/// A point in axis coordinates; `None` is a gap.
type Point = Option<(f64, f64)>;

impl LinePlot<'_> {
    /// Draws the plot as an SVG document.
    pub fn to_svg(&self) -> String {
        let points = self.points();
        let x = range_of(points.iter().flatten().map(|p| p.0)).unwrap_or((0.0, 1.0));
        let y = range_of(points.iter().flatten().map(|p| p.1));
        let (y, y_ticks) = self.vertical_axis(y);
        let left = left_edge(&y_ticks);
        let frame = Frame {
            left,
            top: Frame::TOP,
            width: WIDTH - left - RIGHT_MARGIN,
            height: Frame::HEIGHT,
            x: widened(x),
            y,
        };
        let x_ticks = linear_ticks(frame.x.0, frame.x.1, 8.0);

        let mut svg = Svg::new(Style::FILE);
        frame.draw_grid(&mut svg, &x_ticks, &y_ticks);
        draw_line(&mut svg, &frame, &points);
        let labels = Labels {
            title: self.title,
            x: self.x_label,
            y: self.y_label,
        };
        frame.draw_axes(&mut svg, &x_ticks, &y_ticks, &labels);
        if let Some((x, y)) = peak(&points).filter(|_| self.annotate_peak) {
            draw_peak(&mut svg, &frame, (x, y), &self.peak_label(x));
        }
        svg.finish()
    }

    /// The points in axis coordinates: on a logarithmic axis, logarithms.
    fn points(&self) -> Vec<Point> {
        let vertical = |y: f64| if self.log_y { y.log10() } else { y };
        self.x
            .iter()
            .zip(self.y)
            .map(|(&x, &y)| (x, vertical(y)))
            .map(|(x, y)| (x.is_finite() && y.is_finite()).then_some((x, y)))
            .collect()
    }

    /// The range of the vertical axis (with room for the line) and its ticks.
    fn vertical_axis(&self, data: Option<(f64, f64)>) -> ((f64, f64), Vec<Tick>) {
        if self.log_y {
            let (low, high) = data.unwrap_or((-1.0, 0.0));
            let low = low.max(high - MOST_DECADES);
            let margin = ((high - low) * 0.06).max(0.1);
            let range = (low - margin, high + margin);
            return (range, log_ticks(range.0, range.1, 8.0));
        }
        let (low, high) = widened(data.unwrap_or((0.0, 1.0)));
        let margin = (high - low) * 0.06;
        // Magnitudes stand on the axis instead of floating above it.
        let from_zero = data.is_some_and(|(least, _)| least >= 0.0) && low <= margin * 4.0;
        let range = match from_zero {
            true => (0.0, high + margin),
            false => (low - margin, high + margin),
        };
        (range, linear_ticks(range.0, range.1, 7.0))
    }

    /// `0.0906 (period 11.0 years)`.
    fn peak_label(&self, x: f64) -> String {
        let period = x.recip();
        match self.x_as_period {
            Some(unit) if period.is_finite() => {
                let text = format!("period {} {unit}", three_digits(period));
                format!("{} ({})", three_digits(x), text.trim_end())
            }
            _ => three_digits(x),
        }
    }
}

/// The largest local maximum after the first point.
fn peak(points: &[Point]) -> Option<(f64, f64)> {
    let height = |index: usize| match points.get(index) {
        Some(&Some((_, y))) => y,
        _ => f64::NEG_INFINITY,
    };
    (1..points.len())
        .filter(|&i| height(i) > height(i - 1) && height(i) >= height(i + 1))
        .max_by(|&i, &j| height(i).total_cmp(&height(j)).then(j.cmp(&i)))
        .and_then(|i| points[i])
}

/// Draws the line on the page, reduced if there are very many points.
fn draw_line(svg: &mut Svg, frame: &Frame, points: &[Point]) {
    let page: Vec<Point> = points
        .iter()
        .map(|point| point.map(|(x, y)| (frame.page_x(x), frame.page_y(y))))
        .collect();
    let page = match page.len() > MOST_POINTS {
        true => reduced(&page),
        false => page,
    };
    let mut path = String::new();
    for segment in page.split(Option::is_none) {
        match *segment {
            [] => {}
            [Some((x, y))] => svg.raw(format_args!(
                "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"1.8\" fill=\"{COLOR}\"/>\n"
            )),
            _ => push_segment(&mut path, segment),
        }
    }
    if !path.is_empty() {
        svg.raw(format_args!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{COLOR}\" stroke-width=\"1.6\" \
             stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n"
        ));
    }
}

fn push_segment(path: &mut String, segment: &[Point]) {
    for (index, (x, y)) in segment.iter().flatten().enumerate() {
        let command = if index == 0 { 'M' } else { 'L' };
        // Writing to a `String` cannot fail.
        let _ = write!(path, "{command}{x:.2} {y:.2}");
    }
}

/// Keeps the first, lowest, highest and last point of every run of points in
/// one column of the page, which draws the same picture. Gaps narrower than a
/// column are dropped.
fn reduced(page: &[Point]) -> Vec<Point> {
    let mut out = Vec::new();
    let mut column: Vec<(f64, f64)> = Vec::new();
    let mut gap = false;
    for &point in page {
        let Some(point) = point else {
            gap = true;
            continue;
        };
        let moved = column
            .first()
            .is_some_and(|c| c.0.floor() != point.0.floor());
        if moved {
            push_column(&mut out, &column);
            column.clear();
            if gap {
                out.push(None);
            }
        }
        gap = false;
        column.push(point);
    }
    push_column(&mut out, &column);
    out
}

/// Appends the up to four points that represent a column, in their order.
fn push_column(out: &mut Vec<Point>, column: &[(f64, f64)]) {
    let by_height = |&i: &usize, &j: &usize| column[i].1.total_cmp(&column[j].1);
    let (Some(low), Some(high)) = (
        (0..column.len()).min_by(by_height),
        (0..column.len()).max_by(by_height),
    ) else {
        return;
    };
    let mut kept = [0, low, high, column.len() - 1];
    kept.sort_unstable();
    let mut previous = None;
    for index in kept {
        if previous.replace(index) != Some(index) {
            out.push(Some(column[index]));
        }
    }
}

/// Marks a peak, with its label on the side that has more room.
fn draw_peak(svg: &mut Svg, frame: &Frame, (x, y): (f64, f64), label: &str) {
    let (x, y) = (frame.page_x(x), frame.page_y(y));
    svg.raw(format_args!(
        "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"4\" fill=\"{PEAK_COLOR}\"/>\n"
    ));
    let (offset, anchor) = match x < frame.left + frame.width * 0.6 {
        true => (10.0, Anchor::Start),
        false => (-10.0, Anchor::End),
    };
    svg.text((x + offset, y + 4.5), 14.0, anchor, label);
}
