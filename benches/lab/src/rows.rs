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
mod tests {
    use super::*;

    fn row() -> Row {
        Row {
            class: "pow2".into(),
            kind: "c2c".into(),
            precision: "f32".into(),
            shape: "16x16".into(),
            failure: "said \"no\", twice".into(),
            ours_us: Some(1.5),
            difference: Some(2.5),
            plan_ms: Some(3.5),
            ..Row::default()
        }
    }

    fn text(rows: &[Row]) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in rows {
            writer.serialize(row).expect("a vector takes all");
        }
        let bytes = writer.into_inner().expect("a vector takes all");
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn rows_come_back_as_they_were_written() {
        let rows = [
            row(),
            Row {
                ratio: Some(1e-3),
                ..row()
            },
        ];
        let table = parse(&format!("# a note\n{}", text(&rows))).expect("a table");
        assert_eq!(table.notes, ["a note"]);
        assert_eq!(table.rows, rows);
        assert_eq!(table.rows[0].points(), 256.0);
    }

    #[test]
    fn a_bad_line_is_named() {
        let good = text(&[row(), row()]);
        let bad = |from: &str, to: &str| {
            let (head, last) = good.trim_end().rsplit_once('\n').expect("lines");
            parse(&format!("{head}\n{}\n", last.replacen(from, to, 1))).expect_err("bad")
        };
        for (from, to, words) in [
            ("1.5", "fast", "line 3: column 15: invalid float"),
            ("1.5", "NaN", "line 3: ours_us is NaN"),
            ("1.5", "-1", "line 3: ours_us is -1"),
            ("2.5,3.5", "NaN,3.5", "line 3: difference is NaN"),
            ("2.5,3.5", "-1,3.5", "line 3: difference is -1"),
            ("2.5,3.5", "2.5,inf", "line 3: plan_ms is inf"),
            (
                "2.5,3.5",
                "2.5,0",
                "line 3: plan_ms is 0: expected a number above 0",
            ),
            ("1.5", "1.5,1", "line 3: 32 fields: expected 31"),
            ("f32", "f33", "line 3: there is no precision 'f33'"),
            ("c2c", "<b>", "line 3: there is no kind '<b>'"),
            ("16x16", "16y", "line 3: expected lengths"),
            ("f32", "\"f\n2\"", "line 3: there is no precision 'f\\n2'"),
            (
                "16x16",
                "\"1\n6\"",
                "line 3: expected lengths such as 1024, 1024x768, 2^20, 1e6 or 64k, got '1\\n6'",
            ),
        ] {
            let said = bad(from, to);
            assert!(said.starts_with(words), "{said}");
        }
        for text in ["", "a,b\n1,2\n"] {
            let said = parse(text).expect_err("no table");
            assert!(said.starts_with("line 1: no column 'class'"), "{said}");
        }
    }
}
