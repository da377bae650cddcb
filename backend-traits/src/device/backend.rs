//! A backend on any driver: checks, bindings, launches.

use super::driver::{Driver, Launch, Region};
use super::matrices;
use super::matrices::parts;
use super::operations::{product_program, vector_program};
use super::prepared::{DeviceBuffer, DevicePrepared, Inner, PreparedPass, Registers};
use crate::backend::{Backend, Bindings};
use crate::error::{Error, Result};
use crate::geometry::Geometry;
use crate::kind::Direction;
use crate::limits::Limits;
use crate::plan::Plan;
use crate::precision::Operand;
use crate::radix;
use crate::side::Slot;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Plans that stay prepared after their last user is gone, at most, and the bytes of tables
/// that they may keep on the device.
const RECENT: usize = 32;
const RECENT_BYTES: usize = 64 << 20;

/// A device as a backend. Cheap to clone.
pub struct DeviceBackend<D: Driver> {
    driver: Arc<D>,
    /// The last plans prepared, the latest at the back.
    recent: Arc<Mutex<VecDeque<Recent<D>>>>,
}

/// A plan, and what it was prepared to.
struct Recent<D: Driver> {
    plan: Plan,
    prepared: Arc<Inner<D>>,
}

impl<D: Driver> Clone for DeviceBackend<D> {
    fn clone(&self) -> Self {
        DeviceBackend {
            driver: self.driver.clone(),
            recent: self.recent.clone(),
        }
    }
}

impl<D: Driver> std::fmt::Debug for DeviceBackend<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let limits = self.driver.limits();
        write!(f, "{} ({})", limits.backend, limits.device)
    }
}

impl<D: Driver> DeviceBackend<D> {
    /// A backend on this driver.
    pub fn new(driver: D) -> Self {
        DeviceBackend {
            driver: Arc::new(driver),
            recent: Arc::default(),
        }
    }

    /// The driver.
    pub fn driver(&self) -> &D {
        &self.driver
    }

    fn geometry(&self) -> Geometry {
        self.driver.geometry()
    }

