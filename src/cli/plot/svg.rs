//! A minimal writer of SVG elements.

use std::fmt::Write;

/// Width of a file's document, in user units.
pub(super) const WIDTH: f64 = 900.0;
/// Height of a file's document, in user units.
pub(super) const HEIGHT: f64 = 540.0;

/// Size and colours of a document.
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
        paper: "white",
        ink: "#222",
        grid: "#e4e4e4",
        axis: "#444",
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

/// Which point of a text its coordinates name.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// An SVG document under construction.
pub(super) struct Svg {
    out: String,
    style: Style,
}

impl Svg {
    /// A document of a file.
    pub(super) fn new(style: Style) -> Self {
        Self::opened(style, "", "")
    }

    /// A document of a page, which says in words what it shows. The `id` is the page's only one.
    pub(super) fn labelled(style: Style, id: &str, title: &str, description: &str) -> Self {
        let (id, title) = (escape(id), escape(title));
        let words = format!(
            "<title id=\"{id}-title\">{title}</title>\n<desc id=\"{id}-desc\">{}</desc>\n",
            escape(description)
        );
        let role = format!(" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\"");
        Self::opened(style, &role, &words)
    }

    fn opened(style: Style, attributes: &str, words: &str) -> Self {
        let Style {
            width,
            height,
            paper,
            ink,
            ..
        } = style;
        let mut svg = Self {
            out: String::new(),
            style,
        };
        svg.raw(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" fill=\"{ink}\"{attributes}>\n\
             {words}<rect width=\"{width}\" height=\"{height}\" fill=\"{paper}\"/>\n"
        ));
        svg
    }

    pub(super) fn style(&self) -> Style {
        self.style
    }

    /// Appends markup, which must be well formed.
    pub(super) fn raw(&mut self, markup: std::fmt::Arguments<'_>) {
        // Writing to a `String` cannot fail.
        let _ = self.out.write_fmt(markup);
    }

    /// A thin straight line.
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), color: &str) {
        self.raw(format_args!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{color}\"/>\n",
            from.0, from.1, to.0, to.1
        ));
    }

    /// An unfilled rectangle with a thin border.
    pub(super) fn border(&mut self, left: f64, top: f64, width: f64, height: f64) {
        let color = self.style.axis;
        self.raw(format_args!(
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             fill=\"none\" stroke=\"{color}\"/>\n"
        ));
    }

    /// Text at its base line. A halo keeps it legible over lines.
    pub(super) fn text(&mut self, at: (f64, f64), size: f64, anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let paper = self.style.paper;
        self.raw(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{size:.1}\" text-anchor=\"{anchor}\" \
             stroke=\"{paper}\" stroke-width=\"3\" stroke-linejoin=\"round\" \
             paint-order=\"stroke\">{}</text>\n",
            at.0,
            at.1,
            escape(text)
        ));
    }

    /// Centred text of at most `size`, made smaller and at last cut to fit
    /// into `room` units. No text, no element.
    pub(super) fn fitted(&mut self, at: (f64, f64), size: f64, room: f64, text: &str) {
        if text.is_empty() {
            return;
        }
        let (text, size) = fit(text, size, room);
        self.text(at, size, Anchor::Middle, &text);
    }

    /// Like [`Self::fitted`], reading upwards.
    pub(super) fn fitted_upwards(&mut self, at: (f64, f64), size: f64, room: f64, text: &str) {
        self.raw(format_args!(
            "<g transform=\"translate({:.1} {:.1}) rotate(-90)\">",
            at.0, at.1
        ));
        self.fitted((0.0, 0.0), size, room, text);
        self.raw(format_args!("</g>\n"));
    }

    /// The complete document.
    pub(super) fn finish(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }
}

/// The estimated width of `text`, in user units.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * ADVANCE
}

/// Shrinks, then cuts `text` to `room` units; returns it with its font size.
fn fit(text: &str, size: f64, room: f64) -> (String, f64) {
    const SMALLEST: f64 = 10.0;
    let width = text_width(text, size);
    if width <= room {
        return (text.to_owned(), size);
    }
    let shrunk = size * room / width;
    if shrunk >= SMALLEST {
        return (text.to_owned(), shrunk);
    }
    let most = (room / (SMALLEST * ADVANCE)) as usize;
    let mut cut: String = text.chars().take(most.saturating_sub(1)).collect();
    cut.push('…');
    (cut, SMALLEST)
}

/// Escapes text for XML; characters that XML forbids become U+FFFD.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
