//! A pass, lowered: from the words of [`crate::pass`] to the numbers that the kernel is
//! compiled for, the tables it looks up, and the shape of its launch.
//!
//! The steps of a pass become trips through registers ([`trips`]): each DFT of a few points,
//! the split or merge of half spectra, and copies where the first or the last trip would
//! touch memory in pieces shorter than a sector.

use super::config::*;
use super::driver::{Geometry, Vendor};
use super::matrices;
use super::program::Program;
use super::tables::Tables;
use super::trips::{self, Trip};
use crate::error::{Error, Result};
use crate::pass::{Engine, Factor, Pass, Slot};
use crate::precision::{Operand, ScalarType};
use crate::{radix, Direction, Domain};

/// Points of shared memory between two unused ones: 128 bytes of them.
fn bank_row(double: bool) -> usize {
    if double {
        8
    } else {
        16
    }
}

/// Values that a thread should hold, and the most it may.
const VALUES: usize = 16;
/// The same for matrix steps, whose products take the registers of as many again, and of FP64.
const MATRIX_VALUES: usize = 8;

/// A pass ready to be compiled and launched.
#[derive(Debug, Clone)]
pub struct Lowered {
    /// What is compiled.
    pub program: Program,
    /// Tables of complex numbers.
    pub tables: Vec<u8>,
    /// Fragments of DFT matrices.
    pub matrices: Vec<u8>,
    /// Lines of the whole pass.
    pub lines: u64,
    /// Blocks of the launch.
    pub blocks: u64,
    /// Where lines come from: the memory and scalars before the first.
    pub load: (Slot, usize),
    /// Where they go.
    pub store: (Slot, usize),
    /// Scalars of scratch before the first edge point.
    pub edges: Option<usize>,
    /// The factor of every stored value.
    pub scale: f64,
    /// Bytes of a scalar.
    pub scalar_bytes: usize,
    /// Bytes at whose multiples the loaded and the stored memory must begin.
    pub alignment: usize,
}

