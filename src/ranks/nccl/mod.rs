//! Ranks on a device each, joined by NCCL or RCCL, which is opened at run time.
//!
//! Messages go from device to device, enqueued behind what packs them. What ranks agree on goes the same way on a stream
//! of its own, so that nothing else need join them once they have a communicator. No call blocks: each is asked until it
//! is done, or the deadline is over and a communicator of our own is aborted.
//!
//! The file is long because what ends a communicator stands beside every call that may.

mod calls;
mod device;

use super::communicator::{Communicator, Letters, Messages, OnDevice, Shared, Station, Wanted};
use super::group::{Group, PATIENCE};
use super::peers::memory_of;
use crate::any::AnyBackend;
use calls::{Calls, Config, Id, Pointer, BYTES, IN_PROGRESS, REMOTE_ERROR, SUCCESS};
use device::Device;
use mmafft_backend_traits::{Backend, Error, Result};
use std::ffi::{c_int, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of an identifier.
pub const ID: usize = 128;

/// What a rank says to all in one go: a length, and so many bytes at most.
const CARD: usize = 512;

/// How long a rank that leaves waits for the others to leave too, before it aborts.
const LEAVING: Duration = Duration::from_secs(10);

/// About the bytes a second that a rank sends to others by NVLink.
const LINK: f64 = 3.3e11;

/// A rank of a communicator.
pub struct Nccl {
    station: Station,
    calls: &'static Calls,
    communicator: Pointer,
    /// Whether the communicator is to be destroyed here.
    own: bool,
    device: Mutex<Box<dyn Device>>,
    /// The memory of that device, in words.
    memory: String,
    /// Set for good when a rank is lost.
    lost: Mutex<Option<Error>>,
}

// SAFETY: NCCL lets any thread call, one at a time, which the group sees to.
unsafe impl Send for Nccl {}
// SAFETY: as above.
unsafe impl Sync for Nccl {}

impl std::fmt::Debug for Nccl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Nccl({:?})", self.station)
    }
}

impl Group {
    /// An identifier of ranks that NCCL is to join. One rank makes it and gives it to the others, by whatever joins them
    /// before: MPI, a file, a store of PyTorch's.
    ///
    /// # Errors
    /// `NoEngine` where the backend's library cannot be opened; `Device` with its words.
    pub fn nccl_id(backend: &AnyBackend) -> Result<[u8; ID]> {
        let calls = calls::open(backend.limits().backend)?;
        let mut id = Id([0; ID]);
        // SAFETY: writes one identifier.
        let status = unsafe { (calls.get_unique_id)(&mut id) };
        check(calls, "ncclGetUniqueId", status)?;
        Ok(id.0)
    }

    /// This rank, a process or a thread, as one of so many with the same identifier: each on a device of its own, which
    /// is the backend's. Collective. RCCL joins AMD's devices.
    ///
    /// # Errors
    /// `NoEngine` where the library cannot be opened; `Unsupported` on the CPU; `Lost` where a rank does not come within a
    /// minute; `Device` with the library's words.
    pub fn nccl(backend: &AnyBackend, id: &[u8; ID], rank: usize, ranks: usize) -> Result<Group> {
        if rank >= ranks {
            return Err(Error::Spread {
                reason: format!("rank {rank} of {ranks}, which count from 0"),
            });
        }
        let calls = calls::open(backend.limits().backend)?;
        let device = device::of(backend)?;
        let (mut communicator, mut config) = (std::ptr::null_mut(), Config::not_blocking());
        let mut status = SUCCESS;
        device.within(&mut || {
            let [ranks, rank] = [ranks, rank].map(|n| c_int::try_from(n).unwrap_or(c_int::MAX));
            // SAFETY: writes one communicator; the configuration is read before it returns.
            status =
                unsafe { (calls.init_rank)(&mut communicator, ranks, Id(*id), rank, &mut config) };
        })?;
        let device = (device, memory_of(backend));
        let joined = Nccl::new(calls, communicator, true, device, [rank, ranks]);
        joined.wait("ncclCommInitRankConfig", status, PATIENCE)?;
        Ok(Group::of(joined))
    }

