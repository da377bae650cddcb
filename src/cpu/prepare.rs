//! From a plan's passes to stages that run; `check` proves that they stay inside.
//!
//! The file is long because each kind of stage is made here, of parts that only its neighbours need.

use super::batch::Batch;
use super::butterflies::BUTTERFLIES;
use super::check::{check, Extents};
use super::columns::{ColumnFft, LinesIn};
use super::half_spectrum::HalfSpectrum;
use super::lanes::LaneScalar;
use super::line_price::{self, BATCH, FOUR_LINES, LIBRARY, TWO_LINES};
use super::lines::{Library, Lines};
use super::odd_reals::{self, OddReals, ODD_REALS};
use super::parts::Part;
use super::real_columns::RealColumns;
use super::real_lines::RealLines;
use super::scalar::{Real, Storage};
use super::shared_vectors::SharedVectors;
use super::stage::{LineLoop, Path, Stage};
use mmafft_backend_traits::real::Middle;
use mmafft_backend_traits::{
    radix, Direction, End, Ends, Engine, Error, Kind, Loop, Pass, Result, Side, Slot, Step,
    TileAxis,
};

/// A pass ready to run: for each tile, its stages in order.
pub struct PreparedPass<S: Storage> {
    /// The tiles; empty where the stages' own loops are all there is.
    pub tiles: Vec<Loop>,
    /// What happens to a tile.
    pub work: TileWork<S>,
}

/// What happens to a tile.
pub enum TileWork<S: Storage> {
    /// One axis after the other, in memory.
    InMemory(Vec<Stage<S>>),
    /// The same in the workspace, where points are widened to what arithmetic uses: a
    /// tile of several axes in 16 bits is rounded once, when it is stored.
    Widened(Box<Widened<S::Compute>>),
    /// Parts of lines that are split among passes.
    Part(Box<Part<S>>),
}

/// A tile of several axes that is widened in the workspace.
pub struct Widened<T: Real + Storage<Compute = T>> {
    /// From the tile's input to its output, both dense.
    pub stages: Vec<Stage<T>>,
    /// Copies of what is read: memory to dense.
    pub load: Copies,
    /// Copies of what is written: dense to memory.
    pub store: Copies,
    /// Scalars of the dense input and output.
    pub scalars: [usize; 2],
    /// What stored points are multiplied by.
    pub scale: T,
}

/// A strided array and its dense image, in scalars.
pub struct Copies {
    /// The side in memory.
    pub side: Side,
    /// Count, stride in memory and stride in the image, per axis.
    pub axes: Vec<(usize, usize, usize)>,
    /// The first scalar of the image.
    pub dense: usize,
}

impl<S: Storage> PreparedPass<S> {
    /// Complex numbers of workspace that one worker needs.
    pub fn workspace(&self) -> usize {
        match &self.work {
            TileWork::InMemory(stages) => stages.iter().map(|s| s.workspace()).max().unwrap_or(0),
            TileWork::Widened(w) => {
                let stages = w.stages.iter().map(|s| s.workspace()).max();
                w.dense_complex() + stages.unwrap_or(0)
            }
            TileWork::Part(part) => part.workspace(),
        }
    }

    /// Points of all lines of a tile's largest axis, for judging whether threads pay.
    pub fn points(&self) -> usize {
        match &self.work {
            TileWork::InMemory(stages) => stages.iter().map(|s| s.points()).max(),
            TileWork::Widened(w) => w.stages.iter().map(|s| s.points()).max(),
            TileWork::Part(part) => Some(part.points()),
        }
        .unwrap_or(0)
    }

    /// Whether the pass stores to the caller's input.
    pub fn writes_input(&self) -> bool {
        match &self.work {
            TileWork::InMemory(stages) => stages.iter().any(|s| s.store.slot == Slot::Input),
            TileWork::Widened(w) => w.store.side.slot == Slot::Input,
            TileWork::Part(part) => part.writes_input(),
        }
    }
}

impl<T: Real + Storage<Compute = T>> Widened<T> {
    /// Complex numbers that the dense input and output take together.
    pub fn dense_complex(&self) -> usize {
        self.scalars.iter().map(|s| s.div_ceil(2)).sum()
    }
}