/// Lowers a pass for a device of this shape.
pub fn lower(pass: &Pass, geometry: &Geometry) -> Result<Lowered> {
    let double = pass.storage == ScalarType::F64;
    let mut tables = Tables::new(double);
    let loops = ordered_loops(pass);
    // Axes as they lie in memory, the outermost first.
    let mut order: Vec<usize> = (0..pass.axes.len()).collect();
    order.sort_by_key(|&i| {
        std::cmp::Reverse(pass.axes[i].load_stride.max(pass.axes[i].store_stride))
    });
    let mut trips = trips::trips(pass, &order, &mut tables)?;
    let lines: u64 = pass.loops.iter().map(|l| l.count as u64).product();
    let tile_lines = pass
        .tile
        .lines
        .max(1)
        .min(usize::try_from(lines).unwrap_or(usize::MAX));
    let innermost = loops.last().map(|&i| pass.loops[i]);
    stage(pass, &mut trips, innermost, tile_lines, &order);
    let (last_trip, trip_count) = (trips.len() - 1, trips.len());
    if trip_count > MAX_STEPS || loops.len() > MAX_LOOPS || order.len() > MAX_AXES {
        return Err(Error::Unsupported {
            what: format!("a pass of {trip_count} steps in {} loops", loops.len()),
            backend: "the device code".into(),
            instead: format!("ask for larger radices: {MAX_STEPS} steps fit one pass"),
        });
    }

    // Threads: as many as give each about VALUES values.
    let (columns, rows) = matrices::columns(geometry.vendor, pass.operand);
    let matrix = pass.engine == Engine::Matrix;
    let most_points = trips.iter().map(Trip::points).max().unwrap_or(1) * tile_lines;
    // Half of the threads where a value takes twice the registers; a quarter where products
    // take some of them.
    let most_threads = match (matrix, double) {
        (true, _) => geometry.threads / 4,
        (false, true) => geometry.threads / 2,
        (false, false) => geometry.threads,
    };
    let values = if matrix { MATRIX_VALUES } else { VALUES };
    let values = values.max(most_points.div_ceil(most_threads));
    let product = |t: &Trip| matrix && t.words.op == OP_DFT && t.words.engine != DENSE;
    let wanted = |trip: &Trip| match product(trip) {
        true => {
            let fill = matrices::fill(trip.words.radix as usize, geometry.vendor);
            let rounds = (values / (rows * fill.rank / 4)).max(1);
            let wave = columns * fill.copies * rounds;
            (tile_lines * trip.columns()).div_ceil(wave) * geometry.wave
        }
        false => threads_wanted(trip, tile_lines, values),
    };
    let threads = trips.iter().map(wanted).max().unwrap_or(1);
    let threads = threads
        .next_multiple_of(geometry.wave)
        .clamp(geometry.wave, most_threads);

    let complex = pass.load.domain == Domain::Complex && pass.store.domain == Domain::Complex;
    let plain = complex && pass.hermitian.is_none();
    let mut matrix_bytes = Vec::new();
    let mut steps: Vec<StepWords> = Vec::new();
    let mut held = 1;
    let mut shared_points = 0;
    for (i, trip) in trips.iter().enumerate() {
        let mut step = trip.words;
        let total = tile_lines * trip.columns();
        step.source = if i == 0 { MEMORY } else { SHARED };
        step.target = if i == last_trip { MEMORY } else { SHARED };
        if product(trip) {
            let fill = matrices::fill(step.radix as usize, geometry.vendor);
            step.engine = MATRIX;
            step.rank = fill.rank as i64;
            step.copies = fill.copies as i64;
            step.parts = parts(step.radix as usize, pass.operand, pass.split_matrix) as i64;
            let at_a_time = threads / geometry.wave * columns * fill.copies;
            step.groups = (total.div_ceil(at_a_time) * rows) as i64;
            held = held.max(step.groups as usize * fill.rank / 4);
            let word = if double { 8 } else { 4 };
            step.matrix = (matrix_bytes.len() / word) as i64;
            matrix_bytes.extend(matrices::fragments(
                step.radix as usize,
                step.inverse != 0,
                geometry.vendor,
                pass.operand,
                step.parts as usize,
            ));
        } else {
            step.groups = total.div_ceil(threads) as i64;
            held = held.max(step.groups as usize * trip.values());
        }
        step.pitch_in = pitch(trip.points_in(), tile_lines, double) as i64;
        step.pitch_out = pitch(trip.points_out(), tile_lines, double) as i64;
        if i > 0 {
            shared_points = shared_points.max(step.pitch_in as usize * tile_lines);
        }
        if i < last_trip {
            shared_points = shared_points.max(step.pitch_out as usize * tile_lines);
        }
        steps.push(step);
    }
    if held > 64 {
        return Err(Error::Unsupported {
            what: format!("a tile of {most_points} points, {held} to a thread,"),
            backend: "the device code".into(),
            instead: "64 values a thread are the most; plan for a smaller tile".into(),
        });
    }
    let point_bytes = if double { 16 } else { 8 };
    let shared_bytes = match shared_points {
        0 => 0,
        points => (points + points / bank_row(double) + 1) * point_bytes,
    };
    if shared_bytes > geometry.shared_bytes {
        return Err(Error::Unsupported {
            what: format!("a tile of {shared_bytes} bytes"),
            backend: "this device".into(),
            instead: format!(
                "{} bytes are shared by a block; plan for its limits",
                geometry.shared_bytes
            ),
        });
    }

    let tiles = lines.div_ceil(tile_lines as u64);
    let mut config = Config {
        head: HeadWords {
            storage: storage_word(pass.storage),
            operand: operand_word(pass.operand),
            threads: threads as i64,
            residents: residents(geometry, threads, held, double, &trips, [matrix, plain]) as i64,
            lines: tile_lines as i64,
            values: held as i64,
            steps: trip_count as i64,
            axes: order.len() as i64,
            loops: loops.len() as i64,
            wide: i64::from(lines > u64::from(u32::MAX)),
            many_tiles: i64::from(tiles > geometry.blocks),
            edges: pass.edges.map_or(0, |e| e.count as i64),
            roots_loop: -1,
            ..Default::default()
        },
        loops: loop_words(pass, &loops),
        axes: Vec::new(),
        steps,
    };
    factors(pass, &loops, &mut config, &mut tables);
    sides(pass, &order, &mut config);
    // The count of the outermost loop is no constant: a batch of another size is no other
    // program.
    if let Some(outermost) = config.loops.first_mut() {
        outermost.count = 1;
    }
    let vector = |flag: i64| if flag != 0 { 2 } else { 1 };
    let widest = vector(config.head.load_vector).max(vector(config.head.store_vector));
    Ok(Lowered {
        program: Program {
            entry: "mmafft_pass",
            config: config.words(),
            threads,
            shared_bytes,
        },
        tables: tables.bytes(),
        matrices: matrix_bytes,
        lines,
        blocks: tiles.min(geometry.blocks).max(1),
        load: (pass.load.slot, pass.load.offset),
        store: (pass.store.slot, pass.store.offset),
        edges: pass.edges.map(|e| e.offset),
        scale: pass.scale,
        scalar_bytes: pass.storage.bytes(),
        alignment: pass.storage.bytes() * widest,
    })
}

