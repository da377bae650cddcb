//! `explain()`: a plan in words, one row a pass.

use crate::backend::Workspace;
use crate::error::Result;
use crate::kind::{Domain, Kind, Normalization};
use crate::layout::Placement;
use crate::pass::{Pass, TileAxis};
use crate::pass_shape::PassShape;
use crate::plan::Plan;
use crate::precision::Precision;
use crate::real_line::{LineForm, RealLine};
use crate::side::{End, Factor, Images};
use crate::step::{Engine, Step};
use crate::tile::Residency;
use std::fmt::Write;

impl Plan {
    /// What the plan does, in words: the request, the scratch and the error bound, then for
    /// each pass its loads, tile, steps, stores, the bytes it moves, the rule that chose
    /// it, and its shape on a device.
    pub fn explain(&self) -> String {
        self.explain_prepared(None)
    }

    /// The same of a plan that is prepared, which says how much its threads work in.
    pub fn explain_prepared(&self, workspace: Option<Workspace>) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.head(&mut out, workspace);
        let mut shapes = self.shapes();
        for (i, pass) in self.passes.iter().enumerate() {
            let _ = pass_rows(&mut out, i + 1, pass);
            if let Some(shape) = shapes.next() {
                let _ = shape_rows(&mut out, shape);
            }
        }
        out
    }

    fn head(&self, out: &mut String, workspace: Option<Workspace>) -> std::fmt::Result {
        let r = &self.request;
        let row = r.precision.row();
        write!(out, "{} {} of {}", row.name, r.kind_names(), r.shape)?;
        // The others' direction follows from the kind, but for which is the inverse.
        let inverse = r.kind.is_real_to_real() && r.normalization != Normalization::None;
        if r.kind == Kind::C2C || inverse {
            write!(out, " {}", r.direction().name())?;
        }
        if let Some(axes) = r.axes.as_ref().filter(|a| a.len() < r.shape.rank()) {
            write!(out, ", axes {axes:?}")?;
        }
        if r.batch > 1 {
            write!(out, ", batch {}", r.batch)?;
        }
        if r.placement == Placement::InPlace {
            write!(out, ", in place")?;
        } else if r.write_only_output {
            write!(out, ", the output only written")?;
        }
        if r.normalization != Normalization::None {
            write!(out, ", normalised {}", r.normalization.name())?;
        }
        let passes = match self.passes.len() {
            1 => "1 pass".into(),
            n => format!("{n} passes"),
        };
        writeln!(
            out,
            "\n{passes} on {}; moves {}; scratch {}{}",
            self.backend,
            bytes(self.bytes_moved()),
            bytes(self.scratch_bytes),
            match (workspace, self.geometry) {
                (Some(of), _) => {
                    let threads = if of.threads == 1 {
                        "thread"
                    } else {
                        "threads, each"
                    };
                    format!(", and for {} {threads} {}", of.threads, bytes(of.bytes))
                }
                (None, None) => " beside what threads work in".into(),
                (None, Some(_)) => String::new(),
            }
        )?;
        writeln!(out, "ways: {}", self.ways.join(" · "))?;
        if let Some(turns) = self.turns {
            let arrays = match turns.arrays {
                1 => "1 array".into(),
                n => format!("{n} arrays"),
            };
            let kept = turns
                .kept
                .map(|n| format!("; scratch has place for {n} turns"));
            let (ahead, kept) = (turns.ahead, kept.unwrap_or_default());
            writeln!(
                out,
                "passes take turns of {arrays}, the first {ahead} ahead{kept}"
            )?;
        }
        let level = r.precision.level_bound(r.kind);
        let formula = match row.flat {
            true if self.error_bound > row.bound => "that of storing a part in every pass".into(),
            true => "that of storing the result".into(),
            false if r.kind.is_real_to_real() => format!("{level:.1e}·√(1 + log2 N)"),
            false => format!("{level:e}·√(1 + log2 N)"),
        };
        write!(
            out,
            "relative L2 error ≤ {:.1e}: {formula}",
            self.error_bound
        )?;
        let n = self.transformed_points();
        if !row.flat && self.error_bound > 1.5 * level * (1.0 + n.log2()).sqrt() {
            write!(out, ", threefold for a convolution")?;
        }
        if r.precision == Precision::SplitF16 && !r.split_matrix {
            write!(out, ", and about 1e-3 more for unsplit DFT matrices")?;
        }
        writeln!(
            out,
            "; where numbers underflow, {:.0e} a point more",
            self.underflow_error()
        )
    }

    fn transformed_points(&self) -> f64 {
        let lengths = self.request.logical_lengths();
        lengths.into_iter().map(|n| n as f64).product()
    }
}

