//! From a launch in the contract's words to one in the driver's.

use crate::module::Module;
use crate::{refused, Context, Interface, Memory, Stream};
use mmafft_backend_traits::device::{Arguments, Launch, Region, TurnArguments, TurnWords};
use mmafft_backend_traits::{Result, Slot};
use std::sync::Arc;

/// A kernel, loaded on a device; clones are the same kernel.
#[derive(Debug)]
pub struct Kernel<I: Interface>(Arc<Module<I>>);

impl<I: Interface> Clone for Kernel<I> {
    fn clone(&self) -> Self {
        Kernel(self.0.clone())
    }
}

impl<I: Interface> Kernel<I> {
    pub(crate) fn new(module: Arc<Module<I>>) -> Kernel<I> {
        Kernel(module)
    }

    /// Registers of a thread.
    pub fn registers(&self) -> usize {
        self.0.registers()
    }

    /// Bytes of a thread in memory: spilled registers, and arrays indexed at run time.
    pub fn local_bytes(&self) -> usize {
        self.0.local_bytes()
    }

    /// Enqueues a launch of at most `most` blocks, or finds before that it cannot be.
    pub(crate) fn launch(
        &self,
        stream: &Stream<I>,
        launch: &Launch<'_, Memory<I>>,
        most: u64,
    ) -> Result<()> {
        let context = self.0.context();
        let blocks = self.blocks(stream, launch.blocks, most)?;
        let arguments = Arguments::of(launch, |region, side| address(context, region, side))?;
        if blocks == 0 {
            return Ok(());
        }
        self.0.enqueue(stream, blocks, arguments)
    }

    /// Enqueues a launch of two passes that take turns, after their counters are cleared.
    pub(crate) fn launch_in_turns(
        &self,
        stream: &Stream<I>,
        [first, second]: [&Launch<'_, Memory<I>>; 2],
        turns: &TurnWords,
        counters: Region<'_, Memory<I>>,
        most: u64,
    ) -> Result<()> {
        let context = self.0.context();
        let blocks = self.blocks(stream, turns.blocks(), most)?;
        let of = |launch| Arguments::of(launch, |region, side| address(context, region, side));
        let arguments = TurnArguments {
            passes: [of(first)?, of(second)?],
            counters: address(context, counters, Slot::Scratch)?,
            turns: *turns,
        };
        if blocks == 0 {
            return Ok(());
        }
        Memory::clear(context, stream, counters, turns.counter_bytes())?;
        self.0.enqueue(stream, blocks, arguments)
    }

    /// As many blocks as the driver counts, of a stream of the kernel's device.
    fn blocks(&self, stream: &Stream<I>, blocks: u64, most: u64) -> Result<u32> {
        if !stream.belongs(self.0.context()) {
            return Err(refused::<I>(
                "the kernel and the stream are of two devices".into(),
            ));
        }
        match u32::try_from(blocks) {
            Ok(count) if blocks <= most => Ok(count),
            _ => Err(refused::<I>(format!(
                "a launch of {blocks} blocks: at most {most}"
            ))),
        }
    }
}

/// Where a region begins; 0 for one without bytes.
fn address<I: Interface>(
    context: &Context<I>,
    region: Region<'_, Memory<I>>,
    side: Slot,
) -> Result<u64> {
    if !region.memory.belongs(context) {
        return Err(refused::<I>(format!(
            "the {side} is memory of another device"
        )));
    }
    let bytes = region.memory.bytes();
    let rest = bytes.saturating_sub(region.offset);
    Ok(region.memory.part(side, region.offset, rest)?.unwrap_or(0))
}
