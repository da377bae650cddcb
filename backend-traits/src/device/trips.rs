//! The steps of a pass as trips through registers, with the tile's extents before and after
//! each. The file is long because the order of an axis' trips, of whatever kind, stands in one place
//! (`Builder::axis`), and what each adds to it beside that.

use super::columns;
use super::config::*;
use super::extents::{packed, points_before};
use super::matrices::Lanes;
use super::real;
use super::scaling;
use super::tables::{HalfRoots, Tables};
use super::trip::Trip;
use crate::error::Result;
use crate::geometry::Vendor;
use crate::kind::{Direction, Kind};
use crate::pass::{Pass, TileAxis};
use crate::precision::ScalarType;
use crate::radix;
use crate::real::{CoreLength, Middle, Pairing};
use crate::side::{End, Images, Mirrored};
use crate::step::{Engine, Step};

/// Trips so far, and the tile that they leave.
pub struct Builder<'a> {
    pub pass: &'a Pass,
    /// Extents of the tile's axes, in tile order, in points as they lie in shared memory.
    pub extent: Vec<usize>,
    /// The trips.
    pub trips: Vec<Trip>,
    /// In a cluster, whether the block's share of the other axis lies within the one that is
    /// transformed, or around it.
    pub share_within: Option<bool>,
    /// Whether reals of two points may move together, see [`super::Geometry::together`].
    pub together: bool,
    /// Of an axis by columns and rows, see [`super::columns`], what the trips are of.
    pub part: Option<LinePart>,
    /// What multiplies, on the matrix engine.
    pub products: Option<Products>,
    /// What the pass has in mirrored pairs, of this axis: of a cluster's line [`Builder::pairs`].
    pub mirrored: Option<(End, Mirrored)>,
}

/// The columns of a line by real columns, or its rows.
#[derive(Debug, Clone, Copy)]
pub struct LinePart {
    rows: bool,
    /// How many rows are beside each other, or columns.
    beside: usize,
    /// How far the reals of one are apart in the line.
    reals_apart: usize,
}

/// A DFT of a few points, one of those that make a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmallDft {
    pub radix: usize,
    pub engine: Engine,
}

/// The products of a pass on the matrix engine.
#[derive(Debug, Clone, Copy)]
pub struct Products {
    pub vendor: Vendor,
    /// Where lines are scaled once, the digits by which products make them larger: twiddles undo
    /// that, and what the DFT makes them larger.
    pub scaled: Option<i32>,
}

/// A radix's part of a DFT of `points`, of which `done` are done, from one extent of the axis to another.
#[derive(Debug, Clone, Copy)]
struct Part {
    points: usize,
    done: usize,
    inverse: bool,
    input: usize,
    output: usize,
}

/// The trips of a pass; `order` are its axes in tile order.
pub fn trips(
    pass: &Pass,
    order: &[usize],
    products: Option<Products>,
    together: bool,
    tables: &mut Tables,
) -> Result<Vec<Trip>> {
    let on_chip = pass.axes_of_reals();
    // Axes that are none's turn are reals where reals lie between them.
    let before = |&i: &usize| match on_chip {
        true => pass.axes[i].length,
        false => points_before(&pass.axes[i]),
    };
    let mut builder = Builder {
        pass,
        extent: order.iter().map(before).collect(),
        trips: Vec::new(),
        share_within: None,
        together,
        part: None,
        products,
        mirrored: pass.mirrored(),
    };
    let blocks = pass.tile.residency.blocks();
    for (i, axis) in pass.axes.iter().enumerate() {
        let at = order
            .iter()
            .position(|&o| o == i)
            .expect("order lists every axis");
        if blocks > 1 {
            builder.share_out(at, axis, &pass.axes[1 - i], blocks);
            let end = End::BOTH[i];
            builder.mirrored = builder.pairs(end).map(|pairs| (end, pairs));
        }
        let begin = builder.trips.len();
        if on_chip {
            builder.real_axis(at, i, tables);
        } else {
            builder.whole_axis(at, axis, tables);
        }
        if blocks > 1 {
            builder.share_images(begin, i)?;
        }
    }
    if builder.trips.is_empty() {
        // Nothing is transformed; points still change their places, and maybe their kind.
        let at = order.len() - 1;
        let length = builder.extent[at];
        let mut copy = builder.trip(at, OP_COPY, length, length);
        copy.words.columns = length as i64;
        let axis = &pass.axes[order[at]];
        if axis.kind == Kind::C2R {
            copy.words.hermitian = axis.length as i64;
        }
        builder.trips.push(copy);
    }
    if let Some(length) = pass.load.hermitian {
        builder.trips[0].words.hermitian = length as i64;
    }
    Ok(builder.trips)
}

