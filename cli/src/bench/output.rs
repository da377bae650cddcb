//! The printed table, the CSV file, and the figures in both.

use super::measure::Samples;
use super::summary;
use crate::rows::{Row, COMMENT};
use crate::Failure;
use mmafft::backend_traits::Step;
use mmafft::{Engine, Kind, Plan};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Where rows go as they come.
pub struct Output {
    csv: Option<(PathBuf, csv::Writer<File>)>,
    rows: Vec<Row>,
}

/// Whether a file may be written over: it is a table of an earlier run, empty, not there, or no file.
fn is_table(path: &Path) -> bool {
    let mut start = [0; 1];
    match File::open(path) {
        Ok(mut file) if file.metadata().is_ok_and(|m| m.is_file() && m.len() > 0) => {
            file.read_exact(&mut start).is_ok() && start[0] == COMMENT as u8
        }
        _ => true,
    }
}

impl Output {
    /// Creates the file, with a line on how it came about.
    pub fn new(path: Option<&Path>) -> Result<Output, Failure> {
        let csv = match path {
            None => None,
            Some(path) => {
                if !is_table(path) {
                    let path = path.display();
                    return Err(format!("{path} is there, and no table of `mmafft bench`").into());
                }
                let file = File::create(path).and_then(|mut file| {
                    writeln!(file, "{COMMENT} {}", made_by())?;
                    Ok(file)
                });
                let file = file.map_err(|e| cannot_write(path, &e))?;
                Some((path.to_path_buf(), csv::Writer::from_writer(file)))
            }
        };
        Ok(Output {
            csv,
            rows: Vec::new(),
        })
    }

    /// Prints what all rows share.
    pub fn head(&self, about: &Row, runs: usize) {
        let Row {
            backend,
            device,
            driver,
            peer,
            ..
        } = about;
        let driver = match driver.as_str() {
            "" => String::new(),
            driver => format!(" ({driver})"),
        };
        let beside = match peer.as_str() {
            "" => String::new(),
            peer => format!(" beside {peer}"),
        };
        outln!("{backend}: {device}{driver}{beside}; median of {runs}");
        if cfg!(debug_assertions) {
            outln!("built without --release: times on the host mean nothing");
        }
        outln!("of copy: bytes once read and once written in that time, over a copy's");
        outln!(
            "{:<8} {:<15} {:<9} {:>9} {:>10} {:>21} {:>7} {:>10} {:>7} {:>7}  plan",
            "class",
            "shape",
            "precision",
            "batch",
            "ours us",
            "least .. most",
            "of copy",
            "peer us",
            "of copy",
            "ratio"
        );
    }

    /// Prints a row and writes it, so that a run that is cut off leaves what it had.
    pub fn row(&mut self, row: Row) -> Result<(), Failure> {
        let of = |figure: Option<f64>| figure.map_or("-".into(), |x| format!("{x:.3}"));
        let spread = match (row.ours_least_us, row.ours_most_us) {
            (Some(least), Some(most)) => format!("{} .. {}", number(least), number(most)),
            _ => "-".into(),
        };
        let time = |us: Option<f64>| us.map_or("-".into(), number);
        let failure = match row.failure.as_str() {
            "" => String::new(),
            failure => format!(" ({failure})"),
        };
        outln!(
            "{:<8} {:<15} {:<9} {:>9} {:>10} {:>21} {:>7} {:>10} {:>7} {:>7}  {}{failure}",
            row.class,
            row.shape,
            row.precision,
            row.batch,
            time(row.ours_us),
            spread,
            of(row.fraction),
            time(row.peer_us),
            of(row.peer_fraction),
            of(row.ratio),
            row.plan
        );
        if let Some((path, csv)) = &mut self.csv {
            let written = csv.serialize(&row).map_err(|e| cannot_write(path, &e));
            written.and_then(|()| csv.flush().map_err(|e| cannot_write(path, &e)))?;
        }
        self.rows.push(row);
        Ok(())
    }

    /// Prints what the classes have in common.
    ///
    /// # Errors
    /// If nothing could be timed: the first reason.
    pub fn finish(self) -> Result<(), Failure> {
        let first = self.rows.first().map_or("", |row| &row.failure);
        if self.rows.iter().all(|row| row.ours_us.is_none()) {
            return Err(format!("no case could be timed: {first}").into());
        }
        for group in summary::groups(&self.rows) {
            if let Some(ratios) = &group.ratios {
                outln!(
                    "{:<8} {:<9} {:>3} cases: geometric mean {:.3}, least {:.3} ({}), most {:.3} ({}), {} below the bar",
                    group.class,
                    group.precision,
                    group.cases,
                    ratios.mean,
                    ratios.least.0,
                    ratios.least.1,
                    ratios.most.0,
                    ratios.most.1,
                    group.below
                );
            }
        }
        Ok(())
    }
}

fn cannot_write(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    format!("cannot write {}: {error}", path.display()).into()
}

/// `mmafft 0.1.0, 2025-11-21 15:04 UTC: mmafft bench 1024`.
fn made_by() -> String {
    let now = jiff::Timestamp::now().strftime("%F %R UTC");
    let mut arguments = std::env::args();
    let program = arguments.next().unwrap_or_default();
    let program = Path::new(&program).file_stem().unwrap_or_default();
    let program = program.to_string_lossy();
    // A line is a line, whatever the arguments hold.
    let arguments: Vec<String> = arguments.collect();
    let line = format!("{program} {}", arguments.join(" ")).replace(['\n', '\r'], " ");
    let version = env!("CARGO_PKG_VERSION");
    format!("mmafft {version}, {now}: {line}")
}

