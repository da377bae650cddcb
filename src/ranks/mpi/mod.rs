//! Ranks that are processes, joined by MPI, which is opened at run time.
//!
//! Every call that may wait is a non-blocking one, tested until it is done or the deadline is over: a rank that is gone is
//! an error, not a hang. Ranks of one host share memory ([`shared`]), so that MPI has but fences to carry; between hosts
//! it carries messages.
//!
//! The file is long because joining, fences and messages share what a deadline ends.

mod calls;
mod device;
mod shared;

use super::communicator::{Communicator, Messages, OnDevice, Shared, Station, Wanted};
use super::group::Group;
use crate::any::AnyBackend;
use calls::{Calls, Handle};
use mmafft_backend_traits::{Error, Result};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{fence, AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// What a rank says to all in one go: a length, and so many bytes at most.
const CARD: usize = 256;

/// Bytes a second between hosts, as a network of 200 Gbit/s has them.
const NETWORK: f64 = 23e9;

/// Bytes a second that any network between hosts has.
const SLOW: f64 = 1e8;

/// One process of several.
#[derive(Debug)]
pub struct Mpi {
    station: Station,
    session: Arc<Session>,
    communicator: Raw,
    /// Whether the library takes memory of NVIDIA's devices, and of AMD's.
    takes_memory: [bool; 2],
    /// Set for good when a rank is lost.
    lost: Mutex<Option<Error>>,
}

/// A handle.
#[derive(Debug, Clone, Copy)]
struct Raw(Handle);

// SAFETY: a handle is only a name; which threads may call at once is what the session asked for.
unsafe impl Send for Raw {}
// SAFETY: as above.
unsafe impl Sync for Raw {}

/// An MPI that is initialised.
struct Session {
    calls: &'static Calls,
    /// Whether a rank was lost, without which nothing is finalised.
    lost: AtomicBool,
    /// One call at a time, where the library lets no threads call at once.
    turn: Mutex<()>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Session({})", self.calls.version)
    }
}

/// Whether MPI is ours to finalise, by the last session.
static OURS: AtomicBool = AtomicBool::new(false);

/// The session of this process.
static SESSION: Mutex<Weak<Session>> = Mutex::new(Weak::new());

fn no_engine(reason: String) -> Error {
    Error::NoEngine {
        engine: "MPI",
        reason,
        remedy: "install one that has the standard ABI of MPI 5 (PyPI's mpich) or Open MPI 4 or 5, name it in \
                 MMAFFT_MPI if it is nowhere that the system looks, and start the ranks by its mpiexec"
            .into(),
    }
}

impl Session {
    fn get() -> Result<Arc<Session>> {
        let mut session = SESSION.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = session.upgrade() {
            return Ok(session);
        }
        let calls = calls::open().map_err(no_engine)?;
        let (mut initialized, mut finalized) = (0, 0);
        // SAFETY: both may be asked at any time.
        unsafe {
            (calls.initialized)(&mut initialized);
            (calls.finalized)(&mut finalized);
        }
        if finalized != 0 {
            return Err(no_engine(
                "MPI was finalised, and begins no second time".into(),
            ));
        }
        if initialized == 0 {
            let mut provided = 0;
            let none: *mut c_void = std::ptr::null_mut();
            // SAFETY: the standard allows null for both arguments of the program.
            let status = unsafe {
                (calls.init_thread)(none.cast(), none.cast(), calls.multiple, &mut provided)
            };
            if status != 0 {
                return Err(no_engine(calls.error(status)));
            }
            OURS.store(true, Ordering::Relaxed);
        }
        let new = Arc::new(Session {
            calls,
            lost: AtomicBool::new(false),
            turn: Mutex::default(),
        });
        *session = Arc::downgrade(&new);
        Ok(new)
    }

    /// Whether MPI was ended, by whoever began it: then nothing else of it may be called.
    fn is_over(&self) -> bool {
        let mut finalized = 0;
        // SAFETY: it may be asked at any time.
        unsafe { (self.calls.finalized)(&mut finalized) };
        finalized != 0
    }