impl Builder<'_> {
    pub fn trip(&self, at: usize, op: i64, input: usize, output: usize) -> Trip {
        let extent = |b: usize| self.extent.get(b).map_or(1, |&e| e as i64);
        let (outer, inner) = match self.share_within {
            Some(true) => (1, extent(1 - at)),
            Some(false) => (extent(1 - at), 1),
            None => (
                (self.pass.together() * self.extent[..at].iter().product::<usize>()) as i64,
                self.extent[at + 1..].iter().product::<usize>() as i64,
            ),
        };
        let part = self.part;
        let beside = part.map_or(0, |part| part.beside as i64);
        // Rows' points lie behind each other, so that those of a column have all of a row's between them.
        let (outer, inner, folded) = match part.map(|part| part.rows) {
            Some(true) => (outer * beside, inner, FOLDED_ROWS),
            Some(false) => (outer, inner * beside, FOLDED_COLUMNS),
            None => (outer, inner, 0),
        };
        Trip {
            words: StepWords {
                op,
                axis: at as i64,
                radix: 1,
                points: 1,
                done: 1,
                outer,
                inner,
                input: input as i64,
                output: output as i64,
                extent0: extent(0),
                extent1: extent(1),
                extent2: extent(2),
                twiddle: -1,
                before_roots: -1,
                after_roots: -1,
                from_table: -1,
                to_table: -1,
                folded,
                beside,
                reals_apart: part.map_or(0, |part| part.reals_apart as i64),
                ..Default::default()
            },
        }
    }

    pub fn push(&mut self, at: usize, trip: Trip) {
        self.extent[at] = trip.words.output as usize;
        self.trips.push(trip);
    }

    /// One of several axes of reals, which lie in shared memory between two.
    fn real_axis(&mut self, at: usize, number: usize, tables: &mut Tables) {
        let axis = &self.pass.axes[number];
        let begin = self.trips.len();
        self.extent[at] = points_before(axis);
        self.whole_axis(at, axis, tables);
        if self.trips.len() == begin {
            // A single point, of which other reals are made.
            let mut copy = self.trip(at, OP_COPY, self.extent[at], self.extent[at]);
            copy.words.columns = self.extent[at] as i64;
            copy.words.points = copy.words.columns;
            self.push(at, copy);
        }
        self.extent[at] = axis.length;
        let between = |i: usize| REALS_BETWEEN + i as i64;
        if let Some(before) = number.checked_sub(1) {
            self.trips[begin].words.reals_in = between(2 * before + 1);
        }
        if let Some(last) = self
            .trips
            .last_mut()
            .filter(|_| number + 1 < self.pass.axes.len())
        {
            last.words.reals_out = between(2 * number);
            // What rows of one line store lies beside what the next ones do.
            last.words.outer_fast = i64::from(last.words.folded != 0 && last.words.inner == 1);
        }
    }

    /// A type I whose lines are a thread's each: of reals, which are points by themselves.
    fn type_one(&mut self, at: usize, axis: &TileAxis) {
        self.extent[at] = axis.length;
        let mut trip = self.trip(at, OP_DFT, axis.length, axis.length);
        let words = &mut trip.words;
        (words.radix, words.points, words.columns) = (axis.length as i64, axis.length as i64, 1);
        words.type_one = match axis.kind.row().whole.length {
            CoreLength::TwiceLess => TYPE_ONE_COSINE,
            _ => TYPE_ONE_SINE,
        };
        self.push(at, trip);
    }

    /// An axis, by its columns and rows where it has them.
    fn whole_axis(&mut self, at: usize, axis: &TileAxis, tables: &mut Tables) {
        let own = |s: &&Step| s.axis() == Some(axis.axis);
        if self.pass.in_thread(axis) {
            self.type_one(at, axis);
            return;
        }
        let Some(folded) = columns::of_axis(self.pass, axis) else {
            let steps: Vec<&Step> = self.pass.steps.iter().filter(own).collect();
            self.axis(at, axis, &steps, tables);
            return;
        };
        let (halves, [n1, n2]) = (folded.halves(), folded.lengths);
        for (i, reals_apart) in [n2, n1].into_iter().enumerate() {
            self.part = Some(LinePart {
                rows: i == 1,
                beside: halves[1 - i],
                reals_apart,
            });
            let part = folded.part(axis, i);
            self.extent[at] = points_before(&part);
            let steps = Step::sequence(axis.axis, &folded.radices[i], Engine::Simt);
            let steps: Vec<&Step> = steps.iter().filter(own).collect();
            self.axis(at, &part, &steps, tables);
        }
        self.part = None;
    }

    /// An axis, or a part of one, by these steps: the merge of a half spectrum before its DFTs, or the split after them.
    fn axis(&mut self, at: usize, axis: &TileAxis, steps: &[&Step], tables: &mut Tables) {
        let core = axis.core_length();
        let radices: Vec<usize> = steps.iter().filter_map(|s| s.radix()).collect();
        let facing = self.facing(axis, &radices);
        if facing[0] == 0 {
            self.half_spectrum(at, axis, End::Load, tables);
            self.mirrored(at, core, End::Load, tables);
        }
        let first = self.trips.len();
        self.dfts(at, axis, steps, tables);
        let last = self.trips.len().saturating_sub(1);
        for (trip, facing) in [first, last].into_iter().zip(facing) {
            if facing != 0 {
                self.face(at, axis, trip, facing, tables);
            }
        }
        if facing[1] == 0 {
            self.half_spectrum(at, axis, End::Store, tables);
            self.mirrored(at, core, End::Store, tables);
        }
    }

    /// The merge of an axis' half spectrum over shared memory, or the split to one, if it has such at this end.
    fn half_spectrum(&mut self, at: usize, axis: &TileAxis, end: End, tables: &mut Tables) {
        if axis.kind.reduction(axis.length, false).middle != end.middle() {
            return;
        }
        let core = axis.core_length();
        let (op, [input, output]) = match end {
            End::Load => (OP_MERGE, [core + 1, core]),
            End::Store => (OP_SPLIT, [core, core + 1]),
        };
        let inverse = end == End::Store && axis.direction == Direction::Inverse;
        let mut halves = self.trip(at, op, input, output);
        halves.words.points = core as i64;
        halves.words.columns = core.div_ceil(2) as i64;
        halves.words.inverse = i64::from(inverse);
        let table = tables.halves(core, half_roots(self.pass, end, inverse));
        (halves.words.twiddle, halves.words.weighted) = (table.at, table.weighted);
        if end == End::Load && axis.kind == Kind::C2R {
            halves.words.hermitian = axis.length as i64;
        }
        self.push(at, halves);
    }

    /// The DFTs of an axis, or its convolution.
    fn dfts(&mut self, at: usize, axis: &TileAxis, steps: &[&Step], tables: &mut Tables) {
        let core = axis.core_length();
        let reduction = axis.kind.reduction(axis.length, false);
        let mirrored = axis.kind == Kind::C2R && !packed(axis);
        // What the halved axis of an odd length keeps for those that follow.
        let half = axis.kind == Kind::R2C || reduction.store.pairing == Pairing::Halves;
        let kept = match reduction.middle == Middle::Plain && half {
            true => axis.length / 2 + 1,
            false => core,
        };
        let input = if mirrored { axis.length / 2 + 1 } else { core };
        let first = self.trips.len();
        let inverse = axis.direction == Direction::Inverse;
        let middle = steps
            .iter()
            .position(|s| matches!(s, Step::Convolve { .. }));
        match (steps.first(), middle) {
            (Some(Step::Rader { length, .. }), _) => {
                let dfts = small_dfts(steps);
                self.rader(at, &dfts, *length, [input, kept], inverse, tables);
            }
            (Some(Step::Chirp { length, padded, .. }), _) => {
                let chirp = [*length, *padded];
                self.chirp(at, axis, &small_dfts(steps), chirp, [input, kept], tables);
            }
            (_, Some(middle)) => self.convolution(
                at,
                axis,
                [&steps[..middle], &steps[middle..]],
                [input, kept],
                tables,
            ),
            (_, None) => self.dft(at, &small_dfts(steps), inverse, input, kept, tables),
        }
        if let Some(trip) = self.trips.get_mut(first).filter(|_| mirrored) {
            trip.words.hermitian = axis.length as i64;
            if first == 0 {
                // From memory the mirror comes before the check of the extent.
                trip.words.input = core as i64;
            }
        }
    }

    /// A convolution with a chirp of `length` points, which in all is a pass' own, from `input` points to those that are `kept`.
    fn chirp(
        &mut self,
        at: usize,
        axis: &TileAxis,
        dfts: &[SmallDft],
        [length, padded]: [usize; 2],
        [input, kept]: [usize; 2],
        tables: &mut Tables,
    ) {
        let first = self.trips.len();
        self.dft(at, dfts, false, input, padded, tables);
        let spectrum = tables.spectrum(length, axis.direction, &[padded]);
        let last = self.trips.last_mut().expect("a convolution has steps");
        let words = &mut last.words;
        (words.after, words.after_table, words.after_length) = (FACTOR_PART, spectrum, NO_END);
        self.back(at, &reversed(dfts), padded, kept, tables);
        let chirp = tables.chirp(length, axis.direction);
        let words = &mut self.trips[first].words;
        (words.before, words.before_table, words.before_length) = (FACTOR_PART, chirp, NO_END);
        let words = &mut self.trips.last_mut().expect("as above").words;
        (words.after, words.after_table, words.after_length) = (FACTOR_PART, chirp, NO_END);
    }

    /// The last factor of a convolution that several passes compute, there and back: the steps before [`Step::Convolve`], and
    /// those from it on.
    fn convolution(
        &mut self,
        at: usize,
        axis: &TileAxis,
        [there, back]: [&[&Step]; 2],
        [input, kept]: [usize; 2],
        tables: &mut Tables,
    ) {
        let core = axis.core_length();
        self.dft(at, &small_dfts(there), false, input, core, tables);
        if let Some(Step::Convolve {
            length,
            direction,
            factors,
            ..
        }) = back.first()
        {
            let spectrum = tables.spectrum(*length, *direction, factors);
            let last = self.trips.last_mut().expect("a convolution has steps");
            let words = &mut last.words;
            (words.after, words.after_table, words.after_length) = (FACTOR_LINE, spectrum, NO_END);
        }
        self.back(at, &small_dfts(back), core, kept, tables);
    }

    /// Says of a trip at the begin or the end of an axis that a thread has columns that mirror each other, and why.
    fn face(&mut self, at: usize, axis: &TileAxis, trip: usize, facing: i64, tables: &mut Tables) {
        let core = axis.core_length();
        let inverse = axis.direction == Direction::Inverse;
        let words = &mut self.trips[trip].words;
        words.facing = facing;
        let moved = matches!(facing, FACING_LOAD | FACING_STORE);
        let pairs = self.mirrored.map(|(_, pairs)| pairs);
        let parts = pairs.filter(|pairs| pairs.images == Images::Parts);
        match pairs.filter(|_| moved).or(parts) {
            // Column c of one line and m − 1 − c of the other.
            Some(_) => words.outer = 1,
            // The only one mirrors itself.
            None if words.columns == 1 => {}
            None => words.columns /= 2,
        }
        if matches!(facing, FACING_MERGE | FACING_SPLIT) {
            let end = match facing {
                FACING_MERGE => End::Load,
                _ => End::Store,
            };
            let inverse = end == End::Store && inverse && parts.is_none();
            let roots = half_roots(self.pass, end, inverse);
            let table = match parts {
                Some(mirrored) => tables.mirrored_halves(core, mirrored.points / core, roots),
                None => tables.facing_halves(core, roots),
            };
            (words.facing_table, words.weighted) = (table.at, table.weighted);
        }
        if facing == FACING_MERGE && axis.kind == Kind::C2R {
            words.hermitian = axis.length as i64;
        }
        // Half spectra that are on chip, between columns and rows or an only column and a copy: point n/2 too.
        let half = axis.kind == Kind::R2C || axis.kind == Kind::C2R;
        let alone = half && words.columns == 1 && self.pass.axes.len() == 1;
        let on_chip = self.part.is_some() || alone;
        if on_chip && facing == FACING_SPLIT {
            words.output = core as i64 + 1;
            self.extent[at] = core + 1;
        }
        if on_chip && facing == FACING_MERGE {
            words.input = core as i64 + 1;
        }
        if self.part.is_some() {
            words.hermitian = 0;
        }
    }

    /// The merge or split of lines in mirrored pairs, if the pass has it: a pair is one line of
    /// twice the points.
    fn mirrored(&mut self, at: usize, core: usize, end: End, tables: &mut Tables) {
        let halves = |(at, m): &(End, Mirrored)| *at == end && m.images != Images::Facing;
        let Some((_, Mirrored { points, .. })) = self.mirrored.filter(halves) else {
            return;
        };
        let op = match end {
            End::Load => OP_MERGE,
            End::Store => OP_SPLIT,
        };
        let mut halves = self.trip(at, op, 2 * core, 2 * core);
        halves.words.outer = 1;
        halves.words.points = core as i64;
        halves.words.columns = core as i64;
        let roots = half_roots(self.pass, end, false);
        let table = tables.mirrored_halves(core, points / core, roots);
        (halves.words.twiddle, halves.words.weighted) = (table.at, table.weighted);
        if end == End::Load {
            // Points 0 and N/2 are real.
            halves.words.hermitian = 2 * points as i64;
        }
        self.trips.push(halves);
    }

    /// The way back of a convolution, whose first step has the values of the last one before it where they
    /// have the same radix, and a thread its points.
    pub fn back(
        &mut self,
        at: usize,
        dfts: &[SmallDft],
        input: usize,
        output: usize,
        tables: &mut Tables,
    ) {
        let middle = self.trips.len();
        self.dft(at, dfts, true, input, output, tables);
        if let [.., last, first] = &mut self.trips[..=middle] {
            let (there, back) = (&mut last.words, &mut first.words);
            let alike = there.radix == back.radix && there.engine == back.engine;
            let joined = there.joined + back.joined > 0;
            if there.engine != ENGINE_DENSE && alike && !joined {
                (there.target, back.source) = (PLACE_REGISTERS, PLACE_REGISTERS);
            }
        }
    }

    /// These DFTs along the axis: of `input` points, and zeros up to their product, of which `output`
    /// are kept.
    pub fn dft(
        &mut self,
        at: usize,
        dfts: &[SmallDft],
        inverse: bool,
        input: usize,
        output: usize,
        tables: &mut Tables,
    ) {
        let points: usize = dfts.iter().map(|dft| dft.radix).product();
        let mut done = 1;
        for (i, &SmallDft { radix, engine }) in dfts.iter().enumerate() {
            let last = i + 1 == dfts.len();
            let products = self.products.filter(|_| engine == Engine::Matrix);
            let part = Part {
                points,
                done,
                inverse,
                input: if i == 0 { input } else { points },
                output: if last { output } else { points },
            };
            done *= radix;
            if let (Some(joined), Some(products)) = (radix::joined(radix), products) {
                self.joined(at, joined, part, products, tables);
                continue;
            }
            let rows = points / done;
            let mut trip = self.part(at, radix, points / radix, part);
            // Columns and rows have their mirror images in registers.
            let several = self.pass.axes.len() > 1 && self.part.is_none();
            let places = self.pass.math.storage == ScalarType::F64 && several;
            if products.is_some() {
                trip.words.engine = ENGINE_MATRIX;
            }
            if radix::summed(radix, self.products.is_some() || places) {
                trip.words.engine = ENGINE_DENSE;
                trip.words.copies = DENSE_PAIRS as i64;
                trip.words.columns *= (radix / 2 + 1).div_ceil(DENSE_PAIRS) as i64;
                trip.words.matrix = tables.dense(radix, DENSE_PAIRS, inverse);
                if self.trips.is_empty() || self.begins_with_reals(at) {
                    // It sums over points in shared memory.
                    let mut copy = self.trip(at, OP_COPY, part.input, points);
                    copy.words.columns = points as i64;
                    copy.words.points = points as i64;
                    self.push(at, copy);
                    trip.words.input = points as i64;
                }
            }
            if rows > 1 {
                trip.words.twiddle = match products {
                    Some(products) if trip.words.engine != ENGINE_DENSE => {
                        let lanes = Lanes::new(radix, products.vendor, self.pass.math.operand);
                        let down = |digits| digits + scaling::growth(radix) as i32;
                        let down = products.scaled.map_or(0, down);
                        tables.lane_twiddles(rows, inverse, lanes, down)
                    }
                    _ => tables.twiddles(radix, rows, inverse),
                };
            }
            self.push(at, trip);
        }
    }

    /// Whether what shared memory has of an axis are reals so far.
    fn begins_with_reals(&self, at: usize) -> bool {
        let before = self.trips.last().map(|trip| trip.words.axis as usize);
        self.pass.axes_of_reals() && before != Some(at)
    }

    /// The trip of a radix of so many columns, without twiddles.
    fn part(&self, at: usize, radix: usize, columns: usize, part: Part) -> Trip {
        let mut trip = self.trip(at, OP_DFT, part.input, part.output);
        trip.words.radix = radix as i64;
        trip.words.points = part.points as i64;
        trip.words.done = part.done as i64;
        trip.words.inverse = i64::from(part.inverse);
        trip.words.columns = columns as i64;
        trip
    }

    /// The two trips of a radix of `joined` products: these, and what combines them in registers.
    fn joined(
        &mut self,
        at: usize,
        joined: usize,
        part: Part,
        products: Products,
        tables: &mut Tables,
    ) {
        let radix = radix::JOINED_PRODUCT;
        let columns = part.points / (radix * joined);
        let between = Part {
            output: part.points,
            ..part
        };
        let mut first = self.part(at, radix, columns, between);
        first.words.engine = ENGINE_MATRIX;
        first.words.joined = joined as i64;
        first.words.target = PLACE_REGISTERS;
        let lanes = Lanes::new(radix, products.vendor, self.pass.math.operand);
        // These twiddles also make smaller what the butterflies make greater; after an axis' last products
        // `scaling` says what does.
        let rows = columns / part.done;
        let down = |digits| digits + scaling::growth(radix * joined) as i32;
        let down = products.scaled.filter(|_| rows > 1).map_or(0, down);
        first.words.twiddle = tables.lane_twiddles(rows * joined, part.inverse, lanes, down);
        self.push(at, first);
        let after = Part {
            done: part.done * radix,
            input: part.points,
            ..part
        };
        let mut second = self.part(at, joined, columns, after);
        second.words.joined = radix as i64;
        second.words.source = PLACE_REGISTERS;
        if rows > 1 {
            second.words.twiddle = tables.twiddles(joined, rows, part.inverse);
        }
        self.push(at, second);
    }
}

/// The roots by which a pass splits or merges half spectra.
fn half_roots(pass: &Pass, end: End, inverse: bool) -> HalfRoots {
    match real::weighted(pass, end) {
        true => HalfRoots::Weighted,
        false => HalfRoots::Plain { inverse },
    }
}

/// The DFTs of some steps.
fn small_dfts(steps: &[&Step]) -> Vec<SmallDft> {
    let dft = |step: &&Step| match **step {
        Step::Dft { radix, engine, .. } => Some(SmallDft { radix, engine }),
        _ => None,
    };
    steps.iter().filter_map(dft).collect()
}

/// The DFTs of the way back of a convolution.
pub fn reversed(dfts: &[SmallDft]) -> Vec<SmallDft> {
    dfts.iter().rev().copied().collect()
}
