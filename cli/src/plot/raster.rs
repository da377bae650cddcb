//! Pixels to draw on, and the PNG file that they make.

use super::canvas::{Anchor, Area, Canvas, Indexed, Place, Style};
use super::svg::printable;
use tiny_skia::{
    Color, FillRule, FilterQuality, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap,
    PixmapPaint, PremultipliedColorU8, Stroke, Transform,
};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// Pixels of a unit, each way.
const SCALE: f64 = 2.0;
/// DejaVu Sans, whose licence is beside it.
static FONT: &[u8] = include_bytes!("font/DejaVuSans.ttf");

/// Why a picture in pixels cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// There is no memory for the pixels.
    #[error("no memory for a picture of {0} by {1} pixels")]
    Pixels(u32, u32),
    /// The font that is built in is damaged.
    #[error("the built-in font cannot be read: {0}")]
    Font(#[from] ttf_parser::FaceParsingError),
    /// The pixels cannot be encoded.
    #[error("the picture cannot be encoded: {0}")]
    Encoding(#[from] png::EncodingError),
}

/// A picture under construction.
pub(super) struct Raster {
    pixels: Pixmap,
    style: Style,
    face: Face<'static>,
}

impl Raster {
    /// An empty page.
    pub(super) fn new(style: Style) -> Result<Self, PictureError> {
        let [width, height] = [style.width, style.height].map(|side| (side * SCALE) as u32);
        let pixels = Pixmap::new(width, height).ok_or(PictureError::Pixels(width, height))?;
        let mut raster = Self {
            pixels,
            style,
            face: Face::parse(FONT, 0)?,
        };
        raster.pixels.fill(color(style.paper));
        Ok(raster)
    }

    /// The complete PNG file.
    pub(super) fn finish(self) -> Result<Vec<u8>, PictureError> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.pixels.width(), self.pixels.height());
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        // The page is opaque, so that colours are not multiplied by less than one.
        let pixels = self.pixels.pixels().iter();
        let bytes: Vec<u8> = pixels
            .flat_map(|p| [p.red(), p.green(), p.blue()])
            .collect();
        writer.write_image_data(&bytes)?;
        writer.finish()?;
        Ok(file)
    }

    fn stroke(&mut self, path: Option<Path>, width: f64, name: &str, at: Transform) {
        let stroke = Stroke {
            width: width as f32,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        if let Some(path) = path {
            self.pixels
                .stroke_path(&path, &paint(name), &stroke, at, None);
        }
    }

    fn fill(&mut self, path: Option<Path>, name: &str, at: Transform) {
        if let Some(path) = path {
            let rule = FillRule::Winding;
            self.pixels.fill_path(&path, &paint(name), rule, at, None);
        }
    }

    /// A text's characters as glyphs; what the font has not is a box.
    fn glyphs(&self, text: &str) -> Vec<GlyphId> {
        let glyph = |c| self.face.glyph_index(printable(c)).unwrap_or_default();
        text.chars().map(glyph).collect()
    }

    /// A glyph's advance, in units of the font.
    fn advance(&self, glyph: GlyphId) -> f32 {
        self.face.glyph_hor_advance(glyph).map_or(0.0, f32::from)
    }

    /// The factor from units of the font to units of the page.
    fn font_scale(&self, size: f64) -> f32 {
        size as f32 / f32::from(self.face.units_per_em())
    }
}

