//! A model of what a tile costs where arithmetic limits: what its steps issue, lanes that are idle meanwhile, and how many blocks
//! registers and memory on chip leave to a multiprocessor. Its numbers were set by hand, by what was timed on an H100; it ranks
//! tiles, and predicts no times.

use super::tiles::{columns_and_rows, faced, of_line};
use mmafft_backend_traits::real::Middle;
use mmafft_backend_traits::{End, Kind, Pass, ScalarType, Step};
use std::ops::RangeInclusive;

/// Tiles that are kept of each number of threads.
const TILES: usize = 12;
/// Registers of a thread that two blocks may do without.
pub const SPARED: usize = 16;
/// Waves of 32 threads that hide what one waits for, about.
const WAVES: f64 = 20.0;

/// Which tiles are tried.
#[derive(Clone)]
pub struct Tried {
    /// Threads of a block, by 32.
    pub threads: RangeInclusive<usize>,
    /// Bytes of a tile at most.
    pub bytes: usize,
    /// Points of a thread at least.
    pub points: usize,
    /// Contiguous lines of a tile at most.
    pub lines: usize,
    /// Bytes beside each other in memory, of tiles of other lines.
    pub rows: &'static [usize],
    /// Values that a thread holds at most: of FP64, and of others.
    pub values: [usize; 2],
    /// Bytes that the blocks of a multiprocessor have.
    pub chip_bytes: usize,
}

/// A tile of a pass, and what it takes.
pub struct Tile<'a> {
    pub radices: &'a [usize],
    /// Whose step is first, and last: the radices', or the pass' own where there are none.
    ends: [usize; 2],
    pub lines: usize,
    pub threads: usize,
    /// Values that a thread holds, were none of its columns to face others.
    pub held: usize,
    points: usize,
    /// Bytes on chip.
    pub bytes: usize,
    /// Points of the tiles over those that there are: the last one of an array is not full.
    pub filled: f64,
    /// Instructions a point, about.
    pub work: f64,
}

impl Tile<'_> {
    /// Whether radices are the same, in whatever order.
    pub fn is_like(&self, other: &Self) -> bool {
        let sorted = |tile: &Self| {
            let mut radices = tile.radices.to_vec();
            radices.sort_unstable();
            radices
        };
        sorted(self) == sorted(other)
    }

    /// Values that a thread holds, two columns of the ends that face others.
    fn held_facing(&self, facing: [bool; 2]) -> usize {
        let columns = |radix: usize| (self.points / radix / 2).div_ceil(self.threads) * 2 * radix;
        let ends = self.ends.into_iter().zip(facing);
        let faced = ends.filter(|(_, faces)| *faces);
        let faced = faced.map(|(radix, _)| columns(radix));
        faced.max().unwrap_or(0).max(self.held)
    }
}

impl Tried {
    fn values(&self, scalar: ScalarType) -> usize {
        match scalar {
            ScalarType::F64 => self.values[0],
            _ => self.values[1],
        }
    }
}

/// How many blocks that have these tiles in turn a multiprocessor can have, where these of their columns face each other, and their
/// work then; `None` where it can have none.
pub fn residents(
    tiles: &[&Tile],
    facing: &[[bool; 2]],
    scalar: ScalarType,
    tried: &Tried,
) -> Option<(usize, f64)> {
    let threads = tiles.first()?.threads;
    let held = tiles.iter().zip(facing).map(|(t, f)| t.held_facing(*f));
    let held = held.max()?;
    if held > tried.values(scalar) {
        return None;
    }
    let held = held as f64;
    // Values and what is beside them, as NVRTC's kernels of reals have it.
    let registers = match scalar {
        ScalarType::F64 => 44.0 + 4.6 * held,
        _ => 36.0 + 2.6 * held,
    };
    let registers = (registers as usize).next_multiple_of(8).min(255);
    let bytes = tiles.iter().map(|t| t.bytes).max()? + (1 << 10);
    let room = (tried.chip_bytes / bytes).min(2048 / threads);
    // Of two blocks some registers may go to memory.
    let pair = 65536 / (threads * (registers - SPARED)).max(1);
    let residents = (65536 / (threads * registers)).max(pair.min(2)).min(room);
    let waves = (residents * threads / 32) as f64;
    let waits = 1.0 + 0.25 * (WAVES / waves - 1.0).max(0.0);
    // Blocks that are alone wait at their barriers; large ones longer.
    let alone = if residents == 1 { 1.05 } else { 1.0 };
    let barriers = 1.0 + 0.0002 * threads as f64;
    let work: f64 = tiles.iter().map(|tile| tile.work).sum();
    (residents > 0).then_some((residents, work * waits * alone * barriers))
}

