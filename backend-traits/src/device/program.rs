//! A program: what one kernel is compiled from, and the shape of its launch.

use super::config::constants;
use crate::geometry::{Geometry, Vendor};

/// The numbers that a kernel is compiled for, in the order of `Config` in
/// `device/config.hpp`, with the shape of its launch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Program {
    /// The kernel's name: `mmafft_pass`, `mmafft_cluster`, `mmafft_turns`, `mmafft_split`, `mmafft_combine`, `mmafft_product`.
    pub entry: &'static str,
    /// `Config`, as 64-bit words.
    pub config: Vec<i64>,
    /// That of the second pass, where two take turns in one launch; else empty.
    pub then: Vec<i64>,
    /// Whether what lies between the two is to leave the cache after all else, as it is a large part of that.
    pub keeps: bool,
    /// Threads of a block.
    pub threads: usize,
    /// Bytes of shared memory of a block, allocated at launch.
    pub shared_bytes: usize,
}

/// Files of the folder `device`, by their names.
macro_rules! files {
    ($($name:literal),*) => {
        &[$(($name, include_str!(concat!("../../device/", $name)))),*]
    };
}

/// The sources of the pass, in the order in which they are compiled, but for the vendor's
/// primitives, which come first.
pub const SOURCES: &[(&str, &str)] = files! {
    "config.hpp", "butterflies.hpp", "type_one.hpp", "matrix.hpp", "tile.hpp", "real.hpp", "pass.hpp",
    "memory.hpp", "factors.hpp", "pairs.hpp", "symmetric.hpp", "half_complex.hpp", "reals_on_chip.hpp",
    "exchange.hpp", "arithmetic.hpp", "operations.hpp"
};

/// Of more than this between two passes the device is told to keep it in the cache. Of 32 MiB an H100's 50 MiB did not
/// without (2^20 points of FP32: 0.49 of a copy, with 0.52); of 20 MiB and less it was 1 to 5 % slower.
const KEPT_BYTES: usize = 24 << 20;

/// Bytes of local memory that a thread may have, where one block of two would else be alone. On an H100, of a copy, without
/// and with them: DCT-III of 20x20x20 of FP64 0.70 and 0.93, DCT-II of 24x24x24 of FP32 0.63 and 0.87, DHT of 8000 of FP64 0.80
/// and 0.87; by 64 bytes only some of these gained. With more blocks local memory
/// takes from what they move: DCT-II of 4096 of FP64, of six blocks, 0.97 and 0.66.
const LOCAL_BYTES: usize = 256;

/// The word of `Config` that bounds registers.
const RESIDENTS: usize = 3;

impl Program {
    /// Two passes that take turns in one launch, if blocks of one shape can run both, with so many bytes between them.
    pub fn in_turns(first: &Program, second: &Program, between: usize) -> Option<Program> {
        let plain = [first, second].iter().all(|p| p.entry == "mmafft_pass");
        (plain && first.threads == second.threads).then(|| Program {
            entry: "mmafft_turns",
            config: first.config.clone(),
            then: second.config.clone(),
            keeps: between > KEPT_BYTES,
            threads: first.threads,
            shared_bytes: first.shared_bytes.max(second.shared_bytes),
        })
    }

    /// Whether the program is the one to launch, if each thread has so many bytes of local memory for what registers did not
    /// hold: none, or few where its block would else be alone on a multiprocessor that can hold two.
    pub fn bears(&self, local_bytes: usize, geometry: &Geometry) -> bool {
        // What the device reserves for each block of two.
        let both = 2 * self.shared_bytes + (1 << 10);
        let pair = self.residents() == 2 && both <= geometry.shared_bytes;
        let most = match geometry.vendor {
            Vendor::Nvidia if pair => LOCAL_BYTES,
            _ => 0,
        };
        local_bytes <= most
    }

    /// Blocks of a multiprocessor for which registers are kept; of two passes, of that with fewer.
    fn residents(&self) -> i64 {
        let configs = [&self.config, &self.then].into_iter();
        let residents = configs.filter_map(|c| c.get(RESIDENTS)).min();
        residents.copied().unwrap_or(1)
    }

    /// The same program with more registers for a thread, as fewer blocks are to be resident: for one each of whose threads
    /// has so many bytes of local memory, as its values did not fit. `None` where it is the one to launch.
    pub fn relaxed(&self, local_bytes: usize, geometry: &Geometry) -> Option<Program> {
        let residents = self.residents();
        let each = |residents: i64| geometry.registers / (self.threads * residents.max(1) as usize);
        // Not all that is in local memory is needed at a time; without half of it the next would not do either.
        let needed = each(residents) + local_bytes / (2 * size_of::<u32>());
        let fewer = (1..=residents * 3 / 4).rev();
        let enough = fewer.into_iter().find(|&fewer| each(fewer) >= needed);
        let mut relaxed = self.clone();
        for config in [&mut relaxed.config, &mut relaxed.then] {
            if let Some(word) = config.get_mut(RESIDENTS) {
                *word = enough.unwrap_or(1);
            }
        }
        (residents > 1 && !self.bears(local_bytes, geometry)).then_some(relaxed)
    }

    /// One translation unit without includes: the vendor's `primitives`, the shared
    /// sources, and between them this program's configuration. Of two passes each has its own namespace, and what joins
    /// them follows.
    pub fn source(&self, primitives: &[(&str, &str)]) -> String {
        let entry = format!("#define MMAFFT_ENTRY_{} 1\n", self.entry);
        if self.then.is_empty() {
            return entry + &unit(&self.config, primitives);
        }
        // Nobody else takes what the first loads and the second stores.
        let first = match self.keeps {
            true => &["LOADED_ONCE", "STORED_KEPT"][..],
            false => &["LOADED_ONCE"],
        };
        let passes = [
            ("first", &self.config, first),
            ("second", &self.then, &["STORED_ONCE"]),
        ];
        let mut text = entry;
        for (name, config, hints) in passes {
            text += &format!("#define mmafft mmafft_{name}\n");
            text.extend(
                hints
                    .iter()
                    .map(|hint| format!("#define MMAFFT_{hint} 1\n")),
            );
            text += &unit(config, primitives);
            text.extend(hints.iter().map(|hint| format!("#undef MMAFFT_{hint}\n")));
            text += "#undef mmafft\n";
        }
        add(&mut text, &("turns.hpp", TURNS));
        text
    }
}

/// What runs two passes in turns.
const TURNS: &str = include_str!("../../device/turns.hpp");

/// A pass' sources.
fn unit(config: &[i64], primitives: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let (words, rest) = SOURCES.split_first().expect("SOURCES is not empty");
    add(&mut text, words);
    primitives.iter().for_each(|file| add(&mut text, file));
    text.push_str(&format!("namespace mmafft {{\n{}}}\n", constants(config)));
    rest.iter().for_each(|file| add(&mut text, file));
    text
}

/// A file, but for what only serves compilers that read it alone.
fn add(text: &mut String, (name, source): &(&str, &str)) {
    text.push_str(&format!("#line 1 \"{name}\"\n"));
    let lines = source.lines().filter(|l| !is_local(l));
    text.extend(lines.flat_map(|l| [l, "\n"]));
}

/// Whether a line only serves compilers that read the files one by one.
fn is_local(line: &str) -> bool {
    line.starts_with("#include \"") || line.starts_with("#pragma once")
}

#[cfg(test)]
#[path = "program_tests.rs"]
mod tests;
