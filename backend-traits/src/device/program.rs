//! A program: what one kernel is compiled from, and the shape of its launch.

/// The numbers that a kernel is compiled for, in the order of `Config` in
/// `device/config.hpp`, with the shape of its launch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Program {
    /// The kernel's name: `mmafft_pass`, `mmafft_cluster`, `mmafft_split`, `mmafft_combine`, `mmafft_product`.
    pub entry: &'static str,
    /// `Config`, as 64-bit words.
    pub config: Vec<i64>,
    /// Threads of a block.
    pub threads: usize,
    /// Bytes of shared memory of a block, allocated at launch.
    pub shared_bytes: usize,
}

/// The sources of the pass, in the order in which they are compiled, but for the vendor's
/// primitives, which come first.
pub const SOURCES: &[(&str, &str)] = &[
    ("config.hpp", include_str!("../../device/config.hpp")),
    (
        "butterflies.hpp",
        include_str!("../../device/butterflies.hpp"),
    ),
    ("matrix.hpp", include_str!("../../device/matrix.hpp")),
    ("tile.hpp", include_str!("../../device/tile.hpp")),
    ("real.hpp", include_str!("../../device/real.hpp")),
    ("pass.hpp", include_str!("../../device/pass.hpp")),
    ("memory.hpp", include_str!("../../device/memory.hpp")),
    ("factors.hpp", include_str!("../../device/factors.hpp")),
    ("pairs.hpp", include_str!("../../device/pairs.hpp")),
    ("symmetric.hpp", include_str!("../../device/symmetric.hpp")),
    (
        "half_complex.hpp",
        include_str!("../../device/half_complex.hpp"),
    ),
    ("exchange.hpp", include_str!("../../device/exchange.hpp")),
    (
        "arithmetic.hpp",
        include_str!("../../device/arithmetic.hpp"),
    ),
    (
        "operations.hpp",
        include_str!("../../device/operations.hpp"),
    ),
];

/// The word of `Config` that bounds registers.
const RESIDENTS: usize = 3;

impl Program {
    /// The same program with more registers for a thread, as fewer blocks are to be resident:
    /// for one whose values did not fit. `None` where there is one block already.
    pub fn relaxed(&self) -> Option<Program> {
        let residents = self.config[RESIDENTS];
        let mut relaxed = self.clone();
        relaxed.config[RESIDENTS] = (residents * 3 / 4).max(1);
        (residents > 1).then_some(relaxed)
    }

    /// One translation unit without includes: the vendor's `primitives`, the shared
    /// sources, and between them this program's configuration.
    pub fn source(&self, primitives: &[(&str, &str)]) -> String {
        let mut text = String::new();
        let mut add = |(name, source): &(&str, &str)| {
            text.push_str(&format!("#line 1 \"{name}\"\n"));
            text.extend(
                source
                    .lines()
                    .filter(|l| !is_local(l))
                    .flat_map(|l| [l, "\n"]),
            );
        };
        let (config, rest) = SOURCES.split_first().expect("SOURCES is not empty");
        add(config);
        primitives.iter().for_each(&mut add);
        let words: Vec<String> = self.config.iter().map(i64::to_string).collect();
        text.push_str(&format!(
            "#define MMAFFT_ENTRY_{} 1\nnamespace mmafft {{\n__device__ constexpr Config config = {{{}}};\n}}\n",
            self.entry,
            words.join(",")
        ));
        let mut add = |(name, source): &(&str, &str)| {
            text.push_str(&format!("#line 1 \"{name}\"\n"));
            text.extend(
                source
                    .lines()
                    .filter(|l| !is_local(l))
                    .flat_map(|l| [l, "\n"]),
            );
        };
        rest.iter().for_each(&mut add);
        text
    }
}

/// Whether a line only serves compilers that read the files one by one.
fn is_local(line: &str) -> bool {
    line.starts_with("#include \"") || line.starts_with("#pragma once")
}