    fn name(&self) -> &'static str {
        self.driver.limits().backend
    }

    /// A plan that was prepared before, and still is.
    fn recent(&self, plan: &Plan) -> Option<DevicePrepared<D>> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let found = recent.iter().find(|r| r.plan == *plan)?;
        Some(DevicePrepared(found.prepared.clone()))
    }

    /// Runs a prepared plan on this stream. Buffers that other streams still work on are the
    /// caller's to order.
    pub fn launch_on(
        &self,
        stream: &D::Stream,
        prepared: &DevicePrepared<D>,
        bindings: Bindings<'_, DeviceBuffer<D::Memory>>,
    ) -> Result<()> {
        let prepared = &*prepared.0;
        let aligned = self.check(prepared, &bindings)?;
        let compiled = match aligned {
            true => &prepared.wide,
            false => prepared.narrow(&self.driver)?,
        };
        let output = &bindings.output.memory;
        let input = bindings.input.map_or(output, |b| &b.memory);
        let scratch = &bindings.scratch.memory;
        let memory = |slot| match slot {
            Slot::Input => input,
            Slot::Output => output,
            Slot::Scratch => scratch,
        };
        let constants = |bytes: &Range<usize>| {
            (!bytes.is_empty()).then(|| Region {
                memory: &compiled.constants,
                offset: bytes.start,
                bytes: bytes.len(),
            })
        };
        // A pass of all lines.
        let whole = |pass: &PreparedPass| {
            let lowered = &pass.lowered;
            let region = |(slot, offset): (Slot, usize)| {
                Region::from(memory(slot), offset * lowered.scalar_bytes)
            };
            Launch {
                load: region(lowered.load),
                store: region(lowered.store),
                extra: lowered.edges.map(|offset| region((Slot::Scratch, offset))),
                tables: constants(&pass.tables),
                matrices: constants(&pass.matrices),
                lines: lowered.lines,
                scale: lowered.scale,
                blocks: lowered.blocks,
            }
        };
        let passes = &compiled.passes;
        let Some(turns) = &prepared.turns else {
            for (i, (pass, kernel)) in passes.iter().zip(&compiled.kernels).enumerate() {
                let launched = self.driver.launch(stream, kernel, &whole(pass));
                launched.map_err(|error| error.after_launches(i))?;
            }
            return Ok(());
        };
        let words = turns.words(compiled);
        if let [kernel] = &compiled.kernels[..] {
            let [first, second] = [whole(&passes[0]), whole(&passes[1])];
            let counters = Region::from(scratch, prepared.counters);
            return self.driver.launch_in_turns(
                stream,
                kernel,
                [&first, &second],
                &words,
                counters,
            );
        }
        for (i, (number, turn)) in turns.turns.order(turns.arrays).enumerate() {
            let (side, lowered) = (&words.passes[number], &passes[number].lowered);
            let mut launch = whole(&passes[number]);
            let place = |(slot, _)| turns.turns.place(slot, turn);
            launch.load.offset += place(lowered.load) * side.load as usize;
            launch.store.offset += place(lowered.store) * side.store as usize;
            let last = turn as u64 + 1 == words.turns;
            launch.lines = if last { side.last_lines } else { side.lines };
            let tiles = launch.lines.div_ceil(lowered.tile_lines);
            launch.blocks = tiles.min(self.geometry().blocks);
            let launched = self
                .driver
                .launch(stream, &compiled.kernels[number], &launch);
            launched.map_err(|error| error.after_launches(i))?;
        }
        Ok(())
    }

    /// Whether the memory begins where the widest accesses want it.
    fn check(
        &self,
        prepared: &Inner<D>,
        bindings: &Bindings<'_, DeviceBuffer<D::Memory>>,
    ) -> Result<bool> {
        match (bindings.input, &prepared.not_in_place) {
            (None, Some(reason)) => {
                return Err(Error::NotInPlace {
                    reason: reason.clone(),
                })
            }
            (Some(_), _) if prepared.writes_input => {
                return Err(Error::Unsupported {
                    what: "running a plan made in place on two buffers".into(),
                    backend: self.name().into(),
                    instead: "build the request without in_place()".into(),
                })
            }
            _ => {}
        }
        let input = bindings.input.unwrap_or(bindings.output);
        let (widest, element) = prepared.alignments();
        let mut aligned = true;
        for (side, buffer, bytes) in [
            (Slot::Input, input, prepared.input_bytes),
            (Slot::Output, &*bindings.output, prepared.output_bytes),
            (Slot::Scratch, &*bindings.scratch, prepared.scratch_bytes),
        ] {
            fits(side, bytes, buffer.bytes)?;
            let address = self.driver.address(&buffer.memory);
            if buffer.bytes == 0 {
                continue;
            }
            aligned &= address.is_multiple_of(widest);
            if !address.is_multiple_of(element) {
                return Err(Error::Unsupported {
                    what: format!("{side} memory at {address:#x}"),
                    backend: self.name().into(),
                    instead: format!(
                        "let it begin at a multiple of {element} bytes, a whole element"
                    ),
                });
            }
        }
        Ok(aligned)
    }

    /// Runs an operation on so many vectors, from `load` to `store`; either is beside `low` parts.
    fn operate(
        &self,
        program: &super::Program,
        [load, store, low]: [&DeviceBuffer<D::Memory>; 3],
        [tables, matrices]: [Option<Region<'_, D::Memory>>; 2],
        lines: u64,
        blocks: u64,
    ) -> Result<()> {
        if lines == 0 {
            return Ok(());
        }
        let launch = Launch {
            load: whole(load),
            store: whole(store),
            extra: Some(whole(low)),
            tables,
            matrices,
            lines,
            scale: 1.0,
            blocks: blocks.clamp(1, self.geometry().blocks),
        };
        let kernel = self.driver.kernel(program)?;
        self.driver
            .launch(self.driver.default_stream(), &kernel, &launch)
    }

    fn vectors(&self, bytes: usize, element: usize, vector: usize) -> Result<u64> {
        let values = bytes / element;
        if vector == 0 || !bytes.is_multiple_of(element) || !values.is_multiple_of(vector) {
            return Err(Error::Unsupported {
                what: format!("{values} values in vectors of {vector}"),
                backend: self.name().into(),
                instead: "give whole vectors of at least one value".into(),
            });
        }
        Ok((values / vector) as u64)
    }

    /// How many split vectors there are, if every buffer holds its part of all.
    fn split_vectors(
        &self,
        vector: usize,
        [hi, lo, exponents]: [&DeviceBuffer<D::Memory>; 3],
        values: &DeviceBuffer<D::Memory>,
    ) -> Result<u64> {
        let lines = self.vectors(hi.bytes, 2, vector)?;
        fits(Slot::Input, hi.bytes, lo.bytes)?;
        fits(Slot::Input, 4 * lines as usize, exponents.bytes)?;
        fits(Slot::Output, 2 * hi.bytes, values.bytes)?;
        Ok(lines)
    }
}

fn fits(side: Slot, expected: usize, got: usize) -> Result<()> {
    match got >= expected {
        true => Ok(()),
        false => Err(Error::BufferTooShort {
            side,
            expected,
            got,
            unit: "bytes",
        }),
    }
}

fn whole<M>(buffer: &DeviceBuffer<M>) -> Region<'_, M> {
    Region::from(&buffer.memory, 0)
}

impl<D: Driver> Backend for DeviceBackend<D> {
    type Buffer = DeviceBuffer<D::Memory>;
    type Prepared = DevicePrepared<D>;

    fn limits(&self) -> &Limits {
        self.driver.limits()
    }

