//! Tests of the plots: every document must be well formed and finite.

mod page;
mod pixels;

use super::axis::{linear_ticks, log_ticks};
use super::*;

/// Checks that a document is well-formed XML without odd numbers in it.
fn check(svg: &str) {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|e| panic!("{e}:\n{svg}"));
    assert_eq!(document.root_element().tag_name().name(), "svg");
    for node in document.descendants() {
        for attribute in node.attributes().filter(|a| a.name() != "href") {
            let value = attribute.value();
            assert!(!value.contains("NaN") && !value.contains("inf"), "{value}");
        }
    }
}

/// The contents of all `<text>` elements.
fn texts(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let nodes = document.descendants().filter(|n| n.has_tag_name("text"));
    nodes.filter_map(|n| n.text().map(String::from)).collect()
}

fn line<'a>(x: &'a [f64], y: &'a [f64]) -> LinePlot<'a> {
    LinePlot {
        title: "Title",
        caption: "Caption",
        x_label: "frequency",
        y_label: "power",
        x,
        y,
        annotate_peak: true,
        x_as_period: Some(""),
        scale: Scale::Linear,
    }
}

fn image(width: usize, height: usize, values: &[f64]) -> ImagePlot<'_> {
    ImagePlot {
        title: "Title",
        caption: "Caption",
        x_label: "x",
        y_label: "y",
        width,
        height,
        values,
        x_range: (-0.5, 0.5),
        y_range: (-0.5, 0.5),
        scale: Scale::Log,
        bar_label: "magnitude",
    }
}

impl LinePlot<'_> {
    fn svg(&self) -> String {
        text_of(self.to_file(Format::Svg))
    }
}

impl ImagePlot<'_> {
    fn svg(&self) -> String {
        text_of(self.to_file(Format::Svg))
    }
}

fn text_of(file: Result<Vec<u8>, PictureError>) -> String {
    String::from_utf8(file.expect("a document")).expect("text")
}

fn labels(low: f64, high: f64) -> Vec<String> {
    let ticks = linear_ticks(low, high, 7.0);
    ticks.into_iter().map(|tick| tick.label).collect()
}

#[test]
fn linear_ticks_are_round() {
    assert_eq!(labels(0.0, 0.5), ["0", "0.1", "0.2", "0.3", "0.4", "0.5"]);
    assert_eq!(labels(-1.0, 1.0), ["−1.0", "−0.5", "0", "0.5", "1.0"]);
    assert_eq!(labels(3.0, 99.0), ["20", "40", "60", "80"]);
    assert_eq!(labels(0.0, 1e-5).last().unwrap(), "1.0×10⁻⁵");
    assert_eq!(
        labels(0.0, 3e7),
        [
            "0",
            "0.5×10⁷",
            "1.0×10⁷",
            "1.5×10⁷",
            "2.0×10⁷",
            "2.5×10⁷",
            "3.0×10⁷"
        ]
    );
    for tick in linear_ticks(-17.3, 29.1, 7.0) {
        assert!((-17.3..=29.1).contains(&tick.at) && tick.at % 10.0 == 0.0);
    }
}

#[test]
fn log_ticks_are_decades() {
    let labels = |low, high| -> Vec<String> {
        log_ticks(low, high, 8.0)
            .into_iter()
            .map(|t| t.label)
            .collect()
    };
    assert_eq!(labels(-2.1, 1.0), ["10⁻²", "10⁻¹", "10⁰", "10¹"]);
    assert_eq!(labels(3.5, 5.0), ["5×10³", "10⁴", "2×10⁴", "5×10⁴", "10⁵"]);
    assert_eq!(labels(-16.0, 0.0).len(), 9);
    assert!(labels(0.1, 0.6).len() >= 3);
    assert!(labels(-320.0, 300.0).len() <= 9);
}

