//! A pass in numbers: all that its kernel is compiled for, and the shape of its launch; but not the entries of its tables.
//!
//! [`Outline`] has the trips, [`Sharing`] the threads; here are how they reach memory, and what shared memory holds where.

use super::accesses::Block;
use super::banks;
use super::cluster;
use super::columns;
use super::config::*;
use super::groups::Shared;
use super::outline::Outline;
use super::real;
use super::scaling;
use super::sides::{factors, loop_words, sides};
use super::threads::Sharing;
use super::trip::Trip;
use super::trips::Products;
use crate::error::{Error, Result};
use crate::geometry::Geometry;
use crate::mirrors::facing_neighbours;
use crate::pass::Pass;
use crate::real::RealSide;
use crate::side::End;
use crate::step::Engine;
use crate::tile::{Ahead, Launch};

/// The largest radix of FP64 whose threads have registers for products of twiddles: of 28, with those of gfx942, two
/// were spilled.
pub const PRODUCTS_OF_TWIDDLES: usize = 27;
/// Bytes of a line's largest magnitude in shared memory.
const MAGNITUDE: usize = 4;

/// A pass in numbers.
#[derive(Debug)]
pub struct Numbers<'a> {
    pub outline: Outline<'a>,
    pub config: Config,
    /// Bytes of shared memory of a block.
    pub shared_bytes: usize,
    /// Tiles of the whole pass.
    pub tiles: u64,
    /// Blocks of the launch.
    pub blocks: u64,
    /// Bytes at whose multiples the loaded memory must begin, and the stored.
    pub alignments: [usize; 2],
    /// The same where points move by narrower accesses: whole elements.
    pub element: usize,
}

/// How shared memory holds what steps exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cells {
    /// With cells left out, so that few lanes meet in a bank: as kernels have it.
    Apart,
    /// One behind another: for a planner, which compares many passes.
    Close,
}

/// A tile of more bytes than a block's shared memory has.
struct TooLarge {
    bytes: usize,
}

/// A pass in numbers, for a device of this shape.
///
/// # Errors
/// `Unsupported` where the device, or its code, has no room for the pass.
pub fn numbers<'a>(pass: &'a Pass, geometry: &Geometry, cells: Cells) -> Result<Numbers<'a>> {
    if let Some(digits) = scaling::digits(pass, geometry.vendor) {
        if let Ok(numbers) = numbers_as(pass, geometry, Some(digits), cells)? {
            return Ok(numbers);
        }
        // There is no room for the lines' magnitudes: products scale by their own.
    }
    numbers_as(pass, geometry, None, cells)?.map_err(|TooLarge { bytes }| Error::Unsupported {
        what: format!("a tile of {bytes} bytes"),
        backend: "this device".into(),
        instead: format!(
            "{} bytes are shared by a block; plan for its limits",
            geometry.shared_bytes
        ),
    })
}

