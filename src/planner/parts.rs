//! A line in parts: passes over its factors, and where it waits between them.

use super::problem::Problem;
use super::stage::{is_scattered, next_power_of_two, Place, Route, Stage};
use mmafft_backend_traits::{
    Direction, Domain, End, Error, Factor, Images, Kind, LineForm, Loop, Map, Mirrored, RealLine,
    Result, Runs,
};
/// A line that is split into factors, and where it waits between passes: in scratch, as
/// `[k1][k2]…[n]`; its points in a row, of two factors in runs, or where lines were beside each other, lines still.
pub struct Parts<'a> {
    stage: &'a Stage,
    /// The factors, the first transformed first.
    pub factors: Vec<usize>,
    middle: Place,
    /// Whether a real line is packed to half its length.
    packed: bool,
    /// Up to how many points lines may face each other, see [`Images::Facing`].
    pub faces: usize,
    /// Of two factors, how many columns lie in a run of scratch ([`Runs`]), a divisor of the second; `None`: all.
    pub run: Option<usize>,
    /// Scalars of scratch up to the end of all lines.
    pub scratch_scalars: usize,
}

impl<'a> Parts<'a> {
    /// Makes room behind `base` scalars for the stage's lines, as long as the product of
    /// the factors.
    pub fn new(stage: &'a Stage, factors: Vec<usize>, base: usize, p: &Problem) -> Result<Self> {
        let length: usize = factors.iter().product();
        let lines = Place::lines_in_scratch(p, stage.dim, length, base);
        let (mut middle, scratch_scalars) = lines.ok_or_else(|| Error::Overflow {
            what: format!("the scratch for lines of {} points", stage.length),
        })?;
        if is_scattered(stage) {
            // Neighbouring lines stay neighbours.
            let dims = p.dims.iter().enumerate();
            let extents: Vec<usize> = dims
                .map(|(i, d)| match i == stage.dim {
                    true => length,
                    false => d.lengths[0].max(d.lengths[1]),
                })
                .collect();
            (middle, _) = Place::in_scratch(base, &extents, Domain::Complex);
        }
        Ok(Parts {
            stage,
            factors,
            middle,
            packed: false,
            faces: 0,
            run: None,
            scratch_scalars,
        })
    }

    /// The same of a real line, packed to points that are the product of the factors.
    pub fn packed(stage: &'a Stage, factors: Vec<usize>, base: usize, p: &Problem) -> Result<Self> {
        let parts = Parts::new(stage, factors, base, p)?;
        Ok(Parts {
            packed: true,
            ..parts
        })
    }

    /// The reals that the line's passes load (`first`) or store, where points are made of them.
    fn real_line(&self, first: bool) -> Option<RealLine> {
        let kind = self.stage.kind;
        let row = kind.row();
        let domain = if first { row.input } else { row.output };
        let real = kind.is_real_to_real() || (self.packed && domain == Domain::Real);
        real.then_some(RealLine {
            kind,
            length: self.stage.length,
            form: match self.packed {
                true => LineForm::Packed,
                false => LineForm::Whole,
            },
        })
    }

    /// What the line's first or last pass merges or splits.
    fn mirrored(&self, end: End) -> Option<(End, Mirrored)> {
        let mirrored = self.packed && self.stage.kind.row().packed.middle == end.middle();
        let points = self.factors.iter().product();
        let images = Images::Parts;
        mirrored.then_some((end, Mirrored { points, images }))
    }

    /// Lines that face each other, in the first pass or in the last one, where the pairs of reals
    /// that points are made of, or become, lie beside those of their mirror images.
    fn facing(&self, end: End, factor: usize) -> Option<(End, Mirrored)> {
        let line = self.real_line(end == End::Load)?;
        let (place, range) = match end {
            End::Load => (&self.stage.load, &self.stage.load_range),
            End::Store => (&self.stage.store, &self.stage.store_range),
        };
        let points: usize = self.factors.iter().product();
        let packed = 2 * points == line.length && (points / factor).is_multiple_of(2);
        let row = place.strides[self.stage.dim] == 1 && range.len() == line.length;
        let pairs = line.side(end).facing_pairs().is_some();
        let images = Images::Facing;
        let faces = factor <= self.faces && packed && row && pairs;
        faces.then_some((end, Mirrored { points, images }))
    }