    /// This rank as one of a communicator of the caller's, an `ncclComm_t` as a number, whose device is the backend's. The
    /// caller keeps it, and calls it in the same order on all ranks, as it does the group's collective calls.
    ///
    /// # Safety
    /// The communicator is of the library that this process has open, was made not to block (`blocking = 0`, or calls wait
    /// for other ranks past the group's patience), outlives the group, and is called by nobody else during its calls. After
    /// `Lost` the caller aborts it.
    ///
    /// # Errors
    /// As [`Group::nccl`].
    pub unsafe fn nccl_from_raw(backend: &AnyBackend, communicator: u64) -> Result<Group> {
        let calls = calls::open(backend.limits().backend)?;
        let communicator = communicator as usize as Pointer;
        let (mut rank, mut ranks) = (0, 0);
        // SAFETY: the caller's; each writes one int.
        unsafe {
            check(
                calls,
                "ncclCommUserRank",
                (calls.rank)(communicator, &mut rank),
            )?;
            check(
                calls,
                "ncclCommCount",
                (calls.count)(communicator, &mut ranks),
            )?;
        }
        let device = (device::of(backend)?, memory_of(backend));
        let place = [rank as usize, ranks as usize];
        Ok(Group::of(Nccl::new(
            calls,
            communicator,
            false,
            device,
            place,
        )))
    }
}

/// What a call returned, as an error of the library where it is one; `Lost` where another rank has ended.
fn check(calls: &Calls, call: &str, status: c_int) -> Result<()> {
    match status {
        SUCCESS | IN_PROGRESS => Ok(()),
        REMOTE_ERROR => Err(Error::Lost {
            rank: None,
            waited: Duration::ZERO,
        }),
        status => Err(Error::Device {
            backend: "NCCL".into(),
            message: format!("{call}: {}", calls.error(status)),
            output_touched: false,
        }),
    }
}

impl Nccl {
    fn new(
        calls: &'static Calls,
        communicator: Pointer,
        own: bool,
        (device, memory): (Box<dyn Device>, String),
        [rank, ranks]: [usize; 2],
    ) -> Nccl {
        Nccl {
            station: Station {
                rank,
                ranks,
                engine: calls.version.clone(),
                bytes_per_second: LINK,
            },
            calls,
            communicator,
            own,
            device: Mutex::new(device),
            memory,
            lost: Mutex::default(),
        }
    }