/// The same, with lines that are `scaled` as a whole or without.
fn numbers_as<'a>(
    pass: &'a Pass,
    geometry: &Geometry,
    scaled: Option<i32>,
    cells: Cells,
) -> Result<std::result::Result<Numbers<'a>, TooLarge>> {
    let products = (pass.math.engine == Engine::Matrix).then_some(Products {
        vendor: geometry.vendor,
        scaled,
    });
    let mut outline = Outline::new(pass, geometry.together, products)?;
    let sharing = Sharing {
        outline: &outline,
        geometry,
    };
    let shared = sharing.steps(sharing.threads())?;
    let residents = sharing.residents(shared.threads.threads, shared.held);
    let beside = shared.threads.beside;
    let tiles = outline.lines.div_ceil(outline.tile_lines as u64);
    let most_tiles = geometry.blocks / outline.blocks() as u64;
    let mut config = first_words(&outline, shared);
    config.head.many_tiles = i64::from(tiles > most_tiles);
    memory(&mut outline, &mut config, beside);
    let launch = launch(&outline.pass, &config, residents);
    config.head.apart = i64::from(launch.apart);
    let mut shared_bytes = exchanges(&outline, &mut config, geometry, cells);
    if let Some(digits) = scaled {
        config.head.grown = scaling::steps(&mut config.steps, digits);
        config.head.magnitudes = (shared_bytes / MAGNITUDE).max(1) as i64;
        shared_bytes = (config.head.magnitudes as usize + outline.tile_lines) * MAGNITUDE;
    }
    shared_bytes = shared_bytes.max(bytes_of_row(&outline, &config));
    if shared_bytes > geometry.shared_bytes {
        let bytes = shared_bytes;
        return Ok(Err(TooLarge { bytes }));
    }
    // Registers left to blocks that shared memory has no room for would be wasted.
    let fitting = (geometry.shared_bytes / shared_bytes.max(1)).max(1);
    config.head.residents = launch.residents.min(fitting) as i64;
    if let Some(when) = pass.tile.launch.and_then(|launch| launch.ahead) {
        let blocks = outline.blocks().max(1);
        let tiles = geometry.multiprocessors / blocks * config.head.residents as usize;
        config.head.ahead = tiles.max(1) as i64;
        config.head.asks_late = i64::from(when == Ahead::Late);
    }
    // The count of the outermost loop is no constant: a batch of another size is no other
    // program.
    if let Some(outermost) = config.loops.first_mut() {
        outermost.count = 1;
    }
    Ok(Ok(Numbers {
        alignments: alignments(&outline, &config),
        element: element(&outline.pass, &config),
        blocks: tiles.min(most_tiles).max(1) * outline.blocks() as u64,
        tiles,
        outline,
        config,
        shared_bytes,
    }))
}

/// What the steps, and how threads share them, say of a pass.
fn first_words(outline: &Outline, shared: Shared) -> Config {
    let pass = &outline.pass;
    let asked = |of: fn(Launch) -> bool| pass.tile.launch.is_some_and(of);
    let large = outline.any(|words| words.radix as usize > PRODUCTS_OF_TWIDDLES);
    let looked_up = large || asked(|launch| launch.looked_up);
    let [mirrored, mirrored_inner, mirrored_row, mirrored_facing] = outline.mirrored;
    Config {
        head: HeadWords {
            storage: storage_word(pass.math.storage),
            operand: operand_word(pass.math.operand),
            threads: shared.threads.threads as i64,
            lines: outline.tile_lines as i64,
            values: shared.held as i64,
            steps: outline.trips.len() as i64,
            axes: outline.order.len() as i64,
            loops: outline.loops.len() as i64,
            wide: i64::from(outline.wide),
            blocks: outline.blocks() as i64,
            edges: pass.load.edges.map_or(0, |e| e.count as i64),
            powers: i64::from(!(outline.double() && looked_up)),
            half_products: i64::from(asked(|launch| launch.multiplied)),
            unasked: i64::from(asked(|launch| launch.unasked)),
            roots_loop: -1,
            mirrored,
            mirrored_inner,
            mirrored_row,
            mirrored_facing,
            ..Default::default()
        },
        loops: loop_words(pass, &outline.loops),
        steps: shared.steps,
        ..Default::default()
    }
}

/// How memory is reached, by accesses of points `beside` each other, and what is looked up on the way.
fn memory(outline: &mut Outline, config: &mut Config, beside: [usize; 2]) {
    let Outline {
        pass,
        order,
        loops,
        tables,
        spread,
        ..
    } = outline;
    factors(pass, loops, config, tables);
    if *spread {
        cluster::twiddles(pass, config, tables);
    }
    for (at, &i) in order.iter().enumerate() {
        columns::twiddles(pass, &pass.axes[i], at, config, tables);
    }
    config.reals = real::words(pass, tables);
    config.between = real::between(pass, tables);
    sides(pass, order, config);
    config.head.load_vector *= beside[0] as i64;
    config.head.store_vector *= beside[1] as i64;
}

