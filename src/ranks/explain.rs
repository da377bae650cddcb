//! `explain()` of a distributed plan: who has what, what each stage does, and what crosses between.

use super::communicator::Station;
use super::part::Part;
use super::place::Place;
use super::plan::DistributedPlan;
use mmafft_backend_traits::{Kind, Limits};
use std::fmt::Write;

/// Bytes a second that memory moves, read and written: of a device that is read about, and of a core of a host.
const DEVICE: f64 = 3.0e12;
const CORE: f64 = 8e9;

/// Bytes a second that a device's stores move to others, by a link as NVLink of the fourth generation is.
const LINK: f64 = 3.5e11;

/// Seconds that a fence and the launches behind it take.
const FENCE: f64 = 30e-6;

/// How ranks exchange.
#[derive(Debug, Clone, Copy)]
pub enum How<'a> {
    /// By stores into one memory.
    Memory,
    /// By stores into each other's devices.
    Devices,
    /// By messages, for this reason.
    Messages(&'a str),
    /// By messages from device to device.
    Letters,
}

impl DistributedPlan {
    /// What the plan does, in words: what ranks have of the array, the axes of each stage, and of each exchange the bytes
    /// and messages of the rank that sends most.
    pub fn explain(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.rows(&mut out, None);
        out
    }

    /// The same on ranks that are joined so, and exchange like this, with the time to expect of it.
    pub fn explain_on(&self, station: &Station, how: How<'_>, limits: &Limits) -> String {
        let mut out = String::new();
        let _ = self.rows(&mut out, Some(how));
        let _ = self.times(&mut out, station, how, limits);
        out
    }

    fn rows(&self, out: &mut String, how: Option<How<'_>>) -> std::fmt::Result {
        let r = &self.request;
        let row = r.precision.row();
        write!(out, "{} {} of {}", row.name, r.kind_names(), r.shape)?;
        if r.kind == Kind::C2C {
            write!(out, " {}", r.direction().name())?;
        }
        if let Some(axes) = r.axes.as_ref().filter(|a| a.len() < r.shape.rank()) {
            write!(out, ", axes {axes:?}")?;
        }
        if r.batch > 1 {
            write!(out, ", batch {}", r.batch)?;
        }
        writeln!(out, " over {}", count(self.ranks, "rank"))?;
        let exchanges = self.exchanges();
        let sent: usize = exchanges.iter().map(|(bytes, _)| bytes).sum();
        writeln!(
            out,
            "{}, {}; a rank sends {}",
            count(self.stages.len(), "stage"),
            count(exchanges.len(), "exchange"),
            bytes(sent)
        )?;
        let (first, last) = (self.input_part(0), self.output_part(0));
        writeln!(
            out,
            "rank 0 has {} of the input, {} of the output",
            ranges(&first),
            ranges(&last)
        )?;
        writeln!(
            out,
            "relative L2 error ≤ {:.1e}, as of one device: an exchange rounds nothing",
            self.alone.error_bound
        )?;
        for (i, stage) in self.stages.iter().enumerate() {
            let what = match &stage.axes[..] {
                [] => "copies".to_string(),
                [axis] => format!("axis {axis}"),
                axes => format!("axes {axes:?}"),
            };
            let roots = match stage.roots {
                Some(length) => format!(", times roots of order {length}"),
                None => String::new(),
            };
            let lengths = largest(&stage.from).lengths();
            let lengths: Vec<String> = lengths[1..].iter().map(usize::to_string).collect();
            let batch = match largest(&stage.from).batch().len() {
                1 => String::new(),
                n => format!(", batch {n}"),
            };
            writeln!(
                out,
                "stage {}: {what} of {}{batch}{roots}",
                i + 1,
                lengths.join("x")
            )?;
            if let Some((sent, messages)) = exchanges.get(i) {
                let stores = format!("by the stores of stage {}", i + 1);
                let how = match how {
                    Some(How::Memory) => format!("{stores}; all ranks wait for all; "),
                    Some(How::Devices) => {
                        format!("{stores} to the devices of all ranks, which wait for all; ")
                    }
                    Some(How::Messages(reason)) => {
                        format!("packed, sent through the host and unpacked, as {reason}; ")
                    }
                    Some(How::Letters) => {
                        "packed, sent from device to device and unpacked; ".into()
                    }
                    None => String::new(),
                };
                writeln!(
                    out,
                    "exchange {}: {how}{} a rank, in {}",
                    i + 1,
                    bytes(*sent),
                    count(*messages, "message")
                )?;
            }
        }
        Ok(())
    }