    fn revision(&self) -> String {
        self.driver.revision()
    }

    fn allocate(&self, bytes: usize) -> Result<Self::Buffer> {
        Ok(DeviceBuffer {
            memory: self.driver.allocate(bytes)?,
            bytes,
        })
    }

    fn write(&self, buffer: &mut Self::Buffer, offset: usize, bytes: &[u8]) -> Result<()> {
        fits(
            Slot::Output,
            offset.saturating_add(bytes.len()),
            buffer.bytes,
        )?;
        self.driver.write(&mut buffer.memory, offset, bytes)
    }

    fn read(&self, buffer: &Self::Buffer, offset: usize, bytes: &mut [u8]) -> Result<()> {
        fits(
            Slot::Input,
            offset.saturating_add(bytes.len()),
            buffer.bytes,
        )?;
        self.driver.read(&buffer.memory, offset, bytes)
    }

    fn prepare(&self, plan: &Plan) -> Result<Self::Prepared> {
        plan.made_for(self.limits().backend)?;
        if let Some(prepared) = self.recent(plan) {
            return Ok(prepared);
        }
        // Other threads prepare other plans meanwhile.
        let prepared = Arc::new(Inner::new(&*self.driver, plan, Registers::Enough)?);
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = prepared.wide.constant_bytes;
        if bytes <= RECENT_BYTES {
            recent.push_back(Recent {
                plan: plan.clone(),
                prepared: prepared.clone(),
            });
            bytes = recent.iter().map(|r| r.prepared.wide.constant_bytes).sum();
            while recent.len() > RECENT || bytes > RECENT_BYTES {
                let oldest = recent.pop_front();
                bytes -= oldest.map_or(bytes, |r| r.prepared.wide.constant_bytes);
            }
        }
        Ok(DevicePrepared(prepared))
    }

    fn draft(&self, plan: &Plan) -> Result<Self::Prepared> {
        plan.made_for(self.limits().backend)?;
        if let Some(prepared) = self.recent(plan) {
            return Ok(prepared);
        }
        let prepared = Inner::new(&*self.driver, plan, Registers::AsAsked)?;
        Ok(DevicePrepared(Arc::new(prepared)))
    }

    fn launch(
        &self,
        prepared: &Self::Prepared,
        bindings: Bindings<'_, Self::Buffer>,
    ) -> Result<()> {
        self.launch_on(self.driver.default_stream(), prepared, bindings)
    }

    fn synchronize(&self) -> Result<()> {
        self.driver.synchronize()
    }

    fn split(
        &self,
        values: &Self::Buffer,
        vector: usize,
        hi: &mut Self::Buffer,
        lo: &mut Self::Buffer,
        exponents: &mut Self::Buffer,
    ) -> Result<()> {
        let lines = self.vectors(values.bytes, 4, vector)?;
        fits(Slot::Output, values.bytes / 2, hi.bytes.min(lo.bytes))?;
        fits(Slot::Output, 4 * lines as usize, exponents.bytes)?;
        let program = vector_program("mmafft_split", vector);
        let exponents = [None, Some(whole(exponents))];
        self.operate(
            &program,
            [values, hi, lo],
            exponents,
            lines,
            lines.div_ceil(8),
        )
    }

    fn combine(
        &self,
        hi: &Self::Buffer,
        lo: &Self::Buffer,
        exponents: &Self::Buffer,
        vector: usize,
        values: &mut Self::Buffer,
    ) -> Result<()> {
        let lines = self.split_vectors(vector, [hi, lo, exponents], values)?;
        let program = vector_program("mmafft_combine", vector);
        let exponents = [None, Some(whole(exponents))];
        let blocks = (hi.bytes as u64 / 2).div_ceil(1024);
        self.operate(&program, [hi, values, lo], exponents, lines, blocks)
    }

    fn product(
        &self,
        radix: usize,
        direction: Direction,
        hi: &Self::Buffer,
        lo: &Self::Buffer,
        exponents: &Self::Buffer,
        values: &mut Self::Buffer,
    ) -> Result<()> {
        radix::check_product(radix)?;
        let lines = self.split_vectors(2 * radix, [hi, lo, exponents], values)?;
        let vendor = self.geometry().vendor;
        let inverse = direction == Direction::Inverse;
        let parts = parts(radix, Operand::SplitHalf, true);
        let matrix = matrices::fragments(radix, inverse, vendor, Operand::SplitHalf, parts);
        let mut constants = self.driver.allocate(matrix.len())?;
        self.driver.write(&mut constants, 0, &matrix)?;
        let program = product_program(radix, vendor);
        let tables = [Some(whole(exponents)), Some(Region::from(&constants, 0))];
        self.operate(
            &program,
            [hi, values, lo],
            tables,
            lines,
            lines.div_ceil(64),
        )
    }
}