#[test]
fn annotations_have_three_digits() {
    for (value, text) in [
        (0.090_61, "0.0906"),
        (11.04, "11.0"),
        (123.4, "123"),
        (12_345.0, "12345"),
        (-0.5, "−0.500"),
        (1.234e-7, "1.23×10⁻⁷"),
        (0.0, "0"),
    ] {
        assert_eq!(three_digits(value), text);
    }
}

#[test]
fn the_peak_is_marked() {
    let x: Vec<f64> = (0..100).map(|i| f64::from(i) * 0.0906 / 20.0).collect();
    let mut y: Vec<f64> = x.iter().map(|x| 1.0 / (1.0 + x)).collect();
    y[0] = 100.0;
    y[20] = 7.0;
    y[30] = f64::NAN;
    let svg = line(&x, &y).svg();
    check(&svg);
    assert!(texts(&svg).contains(&String::from("0.0906 (period 11.0)")));

    let years = LinePlot {
        x_as_period: Some("years"),
        ..line(&x, &y)
    }
    .svg();
    assert!(texts(&years).contains(&String::from("0.0906 (period 11.0 years)")));
    let plain = LinePlot {
        x_as_period: None,
        ..line(&x, &y)
    }
    .svg();
    assert!(texts(&plain).contains(&String::from("0.0906")));
    let none = LinePlot {
        annotate_peak: false,
        ..line(&x, &y)
    }
    .svg();
    assert!(!none.contains("<circle"));
}

#[test]
fn gaps_split_the_line() {
    let y = [1.0, 2.0, f64::NAN, 3.0, 1.0, f64::INFINITY, 2.0];
    let x: Vec<f64> = (0..7).map(f64::from).collect();
    let svg = LinePlot {
        annotate_peak: false,
        ..line(&x, &y)
    }
    .svg();
    check(&svg);
    let path = &svg[svg.find(" d=\"").unwrap()..];
    let path = &path[..path.find(" fill").unwrap()];
    assert_eq!(path.matches('M').count(), 2);
    assert_eq!(svg.matches("<circle").count(), 1);
}

#[test]
fn many_points_are_reduced_without_losing_extremes() {
    let x: Vec<f64> = (0..1_000_000).map(f64::from).collect();
    let mut y = vec![0.0; x.len()];
    y[654_321] = 1.0;
    y[700_000] = f64::NAN;
    let svg = line(&x, &y).svg();
    check(&svg);
    assert!(svg.len() < 200_000, "{}", svg.len());
    let peak_line = svg.lines().find(|l| l.starts_with("<circle")).unwrap();
    let cy = peak_line.split('"').nth(3).unwrap();
    let path = svg.lines().find(|l| l.starts_with("<path")).unwrap();
    assert!(path.contains(&format!(" {cy}L")));
}

#[test]
fn degenerate_lines() {
    let huge = [f64::MAX, -f64::MAX, f64::MIN_POSITIVE, 5e-324, 0.0, -0.0];
    let close = [1e16, 1e16 + 2.0, 1e16 + 4.0];
    let tiny = [0.0, 5e-324, 1e-310];
    let nan = [f64::NAN; 3];
    let cases: [&[f64]; 10] = [
        &[],
        &[1.0],
        &[0.0],
        &[-3.0; 9],
        &[0.0; 5],
        &nan,
        &huge,
        &close,
        &tiny,
        &[f64::INFINITY, 1.0],
    ];
    for y in cases {
        for x in cases {
            for scale in [Scale::Linear, Scale::Log, Scale::Db] {
                check(
                    &LinePlot {
                        scale,
                        ..line(x, y)
                    }
                    .svg(),
                );
            }
        }
    }
}