    /// What a call returned, as an error of the library where it is one.
    fn check(&self, status: c_int) -> Result<()> {
        match status {
            0 => Ok(()),
            status => Err(Error::Device {
                backend: "MPI".into(),
                message: self.calls.error(status),
                output_touched: false,
            }),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let session = SESSION.lock().unwrap_or_else(PoisonError::into_inner);
        if self.lost.load(Ordering::Relaxed) || std::thread::panicking() {
            OURS.store(false, Ordering::Relaxed);
        }
        // Another may have begun since the last end of this one was dropped, and ends MPI itself.
        let last = session.strong_count() == 0;
        if last && OURS.load(Ordering::Relaxed) && !self.is_over() {
            // SAFETY: nobody else has the session, and every rank comes here.
            unsafe { (self.calls.finalize)() };
        }
    }
}

impl Group {
    /// This process as one of all that `mpiexec` started, through whichever MPI there is: the standard ABI of MPI 5, or
    /// Open MPI. MPI is initialised if it is not, and finalised with the last group then.
    ///
    /// # Errors
    /// `NoEngine` where no MPI can be opened or begun.
    pub fn mpi() -> Result<Group> {
        let session = Session::get()?;
        let world = session.calls.world;
        // SAFETY: the library's own handle.
        unsafe { Mpi::over(session, world) }.map(Group::of)
    }

    /// This process as one of a communicator of the caller's, an `MPI_Comm` as a number. It is duplicated, so that messages
    /// of the caller's are never mistaken for ours; collective over it.
    ///
    /// # Safety
    /// The handle is a communicator of the MPI that this process has open, which is initialised.
    ///
    /// # Errors
    /// `NoEngine` where that MPI has neither the standard ABI of MPI 5 nor Open MPI's handles.
    pub unsafe fn mpi_from_raw(communicator: u64) -> Result<Group> {
        let session = Session::get()?;
        // SAFETY: the caller's.
        unsafe { Mpi::over(session, communicator as usize as Handle) }.map(Group::of)
    }
}

impl Mpi {
    /// # Safety
    /// `of` is a communicator of the session's library.
    unsafe fn over(session: Arc<Session>, of: Handle) -> Result<Mpi> {
        let calls = session.calls;
        let mut own: Handle = std::ptr::null_mut();
        let (mut rank, mut ranks) = (0, 0);
        // SAFETY: the caller's; results are written to variables of their types.
        unsafe {
            session.check((calls.comm_dup)(of, &mut own))?;
            session.check((calls.comm_set_errhandler)(own, calls.errors_return))?;
            session.check((calls.comm_rank)(own, &mut rank))?;
            session.check((calls.comm_size)(own, &mut ranks))?;
        }
        Ok(Mpi {
            station: Station {
                rank: rank as usize,
                ranks: ranks as usize,
                engine: calls.version.clone(),
                bytes_per_second: NETWORK,
            },
            session,
            communicator: Raw(own),
            // SAFETY: the library is initialised.
            takes_memory: calls
                .takes_memory
                .map(|query| query.is_some_and(|query| unsafe { query() } != 0)),
            lost: Mutex::default(),
        })
    }

    fn lost(&self) -> std::sync::MutexGuard<'_, Option<Error>> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts an operation and waits until it is done.
    ///
    /// # Errors
    /// `Lost` when the time is over; the operation is under way still, and what it writes to must stay.
    fn wait(
        &self,
        patience: Duration,
        start: impl FnOnce(&Calls, *mut Handle) -> c_int,
    ) -> Result<()> {
        self.wait_for(1, patience, |calls, requests| {
            start(calls, &mut requests[0])
        })
    }