impl Canvas for Raster {
    fn style(&self) -> Style {
        self.style
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), color: &str) {
        let mut path = PathBuilder::new();
        let [(x, y), (to_x, to_y)] = [from, to].map(on_pixels);
        path.move_to(x, y);
        path.line_to(to_x, to_y);
        self.stroke(path.finish(), 1.0, color, page());
    }

    fn border(&mut self, area: Area) {
        let (left, top) = (area.left, area.top);
        let (right, bottom) = (left + area.width, top + area.height);
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        let mut path = PathBuilder::new();
        for (i, (x, y)) in corners.map(on_pixels).into_iter().enumerate() {
            match i {
                0 => path.move_to(x, y),
                _ => path.line_to(x, y),
            }
        }
        path.close();
        self.stroke(path.finish(), 1.0, self.style.axis, page());
    }

    fn curve(&mut self, segments: &[&[(f64, f64)]], color: &str) {
        let mut path = PathBuilder::new();
        for segment in segments {
            for (index, &(x, y)) in segment.iter().enumerate() {
                match index {
                    0 => path.move_to(x as f32, y as f32),
                    _ => path.line_to(x as f32, y as f32),
                }
            }
        }
        self.stroke(path.finish(), 1.6, color, page());
    }

    fn disc(&mut self, (x, y): (f64, f64), radius: f64, color: &str) {
        let circle = PathBuilder::from_circle(x as f32, y as f32, radius as f32);
        self.fill(circle, color, page());
    }

    fn image(&mut self, area: Area, image: &Indexed<'_>) -> Result<(), PictureError> {
        // Images are as large as the page is at most.
        let (width, height) = (image.width as u32, image.height as u32);
        let pixels = Pixmap::new(width, height);
        let mut pixels = pixels.ok_or(PictureError::Pixels(width, height))?;
        for (pixel, &index) in pixels.pixels_mut().iter_mut().zip(image.indices) {
            let [red, green, blue] = image.palette[usize::from(index)];
            if let Some(color) = PremultipliedColorU8::from_rgba(red, green, blue, 255) {
                *pixel = color;
            }
        }
        let paint = PixmapPaint {
            quality: FilterQuality::Nearest,
            ..PixmapPaint::default()
        };
        let factor = |to: f64, from: usize| (to / from as f64) as f32;
        let at = page()
            .pre_translate(area.left as f32, area.top as f32)
            .pre_scale(
                factor(area.width, image.width),
                factor(area.height, image.height),
            );
        self.pixels
            .draw_pixmap(0, 0, pixels.as_ref(), &paint, at, None);
        Ok(())
    }

    fn place(&mut self, place: Place, text: &str) {
        let scale = self.font_scale(place.size);
        let width = self.text_width(text, place.size) as f32;
        let offset = match place.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -width / 2.0,
            Anchor::End => -width,
        };
        let turn = if place.upwards { -90.0 } else { 0.0 };
        let at = page()
            .pre_translate(place.at.0 as f32, place.at.1 as f32)
            .pre_rotate(turn)
            .pre_translate(offset, 0.0)
            // The font's second axis points upwards.
            .pre_scale(scale, -scale);
        let mut outline = Outline::default();
        for glyph in self.glyphs(text) {
            self.face.outline_glyph(glyph, &mut outline);
            outline.x += self.advance(glyph);
        }
        let path = outline.path.finish();
        let (paper, ink) = (self.style.paper, self.style.ink);
        self.stroke(path.clone(), 3.0 / f64::from(scale), paper, at);
        self.fill(path, ink, at);
    }

    fn text_width(&self, text: &str, size: f64) -> f64 {
        let glyphs = self.glyphs(text).into_iter();
        let width: f32 = glyphs.map(|glyph| self.advance(glyph)).sum();
        f64::from(width * self.font_scale(size))
    }
}

/// Glyphs side by side, in units of the font.
#[derive(Default)]
struct Outline {
    path: PathBuilder,
    /// Where the next glyph begins.
    x: f32,
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.x + x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.x + x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.path.quad_to(self.x + x1, y1, self.x + x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let own = self.x;
        self.path.cubic_to(own + x1, y1, own + x2, y2, own + x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

/// From units of the page to pixels.
fn page() -> Transform {
    Transform::from_scale(SCALE as f32, SCALE as f32)
}

/// A point moved so that a thin line through it covers whole pixels.
fn on_pixels((x, y): (f64, f64)) -> (f32, f32) {
    let whole = |value: f64| ((value * SCALE).round() / SCALE) as f32;
    (whole(x), whole(y))
}

fn paint(name: &str) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(color(name));
    paint.anti_alias = true;
    paint
}

/// The colour `#rrggbb`; black for what is none.
fn color(name: &str) -> Color {
    let code = name.strip_prefix('#').unwrap_or_default();
    let code = u32::from_str_radix(code, 16).unwrap_or_default();
    let [_, red, green, blue] = code.to_be_bytes();
    Color::from_rgba8(red, green, blue, 255)
}
