//! The last few short transforms of each thread, found without a request: building and hashing one costs more than a
//! short transform.

use crate::arrays::Sides;
use crate::call::{Call, Options};
use crate::state;
use mmafft::Transform;
use std::cell::RefCell;
use std::sync::Arc;

/// The highest rank of what is found so.
const RANK: usize = 4;

/// How many a thread keeps.
const KEPT: usize = 8;

/// All that a call's request and extents follow from.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    call: Call,
    normalization: mmafft::Normalization,
    precision: mmafft::Precision,
    in_place: bool,
    shapes: [[usize; RANK]; 2],
    strides: [[isize; RANK]; 2],
    rank: usize,
    /// Axes and their lengths, in order; behind them axes that no array has.
    axes: [(usize, usize); RANK],
}

impl Key {
    /// The key of a call, of what can be found by one.
    pub fn new(
        call: Call,
        sides: &Sides,
        axes: &[usize],
        lengths: &[usize],
        options: &Options,
    ) -> Option<Self> {
        let plain =
            options.nonzero.is_empty() && options.wanted.is_empty() && options.effort.is_none();
        let rank = sides.input.shape.len();
        if !plain || rank > RANK || sides.output.shape.len() != rank || axes.len() > RANK {
            return None;
        }
        let mut key = Key {
            call,
            normalization: options.normalization,
            precision: options.precision,
            in_place: sides.in_place(),
            shapes: [[0; RANK]; 2],
            strides: [[0; RANK]; 2],
            rank,
            axes: [(usize::MAX, 0); RANK],
        };
        for (i, side) in [&sides.input, &sides.output].into_iter().enumerate() {
            if side.item != sides.items[i] {
                return None;
            }
            key.shapes[i][..rank].copy_from_slice(&side.shape);
            key.strides[i][..rank].copy_from_slice(&side.strides);
        }
        let pairs = axes.iter().copied().zip(lengths.iter().copied());
        key.axes
            .iter_mut()
            .zip(pairs)
            .for_each(|(place, pair)| *place = pair);
        Some(key)
    }
}

/// A transform, and the bytes that its arrays extend over.
type Found = (Arc<Transform>, [usize; 2]);

#[derive(Default)]
struct Memo {
    /// What the state was when these were kept.
    generation: u64,
    entries: Vec<(Key, Found)>,
    next: usize,
}

thread_local! {
    static MEMO: RefCell<Memo> = RefCell::default();
}

/// What this thread has kept of such a call.
pub fn find(key: &Key) -> Option<Found> {
    MEMO.with_borrow(|memo| {
        if memo.generation != state::generation() {
            return None;
        }
        let found = memo.entries.iter().find(|(kept, _)| kept == key);
        found.map(|(_, found)| found.clone())
    })
}

/// Keeps a transform in place of the one that was kept longest.
pub fn keep(key: Option<Key>, fft: &Arc<Transform>, bytes: [usize; 2]) {
    let Some(key) = key else {
        return;
    };
    MEMO.with_borrow_mut(|memo| {
        let generation = state::generation();
        if memo.generation != generation {
            memo.entries.clear();
            (memo.generation, memo.next) = (generation, 0);
        }
        let entry = (key, (fft.clone(), bytes));
        match memo.entries.len() < KEPT {
            true => memo.entries.push(entry),
            false => {
                memo.entries[memo.next] = entry;
                memo.next = (memo.next + 1) % KEPT;
            }
        }
    });
}
