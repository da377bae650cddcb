//! What a device backend hands out: memory, and plans compiled with their tables.

use super::check;
use super::driver::Driver;
use super::lower::{lower, Lowered};
use super::neighbours::narrowed;
use super::program::Program;
use super::turns::{share, TurnWords};
use crate::backend::{Buffer, Prepared};
use crate::error::{Error, Result};
use crate::geometry::Geometry;
use crate::parallel::by_all_threads;
use crate::pass::Pass;
use crate::plan::{Plan, Turns};
use crate::side::Slot;
use crate::target::Share;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Shared memory in which a block of passes that take turns has its number, beside its tile's.
const NUMBER_BYTES: usize = 16;

/// Tables begin at multiples of this.
const ALIGNMENT: usize = 256;

/// Memory of a device.
#[derive(Debug)]
pub struct DeviceBuffer<M> {
    pub(super) memory: M,
    pub(super) bytes: usize,
}

impl<M> DeviceBuffer<M> {
    /// Memory that the caller vouches for: `bytes` of it are there.
    pub fn new(memory: M, bytes: usize) -> Self {
        DeviceBuffer { memory, bytes }
    }

    /// The driver's own handle.
    pub fn memory(&self) -> &M {
        &self.memory
    }
}

impl<M: Send + Sync> Buffer for DeviceBuffer<M> {
    fn bytes(&self) -> usize {
        self.bytes
    }
}

/// One pass, lowered.
pub struct PreparedPass {
    pub lowered: Lowered,
    /// Where its tables lie, and its matrices.
    pub tables: Range<usize>,
    pub matrices: Range<usize>,
}

/// A plan compiled for a device, with its tables there. Clones share both.
pub struct DevicePrepared<D: Driver>(pub(super) Arc<Inner<D>>);

/// What becomes of kernels whose threads have too few registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registers {
    /// They stay as they are.
    AsAsked,
    /// Others are compiled, for fewer blocks of a multiprocessor.
    Enough,
}

/// Passes, compiled, and their tables on the device.
pub struct Compiled<D: Driver> {
    pub passes: Vec<PreparedPass>,
    /// One for each pass; or one alone, of two passes that take turns.
    pub kernels: Vec<D::Kernel>,
    /// Whether one of them has too few registers.
    pub is_draft: bool,
    pub constants: D::Memory,
    pub constant_bytes: usize,
}

/// What clones share.
pub struct Inner<D: Driver> {
    /// By the widest accesses.
    pub wide: Compiled<D>,
    /// What it was lowered from, where its accesses move several points or its passes take turns; and the same for
    /// memory that begins at an element, compiled when it is first asked for.
    passes: Vec<Pass>,
    narrow: OnceLock<Compiled<D>>,
    /// How passes take turns, if they do.
    pub turns: Option<InTurns>,
    pub scratch_bytes: usize,
    /// Where in scratch the counters begin of passes that take turns in one launch.
    pub counters: usize,
    pub input_bytes: usize,
    pub output_bytes: usize,
    pub not_in_place: Option<String>,
    /// Whether a pass writes what the caller reads.
    pub writes_input: bool,
}

impl<D: Driver> Prepared for DevicePrepared<D> {
    fn scratch_bytes(&self) -> usize {
        self.0.scratch_bytes
    }

    fn is_draft(&self) -> bool {
        self.0.wide.is_draft
    }
}

impl<D: Driver> DevicePrepared<D> {
    /// The lowered passes, for tests and tools.
    pub fn lowered(&self) -> impl Iterator<Item = &Lowered> {
        self.0.wide.passes.iter().map(|p| &p.lowered)
    }
}