/// What becomes of the pass' half spectra.
pub fn middle(pass: &Pass) -> Middle {
    let axis = &pass.axes[0];
    axis.kind.reduction(axis.length, false).middle
}

/// At which ends columns of these radices can face each other; or only where `halves` of spectra meet so.
pub fn facing(pass: &Pass, radices: &[usize], halves: bool) -> [bool; 2] {
    let Some((facing, _)) = faced(pass, radices) else {
        return [false; 2];
    };
    let middle = middle(pass);
    let ends = End::BOTH.map(|end| middle == end.middle());
    [0, 1].map(|i| facing[i] && (ends[i] || !halves))
}

/// The tiles of a pass with the least work, of each number of threads, those with less first; each of some of the lines that
/// tiles are cut from, of which there are `among`.
pub fn tiles<'a>(
    pass: &Pass,
    sequences: &'a [Vec<usize>],
    among: usize,
    tried: &Tried,
) -> Vec<Vec<Tile<'a>>> {
    let rows = pass
        .axes
        .iter()
        .any(|axis| axis.load.stride <= 2 && axis.store.stride <= 2);
    let together = pass.together();
    let scalar = pass.math.storage.bytes();
    // What lies beside each other in memory: points, or reals.
    let complex = pass.axes[0].kind == Kind::C2C;
    let beside = if complex { 2 * scalar } else { scalar };
    let lines: Vec<usize> = match rows {
        true => {
            let all = few(tried.lines).into_iter();
            all.map(|n| n * together).collect()
        }
        false => {
            let rows = tried.rows.iter();
            rows.map(|bytes| (bytes / beside).max(1) * together)
                .collect()
        }
    };
    let mut tiles: Vec<Vec<Tile>> = tried
        .threads
        .clone()
        .step_by(32)
        .map(|_| Vec::new())
        .collect();
    for radices in sequences {
        let Some(steps) = Steps::new(pass, radices) else {
            continue;
        };
        for &lines in lines.iter().filter(|&&lines| lines <= among.max(together)) {
            // The last tile of an array is not full.
            let filled = among.next_multiple_of(lines) as f64 / among as f64;
            // Parts of sectors, and of the pairs that caches take.
            let parts = match lines / together * beside {
                _ if rows => 1.0,
                row if row < 64 => 1.25,
                row if !row.is_multiple_of(64) => 1.08,
                _ => 1.0,
            };
            let cut = Cut::new(pass, &steps, lines, [filled, parts]);
            if cut.bytes > tried.bytes {
                break;
            }
            for (threads, tiles) in tried.threads.clone().step_by(32).zip(&mut tiles) {
                let held = cut.held(threads);
                if held > tried.values(pass.math.storage) || cut.points < tried.points * threads {
                    continue;
                }
                let tile = cut.tile(threads, held);
                let at = tiles.partition_point(|other| other.work <= tile.work);
                if at < TILES {
                    tiles.truncate(TILES - 1);
                    tiles.insert(at, tile);
                }
            }
        }
    }
    tiles
}

/// The tile of a pass by these radices, where none are its own.
pub fn tile<'a>(
    pass: &Pass,
    radices: &'a [usize],
    lines: usize,
    threads: usize,
) -> Option<Tile<'a>> {
    let steps = Steps::new(pass, radices)?;
    let cut = Cut::new(pass, &steps, lines, [1.0; 2]);
    Some(cut.tile(threads, cut.held(threads)))
}

