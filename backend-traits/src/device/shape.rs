//! The shape of a launch: threads, registers, shared memory, and the copies that keep memory
//! accesses whole.

use super::banks;
use super::columns;
use super::config::*;
use super::trip::Trip;
use crate::geometry::Geometry;
use crate::pass::{Engine, Loop, Pass, Runs, Step, TileAxis};
use crate::precision::ScalarType;
use crate::real::{Middle, Order, Pairing};
use crate::tile::Launch;
use crate::Domain;

/// Blocks whose registers a multiprocessor is to hold at once: the compiler would otherwise
/// fetch every twiddle before it uses the first, and leave room for half of them. What does not fit is asked for anew
/// with fewer (`Program::relaxed`).
pub fn residents(
    pass: &Pass,
    trips: &[Trip],
    geometry: &Geometry,
    threads: usize,
    values: usize,
) -> usize {
    let double = pass.storage == ScalarType::F64;
    let complex = pass.load.domain == Domain::Complex && pass.store.domain == Domain::Complex;
    let plain = complex && pass.hermitian.is_none() && pass.mirrored.is_none();
    // Of type I that threads have whole lines of, values are reals.
    let copies = |t: &&Trip| t.words.op != OP_COPY;
    let mut steps = trips.iter().filter(copies).peekable();
    let reals = steps.peek().is_some() && steps.all(|t| t.words.type_one != 0);
    let each = if reals { 1 } else { 2 };
    let words = if double { 2 * each } else { each };
    // No copies, merges, splits or chirps, which have temporaries and addresses of their own, nor other columns of more than
    // 24 points than those of powers of two; behind Rader's point 0 no stride is constant.
    let small = |t: &Trip| t.values().is_power_of_two() || t.values() <= 24;
    let simple = |t: &Trip| t.words.op == OP_DFT && t.words.before + t.words.after == 0 && small(t);
    let beside = match plain && trips.iter().all(simple) {
        _ if pass.engine == Engine::Matrix => 96,
        _ if trips.iter().any(|t| t.words.offset > 0) => 128,
        // Sums of even points beside those of odd ones, and what they are made of.
        _ if trips.iter().any(|t| t.words.engine == DENSE) => 64 + values * words,
        true => 32,
        // Of 27 points gfx942 needs more than 256.
        _ if double && !trips.iter().all(small) => 100,
        // A thread that copies computes an address for every point.
        false if trips.iter().any(|t| t.words.op == OP_COPY) => 64,
        false => 48,
    };
    let beside = if double { beside * 3 / 2 } else { beside };
    // Registers are dealt out by eights, to waves, of which there are multiples of four: in all, or (products, whose
    // registers are harder to tell) in each block.
    let registers = (values * words + beside).next_multiple_of(8);
    let waves = geometry.registers / (geometry.wave * registers) / 4 * 4;
    let of_block = threads.div_ceil(geometry.wave);
    let of_block = match pass.engine {
        Engine::Matrix => of_block.next_multiple_of(4),
        Engine::Simt => of_block,
    };
    (waves / of_block).clamp(1, 2048 / threads)
}

/// Whether threads have places of reals beside the twiddles of a convolution: in FP32 half of them are launched at most.
pub fn places_beside_twiddles(pass: &Pass) -> bool {
    let convolution = |s: &Step| matches!(s, Step::Chirp { .. } | Step::Convolve { .. });
    pass.real_load().is_some() && pass.steps.iter().any(convolution)
}

/// The shape of the launch: as measured, or as registers suggest; and only what the pass allows.
pub fn launch(
    pass: &Pass,
    config: &Config,
    threads: usize,
    geometry: &Geometry,
    trips: &[Trip],
    held: usize,
) -> Launch {
    let residents = residents(pass, trips, geometry, threads, held);
    let asked = pass.tile.launch.unwrap_or(Launch::new(threads, residents));
    let last = config.steps.len() - 1;
    let plain = |(i, s): (usize, &StepWords)| {
        s.op == OP_DFT
            && s.engine != DENSE
            && (s.reals_in, s.reals_out) == (NO_REALS, NO_REALS)
            && s.offset == 0
            && (i == 0 || (s.before == 0 && s.hermitian == 0))
            && (i == last || s.after == 0)
    };
    Launch {
        threads,
        residents: asked.residents.clamp(1, 2048 / threads),
        // Blocks do not exchange parts apart: see `cluster_ready` of the device code.
        apart: asked.apart
            && config.head.blocks == 1
            && !columns::any(pass)
            && config.steps.iter().enumerate().all(plain),
        ..asked
    }
}

/// How many threads give each about `values` values of a trip.
pub fn threads_wanted(trip: &Trip, lines: usize, values: usize) -> usize {
    let groups = (values / trip.values()).max(1);
    (lines * trip.columns()).div_ceil(groups)
}

