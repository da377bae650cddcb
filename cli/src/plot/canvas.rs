//! What plots are drawn on: an SVG document or pixels.

use super::PictureError;

/// A page's width of a plot that is a file, in units.
pub(super) const WIDTH: f64 = 900.0;
/// Its height.
pub(super) const HEIGHT: f64 = 540.0;

/// Size and colours of a page.
#[derive(Clone, Copy)]
pub(super) struct Style {
    pub(super) width: f64,
    pub(super) height: f64,
    /// Behind everything, and around text.
    pub(super) paper: &'static str,
    pub(super) ink: &'static str,
    pub(super) grid: &'static str,
    pub(super) axis: &'static str,
}

impl Style {
    /// A file of its own: black on white.
    pub(super) const FILE: Style = Style {
        width: WIDTH,
        height: HEIGHT,
        paper: "#ffffff",
        ink: "#222222",
        grid: "#e4e4e4",
        axis: "#444444",
    };

    /// A part of a page, whose style sheet has the colours. Narrow, so that text stays legible
    /// on a phone.
    pub(super) fn of_page(height: f64) -> Style {
        Style {
            width: 420.0,
            height,
            paper: "var(--paper)",
            ink: "var(--ink)",
            grid: "var(--grid)",
            axis: "var(--axis)",
        }
    }
}

/// Rough advance width of a character, as a fraction of the font size. SVG
/// gives no text metrics, so layout has to guess on the safe side.
const ADVANCE: f64 = 0.58;
/// Text is made no smaller than this to fit.
const SMALLEST: f64 = 10.0;

/// Which point of a text its coordinates name.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A text's place: where its base line begins, is in the middle, or ends.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) at: (f64, f64),
    pub(super) size: f64,
    pub(super) anchor: Anchor,
    /// Whether the text reads upwards instead of to the right.
    pub(super) upwards: bool,
}

/// A rectangle, by its left upper corner.
#[derive(Clone, Copy)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// An image of palette indices, row by row.
pub(super) struct Indexed<'a> {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) indices: &'a [u8],
    /// Red, green and blue of every index.
    pub(super) palette: &'a [[u8; 3]],
}

/// Something that lines, texts and images can be drawn on; colours are `#rrggbb` on pixels.
pub(super) trait Canvas {
    fn style(&self) -> Style;

    /// A thin line.
    fn line(&mut self, from: (f64, f64), to: (f64, f64), color: &str);

    /// An unfilled rectangle with a thin border.
    fn border(&mut self, area: Area);

    /// A thick line through the points, with gaps between the segments.
    fn curve(&mut self, segments: &[&[(f64, f64)]], color: &str);

    /// A filled circle.
    fn disc(&mut self, center: (f64, f64), radius: f64, color: &str);

    /// An image whose pixels stay sharp when they are enlarged.
    ///
    /// # Errors
    /// Where its pixels cannot be had or encoded.
    fn image(&mut self, area: Area, image: &Indexed<'_>) -> Result<(), PictureError>;

    /// Text. A halo keeps it legible over lines.
    fn place(&mut self, place: Place, text: &str);

    /// The width of a text, or a guess on the safe side.
    fn text_width(&self, text: &str, size: f64) -> f64 {
        text_width(text, size)
    }

    /// Text that reads to the right.
    fn text(&mut self, at: (f64, f64), size: f64, anchor: Anchor, text: &str) {
        let place = Place {
            at,
            size,
            anchor,
            upwards: false,
        };
        self.place(place, text);
    }

    /// Text in the middle of `place`, made smaller and at last cut to fit into `room` units. No
    /// text, no element.
    fn fitted(&mut self, place: Place, room: f64, text: &str) {
        if text.is_empty() {
            return;
        }
        let width = self.text_width(text, place.size);
        let size = (place.size * room / width).min(place.size);
        if size >= SMALLEST {
            return self.place(Place { size, ..place }, text);
        }
        let most = (room / (SMALLEST * ADVANCE)) as usize;
        let mut cut: String = text.chars().take(most.saturating_sub(1)).collect();
        if cut.chars().count() < text.chars().count() {
            cut.push('…');
        }
        let size = SMALLEST;
        self.place(Place { size, ..place }, &cut);
    }
}

/// The estimated width of `text`, in user units.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * ADVANCE
}
