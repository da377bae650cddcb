//! Tests of the plots of a page.

use super::*;

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
