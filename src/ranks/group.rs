//! [`Group`]: ranks that transform together, and how long they wait for each other.

use super::communicator::{Communicator, Station};
use super::threads::Threads;
use crate::any::AnyBackend;
use mmafft_backend_traits::{Error, Result};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a rank is waited for, unless [`Group::patience`] says otherwise.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// One rank's end of what joins ranks that transform together. Cheap to clone.
///
/// What is said to be collective all ranks of a group call, in the same order.
#[derive(Debug, Clone)]
pub struct Group {
    joined: Arc<Joined>,
    patience: Duration,
    messages: bool,
}

/// What all clones of a rank's end have in common.
#[derive(Debug)]
struct Joined {
    /// What is the same on every rank. A rank's threads take turns by it, as what joins ranks knows one call of a rank at
    /// a time.
    book: Mutex<Book>,
    communicator: Box<dyn Communicator>,
}

/// What all ranks have counted alike.
#[derive(Debug, Default)]
struct Book {
    /// How many transforms were built.
    built: u64,
    /// Whether the last run failed, behind which devices may still be at work.
    unsettled: bool,
}

/// A collective call of a rank, of one fence or several, between which no other thread of the rank comes.
///
/// Each fence has a name, a transform's number and the fence's own, so that ranks that call different things in their
/// turns all learn it.
pub(crate) struct Turn<'a> {
    group: &'a Group,
    book: MutexGuard<'a, Book>,
    name: [u64; 2],
}

/// Bytes of a fence's name.
const NAME: usize = 16;

impl Group {
    /// Ranks that are threads of this process: one end for each. They share memory, so that an exchange is no copy: what
    /// a rank makes it stores where the others read.
    ///
    /// # Errors
    /// `Empty` of no ranks.
    pub fn threads(ranks: usize) -> Result<Vec<Group>> {
        if ranks == 0 {
            return Err(Error::Empty {
                what: "the number of ranks".into(),
            });
        }
        Ok(Threads::new(ranks).into_iter().map(Group::of).collect())
    }

    /// This process as one of all that `mpiexec` started.
    ///
    /// # Errors
    /// `NotBuilt`: this build leaves MPI out.
    #[cfg(not(all(feature = "mpi", unix)))]
    pub fn mpi() -> Result<Group> {
        Err(Error::NotBuilt {
            backend: "mpi",
            feature: "mpi",
        })
    }

    /// This process as one of a communicator of the caller's.
    ///
    /// # Safety
    /// None is needed: this build leaves MPI out.
    ///
    /// # Errors
    /// `NotBuilt`.
    #[cfg(not(all(feature = "mpi", unix)))]
    pub unsafe fn mpi_from_raw(_: u64) -> Result<Group> {
        Group::mpi()
    }

    /// An identifier of ranks that NCCL is to join.
    ///
    /// # Errors
    /// `NotBuilt`: this build leaves NCCL out.
    #[cfg(not(all(feature = "nccl", unix)))]
    pub fn nccl_id(_: &AnyBackend) -> Result<[u8; 128]> {
        without_nccl()
    }

    /// This rank as one of so many with the same identifier.
    ///
    /// # Errors
    /// `NotBuilt`: this build leaves NCCL out.
    #[cfg(not(all(feature = "nccl", unix)))]
    pub fn nccl(_: &AnyBackend, _: &[u8; 128], _: usize, _: usize) -> Result<Group> {
        without_nccl()
    }

    /// This rank as one of a communicator of the caller's.
    ///
    /// # Safety
    /// None is needed: this build leaves NCCL out.
    ///
    /// # Errors
    /// `NotBuilt`.
    #[cfg(not(all(feature = "nccl", unix)))]
    pub unsafe fn nccl_from_raw(_: &AnyBackend, _: u64) -> Result<Group> {
        without_nccl()
    }

    /// Ranks joined by anything.
    pub fn of(communicator: impl Communicator + 'static) -> Group {
        Group {
            joined: Arc::new(Joined {
                book: Mutex::default(),
                communicator: Box::new(communicator),
            }),
            patience: PATIENCE,
            messages: false,
        }
    }

    /// Waits so long for others at most, then takes them for lost.
    pub fn patience(mut self, patience: Duration) -> Group {
        self.patience = patience;
        self
    }

    /// Exchanges by messages even where ranks share memory, as between hosts. On every rank, or on none.
    pub fn by_messages(mut self) -> Group {
        self.messages = true;
        self
    }

    /// This rank's number.
    pub fn rank(&self) -> usize {
        self.station().rank
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.station().ranks
    }

    /// Which rank this is, and what joins it to the others.
    pub fn station(&self) -> &Station {
        self.joined.communicator.station()
    }

    pub(crate) fn waits(&self) -> Duration {
        self.patience
    }

    pub(crate) fn takes_memory_of(&self, backend: &AnyBackend) -> Result<bool> {
        let devices = self.joined.communicator.on_device();
        devices.map_or(Ok(false), |devices| devices.takes_memory_of(backend))
    }

    pub(crate) fn has_messages_alone(&self) -> bool {
        self.messages
    }