/// The loops, those of long strides outermost: neighbouring lines of a tile then are
/// neighbours in memory, on the side where a line's own points are not.
fn ordered_loops(pass: &Pass) -> Vec<usize> {
    let mut loops: Vec<usize> = (0..pass.loops.len()).collect();
    let [axis] = &pass.axes[..] else {
        return loops;
    };
    let contiguous = pass.loops.iter().all(|l| l.load >= axis.load_stride);
    loops.sort_by_key(|&i| {
        let l = pass.loops[i];
        std::cmp::Reverse(if contiguous { l.store } else { l.load })
    });
    loops
}

fn loop_words(pass: &Pass, order: &[usize]) -> Vec<LoopWords> {
    // Edge points lie in the order of the pass' own loops; a split line's parts share them.
    let mut edge = vec![0; pass.loops.len()];
    let mut next = pass.edges.map_or(0, |e| e.count);
    for (i, l) in pass.loops.iter().enumerate().rev() {
        if l.load_index == 0 {
            edge[i] = next;
            next *= l.count;
        }
    }
    let words = |&i: &usize| LoopWords {
        count: pass.loops[i].count as i64,
        load: pass.loops[i].load as i64,
        store: pass.loops[i].store as i64,
        load_index: pass.loops[i].load_index as i64,
        store_index: pass.loops[i].store_index as i64,
        edge: edge[i] as i64,
    };
    order.iter().map(words).collect()
}

/// Blocks whose registers a multiprocessor is to hold at once: the compiler would otherwise
/// fetch every twiddle before it uses the first, and leave room for half of them.
fn residents(
    geometry: &Geometry,
    threads: usize,
    values: usize,
    double: bool,
    trips: &[Trip],
    [matrix, plain]: [bool; 2],
) -> usize {
    let words = if double { 4 } else { 2 };
    // Powers of two in constant strides need the fewest temporaries and addresses; behind
    // Rader's point 0 no stride is constant.
    let simple =
        |t: &Trip| t.words.op == OP_DFT && t.values().is_power_of_two() && t.words.after == 0;
    let beside = match plain && trips.iter().all(simple) {
        _ if matrix => 160,
        true => 40,
        false if trips.iter().any(|t| t.words.offset > 0) => 128,
        false => 64,
    };
    let beside = if double { beside * 3 / 2 } else { beside };
    // Registers are dealt out to four waves at a time.
    let needed = threads.next_multiple_of(4 * geometry.wave) * (values * words + beside);
    (geometry.registers / needed).clamp(1, 2048 / threads)
}

/// Into how many 16-bit parts the DFT matrix of a radix is split: one where 16 bits hold it,
/// two else; three for odd radices of FP16, whose short transforms have so few roundings
/// that the truncated sums of two would be seen.
pub fn parts(radix: usize, operand: Operand, split_matrix: bool) -> usize {
    let exact = radix::find(radix).is_some_and(|row| row.exact);
    match operand {
        Operand::Half | Operand::Bf16 => 1,
        _ if exact || !split_matrix => 1,
        Operand::SplitHalf if !radix.is_multiple_of(2) => 3,
        _ => 2,
    }
}

/// How many threads give each about `values` values of a trip.
fn threads_wanted(trip: &Trip, lines: usize, values: usize) -> usize {
    let groups = (values / trip.values()).max(1);
    (lines * trip.columns()).div_ceil(groups)
}

/// Points from line to line in shared memory. Where a power of two would put neighbouring
/// lines into the same banks, a few more.
fn pitch(points: usize, lines: usize, double: bool) -> usize {
    let row = bank_row(double);
    if lines > 1 && points.is_multiple_of(row) {
        points + (row / lines).max(1)
    } else {
        points
    }
}

