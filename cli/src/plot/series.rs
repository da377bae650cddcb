//! Series of measurements over a length, for pages.

use std::fmt::Write;

use super::axis::{binary_ticks, linear_ticks};
use super::canvas::{text_width, Anchor, Canvas, Style};
use super::frame::{label_room, Frame, Labels};
use super::svg::Svg;

const HEIGHT: f64 = 320.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 62.0;
const RIGHT: f64 = 14.0;
/// Room for the vertical axis' label.
const LABEL: f64 = 24.0;
const LEGEND_SIZE: f64 = 13.0;

/// How a series is told from another: by form, and by colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mark {
    /// Discs on a line.
    Disc,
    /// Empty squares on a broken line.
    Square,
}

impl Mark {
    /// The style sheet's colour.
    fn color(self) -> &'static str {
        match self {
            Mark::Disc => "var(--ours)",
            Mark::Square => "var(--peer)",
        }
    }

    fn draw(self, svg: &mut Svg, (x, y): (f64, f64)) {
        let color = self.color();
        match self {
            Mark::Disc => svg.raw(format_args!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\" fill=\"{color}\"/>\n"
            )),
            Mark::Square => svg.raw(format_args!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"6\" height=\"6\" fill=\"{}\" \
                 stroke=\"{color}\" stroke-width=\"1.4\"/>\n",
                x - 3.0,
                y - 3.0,
                svg.style().paper
            )),
        }
    }

    fn line(self, svg: &mut Svg, path: &str) {
        let dashes = match self {
            Mark::Disc => "",
            Mark::Square => " stroke-dasharray=\"5 3\"",
        };
        svg.raw(format_args!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{dashes}/>\n",
            self.color()
        ));
    }
}

/// Points with a name.
#[derive(Clone, Debug)]
pub struct Series<'a> {
    pub name: &'a str,
    pub mark: Mark,
    /// Lengths, in order, and values from 0 on.
    pub points: Vec<(f64, f64)>,
}

/// Series over a logarithmic axis of lengths; the vertical axis begins at 0 and shows 1.
/// Points that are not finite are left out.
#[derive(Clone, Debug)]
pub struct SeriesPlot<'a> {
    /// The page's only one.
    pub id: &'a str,
    /// For readers that do not see the plot.
    pub title: &'a str,
    pub description: &'a str,
    pub x_label: &'a str,
    pub y_label: &'a str,
    pub series: Vec<Series<'a>>,
}

impl SeriesPlot<'_> {
    /// Draws the plot as an SVG element.
    pub fn to_svg(&self) -> String {
        let fine = |&&(x, y): &&(f64, f64)| x > 0.0 && x.is_finite() && y.is_finite();
        let all = || {
            self.series
                .iter()
                .flat_map(|s| s.points.iter())
                .filter(fine)
        };
        let (low, high) = all().fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), p| {
            (low.min(p.0.log2()), high.max(p.0.log2()))
        });
        let low = low.min(high);
        let most = all().fold(1.0, |most: f64, p| most.max(p.1)).min(1e300);
        let y_ticks = linear_ticks(0.0, most * 1.04, 6.0);
        let x = (low - 0.5, high + 0.5);
        let x_ticks = binary_ticks(x.0, x.1, 8.0);
        let style = Style::of_page(HEIGHT);
        let left = label_room(&y_ticks) + LABEL;
        let frame = Frame {
            left,
            top: TOP,
            width: style.width - left - RIGHT,
            height: HEIGHT - TOP - BOTTOM,
            x,
            y: (0.0, most * 1.04),
        };
        let mut svg = Svg::labelled(style, self.id, self.title, self.description);
        frame.draw_grid(&mut svg, &x_ticks, &y_ticks);
        let labels = Labels {
            title: "",
            caption: "",
            x: self.x_label,
            y: self.y_label,
        };
        frame.draw_axes(&mut svg, &x_ticks, &y_ticks, &labels);
        // The first series is the last to be drawn, on top.
        for series in self.series.iter().rev() {
            let page: Vec<(f64, f64)> = series
                .points
                .iter()
                .filter(fine)
                .map(|p| (frame.page_x(p.0.log2()), frame.page_y(p.1)))
                .collect();
            let mut path = String::new();
            for (i, (x, y)) in page.iter().enumerate() {
                // Writing to a `String` cannot fail.
                let _ = write!(path, "{}{x:.1} {y:.1}", if i == 0 { 'M' } else { 'L' });
            }
            if page.len() > 1 {
                series.mark.line(&mut svg, &path);
            }
            for &point in &page {
                series.mark.draw(&mut svg, point);
            }
        }
        self.draw_legend(&mut svg, &frame);
        svg.finish()
    }

    /// The names, above the frame.
    fn draw_legend(&self, svg: &mut Svg, frame: &Frame) {
        let (mut x, y) = (frame.left, frame.top - 14.0);
        for series in &self.series {
            series.mark.line(svg, &format!("M{x:.1} {y:.1}h24"));
            series.mark.draw(svg, (x + 12.0, y));
            svg.text((x + 30.0, y + 4.5), LEGEND_SIZE, Anchor::Start, series.name);
            x += 30.0 + text_width(series.name, LEGEND_SIZE) + 16.0;
        }
    }
}