    /// The turn of a run of the transform that has this number; 0 of calls that are none's.
    pub(crate) fn turn(&self, transform: u64) -> Turn<'_> {
        let book = self.joined.book.lock();
        Turn {
            group: self,
            book: book.unwrap_or_else(PoisonError::into_inner),
            name: [transform, 0],
        }
    }

    /// The turn that builds the next transform.
    pub(crate) fn turn_to_build(&self) -> Turn<'_> {
        let mut turn = self.turn(0);
        turn.name[0] = turn.book.built + 1;
        turn
    }

    /// Some bytes of every rank to every rank.
    ///
    /// # Errors
    /// `Lost` where a rank does not come in time; `Disagree` on every rank where one builds or runs a transform instead.
    pub fn agree(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.turn(0).agree(mine)
    }

    /// Collective: what all ranks could do, or the first error of any on every rank.
    ///
    /// # Errors
    /// This rank's own; else `OtherRank` with the first one's that has any; else those of [`Group::agree`].
    pub fn all<T>(&self, mine: Result<T>) -> Result<T> {
        self.turn(0).all(mine)
    }

    /// Collective: checks that all ranks say the same of something.
    ///
    /// # Errors
    /// `Disagree` on every rank where one says another thing; else those of [`Group::agree`].
    pub fn same(&self, what: &str, mine: &str) -> Result<()> {
        self.turn(0).same(what, mine)
    }
}

#[cfg(not(all(feature = "nccl", unix)))]
fn without_nccl<T>() -> Result<T> {
    Err(Error::NotBuilt {
        backend: "nccl",
        feature: "nccl",
    })
}

impl Turn<'_> {
    /// What joins the ranks, for calls between two fences of this turn.
    pub fn communicator(&self) -> &dyn Communicator {
        self.group.joined.communicator.as_ref()
    }

    /// Counts the transform that was built, and returns its number. Only where every rank has it, so that all count alike.
    pub fn count(mut self) -> u64 {
        self.book.built += 1;
        self.book.built
    }

    /// Begins a run: whether the one before failed, so that ranks wait for their devices and for each other first. If this
    /// one does not end well, the next one hears of it.
    pub fn begin(&mut self) -> bool {
        std::mem::replace(&mut self.book.unsettled, true)
    }

    /// The fence that opens a run, by a name of its own: ranks that have counted otherwise disagree there.
    pub fn open<T>(&mut self, mine: Result<T>) -> Result<T> {
        self.name[1] = u64::MAX;
        self.all(mine)
    }

    /// Ends a run well.
    pub fn end(mut self) {
        self.book.unsettled = false;
    }

    pub fn agree(&mut self, mine: &[u8]) -> Result<Vec<Vec<u8>>> {
        let mut said = self.name.map(u64::to_le_bytes).as_flattened().to_vec();
        self.name[1] = self.name[1].wrapping_add(1);
        said.extend_from_slice(mine);
        let all = self.communicator().agree(&said, self.group.patience)?;
        // What has no name is of a communicator's own making, and of another call.
        let split = |said: &Vec<u8>| {
            let (name, rest) = said.split_at(NAME.min(said.len()));
            (name.to_vec(), rest.to_vec())
        };
        let (names, all): (Vec<_>, Vec<_>) = all.iter().map(split).unzip();
        let same = self.check_same("which transform runs", &names, call);
        // Every rank hears of it, also one whose own call was no run.
        self.book.unsettled |= same.is_err();
        same.map(|()| all)
    }

    pub fn all<T>(&mut self, mine: Result<T>) -> Result<T> {
        // An error's words may be none.
        let said = match &mine {
            Ok(_) => Vec::new(),
            Err(error) => format!("{error} ").into_bytes(),
        };
        let all = match (self.agree(&said), mine) {
            (_, Err(error)) => return Err(error),
            (Err(lost), Ok(_)) => return Err(lost),
            (Ok(all), Ok(mine)) => (all, mine),
        };
        match all.0.iter().position(|said| !said.is_empty()) {
            None => Ok(all.1),
            Some(rank) => Err(Error::OtherRank {
                rank,
                reason: String::from_utf8_lossy(&all.0[rank]).trim().into(),
            }),
        }
    }

    pub fn same(&mut self, what: &str, mine: &str) -> Result<()> {
        let all = self.agree(mine.as_bytes())?;
        self.check_same(what, &all, |said| {
            String::from_utf8_lossy(said).into_owned()
        })
    }

    /// `Disagree` on every rank, where not all have said the same.
    fn check_same(
        &self,
        what: &str,
        all: &[Vec<u8>],
        words: impl Fn(&[u8]) -> String,
    ) -> Result<()> {
        let own = &all[self.group.rank()];
        // Those that agree with rank 0 name the first that does not, the others rank 0.
        let other = match *own == all[0] {
            true => all.iter().position(|other| other != own),
            false => Some(0),
        };
        match other {
            None => Ok(()),
            Some(rank) => Err(Error::Disagree {
                rank,
                what: what.into(),
                here: words(own),
                there: words(&all[rank]),
            }),
        }
    }
}

/// The call that a fence's name is of, in words.
fn call(name: &[u8]) -> String {
    let number = |at: usize| {
        let bytes = name.get(at..at + 8)?.try_into().ok()?;
        Some(u64::from_le_bytes(bytes))
    };
    match (number(0), number(8)) {
        (Some(0), _) => "none".into(),
        (Some(transform), Some(fence)) => format!("number {transform} at fence {fence}"),
        _ => "one that exchanges messages".into(),
    }
}
