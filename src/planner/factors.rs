//! Which factors a line has that passes share: those that were measured, or the fewest.

use super::cluster;
use super::fits::Fits;
use super::rule_keys::Keys;
use super::rules;
use super::stage::{is_scattered, Stage};
use mmafft_backend_traits::real::{CoreLength, Middle};
use mmafft_backend_traits::Kind;

/// Factors of a line, in the order of their passes.
pub struct Measured {
    /// The factors.
    pub factors: Vec<usize>,
    /// Whether they are those of half of a real line.
    pub packed: bool,
    /// What was measured.
    pub reason: Option<String>,
}

/// The factors that were the fastest for a line of neighbouring points, or that are asked for, where the
/// line can have them.
pub fn measured_factors(stage: &Stage, fits: &Fits) -> Option<Measured> {
    let free = fits.by_kernels() && fits.asked.is_none();
    if !free || is_scattered(stage) || !stage.inner.is_empty() {
        return None;
    }
    match (fits.parts, fits.clusters) {
        (Some(parts), _) => usable(stage, fits, parts, None),
        (None, true) => usable(stage, fits, &fewer_factors(stage, fits)?, None),
        (None, false) => {
            let keys = Keys::of(fits).of_parts(stage.kind, stage.length);
            let rules = rules::of_each(keys, fits.limits).into_iter();
            // Factors are whole passes.
            let mut rules = rules.filter(|(_, rule)| !rule.sequence.is_mixed());
            rules.find_map(|(_, rule)| {
                let reason = format!("in parts as measured: {:.2} of a copy", rule.fraction);
                usable(stage, fits, rule.sequence.radices(), Some(reason))
            })
        }
    }
}

/// These factors, where the line can have them.
fn usable(
    stage: &Stage,
    fits: &Fits,
    factors: &[usize],
    reason: Option<String>,
) -> Option<Measured> {
    let times = |n: usize, &f: &usize| n.checked_mul(f);
    let product = factors.iter().try_fold(1usize, times)?;
    let packed = halved(stage) && product.checked_mul(2) == Some(stage.length);
    let whole = product == stage.kind.shared_core_length(stage.length);
    if factors.len() < 2 || !(packed || whole) {
        return None;
    }
    let (scattered, even) = (fits.longest_scattered_measured(), |f: &usize| {
        f.is_multiple_of(2)
    });
    // Longer ones are the blocks' of a cluster.
    let spread = |f: usize| cluster::unmeasured_columns(f, fits).is_some();
    let line = |&f: &usize| f > 1 && (fits.line(f, scattered) || spread(f));
    let lines = factors.iter().all(line);
    if packed {
        let split = stage.kind.row().packed.middle == Middle::Split;
        let pairs = if split {
            factors.last()
        } else {
            factors.first()
        };
        let pair =
            pairs.is_some_and(|f| even(f) && *f <= scattered && fits.line(*f, scattered / 2));
        if !pair || factors.iter().filter(|f| even(f)).count() < 2 {
            return None;
        }
    }
    lines.then(|| Measured {
        factors: factors.to_vec(),
        packed,
        reason,
    })
}

/// Factors of a complex line that are fewer because blocks share the tiles of some.
fn fewer_factors(stage: &Stage, fits: &Fits) -> Option<Vec<usize>> {
    if stage.kind != Kind::C2C {
        return None;
    }
    let scattered = fits.longest_scattered_measured();
    let spread = |bits: &u32| cluster::unmeasured_columns(1 << bits, fits).is_some();
    let most = 1 << (scattered.ilog2()..usize::BITS).take_while(spread).last()?;
    let factors = fits.factors(stage.length, most)?;
    let without = fits.factors(stage.length, scattered);
    without
        .is_none_or(|without| factors.len() < without.len())
        .then_some(factors)
}

/// Whether a line of reals is packed to half its length, and its half spectrum merged or split.
pub fn halved(stage: &Stage) -> bool {
    let packed = &stage.kind.row().packed;
    packed.length == CoreLength::Half && packed.middle != Middle::Plain
}

/// The fewest factors of `n`, the points of a line of this kind that passes share, of at most `limit` points each: even
/// ones, if those are as few, where neighbouring reals belong to points that are each other's mirror images, as only
/// an even number of lines is made of pairs that face each other.
pub fn factors_that_face(kind: Kind, n: usize, fits: &Fits, limit: usize) -> Option<Vec<usize>> {
    let row = kind.row();
    let mut sides = [&row.packed, &row.whole]
        .into_iter()
        .flat_map(|r| [&r.load, &r.store]);
    let faces = kind.is_real_to_real() && sides.any(|side| side.facing_pairs().is_some());
    let even = faces.then(|| fits.even_factors(n, limit)).flatten();
    even.or_else(|| fits.factors(n, limit))
}
