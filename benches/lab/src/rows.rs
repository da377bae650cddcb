//! The rows of `mmafft bench --csv`, read and checked.

use mmafft::{Kind, Precision};
use mmafft_cli::excerpt::excerpt;
use mmafft_cli::request::shape;
use mmafft_cli::rows::{words, Lines, Row, COMMENT};
use mmafft_cli::Failure;
use std::path::Path;

/// What a file holds.
#[derive(Debug, Default, PartialEq)]
pub struct Table {
    /// What the lines before the rows say: who made them, and when.
    pub notes: Vec<String>,
    pub rows: Vec<Row>,
}

/// Reads a file of rows.
pub fn read(path: &Path) -> Result<Table, Failure> {
    let text = mmafft_cli::text::read(path);
    let text = text.map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    parse(&text).map_err(|e| format!("{}, {e}", path.display()).into())
}

/// The rows of a file's text; an error begins with its line.
fn parse(text: &str) -> Result<Table, String> {
    let notes = text.lines().filter_map(|line| line.strip_prefix(COMMENT));
    let mut table = Table {
        notes: notes.map(|note| note.trim().to_string()).collect(),
        rows: Vec::new(),
    };
    let lines = Lines::of(text)?;
    for field in ["class", "kind", "precision", "shape", "ours_us", "ratio"] {
        if !lines.head.iter().any(|name| name == field) {
            return Err(format!(
                "line 1: no column '{field}': expected a table of `mmafft bench --csv`"
            ));
        }
    }
    for (line, record) in &lines.records {
        let row: Row = record
            .deserialize(Some(&lines.head))
            .map_err(|e| format!("line {line}: {}", words(&e)))?;
        check(&row).map_err(|e| format!("line {line}: {e}"))?;
        table.rows.push(row);
    }
    Ok(table)
}

/// What is wrong with the row, if anything.
fn check(row: &Row) -> Result<(), String> {
    shape(&row.shape)?;
    let known = |what, name: &str, known: bool| match known {
        true => Ok(()),
        false => Err(format!("there is no {what} '{}'", excerpt(name))),
    };
    known(
        "precision",
        &row.precision,
        Precision::from_name(&row.precision).is_some(),
    )?;
    known("kind", &row.kind, Kind::from_name(&row.kind).is_some())?;
    let figures = [
        ("ours_us", row.ours_us),
        ("ours_least_us", row.ours_least_us),
        ("ours_most_us", row.ours_most_us),
        ("peer_us", row.peer_us),
        ("peer_least_us", row.peer_least_us),
        ("peer_most_us", row.peer_most_us),
        ("ours_gflops", row.ours_gflops),
        ("copy_us", row.copy_us),
        ("fraction", row.fraction),
        ("peer_fraction", row.peer_fraction),
        ("ratio", row.ratio),
        ("difference", row.difference),
        ("plan_ms", row.plan_ms),
    ];
    for (column, figure) in figures {
        // Equal results differ by 0; everything else takes some time.
        let or_0 = column == "difference";
        let fine = |x: &f64| x.is_finite() && (*x > 0.0 || or_0 && *x == 0.0);
        if let Some(x) = figure.filter(|x| !fine(x)) {
            let expected = if or_0 { "from 0 on" } else { "above 0" };
            return Err(format!("{column} is {x}: expected a number {expected}"));
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "rows_tests.rs"]
mod tests;
