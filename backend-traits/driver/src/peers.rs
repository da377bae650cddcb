//! Memory of several devices in one range of addresses.

use crate::calls::{Access, Address, Properties, INVALID_VALUE, NOT_SUPPORTED, OUT_OF_MEMORY};
use crate::{Context, DeviceDriver, Interface, Memory};
use mmafft_backend_traits::device::{Driver, Region};
use mmafft_backend_traits::{Error, Result};
use std::sync::Arc;

/// One range of addresses whose granules lie on several devices, all of which read and write all of it.
///
/// It is unmapped when dropped, once everything that runs on streams of these devices is done.
#[derive(Debug)]
pub struct PeerMemory<I: Interface> {
    contexts: Vec<Arc<Context<I>>>,
    /// The first address, and how many are reserved from there on.
    address: Address,
    reserved: usize,
    /// The memory that is mapped so far, from the first address on.
    mapped: Vec<usize>,
}

impl<I: Interface> PeerMemory<I> {
    /// Memory of at least so many bytes, all zero. `homes` gets the bytes of a granule and says for each one which of the
    /// devices has it; granules that it leaves out are the last one's.
    ///
    /// # Errors
    /// `Unsupported` where the driver has no such memory, or one of the devices does not reach another; `OutOfMemory`;
    /// `Device` with the driver's words.
    pub fn allocate(
        devices: &[DeviceDriver<I>],
        bytes: usize,
        homes: &dyn Fn(usize) -> Vec<usize>,
    ) -> Result<PeerMemory<I>> {
        let Some(first) = devices.first() else {
            return Err(Error::Empty {
                what: "the devices that share memory".into(),
            });
        };
        for device in devices {
            for other in devices {
                if !device.reaches(other)? {
                    let [device, other] = [device, other].map(|d| d.context().number());
                    return Err(Error::Unsupported {
                        what: format!("memory of device {other} that device {device} reads"),
                        backend: I::BACKEND.into(),
                        instead: "exchange messages".into(),
                    });
                }
            }
        }
        let api = first.context().api();
        let peers = api.peers()?;
        let _entered = first.context().enter_beside_capture()?;
        let mut numbers: Vec<_> = devices.iter().map(|d| d.context().number()).collect();
        // Several of them may be one device, which is said once.
        numbers.sort_unstable();
        numbers.dedup();
        let mut granule = 1;
        for &number in &numbers {
            let mut own = 0;
            // SAFETY: writes one size; 0 asks for the least that can be.
            let answer = unsafe { peers.granule(&mut own, &Properties::of(number), 0) };
            if answer.status == NOT_SUPPORTED {
                return Err(Error::Unsupported {
                    what: format!("memory of device {number} at addresses of several"),
                    backend: I::BACKEND.into(),
                    instead: "exchange messages".into(),
                });
            }
            api.check(answer)?;
            granule = granule.max(own);
        }
        let count = bytes.div_ceil(granule).max(1);
        let room = || Error::OutOfMemory {
            backend: I::BACKEND.into(),
            what: "memory over several devices".into(),
            bytes,
        };
        let reserved = count.checked_mul(granule).ok_or_else(room)?;
        let mut address = 0;
        // SAFETY: writes one address; any will do.
        let answer = unsafe { peers.reserve(&mut address, reserved, 0, 0, 0) };
        match answer.status {
            OUT_OF_MEMORY | INVALID_VALUE => return Err(room()),
            _ => api.check(answer)?,
        }
        let mut memory = PeerMemory {
            contexts: devices.iter().map(|d| d.context().clone()).collect(),
            address,
            reserved,
            mapped: Vec::new(),
        };
        let mut homes = homes(granule);
        homes.resize(count, devices.len() - 1);
        let runs: Vec<(usize, usize)> = homes
            .chunk_by(|a, b| a == b)
            .map(|run| (run[0], run.len() * granule))
            .collect();
        let mut at = 0;
        for &(device, bytes) in &runs {
            memory.map(&devices[device], at, bytes)?;
            at += bytes;
        }
        let access: Vec<Access> = numbers.iter().map(|&n| Access::both(n)).collect();
        // SAFETY: all of the range is mapped; the list has so many entries.
        let answer = unsafe { peers.allow(address, reserved, access.as_ptr(), access.len()) };
        api.check(answer)?;
        memory.clear(devices, &runs)?;
        Ok(memory)
    }

    /// Clears all of it, each run by the device that has it.
    fn clear(&self, devices: &[DeviceDriver<I>], runs: &[(usize, usize)]) -> Result<()> {
        let mut at = self.address;
        let enqueued = runs.iter().try_for_each(|&(device, bytes)| {
            let device = &devices[device];
            // SAFETY: the device has the memory as of now, and its stream is waited for before anything can unmap it.
            let own = unsafe { Memory::<I>::from_raw(at, bytes) };
            at += bytes as u64;
            let stream = device.default_stream();
            Memory::clear(device.context(), stream, Region::from(&own, 0), bytes)
        });
        let waited = devices
            .iter()
            .map(|device| device.default_stream().synchronize());
        // All are waited for, whatever has failed.
        waited.fold(enqueued, |result, next| result.and(next))
    }

    /// Maps new memory of a device at a place.
    fn map(&mut self, device: &DeviceDriver<I>, offset: usize, bytes: usize) -> Result<()> {
        let context = device.context();
        let (api, peers) = (context.api(), context.api().peers()?);
        let _entered = context.enter_beside_capture()?;
        let address = self.address + offset as u64;
        let mut handle = 0;
        let properties = Properties::of(context.number());
        // SAFETY: writes one handle.
        let answer = unsafe { peers.create(&mut handle, bytes, &properties, 0) };
        match answer.status {
            OUT_OF_MEMORY | INVALID_VALUE => {
                return Err(Error::OutOfMemory {
                    backend: I::BACKEND.into(),
                    what: "a part of memory over several devices".into(),
                    bytes,
                })
            }
            _ => api.check(answer)?,
        }
        // SAFETY: the addresses are reserved, and nothing is mapped there.
        let mapped = api.check(unsafe { peers.map(address, bytes, 0, handle, 0) });
        if mapped.is_ok() {
            self.mapped.push(bytes);
        }
        // SAFETY: created above. What is mapped stays until it is unmapped.
        let released = api.check(unsafe { peers.release(handle) });
        mapped.and(released)
    }

    /// The address of the first byte, the same for every device.
    pub fn pointer(&self) -> u64 {
        self.address
    }

    /// Bytes that are there.
    pub fn bytes(&self) -> usize {
        self.reserved
    }
}

impl<I: Interface> Drop for PeerMemory<I> {
    fn drop(&mut self) {
        // Whatever device runs something may run it here. An error is one that an earlier launch left.
        for context in &self.contexts {
            if let Ok(entered) = context.enter_to_wait() {
                let _ = context.wait_for_own(&entered);
            }
        }
        let first = &self.contexts[0];
        let (Ok(peers), Ok(_entered)) = (first.api().peers(), first.enter_beside_capture()) else {
            return;
        };
        let mut at = self.address;
        for &bytes in &self.mapped {
            // SAFETY: mapped so, once, and nothing that is under way touches it.
            let _ = unsafe { peers.unmap(at, bytes) };
            at += bytes as u64;
        }
        // SAFETY: reserved once; nothing is mapped there any more.
        let _ = unsafe { peers.free_addresses(self.address, self.reserved) };
    }
}