    fn lost(&self) -> MutexGuard<'_, Option<Error>> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn device(&self) -> MutexGuard<'_, Box<dyn Device>> {
        self.device.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a call that has returned this is under way on the device.
    fn wait(&self, call: &str, status: c_int, patience: Duration) -> Result<()> {
        let since = Instant::now();
        let mut result = check(self.calls, call, status).map(|()| false);
        while let Ok(false) = result {
            result = self.is_under_way(call);
            let waited = since.elapsed();
            if let Ok(false) = result {
                match waited >= patience {
                    true => result = Err(Error::Lost { rank: None, waited }),
                    false => std::thread::yield_now(),
                }
            }
        }
        self.end(result.map(drop))
    }

    /// Whether all that was called is, or is done.
    fn is_under_way(&self, call: &str) -> Result<bool> {
        let mut state = SUCCESS;
        // SAFETY: the communicator is there; writes one status.
        let asked = unsafe { (self.calls.async_error)(self.communicator, &mut state) };
        check(self.calls, call, asked).and(check(self.calls, call, state))?;
        Ok(state != IN_PROGRESS)
    }

    /// Ends the communicator, where a call has failed: ranks are no more in step.
    fn end<T>(&self, result: Result<T>) -> Result<T> {
        let Err(error) = &result else {
            return result;
        };
        let mut lost = self.lost();
        if lost.is_none() {
            *lost = Some(error.clone());
            if self.own {
                self.abort();
            }
        }
        result
    }

    /// Aborts the communicator on a thread of its own, as it may wait for ranks that do not come.
    fn abort(&self) {
        struct Sent(Pointer);
        // SAFETY: nobody else calls with it any more.
        unsafe impl Send for Sent {}
        if self.communicator.is_null() {
            return;
        }
        let (calls, sent) = (self.calls, Sent(self.communicator));
        let abort = move || {
            let Sent(communicator) = { sent };
            // SAFETY: once, as the communicator is lost from now on.
            unsafe { (calls.abort)(communicator) }
        };
        // Without a thread the memory of a lost communicator stays.
        let _ = std::thread::Builder::new().spawn(abort);
    }

    fn is_lost(&self) -> Result<()> {
        self.lost()
            .as_ref()
            .map_or(Ok(()), |lost| Err(lost.clone()))
    }

    /// So many bytes of every rank, one behind the other. Whatever fails leaves ranks at different calls, and ends all.
    fn gather(&self, mine: &[u8], patience: Duration) -> Result<Vec<u8>> {
        self.is_lost()?;
        self.end(self.gathered(mine, patience))
    }

    fn gathered(&self, mine: &[u8], patience: Duration) -> Result<Vec<u8>> {
        let since = Instant::now();
        let mut device = self.device();
        let [from, to] = device.put(mine, self.station.ranks)?;
        let talk = device.talk() as usize as Pointer;
        let mut status = SUCCESS;
        device.within(&mut || {
            let (from, to) = (from as usize as *const c_void, to as usize as *mut c_void);
            // SAFETY: both memories have the bytes that are counted, and stay until all is done, or for good.
            status = unsafe {
                (self.calls.all_gather)(from, to, mine.len(), BYTES, self.communicator, talk)
            };
        })?;
        self.wait("ncclAllGather", status, patience)?;
        while !device.has_talked()? {
            let waited = since.elapsed();
            self.is_under_way("ncclAllGather")?;
            if waited >= patience {
                return Err(Error::Lost { rank: None, waited });
            }
            std::thread::yield_now();
        }
        let mut all = vec![0; mine.len() * self.station.ranks];
        device.get(&mut all)?;
        Ok(all)
    }
}

impl Drop for Nccl {
    fn drop(&mut self) {
        // What is lost was aborted.
        if !self.own || self.communicator.is_null() || self.lost().is_some() {
            return;
        }
        if std::thread::panicking() {
            self.abort();
            return;
        }
        // To be destroyed all ranks have to come; one that does not is not waited for.
        let mut status = SUCCESS;
        let entered = self.device().within(&mut || {
            // SAFETY: ours; nothing that is under way is waited for.
            status = unsafe { (self.calls.finalize)(self.communicator) };
        });
        let left = entered.and_then(|()| self.wait("ncclCommFinalize", status, LEAVING));
        if left.is_ok() {
            let destroy = &mut || {
                // SAFETY: finalized, and called by nobody else.
                unsafe { (self.calls.destroy)(self.communicator) };
            };
            let _ = self.device().within(destroy);
        }
    }
}

// SAFETY: the number is the communicator's, and a gathering ends on no rank before all have come.
unsafe impl Communicator for Nccl {
    fn station(&self) -> &Station {
        &self.station
    }

    fn agree(&self, mine: &[u8], patience: Duration) -> Result<Vec<Vec<u8>>> {
        const LENGTH: usize = 8;
        let card = |rest: &[u8], size: usize| {
            let mut card = (mine.len() as u64).to_le_bytes().to_vec();
            card.extend_from_slice(rest);
            card.resize(size, 0);
            card
        };
        let short = &mine[..mine.len().min(CARD - LENGTH)];
        let mut all = self.gather(&card(short, CARD), patience)?;
        let lengths = all.chunks_exact(CARD).map(|card| {
            let bytes: [u8; LENGTH] = card[..LENGTH].try_into().unwrap_or_default();
            u64::from_le_bytes(bytes) as usize
        });
        let lengths: Vec<usize> = lengths.collect();
        let longest = lengths.iter().max().map_or(0, |&n| n + LENGTH);
        let size = longest.max(CARD);
        if size > CARD {
            all = self.gather(&card(mine, size), patience)?;
        }
        let cards = all.chunks_exact(size).zip(&lengths);
        Ok(cards
            .map(|(card, &length)| card[LENGTH..LENGTH + length].to_vec())
            .collect())
    }

