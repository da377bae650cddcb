//! Tables of what was timed, in Markdown, for docs/performance.md.

use super::tables::{words, NONE};
use super::Section;
use mmafft_cli::bench::summary::{below, groups, label, Group};
use std::fmt::Write;

/// Names of cases in one cell, at most.
const NAMES: usize = 8;

/// A table a section, a row a class and precision.
pub fn tables(sections: &[Section]) -> String {
    let mut out = String::new();
    for section in sections {
        if !out.is_empty() {
            out.push('\n');
        }
        let _ = write!(
            out,
            "{}:\n\n| class | cases | ratio, geometric mean | least | most | of copy, ours | of copy, \
             peer | below the bar |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n",
            cell(&words(section))
        );
        for group in groups(&section.rows) {
            row(&mut out, section, &group);
        }
        let failed = section.rows.iter().filter(|row| !row.failure.is_empty());
        let failed: Vec<String> = failed
            .map(|row| {
                let shape = label(&row.shape);
                cell(&format!(
                    "{} {} {shape}: {}",
                    row.class, row.precision, row.failure
                ))
            })
            .collect();
        if !failed.is_empty() {
            let _ = writeln!(out, "\nNot measured, or not by the peer:\n");
            for line in failed {
                let _ = writeln!(out, "- {line}");
            }
        }
    }
    out
}

fn row(out: &mut String, section: &Section, group: &Group<'_>) {
    let mean = |at: usize| match &group.fractions[at] {
        Some(spread) => format!("{:.2}", spread.mean),
        None => NONE.into(),
    };
    let ratios = match &group.ratios {
        Some(ratios) => format!(
            "{:.2} | {:.2} ({}) | {:.2} ({})",
            ratios.mean,
            ratios.least.0,
            cell(&ratios.least.1),
            ratios.most.0,
            cell(&ratios.most.1)
        ),
        None => [NONE; 3].join(" | "),
    };
    let short = group.rows.iter();
    let short = short.filter(|row| below(row, &section.rows) == Some(true));
    let short: Vec<String> = short.map(|row| cell(&label(&row.shape))).collect();
    let names = match (group.judged, short.len()) {
        (0, _) => NONE.into(),
        (_, 0) => "none".into(),
        (_, n) if n > NAMES => format!("{} and {} more", short[..NAMES].join(", "), n - NAMES),
        _ => short.join(", "),
    };
    let _ = writeln!(
        out,
        "| {} `{}` | {} | {ratios} | {} | {} | {names} |",
        cell(group.class),
        group.precision,
        group.cases,
        mean(0),
        mean(1)
    );
}

/// Text that neither ends a cell nor begins an element.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}
