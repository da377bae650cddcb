//! The plotting area: where values lie on the page, and the axes around it.

use super::axis::Tick;
use super::canvas::{text_width, Anchor, Area, Canvas, Place, HEIGHT};

/// Font sizes, in user units.
pub(super) const TICK_SIZE: f64 = 13.0;
pub(super) const LABEL_SIZE: f64 = 15.0;
const TITLE_SIZE: f64 = 19.0;
const CAPTION_SIZE: f64 = 13.0;

/// A rectangle on the page and the values at its edges.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    /// Values at the left and at the right edge.
    pub(super) x: (f64, f64),
    /// Values at the lower and at the upper edge.
    pub(super) y: (f64, f64),
}

/// The texts around a frame.
pub(super) struct Labels<'a> {
    pub(super) title: &'a str,
    /// What else there is to say, below the title; may be empty.
    pub(super) caption: &'a str,
    pub(super) x: &'a str,
    pub(super) y: &'a str,
}

impl Frame {
    /// Free space above and below the frame.
    pub(super) const TOP: f64 = 52.0;
    pub(super) const BOTTOM: f64 = 72.0;
    /// Height of the frame.
    pub(super) const HEIGHT: f64 = HEIGHT - Self::TOP - Self::BOTTOM;

    /// Horizontal page coordinate of `x`, which is clamped to the frame.
    pub(super) fn page_x(&self, x: f64) -> f64 {
        self.left + fraction(x, self.x) * self.width
    }

    /// Vertical page coordinate of `y`, which is clamped to the frame.
    pub(super) fn page_y(&self, y: f64) -> f64 {
        self.top + (1.0 - fraction(y, self.y)) * self.height
    }

    pub(super) fn area(&self) -> Area {
        Area {
            left: self.left,
            top: self.top,
            width: self.width,
            height: self.height,
        }
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    pub(super) fn right(&self) -> f64 {
        self.left + self.width
    }

    /// Light lines across the frame at every tick.
    pub(super) fn draw_grid(&self, canvas: &mut dyn Canvas, x_ticks: &[Tick], y_ticks: &[Tick]) {
        let color = canvas.style().grid;
        for tick in x_ticks {
            let x = self.page_x(tick.at);
            canvas.line((x, self.top), (x, self.bottom()), color);
        }
        for tick in y_ticks {
            let y = self.page_y(tick.at);
            canvas.line((self.left, y), (self.right(), y), color);
        }
    }

    /// Border, tick marks, tick labels, axis labels and title.
    pub(super) fn draw_axes(
        &self,
        canvas: &mut dyn Canvas,
        x_ticks: &[Tick],
        y_ticks: &[Tick],
        labels: &Labels<'_>,
    ) {
        canvas.border(self.area());
        let color = canvas.style().axis;
        for tick in x_ticks {
            let (x, y) = (self.page_x(tick.at), self.bottom());
            canvas.line((x, y), (x, y + 5.0), color);
            canvas.text((x, y + 20.0), TICK_SIZE, Anchor::Middle, &tick.label);
        }
        for tick in y_ticks {
            let (x, y) = (self.left, self.page_y(tick.at));
            canvas.line((x - 5.0, y), (x, y), color);
            canvas.text((x - 9.0, y + 4.5), TICK_SIZE, Anchor::End, &tick.label);
        }
        self.draw_labels(canvas, y_ticks, labels);
    }

    fn draw_labels(&self, canvas: &mut dyn Canvas, y_ticks: &[Tick], labels: &Labels<'_>) {
        let (middle_x, middle_y) = (self.left + self.width / 2.0, self.top + self.height / 2.0);
        // What is above and below may be wider than the frame but not than the page.
        let style = canvas.style();
        let room = 2.0 * middle_x.min(style.width - middle_x) - 20.0;
        let centred = |at, size| Place {
            at,
            size,
            anchor: Anchor::Middle,
            upwards: false,
        };
        let title = match labels.caption.is_empty() {
            true => 33.0,
            false => 25.0,
        };
        canvas.fitted(centred((middle_x, title), TITLE_SIZE), room, labels.title);
        let caption = centred((middle_x, 44.0), CAPTION_SIZE);
        canvas.fitted(caption, room, labels.caption);
        let below = centred((middle_x, style.height - 20.0), LABEL_SIZE);
        canvas.fitted(below, room, labels.x);
        let beside = Place {
            upwards: true,
            ..centred(
                (self.left - label_room(y_ticks) - 8.0, middle_y),
                LABEL_SIZE,
            )
        };
        canvas.fitted(beside, self.height, labels.y);
    }
}

/// The space that tick marks and labels need left of a frame.
pub(super) fn label_room(ticks: &[Tick]) -> f64 {
    let widest = ticks
        .iter()
        .map(|tick| text_width(&tick.label, TICK_SIZE))
        .fold(0.0, f64::max);
    widest + 14.0
}

/// The left edge of a frame whose vertical axis has these ticks and a label.
pub(super) fn left_edge(y_ticks: &[Tick]) -> f64 {
    (label_room(y_ticks) + 32.0).max(70.0)
}

/// Where `value` lies between `from` (0) and `to` (1); clamped to the ends.
fn fraction(value: f64, (from, to): (f64, f64)) -> f64 {
    let fraction = (value - from) / (to - from);
    if fraction.is_nan() {
        return 0.5;
    }
    fraction.clamp(0.0, 1.0)
}
