//! Lines that no tile holds, in several trips (Bailey's four-step).
//!
//! ```text
//! x[n1·N2 + n2]  --DFT over n1, times exp(∓2πi·k1·n2/N)-->  y[k1, n2]     (columns)
//! y[k1, n2]      --DFT over n2-->                           X[k2·N1 + k1] (rows)
//! ```
//! Order is restored by the second store's strides: no pass is a bare transpose. With more
//! than two factors the rows are split again, where they lie in scratch.
//!
//! Real lines have real columns ([`super::real_columns`]), or are packed to half their length where the
//! pass that merges or splits their half spectra, the first or the last, can have its lines in pairs
//! that mirror each other ([`packed_factors`] says where). Others are split as complex ones of the same
//! length (type IV: of half of it, type I: of the continued line): the first pass loads what there is of
//! them, the last stores what is kept, and no pass needs a point and its mirror image at once. Lines
//! whose prime factors are too long become longer convolutions, see [`super::convolution`].

use super::cluster;
use super::convolution::convolve;
use super::factors::{factors_that_face, measured_factors, packed_factors};
use super::fits::Fits;
use super::folded;
use super::problem::Problem;
use super::real_columns;
use super::stage::{next_power_of_two, run, Place, Route, Stage};
use mmafft_backend_traits::real::Middle;
use mmafft_backend_traits::{
    Direction, Domain, Engine, Error, Factor, Images, Kind, LineForm, Loop, Mirrored, RealLine,
    Result, Runs,
};

/// Replaces stages with longer lines than the device takes.
pub fn split_long_lines(route: Route, problem: &Problem, fits: &Fits) -> Result<Route> {
    let mut out = Route {
        stages: Vec::new(),
        scratch_scalars: route.scratch_scalars,
    };
    // Intermediates of long lines lie behind whatever scratch the route has already.
    let base = route.scratch_scalars;
    for stage in route.stages {
        let (stages, scalars) = split(stage, base, problem, fits)?;
        out.stages.extend(stages);
        out.scratch_scalars = out.scratch_scalars.max(scalars);
    }
    Ok(out)
}