    /// The same of so many operations, none of which is to be done before another.
    fn wait_for(
        &self,
        operations: usize,
        patience: Duration,
        start: impl FnOnce(&Calls, &mut [Handle]) -> c_int,
    ) -> Result<()> {
        if let Some(lost) = self.lost().as_ref() {
            return Err(lost.clone());
        }
        if self.session.is_over() {
            let waited = Duration::ZERO;
            return self.end(Err(Error::Lost { rank: None, waited }));
        }
        let calls = self.session.calls;
        let mut requests: Vec<Handle> = vec![std::ptr::null_mut(); operations];
        let turn = || {
            let turn = self.session.turn.lock();
            turn.unwrap_or_else(PoisonError::into_inner)
        };
        let started = {
            let _turn = turn();
            start(calls, &mut requests)
        };
        self.end(self.session.check(started))?;
        let since = Instant::now();
        for tries in 0u64.. {
            while let Some(request) = requests.last_mut() {
                let mut done = 0;
                let tested = {
                    let _turn = turn();
                    // SAFETY: the request is the operation's; a null status is ignored, by both tables.
                    unsafe { (calls.test)(request, &mut done, std::ptr::null_mut()) }
                };
                self.end(self.session.check(tested))?;
                if done == 0 {
                    break;
                }
                requests.pop();
            }
            if requests.is_empty() {
                break;
            }
            let waited = since.elapsed();
            if waited >= patience {
                return self.end(Err(Error::Lost { rank: None, waited }));
            }
            // Others may need the core to come here.
            match tries {
                0..1000 => std::hint::spin_loop(),
                _ if waited < Duration::from_millis(20) => std::thread::yield_now(),
                _ => std::thread::sleep(Duration::from_micros(50)),
            }
        }
        // What other ranks stored in shared memory before is seen behind.
        fence(Ordering::SeqCst);
        Ok(())
    }

    /// What all ranks have counted, where it fits on all: counts that do not are the same on no two ranks.
    fn counted<T>(&self, counted: Result<T>, patience: Duration) -> Result<T> {
        let fits = self.agree(&[u8::from(counted.is_err())], patience)?;
        let counted = counted?;
        match fits.iter().position(|said| said != &[0]) {
            None => Ok(counted),
            Some(rank) => Err(Error::OtherRank {
                rank,
                reason: "its messages are not made, or have more points than MPI counts".into(),
            }),
        }
    }

    /// A type of points of so many bytes, for an exchange.
    fn points_of(&self, bytes: usize) -> Result<Handle> {
        let calls = self.session.calls;
        let size = count(bytes, "bytes of a point")?;
        let mut point: Handle = std::ptr::null_mut();
        // SAFETY: a type of so many bytes is made.
        unsafe {
            let made = (calls.type_contiguous)(size, calls.byte, &mut point);
            self.session.check(made)?;
            self.session.check((calls.type_commit)(&mut point))?;
        }
        Ok(point)
    }

    /// The end of the group, where an operation has failed: ranks are no more in step.
    fn end(&self, result: Result<()>) -> Result<()> {
        if let Err(error) = &result {
            self.session.lost.store(true, Ordering::Relaxed);
            *self.lost() = Some(error.clone());
        }
        result
    }

    /// So many bytes of every rank, one behind the other.
    fn gather(&self, mine: &[u8], patience: Duration) -> Result<Vec<u8>> {
        let count = count(mine.len(), "bytes to agree on")?;
        // Both stay where a rank is lost, as the operation may still write.
        let mine = Box::leak(mine.to_vec().into_boxed_slice());
        let all = vec![0u8; mine.len() * self.station.ranks].into_boxed_slice();
        let all = Box::leak(all);
        fence(Ordering::SeqCst);
        let (communicator, from, to) = (self.communicator.0, mine.as_ptr(), all.as_mut_ptr());
        self.wait(patience, |calls, request| {
            let byte = calls.byte;
            // SAFETY: both memories have the bytes that are counted, and stay.
            unsafe {
                (calls.iallgather)(
                    from.cast(),
                    count,
                    byte,
                    to.cast(),
                    count,
                    byte,
                    communicator,
                    request,
                )
            }
        })?;
        // SAFETY: leaked above, and the operation is done.
        let (_, all) = unsafe { (Box::from_raw(mine), Box::from_raw(all)) };
        Ok(all.into_vec())
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        // Collective: where a rank is lost, nobody frees.
        let lost = self.session.lost.load(Ordering::Relaxed) || std::thread::panicking();
        if !lost && !self.session.is_over() {
            // SAFETY: the communicator is ours, and nothing is under way on it.
            unsafe { (self.session.calls.comm_free)(&mut self.communicator.0) };
        }
    }
}

/// What bytes may take on their way, which is no rank that is late.
fn way(bytes: usize) -> Duration {
    Duration::from_secs_f64(bytes as f64 / SLOW)
}

/// A count as MPI takes it.
fn count(n: usize, what: &str) -> Result<c_int> {
    c_int::try_from(n).map_err(|_| Error::Overflow {
        what: format!("{n} {what}"),
    })
}

// SAFETY: the number is the library's of this process, and its collective operations end on no rank before all have come.
unsafe impl Communicator for Mpi {
    fn station(&self) -> &Station {
        &self.station
    }

