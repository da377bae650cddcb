//! How a pass is named in the table of rules: architecture, storage, engine, kind, access, length.

use mmafft_backend_traits::{
    real::{RealSide, Reduction},
    End, Engine, Factor, Kind, KindRow, Limits, LineForm, Loop, Pass, RealLine, Request,
    ScalarType, Step, TileAxis, KINDS,
};

use super::fits::Fits;
use super::stage::{Place, Stage};

/// Lines of a four-step transform whose twiddles are looked up in two levels, about.
const FAR: usize = 1 << 16;

/// Of a pass that multiplies by them.
const ROOTS: &str = " roots";

/// How neighbouring points of the innermost axis lie in memory: beside each other on both sides
/// (`rows`), on none (`columns`), on the loading (`scatter`) or the storing side (`gather`). A line
/// or a plane of several blocks is a `cluster`'s.
pub(super) fn access(pass: &Pass) -> &'static str {
    if pass.tile.residency.blocks() > 1 && pass.tile.lines == 1 {
        return "cluster";
    }
    // Of several axes of reals the first is to be: what is copied in are its neighbours.
    let axes = if pass.axes_of_reals() {
        &pass.axes[..1]
    } else {
        &pass.axes[..]
    };
    let [load, store] = End::BOTH.map(|end| axes.iter().any(|a| a.map(end).stride <= 2));
    access_of(load, store)
}

fn access_of(load_contiguous: bool, store_contiguous: bool) -> &'static str {
    match (load_contiguous, store_contiguous) {
        (true, true) => "rows",
        (true, false) => "scatter",
        (false, true) => "gather",
        (false, false) => "columns",
    }
}

/// A scalar in memory, as keys name it.
fn storage(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::F64 => "f64",
        ScalarType::F32 => "f32",
        ScalarType::F16 | ScalarType::Bf16 => "16 bits",
    }
}

/// What all keys of a device's rules have in common, for passes of an engine.
pub struct Keys<'a> {
    pub limits: &'a Limits,
    pub scalar: ScalarType,
    pub engine: Engine,
}

impl<'a> Keys<'a> {
    /// Those of what is planned.
    pub fn of(fits: &Fits<'a>) -> Self {
        Keys {
            limits: fits.limits,
            scalar: fits.scalar,
            engine: fits.engine,
        }
    }

    fn key(&self, kind: &str, access: &str, length: &str) -> String {
        let (architecture, engine) = (&self.limits.architecture, self.engine.name());
        let storage = storage(self.scalar);
        format!("{architecture},{storage},{engine},{kind},{access},{length}")
    }

    /// Of a line that passes share: by its kind and those that are alike, and its whole length; of type I also by the kind whose
    /// continued line is as long. The rules' radices are the factors, in the order of the passes.
    pub fn of_parts(&self, kind: Kind, length: usize) -> Vec<String> {
        let own = own_and_alike(kind).map(|kind| (kind, length));
        let beside = as_long(kind, length).map(|(kind, length)| (kind.row().name, length));
        let keys = own.chain(beside);
        keys.map(|(kind, length)| self.key(kind, "parts", &length.to_string()))
            .collect()
    }

    /// Of a line or plane that a cluster holds: its own, and those of kinds that are alike.
    pub fn of_cluster(&self, kind: Kind, lengths: &[usize]) -> Vec<String> {
        let lengths = joined(lengths.iter().copied());
        let keys = own_and_alike(kind);
        keys.map(|kind| self.key(kind, "cluster", &lengths))
            .collect()
    }

    /// Of complex lines beside each other, their own first: as [`keys`] of their pass.
    pub fn of_columns(&self, stage: &Stage) -> [String; 3] {
        let contiguous = |place: &Place| place.strides[stage.dim] <= 2;
        let access = access_of(contiguous(&stage.load), contiguous(&stage.store));
        // Factors of a stage name a loop of its own.
        let roots = roots_of([stage.load_factor, stage.store_factor], &stage.inner);
        let length = stage.length.to_string();
        [roots, "", ROOTS].map(|roots| self.key("c2c", &format!("{access}{roots}"), &length))
    }

    /// Of a request whose passes take turns, its own first: by the kinds and lengths of its axes, as the request has
    /// them, and by kinds that are alike. `what`: of the `first` pass, the `second`, the `parts` that make them, or that they do
    /// `not`.
    pub fn in_turns(&self, request: &Request, what: &str) -> Vec<String> {
        let axes = request.axes.iter().flatten();
        let dims = request.shape.dims();
        let axes = axes.filter_map(|&a| Some((request.kind_of(a)?, dims[a])));
        let axes: Vec<(Kind, usize)> = axes.collect();
        let Some(&(kind, length)) = axes.first() else {
            return Vec::new();
        };
        if self.limits.architecture.is_empty() {
            return Vec::new();
        }
        let names: Vec<&str> = axes.iter().map(|(kind, _)| kind.row().name).collect();
        let one = axes.iter().all(|(other, _)| *other == kind);
        let names: Vec<String> = match request.kind.is_real_to_real() {
            // Half spectra are of the last axis.
            false => vec![request.kind.row().name.into()],
            true if one => own_and_alike(kind).map(String::from).collect(),
            true => vec![names.join("+")],
        };
        let key = |kind: &str, lengths: &str| self.key(kind, &format!("{what} in turns"), lengths);
        let lengths = joined(axes.iter().map(|(_, n)| *n));
        let own = names.iter().map(|name| key(name, &lengths));
        let beside = as_long(kind, length).filter(|_| axes.len() == 1);
        let beside = beside.map(|(kind, n)| key(kind.row().name, &n.to_string()));
        own.chain(beside).collect()
    }
}

