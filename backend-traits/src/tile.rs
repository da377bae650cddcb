//! A tile: what a pass holds on chip at a time, where, and in blocks of what shape.

/// The points that a pass holds on chip at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tile {
    /// Neighbouring lines (single-axis passes), or arrays. An even number of mirrored ones.
    pub lines: usize,
    /// Bytes on chip.
    pub bytes: usize,
    /// Where.
    pub residency: Residency,
    /// The shape of the blocks that hold it, where it has been measured; by the registers that
    /// the steps need, where not.
    pub launch: Option<Launch>,
}

/// The shape of a device's blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// Threads of a block.
    pub threads: usize,
    /// Blocks that a multiprocessor is to hold at a time: it bounds a thread's registers.
    pub residents: usize,
    /// Whether exchanges move real parts first, then imaginary ones, through half the memory.
    pub apart: bool,
    /// How many neighbouring points one access of memory may move; 1: each alone.
    pub neighbours: usize,
    /// Whether a thread has columns that mirror each other in the first step and in the last one, where
    /// radices allow: so that it merges or splits half spectra, or puts neighbouring reals beside each
    /// other, without an exchange.
    pub facing: [bool; 2],
    /// Whether each twiddle is looked up, in place of some as products of others: in FP64 alone.
    pub looked_up: bool,
    /// Whether lanes and lines beyond the last load what the last one does, and store nothing, so that none is asked
    /// whether it is there: of whole lines of type III.
    pub unasked: bool,
    /// Whether roots of a split or merge are products, of a thread's first one and of how far its other points are
    /// from that one's, in place of looked up each: of whole lines.
    pub multiplied: bool,
    /// Whether what a line of real columns becomes meets in shared memory before it goes to memory, in one row: of a
    /// tile whose lines lie in a row.
    pub staged: bool,
    /// Whether and when a block asks for the tile of a block to come, so that it is in the second-level cache by then:
    /// where few tiles are at work at a time, memory would wait for arithmetic.
    pub ahead: Option<Ahead>,
}

/// A word of [`Launch::WORDS`].
pub type LaunchWord = (&'static str, fn(&mut Launch), fn(&Launch) -> bool);

/// When a block asks for a later tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ahead {
    /// In its first exchange: so that it is there in time.
    Early,
    /// In its last exchange: so that it is still there.
    Late,
}

impl Launch {
    /// What a launch may do otherwise than others: the word for it, what makes one do it, and whether one does.
    pub const WORDS: [LaunchWord; 9] = [
        ("apart", |l| l.apart = true, |l| l.apart),
        ("facing first", |l| l.facing[0] = true, |l| l.facing[0]),
        ("facing last", |l| l.facing[1] = true, |l| l.facing[1]),
        ("looked up", |l| l.looked_up = true, |l| l.looked_up),
        ("unasked", |l| l.unasked = true, |l| l.unasked),
        ("multiplied", |l| l.multiplied = true, |l| l.multiplied),
        ("staged", |l| l.staged = true, |l| l.staged),
        (
            "ahead",
            |l| l.ahead = Some(Ahead::Late),
            |l| l.ahead == Some(Ahead::Late),
        ),
        (
            "ahead early",
            |l| l.ahead = Some(Ahead::Early),
            |l| l.ahead == Some(Ahead::Early),
        ),
    ];

    /// So many threads and residents, and nothing else than elsewhere.
    pub fn new(threads: usize, residents: usize) -> Self {
        Launch {
            threads,
            residents,
            apart: false,
            neighbours: 1,
            facing: [false; 2],
            looked_up: false,
            unasked: false,
            multiplied: false,
            staged: false,
            ahead: None,
        }
    }
}

/// Where a tile lives between load and store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Residency {
    /// One block's shared memory and registers; on the CPU, one core's caches.
    Block,
    /// The distributed shared memory of this many blocks: each holds all of the axis that is
    /// transformed, and its share of the other; see [`crate::Step::AllToAll`].
    Cluster(usize),
}

impl Residency {
    /// Blocks that hold a tile together, of a device's.
    pub fn blocks(self) -> usize {
        match self {
            Residency::Cluster(blocks) => blocks,
            Residency::Block => 1,
        }
    }
}

/// Points of a tile of several axes, of so many points and of such lengths: of reals the others are reals while one of
/// them is points. `None` where no integer holds it.
pub fn held_points(axes: &[(usize, usize)], reals: bool) -> Option<usize> {
    let times = |points: usize, n: usize| points.checked_mul(n);
    if !reals {
        return axes
            .iter()
            .try_fold(1, |points, &(own, _)| times(points, own));
    }
    let held = |i: usize| {
        let mut others = axes.iter().enumerate().filter(|&(j, _)| j != i);
        others.try_fold(axes[i].0, |points, (_, &(_, length))| times(points, length))
    };
    (0..axes.len()).try_fold(0, |most, i| Some(held(i)?.max(most)))
}
