//! The rows that `mmafft bench` writes, and `mmafft-lab` reads.

use csv::{ReaderBuilder, Trim};
use mmafft::Shape;
use serde::{Deserialize, Serialize};

/// One case, as it stands in a CSV file. Times are microseconds of one run; an empty figure was
/// not measured, and `failure` says why.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The device's own words.
    pub device: String,
    /// Versions of driver and compiler; empty on the host.
    pub driver: String,
    pub backend: String,
    /// Name and version; empty without a peer.
    pub peer: String,
    /// What cases are gathered by.
    pub class: String,
    pub kind: String,
    pub precision: String,
    /// Of the real array, such as `1024x768`.
    pub shape: String,
    pub batch: usize,
    /// The points from the first of each axis that are not known to be zero; empty for all.
    #[serde(default)]
    pub nonzero: Option<String>,
    /// `in place` or `out of place`.
    pub placement: String,
    /// Bytes of the data, once read and once written.
    pub bytes: usize,
    /// Runs that were timed together, one behind the other, and how many times that was done.
    pub together: usize,
    pub runs: usize,
    pub ours_us: Option<f64>,
    pub ours_least_us: Option<f64>,
    pub ours_most_us: Option<f64>,
    pub peer_us: Option<f64>,
    pub peer_least_us: Option<f64>,
    pub peer_most_us: Option<f64>,
    /// 10^9 operations a second, were there 5·P·log2 P for each array of P complex points, and half
    /// as many of reals.
    #[serde(default)]
    pub ours_gflops: Option<f64>,
    /// A copy of the input.
    pub copy_us: Option<f64>,
    /// `bytes` over the time, over what the copy moves in a time: 1 is as fast as copying.
    pub fraction: Option<f64>,
    pub peer_fraction: Option<f64>,
    /// The peer's time over ours: above 1, ours is faster.
    pub ratio: Option<f64>,
    pub engine: String,
    pub passes: Option<usize>,
    /// The small DFTs of every pass.
    pub plan: String,
    /// Relative L2 difference between our output and the peer's on one input.
    pub difference: Option<f64>,
    /// To plan and prepare, compiling included, beside others that were prepared meanwhile.
    pub plan_ms: Option<f64>,
    pub failure: String,
}

impl Row {
    /// The points of one array; a file's rows have been checked to have some.
    pub fn points(&self) -> f64 {
        let dims = super::request::shape(&self.shape).unwrap_or_else(|_| Shape::d1(1));
        dims.dims().iter().map(|&n| n as f64).product()
    }

    /// Whether a run is so short that its launch takes longer than its data.
    pub fn launch_bound(&self) -> bool {
        LAUNCH_BOUND.contains(&self.class.as_str())
    }
}

/// The class of one small transform, launched by itself.
pub const LAUNCH: &str = "launch";
/// The same, recorded into a graph that is launched.
pub const GRAPH: &str = "graph";
pub const LAUNCH_BOUND: [&str; 2] = [LAUNCH, GRAPH];

/// Lines of a file that begin with this are words about the others.
pub const COMMENT: char = '#';

/// A CSV file's header and its records, each with its line.
pub struct Lines {
    pub head: csv::StringRecord,
    pub records: Vec<(u64, csv::StringRecord)>,
}

impl Lines {
    /// Splits a text; an error begins with its line.
    pub fn of(text: &str) -> Result<Lines, String> {
        // Of lines that end as on Windows the reader counts the next record to the last line.
        let text = text.replace("\r\n", "\n");
        let mut reader = ReaderBuilder::new()
            .comment(Some(COMMENT as u8))
            .trim(Trim::All)
            .from_reader(text.as_bytes());
        let place = |e: csv::Error| {
            let line = e.position().map_or(1, csv::Position::line);
            format!("line {line}: {}", words(&e))
        };
        let head = reader.headers().map_err(place)?.clone();
        let mut records = Vec::new();
        for record in reader.records() {
            let record = record.map_err(place)?;
            let line = record.position().map_or(1, csv::Position::line);
            records.push((line, record));
        }
        Ok(Lines { head, records })
    }
}

/// What is wrong, without the place, which the caller has.
pub fn words(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => format!("{len} fields: expected {expected_len}"),
        csv::ErrorKind::Deserialize { err, .. } => match err.field() {
            Some(column) => format!("column {}: {}", column + 1, err.kind()),
            None => err.kind().to_string(),
        },
        _ => error.to_string(),
    }
}