impl<D: Driver> Compiled<D> {
    /// Compiles passes, each with its geometry, as one where they take `turns` and the device can, with so many bytes
    /// between them, and puts their tables on the device.
    fn new(
        driver: &D,
        passes: impl Iterator<Item = (Pass, Geometry)>,
        turns: Option<usize>,
        registers: Registers,
    ) -> Result<Self> {
        let mut constants: Vec<u8> = Vec::new();
        let mut add = |bytes: &[u8]| {
            let at = constants.len().next_multiple_of(ALIGNMENT);
            constants.resize(at, 0);
            constants.extend_from_slice(bytes);
            at..constants.len()
        };
        let lowered = passes.map(|(pass, geometry)| lower(&pass, &geometry));
        let mut lowered: Vec<Lowered> = lowered.collect::<Result<_>>()?;
        let joined = match (&lowered[..], turns) {
            ([first, second], Some(between)) if driver.takes_turns() => {
                let program = Program::in_turns(&first.program, &second.program, between);
                let most = driver.geometry().shared_bytes - NUMBER_BYTES;
                program.filter(|program| program.shared_bytes <= most)
            }
            _ => None,
        };
        let kernels = match joined {
            Some(mut program) => vec![compiled(driver, &mut program, registers)?],
            None => each_compiled(driver, &mut lowered, registers)?,
        };
        let is_draft = kernels.iter().any(|(_, is_draft)| *is_draft);
        let kernels = kernels.into_iter().map(|(kernel, _)| kernel).collect();
        let mut prepared = Vec::new();
        for mut lowered in lowered {
            let (tables, matrices) = (add(&lowered.tables), add(&lowered.matrices));
            // They are on the device from here on.
            lowered.tables = Vec::new();
            lowered.matrices = Vec::new();
            prepared.push(PreparedPass {
                lowered,
                tables,
                matrices,
            });
        }
        let mut memory = driver.allocate(constants.len())?;
        driver.write(&mut memory, 0, &constants)?;
        Ok(Compiled {
            passes: prepared,
            kernels,
            is_draft,
            constants: memory,
            constant_bytes: constants.len(),
        })
    }
}

impl<D: Driver> Inner<D> {
    /// Compiles a plan's passes and puts their tables on the device.
    pub fn new(driver: &D, plan: &Plan, registers: Registers) -> Result<Self> {
        let geometry = driver.geometry();
        let turns = plan
            .turns
            .map(|turns| InTurns::new(plan, turns))
            .transpose()?;
        let passes = plan.passes.iter().enumerate().map(|(i, pass)| {
            let fits = match &turns {
                Some(turns) => turns.begin_aligned(i, &lower(pass, &geometry)?),
                None => true,
            };
            Ok(match fits {
                true => (pass.clone(), geometry),
                false => narrowed(pass, &geometry),
            })
        });
        let passes: Vec<_> = passes.collect::<Result<_>>()?;
        check::scratch(plan.scratch_bytes)?;
        let between = turns.map(|_| plan.scratch_bytes);
        let compiled = Compiled::new(driver, passes.into_iter(), between, registers)?;
        let counted = turns
            .as_ref()
            .filter(|_| compiled.kernels.len() < compiled.passes.len());
        let counters = counted.map_or(0, |turns| turns.words(&compiled).counter_bytes());
        let scalar = plan.request.precision.row().storage.bytes();
        let wide = |p: &PreparedPass| p.lowered.alignment() > p.lowered.element;
        Ok(Inner {
            passes: match turns.is_some() || compiled.passes.iter().any(wide) {
                true => plan.passes.clone(),
                false => Vec::new(),
            },
            wide: compiled,
            narrow: OnceLock::new(),
            writes_input: plan.passes.iter().any(|p| p.store.slot == Slot::Input),
            scratch_bytes: match counters {
                0 => plan.scratch_bytes,
                counters => plan.scratch_bytes.next_multiple_of(ALIGNMENT) + counters,
            },
            counters: plan.scratch_bytes.next_multiple_of(ALIGNMENT),
            turns,
            input_bytes: plan.read_scalars() * scalar,
            output_bytes: plan.output_scalars * scalar,
            not_in_place: plan.not_in_place.clone(),
        })
    }