fn pass_rows(out: &mut String, number: usize, pass: &Pass) -> std::fmt::Result {
    let axes: Vec<String> = pass.axes.iter().map(axis_words).collect();
    let (read, written) = pass.bytes();
    writeln!(
        out,
        "pass {number}: {} -> {}, {}; reads {}, writes {}",
        pass.load.slot.name(),
        pass.store.slot.name(),
        axes.join(" then "),
        bytes(read),
        bytes(written)
    )?;
    write!(out, "  load   {}", side(pass, End::Load))?;
    if let Some(n) = pass.load.hermitian {
        write!(out, ", mirrored to {n} points")?;
    }
    if let Some(line) = pass.load.reals {
        write!(out, ", points of {}", line_words(line))?;
    }
    writeln!(out, "{}", factor_words(pass.load.factor))?;
    let residency = match pass.tile.residency {
        Residency::Block => "block".into(),
        Residency::Cluster(n) => format!("cluster of {n}"),
    };
    let what = match (pass.axes.len(), pass.tile.lines) {
        (1, n) => match pass.mirrored().map(|(_, mirrored)| mirrored.images) {
            Some(Images::Facing) => format!("{n} lines in facing pairs"),
            Some(_) => format!("{n} lines in mirrored pairs"),
            None if n == 1 => "1 line".into(),
            None => format!("{n} lines"),
        },
        (_, 1) => "1 array".into(),
        (_, n) => format!("{n} arrays"),
    };
    let tiles: usize = pass.loops.iter().map(|l| l.count).product();
    let tiles = tiles.div_ceil(pass.tile.lines.max(1));
    let ahead = match pass
        .tile
        .launch
        .is_some_and(|launch| launch.ahead.is_some())
    {
        true => "; each asks for a later one",
        false => "",
    };
    writeln!(
        out,
        "  tile   {what}, {}, {residency}, {tiles} of them{ahead}",
        bytes(pass.tile.bytes)
    )?;
    writeln!(
        out,
        "  steps  {}{}{} [{}, {}: {}]",
        halves(pass, End::Load),
        steps(&pass.steps, pass.math.engine),
        halves(pass, End::Store),
        pass.math.engine.name(),
        pass.math.operand.name(),
        pass.reason
    )?;
    write!(out, "  store  {}", side(pass, End::Store))?;
    if let Some(line) = pass.store.reals {
        write!(out, ", to {}", line_words(line))?;
    }
    write!(out, "{}", factor_words(pass.store.factor))?;
    if pass.math.scale != 1.0 {
        write!(out, ", times {:e}", pass.math.scale)?;
    }
    writeln!(out)
}

/// What the pass is on the device: its blocks, and its trips with the columns that a thread has of each.
fn shape_rows(out: &mut String, shape: Result<PassShape>) -> std::fmt::Result {
    let shape = match shape {
        Ok(shape) => shape,
        Err(why) => return writeln!(out, "  block  none: {why}"),
    };
    writeln!(
        out,
        "  block  {} threads, {} values and {} registers each; {} a multiprocessor, {} shared; {}{}{}{}{}",
        shape.threads,
        shape.values,
        shape.registers,
        shape.residents,
        bytes(shape.shared_bytes),
        bytes(shape.table_bytes),
        if shape.multiplied {
            " of tables, some roots multiplied"
        } else {
            " of tables, all roots looked up"
        },
        if shape.apart { "; exchanges in halves" } else { "" },
        if shape.scaled_lines { "; lines scaled once" } else { "" },
        waits(&shape),
    )?;
    let mut trips = String::new();
    for (i, trip) in shape.trips.iter().enumerate() {
        let between = match i.checked_sub(1).map(|before| shape.trips[before].stays) {
            None => "",
            Some(false) => " · ",
            Some(true) => " + ",
        };
        let facing = if trip.count.facing { " facing" } else { "" };
        write!(
            trips,
            "{between}{}×{}{facing}",
            trip.of_thread, trip.count.work
        )?;
    }
    let [load, store] = shape.accesses.map(bytes);
    writeln!(out, "  trips  load {load} · {trips} · store {store}")
}

/// What exchanges take beside the fewest wavefronts of shared memory, if they do.
fn waits(shape: &PassShape) -> String {
    let exchanges = shape.trips.iter().take(shape.trips.len().saturating_sub(1));
    let exchanges = exchanges.filter(|trip| !trip.stays).count().max(1) as f64;
    match shape.bank_waits() / (2.0 * exchanges) {
        few if few < 0.005 => String::new(),
        waits => format!(
            "; exchanges take {:.2} times the fewest wavefronts",
            1.0 + waits
        ),
    }
}