/// Lengths as keys name them.
fn joined(lengths: impl Iterator<Item = usize>) -> String {
    let lengths: Vec<String> = lengths.map(|n| n.to_string()).collect();
    lengths.join("x")
}

/// Whether the pass multiplies by four-step twiddles, and of how many lines: so many that they have
/// no table of their own cost more.
fn roots(pass: &Pass) -> &'static str {
    roots_of(End::BOTH.map(|end| pass.side(end).factor), &pass.loops)
}

fn roots_of(factors: [Option<Factor>; 2], loops: &[Loop]) -> &'static str {
    let lines = factors.iter().flatten().filter_map(|factor| match factor {
        Factor::Roots { line_loop, .. } => Some(loops[*line_loop].count),
        Factor::Chirp { .. } => None,
    });
    match lines.max() {
        None => "",
        Some(lines) if lines < FAR => ROOTS,
        Some(_) => " far roots",
    }
}

/// The convolution that a step begins, in one pass.
pub(super) struct Convolved {
    name: &'static str,
    /// The length by which it is looked up: of Rader's the line's, of a chirp the convolution's, which is that of many lines.
    known_by: usize,
    /// The convolution's.
    length: usize,
}

pub(super) fn convolved(step: &Step) -> Option<Convolved> {
    let (name, known_by, length) = match *step {
        Step::Rader { length, .. } => ("rader", length, length - 1),
        Step::Chirp { padded, .. } => ("chirp", padded, padded),
        _ => return None,
    };
    Some(Convolved {
        name,
        known_by,
        length,
    })
}

/// The length of the complex DFTs of a pass of one axis, which its radices make: of whole lines that
/// are a convolution, that one's.
pub fn transformed(pass: &Pass) -> Option<usize> {
    let [axis] = &pass.axes[..] else {
        return None;
    };
    let convolution = pass.steps.first().and_then(convolved);
    Some(convolution.map_or(axis.core_length(), |c| c.length))
}

/// The names of a pass over real columns, or rows that become real: of values of two reals apart, each
/// moved alone; or by two neighbours where lines face each other.
fn of_columns(kind: Kind, facing: bool) -> impl Iterator<Item = &'static str> {
    let [facing_name, alone] = match kind {
        Kind::R2C => ["facing r2c", "apart r2c"],
        _ => ["facing c2r", "apart c2r"],
    };
    facing.then_some(facing_name).into_iter().chain([alone])
}

/// The names of a pass that merges or splits half spectra: of points that memory has as two reals apart, or as they are.
fn of_halves(reals: Option<RealLine>, [apart, whole]: [&'static str; 2]) -> Vec<&'static str> {
    let apart = reals.map(|_| apart);
    apart.into_iter().chain([whole]).collect()
}

/// Whether the pass is one of a line by real columns.
fn has_real_columns(pass: &Pass) -> bool {
    let columns = |line: RealLine| matches!(line.form, LineForm::Columns(_));
    let mut sides = End::BOTH.into_iter().map(|end| pass.side(end));
    sides.any(|side| side.reals.is_some_and(columns))
}

/// A kind's name, and those of kinds that are alike.
fn own_and_alike(kind: Kind) -> impl Iterator<Item = &'static str> {
    [kind.row().name].into_iter().chain(alike(kind))
}

/// Kinds whose passes move their points as those of `kind` do, with other weights and signs.
pub(super) fn alike(kind: Kind) -> impl Iterator<Item = &'static str> {
    let moves = |row: &KindRow| {
        let Reduction {
            load,
            middle,
            store,
            ..
        } = row.packed;
        let side = |side: RealSide| (side.order, side.pairing);
        (row.input, row.output, side(load), middle, side(store))
    };
    let same = move |row: &&KindRow| row.kind != kind && moves(row) == moves(kind.row());
    KINDS.iter().filter(same).map(|row| row.name)
}

/// Of a line of type I, the cosine or the sine whose continued line is as long: its kind and length.
fn as_long(kind: Kind, length: usize) -> Option<(Kind, usize)> {
    let other = match kind {
        Kind::Dct1 => (Kind::Dst1, length.checked_sub(2)?),
        Kind::Dst1 => (Kind::Dct1, length.checked_add(2)?),
        _ => return None,
    };
    Some(other)
}

