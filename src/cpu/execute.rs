//! Running prepared passes: workers, their workspace, and who does what.

use super::check::Extents;
use super::memory::{Memory, View};
use super::prepare::{self, Copies, PreparedPass, TileWork, Widened};
use super::scalar::{Real, Storage};
use super::stage::{Slots, Stage};
use super::threads;
use mmafft_backend_traits::{Domain, End, Error, Plan, Result, Slot, Workspace};
use num_complex::Complex;
use std::sync::{Mutex, PoisonError};

/// Fewer points than this are transformed by the calling thread alone: waking others
/// takes about as long.
const PARALLEL_POINTS: usize = 1 << 15;

/// Vectors are loaded from workspaces that begin at multiples of this.
const ALIGNMENT: usize = 64;

/// Bytes between the workspaces of two workers: a core asks by itself for more of the page that it works in, and would take
/// it from the other.
const BETWEEN: usize = 4096;

/// A plan ready to run on scalars of one type.
pub struct PreparedPlan<S: Storage> {
    passes: Vec<PreparedPass<S>>,
    extents: Extents,
    /// Whether input and output may be one memory.
    in_place: bool,
    /// Complex numbers of workspace a worker.
    workspace: usize,
    workers: usize,
}

/// The buffers of one execution, as bytes.
pub struct Bytes<'a> {
    /// What is read; `None` in place.
    pub input: Option<View<'a>>,
    /// What is written.
    pub output: View<'a>,
    /// At least `scratch_bytes`.
    pub scratch: &'a mut [u8],
}

impl<S: Storage> PreparedPlan<S> {
    /// Prepares every pass.
    pub fn new(plan: &Plan, workers: usize) -> Result<Self> {
        let (mut extents, mut in_place) = (Extents::default(), true);
        let passes = plan
            .passes
            .iter()
            .map(|pass| prepare::pass(pass, &mut in_place, &mut extents))
            .collect::<Result<Vec<_>>>()?;
        let vector = ALIGNMENT / size_of::<Complex<S::Compute>>();
        let workspaces = passes.iter().map(|p: &PreparedPass<S>| p.workspace());
        let workspace = workspaces.max().unwrap_or(0);
        let shared = passes.iter().filter(|p| points(p) >= PARALLEL_POINTS);
        let busy = shared.map(units).max().unwrap_or(0);
        let prepared = PreparedPlan {
            passes,
            extents,
            in_place,
            workspace: workspace.next_multiple_of(vector),
            workers: workers.min(busy).max(1),
        };
        match plan.request.scratch_limit {
            Some(limit) => prepared.within(limit),
            None => Ok(prepared),
        }
    }

    /// The same with as many workers as so many bytes of scratch have room for.
    fn within(mut self, limit: usize) -> Result<Self> {
        while self.scratch_bytes() > limit {
            if self.workers == 1 {
                return Err(Error::ScratchLimit {
                    expected: self.scratch_bytes(),
                    got: limit,
                });
            }
            self.workers -= 1;
        }
        Ok(self)
    }

    /// What its workers work in.
    pub fn workspace(&self) -> Workspace {
        Workspace {
            threads: self.workers,
            bytes: self.workspace * size_of::<Complex<S::Compute>>(),
        }
    }

    /// Complex numbers from one worker's workspace to the next one's.
    fn apart(&self) -> usize {
        match self.workspace {
            0 => 0,
            own => own + BETWEEN / size_of::<Complex<S::Compute>>(),
        }
    }

    /// Complex numbers of all workspaces.
    fn workspaces(&self) -> usize {
        (self.workers - 1) * self.apart() + self.workspace
    }

    /// The plan's scratch and every worker's workspace.
    pub fn scratch_bytes(&self) -> usize {
        let workspace = self.workspaces() * size_of::<Complex<S::Compute>>();
        let plan = self.plan_scratch_bytes();
        match plan + workspace {
            0 => 0,
            // Memory that a caller lends may begin anywhere.
            bytes => bytes + ALIGNMENT,
        }
    }

    fn plan_scratch_bytes(&self) -> usize {
        (self.extents.scratch * size_of::<S>()).next_multiple_of(ALIGNMENT)
    }