    /// The most that the passes ask of where memory begins, and what they must.
    pub fn alignments(&self) -> (u64, u64) {
        let most = |of: fn(&Lowered) -> usize| {
            let all = self.wide.passes.iter().map(|p| of(&p.lowered));
            all.max().unwrap_or(1) as u64
        };
        // Counters are numbers of 32 bits.
        let counters = if self.turns.is_some() { 16 } else { 1 };
        (most(Lowered::alignment).max(counters), most(|l| l.element))
    }

    /// The passes for memory that begins at an element, but at no multiple of the alignment. Their
    /// tables are their own: where columns do not face each other there are others.
    pub fn narrow(&self, driver: &D) -> Result<&Compiled<D>> {
        if self.passes.is_empty() {
            return Ok(&self.wide);
        }
        if let Some(narrow) = self.narrow.get() {
            return Ok(narrow);
        }
        let geometry = driver.geometry();
        let passes = self.passes.iter().map(|pass| narrowed(pass, &geometry));
        // Passes in turns launched one by one, as their counters may begin anywhere.
        let narrow = Compiled::new(driver, passes, None, Registers::Enough)?;
        Ok(self.narrow.get_or_init(|| narrow))
    }
}

/// Each pass' kernel. Compilers take a core for each, so that several are compiled beside each other.
fn each_compiled<D: Driver>(
    driver: &D,
    lowered: &mut [Lowered],
    registers: Registers,
) -> Result<Vec<(D::Kernel, bool)>> {
    let mut all: Vec<_> = lowered.iter_mut().map(|l| (l, None)).collect();
    by_all_threads(&mut all, 1, |_, part| {
        let (lowered, kernel) = &mut part[0];
        *kernel = Some(compiled(driver, &mut lowered.program, registers));
    });
    let kernels = all.into_iter().filter_map(|(_, kernel)| kernel);
    kernels.collect()
}

/// A program's kernel, and whether it has too few registers: how many it needs only the compiler knows.
fn compiled<D: Driver>(
    driver: &D,
    program: &mut Program,
    registers: Registers,
) -> Result<(D::Kernel, bool)> {
    let mut kernel = driver.kernel(program)?;
    while let Some(relaxed) = program.relaxed(driver.local_bytes(&kernel), &driver.geometry()) {
        if registers == Registers::AsAsked {
            return Ok((kernel, true));
        }
        *program = relaxed;
        kernel = driver.kernel(program)?;
    }
    Ok((kernel, false))
}

/// Passes that take turns, with what each does of an array.
#[derive(Clone, Copy)]
pub struct InTurns {
    pub turns: Turns,
    /// Arrays of the batch.
    pub arrays: usize,
    pub shares: [Share; 2],
}

impl InTurns {
    fn new(plan: &Plan, turns: Turns) -> Result<Self> {
        let arrays = plan.request.batch;
        let refused = || Error::Unsupported {
            what: "passes that cannot take turns".into(),
            backend: plan.backend.into(),
            instead: "plan without turns".into(),
        };
        let [first, second] = &plan.passes[..] else {
            return Err(refused());
        };
        let in_scratch = first.store.slot == Slot::Scratch;
        let possible = turns.are_possible(arrays, in_scratch);
        match (share(first, arrays), share(second, arrays)) {
            (Some(first), Some(second)) if possible => Ok(InTurns {
                turns,
                arrays,
                shares: [first, second],
            }),
            _ => Err(refused()),
        }
    }

    /// Whether a pass' memory of every turn begins as aligned as that of the first. Lines beside
    /// each other move together, and a turn may begin between two of them.
    fn begin_aligned(&self, pass: usize, lowered: &Lowered) -> bool {
        let share = self.shares[pass];
        let bytes = |scalars: usize| self.turns.arrays * scalars * lowered.scalar_bytes;
        [share.load, share.store]
            .into_iter()
            .zip(lowered.alignments)
            .all(|(scalars, alignment)| bytes(scalars).is_multiple_of(alignment))
    }

    /// What a launch of both is told.
    pub fn words<D: Driver>(&self, compiled: &Compiled<D>) -> TurnWords {
        let side = |i: usize| (&compiled.passes[i].lowered, self.shares[i]);
        TurnWords::new(self.turns, self.arrays, [side(0), side(1)])
    }
}
