//! One value a row, on either side of 1, for pages.

use super::axis::{log_ticks, range_of, Tick};
use super::canvas::Style;
use super::frame::{label_room, Frame, Labels};
use super::svg::Svg;

const ROW: f64 = 18.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 60.0;
const RIGHT: f64 = 16.0;

/// A row.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    pub label: String,
    /// Above 0.
    pub value: f64,
    /// Whether it falls short: drawn as an empty triangle.
    pub below: bool,
}

/// Rows of one value each over a logarithmic axis, with a line at 1. Values that are not
/// finite and above 0 leave their row empty.
#[derive(Clone, Debug)]
pub struct DotPlot<'a> {
    /// The page's only one.
    pub id: &'a str,
    /// For readers that do not see the plot.
    pub title: &'a str,
    pub description: &'a str,
    pub x_label: &'a str,
    pub dots: &'a [Dot],
}

impl DotPlot<'_> {
    /// Draws the plot as an SVG element.
    pub fn to_svg(&self) -> String {
        let rows = self.dots.len().max(1) as f64;
        let logs = || self.dots.iter().map(|dot| dot.value.log10());
        let (low, high) = range_of(logs()).unwrap_or((0.0, 0.0));
        // 1 is in the middle or to one side, never at an edge.
        let x = (low.min(-0.1) - 0.05, high.max(0.1) + 0.05);
        let x_ticks = log_ticks(x.0, x.1, 5.0);
        let y_ticks: Vec<Tick> = self
            .dots
            .iter()
            .enumerate()
            .map(|(i, dot)| Tick {
                at: i as f64 + 0.5,
                label: dot.label.clone(),
            })
            .collect();
        let style = Style::of_page(TOP + rows * ROW + BOTTOM);
        let left = label_room(&y_ticks);
        let frame = Frame {
            left,
            top: TOP,
            width: style.width - left - RIGHT,
            height: rows * ROW,
            x,
            y: (rows, 0.0),
        };
        let mut svg = Svg::labelled(style, self.id, self.title, self.description);
        frame.draw_grid(&mut svg, &x_ticks, &y_ticks);
        let labels = Labels {
            title: "",
            caption: "",
            x: self.x_label,
            y: "",
        };
        frame.draw_axes(&mut svg, &x_ticks, &y_ticks, &labels);
        let one = frame.page_x(0.0);
        svg.raw(format_args!(
            "<path d=\"M{one:.1} {:.1}V{:.1}\" stroke=\"{}\" stroke-width=\"1.6\"/>\n",
            frame.top,
            frame.bottom(),
            style.ink
        ));
        for (i, log) in logs().enumerate().filter(|(_, log)| log.is_finite()) {
            let (x, y) = (frame.page_x(log), frame.page_y(i as f64 + 0.5));
            svg.raw(format_args!(
                "<path d=\"M{one:.1} {y:.1}H{x:.1}\" stroke=\"{}\" stroke-width=\"1\"/>\n",
                style.axis
            ));
            match self.dots[i].below {
                false => svg.raw(format_args!(
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"var(--ours)\"/>\n"
                )),
                true => svg.raw(format_args!(
                    "<path d=\"M{:.1} {:.1}h10l-5 9z\" fill=\"{}\" stroke=\"var(--bad)\" \
                     stroke-width=\"1.8\"/>\n",
                    x - 5.0,
                    y - 4.0,
                    style.paper
                )),
            }
        }
        svg.finish()
    }
}
