//! Line plots.

use super::axis::{linear_ticks, range_of, three_digits, widened, Tick};
use super::canvas::{Anchor, Canvas, Place, WIDTH};
use super::frame::{left_edge, Frame, Labels};
use super::{Format, PictureError, Scale};

/// More points than this are reduced to four per column of the page.
const MOST_POINTS: usize = 4000;
/// A logarithmic axis shows at most this many decades below its top: what
/// lies lower in floating-point data is rounding noise.
const MOST_DECADES: f64 = 20.0;
/// The coordinate of zero on a logarithmic axis: finite, and below every axis.
const LOWEST: f64 = -1e6;
const RIGHT_MARGIN: f64 = 30.0;
const COLOR: &str = "#1f5fbf";
const PEAK_COLOR: &str = "#c8321e";

/// A plot of `y` over `x` as a line, 900 by 540 units large.
///
/// If the slices differ in length, the longer one is cut. Points with a
/// coordinate that is not finite are gaps in the line. On a logarithmic axis
/// zeros lie at its lower end, and negative values of `y` are gaps.
#[derive(Clone, Debug)]
pub struct LinePlot<'a> {
    /// Text above the plot.
    pub title: &'a str,
    /// Smaller text below the title; may be empty.
    pub caption: &'a str,
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
    /// The vertical axis.
    pub scale: Scale,
}

/// A point in axis coordinates; `None` is a gap.
type Point = Option<(f64, f64)>;

impl LinePlot<'_> {
    /// The plot as a file.
    ///
    /// # Errors
    /// Where the pixels of a PNG file cannot be had.
    pub fn to_file(&self, format: Format) -> Result<Vec<u8>, PictureError> {
        format.file(|canvas| {
            self.draw(canvas);
            Ok(())
        })
    }

    fn draw(&self, canvas: &mut dyn Canvas) {
        let points = self.points();
        let x = range_of(self.x.iter().copied()).unwrap_or((0.0, 1.0));
        let heights = points.iter().flatten().map(|p| p.1);
        let y = range_of(heights.filter(|&y| y > LOWEST || self.scale == Scale::Linear));
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

        frame.draw_grid(canvas, &x_ticks, &y_ticks);
        draw_line(canvas, &frame, &points);
        let labels = Labels {
            title: self.title,
            caption: self.caption,
            x: self.x_label,
            y: self.y_label,
        };
        frame.draw_axes(canvas, &x_ticks, &y_ticks, &labels);
        if let Some((x, y)) = peak(&points).filter(|_| self.annotate_peak) {
            draw_peak(canvas, &frame, (x, y), &self.peak_label(x));
        }
    }

    /// The points in axis coordinates: on a logarithmic axis, logarithms.
    fn points(&self) -> Vec<Point> {
        let vertical = |y: f64| match y == 0.0 && self.scale.decade().is_some() {
            true => LOWEST,
            false => self.scale.coordinate(y),
        };
        self.x
            .iter()
            .zip(self.y)
            .map(|(&x, &y)| (x, vertical(y)))
            .map(|(x, y)| (x.is_finite() && y.is_finite()).then_some((x, y)))
            .collect()
    }

    /// The range of the vertical axis (with room for the line) and its ticks.
    fn vertical_axis(&self, data: Option<(f64, f64)>) -> ((f64, f64), Vec<Tick>) {
        let range = match self.scale.decade() {
            Some(decade) => {
                let (low, high) = data.unwrap_or((-decade, 0.0));
                let low = low.max(high - MOST_DECADES * decade);
                let margin = ((high - low) * 0.06).max(0.1 * decade);
                (low - margin, high + margin)
            }
            None => linear_range(data),
        };
        (range, self.scale.ticks(range.0, range.1))
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

/// The range of an axis in proportion, with room for the line.
fn linear_range(data: Option<(f64, f64)>) -> (f64, f64) {
    let (low, high) = widened(data.unwrap_or((0.0, 1.0)));
    let margin = (high - low) * 0.06;
    // Magnitudes stand on the axis instead of floating above it.
    match data.is_some_and(|(least, _)| least >= 0.0) && low <= margin * 4.0 {
        true => (0.0, high + margin),
        false => (low - margin, high + margin),
    }
}

/// The largest local maximum after the first point; what is beside a gap on the left is none.
fn peak(points: &[Point]) -> Option<(f64, f64)> {
    let height = |index: usize, none: f64| match points.get(index) {
        Some(&Some((_, y))) => y,
        _ => none,
    };
    let of = |index| height(index, f64::NEG_INFINITY);
    (1..points.len())
        .filter(|&i| of(i) > height(i - 1, f64::INFINITY) && of(i) >= of(i + 1))
        .max_by(|&i, &j| of(i).total_cmp(&of(j)).then(j.cmp(&i)))
        .and_then(|i| points[i])
}

/// Draws the line on the page, reduced if there are very many points.
fn draw_line(canvas: &mut dyn Canvas, frame: &Frame, points: &[Point]) {
    let page: Vec<Point> = points
        .iter()
        .map(|point| point.map(|(x, y)| (frame.page_x(x), frame.page_y(y))))
        .collect();
    let page = match page.len() > MOST_POINTS {
        true => reduced(&page),
        false => page,
    };
    let segments = page.split(Option::is_none).filter(|s| !s.is_empty());
    let segments: Vec<Vec<(f64, f64)>> = segments
        .map(|segment| segment.iter().flatten().copied().collect())
        .collect();
    let lines: Vec<&[(f64, f64)]> = segments
        .iter()
        .map(Vec::as_slice)
        .filter(|segment| segment.len() > 1)
        .collect();
    canvas.curve(&lines, COLOR);
    for segment in segments.iter().filter(|segment| segment.len() == 1) {
        canvas.disc(segment[0], 1.8, COLOR);
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
fn draw_peak(canvas: &mut dyn Canvas, frame: &Frame, (x, y): (f64, f64), label: &str) {
    let (x, y) = (frame.page_x(x), frame.page_y(y));
    canvas.disc((x, y), 4.0, PEAK_COLOR);
    let (at, anchor, room) = match x < frame.left + frame.width * 0.6 {
        true => (x + 10.0, Anchor::Start, frame.right() - x),
        false => (x - 10.0, Anchor::End, x - frame.left),
    };
    let place = Place {
        at: (at, y + 4.5),
        size: 14.0,
        anchor,
        upwards: false,
    };
    canvas.fitted(place, room - 20.0, label);
}
