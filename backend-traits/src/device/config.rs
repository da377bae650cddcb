//! `Config` of `device/config.hpp` as 64-bit words: the build script takes its fields from there, in their order.

use crate::precision::{Operand, ScalarType};
use crate::side::End;

/// A struct of 64-bit numbers that can be written out in the order of its fields.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($field:ident),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct $name { $(pub $field: i64),* }
        impl $name {
            /// Their names.
            const NAMES: &[&str] = &[$(stringify!($field)),*];
            /// The fields in order.
            pub fn words(&self) -> impl Iterator<Item = i64> {
                [$(self.$field),*].into_iter()
            }
        }
    };
}

// `LoopWords`, `AxisWords`, `RealsWords`, `StepWords`, and `HeadWords`, which are `Config` before its arrays; and the
// header's enumerators.
include!(concat!(env!("OUT_DIR"), "/words.rs"));

/// The words of an axis on one side.
#[derive(Debug, Clone, Copy)]
pub struct AxisSide {
    pub stride: i64,
    pub index: i64,
    /// Begin and end.
    pub range: [i64; 2],
    pub run: i64,
    pub apart: i64,
}

impl AxisWords {
    /// Of an axis that is so where it is loaded, and where it is stored.
    pub fn new([load, store]: [AxisSide; 2]) -> AxisWords {
        AxisWords {
            load_stride: load.stride,
            store_stride: store.stride,
            load_index: load.index,
            load_begin: load.range[0],
            load_end: load.range[1],
            store_index: store.index,
            store_begin: store.range[0],
            store_end: store.range[1],
            load_run: load.run,
            load_apart: load.apart,
            store_run: store.run,
            store_apart: store.apart,
        }
    }

    /// How it is on this side.
    pub fn side(&self, end: End) -> AxisSide {
        match end {
            End::Load => AxisSide {
                stride: self.load_stride,
                index: self.load_index,
                range: [self.load_begin, self.load_end],
                run: self.load_run,
                apart: self.load_apart,
            },
            End::Store => AxisSide {
                stride: self.store_stride,
                index: self.store_index,
                range: [self.store_begin, self.store_end],
                run: self.store_run,
                apart: self.store_apart,
            },
        }
    }
}

impl LoopWords {
    /// Scalars from a line to the next on this side.
    pub fn stride(&self, end: End) -> i64 {
        match end {
            End::Load => self.load,
            End::Store => self.store,
        }
    }
}

impl Config {
    /// The step that meets memory here.
    pub fn step_at(&mut self, end: End) -> &mut StepWords {
        let step = match end {
            End::Load => self.steps.first_mut(),
            End::Store => self.steps.last_mut(),
        };
        step.expect("a pass has a step")
    }
}

/// Steps of one pass at most.
pub const MAX_STEPS: usize = 28;
/// Loops of one pass at most.
pub const MAX_LOOPS: usize = 8;
/// Axes of one tile at most.
pub const MAX_AXES: usize = crate::MAX_TILE_AXES;
/// Sides of axes with reals between them.
pub const MAX_BETWEEN: usize = 2 * (MAX_AXES - 1);
/// The end of a range that nothing lies beyond.
pub const NO_END: i64 = i64::MAX / 4;

// `reals_in` and `reals_out` between axes i and i + 1, where there are reals: of the one `REALS_BETWEEN + 2i`, of the
// other the number behind it.

/// Pairs of outputs that a thread sums in a dense step: each point that it reads serves them all.
pub const DENSE_PAIRS: usize = 4;

/// `enum Storage`.
pub fn storage_word(storage: ScalarType) -> i64 {
    match storage {
        ScalarType::F64 => STORAGE_F64,
        ScalarType::F32 => STORAGE_F32,
        ScalarType::F16 => STORAGE_F16,
        ScalarType::Bf16 => STORAGE_BF16,
    }
}