/// Prepares one pass, widens `extents` by what it touches, and says if it cannot run `in_place`.
pub fn pass<S: Storage>(
    pass: &Pass,
    in_place: &mut bool,
    extents: &mut Extents,
) -> Result<PreparedPass<S>> {
    *in_place &= check(pass, extents)?;
    if Part::<S>::covers(pass) {
        return Ok(PreparedPass {
            tiles: pass.loops.clone(),
            work: TileWork::Part(Box::new(Part::new(pass)?)),
        });
    }
    let fused = pass.axes.len() > 1;
    let tiles = if fused {
        pass.loops.clone()
    } else {
        Vec::new()
    };
    let work = match fused && !S::is_compute() {
        true => TileWork::Widened(Box::new(widened(pass)?)),
        false => TileWork::InMemory(stages(pass)?),
    };
    Ok(PreparedPass { tiles, work })
}

/// The dense form of a pass over a tile of several axes.
fn widened<T: Real + Storage<Compute = T>>(pass: &Pass) -> Result<Widened<T>> {
    let mut dense = pass.clone();
    dense.loops.clear();
    dense.math.scale = 1.0;
    let mut scalars = [0; 2];
    let mut copies = Vec::new();
    for end in End::BOTH {
        let mut side = *pass.side(end);
        let domain = side.domain;
        *dense.side_mut(end) = Side {
            slot: [Slot::Input, Slot::Output][end as usize],
            offset: 0,
            imaginary: 1,
            ..side
        };
        let mut stride = domain.scalars();
        let mut first = 0;
        let mut axes = Vec::new();
        // The image has its points in the order of memory, so that they move in rows.
        let mut order: Vec<(&mut TileAxis, &TileAxis)> =
            dense.axes.iter_mut().zip(&pass.axes).collect();
        order.sort_by_key(|(_, from)| from.map(end).stride);
        for (axis, from) in order {
            let (range, memory) = (&from.ranges[end], from.map(end).stride);
            axis.map_mut(end).stride = stride;
            axes.push((range.len(), memory, stride));
            side.offset += range.start * memory;
            first += range.start * stride;
            stride *= axis.kind.lengths(axis.length)[end as usize];
        }
        axes.reverse();
        scalars[end as usize] = stride;
        copies.push(Copies {
            side,
            axes,
            dense: first,
        });
    }
    let store = copies.pop().expect("two sides");
    let load = copies.pop().expect("two sides");
    Ok(Widened {
        stages: stages(&dense)?,
        load,
        store,
        scalars,
        scale: T::rounded(pass.math.scale),
    })
}

/// The memories of a pass where an axis of a tile finds its points and leaves them.
///
/// Half spectra do not fit where the reals go that they become, so that they stay where the tile was loaded.
pub fn sides_of(pass: &Pass, axis: usize) -> [End; 2] {
    let last = axis + 1 == pass.axes.len();
    match Kind::end_with_reals(pass.axes.iter().map(|axis| axis.kind)) {
        true => [End::Load, if last { End::Store } else { End::Load }],
        false => [if axis == 0 { End::Load } else { End::Store }, End::Store],
    }
}

fn stages<S: Storage>(pass: &Pass) -> Result<Vec<Stage<S>>> {
    let fused = pass.axes.len() > 1;
    let mut stages = Vec::new();
    for (i, axis) in pass.axes.iter().enumerate() {
        let mut loops = if fused {
            Vec::new()
        } else {
            pass.loops.clone()
        };
        let sides = sides_of(pass, i);
        let strides_of = |axis: &TileAxis| sides.map(|end| axis.map(end).stride);
        let [mut load, mut store] = sides.map(|end| *pass.side(end));
        let mut axis = axis.clone();
        [axis.load.stride, axis.store.stride] = strides_of(&axis);
        for (j, other) in pass.axes.iter().enumerate().filter(|(j, _)| *j != i) {
            let range = match j < i {
                true => &other.ranges.store,
                false => &other.ranges.load,
            };
            let strides = strides_of(other);
            load.offset += range.start * strides[0];
            store.offset += range.start * strides[1];
            loops.push(Loop::of_lines(range.len(), strides[0], strides[1]));
        }
        let last = i + 1 == pass.axes.len();
        let stage = stage(pass, axis, (load, store), loops, last)?;
        stages.push(Stage { sides, ..stage });
    }
    Ok(stages)
}

