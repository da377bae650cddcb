//! A pass, lowered: from the words of [`crate::pass`] to the numbers that the kernel is
//! compiled for, the tables it looks up, and the shape of its launch.
//!
//! The steps of a pass become trips through registers ([`trips`]): each DFT of a few points,
//! the split or merge of half spectra, and copies where the first or the last trip would
//! touch memory in pieces shorter than a sector.
//!
//! The file is long because threads, values, groups and registers follow from each other, in one order.

use super::accesses::Block;
use super::banks;
use super::check;
use super::config::*;
use super::matrices;
use super::neighbours::{self, Tile};
use super::program::Program;
use super::real;
use super::scaling;
use super::shape::{insert_copies, launch, places_beside_twiddles, residents, threads_wanted};
use super::sides::{factors, loop_words, mirrored_words, ordered_loops, sides};
use super::tables::Tables;
use super::trip::Trip;
use super::trips::{self, Products};
use super::work::{self, Work};
use super::{cluster, columns};
use crate::error::{Error, Result};
use crate::geometry::Geometry;
use crate::pass::{Engine, Pass, Slot};
use crate::precision::ScalarType;
use crate::radix::JOINED_PRODUCT;
use crate::real::RealSide;
use crate::tile::{Ahead, Launch};

/// Values that a thread should hold.
pub const VALUES: usize = 16;
/// The same for matrix steps whose products take the registers of as many again: of FP64, and of
/// padded radices, whose matrices have more parts.
const MATRIX_VALUES: usize = 8;
/// The same where a step is dense: of two columns, which share roots; sums take the registers of as
/// many again.
const DENSE_VALUES: usize = 2 * 2 * DENSE_PAIRS;
/// As many as it may hold of butterflies where its block would else be the only one of a multiprocessor: of FP32, and of
/// FP64, which spills beyond.
pub const MANY_VALUES: [usize; 2] = [40, 24];
/// The largest radix of FP64 whose threads have registers for products of twiddles: of 28, with those of gfx942, two
/// were spilled.
pub const PRODUCTS_OF_TWIDDLES: usize = 27;
/// Bytes of a line's largest magnitude in shared memory.
const MAGNITUDE: usize = 4;
/// The most values of a thread: what the emulation has room for (`MMAFFT_VALUES`), more than registers do, and the reals of two lines of
/// type I, which they have room for.
pub const MOST_VALUES: usize = 66;

/// A pass ready to be compiled and launched.
#[derive(Debug, Clone)]
pub struct Lowered {
    /// What is compiled.
    pub program: Program,
    /// Tables of complex numbers.
    pub tables: Vec<u8>,
    /// Fragments of DFT matrices.
    pub matrices: Vec<u8>,
    /// Lines of the whole pass; of those in mirrored pairs, pairs.
    pub lines: u64,
    /// Those of a tile.
    pub tile_lines: u64,
    /// Tiles of the whole pass.
    pub tiles: u64,
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
    /// What a tile asks of the device beside memory.
    pub work: Work,
    /// Of each step the values of a column, a pair or a copied point, and how many of these a thread has: what planners that count
    /// them without lowering are compared with.
    pub steps: Vec<[usize; 2]>,
    /// Bytes at whose multiples the loaded memory must begin, and the stored.
    pub alignments: [usize; 2],
    /// The same where points move by narrower accesses: whole elements.
    pub element: usize,
}

impl Lowered {
    /// Bytes at whose multiples all memory must begin.
    pub fn alignment(&self) -> usize {
        self.alignments[0].max(self.alignments[1])
    }
}

/// Lowers a pass for a device of this shape.
pub fn lower(pass: &Pass, geometry: &Geometry) -> Result<Lowered> {
    check::steps(pass)?;
    if let Some(digits) = scaling::digits(pass, geometry.vendor) {
        if let Ok(lowered) = lower_as(pass, geometry, Some(digits))? {
            return Ok(lowered);
        }
        // There is no room for the lines' magnitudes: products scale by their own.
    }
    lower_as(pass, geometry, None)?.map_err(|TooLarge { bytes }| Error::Unsupported {
        what: format!("a tile of {bytes} bytes"),
        backend: "this device".into(),
        instead: format!(
            "{} bytes are shared by a block; plan for its limits",
            geometry.shared_bytes
        ),
    })
}

