//! Copies between memory and shared memory, which keep memory accesses whole.
//!
//! They are trips of their own, where the first or the last trip would
//! move less than a sector of 32 bytes at a time although the memory is contiguous.

use super::banks;
use super::config::*;
use super::trip::Trip;
use crate::map::Runs;
use crate::pass::{Loop, Pass, TileAxis};
use crate::real::{Middle, Order, Pairing};
use crate::side::End;

/// Bytes that memory moves at least.
const SECTOR: usize = 32;

/// A pass whose trips may need copies.
pub struct Copies<'a> {
    pub pass: &'a Pass,
    /// Its axes as they lie in memory, the outermost first.
    pub order: &'a [usize],
    pub innermost: Option<Loop>,
    /// Lines of a tile.
    pub lines: usize,
    /// Whether memory lets reals move in pairs.
    pub pairs: bool,
}

impl Copies<'_> {
    /// Inserts them, and says in what order trips have their columns where they meet memory.
    pub fn insert(&self, trips: &mut Vec<Trip>) {
        if self.pass.tile.residency.blocks() > 1 {
            self.order_of_cluster(trips);
        } else {
            // Rader's powers of a generator are in whichever banks. Lanes that have one of them of neighbouring lines, an odd
            // number of cells apart, meet in none, where there are so many lines; of half as many in pairs.
            for trip in trips.iter_mut().filter(|trip| trip.words.offset > 0) {
                let wide = 2 * self.lines * self.cell() >= banks::WAVEFRONT;
                trip.words.lines_fast = i64::from(wide);
            }
            self.load(trips);
            self.store(trips);
        }
        alike(trips);
    }

    /// Bytes of a point in memory.
    fn point(&self) -> usize {
        2 * self.pass.math.storage.bytes()
    }

    /// The same on chip.
    fn cell(&self) -> usize {
        2 * self.pass.math.storage.compute_bytes()
    }

    fn axis(&self, trip: &Trip) -> &TileAxis {
        &self.pass.axes[self.order[trip.words.axis as usize]]
    }

    /// Whether lines lie closer than points that are so far apart.
    fn by_line(&self, end: End, points: usize) -> bool {
        let closer = |l: Loop| self.lines > 1 && l.map(end).stride < points;
        self.innermost.is_some_and(closer)
    }

    /// A cluster's blocks have whole sectors of rows, or are not asked for. Lines beside each other are the rows where
    /// they lie closer than the points of either part.
    fn order_of_cluster(&self, trips: &mut [Trip]) {
        let by_line = |end: End| {
            let closest = self.pass.axes.iter().map(|a| a.map(end).stride).min();
            i64::from(closest.is_some_and(|points| self.by_line(end, points)))
        };
        let last = trips.len() - 1;
        trips[0].words.lines_fast = by_line(End::Load);
        trips[last].words.lines_fast = by_line(End::Store);
    }

    /// The order of the first trip, and the copy before it.
    fn load(&self, trips: &mut Vec<Trip>) {
        let pass = self.pass;
        let first = trips[0];
        let axis = self.axis(&first);
        let by_line = self.by_line(End::Load, axis.load.stride);
        let run = first.words.columns as usize * first.words.inner as usize * self.point();
        // A copy also brings half a spectrum to the only column of a line, which merges it.
        let plain = pass.load.hermitian.is_none()
            && pass.load.factor.is_none()
            && pass.load.edges.is_none()
            && pass.reals(End::Load).is_none()
            && first.words.op == OP_DFT
            && (first.words.hermitian == 0 || first.words.facing != 0)
            && !first.in_pairs()
            && first.words.before == 0;
        let contiguous = axis.load.stride == pass.load.domain.scalars() && axis.load.index == 1;
        trips[0].words.lines_fast =
            lines_fast(&first, by_line, axis.load.runs, self.lines, self.cell());
        if plain && contiguous && !by_line && run < SECTOR && first.words.points > 1 {
            let copy = trips[0].copy(false, self.order);
            trips[0].words.lines_fast = 0;
            // Half spectra on chip have the imaginary parts of their ends ignored.
            trips[0].words.hermitian = 0;
            trips.insert(0, copy);
        }
        // Half spectra of reals are from both ends of their lines: DCT-III of 64x64 in FP64 ran at 0.81 of a copy on an H100 by
        // loads of these, at 0.97 by a copy; DHT of 128x128 in FP32, of neighbouring reals, at 0.91 and 0.86.
        let merges = pass.reduction(axis).middle == Middle::Merge;
        let several = pass.axes_of_reals() && trips.len() > 1 && (run < SECTOR || merges);
        let alone = contiguous && run < SECTOR && a_line_a_thread(pass, &first);
        if self.pairs && !by_line && (alone || several) {
            if let Some(copy) = copy_of_reals(pass, &trips[0], self.order, alone) {
                trips[0].words.lines_fast = 0;
                trips[0].words.reals_in = REALS_LOADED;
                trips.insert(0, copy);
            }
        }
    }

    /// The order of the last trip, and the copy behind it.
    fn store(&self, trips: &mut Vec<Trip>) {
        let pass = self.pass;
        let last = *trips.last().expect("a pass has at least one trip");
        let axis = self.axis(&last);
        let by_line = self.by_line(End::Store, axis.store.stride);
        let beside = last.words.done / last.words.joined.max(1);
        let run = beside.max(1) as usize * last.words.inner as usize * self.point();
        let memory = pass.store.factor.is_none() && pass.reals(End::Store).is_none();
        let plain = memory && last.words.op == OP_DFT && !last.in_pairs() && last.words.after == 0;
        let contiguous = axis.store.stride == pass.store.domain.scalars() && axis.store.index == 1;
        let short = contiguous && run < SECTOR && last.words.points > 1;
        // A split's results are a run from either end of the line.
        let from_ends = last.words.columns as usize * pass.math.storage.bytes();
        let split = last.words.op == OP_SPLIT && contiguous && from_ends < SECTOR;
        let alone = split && line_of_reals(pass, &last) || short && a_line_a_thread(pass, &last);
        let scattered = self.pairs && !by_line && !last.in_pairs() && ordered(pass, &last, alone);
        if plain && short && !by_line {
            let copy = last.copy(true, self.order);
            trips.push(copy);
        } else if scattered {
            let mut copy = last.copy(true, self.order);
            of_pairs(&mut copy.words, axis.length.div_ceil(2));
            let last = trips.last_mut().expect("a pass has at least one trip");
            last.words.reals_out = REALS_STORED;
            trips.push(copy);
        } else {
            let only = trips.len() == 1;
            let last = trips.last_mut().expect("a pass has at least one trip");
            // The only trip keeps to the order of its loads.
            if !only {
                last.words.lines_fast =
                    lines_fast(last, by_line, axis.store.runs, self.lines, self.cell());
                // What rows of one line store lies beside what the next ones do.
                let beside = last.words.folded != 0 && last.words.inner == 1;
                last.words.outer_fast = i64::from(beside && last.words.lines_fast == 0);
            } else if by_line {
                last.words.lines_fast = 1;
            }
        }
    }
}