fn stage<S: Storage>(
    pass: &Pass,
    axis: TileAxis,
    (load, store): (Side, Side),
    loops: Vec<Loop>,
    last: bool,
) -> Result<Stage<S>> {
    let inverse = axis.direction == Direction::Inverse;
    let mut loops = line_loops(&loops);
    let whole = |range: &std::ops::Range<usize>, n: usize| *range == (0..n);
    let plain = axis.kind == Kind::C2C
        && (load.imaginary, store.imaginary) == (1, 1)
        && whole(&axis.ranges.load, axis.length)
        && whole(&axis.ranges.store, axis.length);
    let contiguous = axis.length == 1 || (axis.load.stride, axis.store.stride) == (2, 2);
    let radices: Vec<usize> = pass
        .steps
        .iter()
        .filter_map(|s| match s {
            Step::Dft { axis: a, radix, .. } if *a == axis.axis => Some(*radix),
            _ => None,
        })
        .collect();
    // Neighbours are the lines with the smallest strides.
    loops.sort_by_key(|l| std::cmp::Reverse(l.apart.load + l.apart.store));
    let neighbours = loops
        .last()
        .is_some_and(|l| l.apart == Ends { load: 2, store: 2 } && l.count > 1);
    let library = pass.steps.iter().find_map(|step| match step {
        Step::Line {
            axis: own, library, ..
        } if *own == axis.axis => Some(*library),
        _ => None,
    });
    let line = library.is_some();
    let lines = match library {
        Some(ODD_REALS)
            if matches!(axis.kind, Kind::R2C | Kind::C2R) && odd_reals::halves(axis.length) =>
        {
            None
        }
        Some(ODD_REALS) => {
            return Err(Error::Unsupported {
                what: format!("{ODD_REALS} of lines of {} points", axis.length),
                backend: "cpu".into(),
                instead: "let the planner make it".into(),
            })
        }
        _ => Some(lines::<S::Compute>(pass, &axis, &radices, inverse)?),
    };
    let mut tile_lines = pass.tile.lines.max(1);
    let scale = if last { pass.math.scale } else { 1.0 };
    let lines_in = match pass.axes.len() {
        1 => LinesIn::Workspace,
        _ => LinesIn::Cache,
    };
    let beside = loops
        .last()
        .is_some_and(|l| l.apart == Ends { load: 1, store: 1 } && l.count > 1);
    let in_lanes = S::is_compute() && beside && !line && pass.math.engine == Engine::Simt;
    let real = axis.kind.is_real_to_real();
    let path = match lines {
        None => Path::OddReals(OddReals::new(axis.length, inverse)),
        Some(_) if real && in_lanes && !radices.is_empty() => {
            let columns = RealColumns::new(&axis, &radices, lines_in, scale, pass.math.orthogonal);
            tile_lines = columns.lines();
            Path::RealColumns(columns)
        }
        Some(lines) if real => Path::Real(RealLines::new(&axis, lines, pass.math.orthogonal)),
        Some(lines) if plain && S::is_compute() && contiguous && axis.length > 0 => {
            Path::Rows(lines)
        }
        Some(lines) if S::is_compute() && real_rows(&axis, [&load, &store], &loops) => {
            Path::RealRows(lines, HalfSpectrum::new(axis.length))
        }
        Some(_)
            if plain
                && neighbours
                && !line
                && pass.math.engine == Engine::Simt
                && !radices.is_empty() =>
        {
            let columns = ColumnFft::new(&radices, inverse, LinesIn::Memory);
            tile_lines = columns.lines();
            Path::Columns(columns)
        }
        Some(lines) => {
            let real = (axis.kind != Kind::C2C && axis.length.is_multiple_of(2))
                .then(|| HalfSpectrum::new(axis.length));
            Path::Tile(lines, real)
        }
    };
    if pass.axes.len() > 1 {
        // A tile of several axes is already in the cache; its lines go a vector at a time.
        let vector = S::Compute::vector_bytes() / size_of::<S::Compute>();
        tile_lines = match &path {
            Path::Columns(columns) => columns.lines(),
            Path::RealColumns(columns) => columns.lines(),
            Path::Rows(_) => ((1 << 15) / (axis.length * 2 * size_of::<S>()).max(1)).max(1),
            _ => vector,
        };
    }
    if let Path::Rows(lines) | Path::RealRows(lines, _) | Path::Tile(lines, _) = &path {
        let together = tile_lines.checked_next_multiple_of(lines.together());
        tile_lines = together.unwrap_or(tile_lines);
    }
    let inner = loops.last().map_or(1, |l| l.count);
    Ok(Stage {
        path,
        load,
        store,
        lines: tile_lines.clamp(1, inner),
        loops,
        scale: S::Compute::rounded(scale),
        sides: End::BOTH,
        axis,
    })
}

