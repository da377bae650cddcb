//! What happens on chip: engine, radices and tile of a pass, by rules that say their name.

use super::problem::Problem;
use super::stage::Stage;
use mmafft_backend_traits::{
    radix, radix::RADICES, Access, Engine, Error, Kind, Limits, Operand, Pass, Precision,
    Residency, Result, ScalarType, Step, Tile, TileAxis, Twiddle,
};

/// Bytes of contiguous lines that are transformed together: enough that the calls cost
/// nothing beside the work.
const LINE_BYTES: usize = 256 << 10;

/// The same for real lines, which wait in the tile between transform and split: half of a
/// first-level cache.
const REAL_LINE_BYTES: usize = 16 << 10;

/// The pass made of stages that share a tile.
pub fn pass(stages: &[Stage], problem: &Problem, limits: &Limits) -> Result<Pass> {
    let first = &stages[0];
    let dims: Vec<usize> = stages.iter().map(|s| s.dim).collect();
    let loops = first.loops(&dims[1..]);
    let request = &problem.request;
    let mut steps = Vec::new();
    let mut reasons: Vec<String> = Vec::new();
    let mut axes = Vec::new();
    let engine = engine(problem, limits)?;
    for stage in stages {
        let mut axis = tile_axis(stage, problem);
        // Later axes work where the first one stored; the tile was loaded by the first.
        axis.load_stride = first.load.strides[stage.dim];
        let (chosen, reason) = axis_steps(&axis, stage, engine, problem, limits)?;
        steps.extend(chosen);
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
        axes.push(axis);
    }
    let line_loop = loops.len().saturating_sub(1);
    let operand = operand(engine, request.precision);
    Ok(Pass {
        load: access(&first.load, first, &dims),
        store: access(&first.store, first, &dims),
        edges: first.edges,
        twiddle: first.twiddle.map(|length| Twiddle { length, line_loop }),
        scale: 1.0,
        storage: problem.storage(),
        operand,
        split_matrix: request.split_matrix,
        engine,
        tile: tile(&axes, first, &steps, problem, limits),
        reason: reasons.join("; "),
        axes,
        loops,
        steps,
    })
}

/// Where a side begins: at the first index of every dimension that the tile does not hold.
fn access(place: &super::stage::Place, stage: &Stage, tile: &[usize]) -> Access {
    let outside = stage.others.iter().filter(|(d, _)| !tile.contains(d));
    let outside: Vec<_> = outside.cloned().collect();
    Access {
        slot: place.slot,
        offset: place.start(&outside),
        domain: place.domain,
        imaginary: place.imaginary,
    }
}

fn tile_axis(stage: &Stage, problem: &Problem) -> TileAxis {
    TileAxis {
        axis: problem.dims[stage.dim].axis.unwrap_or_default(),
        kind: stage.kind,
        direction: problem.request.direction,
        length: stage.length,
        load_stride: stage.load.strides[stage.dim],
        store_stride: stage.store.strides[stage.dim],
        load_range: stage.load_range.clone(),
        store_range: stage.store_range.clone(),
    }
}

/// The engine: the user's choice, else matrix products for the precisions that are named
/// after them, and butterflies where those are as exact and as fast.
fn engine(problem: &Problem, limits: &Limits) -> Result<Engine> {
    let precision = problem.request.precision;
    let natural = match precision {
        Precision::F32 | Precision::F64 => Engine::Simt,
        _ => Engine::Matrix,
    };
    let engine = problem.request.engine.unwrap_or(natural);
    let unsupported = |what: String, instead: &str| {
        Err(Error::Unsupported {
            what,
            backend: limits.backend.into(),
            instead: instead.into(),
        })
    };
    if engine == Engine::Simt && precision == Precision::SplitF16 {
        return unsupported(
            "split-f16 by butterflies".into(),
            "use precision f32, which is what butterflies on f32 data are",
        );
    }
    let product = match operand(engine, precision) {
        Operand::SplitHalf => Operand::Half,
        Operand::SplitBf16 => Operand::Bf16,
        operand => operand,
    };
    if engine == Engine::Matrix && !limits.fragments.iter().any(|f| f.operand == product) {
        return unsupported(
            format!("the matrix engine for {}", precision.row().name),
            "it has no such product; use the simt engine, or split-f16",
        );
    }
    Ok(engine)
}

/// What a pass multiplies: the precision's operand on the matrix engine, the arithmetic's
/// own type in butterflies.
fn operand(engine: Engine, precision: Precision) -> Operand {
    match (engine, precision) {
        (Engine::Matrix, precision) => precision.row().operand,
        (Engine::Simt, Precision::F64) => Operand::F64,
        (Engine::Simt, _) => Operand::F32,
    }
}