    /// Runs all passes.
    pub fn run(&self, bytes: Bytes<'_>) -> Result<()> {
        let view = |view, side| Memory::<S>::at(view).ok_or_else(|| misaligned(side));
        let output = view(bytes.output, Slot::Output)?;
        let in_place = bytes.input.is_none();
        let input = match bytes.input {
            Some(input) => view(input, Slot::Input)?,
            None => output,
        };
        if in_place && !self.in_place {
            return Err(Error::NotInPlace {
                reason: "a pass stores lines to what others load".into(),
            });
        }
        check(Slot::Output, self.extents.output, output.len())?;
        check(Slot::Input, self.extents.input, input.len())?;
        let needed = self.scratch_bytes();
        if bytes.scratch.len() < needed {
            return Err(Error::BufferTooShort {
                side: Slot::Scratch,
                expected: needed,
                got: bytes.scratch.len(),
                unit: "bytes",
            });
        }
        if self.passes.iter().any(|p| p.writes_input()) && !in_place {
            return Err(Error::Unsupported {
                what: "running a plan made in place on two buffers".into(),
                backend: "cpu".into(),
                instead: "build the request without in_place()".into(),
            });
        }
        let skip = bytes.scratch.as_ptr().align_offset(ALIGNMENT);
        let aligned = match needed {
            0 => &mut [],
            _ => &mut bytes.scratch[skip..],
        };
        let (plan_scratch, workspace) = aligned.split_at_mut(self.plan_scratch_bytes());
        let slots = Slots {
            input,
            output,
            scratch: Memory::of(aligned_cast(plan_scratch)),
        };
        let used = self.workspaces() * size_of::<Complex<S::Compute>>();
        let workspace = &mut workspace[..used];
        let workspace: &mut [Complex<S::Compute>] = aligned_cast(workspace);
        for pass in &self.passes {
            self.run_pass(pass, &slots, workspace);
        }
        Ok(())
    }

    fn run_pass(
        &self,
        pass: &PreparedPass<S>,
        slots: &Slots<S>,
        workspace: &mut [Complex<S::Compute>],
    ) {
        let (units, points) = (units(pass), points(pass));
        if let Some(stage) = of_groups(pass) {
            self.spread(units, points, workspace, |group, workspace| {
                // SAFETY: `run` checked the extents; each group is run by one worker.
                unsafe { stage.run(slots, (0, 0), group, workspace) }
            });
            return;
        }
        self.spread(units, points, workspace, |tile, workspace| {
            let (mut rest, mut shift) = (tile, (0, 0));
            for l in pass.tiles.iter().rev() {
                let i = rest % l.count;
                rest /= l.count;
                shift = (shift.0 + i * l.load.stride, shift.1 + i * l.store.stride);
            }
            // SAFETY: as above; each tile is worked on by one worker.
            unsafe {
                match &pass.work {
                    TileWork::InMemory(stages) => run_tile(stages, slots, shift, workspace),
                    TileWork::Widened(widened) => widened.run(slots, shift, workspace),
                    TileWork::Part(part) => part.run(slots, tile, workspace),
                }
            }
        });
    }

    /// Calls `work(unit, workspace)` for every unit, on as many threads as pay.
    fn spread(
        &self,
        units: usize,
        points: usize,
        workspace: &mut [Complex<S::Compute>],
        work: impl Fn(usize, &mut [Complex<S::Compute>]) + Sync,
    ) {
        let workers = self.workers.min(units);
        if workers <= 1 || points < PARALLEL_POINTS || !threads::are_there() {
            let workspace = &mut workspace[..self.workspace];
            (0..units).for_each(|unit| work(unit, workspace));
            return;
        }
        let apart = self.apart();
        let mut shares = Vec::with_capacity(workers);
        for own in workspace.chunks_mut(apart.max(1)).take(workers) {
            shares.push(Mutex::new(&mut own[..self.workspace]));
        }
        // Without a workspace there is nothing to cut.
        shares.resize_with(workers, || Mutex::new(&mut []));
        threads::share_out(units, workers, |worker, units| {
            let own = shares[worker].lock();
            let mut own = own.unwrap_or_else(PoisonError::into_inner);
            units.for_each(|unit| work(unit, &mut own));
        });
    }
}

/// The only stage of a pass whose groups of lines are by themselves.
fn of_groups<S: Storage>(pass: &PreparedPass<S>) -> Option<&Stage<S>> {
    match (&pass.work, pass.tiles.is_empty()) {
        (TileWork::InMemory(stages), true) => match &stages[..] {
            [stage] => Some(stage),
            _ => None,
        },
        _ => None,
    }
}