/// Inserts copies between memory and shared memory where the first or the last trip would
/// move less than a sector of 32 bytes at a time although the memory is contiguous; of reals, where memory lets them move
/// in `pairs`.
pub fn insert_copies(
    pass: &Pass,
    trips: &mut Vec<Trip>,
    innermost: Option<Loop>,
    lines: usize,
    order: &[usize],
    pairs: bool,
) {
    // A cluster's blocks have whole sectors of rows, or are not asked for. Lines beside each other are the rows where
    // they lie closer than the points of either part.
    if pass.tile.residency.blocks() > 1 {
        let closest = |stride: fn(&TileAxis) -> usize| pass.axes.iter().map(stride).min();
        let by_line = |of_loop: fn(&Loop) -> usize, of_axis| {
            innermost.is_some_and(|l| lines > 1 && Some(of_loop(&l)) < closest(of_axis))
        };
        let ends = [
            (0, by_line(|l| l.load, |a| a.load_stride)),
            (trips.len() - 1, by_line(|l| l.store, |a| a.store_stride)),
        ];
        for (trip, by_line) in ends {
            trips[trip].words.lines_fast = i64::from(by_line);
        }
        alike(trips);
        return;
    }
    let sector = 32;
    let point = 2 * pass.storage.bytes();
    let cell = 2 * pass.storage.compute_bytes();
    // Rader's powers of a generator are in whichever banks. Lanes that have one of them of neighbouring lines, an odd
    // number of cells apart, meet in none, where there are so many lines; of half as many in pairs.
    for trip in trips.iter_mut().filter(|trip| trip.words.offset > 0) {
        trip.words.lines_fast = i64::from(2 * lines * cell >= banks::WAVEFRONT);
    }
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
        && pass.real_load().is_none()
        && first.words.op == OP_DFT
        && first.words.hermitian == 0
        && first.words.facing == 0
        && first.words.before == 0;
    let contiguous = axis.load_stride == load_unit && axis.load_index == 1;
    trips[0].words.lines_fast = lines_fast(&first, by_line, axis.load_runs, lines, cell);
    if plain && contiguous && !by_line && run < sector && first.words.points > 1 {
        let copy = trips[0].copy(false, order);
        trips[0].words.lines_fast = 0;
        trips.insert(0, copy);
    }
    // Half spectra of reals are from both ends of their lines: DCT-III of 64x64 in FP64 ran at 0.81 of a copy on an H100 by
    // loads of these, at 0.97 by a copy; DHT of 128x128 in FP32, of neighbouring reals, at 0.91 and 0.86.
    let merges = pass.reduction(axis).middle == Middle::Merge;
    let several = pass.axes_of_reals() && trips.len() > 1 && (run < sector || merges);
    let alone = contiguous && run < sector && a_line_a_thread(pass, &first);
    if pairs && !by_line && (alone || several) {
        if let Some(copy) = copy_of_reals(pass, &trips[0], order, alone) {
            trips[0].words.lines_fast = 0;
            trips[0].words.reals_in = REALS_LOADED;
            trips.insert(0, copy);
        }
    }

    // Storing.
    let last = *trips.last().expect("a pass has at least one trip");
    let axis = axis_of(&last);
    let store_unit = pass.store.domain.scalars();
    let by_line = innermost.is_some_and(|l| lines > 1 && l.store < axis.store_stride);
    let beside = last.words.done / last.words.joined.max(1);
    let run = beside.max(1) as usize * last.words.inner as usize * point;
    let memory = pass.store_factor.is_none() && pass.real_store().is_none();
    let plain =
        memory && last.words.op == OP_DFT && last.words.facing == 0 && last.words.after == 0;
    let contiguous = axis.store_stride == store_unit && axis.store_index == 1;
    let short = contiguous && run < sector && last.words.points > 1;
    // A split's results are a run from either end of the line.
    let from_ends = last.words.columns as usize * pass.storage.bytes();
    let split = last.words.op == OP_SPLIT && contiguous && from_ends < sector;
    let alone = split && line_of_reals(pass, &last) || short && a_line_a_thread(pass, &last);
    let scattered = pairs && !by_line && last.words.facing == 0 && ordered(pass, &last, alone);
    if plain && short && !by_line {
        let copy = last.copy(true, order);
        trips.push(copy);
    } else if scattered {
        let mut copy = last.copy(true, order);
        of_pairs(&mut copy.words, axis.length.div_ceil(2));
        let last = trips.last_mut().expect("a pass has at least one trip");
        last.words.reals_out = REALS_STORED;
        trips.push(copy);
    } else {
        let only = trips.len() == 1;
        let last = trips.last_mut().expect("a pass has at least one trip");
        // The only trip keeps to the order of its loads.
        if !only {
            last.words.lines_fast = lines_fast(last, by_line, axis.store_runs, lines, cell);
            // What rows of one line store lies beside what the next ones do.
            let beside = last.words.folded != 0 && last.words.inner == 1;
            last.words.outer_fast = i64::from(beside && last.words.lines_fast == 0);
        } else if by_line {
            last.words.lines_fast = 1;
        }
    }
    alike(trips);
}

