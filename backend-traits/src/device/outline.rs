//! A pass as trips around a tile of lines, before threads share them out.

use super::cluster;
use super::columns;
use super::config::*;
use super::copies::Copies;
use super::sides::{mirrored_words, ordered_loops};
use super::tables::Tables;
use super::trip::Trip;
use super::trips::{self, Products};
use crate::error::{Error, Result};
use crate::pass::Pass;
use crate::precision::ScalarType;
use crate::side::End;
use std::borrow::Cow;

/// A pass in trips.
#[derive(Debug)]
pub struct Outline<'a> {
    /// The pass; a line that a cluster holds as a tile of its two parts.
    pub pass: Cow<'a, Pass>,
    /// Its axes as they lie in memory, the outermost first.
    pub order: Vec<usize>,
    /// Its loops, the outermost first.
    pub loops: Vec<usize>,
    pub trips: Vec<Trip>,
    /// What the trips look up.
    pub tables: Tables,
    /// Lines of the whole pass; of those in mirrored pairs, pairs.
    pub lines: u64,
    /// Those of a tile.
    pub tile_lines: usize,
    /// Whether lines are counted in 64 bits.
    pub wide: bool,
    /// Whether a cluster holds a line.
    pub spread: bool,
    /// What [`mirrored_words`] says.
    pub mirrored: [i64; 4],
}

impl<'a> Outline<'a> {
    /// Of a pass; `products` are how the matrix engine multiplies, and reals of two points move `together` where memory lets
    /// them.
    pub fn new(pass: &'a Pass, together: bool, products: Option<Products>) -> Result<Self> {
        let spread = cluster::parts(pass)?;
        columns::check(pass)?;
        let pass = spread.map_or(Cow::Borrowed(pass), Cow::Owned);
        let mut tables = Tables::new(pass.math.storage == ScalarType::F64);
        let loops = ordered_loops(&pass);
        let order = pass.axes_in_memory();
        let mut trips = trips::trips(&pass, &order, products, together, &mut tables)?;
        let beside = pass.together();
        let lines: u64 = pass.loops.iter().map(|l| l.count as u64).product();
        let wide = lines > u64::from(u32::MAX);
        let lines = lines / beside as u64;
        let tile_lines = (pass.tile.lines / beside)
            .max(1)
            .min(usize::try_from(lines).unwrap_or(usize::MAX));
        Copies {
            pass: &pass,
            order: &order,
            innermost: loops.last().map(|&i| pass.loops[i]),
            lines: tile_lines,
            pairs: together,
        }
        .insert(&mut trips);
        let outline = Outline {
            spread: matches!(pass, Cow::Owned(_)),
            mirrored: mirrored_words(&pass, &loops),
            pass,
            order,
            loops,
            trips,
            tables,
            lines,
            tile_lines,
            wide,
        };
        outline.checked()
    }

    fn checked(self) -> Result<Self> {
        let (trips, loops) = (self.trips.len(), self.loops.len());
        match trips <= MAX_STEPS && loops <= MAX_LOOPS {
            true => Ok(self),
            false => Err(Error::Unsupported {
                what: format!("a pass of {trips} steps in {loops} loops"),
                backend: "the device code".into(),
                instead: format!("ask for larger radices: {MAX_STEPS} steps fit one pass"),
            }),
        }
    }

    /// Whether points are of FP64.
    pub fn double(&self) -> bool {
        self.pass.math.storage == ScalarType::F64
    }

    /// Blocks that hold a tile together.
    pub fn blocks(&self) -> usize {
        self.pass.tile.residency.blocks()
    }

    /// The trips that meet memory.
    pub fn ends(&self) -> [(usize, End); 2] {
        [(0, End::Load), (self.trips.len() - 1, End::Store)]
    }

    /// The most points of a tile that pass through registers in one trip.
    pub fn most_points(&self) -> usize {
        let points = self.trips.iter().map(Trip::points);
        points.max().unwrap_or(1) * self.tile_lines
    }

    /// Whether a trip is one that `is` so.
    pub fn any(&self, is: impl Fn(&StepWords) -> bool) -> bool {
        self.trips.iter().any(|trip| is(&trip.words))
    }
}
