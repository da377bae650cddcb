//! What a pass is on a device, in numbers: all that decides its speed beside the bytes that it moves.

/// How a device runs a pass.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PassShape {
    /// Threads of a block.
    pub threads: usize,
    /// The most values that a thread holds at a time.
    pub values: usize,
    /// The most registers of 32 bits that a thread may have; those beyond are memory.
    pub registers: usize,
    /// Blocks that a multiprocessor holds at a time.
    pub residents: usize,
    /// Bytes of shared memory of a block.
    pub shared_bytes: usize,
    /// Bytes of roots and matrices that are looked up.
    pub table_bytes: usize,
    /// Whether some roots are products of others, in place of looked up.
    pub multiplied: bool,
    /// Whether exchanges move real parts first, then imaginary ones.
    pub apart: bool,
    /// Whether the lines of a tile are scaled once for all products, in place of columns for each.
    pub scaled_lines: bool,
    /// Lines of a tile, or arrays; two in mirrored pairs count as one.
    pub lines: usize,
    /// Tiles of the pass.
    pub tiles: u64,
    /// Blocks of its launch.
    pub blocks: u64,
    /// Bytes that the widest access of memory moves, where tiles are loaded and where they are stored: memory begins at
    /// multiples of them, or narrower kernels run.
    pub accesses: [usize; 2],
    /// The trips of a tile's points through registers.
    pub trips: Vec<TripShape>,
}

/// What a thread does with some of a tile's points in one trip through its registers.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TripShape {
    /// What there is of it in a line or an array.
    pub count: TripCount,
    /// Columns that a thread has.
    pub of_thread: usize,
    /// Of them those that one access of memory moves, where the trip meets memory.
    pub neighbours: usize,
    /// Whether what it makes stays in registers, and the next trip exchanges nothing.
    pub stays: bool,
    /// Cells of shared memory from a line to the next after it, and between two that are left out.
    pub cells: [usize; 2],
    /// Wavefronts of shared memory that the exchange after it takes, over the fewest possible, as lanes wait for banks: of
    /// what it stores, of what the next trip loads.
    pub wavefronts: [f64; 2],
}

impl PassShape {
    /// Wavefronts of all exchanges beside the fewest possible, of each that stores and loads as many points as a tile has.
    pub fn bank_waits(&self) -> f64 {
        let of_trip = |trip: &TripShape| trip.wavefronts[0] + trip.wavefronts[1] - 2.0;
        self.trips.iter().map(of_trip).sum()
    }
}

/// A trip of a line or an array, before threads share it: in small DFTs, pairs of points, or points that are copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TripCount {
    /// What is computed.
    pub work: TripWork,
    /// How many such columns there are; of those in pairs, how many pairs.
    pub columns: usize,
    /// Values of a column; of those in pairs, of both.
    pub values: usize,
    /// Whether they come in pairs that mirror each other.
    pub facing: bool,
}

/// What a trip computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TripWork {
    /// A butterfly of so many points.
    Butterfly(usize),
    /// A matrix product of so many points.
    Product(usize),
    /// Sums over so many points in shared memory.
    Sums(usize),
    /// All of a line of type I, of so many reals.
    Line(usize),
    /// Half spectra merged to points.
    Merge,
    /// Points split to half spectra.
    Split,
    /// Nothing: points change their order.
    Copy,
    /// The same without registers.
    AsynchronousCopy,
}

impl std::fmt::Display for TripWork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TripWork::Butterfly(points) => write!(f, "DFT {points}"),
            TripWork::Product(points) => write!(f, "product {points}"),
            TripWork::Sums(points) => write!(f, "sums of {points}"),
            TripWork::Line(reals) => write!(f, "line of {reals}"),
            TripWork::Merge => write!(f, "merge"),
            TripWork::Split => write!(f, "split"),
            TripWork::Copy => write!(f, "copy"),
            TripWork::AsynchronousCopy => write!(f, "asynchronous copy"),
        }
    }
}