/// A figure with three significant digits, more before the point.
pub fn number(x: f64) -> String {
    let decimals = (2 - x.abs().log10().floor() as i32).clamp(0, 6) as usize;
    format!("{x:.decimals$}")
}

/// To five significant digits; `None` for what is no number above 0.
pub fn rounded(x: f64) -> Option<f64> {
    (x.is_finite() && x > 0.0)
        .then(|| format!("{x:.4e}").parse().ok())
        .flatten()
}

/// Medians and spreads, and what follows from them. A copy reads and writes `input` bytes.
pub fn figures(samples: &Samples, input: usize, ruler: bool, row: &mut Row) {
    let sorted = |times: &[f64]| {
        let mut us: Vec<f64> = times.iter().map(|s| s * 1e6).collect();
        us.sort_by(f64::total_cmp);
        us
    };
    let (ours, peer, copy) = (
        sorted(&samples.ours),
        sorted(&samples.peer),
        sorted(&samples.copy),
    );
    let at = |times: &[f64], i: usize| times.get(i).copied().and_then(rounded);
    let median = |times: &[f64]| at(times, times.len() / 2);
    let last = |times: &[f64]| at(times, times.len().saturating_sub(1));
    (row.ours_us, row.ours_least_us, row.ours_most_us) = (median(&ours), at(&ours, 0), last(&ours));
    (row.peer_us, row.peer_least_us, row.peer_most_us) = (median(&peer), at(&peer, 0), last(&peer));
    row.copy_us = median(&copy).filter(|_| ruler);
    // Bytes in a microsecond, of a copy and of a transform.
    let copied = row.copy_us.map(|us| 2.0 * input as f64 / us);
    let fraction = |us: Option<f64>| rounded(row.bytes as f64 / us? / copied?);
    row.fraction = fraction(row.ours_us);
    row.peer_fraction = fraction(row.peer_us);
    row.ratio = row
        .peer_us
        .zip(row.ours_us)
        .and_then(|(p, o)| rounded(p / o));
    let real = row.kind != Kind::C2C.row().name;
    let operations = if real { 2.5 } else { 5.0 } * row.points() * row.points().log2();
    let gflops = |us: f64| rounded(operations * row.batch as f64 / us * 1e-3);
    row.ours_gflops = row.ours_us.and_then(gflops);
}

/// The plan in a few words: `16·16·16` a pass, butterflies beside products in parentheses, ` + ` between passes.
pub fn describe(plan: &Plan, row: &mut Row) {
    let matrix = plan
        .passes
        .iter()
        .any(|pass| pass.math.engine == Engine::Matrix);
    row.engine = if matrix { "matrix" } else { "simt" }.into();
    row.passes = Some(plan.passes.len());
    let passes = plan.passes.iter().map(|pass| {
        let words = pass.steps.iter().filter_map(|step| match step {
            Step::Line { length, .. } => Some(format!("{length}")),
            Step::Dft { radix, engine, .. } if *engine != pass.math.engine => {
                Some(format!("({radix})"))
            }
            Step::Dft { radix, .. } => Some(format!("{radix}")),
            Step::Chirp { padded, .. } => Some(format!("chirp {padded}")),
            Step::Rader { length, .. } => Some(format!("Rader {length}")),
            Step::Convolve { .. } => Some("convolve".into()),
            Step::AllToAll => Some("all-to-all".into()),
            Step::RealColumns { columns, rows, .. } => Some(format!("columns {columns}x{rows}")),
            Step::Twiddle { .. } | Step::Exchange => None,
        });
        words.collect::<Vec<_>>().join("·")
    });
    row.plan = passes.collect::<Vec<_>>().join(" + ");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_follow_from_the_samples() {
        let mut row = Row {
            bytes: 3000,
            kind: "c2c".into(),
            shape: "4".into(),
            batch: 100,
            ..Row::default()
        };
        let samples = Samples {
            ours: vec![2e-6, 9e-6, 1e-6],
            peer: vec![4e-6, 3e-6, 5e-6],
            copy: vec![1e-6; 6],
        };
        figures(&samples, 1000, true, &mut row);
        assert_eq!(
            (row.ours_us, row.ours_least_us, row.ours_most_us),
            (Some(2.0), Some(1.0), Some(9.0))
        );
        assert_eq!((row.peer_us, row.copy_us), (Some(4.0), Some(1.0)));
        // 3000 bytes in 2 us, while a copy reads 1000 and writes 1000 in 1.
        assert_eq!((row.fraction, row.peer_fraction), (Some(0.75), Some(0.375)));
        assert_eq!(row.ratio, Some(2.0));
        // 5·4·2 operations, 100 times, in 2 us.
        assert_eq!(row.ours_gflops, Some(2.0));
        figures(
            &Samples {
                peer: vec![],
                ..samples
            },
            1000,
            false,
            &mut row,
        );
        assert_eq!((row.peer_us, row.ratio, row.copy_us), (None, None, None));
        assert_eq!((row.ours_us, row.fraction), (Some(2.0), None));
    }

    #[test]
    fn numbers_have_three_digits_or_more() {
        for (x, text) in [
            (1234.5, "1234"),
            (123.4, "123"),
            (12.34, "12.3"),
            (1.234, "1.23"),
            (0.0123, "0.0123"),
        ] {
            assert_eq!(number(x), text);
        }
    }

    #[test]
    fn figures_have_five_digits() {
        assert_eq!(rounded(12345.6), Some(12346.0));
        assert_eq!(rounded(1.234_567e-9), Some(1.234_6e-9));
        assert_eq!(
            (rounded(f64::NAN), rounded(0.0), rounded(-1.0)),
            (None, None, None)
        );
    }
}
