//! The tables of the page.

use super::Section;
use mmafft_cli::bench::output::number;
use mmafft_cli::bench::summary::{below, label, Group, Spread};
use mmafft_cli::plot::escape;
use mmafft_cli::rows::Row;
use std::fmt::Write;

/// What stands where there is no figure.
pub const NONE: &str = "–";

/// A figure with so many decimals.
pub fn fixed(x: Option<f64>, decimals: usize) -> String {
    x.map_or(NONE.into(), |x| format!("{x:.decimals$}"))
}

/// A box that scrolls by itself, with a table in it.
/// Columns have a name, and are of words or of figures.
fn boxed(out: &mut String, caption: &str, head: &[(&str, bool)], body: &str) {
    let caption = escape(caption);
    let _ = write!(
        out,
        "<div class=\"box\" role=\"region\" aria-label=\"{caption}\" tabindex=\"0\">\n\
         <table>\n<caption><span>{caption}</span></caption>\n<thead><tr>"
    );
    for (name, words) in head {
        let class = if *words { " class=\"words\"" } else { "" };
        let _ = write!(out, "<th scope=\"col\"{class}>{}</th>", escape(name));
    }
    let _ = write!(
        out,
        "</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n</div>\n"
    );
}

/// `0.97 (2^16)`.
fn end((x, at): &(f64, String)) -> String {
    format!("{x:.2} ({})", escape(at))
}

/// A row a class and precision.
pub fn summary(section: &Section, groups: &[Group<'_>]) -> String {
    let mut body = String::new();
    for group in groups {
        let of = |spread: &Option<Spread>, cell: &dyn Fn(&Spread) -> String| {
            spread.as_ref().map_or(NONE.into(), cell)
        };
        let ratios = &group.ratios;
        let failed = group
            .rows
            .iter()
            .filter(|row| row.ours_us.is_none())
            .count();
        let mean = |spread: &Spread| format!("{:.2}", spread.mean);
        let least = |spread: &Spread| end(&spread.least);
        let short = match (group.judged, group.below) {
            (0, _) => NONE.into(),
            (all, 0) => format!("0 of {all}"),
            (all, n) => format!("<span class=\"below\">{n} of {all}</span>"),
        };
        let cells = [
            group.cases.to_string(),
            of(ratios, &mean),
            of(ratios, &least),
            of(ratios, &|spread| end(&spread.most)),
            short,
            of(&group.fractions[0], &mean),
            of(&group.fractions[0], &least),
            of(&group.fractions[1], &mean),
            failed.to_string(),
        ];
        let _ = write!(
            body,
            "<tr><th scope=\"row\">{}</th><td class=\"words\">{}</td>",
            escape(group.class),
            escape(group.precision)
        );
        for cell in cells {
            let _ = write!(body, "<td>{cell}</td>");
        }
        body.push_str("</tr>\n");
    }
    let head = [
        ("Class", true),
        ("Precision", true),
        ("Cases", false),
        ("Ratio, geometric mean", false),
        ("Ratio, least", false),
        ("Ratio, most", false),
        ("Below the bar", false),
        ("Of copy, ours", false),
        ("Of copy, our least", false),
        ("Of copy, peer", false),
        ("Failed", false),
    ];
    let mut out = String::new();
    let caption = format!("All classes on {}", words(section));
    boxed(&mut out, &caption, &head, &body);
    out
}

/// The device and the peer.
pub fn words(section: &Section) -> String {
    let mut words = format!("{}: {}", section.backend, section.device);
    if !section.driver.is_empty() {
        let _ = write!(words, " ({})", section.driver);
    }
    if !section.peer.is_empty() {
        let _ = write!(words, ", beside {}", section.peer);
    }
    words
}

/// A row a case of one class, of all precisions.
pub fn cases(section: &Section, class: &str, groups: &[&Group<'_>]) -> String {
    let mut body = String::new();
    for row in groups.iter().flat_map(|group| &group.rows) {
        case(&mut body, row, &section.rows);
    }
    let head = [
        ("Shape", true),
        ("Precision", true),
        ("Kind", true),
        ("Batch", false),
        ("Ours, µs", false),
        ("Peer, µs", false),
        ("Ratio", false),
        ("Of copy, ours", false),
        ("Of copy, peer", false),
        ("Copy, µs", false),
        ("Passes", false),
        ("Plan", true),
        ("Difference", false),
        ("Plan, ms", false),
    ];
    let mut out = String::new();
    boxed(&mut out, &format!("Every case of {class}"), &head, &body);
    out
}

fn case(body: &mut String, row: &Row, rows: &[Row]) {
    let time = |median: Option<f64>, least: Option<f64>, most: Option<f64>| match median {
        None => NONE.into(),
        Some(median) => {
            let end = |x: Option<f64>| x.map_or(NONE.into(), number);
            let (least, most) = (end(least), end(most));
            let median = number(median);
            format!("{median} <span class=\"spread\">{least} to {most}</span>")
        }
    };
    let ratio = match below(row, rows) {
        // A word and a sign, for those who do not see the colour.
        Some(true) => format!(
            "<span class=\"below\">▽ {} below</span>",
            fixed(row.ratio, 2)
        ),
        _ => fixed(row.ratio, 2),
    };
    let cells = [
        row.batch.to_string(),
        time(row.ours_us, row.ours_least_us, row.ours_most_us),
        time(row.peer_us, row.peer_least_us, row.peer_most_us),
        ratio,
        fixed(row.fraction, 2),
        fixed(row.peer_fraction, 2),
        row.copy_us.map_or(NONE.into(), number),
        row.passes.map_or(NONE.into(), |n| n.to_string()),
    ];
    let _ = write!(
        body,
        "<tr><th scope=\"row\">{}</th><td class=\"words\">{}</td><td class=\"words\">{}</td>",
        escape(&label(&row.shape)),
        escape(&row.precision),
        escape(&row.kind)
    );
    for cell in cells {
        let _ = write!(body, "<td>{cell}</td>");
    }
    let plan = escape(&row.plan);
    let plan = match (row.failure.as_str(), row.ours_us) {
        ("", _) => plan,
        // Of the peer alone.
        (failure, Some(_)) => format!("{plan} ({})", escape(failure)),
        (failure, None) => {
            let failure = escape(failure);
            format!("<span class=\"below\">not measured: {failure}</span>")
        }
    };
    let difference = row.difference.map_or(NONE.into(), |x| format!("{x:.1e}"));
    let _ = writeln!(
        body,
        "<td class=\"words plan\">{plan}</td><td>{difference}</td><td>{}</td></tr>",
        fixed(row.plan_ms, 1)
    );
}