/// In what order a step has columns where it meets memory: each of all lines in turn; or those of a run, or of a few,
/// where those of the next line lie behind it: as many as shared memory moves points at a time, so that the lanes that it
/// looks at together have one line; else those of a line.
fn lines_fast(trip: &Trip, by_line: bool, runs: Option<Runs>, lines: usize, cell: usize) -> i64 {
    let step = &trip.words;
    let plain = step.op == OP_DFT && step.engine != DENSE && step.inner == 1 && lines > 1;
    let whole = |n: &usize| (step.columns as usize).is_multiple_of(*n);
    let few = |runs: Runs| [runs.points.max(banks::WAVEFRONT / cell), runs.points];
    let columns = runs.and_then(|runs| few(runs).into_iter().find(whole));
    match columns.filter(|_| plain) {
        _ if by_line => 1,
        Some(columns) => columns as i64,
        None => 0,
    }
}

/// Lets steps that share their columns have them in one order.
fn alike(trips: &mut [Trip]) {
    for i in 1..trips.len() {
        if trips[i].words.source == REGISTERS {
            let fast = trips[i - 1].words.lines_fast.max(trips[i].words.lines_fast);
            trips[i - 1].words.lines_fast = fast;
            trips[i].words.lines_fast = fast;
        }
    }
}

/// Whether a trip gives each thread a whole line of reals, the tile's only axis, whose neighbours are other threads': what
/// these move at once lies a line apart. Of a copy, on an H100, without and with copies of what such trips load and store:
/// DCT-III of 16 reals of FP32 0.22 and 0.98, of FP64 0.29 and 0.91; DCT-IV of 28 0.17 and 1.00; DCT-II of 15 0.23 and 1.00;
/// with a split's results copied too R2HC of 10 0.77 and 0.98.
fn a_line_a_thread(pass: &Pass, trip: &Trip) -> bool {
    let words = &trip.words;
    words.op == OP_DFT && words.columns == 1 && words.points > 1 && line_of_reals(pass, trip)
}

/// Whether a trip moves the points of lines of reals as they are, whole ones that are the tile's only axis.
fn line_of_reals(pass: &Pass, trip: &Trip) -> bool {
    let words = &trip.words;
    let changed = words.before + words.after + words.facing + words.folded + words.offset;
    let plain = changed == 0 && words.from_table.max(words.to_table) < 0;
    let whole = pass.load_reals.is_none() && pass.store_reals.is_none();
    matches!(&pass.axes[..], [axis] if axis.kind.is_real_to_real()) && plain && whole
}

/// The copy of a tile's reals, in pairs, to where its first trip takes them from, which is of the innermost axis; of all axes
/// as one where they lie in a row. `None` where memory has them otherwise. Lines of an odd number, whose last is in no pair, only if
/// they are `alone`, or a thread's each, whose loads lie a line apart, and in a row: of a copy, on an H100, without and with it, R2HC of
/// 25x36x5 in FP64 0.72 and 0.91, DCT-III of 40x12x25 in FP32 0.46 and 0.60.
fn copy_of_reals(pass: &Pass, first: &Trip, order: &[usize], alone: bool) -> Option<Trip> {
    let innermost = order.last().map(|&i| &pass.axes[i])?;
    let beside = first.words.axis as usize + 1 == order.len() && innermost.load_stride == 1;
    let mut copy = first.copy(false, order);
    let row = pass.loads_a_row();
    let even = [innermost.length, pass.load.offset]
        .iter()
        .all(|n| n.is_multiple_of(2));
    let line_a_thread = first.words.columns == 1 && first.words.folded == 0;
    if !beside || !(even || row && line_a_thread || alone) {
        return None;
    }
    let all = pass.axes.iter().map(|axis| axis.length).product();
    let reals = if row { all } else { innermost.length };
    of_pairs(&mut copy.words, reals.div_ceil(2));
    if row {
        copy.words.outer = 1;
    }
    Some(copy)
}

/// Lets a copy move so many pairs of reals, of an odd number half of the last.
fn of_pairs(copy: &mut StepWords, pairs: usize) {
    let pairs = pairs as i64;
    (copy.points, copy.columns, copy.input, copy.output) = (pairs, pairs, pairs, pairs);
}

/// Whether the last trip's reals are put beside each other before they go to memory, where they would
/// leave gaps there, or a few of a line move `alone`: partly written sectors cost more than a copy.
fn ordered(pass: &Pass, last: &Trip, alone: bool) -> bool {
    let ([axis], None, Some((side, length))) =
        (&pass.axes[..], pass.store_reals, pass.real_store())
    else {
        return false;
    };
    let whole =
        last.words.op == OP_DFT && last.words.after == 0 && 2 * last.words.output == length as i64;
    let gaps = matches!(
        (side.pairing, side.order),
        (Pairing::Pairs, Order::EvenOdd) | (Pairing::Ends, Order::Natural)
    );
    axis.store_stride == 1 && (alone || whole && length >= 64 && gaps)
}
