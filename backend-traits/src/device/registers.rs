//! How many blocks the registers of a multiprocessor are for.

use super::config::*;
use super::threads::Sharing;
use super::trip::Trip;
use crate::geometry::Vendor;
use crate::step::Engine;
use crate::Domain;

impl Sharing<'_> {
    /// Blocks whose registers a multiprocessor is to hold at once, of so many threads with so many values: the compiler would
    /// otherwise fetch every twiddle before it uses the first, and leave room for half of them. What does not fit is asked for anew
    /// with fewer (`Program::relaxed`).
    pub fn residents(&self, threads: usize, values: usize) -> usize {
        let pass = self.pass();
        let double = self.outline.double();
        let words = self.words_of_value();
        let beside = self.registers_beside(values * words);
        let beside = if double { beside * 3 / 2 } else { beside };
        // Registers are dealt out by eights, to waves, of which there are multiples of four: in all, or (products, whose
        // registers are harder to tell) in each block.
        let registers = (values * words + beside).next_multiple_of(8);
        let waves = self.geometry.registers / (self.geometry.wave * registers) / 4 * 4;
        let of_block = threads.div_ceil(self.geometry.wave);
        let of_block = match pass.math.engine {
            Engine::Matrix => of_block.next_multiple_of(4),
            Engine::Simt => of_block,
        };
        (waves / of_block).clamp(1, 2048 / threads)
    }

    /// Registers of a value: of type I that threads have whole lines of, values are reals.
    fn words_of_value(&self) -> usize {
        let copies = |t: &&Trip| t.words.op != OP_COPY;
        let mut steps = self.trips().filter(copies).peekable();
        let reals = steps.peek().is_some() && steps.all(|t| t.words.type_one != 0);
        let each = if reals { 1 } else { 2 };
        if self.outline.double() {
            2 * each
        } else {
            each
        }
    }

    /// Registers beside those of the values, which take so many.
    fn registers_beside(&self, of_values: usize) -> usize {
        let pass = self.pass();
        let complex = pass.load.domain == Domain::Complex && pass.store.domain == Domain::Complex;
        let plain = complex && pass.load.hermitian.is_none() && pass.mirrored().is_none();
        // No copies, merges, splits or chirps, which have temporaries and addresses of their own, nor other columns of more than
        // 24 points than those of powers of two; behind Rader's point 0 no stride is constant.
        let small = |t: &Trip| t.values().is_power_of_two() || t.values() <= 24;
        let simple =
            |t: &Trip| t.words.op == OP_DFT && t.words.before + t.words.after == 0 && small(t);
        match plain && self.trips().all(simple) {
            _ if self.matrix() => 96,
            // Nobody has measured Rader's on AMD's devices, whose compiler takes more than NVRTC.
            _ if self.outline.any(|words| words.offset > 0) => match self.geometry.vendor {
                Vendor::Nvidia => 32,
                Vendor::Amd => 128,
            },
            // Sums of even points beside those of odd ones, and what they are made of.
            _ if self.dense() => 64 + of_values,
            true => 32,
            // Of 27 points gfx942 needs more than 256.
            _ if self.outline.double() && !self.trips().all(small) => 100,
            // A thread that copies computes an address for every point.
            false if self.outline.any(|words| words.op == OP_COPY) => 64,
            false => 48,
        }
    }
}