/// Inserts copies between memory and shared memory where the first or the last trip would
/// move less than a sector of 32 bytes at a time although the memory is contiguous.
fn stage(
    pass: &Pass,
    trips: &mut Vec<Trip>,
    innermost: Option<crate::pass::Loop>,
    lines: usize,
    order: &[usize],
) {
    let sector = 32;
    let point = 2 * pass.storage.bytes();
    let axis_of = |t: &Trip| &pass.axes[order[t.words.axis as usize]];

    // Loading.
    let first = trips[0];
    let axis = axis_of(&first);
    let load_unit = pass.load.domain.scalars();
    let by_line = innermost.is_some_and(|l| lines > 1 && l.load < axis.load_stride);
    let run = first.words.columns as usize * first.words.inner as usize * point;
    let plain = pass.hermitian.is_none()
        && pass.load_factor.is_none()
        && pass.edges.is_none()
        && first.words.op == OP_DFT
        && first.words.hermitian == 0
        && first.words.before == 0;
    let contiguous = axis.load_stride == load_unit && axis.load_index == 1;
    trips[0].words.lines_fast = i64::from(by_line);
    if plain && contiguous && !by_line && run < sector && first.words.points > 1 {
        let copy = trips[0].copy(false, order);
        trips[0].words.lines_fast = 0;
        trips.insert(0, copy);
    }

    // Storing.
    let last = *trips.last().expect("a pass has at least one trip");
    let axis = axis_of(&last);
    let store_unit = pass.store.domain.scalars();
    let by_line = innermost.is_some_and(|l| lines > 1 && l.store < axis.store_stride);
    let run = last.words.done.max(1) as usize * last.words.inner as usize * point;
    let plain = pass.store_factor.is_none() && last.words.op == OP_DFT && last.words.after == 0;
    let contiguous = axis.store_stride == store_unit && axis.store_index == 1;
    if plain && contiguous && !by_line && run < sector && last.words.points > 1 {
        let copy = last.copy(true, order);
        trips.push(copy);
    } else {
        let only = trips.len() == 1;
        let last = trips.last_mut().expect("a pass has at least one trip");
        // The only trip keeps to the order of its loads.
        if !only {
            last.words.lines_fast = i64::from(by_line);
        } else if by_line {
            last.words.lines_fast = 1;
        }
    }
}

/// The factors of the first load and the last store.
fn factors(pass: &Pass, loops: &[usize], config: &mut Config, tables: &mut Tables) {
    for (factor, before) in [(pass.load_factor, true), (pass.store_factor, false)] {
        let step = match before {
            true => config.steps.first_mut(),
            false => config.steps.last_mut(),
        };
        let step = step.expect("a pass has a step");
        match factor {
            None => {}
            Some(Factor::Roots {
                length,
                line_loop,
                direction,
            }) => {
                let bits = length.ilog2().div_ceil(2);
                let line_loop = loops.iter().position(|&l| l == line_loop);
                config.head.roots_low = i64::from(bits);
                config.head.roots_loop = line_loop.map_or(-1, |l| l as i64);
                let table = tables.roots(length, bits, direction == Direction::Inverse);
                if before {
                    step.before_roots = table;
                } else {
                    step.after_roots = table;
                }
            }
            Some(Factor::Chirp { length, direction }) => {
                let table = tables.chirp(length, direction);
                let words = (LINE_TABLE, table, length as i64);
                if before {
                    (step.before, step.before_table, step.before_length) = words;
                } else {
                    (step.after, step.after_table, step.after_length) = words;
                }
            }
        }
    }
}