    fn window(&self, _: &AnyBackend, _: &Wanted<'_>, _: Duration) -> Result<Shared> {
        Ok(Shared::Apart("NCCL carries messages".into()))
    }

    fn exchange(&self, _: &mut Messages<'_>, _: Duration) -> Result<()> {
        Err(Error::Unsupported {
            what: "messages in host memory".into(),
            backend: "NCCL".into(),
            instead: "join the ranks by MPI".into(),
        })
    }

    fn give_up(&self, waited: Duration) {
        let _ = self.end::<()>(Err(Error::Lost { rank: None, waited }));
    }

    fn on_device(&self) -> Option<&dyn OnDevice> {
        Some(self)
    }
}

// SAFETY: what is enqueued next on the work's stream comes behind what was received there.
unsafe impl OnDevice for Nccl {
    fn takes_memory_of(&self, backend: &AnyBackend) -> Result<bool> {
        let own = memory_of(backend);
        match own == self.memory {
            true => Ok(true),
            false => Err(Error::Unsupported {
                what: format!(
                    "memory of {own} between ranks that were joined on {}",
                    self.memory
                ),
                backend: self.station.engine.clone(),
                instead: "plan on that device".into(),
            }),
        }
    }

    fn exchange(
        &self,
        backend: &AnyBackend,
        letters: &Letters<'_>,
        patience: Duration,
    ) -> Result<()> {
        self.is_lost()?;
        let device = self.device();
        // The transform's own stream, which another opening of the device has not.
        let work = device::work_of(backend) as usize as Pointer;
        let (calls, ranks) = (self.calls, self.station.ranks);
        let mut status = ("ncclGroupStart", SUCCESS);
        let mut then = |call: &'static str, next: c_int| {
            if matches!(status.1, SUCCESS | IN_PROGRESS) {
                status = (call, next);
            }
        };
        device
            .within(&mut || {
                // SAFETY: between start and end; addresses and counts are the messages', which stay.
                unsafe {
                    then("ncclGroupStart", (calls.group_start)());
                    // Each rank begins with another, so that all links are busy.
                    for step in 1..ranks {
                        let to = (self.station.rank + step) % ranks;
                        let from = (self.station.rank + ranks - step) % ranks;
                        let before =
                            |bytes: &[usize], rank: usize| bytes[..rank].iter().sum::<usize>();
                        let (out, count) = (before(letters.to, to), letters.to[to]);
                        let (back, coming) = (before(letters.from, from), letters.from[from]);
                        if count > 0 {
                            let at = (letters.sent as usize + out) as *const c_void;
                            let sent = (calls.send)(
                                at,
                                count,
                                BYTES,
                                to as c_int,
                                self.communicator,
                                work,
                            );
                            then("ncclSend", sent);
                        }
                        if coming > 0 {
                            let at = (letters.received as usize + back) as *mut c_void;
                            let came = (calls.recv)(
                                at,
                                coming,
                                BYTES,
                                from as c_int,
                                self.communicator,
                                work,
                            );
                            then("ncclRecv", came);
                        }
                    }
                    then("ncclGroupEnd", (calls.group_end)());
                }
            })
            .or_else(|error| self.end(Err(error)))?;
        self.wait(status.0, status.1, patience)
    }

    fn check(&self) -> Result<()> {
        self.is_lost()?;
        self.end(self.is_under_way("an exchange").map(drop))
    }
}