/// Pieces of a pass that workers can do at once.
fn units<S: Storage>(pass: &PreparedPass<S>) -> usize {
    match of_groups(pass) {
        Some(stage) => stage.groups(),
        None => pass.tiles.iter().map(|l| l.count).product(),
    }
}

/// Points of all of them.
fn points<S: Storage>(pass: &PreparedPass<S>) -> usize {
    match of_groups(pass) {
        Some(_) => pass.points(),
        None => pass.points() * units(pass),
    }
}

/// Runs the axes of a tile one after the other.
///
/// # Safety
/// As for [`Stage::run`]; no other worker works on the tile.
unsafe fn run_tile<S: Storage>(
    stages: &[Stage<S>],
    slots: &Slots<S>,
    shift: (usize, usize),
    workspace: &mut [Complex<S::Compute>],
) {
    for stage in stages {
        let [load, store] = stage.sides.map(|end| match end {
            End::Load => shift.0,
            End::Store => shift.1,
        });
        for group in 0..stage.groups() {
            // SAFETY: by this function's contract.
            unsafe { stage.run(slots, (load, store), group, workspace) }
        }
    }
}

impl<T: Real + Storage<Compute = T>> Widened<T> {
    /// Loads the tile, runs its axes and stores it.
    ///
    /// # Safety
    /// As for [`Stage::run`]; no other worker works on the tile.
    unsafe fn run<S: Storage<Compute = T>>(
        &self,
        slots: &Slots<S>,
        shift: (usize, usize),
        workspace: &mut [Complex<T>],
    ) {
        let (dense, workspace) = workspace.split_at_mut(self.dense_complex());
        let (input, output) = dense.split_at_mut(self.scalars[0].div_ceil(2));
        let input: &mut [T] = bytemuck::cast_slice_mut(input);
        let output: &mut [T] = bytemuck::cast_slice_mut(output);
        // SAFETY: by this function's contract; the dense slots are this worker's own.
        unsafe {
            let memory = slots.of(self.load.side.slot);
            self.load.for_each(shift.0, |at, dense, count| {
                S::widen(memory.stored(at, count), &mut input[dense..][..count]);
            });
            let dense = Slots {
                input: Memory::of(input),
                output: Memory::of(output),
                scratch: Memory::of(&mut []),
            };
            run_tile(&self.stages, &dense, (0, 0), workspace);
            let memory = slots.of(self.store.side.slot);
            self.store.for_each(shift.1, |at, dense, count| {
                let to = memory.stored_mut(at, count);
                S::narrow(&output[dense..][..count], to, self.scale);
            });
        }
    }
}

impl Copies {
    /// Calls `each(scalar in memory, scalar of the image, scalars in a row)`.
    fn for_each(&self, shift: usize, mut each: impl FnMut(usize, usize, usize)) {
        let scalars = self.side.domain.scalars();
        let apart = self.side.domain == Domain::Complex && self.side.imaginary != 1;
        let row = match self.axes.split_last() {
            Some((&(count, memory, dense), outer)) if [memory, dense] == [scalars; 2] && !apart => {
                (outer, count * scalars)
            }
            _ if apart => (&self.axes[..], 1),
            _ => (&self.axes[..], scalars),
        };
        let (axes, count) = row;
        let rows: usize = axes.iter().map(|a| a.0).product();
        for row in 0..rows {
            let (mut rest, mut memory, mut dense) = (row, self.side.offset + shift, self.dense);
            for &(count, stride, dense_stride) in axes.iter().rev() {
                let i = rest % count;
                rest /= count;
                memory += i * stride;
                dense += i * dense_stride;
            }
            each(memory, dense, count);
            if apart {
                each(memory + self.side.imaginary, dense + 1, count);
            }
        }
    }
}

/// Bytes from an aligned address on, as scalars; no bytes may begin anywhere.
fn aligned_cast<T: bytemuck::Pod>(bytes: &mut [u8]) -> &mut [T] {
    match bytes.is_empty() {
        true => &mut [],
        false => bytemuck::cast_slice_mut(bytes),
    }
}

fn check(side: Slot, expected: usize, got: usize) -> Result<()> {
    match got < expected {
        false => Ok(()),
        true => Err(Error::BufferTooShort {
            side,
            expected,
            got,
            unit: "scalars",
        }),
    }
}

fn misaligned(side: Slot) -> Error {
    Error::Unsupported {
        what: format!("{side} bytes that are not whole, aligned scalars"),
        backend: "cpu".into(),
        instead: "take the buffer from the backend, or from a slice of scalars".into(),
    }
}