/// How memory is reached on both sides.
fn sides(pass: &Pass, order: &[usize], config: &mut Config) {
    let pairs = |i: usize, domain: Domain| {
        let axis = &pass.axes[i];
        domain == Domain::Real && trips::packed(axis)
    };
    let halved = |domain: Domain| (0..pass.axes.len()).find(|&i| pairs(i, domain));
    let kind = |domain: Domain| match domain {
        Domain::Complex => COMPLEX,
        Domain::Real if halved(domain).is_some() => PAIRS,
        Domain::Real => REAL,
    };
    let head = &mut config.head;
    head.load_points = kind(pass.load.domain);
    head.store_points = kind(pass.store.domain);
    head.load_imaginary = match halved(pass.load.domain) {
        Some(i) => pass.axes[i].load_stride,
        None => pass.load.imaginary,
    } as i64;
    head.store_imaginary = match halved(pass.store.domain) {
        Some(i) => pass.axes[i].store_stride,
        None => pass.store.imaginary,
    } as i64;
    for &i in order {
        let axis = &pass.axes[i];
        let double = |yes: bool, stride: usize| (if yes { 2 * stride } else { stride }) as i64;
        let whole_in = axis.load_range == (0..trips::given(axis, pass));
        let whole_out = axis.store_range == (0..trips::made(axis, pass));
        config.axes.push(AxisWords {
            load_stride: double(pairs(i, pass.load.domain), axis.load_stride),
            store_stride: double(pairs(i, pass.store.domain), axis.store_stride),
            load_index: axis.load_index as i64,
            load_begin: axis.load_range.start as i64,
            load_end: if whole_in {
                NO_END
            } else {
                axis.load_range.end as i64
            },
            store_index: axis.store_index as i64,
            store_begin: axis.store_range.start as i64,
            store_end: if whole_out {
                NO_END
            } else {
                axis.store_range.end as i64
            },
        });
    }
    let even = |x: usize| x.is_multiple_of(2);
    let head = &mut config.head;
    let loads = pass.loops.iter().all(|l| even(l.load)) && even(pass.load.offset);
    let stores = pass.loops.iter().all(|l| even(l.store)) && even(pass.store.offset);
    let axes_load = config.axes.iter().all(|a| a.load_stride % 2 == 0);
    let axes_store = config.axes.iter().all(|a| a.store_stride % 2 == 0);
    head.load_vector =
        i64::from(head.load_points != REAL && head.load_imaginary == 1 && loads && axes_load);
    head.store_vector =
        i64::from(head.store_points != REAL && head.store_imaginary == 1 && stores && axes_store);
    // A copy without registers changes nothing on the way.
    let plain = head.load_points != REAL
        && head.load_vector != 0
        && matches!(pass.storage, ScalarType::F32 | ScalarType::F64)
        && config
            .axes
            .iter()
            .all(|a| a.load_begin == 0 && a.load_end == NO_END);
    let first = config.steps.first_mut().expect("a pass has a step");
    let factored = first.before != 0 || first.before_roots >= 0;
    let unchanged = first.hermitian == 0 && !factored && first.columns == first.input;
    let staged = first.op == OP_COPY && first.target == SHARED;
    first.copy_async = i64::from(plain && staged && unchanged);
}

fn storage_word(storage: ScalarType) -> i64 {
    match storage {
        ScalarType::F64 => 0,
        ScalarType::F32 => 1,
        ScalarType::F16 => 2,
        ScalarType::Bf16 => 3,
    }
}

fn operand_word(operand: Operand) -> i64 {
    match operand {
        Operand::Half => 0,
        Operand::Bf16 => 1,
        Operand::SplitHalf => 2,
        Operand::SplitBf16 => 3,
        Operand::F32 => 4,
        Operand::F64 => 5,
    }
}

/// The program of an operation on vectors of `points` numbers: `mmafft_split`,
/// `mmafft_combine`.
pub fn vector_program(entry: &'static str, points: usize) -> Program {
    let step = StepWords {
        points: points as i64,
        ..Default::default()
    };
    operation(entry, 256, step)
}

/// The program that multiplies vectors of `radix` complex points by the DFT matrix.
pub fn product_program(radix: usize, vendor: Vendor) -> Program {
    let fill = matrices::fill(radix, vendor);
    let (_, rows) = matrices::columns(vendor, Operand::SplitHalf);
    let step = StepWords {
        op: OP_DFT,
        engine: MATRIX,
        radix: radix as i64,
        points: radix as i64,
        done: 1,
        groups: rows as i64,
        rank: fill.rank as i64,
        copies: fill.copies as i64,
        parts: parts(radix, Operand::SplitHalf, true) as i64,
        ..Default::default()
    };
    operation("mmafft_product", 128, step)
}

fn operation(entry: &'static str, threads: usize, step: StepWords) -> Program {
    let config = Config {
        head: HeadWords {
            storage: 1,
            operand: operand_word(Operand::SplitHalf),
            threads: threads as i64,
            residents: 1,
            lines: 1,
            values: 1,
            steps: 1,
            ..Default::default()
        },
        steps: vec![step],
        ..Default::default()
    };
    Program {
        entry,
        config: config.words(),
        threads,
        shared_bytes: 0,
    }
}