fn axis_steps(
    axis: &TileAxis,
    stage: &Stage,
    engine: Engine,
    problem: &Problem,
    limits: &Limits,
) -> Result<(Vec<Step>, String)> {
    let length = axis.core_length();
    if length == 1 && engine == Engine::Matrix {
        return Ok((Vec::new(), "a single point".into()));
    }
    let asked = problem.request.radices.as_deref();
    let table: Vec<usize> = match engine {
        Engine::Matrix => RADICES.iter().map(|row| row.radix).collect(),
        Engine::Simt => limits.butterflies.to_vec(),
    };
    let radices = asked.unwrap_or(&table);
    if let Some(radix) = radices.iter().find(|r| !table.contains(r)) {
        return Err(Error::Radices {
            radices: radices.to_vec(),
            length,
            reason: format!(
                "{} has no butterfly of {radix} points, expected some of {table:?}",
                limits.backend
            ),
        });
    }
    if let (Some(library), Engine::Simt, None) = (limits.line_library, engine, asked) {
        let lanes = limits.lanes(problem.storage());
        if !columns_pay(stage, problem, limits) || radix::factor(length, radices).is_none() {
            let step = Step::Line {
                axis: axis.axis,
                length,
                library,
            };
            return Ok((vec![step], format!("lines by {library}")));
        }
        let reason = format!("butterflies across {lanes} neighbouring lines");
        return Ok((factored(axis.axis, length, radices, engine), reason));
    }
    match radix::factor(length, radices) {
        Some(_) => {
            let reason = match asked {
                Some(asked) => format!("radices {asked:?}, as asked for"),
                None => format!("{} engine, largest radices first", engine.name()),
            };
            Ok((factored(axis.axis, length, radices, engine), reason))
        }
        None if asked.is_some() => Err(Error::Radices {
            radices: radices.to_vec(),
            length,
            reason: "they leave a factor over".into(),
        }),
        None => {
            let padded = (2 * length - 1).next_power_of_two();
            let chirp = Step::Chirp {
                axis: axis.axis,
                length,
                padded,
            };
            let mut steps = vec![chirp];
            steps.extend(factored(axis.axis, padded, radices, engine));
            let prime = mmafft_backend_traits::largest_prime_factor(length);
            Ok((steps, format!("Bluestein, for the prime factor {prime}")))
        }
    }
}

/// Whether butterflies across neighbouring lines can serve: complex lines whose
/// neighbours lie beside each other on both sides, in the precisions that need no
/// conversion, short enough for two copies of the tile in the cache.
fn columns_pay(stage: &Stage, problem: &Problem, limits: &Limits) -> bool {
    let (load, store) = (&stage.load, &stage.store);
    let lanes = limits.lanes(problem.storage());
    let beside = stage.others.iter().map(|(d, r)| (*d, r.len()));
    let neighbours = beside
        .filter(|&(d, n)| n >= lanes.div_ceil(2) && load.strides[d] == 2 && store.strides[d] == 2)
        .count();
    let in_lanes = neighbours > 0
        || stage
            .inner
            .last()
            .is_some_and(|l| l.load == 2 && l.store == 2 && l.count >= lanes.div_ceil(2));
    stage.kind == Kind::C2C
        && in_lanes
        && load.imaginary == 1
        && store.imaginary == 1
        && matches!(problem.storage(), ScalarType::F32 | ScalarType::F64)
        && stage.length > 1
        && stage.length * limits.vector_bytes * 2 <= 2 * limits.tile_bytes
}

/// DFT, twiddle, exchange; DFT, twiddle, exchange; …
fn factored(axis: usize, length: usize, radices: &[usize], engine: Engine) -> Vec<Step> {
    let factors = match engine {
        Engine::Simt => radix::factor(length, radices).map(balance),
        Engine::Matrix => radix::factor(length, radices),
    };
    let mut steps = Vec::new();
    let mut done = 1;
    for radix in factors.unwrap_or_default() {
        if done > 1 {
            let length = done * radix;
            steps.push(Step::Twiddle { axis, length });
            steps.push(Step::Exchange);
        }
        steps.push(Step::Dft { axis, radix });
        done *= radix;
    }
    steps
}

/// The powers of two among the factors, as equal as they can be: 8·8·4·4 costs as many steps
/// as 8·8·8·2, and a little less arithmetic.
fn balance(mut factors: Vec<usize>) -> Vec<usize> {
    let twos = |f: &usize| f.is_power_of_two();
    let count = factors.iter().filter(|f| twos(f)).count();
    let product: usize = factors.iter().filter(|f| twos(f)).product();
    let mut bits = product.trailing_zeros() as usize;
    let mut left = count;
    for factor in factors.iter_mut().filter(|f| twos(f)) {
        let share = bits.div_ceil(left);
        *factor = 1 << share;
        bits -= share;
        left -= 1;
    }
    factors
}

/// How many lines a tile holds: as many as neighbour each other within a vector where
/// lines are scattered, as many as the first-level cache takes where they are contiguous.
fn tile(axes: &[TileAxis], stage: &Stage, steps: &[Step], p: &Problem, l: &Limits) -> Tile {
    let scalar = p.storage().bytes();
    let points: usize = axes.iter().map(|a| a.core_length()).product();
    let bytes = points * 2 * scalar;
    let library = matches!(steps.first(), Some(Step::Line { .. }));
    let contiguous = stage.load.strides[stage.dim] <= 2 && stage.store.strides[stage.dim] <= 2;
    let all: usize = stage.others.iter().map(|(_, r)| r.len()).product::<usize>()
        * stage.inner.iter().map(|l| l.count).product::<usize>();
    let lines = match (axes.len(), library && contiguous) {
        (1, true) => {
            let complex = axes[0].kind == Kind::C2C;
            let most = if complex { LINE_BYTES } else { REAL_LINE_BYTES };
            let lines = (most / bytes.max(1)).max(1);
            // Groups of lines that begin where a vector of them does stay as aligned as the
            // array; odd ones cost 15 % at three points.
            if lines >= 16 {
                lines - lines % 16
            } else {
                lines
            }
        }
        (1, false) => l.lanes(p.storage()),
        _ => 1,
    };
    let lines = lines.min(all.max(1));
    Tile {
        lines,
        bytes: lines * bytes,
        residency: Residency::Block,
    }
}