/// In what order a step has columns where it meets memory: each of all lines in turn; or those of a run, or of a few,
/// where those of the next line lie behind it: as many as shared memory moves points at a time, so that the lanes that it
/// looks at together have one line; else those of a line.
fn lines_fast(trip: &Trip, by_line: bool, runs: Option<Runs>, lines: usize, cell: usize) -> i64 {
    let step = &trip.words;
    let plain = step.op == OP_DFT && step.engine != ENGINE_DENSE && step.inner == 1 && lines > 1;
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
        if trips[i].words.source == PLACE_REGISTERS {
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
    let changed = words.before + words.after + words.folded + words.offset;
    let plain = changed == 0 && !trip.in_pairs() && words.from_table.max(words.to_table) < 0;
    let whole = pass.load.reals.is_none() && pass.store.reals.is_none();
    matches!(&pass.axes[..], [axis] if axis.kind.is_real_to_real()) && plain && whole
}

/// The copy of a tile's reals, in pairs, to where its first trip takes them from, which is of the innermost axis; of all axes
/// as one where they lie in a row. `None` where memory has them otherwise. Lines of an odd number, whose last is in no pair, only if
/// they are `alone`, or a thread's each, whose loads lie a line apart, and in a row: of a copy, on an H100, without and with it, R2HC of
/// 25x36x5 in FP64 0.72 and 0.91, DCT-III of 40x12x25 in FP32 0.46 and 0.60.
fn copy_of_reals(pass: &Pass, first: &Trip, order: &[usize], alone: bool) -> Option<Trip> {
    let innermost = order.last().map(|&i| &pass.axes[i])?;
    let beside = first.words.axis as usize + 1 == order.len() && innermost.load.stride == 1;
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
        (&pass.axes[..], pass.store.reals, pass.reals(End::Store))
    else {
        return false;
    };
    let whole =
        last.words.op == OP_DFT && last.words.after == 0 && 2 * last.words.output == length as i64;
    let gaps = matches!(
        (side.pairing, side.order),
        (Pairing::Pairs, Order::EvenOdd) | (Pairing::Ends, Order::Natural)
    );
    axis.store.stride == 1 && (alone || whole && length >= 64 && gaps)
}