    /// Points between neighbours of factor `i`.
    fn after(&self, i: usize) -> usize {
        self.factors[i + 1..].iter().product()
    }

    /// The pass over factor `i`, from scratch to the same place; its last inner loop is the
    /// one that a twiddle counts, unless the factor is the last.
    pub fn within(&self, i: usize) -> Stage {
        let unit = self.middle.strides[self.stage.dim];
        let counted = |count, index| {
            let map = Map {
                index,
                ..Map::of_lines(unit * index)
            };
            Loop {
                count,
                load: map,
                store: map,
            }
        };
        let before = (0..i).map(|j| counted(self.factors[j], self.after(j)));
        let rest = (i + 1 < self.factors.len()).then(|| counted(self.after(i), 1));
        let own = counted(self.factors[i], self.after(i));
        let whole = 0..self.factors.iter().product();
        let mut part = Stage {
            length: own.count,
            load: self.middle.clone(),
            store: self.middle.clone(),
            load_index: own.load.index,
            store_index: own.store.index,
            load_range: whole.clone(),
            store_range: whole,
            inner: before.chain(rest).collect(),
            growth: next_power_of_two(own.count),
            ..self.stage.part()
        };
        part.load.strides[part.dim] = own.load.stride;
        part.store.strides[part.dim] = own.store.stride;
        part
    }

    /// The twiddle between factor `i` and those after it.
    pub fn roots(&self, i: usize, direction: Direction) -> Option<Factor> {
        Some(Factor::Roots {
            length: self.factors[i] * self.after(i),
            // The factors before it have a loop each, then comes that of the lines.
            line_loop: i,
            direction,
            turned: false,
            first: 0,
        })
    }

    /// Lets a part load what the whole line's stage loads.
    pub fn load(&self, part: &mut Stage) {
        let stage = self.stage;
        let unit = stage.load.strides[stage.dim];
        part.load = stage.load.clone();
        part.load.strides[stage.dim] = unit * part.load_index;
        for l in &mut part.inner {
            l.load.stride = unit * l.load.index;
        }
        part.load_range = stage.load_range.clone();
        part.edges = stage.edges;
        part.hermitian = (stage.kind == Kind::C2R && !self.packed).then_some(stage.length);
        let facing = || self.facing(End::Load, self.factors[0]);
        part.mirrored = self.mirrored(End::Load).or_else(facing);
        part.load_reals = self.real_line(true);
    }

    /// Lets a part store what the whole line's stage stores.
    pub fn store(&self, part: &mut Stage) {
        let stage = self.stage;
        let unit = stage.store.strides[stage.dim];
        part.store = stage.store.clone();
        part.store.strides[stage.dim] = unit * part.store_index;
        for l in &mut part.inner {
            l.store.stride = unit * l.store.index;
        }
        part.store_range = stage.store_range.clone();
        let last = self.factors[self.factors.len() - 1];
        let facing = || self.facing(End::Store, last);
        part.mirrored = self.mirrored(End::Store).or_else(facing);
        part.store_reals = self.real_line(false);
    }

    /// The stages of a line that is the product of its factors.
    pub fn product(self) -> Route {
        let last = self.factors.len() - 1;
        let mut stages: Vec<Stage> = (0..=last).map(|i| self.within(i)).collect();
        self.load(&mut stages[0]);
        // Together the parts grow as the line does, however it is split.
        let mut growth = self.stage.growth;
        for (i, stage) in stages[..last].iter_mut().enumerate() {
            stage.store_factor = self.roots(i, stage.direction);
            growth /= stage.growth;
        }
        // Point k1 + N1·k2 + N1·N2·k3 + … of the result.
        let rows = &mut stages[last];
        let mut before = 1;
        for l in &mut rows.inner {
            l.store.index = before;
            before *= l.count;
        }
        rows.store_index = before;
        rows.growth = growth;
        self.store(rows);
        if let ([columns, rows], Some(run)) = (&mut stages[..], self.run) {
            let (dim, unit) = (self.stage.dim, self.middle.strides[self.stage.dim]);
            let runs = Some(Runs {
                points: run,
                apart: self.factors[0] * run * unit,
            });
            columns.store.strides[dim] = run * unit;
            columns.inner[0].store.runs = runs;
            rows.inner[0].load.stride = run * unit;
            rows.load_runs = runs;
        }
        Route {
            stages,
            scratch_scalars: self.scratch_scalars,
        }
    }
}