/// The stages that replace one, and the scalars of scratch that they reach.
fn split(stage: Stage, base: usize, p: &Problem, fits: &Fits) -> Result<(Vec<Stage>, usize)> {
    let core = stage.kind.core_length(stage.length);
    let (line, scattered) = (fits.longest_line(), fits.longest_scattered());
    let limit = match is_scattered(&stage) {
        true => scattered,
        false => line,
    };
    let axes = p.axes_to_transform().count();
    let joined = || !is_scattered(&stage) && fits.joined_alone(&stage, axes);
    // Of a short line that the radices asked for do not make, `steps` says so.
    let refused = core <= limit && fits.tile_points(core).is_none();
    let folded =
        || !is_scattered(&stage) && folded::steps(stage.dim, &stage, false, fits).is_some();
    let held = refused || fits.line(core, limit) || joined() || folded();
    if !held || cluster::pays(core, fits.scalar) {
        if let Some(spread) = cluster::line(&stage, fits) {
            let cluster = Some(spread);
            return Ok((vec![Stage { cluster, ..stage }], 0));
        }
    }
    if !held && is_scattered(&stage) {
        let cluster = cluster::columns(&stage, fits, false);
        if cluster.is_some() {
            return Ok((vec![Stage { cluster, ..stage }], 0));
        }
    }
    let measured = measured_factors(&stage, fits).filter(|_| !held);
    let alone = || measured.is_none() && !is_scattered(&stage) && fits.alone(&stage);
    if held || alone() {
        return Ok((vec![stage], 0));
    }
    // Passes of devices can have lines that face each other, two in a tile.
    let faces = match (fits.limits.line_library, fits.engine) {
        (None, Engine::Simt) => fits.longest_line() / 2,
        _ => 0,
    };
    // Between two passes alone: a third would have as short pieces as before.
    let run = run(fits).filter(|_| !is_scattered(&stage));
    let product_in = |parts: Parts, run: Option<usize>| {
        let whole = |run: &usize| parts.factors.len() == 2 && parts.factors[1].is_multiple_of(*run);
        let run = run.filter(whole);
        // Convolutions take more on chip than their points.
        let plain = |f: &usize| fits.tile_points(*f) == Some(*f);
        let faces = if parts.factors.iter().all(plain) {
            faces
        } else {
            0
        };
        Parts {
            faces,
            run,
            ..parts
        }
        .product()
    };
    let product = |parts| product_in(parts, run);
    if let Some(measured) = measured {
        let scattered = fits.longest_scattered_measured();
        let in_block = |length: &usize| fits.line(*length, scattered);
        let both = measured.factors.iter().all(in_block);
        if let ([first, last], false, true) = (&measured.factors[..], measured.packed, both) {
            if let Some((mut stages, scalars)) =
                real_columns::stages(&stage, [*first, *last], base, p, fits)
            {
                stages[0].split = measured.reason.clone();
                stages[1].split = measured.reason;
                return Ok((stages, scalars));
            }
        }
        let held = |s: &Stage| in_block(&s.length) || s.cluster.is_some();
        // The parts of a cluster's line may be no whole runs.
        for run in run.map(Some).into_iter().chain([None]) {
            let factors = measured.factors.clone();
            let parts = match measured.packed {
                true => Parts::packed(&stage, factors, base, p),
                false => Parts::new(&stage, factors, base, p),
            };
            let (mut stages, scalars) = product_in(parts?, run);
            for stage in &mut stages {
                stage.split = measured.reason.clone();
                if !in_block(&stage.length) {
                    stage.cluster = cluster::columns(stage, fits, true);
                }
            }
            // A cluster does not have all that a block does.
            if stages.iter().all(held) {
                return Ok((stages, scalars));
            }
        }
        if !is_scattered(&stage) && fits.alone(&stage) {
            return Ok((vec![stage], 0));
        }
    }
    let whole = stage.kind.shared_core_length(stage.length);
    if let Some(lengths) = real_columns::lengths(&stage, fits, scattered) {
        if let Some(stages) = real_columns::stages(&stage, lengths, base, p, fits) {
            return Ok(stages);
        }
    }
    if let Some(factors) = factors_that_face(stage.kind, whole, fits, scattered) {
        if let Some(factors) = packed_factors(&stage, fits, scattered) {
            return Parts::packed(&stage, factors, base, p).map(product);
        }
        let factors = match is_scattered(&stage) {
            true => factors,
            false => fits.with_longer_last(factors, scattered),
        };
        let factors = fits.with_whole_rows(factors, scattered);
        return Parts::new(&stage, factors, base, p).map(product);
    }
    // Scattered points cost less than another trip.
    if fits.line(core, line) {
        return Ok((vec![stage], 0));
    }
    if let Some(factors) = packed_factors(&stage, fits, line) {
        return Parts::packed(&stage, factors, base, p).map(product);
    }
    if let Some(factors) = fits.factors(whole, line) {
        return Parts::new(&stage, factors, base, p).map(product);
    }
    convolve(&stage, base, p, fits)
}

/// Whether points of other lines lie between a line's own, on either side.
pub fn is_scattered(stage: &Stage) -> bool {
    [&stage.load.strides, &stage.store.strides]
        .iter()
        .any(|strides| {
            let mut others = stage.others.iter().filter(|(_, range)| range.len() > 1);
            others.any(|(d, _)| strides[*d] < strides[stage.dim])
        })
}