/// Whether lines of an even number of reals are pairs in a row, and their half spectra points in a row.
fn real_rows(axis: &TileAxis, [load, store]: [&Side; 2], loops: &[LineLoop]) -> bool {
    let n = axis.length;
    let (reals, points) = match axis.kind {
        Kind::R2C => (End::Load, End::Store),
        Kind::C2R => (End::Store, End::Load),
        _ => return false,
    };
    let pairs = |apart: &Ends<usize>| apart.load.is_multiple_of(2) && apart.store.is_multiple_of(2);
    n.is_multiple_of(2)
        && n > 0
        && (axis.map(reals).stride, axis.map(points).stride) == (1, 2)
        && (&axis.ranges[reals], &axis.ranges[points]) == (&(0..n), &(0..n / 2 + 1))
        && [load, store].map(|side| side.imaginary)[points as usize] == 1
        && load.edges.is_none()
        && loops.last().is_none_or(|inner| pairs(&inner.apart))
}

/// The pass' loops with their order; one of a single line if there are none.
fn line_loops(loops: &[Loop]) -> Vec<LineLoop> {
    let mut order = 1;
    let mut lines: Vec<LineLoop> = Vec::new();
    let one = [Loop::of_lines(1, 0, 0)];
    let loops = if loops.is_empty() { &one } else { loops };
    for l in loops.iter().rev() {
        lines.push(LineLoop {
            count: l.count,
            apart: Ends {
                load: l.load.stride,
                store: l.store.stride,
            },
            order,
        });
        order *= l.count;
    }
    lines.reverse();
    lines
}

/// Contiguous lines by a way that the price has chosen for them, with what lies between them and half spectra.
pub fn lines_by<T: Real + Storage<Compute = T>>(
    way: &str,
    length: usize,
    inverse: bool,
    middle: Middle,
) -> Box<dyn Lines<T>> {
    let own: Option<Box<dyn Lines<T>>> = match way {
        BATCH => line_price::radices(length)
            .map(|radices| Box::new(Batch::new(&radices, inverse)) as Box<_>),
        TWO_LINES | FOUR_LINES => {
            let lines = if way == TWO_LINES { 2 } else { 4 };
            SharedVectors::new(lines, length, inverse, middle)
                .map(|lines| Box::new(lines) as Box<_>)
        }
        _ => None,
    };
    // A plan that was not made here may name a way that does not suit.
    own.unwrap_or_else(|| Box::new(Library::new(length, inverse)))
}

/// The transform of contiguous lines that the pass' steps describe for an axis.
pub fn lines<T: Real + Storage<Compute = T>>(
    pass: &Pass,
    axis: &TileAxis,
    radices: &[usize],
    inverse: bool,
) -> Result<Box<dyn Lines<T>>> {
    let length = axis.core_length();
    let convolved = pass
        .steps
        .iter()
        .any(|s| matches!(s, Step::Chirp { axis: a, .. } if *a == axis.axis));
    if radices.is_empty() {
        let way = pass.steps.iter().find_map(|step| match step {
            Step::Line {
                axis: own, library, ..
            } if *own == axis.axis => Some(*library),
            _ => None,
        });
        // Reals of an odd length are as many complex points.
        let middle = match axis.kind {
            Kind::R2C if axis.length.is_multiple_of(2) => Middle::Split,
            Kind::C2R if axis.length.is_multiple_of(2) => Middle::Merge,
            _ => Middle::Plain,
        };
        return Ok(lines_by(way.unwrap_or(LIBRARY), length, inverse, middle));
    }
    let unsupported = |what: &str| Error::Unsupported {
        what: what.into(),
        backend: "cpu".into(),
        instead: "let the planner make it".into(),
    };
    let no_radix = |what: &str, radix: &usize| Error::Radices {
        radices: radices.to_vec(),
        length,
        reason: format!("the CPU has no {what} of {radix} points"),
    };
    match pass.math.engine {
        Engine::Matrix => match radices.iter().find(|&&r| radix::find(r).is_none()) {
            Some(radix) => Err(no_radix("product", radix)),
            None => {
                let convolved = convolved.then_some(length);
                T::matrix_lines(radices, convolved, inverse, pass)
                    .ok_or_else(|| unsupported("the matrix engine in f64"))
            }
        },
        Engine::Simt if convolved => Err(unsupported("Bluestein by butterflies")),
        Engine::Simt => match radices.iter().find(|r| !BUTTERFLIES.contains(r)) {
            Some(radix) => Err(no_radix("butterfly", radix)),
            None => Ok(Box::new(Batch::new(radices, inverse))),
        },
    }
}