    fn agree(&self, mine: &[u8], patience: Duration) -> Result<Vec<Vec<u8>>> {
        let mut card = [0u8; CARD];
        card[..8].copy_from_slice(&(mine.len() as u64).to_le_bytes());
        let short = mine.len().min(CARD - 8);
        card[8..8 + short].copy_from_slice(&mine[..short]);
        let all = self.gather(&card, patience)?;
        let length = |card: &[u8]| {
            let bytes: [u8; 8] = card[..8].try_into().unwrap_or_default();
            u64::from_le_bytes(bytes) as usize
        };
        let lengths: Vec<usize> = all.chunks_exact(CARD).map(length).collect();
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let (rows, size) = match longest <= CARD - 8 {
            true => (all, CARD),
            false => {
                let mut padded = mine.to_vec();
                padded.resize(longest, 0);
                (self.gather(&padded, patience)?, longest)
            }
        };
        let start = if size == CARD && longest <= CARD - 8 {
            8
        } else {
            0
        };
        let rows = rows.chunks_exact(size).zip(&lengths);
        Ok(rows
            .map(|(row, &length)| row[start..start + length].to_vec())
            .collect())
    }

    fn window(
        &self,
        backend: &AnyBackend,
        wanted: &Wanted<'_>,
        patience: Duration,
    ) -> Result<Shared> {
        let on_host = matches!(backend, AnyBackend::Cpu(_) | AnyBackend::Emulated(_));
        shared::window(self, on_host, wanted.bytes, patience)
    }

    fn exchange(&self, messages: &mut Messages<'_>, patience: Duration) -> Result<()> {
        let counts = |bytes: &[usize]| -> Result<(Vec<c_int>, Vec<c_int>)> {
            let (mut counts, mut places, mut at) = (Vec::new(), Vec::new(), 0);
            for &bytes in bytes {
                counts.push(count(bytes / messages.point, "points to a rank")?);
                places.push(count(at, "points before a rank's")?);
                at += bytes / messages.point;
            }
            Ok((counts, places))
        };
        let counted = counts(messages.to).and_then(|to| Ok((to, counts(messages.from)?)));
        let ((to, to_places), (from, from_places)) = self.counted(counted, patience)?;
        let mut point = self.points_of(messages.point)?;
        // They stay where a rank is lost.
        let lists = Box::leak(Box::new([to, to_places, from, from_places]));
        let (sent, received) = (messages.sent.as_ptr(), messages.received.as_mut_ptr());
        let communicator = self.communicator.0;
        let patience = patience.saturating_add(way(messages.sent.len() + messages.received.len()));
        self.wait(patience, |calls, request| {
            let [to, to_places, from, from_places] = &*lists;
            let (sent, received): (*const c_void, *mut c_void) = (sent.cast(), received.cast());
            // SAFETY: the counts are those of the messages; on an error the caller frees neither memory.
            unsafe {
                (calls.ialltoallv)(
                    sent,
                    to.as_ptr(),
                    to_places.as_ptr(),
                    point,
                    received,
                    from.as_ptr(),
                    from_places.as_ptr(),
                    point,
                    communicator,
                    request,
                )
            }
        })?;
        // SAFETY: leaked above, and the exchange is done with both.
        unsafe {
            drop(Box::from_raw(lists));
            self.session
                .check((self.session.calls.type_free)(&mut point))
        }
    }

    fn on_device(&self) -> Option<&dyn OnDevice> {
        Some(self)
    }
}