fn factor_words(factor: Option<Factor>) -> String {
    match factor {
        None => String::new(),
        Some(Factor::Roots {
            length,
            turned,
            first,
            ..
        }) => {
            let turn = if turned { "-i and " } else { "" };
            let from = match first {
                0 => String::new(),
                first => format!(" from line {first} on"),
            };
            format!(", times {turn}roots of order {length}{from}")
        }
        Some(Factor::Chirp { length, .. }) => format!(", times the chirp of {length}"),
    }
}

/// `the dct2's 4096 reals`, `the dct1's 65537 reals, by real columns of 256`.
fn line_words(line: RealLine) -> String {
    let by = match line.form {
        LineForm::Columns(length) => format!(", by real columns of {length}"),
        LineForm::Whole | LineForm::Packed => String::new(),
    };
    format!("the {}'s {} reals{by}", line.kind.row().name, line.length)
}

fn axis_words(axis: &TileAxis) -> String {
    format!(
        "axis {} ({} of {})",
        axis.axis,
        axis.kind.row().name,
        axis.length
    )
}

/// How one side is reached: `stride 2, points 0..64`; in points where real and imaginary
/// parts lie side by side, else in scalars. `in runs of 8` says that points lie so, `lines in runs of 8` that lines do.
fn side(pass: &Pass, end: End) -> String {
    let side = pass.side(end);
    let interleaved = side.domain == Domain::Complex && side.imaginary == 1;
    let axis = |axis: &TileAxis| {
        let stride = axis.map(end).stride / if interleaved { 2 } else { 1 };
        let range = &axis.ranges[end];
        match *range == (0..pass.points_of_axis(axis, end)) {
            true => format!("stride {stride}"),
            false => format!("stride {stride}, only {}..{}", range.start, range.end),
        }
    };
    let axes: Vec<String> = pass.axes.iter().map(axis).collect();
    let mut text = axes.join(" and ");
    if let Some(runs) = pass.axes.iter().find_map(|a| a.map(end).runs) {
        let _ = write!(text, ", in runs of {}", runs.points);
    }
    if let Some(runs) = pass.loops.iter().find_map(|l| l.map(end).runs) {
        let _ = write!(text, ", lines in runs of {}", runs.points);
    }
    if side.domain == Domain::Complex && side.imaginary != 1 {
        let _ = write!(text, ", imaginary parts {} on", side.imaginary);
    }
    if let Some(edges) = side.edges {
        let _ = write!(text, ", {} edge points a line from scratch", edges.count);
    }
    text
}

/// ` · exchange · split of points k and 1000-k`, where the pass does that.
fn halves(pass: &Pass, end: End) -> String {
    let Some(mirrored) = pass.side(end).mirrored else {
        return String::new();
    };
    let m = mirrored.points;
    let points = match mirrored.images {
        Images::Parts => format!("points k and {m}-k"),
        Images::Rows(_) => format!("points k and {m}-k of rows a and -a"),
        Images::Facing => return String::new(),
    };
    match end {
        End::Load => format!("merge of {points} · exchange · "),
        End::Store => format!(" · exchange · split of {points}"),
    }
}

/// `DFT 8 · twiddle 64 · exchange · DFT 8`; a DFT that the pass' engine does not compute says which one does.
fn steps(steps: &[Step], of_pass: Engine) -> String {
    if steps.is_empty() {
        return "none".into();
    }
    let words: Vec<String> = steps
        .iter()
        .map(|step| match step {
            Step::Line {
                length, library, ..
            } => format!("DFT {length} by {library}"),
            Step::Dft { radix, engine, .. } if *engine != of_pass => {
                format!("DFT {radix} by {}", engine.name())
            }
            Step::Dft { radix, .. } => format!("DFT {radix}"),
            Step::Twiddle { length, .. } => format!("twiddle {length}"),
            Step::Exchange => "exchange".into(),
            Step::AllToAll => "all-to-all".into(),
            Step::Chirp { length, padded, .. } => {
                format!("chirp {length}, a convolution of {padded} in two of what follows")
            }
            Step::Rader { length, .. } => {
                let points = length - 1;
                format!("Rader {length}, a convolution of {points} in two of what follows")
            }
            Step::RealColumns { columns, rows, .. } => {
                format!("columns of {columns} reals, then rows of {rows}")
            }
            Step::Convolve { length, padded, .. } => {
                format!("times the spectrum of the chirp of {length} in {padded}, then back")
            }
        })
        .collect();
    words.join(" · ")
}

/// `1.5 MiB`.
fn bytes(n: usize) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0 && value.fract() != 0.0 && value < 100.0);
    format!("{value:.digits$} {}", UNITS[unit])
}