/// The shape of the launch: as measured, or for as many `residents` as registers suggest; and only what the pass allows.
fn launch(pass: &Pass, config: &Config, residents: usize) -> Launch {
    let threads = config.head.threads as usize;
    let asked = pass.tile.launch.unwrap_or(Launch::new(threads, residents));
    let last = config.steps.len() - 1;
    let plain = |(i, s): (usize, &StepWords)| {
        s.op == OP_DFT
            && s.engine != ENGINE_DENSE
            && (s.reals_in, s.reals_out) == (REALS_NONE, REALS_NONE)
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

/// Places what steps exchange in shared memory; returns the bytes of it that they take.
fn exchanges(outline: &Outline, config: &mut Config, geometry: &Geometry, cells: Cells) -> usize {
    let pass: &Pass = &outline.pass;
    let reals = |number| real::side(pass, number).map(|side| side.length);
    let both = |pair: &[Trip]| {
        let out = pair[0].points_out(reals(pair[0].words.reals_out));
        out.max(pair[1].points_in(reals(pair[1].words.reals_in)))
    };
    let points: Vec<usize> = outline.trips.windows(2).map(both).collect();
    if cells == Cells::Close {
        return points.iter().max().unwrap_or(&0)
            * outline.tile_lines
            * cell_bytes(outline, config);
    }
    let block = block(outline, config, geometry);
    for step in &mut config.steps {
        banks::place_reals(step, false, &block, None);
        banks::place_reals(step, true, &block, None);
    }
    banks::place(&mut config.steps, &points, &block)
}

/// Bytes of what an exchange moves at a time: of a point, or of its half.
fn cell_bytes(outline: &Outline, config: &Config) -> usize {
    let point = if outline.double() { 16 } else { 8 };
    point / if config.head.apart != 0 { 2 } else { 1 }
}

/// The block whose lanes meet in the banks of shared memory.
pub fn block(outline: &Outline, config: &Config, geometry: &Geometry) -> Block {
    let pass: &Pass = &outline.pass;
    Block {
        lines: outline.tile_lines,
        blocks: outline.blocks(),
        threads: config.head.threads as usize,
        wave: geometry.wave,
        cell: cell_bytes(outline, config),
        shared: geometry.shared_bytes,
        vendor: geometry.vendor,
        operand: pass.math.operand,
        axes: outline.order.len(),
        reals: std::array::from_fn(|i| real::side(pass, i as i64 + 1)),
    }
}

/// Bytes of the row in which a tile's reals meet before they go to memory, if they do.
fn bytes_of_row(outline: &Outline, config: &Config) -> usize {
    let (storage, row) = (outline.pass.math.storage, config.head.row_of_reals as usize);
    if row == 0 {
        return 0;
    }
    // As far behind its begin as the row's first real is behind that of a sector.
    let reals = outline.tile_lines * row + columns::LARGEST_SECTOR / storage.bytes();
    reals.next_multiple_of(2) * storage.compute_bytes()
}

/// Bytes at whose multiples memory must begin for the widest accesses: loads, and stores.
fn alignments(outline: &Outline, config: &Config) -> [usize; 2] {
    let pass = &outline.pass;
    // Reals that columns facing each other move together.
    let facing = |(at, end): (usize, End)| match config.steps[at].facing {
        FACING_LOAD | FACING_STORE => facing_neighbours(pass, end),
        _ => 0,
    };
    let vectors = [config.head.load_vector, config.head.store_vector];
    let ends = outline.ends();
    [0, 1].map(|side| {
        let together = facing(ends[side]).max(vectors[side] as usize);
        pass.math.storage.bytes() * (2 * together).max(1)
    })
}

/// Bytes at whose multiples memory must begin for accesses of one point: of a point, or of a real.
fn element(pass: &Pass, config: &Config) -> usize {
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
    let loads = needed(config.head.load_vector, loaded, pass.reals(End::Load));
    let stores = needed(config.head.store_vector, stored, pass.reals(End::Store));
    pass.math.storage.bytes() * (2 * loads.max(stores).min(1)).max(1)
}