/// `enum Operand`.
pub fn operand_word(operand: Operand) -> i64 {
    match operand {
        Operand::Half => OPERAND_HALF,
        Operand::Bf16 => OPERAND_BF16,
        Operand::SplitHalf => OPERAND_SPLIT_HALF,
        Operand::SplitBf16 => OPERAND_SPLIT_BF16,
        Operand::F32 => OPERAND_F32,
        Operand::F64 => OPERAND_F64,
    }
}

/// `Config`, whole.
#[derive(Debug, Clone, Default)]
pub struct Config {
    pub head: HeadWords,
    pub reals: [RealsWords; 2],
    pub between: Vec<RealsWords>,
    pub axes: Vec<AxisWords>,
    pub loops: Vec<LoopWords>,
    pub steps: Vec<StepWords>,
}

impl Config {
    /// All words; what is not used is zero, but for strides and counts that divide.
    pub fn words(&self) -> Vec<i64> {
        let one = LoopWords {
            count: 1,
            ..Default::default()
        };
        let axes = (0..MAX_AXES).map(|i| self.axes.get(i).copied().unwrap_or_default());
        let loops = (0..MAX_LOOPS).map(|i| self.loops.get(i).copied().unwrap_or(one));
        let steps = (0..MAX_STEPS).map(|i| self.steps.get(i).copied().unwrap_or_default());
        let between = (0..MAX_BETWEEN).map(|i| self.between.get(i).copied().unwrap_or_default());
        let reals = self.reals.into_iter().chain(between);
        self.head
            .words()
            .chain(reals.flat_map(|r| r.words().collect::<Vec<_>>()))
            .chain(axes.flat_map(|a| a.words().collect::<Vec<_>>()))
            .chain(loops.flat_map(|l| l.words().collect::<Vec<_>>()))
            .chain(steps.flat_map(|s| s.words().collect::<Vec<_>>()))
            .collect()
    }
}

/// A configuration's words as C++: `config`, and `StepAt<i>`, both as devices know them.
///
/// Numbers are enumerators. Front ends copy a constant object for each of its fields that they read, and an
/// enumerator is nothing but its value.
pub fn constants(words: &[i64]) -> String {
    let mut words = words.iter().copied();
    let mut take = |names: &[&str]| words.by_ref().take(names.len()).collect::<Vec<i64>>();
    let head = take(HeadWords::NAMES);
    let mut listed = |names, rows| {
        let rows: Vec<String> = (0..rows).map(|_| list(&take(names))).collect();
        rows.join(",")
    };
    let sides = listed(RealsWords::NAMES, 2);
    let between = listed(RealsWords::NAMES, MAX_BETWEEN);
    let axes = listed(AxisWords::NAMES, MAX_AXES);
    let loops = listed(LoopWords::NAMES, MAX_LOOPS);
    let mut text = format!(
        "struct Constants {{
{}
Reals load_reals, store_reals, between[MAX_BETWEEN];
Axis axis[MAX_AXES];
Loop loop[MAX_LOOPS];
}};
__device__ constexpr Constants config = {{{sides},{{{between}}},{{{axes}}},{{{loops}}}}};
template <int N> struct StepAt;
",
        numbers(HeadWords::NAMES, &head)
    );
    let at = HeadWords::NAMES.iter().position(|name| *name == "steps");
    let steps = at
        .and_then(|at| head.get(at))
        .map_or(1, |&steps| steps.max(1));
    for i in 0..steps {
        let numbers = numbers(StepWords::NAMES, &take(StepWords::NAMES));
        text += &format!("template <> struct StepAt<{i}> {{\n{numbers}\n}};\n");
    }
    text
}

/// Named numbers.
fn numbers(names: &[&str], words: &[i64]) -> String {
    let named = names.iter().zip(words);
    let named: Vec<String> = named.map(|(name, word)| format!("{name}={word}")).collect();
    format!("enum : i64 {{ {} }};", named.join(","))
}

/// The words of a struct, without the zeros at its end.
fn list(words: &[i64]) -> String {
    let used = words.iter().rposition(|&word| word != 0);
    let used = &words[..used.map_or(0, |last| last + 1)];
    let words: Vec<String> = used.iter().map(i64::to_string).collect();
    format!("{{{}}}", words.join(","))
}