/// The values of a step's column, of a pair or a copied point, and how many a thread has.
fn of_thread(step: &StepWords) -> [usize; 2] {
    let values = match step.op {
        OP_DFT => step.radix as usize,
        OP_COPY => 1,
        _ => 2,
    };
    [values, step.groups as usize]
}

/// A tile of more bytes than a block's shared memory has.
struct TooLarge {
    bytes: usize,
}

/// Lowers it, with lines that are `scaled` as a whole or without.
fn lower_as(
    pass: &Pass,
    geometry: &Geometry,
    scaled: Option<i32>,
) -> Result<std::result::Result<Lowered, TooLarge>> {
    let spread = cluster::parts(pass)?;
    columns::check(pass)?;
    let pass = spread.as_ref().unwrap_or(pass);
    let blocks = pass.tile.residency.blocks();
    let double = pass.storage == ScalarType::F64;
    let mut tables = Tables::new(double);
    let loops = ordered_loops(pass);
    let order = pass.axes_in_memory();
    let products = Products {
        vendor: geometry.vendor,
        scaled,
    };
    let products = Some(products).filter(|_| pass.engine == Engine::Matrix);
    let mut trips = trips::trips(pass, &order, products, geometry.together, &mut tables)?;
    let together = pass.together();
    let lines: u64 = pass.loops.iter().map(|l| l.count as u64).product();
    let wide = lines > u64::from(u32::MAX);
    let lines = lines / together as u64;
    let tile_lines = (pass.tile.lines / together)
        .max(1)
        .min(usize::try_from(lines).unwrap_or(usize::MAX));
    let innermost = loops.last().map(|&i| pass.loops[i]);
    let pairs = geometry.together;
    insert_copies(pass, &mut trips, innermost, tile_lines, &order, pairs);
    let (last_trip, trip_count) = (trips.len() - 1, trips.len());
    if trip_count > MAX_STEPS || loops.len() > MAX_LOOPS || order.len() > MAX_AXES {
        return Err(Error::Unsupported {
            what: format!("a pass of {trip_count} steps in {} loops", loops.len()),
            backend: "the device code".into(),
            instead: format!("ask for larger radices: {MAX_STEPS} steps fit one pass"),
        });
    }

    // Threads: as many as give each about VALUES values.
    let matrix = pass.engine == Engine::Matrix;
    let most_points = trips.iter().map(Trip::points).max().unwrap_or(1) * tile_lines;
    // Half of the threads where a value takes twice the registers, or products take some of them.
    let most_threads = match (matrix, double) {
        (true, true) => geometry.threads / 4,
        (true, false) | (false, true) => geometry.threads / 2,
        (false, false) if places_beside_twiddles(pass) => geometry.threads / 2,
        (false, false) => geometry.threads,
    };
    let dense = trips.iter().any(|t| t.words.engine == DENSE);
    let product = |t: &Trip| t.words.engine == MATRIX || t.words.joined > 0;
    let padded = |t: &Trip| product(t) && !(t.words.radix as usize).is_power_of_two();
    let padded = trips.iter().any(padded);
    let fragment = |trip: &Trip| {
        let joined = trip.words.joined as usize;
        let radix = match joined {
            0 => trip.words.radix as usize,
            _ => JOINED_PRODUCT,
        };
        let fill = matrices::fill(radix, geometry.vendor, pass.operand);
        let mut held = matrices::wave(fill.rank, geometry.vendor, pass.operand);
        if joined > 0 {
            // Rows of a product are among those that a thread joins.
            let all = trip.values();
            held.columns /= held.rows;
            (held.rows, held.values) = (1, held.values * all / JOINED_PRODUCT);
        }
        (fill, held)
    };
    // Values that a thread has of each column.
    let each = |trip: &Trip| match product(trip) {
        true => fragment(trip).1.values,
        false => trip.values(),
    };
    // All that a thread has of a column of joined products.
    let joined = trips.iter().filter(|t| t.words.joined > 0);
    let joined = joined.map(each).max().unwrap_or(1);
    // Butterflies beside products hold whole columns.
    let largest = match matrix {
        true => trips.iter().filter(|t| !product(t)).map(Trip::values).max(),
        false => trips.iter().map(Trip::values).max(),
    };
    let largest = largest.unwrap_or(1);
    let values = match (matrix, dense) {
        (_, true) => DENSE_VALUES,
        (true, false) if double || padded => MATRIX_VALUES.max(joined).max(largest),
        (true, false) => VALUES.max(joined).max(largest),
        (false, false) => VALUES.max(largest),
    };
    let mut values = values.max(most_points.div_ceil(most_threads));
    let [mirrored, mirrored_inner, mirrored_row, mirrored_facing] = mirrored_words(pass, &loops);
    let asked = |of: fn(Launch) -> bool| pass.tile.launch.is_some_and(of);
    let large = trips
        .iter()
        .any(|t| t.words.radix as usize > PRODUCTS_OF_TWIDDLES);
    let looked_up = large || asked(|launch| launch.looked_up);
    let tile = Tile {
        order: &order,
        loops: &loops,
        lines: tile_lines,
        within: mirrored_inner as usize,
    };
    let most = match pass.tile.launch {
        Some(launch) => launch.neighbours,
        None => geometry.access / (2 * pass.storage.bytes()),
    };
    let ends = [(0, true), (last_trip, false)];
    let mut beside = ends.map(|(i, loading)| {
        let trip = &trips[i];
        let mut points = neighbours::points(pass, &trip.words, &tile, loading, most);
        if pass.tile.launch.is_none() {
            let most = match product(trip) {
                true => neighbours::MATRIX_VALUES,
                false => neighbours::VALUES,
            };
            while points > 1 && points * each(trip) > most {
                points /= 2;
            }
            if points > 1 {
                values = values.max(points * each(trip));
            }
        }
        points
    });
    let wanted = |trip: &Trip, values: usize| match product(trip) {
        true => {
            let (fill, held) = fragment(trip);
            let rounds = (values / (held.rows * held.values)).max(1);
            let wave = held.columns * fill.copies * rounds;
            (tile_lines * trip.columns()).div_ceil(wave) * geometry.wave
        }
        false => threads_wanted(trip, tile_lines, values),
    };
    // Whose places are in a table: many values of a thread are as many addresses.
    let rader = trips.iter().any(|t| t.words.offset > 0);
    let in_waves = |threads: usize| {
        let whole = threads.next_multiple_of(geometry.wave);
        whole.clamp(geometry.wave, most_threads)
    };
    let threads_of = |values| in_waves(trips.iter().map(|t| wanted(t, values)).max().unwrap_or(1));
    let threads = match pass.tile.launch {
        Some(launch) => in_waves(launch.threads),
        None if matrix || dense || rader || spread.is_some() => threads_of(values),
        // A block that is alone on its multiprocessor waits for memory, and for its barriers. Where shared memory has
        // room for two, threads have more values and are fewer, if then registers suffice for both: 9000 points of FP32
        // by 512 threads ran at 0.72 of a copy on an H100, by 256 at 0.85.
        None => {
            let cell = if double { 16 } else { 8 };
            let most = MANY_VALUES[usize::from(double)];
            let room = 2 * most_points * cell <= geometry.shared_bytes;
            let both = |&values: &usize| {
                let threads = threads_of(values);
                let columns = |t: &Trip| (tile_lines * t.columns()).div_ceil(threads) * each(t);
                let held = trips.iter().map(columns).max().unwrap_or(1);
                held <= most && residents(pass, &trips, geometry, threads, held) > 1
            };
            let more = (values..=most).find(|v| room && both(v));
            values = more.unwrap_or(values);
            threads_of(values)
        }
    };

    let mut matrix_bytes = Vec::new();
    let mut steps: Vec<StepWords> = Vec::new();
    let mut held = 1;
    for (i, trip) in trips.iter().enumerate() {
        let mut step = trip.words;
        let total = tile_lines * trip.columns();
        step.source = match steps.last() {
            None => MEMORY,
            // Of steps that share registers, where the first one's values come from.
            Some(before) if before.target == REGISTERS => before.source,
            Some(_) => SHARED,
        };
        step.target = match step.target {
            _ if i == last_trip => MEMORY,
            CLUSTER | REGISTERS => step.target,
            _ => SHARED,
        };
        if step.engine == DENSE && step.hermitian != 0 && step.source == SHARED {
            return Err(Error::Unsupported {
                what: "a sum over a half spectrum in shared memory".into(),
                backend: "the device code".into(),
                instead: "transform that axis in a pass of its own".into(),
            });
        }
        // Columns of a thread in one round, and rounds; or runs of neighbours, where they cost no
        // values.
        let (share, round) = match product(trip) {
            true => {
                let (fill, held) = fragment(trip);
                let columns = held.columns / held.rows * fill.copies;
                (threads / geometry.wave * columns, held.rows)
            }
            // The columns of a thread are of one set.
            false => (threads / trip.sets() * trip.sets(), 1),
        };
        let groups = |n: usize| total.div_ceil(share * n) * n;
        let most = values.max(groups(round) * each(trip));
        for ((at, _), points) in ends.into_iter().zip(&mut beside) {
            while at == i && *points > 1 && groups(*points) * each(trip) > most {
                *points /= 2;
            }
        }
        let of = |(end, points): (&(usize, bool), &usize)| if end.0 == i { *points } else { 1 };
        let neighbours = ends.iter().zip(&beside).map(of).max().unwrap_or(1);
        step.neighbours = neighbours as i64;
        step.groups = groups(neighbours.max(round)) as i64;
        held = held.max(step.groups as usize * each(trip));
        if trip.words.joined > 0 {
            // Groups of columns of their own: `joined_groups` of matrix.hpp for each number.
            let values = each(trip) as i64;
            let own = match trip.combines() {
                true => trip.words.radix,
                false => values / trip.words.joined,
            };
            step.groups *= values / own;
        }
        if trip.in_pairs() {
            step.groups *= 2;
        }
        if product(trip) {
            let (fill, _) = fragment(trip);
            step.rank = fill.rank as i64;
            step.copies = fill.copies as i64;
        }
        if product(trip) && !trip.combines() && matrices::multiplied(trip.words.radix as usize) {
            step.parts =
                matrices::parts(step.radix as usize, pass.operand, pass.split_matrix) as i64;
            let word = if double { 8 } else { 4 };
            step.matrix = (matrix_bytes.len() / word) as i64;
            matrix_bytes.extend(matrices::fragments(
                step.radix as usize,
                step.inverse != 0,
                geometry.vendor,
                pass.operand,
                step.parts as usize,
            ));
        }
        steps.push(step);
    }
    if held > MOST_VALUES {
        return Err(Error::Unsupported {
            what: format!("a tile of {most_points} points, {held} to a thread,"),
            backend: "the device code".into(),
            instead: format!("{MOST_VALUES} values a thread are the most; plan for a smaller tile"),
        });
    }
    let tiles = lines.div_ceil(tile_lines as u64);
    let most_tiles = geometry.blocks / blocks as u64;
    let mut config = Config {
        head: HeadWords {
            storage: storage_word(pass.storage),
            operand: operand_word(pass.operand),
            threads: threads as i64,
            lines: tile_lines as i64,
            values: held as i64,
            steps: trip_count as i64,
            axes: order.len() as i64,
            loops: loops.len() as i64,
            wide: i64::from(wide),
            many_tiles: i64::from(tiles > most_tiles),
            blocks: blocks as i64,
            edges: pass.edges.map_or(0, |e| e.count as i64),
            powers: i64::from(!(double && looked_up)),
            half_products: i64::from(asked(|launch| launch.multiplied)),
            unasked: i64::from(asked(|launch| launch.unasked)),
            roots_loop: -1,
            mirrored,
            mirrored_inner,
            mirrored_row,
            mirrored_facing,
            ..Default::default()
        },
        loops: loop_words(pass, &loops),
        reals: Default::default(),
        between: Vec::new(),
        axes: Vec::new(),
        steps,
    };
    factors(pass, &loops, &mut config, &mut tables);
    if let Some(line) = &spread {
        cluster::twiddles(line, &mut config, &mut tables);
    }
    for (at, &i) in order.iter().enumerate() {
        columns::twiddles(pass, &pass.axes[i], at, &mut config, &mut tables);
    }
    config.reals = real::words(pass, &mut tables);
    config.between = real::between(pass, &mut tables);
    sides(pass, &order, &mut config);
    config.head.load_vector *= beside[0] as i64;
    config.head.store_vector *= beside[1] as i64;
    let launch = launch(pass, &config, threads, geometry, &trips, held);
    let block = Block {
        lines: tile_lines,
        blocks,
        threads,
        wave: geometry.wave,
        cell: if double { 16 } else { 8 } / if launch.apart { 2 } else { 1 },
        shared: geometry.shared_bytes,
        vendor: geometry.vendor,
        operand: pass.operand,
        axes: order.len(),
        reals: std::array::from_fn(|i| real::side(pass, i as i64 + 1)),
    };
    let reals = |number| real::side(pass, number).map(|side| side.length);
    let both = |pair: &[Trip]| {
        let out = pair[0].points_out(reals(pair[0].words.reals_out));
        out.max(pair[1].points_in(reals(pair[1].words.reals_in)))
    };
    let points: Vec<usize> = trips.windows(2).map(both).collect();
    for step in &mut config.steps {
        banks::place_reals(step, false, &block, None);
        banks::place_reals(step, true, &block, None);
    }
    let mut shared_bytes = banks::place(&mut config.steps, &points, &block);
    if let Some(digits) = scaled {
        config.head.grown = scaling::steps(&mut config.steps, digits);
        config.head.magnitudes = (shared_bytes / MAGNITUDE).max(1) as i64;
        shared_bytes = (config.head.magnitudes as usize + tile_lines) * MAGNITUDE;
    }
    if config.head.row_of_reals != 0 {
        // As far behind its begin as the row's first real is behind that of a sector.
        let row = tile_lines * config.head.row_of_reals as usize;
        let reals = row + columns::LARGEST_SECTOR / pass.storage.bytes();
        shared_bytes = shared_bytes.max(reals.next_multiple_of(2) * pass.storage.compute_bytes());
    }
    if shared_bytes > geometry.shared_bytes {
        let bytes = shared_bytes;
        return Ok(Err(TooLarge { bytes }));
    }

    // Registers left to blocks that shared memory has no room for would be wasted.
    let fitting = (geometry.shared_bytes / shared_bytes.max(1)).max(1);
    config.head.residents = launch.residents.min(fitting) as i64;
    config.head.apart = i64::from(launch.apart);
    if let Some(when) = pass.tile.launch.and_then(|launch| launch.ahead) {
        let tiles = geometry.multiprocessors / blocks.max(1) * config.head.residents as usize;
        config.head.ahead = tiles.max(1) as i64;
        config.head.asks_late = i64::from(when == Ahead::Late);
    }
    // The count of the outermost loop is no constant: a batch of another size is no other
    // program.
    if let Some(outermost) = config.loops.first_mut() {
        outermost.count = 1;
    }
    // Reals that are copied in pairs are moved one by one, without copies, where memory begins between two.
    let needed = |vector: i64, copied: bool, side: Option<(&RealSide, usize)>| {
        let paired = side.is_some_and(|(side, _)| *side == RealSide::PAIRS);
        if copied && !paired {
            0
        } else {
            vector as usize
        }
    };
    let loaded = config.steps.iter().any(|s| s.reals_in == REALS_LOADED);
    let stored = config.steps.iter().any(|s| s.reals_out == REALS_STORED);
    let loads = needed(config.head.load_vector, loaded, pass.real_load());
    let stores = needed(config.head.store_vector, stored, pass.real_store());
    let least = loads.max(stores);
    // Reals that columns facing each other move together.
    let facing = |(at, loading): (usize, bool)| match config.steps[at].facing {
        FACING_LOAD | FACING_STORE => neighbours::facing(pass, loading),
        _ => 0,
    };
    let vectors = [config.head.load_vector, config.head.store_vector];
    let alignments = [0, 1].map(|side| {
        let together = facing(ends[side]).max(vectors[side] as usize);
        pass.storage.bytes() * (2 * together).max(1)
    });
    Ok(Ok(Lowered {
        program: Program {
            entry: match blocks {
                1 => "mmafft_pass",
                _ => "mmafft_cluster",
            },
            config: config.words(),
            then: Vec::new(),
            keeps: false,
            threads,
            shared_bytes,
        },
        tables: tables.bytes(),
        matrices: matrix_bytes,
        lines,
        tile_lines: tile_lines as u64,
        tiles,
        blocks: tiles.min(most_tiles).max(1) * blocks as u64,
        load: (pass.load.slot, pass.load.offset),
        store: (pass.store.slot, pass.store.offset),
        edges: pass.edges.map(|e| e.offset),
        scale: pass.scale,
        scalar_bytes: pass.storage.bytes(),
        work: work::of(&config, geometry, pass.operand),
        steps: config.steps.iter().map(of_thread).collect(),
        alignments,
        element: pass.storage.bytes() * (2 * least.min(1)).max(1),
    }))
}