/// A line that is split into factors, and where it waits between passes: in scratch, as
/// `[k1][k2]…[n]`; its points in a row, of two factors in runs, or where lines were beside each other, lines still.
pub struct Parts<'a> {
    stage: &'a Stage,
    /// The factors, the first transformed first.
    factors: Vec<usize>,
    middle: Place,
    /// Whether a real line is packed to half its length.
    packed: bool,
    /// Up to how many points lines may face each other, see [`Images::Facing`].
    faces: usize,
    /// Of two factors, how many columns lie in a run of scratch ([`Runs`]), a divisor of the second; `None`: all.
    run: Option<usize>,
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
    fn packed(stage: &'a Stage, factors: Vec<usize>, base: usize, p: &Problem) -> Result<Self> {
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
    fn mirrored(&self, middle: Middle) -> Option<Mirrored> {
        let mirrored = self.packed && self.stage.kind.row().packed.middle == middle;
        let points = self.factors.iter().product();
        mirrored.then_some(Mirrored {
            middle,
            points,
            images: Images::Parts,
        })
    }

    /// Lines that face each other, in the first pass or (`Split`) in the last one, where the pairs of reals
    /// that points are made of, or become, lie beside those of their mirror images.
    fn facing(&self, middle: Middle, factor: usize) -> Option<Mirrored> {
        let loading = middle == Middle::Merge;
        let line = self.real_line(loading)?;
        let (side, place, range) = match loading {
            true => (line.load(), &self.stage.load, &self.stage.load_range),
            false => (line.store(), &self.stage.store, &self.stage.store_range),
        };
        let points: usize = self.factors.iter().product();
        let packed = 2 * points == line.length && (points / factor).is_multiple_of(2);
        let row = place.strides[self.stage.dim] == 1 && range.len() == line.length;
        (factor <= self.faces && packed && row && side.facing_pairs().is_some()).then_some(
            Mirrored {
                middle,
                points,
                images: Images::Facing,
            },
        )
    }

    /// Points between neighbours of factor `i`.
    fn after(&self, i: usize) -> usize {
        self.factors[i + 1..].iter().product()
    }

    /// The pass over factor `i`, from scratch to the same place; its last inner loop is the
    /// one that a twiddle counts, unless the factor is the last.
    pub fn within(&self, i: usize) -> Stage {
        let unit = self.middle.strides[self.stage.dim];
        let counted = |count, index| Loop {
            load_index: index,
            store_index: index,
            ..Loop::of_lines(count, unit * index, unit * index)
        };
        let before = (0..i).map(|j| counted(self.factors[j], self.after(j)));
        let rest = (i + 1 < self.factors.len()).then(|| counted(self.after(i), 1));
        let own = counted(self.factors[i], self.after(i));
        let whole = 0..self.factors.iter().product();
        let mut part = Stage {
            length: own.count,
            load: self.middle.clone(),
            store: self.middle.clone(),
            load_index: own.load_index,
            store_index: own.store_index,
            load_range: whole.clone(),
            store_range: whole,
            inner: before.chain(rest).collect(),
            growth: next_power_of_two(own.count),
            ..self.stage.part()
        };
        part.load.strides[part.dim] = own.load;
        part.store.strides[part.dim] = own.store;
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
        })
    }

    /// Lets a part load what the whole line's stage loads.
    pub fn load(&self, part: &mut Stage) {
        let stage = self.stage;
        let unit = stage.load.strides[stage.dim];
        part.load = stage.load.clone();
        part.load.strides[stage.dim] = unit * part.load_index;
        for l in &mut part.inner {
            l.load = unit * l.load_index;
        }
        part.load_range = stage.load_range.clone();
        part.edges = stage.edges;
        part.hermitian = (stage.kind == Kind::C2R && !self.packed).then_some(stage.length);
        let facing = || self.facing(Middle::Merge, self.factors[0]);
        part.mirrored = self.mirrored(Middle::Merge).or_else(facing);
        part.load_reals = self.real_line(true);
    }

    /// Lets a part store what the whole line's stage stores.
    pub fn store(&self, part: &mut Stage) {
        let stage = self.stage;
        let unit = stage.store.strides[stage.dim];
        part.store = stage.store.clone();
        part.store.strides[stage.dim] = unit * part.store_index;
        for l in &mut part.inner {
            l.store = unit * l.store_index;
        }
        part.store_range = stage.store_range.clone();
        let last = self.factors[self.factors.len() - 1];
        let facing = || self.facing(Middle::Split, last);
        part.mirrored = self.mirrored(Middle::Split).or_else(facing);
        part.store_reals = self.real_line(false);
    }

    /// The stages of a line that is the product of its factors.
    fn product(self) -> (Vec<Stage>, usize) {
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
            l.store_index = before;
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
            columns.inner[0].store_runs = runs;
            rows.inner[0].load = run * unit;
            rows.load_runs = runs;
        }
        (stages, self.scratch_scalars)
    }
}