/// Magnitudes of 1, 0.1 and 0 are at 0 dB, at −20 dB and at the bottom.
#[test]
fn decibels() {
    let plot = LinePlot {
        scale: Scale::Db,
        ..line(&[0.0, 1.0, 2.0], &[1.0, 0.1, 0.0])
    };
    let svg = plot.svg();
    check(&svg);
    assert!(texts(&svg).iter().any(|t| t == "−20") && texts(&svg).iter().any(|t| t == "0"));
    let path = &svg[svg.find(" d=\"").expect("a line")..];
    let path = &path[..path.find(" fill").expect("its end")];
    let heights: Vec<f64> = path
        .split(['M', 'L', '"'])
        .filter_map(|point| point.split_once(' ')?.1.parse().ok())
        .collect();
    assert!(heights[0] < heights[1] && heights[1] < heights[2]);
    assert_eq!(heights[2], 468.0);
}

#[test]
fn text_is_escaped_and_fitted() {
    let long = "<&>\"'\u{1}\u{ffff}\n".repeat(100);
    let plot = LinePlot {
        title: &long,
        x_label: "a < b & c",
        y_label: "\0",
        ..line(&[1.0], &[1.0])
    };
    let svg = plot.svg();
    check(&svg);
    let texts = texts(&svg);
    assert!(texts.contains(&String::from("a < b & c")));
    assert!(texts
        .iter()
        .any(|t| t.ends_with('…') && t.chars().count() < 200));
    check(
        &ImagePlot {
            title: &long,
            ..image(1, 1, &[1.0])
        }
        .svg(),
    );
}

#[test]
fn degenerate_images() {
    let odd = [f64::NAN, f64::INFINITY, 0.0, -1.0, 5e-324, f64::MAX];
    for (width, height, values) in [
        (0, 0, &[][..]),
        (0, 5, &[1.0]),
        (1, 1, &[1.0]),
        (1, 1, &[0.0]),
        (2, 2, &[3.0; 4]),
        (2, 3, &[f64::NAN; 6]),
        (3, 2, &odd),
        (2, 2, &[1.0; 3]),
        (2, 2, &[1.0; 9]),
        (usize::MAX, usize::MAX, &odd),
    ] {
        check(&image(width, height, values).svg());
        for range in [
            (0.0, 0.0),
            (f64::NAN, 1.0),
            (f64::MIN, f64::MAX),
            (5.0, -5.0),
            (0.0, 1e-320),
        ] {
            check(
                &ImagePlot {
                    x_range: range,
                    y_range: range,
                    ..image(width, height, values)
                }
                .svg(),
            );
        }
    }
}

#[test]
fn images_are_downsampled_by_their_maximum() {
    let (width, height) = (3000, 1500);
    let mut values = vec![1e-3; width * height];
    values[700 * width + 1234] = 10.0;
    let svg = image(width, height, &values).svg();
    check(&svg);
    let (pixels, info) = decode(&svg);
    assert_eq!((info.width, info.height), (1280, 832));
    let (x, y) = (1234 * 1280 / width, 700 * 832 / height);
    let bright: Vec<usize> = (0..pixels.len()).filter(|&i| pixels[i] == 254).collect();
    assert_eq!(bright, [y * 1280 + x]);
}

#[test]
fn pixels_map_to_levels() {
    let values = [1.0, 1e-4, 1e-8, 1e-12, 0.0, f64::NAN];
    let (pixels, info) = decode(&image(6, 1, &values).svg());
    // Small images are enlarged by whole factors: 1024 / 6 and 1024 / 1.
    assert_eq!((info.width, info.height), (6 * 170, 1024));
    for row in pixels.chunks(6 * 170) {
        let expected = [254, 127, 0, 0, 0, 255].map(|level| [level; 170]);
        assert_eq!(row, expected.concat());
    }
}

/// The palette indices of the embedded image.
fn decode(svg: &str) -> (Vec<u8>, png::OutputInfo) {
    use base64::prelude::{Engine, BASE64_STANDARD};
    let start = svg.find("base64,").unwrap() + 7;
    let end = start + svg[start..].find('"').unwrap();
    let file = BASE64_STANDARD.decode(&svg[start..end]).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(file))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (pixels, info)
}