/// The keys by which a pass is looked up, its own first; none where it is more than a DFT of each
/// axis, or a convolution of whole lines. A pass that was not measured goes by one that does the
/// same but for the twiddles, or, of reals, by a kind that is alike, or by the complex DFT at its core.
pub(super) fn keys(pass: &Pass, limits: &Limits) -> Vec<String> {
    let plain = |s: &Step| {
        let moved = matches!(
            s,
            Step::Exchange | Step::AllToAll | Step::RealColumns { .. }
        );
        moved || matches!(s, Step::Dft { .. } | Step::Twiddle { .. })
    };
    let convolution = pass.steps.first().and_then(convolved);
    let (axis, several) = (&pass.axes[0], pass.axes.len() > 1);
    // Lines whose steps are not those of the complex DFT at their core: real columns and rows, or one in a thread.
    let shorter = pass.real_columns(axis).is_some() || !several && pass.in_thread(axis);
    let begins = usize::from(convolution.is_some());
    if !pass.steps[begins..].iter().all(plain) || limits.architecture.is_empty() {
        return Vec::new();
    }
    let lengths = |of: fn(&TileAxis) -> usize| joined(pass.axes.iter().map(of));
    let mut kinds = pass.axes.iter().map(|a| a.kind).filter(|k| *k != Kind::C2C);
    let halves = End::BOTH
        .into_iter()
        .find(|&end| pass.side(end).halves().is_some());
    // Several axes of reals that are not of one kind: by the kinds of all, in the order of the pass, as their lengths.
    let names: Vec<&str> = pass.axes.iter().map(|a| a.kind.row().name).collect();
    let mixed = pass.axes_of_reals() && names.iter().any(|name| *name != names[0]);
    let mixed = mixed.then(|| names.join("+"));
    let kinds = match (halves, kinds.next()) {
        (Some(End::Load), _) => of_halves(pass.load.reals, ["apart merge", "merge"]),
        (Some(End::Store), _) => of_halves(pass.store.reals, ["apart split", "split"]),
        (None, Some(_)) if mixed.is_some() => mixed.iter().map(String::as_str).collect(),
        (None, Some(kind)) => {
            let columns =
                has_real_columns(pass).then(|| of_columns(kind, pass.mirrored().is_some()));
            let kinds = columns.into_iter().flatten().chain([kind.row().name]);
            kinds.chain(alike(kind)).collect()
        }
        // Rows whose points are two reals each, one from either end of the line.
        (None, None) if has_real_columns(pass) => vec!["halves"],
        (None, None) if pass.load.hermitian.is_some() => vec!["hermitian"],
        (None, None) => Vec::new(),
    };
    let of = Keys {
        limits,
        scalar: pass.math.storage,
        engine: pass.math.engine,
    };
    let key = |kind: &str, roots: &str, lengths: &str| {
        of.key(kind, &format!("{}{roots}", access(pass)), lengths)
    };
    let (whole, core) = (lengths(|a| a.length), lengths(TileAxis::core_length));
    if let Some(Convolved { name, known_by, .. }) = convolution {
        let [axis] = &pass.axes[..] else {
            return Vec::new();
        };
        // Lines of reals by a name of their own, and their own length: of even ones the convolution is of half of it. They
        // go by complex ones where they were not measured.
        let alone =
            pass.mirrored().is_none() && !has_real_columns(pass) && pass.load.hermitian.is_none();
        let own = (axis.kind != Kind::C2C).then(|| format!("{} {name}", axis.kind.row().name));
        let own = own.map(|name| key(&name, roots(pass), &whole));
        let all = own
            .into_iter()
            .chain([key(name, roots(pass), &known_by.to_string())]);
        return all.filter(|_| alone).collect();
    }
    let beside = match &pass.axes[..] {
        [axis] => as_long(axis.kind, axis.length),
        _ => None,
    };
    // As they are, then as they would be without twiddles.
    let both = [roots(pass), ""];
    let mut keys: Vec<String> = Vec::new();
    if kinds.is_empty() {
        let facing = pass.mirrored().map(|_| "facing");
        let own = facing.into_iter().chain(["c2c"]);
        keys.extend(own.map(|kind| key(kind, both[0], &whole)));
        keys.push(key("c2c", "", &whole));
        // As `Keys::of_columns`: what no block holds was measured among lines of passes.
        let spread = pass.tile.residency.blocks() > 1 && access(pass) != "cluster";
        keys.extend(spread.then(|| key("c2c", ROOTS, &whole)));
    } else {
        for roots in both {
            keys.extend(kinds.iter().map(|kind| key(kind, roots, &whole)));
        }
        keys.extend(beside.map(|(kind, n)| key(kind.row().name, "", &n.to_string())));
        // Nor has a tile with reals between its axes the complex one's.
        if !shorter && access(pass) != "cluster" && !pass.axes_of_reals() {
            keys.extend(both.map(|roots| key("c2c", roots, &core)));
        }
    }
    keys.dedup();
    keys
}
