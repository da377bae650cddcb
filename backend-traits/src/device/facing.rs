//! Which steps have columns, or lines, that face each other.

use super::config::*;
use super::trips::Builder;
use crate::kind::Kind;
use crate::mirrors::{facing_neighbours, halves_radix, images_meet, lines_face, FACING_RADIX};
use crate::pass::TileAxis;
use crate::radix;
use crate::real::Middle;
use crate::side::{End, Images};
use crate::step::{Engine, Step};

impl Builder<'_> {
    /// What the threads of the first and the last step of these radices do with columns that mirror
    /// each other: merge or split half spectra, with columns c and m − c, or c and m − 1 − c of lines in
    /// mirrored pairs; load or store reals that lie beside each other, with c and m − 1 − c.
    pub fn facing(&self, axis: &TileAxis, radices: &[usize]) -> [i64; 2] {
        let pass = self.pass;
        let dft = |s: &Step| matches!(s, Step::Dft { .. } | Step::Twiddle { .. } | Step::Exchange);
        let own = |s: &&Step| s.axis().is_none_or(|number| number == axis.axis);
        let plain = pass.steps.iter().filter(own).all(dft) && pass.math.engine == Engine::Simt;
        let held = |r: usize| plain && !radix::summed(r, false);
        let fits = |r: usize| held(r) && r <= FACING_RADIX;
        if self.part.is_some() {
            // Between columns and rows half spectra are on chip.
            return match axis.kind {
                Kind::R2C => [0, FACING_SPLIT],
                _ => [FACING_MERGE, 0],
            };
        }
        let beside = |end| facing_neighbours(pass, end) > 0;
        if let Some((end, mirrored)) = self.mirrored {
            let radix = match end {
                End::Load => radices.first(),
                End::Store => radices.last(),
            };
            let faces = {
                let can = |&r: &usize| lines_face(r, pass.math.storage) && fits(r);
                mirrored.images == Images::Facing && radix.is_some_and(can) && beside(end)
            };
            // Column c of one line mirrors m − 1 − c of the other, and of those that mirror themselves
            // columns do in pairs.
            let halve = {
                let can = |&r: &usize| {
                    let even = (axis.core_length() / r).is_multiple_of(2);
                    even && fits(r) && r <= halves_radix(pass.math.storage)
                };
                // The kernel counts the reals of such lines in 32 bits.
                let short = mirrored.points < 1 << 30;
                let parts = mirrored.images == Images::Parts && short;
                parts && pass.load.edges.is_none() && radix.is_some_and(can)
            };
            let mut words = self.halves(axis, radices, held);
            let i = end as usize;
            if faces {
                words[i] = [FACING_LOAD, FACING_STORE][i];
            } else if halve {
                words[i] = [FACING_MERGE, FACING_SPLIT][i];
            }
            return words;
        }
        self.halves(axis, radices, held)
    }

    /// Those that the launch asks for; of several axes of reals, all that can.
    fn halves(&self, axis: &TileAxis, radices: &[usize], held: impl Fn(usize) -> bool) -> [i64; 2] {
        let pass = self.pass;
        let beside = |end| self.mirrored.is_none() && facing_neighbours(pass, end) > 0;
        if pass.axes_of_reals() {
            // Wherever they can: between axes half spectra are on chip, and each exchange counts.
            let middle = axis.kind.reduction(axis.length, false).middle;
            let meet = |r: usize| images_meet(axis.core_length(), r, pass.math.storage);
            let fits = |radix: Option<&usize>| radix.is_some_and(|&r| held(r) && meet(r));
            return match middle {
                Middle::Merge if fits(radices.first()) => [FACING_MERGE, 0],
                Middle::Split if fits(radices.last()) => [0, FACING_SPLIT],
                _ => [0; 2],
            };
        }
        // They are of whole lines, which real columns and their rows are too.
        let columns = axis.kind == Kind::R2C || axis.kind == Kind::C2R;
        let whole = pass.axes.len() == 1 && (columns || !pass.has_part(axis));
        let middle = axis.kind.reduction(axis.length, false).middle;
        // Passes of half spectra that are made of reals, or become reals, have these at both ends of a line: they meet over
        // shared memory.
        let own = !columns || End::BOTH.iter().all(|&end| pass.reals(end).is_none());
        if let ([only], true) = (radices, whole && own) {
            // The only column mirrors itself.
            return match middle {
                Middle::Merge if held(*only) => [FACING_MERGE, 0],
                Middle::Split if held(*only) => [0, FACING_SPLIT],
                _ => [0; 2],
            };
        }
        let ([first, .., last], Some(launch), true) = (radices, pass.tile.launch, whole) else {
            return [0; 2];
        };
        let word = |end: End| match middle == end.middle() {
            true => [FACING_MERGE, FACING_SPLIT][end as usize],
            false if beside(end) => [FACING_LOAD, FACING_STORE][end as usize],
            false => 0,
        };
        let even = |r: usize| (axis.core_length() / r).is_multiple_of(2);
        let can = |r: usize| even(r) && held(r) && r <= FACING_RADIX;
        End::BOTH.map(|end| match launch.facing[end as usize] {
            true if can([*first, *last][end as usize]) => word(end),
            _ => 0,
        })
    }
}
