//! A minimal writer of SVG elements.

use super::canvas::{Anchor, Area, Canvas, Indexed, Place, Style};
use super::PictureError;
use base64::prelude::{Engine, BASE64_STANDARD};
use std::fmt::Write;
use std::iter::repeat_n;

/// Images with fewer pixels a side are enlarged by whole factors to about as many, so that viewers
/// that smooth images (many ignore `image-rendering`) keep the pixels of small ones sharp.
const SHARP: usize = 1024;

/// An SVG document under construction.
pub(super) struct Svg {
    out: String,
    style: Style,
}

impl Svg {
    /// A document of a file.
    pub(super) fn new(style: Style) -> Self {
        // With a size, browsers do not stretch it over the window.
        let size = format!(" width=\"{}\" height=\"{}\"", style.width, style.height);
        Self::opened(style, &size, "")
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

    /// Appends markup, which must be well formed.
    pub(super) fn raw(&mut self, markup: std::fmt::Arguments<'_>) {
        // Writing to a `String` cannot fail.
        let _ = self.out.write_fmt(markup);
    }

    /// The complete document.
    pub(super) fn finish(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }
}

impl Canvas for Svg {
    fn style(&self) -> Style {
        self.style
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), color: &str) {
        self.raw(format_args!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{color}\"/>\n",
            from.0, from.1, to.0, to.1
        ));
    }

    fn border(&mut self, area: Area) {
        let color = self.style.axis;
        self.raw(format_args!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"none\" \
             stroke=\"{color}\"/>\n",
            area.left, area.top, area.width, area.height
        ));
    }

    fn curve(&mut self, segments: &[&[(f64, f64)]], color: &str) {
        let mut path = String::new();
        for segment in segments {
            for (index, (x, y)) in segment.iter().enumerate() {
                let command = if index == 0 { 'M' } else { 'L' };
                let _ = write!(path, "{command}{x:.2} {y:.2}");
            }
        }
        if path.is_empty() {
            return;
        }
        self.raw(format_args!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.6\" \
             stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n"
        ));
    }

    fn disc(&mut self, (x, y): (f64, f64), radius: f64, color: &str) {
        self.raw(format_args!(
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" fill=\"{color}\"/>\n"
        ));
    }

    fn image(&mut self, area: Area, image: &Indexed<'_>) -> Result<(), PictureError> {
        let file = file(image)?;
        self.raw(format_args!(
            "<image x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" \
             preserveAspectRatio=\"none\" style=\"image-rendering: optimizeSpeed; image-rendering: pixelated\" \
             href=\"data:image/png;base64,{}\"/>\n",
            area.left,
            area.top,
            area.width,
            area.height,
            BASE64_STANDARD.encode(file)
        ));
        Ok(())
    }

    fn place(&mut self, place: Place, text: &str) {
        let anchor = match place.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y) = place.at;
        let at = match place.upwards {
            true => format!("transform=\"translate({x:.1} {y:.1}) rotate(-90)\""),
            false => format!("x=\"{x:.1}\" y=\"{y:.1}\""),
        };
        let (size, paper) = (place.size, self.style.paper);
        self.raw(format_args!(
            "<text {at} font-size=\"{size:.1}\" text-anchor=\"{anchor}\" stroke=\"{paper}\" \
             stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\">{}</text>\n",
            escape(text)
        ));
    }
}

/// The image as an indexed PNG file.
fn file(image: &Indexed<'_>) -> Result<Vec<u8>, png::EncodingError> {
    let zoom = |pixels: usize| (SHARP / pixels).max(1);
    let (zoom_x, zoom_y) = (zoom(image.width), zoom(image.height));
    let mut indices = Vec::new();
    for row in image.indices.chunks(image.width) {
        let row: Vec<u8> = row.iter().flat_map(|&i| repeat_n(i, zoom_x)).collect();
        indices.extend(row.repeat(zoom_y));
    }
    let mut file = Vec::new();
    // Images are as large as the page is at most.
    let (width, height) = (image.width * zoom_x, image.height * zoom_y);
    let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(image.palette.as_flattened());
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&indices)?;
    writer.finish()?;
    Ok(file)
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
            c => out.push(printable(c)),
        }
    }
    out
}

/// The character itself, a blank, or U+FFFD for what XML forbids.
pub(super) fn printable(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' => ' ',
        '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}
