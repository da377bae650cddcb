//! [`Group`]: ranks that transform together, and how long they wait for each other.

use super::communicator::{Communicator, Station};
use super::threads::Threads;
use mmafft_backend_traits::{Error, Result};
use std::sync::Arc;
use std::time::Duration;

/// How long a rank is waited for, unless [`Group::patience`] says otherwise.
const PATIENCE: Duration = Duration::from_secs(60);

/// One rank's end of what joins ranks that transform together. Cheap to clone.
///
/// What is said to be collective all ranks of a group call, in the same order.
#[derive(Debug, Clone)]
pub struct Group {
    communicator: Arc<dyn Communicator>,
    patience: Duration,
    messages: bool,
}

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

    /// Ranks joined by anything.
    pub fn of(communicator: impl Communicator + 'static) -> Group {
        Group {
            communicator: Arc::new(communicator),
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
        self.communicator.station()
    }

    pub(crate) fn communicator(&self) -> &dyn Communicator {
        self.communicator.as_ref()
    }

    pub(crate) fn waits(&self) -> Duration {
        self.patience
    }

    pub(crate) fn has_messages_alone(&self) -> bool {
        self.messages
    }

    /// Some bytes of every rank to every rank.
    ///
    /// # Errors
    /// `Lost` where a rank does not come in time.
    pub fn agree(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.communicator.agree(mine, self.patience)
    }

    /// Collective: what all ranks could do, or the first error of any on every rank.
    ///
    /// # Errors
    /// This rank's own; else `OtherRank` with the first one's that has any; `Lost` where a rank does not come in time.
    pub fn all<T>(&self, mine: Result<T>) -> Result<T> {
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

    /// Collective: checks that all ranks say the same of something.
    ///
    /// # Errors
    /// `Disagree` on every rank where one says another thing; `Lost` where a rank does not come in time.
    pub fn same(&self, what: &str, mine: &str) -> Result<()> {
        let all = self.agree(mine.as_bytes())?;
        let own = all[self.rank()].clone();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        // Those that agree with rank 0 name the first that does not, the others rank 0.
        let other = match own == all[0] {
            true => all.iter().position(|other| *other != own),
            false => Some(0),
        };
        match other {
            None => Ok(()),
            Some(rank) => Err(Error::Disagree {
                rank,
                what: what.into(),
                here: text(&own),
                there: text(&all[rank]),
            }),
        }
    }
}
