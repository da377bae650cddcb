//! Tests of the plots: every document must be well formed and finite.

use super::axis::{linear_ticks, log_ticks, three_digits};
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
        x_label: "frequency",
        y_label: "power",
        x,
        y,
        annotate_peak: true,
        x_as_period: Some(""),
        log_y: false,
    }
}

fn image(width: usize, height: usize, values: &[f64]) -> ImagePlot<'_> {
    ImagePlot {
        title: "Title",
        x_label: "x",
        y_label: "y",
        width,
        height,
        values,
        x_range: (-0.5, 0.5),
        y_range: (-0.5, 0.5),
    }
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
    let svg = line(&x, &y).to_svg();
    check(&svg);
    assert!(texts(&svg).contains(&String::from("0.0906 (period 11.0)")));

    let years = LinePlot {
        x_as_period: Some("years"),
        ..line(&x, &y)
    }
    .to_svg();
    assert!(texts(&years).contains(&String::from("0.0906 (period 11.0 years)")));
    let plain = LinePlot {
        x_as_period: None,
        ..line(&x, &y)
    }
    .to_svg();
    assert!(texts(&plain).contains(&String::from("0.0906")));
    let none = LinePlot {
        annotate_peak: false,
        ..line(&x, &y)
    }
    .to_svg();
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
    .to_svg();
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
    let svg = line(&x, &y).to_svg();
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
            for log_y in [false, true] {
                check(
                    &LinePlot {
                        log_y,
                        ..line(x, y)
                    }
                    .to_svg(),
                );
            }
        }
    }
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
    let svg = plot.to_svg();
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
        .to_svg(),
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
        check(&image(width, height, values).to_svg());
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
                .to_svg(),
            );
        }
    }
}

#[test]
fn images_are_downsampled_by_their_maximum() {
    let (width, height) = (3000, 1500);
    let mut values = vec![1e-3; width * height];
    values[700 * width + 1234] = 10.0;
    let svg = image(width, height, &values).to_svg();
    check(&svg);
    let (pixels, info) = decode(&svg);
    assert_eq!((info.width, info.height), (1024, 1024));
    let (x, y) = (1234 * 1024 / width, 700 * 1024 / height);
    let bright: Vec<usize> = (0..pixels.len()).filter(|&i| pixels[i] == 254).collect();
    assert_eq!(bright, [y * 1024 + x]);
}

#[test]
fn pixels_map_to_levels() {
    let values = [1.0, 1e-4, 1e-8, 1e-12, 0.0, f64::NAN];
    let (pixels, info) = decode(&image(6, 1, &values).to_svg());
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

/// Plots of a page, with names and values as they come.
fn of_page(name: &str, values: &[f64]) -> [String; 2] {
    let points = |scale: f64| {
        let lengths = (0..).map(|i| f64::from(2 << i));
        lengths.zip(values.iter().map(|v| v * scale)).collect()
    };
    let series = |name, mark, scale| Series {
        name,
        mark,
        points: points(scale),
    };
    let dots: Vec<Dot> = values
        .iter()
        .enumerate()
        .map(|(i, &value)| Dot {
            label: format!("{name} {i}"),
            value,
            below: i % 2 == 0,
        })
        .collect();
    [
        SeriesPlot {
            id: "a",
            title: name,
            description: "all",
            x_label: "points",
            y_label: "of copy",
            series: vec![
                series("ours", Mark::Disc, 1.0),
                series(name, Mark::Square, 0.5),
            ],
        }
        .to_svg(),
        DotPlot {
            id: "b",
            title: name,
            description: "all",
            x_label: "ratio",
            dots: &dots,
        }
        .to_svg(),
    ]
}

#[test]
fn plots_of_a_page_say_what_they_show() {
    let [series, dots] = of_page("a < b", &[0.9, 0.5, 1.25]);
    for svg in [&series, &dots] {
        check(svg);
        let document = roxmltree::Document::parse(svg).expect("XML");
        let root = document.root_element();
        assert_eq!(root.attribute("role"), Some("img"));
        let labels = root.attribute("aria-labelledby").expect("labels");
        for (id, name) in labels.split(' ').zip(["title", "desc"]) {
            let words = document
                .descendants()
                .find(|n| n.attribute("id") == Some(id));
            assert!(words.is_some_and(|n| n.has_tag_name(name) && n.text().is_some()));
        }
        // Coloured by the page alone.
        assert!(!svg.contains('#'), "{svg}");
    }
    // Ours is discs on a line, the peer's empty squares on a broken one; each is in the legend.
    assert_eq!(series.matches("<circle").count(), 4);
    assert_eq!(series.matches("width=\"6\"").count(), 4);
    assert_eq!(series.matches("stroke-dasharray").count(), 2);
    assert!(texts(&series).contains(&String::from("a < b")));
    // Short is a triangle.
    assert_eq!(
        (
            dots.matches("<circle").count(),
            dots.matches("l-5 9z").count()
        ),
        (1, 2)
    );
    assert!(texts(&dots).contains(&String::from("a < b 2")));
}

#[test]
fn degenerate_plots_of_a_page() {
    for values in [
        &[][..],
        &[1.0],
        &[f64::NAN; 3],
        &[0.0, -1.0, f64::INFINITY, 2.0],
        &[f64::MAX, 5e-324],
    ] {
        of_page("x\u{1}", values).iter().for_each(|svg| check(svg));
    }
}