    /// The time to expect.
    ///
    /// Each pass moves its bytes at the speed of memory, and what crosses takes the link besides. Where the stores of a stage
    /// move it, the link takes what its passes leave.
    fn times(
        &self,
        out: &mut String,
        station: &Station,
        how: How<'_>,
        limits: &Limits,
    ) -> std::fmt::Result {
        let memory = match limits.backend {
            "cuda" | "hip" => DEVICE,
            _ => CORE * limits.workers as f64,
        };
        let passes = self.alone.bytes_moved() as f64;
        let alone = passes / memory;
        let own = passes / self.ranks as f64 / memory;
        let places = self.stages[1..].iter().map(|stage| &stage.from);
        // Packing and unpacking read and write a part each.
        let packed: f64 = places
            .map(|place| 4 * largest(place).points() * self.point_bytes(place))
            .sum::<usize>() as f64
            / memory;
        let sent: usize = self.exchanges().iter().map(|(bytes, _)| bytes).sum();
        let (link, packing) = match how {
            How::Memory => (0.0, 0.0),
            How::Devices => (self.link_beside_passes(own), 0.0),
            How::Messages(_) | How::Letters => (sent as f64 / station.bytes_per_second, packed),
        };
        let fences = FENCE * self.stages.len() as f64;
        let all = own + link + packing + fences;
        writeln!(
            out,
            "expected {} on {} of {}: passes {}, packing {}, link {}, fences {}; one device {}{}",
            time(all),
            count(station.ranks, "rank"),
            station.engine,
            time(own),
            time(packing),
            time(link),
            time(fences),
            time(alone),
            if all > alone {
                ", which is less: transform it there"
            } else {
                ""
            }
        )
    }

    /// Seconds that links take beyond the passes beside them.
    ///
    /// A stage's passes store over a link; the passes of all stages take so many seconds.
    fn link_beside_passes(&self, passes: f64) -> f64 {
        let axes: usize = self.stages.iter().map(|stage| stage.axes.len()).sum();
        let exchanges = self.exchanges().into_iter().zip(&self.stages);
        let left = exchanges.map(|((sent, _), stage)| {
            let beside = passes * stage.axes.len() as f64 / axes.max(1) as f64;
            (sent as f64 / LINK - beside).max(0.0)
        });
        left.sum()
    }
}

/// The part that has most.
fn largest(place: &Place) -> &Part {
    let parts = place.parts.iter();
    let largest = parts.max_by_key(|part| part.points());
    largest.unwrap_or(&place.parts[0])
}

fn ranges(part: &Part) -> String {
    let batch = part.batch();
    let own = part.ranges().iter();
    let words: Vec<String> = own.map(|r| format!("{}..{}", r.start, r.end)).collect();
    let whole = format!("[{}]", words.join(", "));
    match batch.start == 0 && batch.end == 1 {
        true => whole,
        false => format!("{whole} of arrays {}..{}", batch.start, batch.end),
    }
}

fn count(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.2} ms", s * 1e3),
        s => format!("{:.0} µs", s * 1e6),
    }
}

fn bytes(n: usize) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let (mut value, mut unit) = (n as f64, 0);
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    match unit == 0 || value == value.floor() {
        true => format!("{value:.0} {}", units[unit]),
        false => format!("{value:.1} {}", units[unit]),
    }
}
