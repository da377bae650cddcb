//! One self-contained HTML page: no scripts, nothing loaded, well-formed as XML too.
//!
//! Everything that comes from a file is escaped, in the SVG module's way.

use super::{tables, Section};
use mmafft_cli::bench::summary::{below, groups, label, Group, BAR};
use mmafft_cli::plot::{escape, Dot, DotPlot, Mark, Series, SeriesPlot};
use mmafft_cli::rows::Row;
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");

/// The page of these sections; `notes` are what each file says of itself.
pub fn page(sections: &[Section], notes: &[(String, Vec<String>)]) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>mmafft: measured speed</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>mmafft: measured speed</h1>\n</header>\n<main>\n"
    );
    introduction(&mut out, notes);
    for (number, section) in sections.iter().enumerate() {
        device(&mut out, number, section);
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn introduction(out: &mut String, notes: &[(String, Vec<String>)]) {
    let _ = write!(
        out,
        "<p>Times are medians of repetitions taken in turn, with the least and the most beside them; \
         the ratio is the peer's time over ours, so that above 1 mmafft is faster. “Of copy” is the \
         data once read and once written in that time, over what a copy moves: 1 is a transform \
         as fast as copying.</p>\n<p>{}</p>\n<ul>\n",
        escape(BAR)
    );
    for (file, lines) in notes {
        let _ = write!(out, "<li><code>{}</code>", escape(file));
        for line in lines {
            let _ = write!(out, "<br/><code>{}</code>", escape(line));
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ul>\n");
}

fn device(out: &mut String, number: usize, section: &Section) {
    let all = groups(&section.rows);
    let mut classes: Vec<&str> = all.iter().map(|group| group.class).collect();
    classes.dedup();
    let id = |at: usize| format!("class-{number}-{at}");
    let name = escape(&tables::words(section));
    let _ = write!(
        out,
        "<section aria-labelledby=\"device-{number}\">\n<h2 id=\"device-{number}\">{name}</h2>\n\
         <nav aria-label=\"Classes\"><ul>"
    );
    for (at, class) in classes.iter().enumerate() {
        let _ = write!(
            out,
            "<li><a href=\"#{}\">{}</a></li>",
            id(at),
            escape(class)
        );
    }
    out.push_str("</ul></nav>\n");
    out.push_str(&tables::summary(section, &all));
    for (at, class) in classes.iter().enumerate() {
        let of: Vec<&Group<'_>> = all.iter().filter(|group| group.class == *class).collect();
        let _ = writeln!(out, "<h3 id=\"{}\">{}</h3>", id(at), escape(class));
        plots(out, &id(at), section, &of);
        out.push_str(&tables::cases(section, class, &of));
    }
    out.push_str("</section>\n");
}

/// Two plots a precision: those of one sort beside each other, as they are of one height.
fn plots(out: &mut String, id: &str, section: &Section, groups: &[&Group<'_>]) {
    let (mut copies, mut beside) = (String::new(), String::new());
    for group in groups {
        let id = format!("{id}-{}", group.precision);
        // What a launch takes says nothing of what is moved.
        if !group.rows.iter().any(|row| row.launch_bound()) {
            copies.push_str(&fractions(&id, section, group).unwrap_or_default());
        }
        beside.push_str(&ratios(&id, section, group).unwrap_or_default());
    }
    for figures in [copies, beside]
        .iter()
        .filter(|figures| !figures.is_empty())
    {
        let _ = write!(out, "<div class=\"plots\">\n{figures}</div>\n");
    }
}

fn figure(caption: &str, svg: &str) -> String {
    format!(
        "<figure>\n<figcaption>{}</figcaption>\n{svg}</figure>\n",
        escape(caption)
    )
}

/// Fractions of a copy over the length; `None` without any.
fn fractions(id: &str, section: &Section, group: &Group<'_>) -> Option<String> {
    let points = |figure: &dyn Fn(&Row) -> Option<f64>| {
        let rows = group.rows.iter();
        let all: Vec<(f64, f64)> = rows
            .filter_map(|row| Some((row.points(), figure(row)?)))
            .collect();
        all
    };
    let ours = group.fractions[0].as_ref()?;
    let mut series = vec![Series {
        name: "mmafft",
        mark: Mark::Disc,
        points: points(&|row| row.fraction),
    }];
    let mut description = format!(
        "mmafft is between {:.2} at {} and {:.2} at {}",
        ours.least.0, ours.least.1, ours.most.0, ours.most.1
    );
    if let Some(peer) = &group.fractions[1] {
        series.push(Series {
            name: &section.peer,
            mark: Mark::Square,
            points: points(&|row| row.peer_fraction),
        });
        let _ = write!(
            description,
            ", {} between {:.2} at {} and {:.2} at {}",
            section.peer, peer.least.0, peer.least.1, peer.most.0, peer.most.1
        );
    }
    description.push_str(". The table has the figures.");
    let caption = format!("{} {}: fraction of a copy", group.class, group.precision);
    let plot = SeriesPlot {
        id: &format!("{id}-copy"),
        title: &caption,
        description: &description,
        x_label: "points of an array",
        y_label: "of copy",
        series,
    };
    Some(figure(&caption, &plot.to_svg()))
}

/// The ratio of every case; `None` without a peer.
fn ratios(id: &str, section: &Section, group: &Group<'_>) -> Option<String> {
    let ratios = group.ratios.as_ref()?;
    let with_batch = {
        let mut shapes: Vec<&str> = group.rows.iter().map(|row| row.shape.as_str()).collect();
        shapes.dedup();
        shapes.len() < group.rows.len()
    };
    let dots: Vec<Dot> = group
        .rows
        .iter()
        .filter_map(|row| {
            let shape = label(&row.shape);
            Some(Dot {
                label: match with_batch {
                    true => format!("{shape}, {} of {}", row.kind, row.batch),
                    false => shape,
                },
                value: row.ratio?,
                below: below(row, &section.rows) == Some(true),
            })
        })
        .collect();
    let description = format!(
        "{} cases, geometric mean {:.2}, least {:.2} at {}, most {:.2} at {}. Triangles are below \
         the bar: {}.",
        dots.len(),
        ratios.mean,
        ratios.least.0,
        ratios.least.1,
        ratios.most.0,
        ratios.most.1,
        group.below
    );
    let caption = format!(
        "{} {}: time of {} over ours (▽ below the bar)",
        group.class, group.precision, section.peer
    );
    let plot = DotPlot {
        id: &format!("{id}-ratio"),
        title: &caption,
        description: &description,
        x_label: "ratio: right of 1 mmafft is faster",
        dots: &dots,
    };
    Some(figure(&caption, &plot.to_svg()))
}