/// The steps of a pass by some radices, or by its own.
struct Steps<'a> {
    radices: &'a [usize],
    /// What they are.
    own: Vec<usize>,
    /// The work of a column of each.
    of_columns: Vec<f64>,
    /// Whether half spectra, if there are any, meet in registers.
    meets: Option<bool>,
    /// Points of a line that threads hold, and those that are on chip.
    points: [usize; 2],
    /// The columns of a line of each, were its points no whole number of them.
    columns: Option<Vec<usize>>,
}

impl<'a> Steps<'a> {
    fn new(pass: &Pass, radices: &'a [usize]) -> Option<Self> {
        let own: Vec<usize> = match radices.is_empty() {
            true => pass.steps.iter().filter_map(Step::radix).collect(),
            false => radices.to_vec(),
        };
        let column = |&r: &usize| r as f64 * (butterfly(r) + 8.0) + 16.0;
        let meets = facing(pass, &own, true) != [false; 2];
        (!own.is_empty()).then(|| Steps {
            radices,
            of_columns: own.iter().map(column).collect(),
            meets: (middle(pass) != Middle::Plain).then_some(meets),
            points: of_line(pass, radices),
            columns: columns_and_rows(pass, &own),
            own,
        })
    }
}

/// So many lines by these steps.
struct Cut<'s, 'a> {
    steps: &'s Steps<'a>,
    lines: usize,
    points: usize,
    bytes: usize,
    /// Of each step.
    columns: Vec<usize>,
    filled: f64,
    parts: f64,
}

impl<'s, 'a> Cut<'s, 'a> {
    fn new(pass: &Pass, steps: &'s Steps<'a>, lines: usize, [filled, parts]: [f64; 2]) -> Self {
        let [points, on_chip] = steps.points.map(|points| points * lines);
        let columns = match &steps.columns {
            Some(of_line) => of_line.iter().map(|columns| columns * lines).collect(),
            None => steps.own.iter().map(|radix| points / radix).collect(),
        };
        Cut {
            steps,
            lines,
            points,
            bytes: on_chip * 2 * pass.math.storage.compute_bytes(),
            columns,
            filled,
            parts,
        }
    }

    fn held(&self, threads: usize) -> usize {
        let columns = self.columns.iter().zip(&self.steps.own);
        let held = columns.map(|(n, r)| n.div_ceil(threads) * r);
        held.max().unwrap_or(0)
    }

    fn tile(&self, threads: usize, held: usize) -> Tile<'a> {
        let slots = |columns: usize| (columns.div_ceil(threads) * threads) as f64;
        let steps = self.columns.iter().zip(&self.steps.of_columns);
        let mut work: f64 = steps.map(|(&n, work)| slots(n) * work).sum();
        if let Some(meets) = self.steps.meets {
            work += slots(self.points / 2 + self.lines) * 48.0;
            // Half spectra that meet over shared memory.
            work *= if meets { 1.0 } else { 1.1 };
        }
        let own = &self.steps.own;
        Tile {
            radices: self.steps.radices,
            ends: [own[0], own[own.len() - 1]],
            lines: self.lines,
            threads,
            held,
            points: self.points,
            bytes: self.bytes,
            filled: self.filled,
            work: work * (self.filled / self.points as f64) * self.parts,
        }
    }
}

/// Numbers of lines up to `most`: all to 64, then each by about a 24th more than the one before.
fn few(most: usize) -> Vec<usize> {
    let next = |&n: &usize| Some(n + (n / 32).next_power_of_two().max(1)).filter(|&n| n <= most);
    std::iter::successors(Some(1), next).collect()
}

/// Instructions a point of a butterfly: about twice the sum of its prime factors.
fn butterfly(radix: usize) -> f64 {
    let (mut rest, mut sum) = (radix, 0.0);
    for prime in 2..=radix {
        while rest.is_multiple_of(prime) {
            rest /= prime;
            sum += 1.75 * prime as f64 - 1.2;
        }
    }
    sum
}
