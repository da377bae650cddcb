//! Ranks that are threads of one process: they share memory, and wait for each other with a deadline.

use super::communicator::{Communicator, Messages, Station, Window};
use crate::any::{AnyBackend, AnyBuffer};
use crate::foreign::Foreign;
use mmafft_backend_traits::{Backend, Buffer as _, Error, Result};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// About the bytes a second that a core copies, read and written.
const COPY: f64 = 8e9;

/// One rank of several in a process.
#[derive(Debug)]
pub struct Threads {
    station: Station,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

/// What the ranks wait for.
#[derive(Debug)]
struct State {
    /// How often all ranks have come.
    round: u64,
    /// What each has brought to the round that is not over.
    brought: Vec<Option<Vec<u8>>>,
    /// What all brought to the round before.
    last: Arc<Vec<Vec<u8>>>,
    /// The ranks that have ended.
    ended: Vec<bool>,
    /// Why the group does nothing any more.
    lost: Option<Error>,
    /// Messages under way, by the rank that they are from and the one that they are to.
    mail: BTreeMap<[usize; 2], VecDeque<Vec<u8>>>,
    /// Memory that rank 0 offers to all.
    offer: Option<Arc<Offer>>,
}

/// Memory of rank 0's backend, of which others know the address.
#[derive(Debug)]
struct Offer {
    /// The last window drops it.
    _memory: AnyBuffer,
    address: u64,
    bytes: usize,
}

impl Threads {
    /// So many ranks, each to be given to a thread.
    pub fn new(ranks: usize) -> Vec<Threads> {
        let state = State {
            round: 0,
            brought: vec![None; ranks],
            last: Arc::default(),
            ended: vec![false; ranks],
            lost: None,
            mail: BTreeMap::new(),
            offer: None,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            changed: Condvar::new(),
        });
        let of = |rank| Threads {
            station: Station {
                rank,
                ranks,
                engine: "threads".into(),
                bytes_per_second: COPY,
            },
            shared: shared.clone(),
        };
        (0..ranks).map(of).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        let state = self.shared.state.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        let rank = self.station.rank;
        self.state().ended[rank] = true;
        self.shared.changed.notify_all();
    }
}

// SAFETY: a rank's number is its place in the list that `new` makes, and a round ends when all ranks have come to it.
unsafe impl Communicator for Threads {
    fn station(&self) -> &Station {
        &self.station
    }

    fn agree(&self, mine: &[u8], patience: Duration) -> Result<Vec<Vec<u8>>> {
        let since = Instant::now();
        let mut state = self.state();
        if let Some(lost) = &state.lost {
            return Err(lost.clone());
        }
        let round = state.round;
        state.brought[self.station.rank] = Some(mine.to_vec());
        if state.brought.iter().all(Option::is_some) {
            let all = state.brought.iter_mut().filter_map(Option::take).collect();
            state.last = Arc::new(all);
            state.round += 1;
            self.shared.changed.notify_all();
            return Ok(state.last.as_ref().clone());
        }
        loop {
            if state.round != round {
                // Nobody ends another round before this rank has come to it.
                return Ok(state.last.as_ref().clone());
            }
            if let Some(lost) = &state.lost {
                return Err(lost.clone());
            }
            let missing = |rank: &usize| state.brought[*rank].is_none();
            let ranks = 0..self.station.ranks;
            let ended = ranks
                .clone()
                .filter(missing)
                .find(|&rank| state.ended[rank]);
            let waited = since.elapsed();
            let rest = patience.saturating_sub(waited);
            if ended.is_some() || rest.is_zero() {
                let rank = ended.or_else(|| ranks.clone().find(missing));
                let lost = Error::Lost { rank, waited };
                state.lost = Some(lost.clone());
                self.shared.changed.notify_all();
                return Err(lost);
            }
            let waited = self.shared.changed.wait_timeout(state, rest);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn window(
        &self,
        backend: &AnyBackend,
        bytes: usize,
        patience: Duration,
    ) -> Result<Option<Window>> {
        // Addresses mean the same to backends of one memory alone.
        let mine = memory_of(backend);
        let all = self.agree(mine.as_bytes(), patience)?;
        if mine.is_empty() || all.iter().any(|other| other != mine.as_bytes()) {
            return Ok(None);
        }
        let mut said = Vec::new();
        if self.station.rank == 0 {
            match offer(backend, bytes) {
                Ok(offer) => self.state().offer = Some(Arc::new(offer)),
                Err(error) => said = error.to_string().into_bytes(),
            }
        }
        let all = self.agree(&said, patience)?;
        if !all[0].is_empty() {
            return Err(Error::OutOfMemory {
                backend: backend.limits().backend.into(),
                what: "a window of all ranks".into(),
                bytes,
            });
        }
        let offer = self.state().offer.clone();
        self.agree(&[], patience)?;
        if self.station.rank == 0 {
            self.state().offer = None;
        }
        Ok(offer.map(|offer| {
            let (address, bytes) = (offer.address, offer.bytes);
            // SAFETY: the memory is the offer's, which the window keeps.
            unsafe { Window::new(address, bytes, offer) }
        }))
    }

    fn exchange(&self, messages: &mut Messages<'_>, patience: Duration) -> Result<()> {
        let since = Instant::now();
        let rank = self.station.rank;
        let mut rest = messages.sent;
        let mut letters = Vec::new();
        for &count in messages.to {
            let (letter, others) = rest.split_at(count.min(rest.len()));
            letters.push(letter.to_vec());
            rest = others;
        }
        let mut state = self.state();
        for (to, letter) in letters.into_iter().enumerate() {
            state.mail.entry([rank, to]).or_default().push_back(letter);
        }
        drop(state);
        self.agree(&[], patience)?;
        let mut at = 0;
        for (from, &count) in messages.from.iter().enumerate() {
            let mut state = self.state();
            let letter = state.mail.get_mut(&[from, rank]);
            let letter = letter.and_then(VecDeque::pop_front);
            drop(state);
            let place = messages.received.get_mut(at..at + count);
            match (letter, place) {
                (Some(letter), Some(place)) if letter.len() == count => {
                    place.copy_from_slice(&letter);
                }
                // It is in another call, as after a panic: ranks are not in step.
                _ => {
                    let lost = Error::Lost {
                        rank: Some(from),
                        waited: since.elapsed(),
                    };
                    self.state().lost = Some(lost.clone());
                    self.shared.changed.notify_all();
                    return Err(lost);
                }
            }
            at += count;
        }
        Ok(())
    }
}

/// The memory that a backend reaches, in words; none where nobody else's addresses mean anything to it.
fn memory_of(backend: &AnyBackend) -> String {
    match backend {
        AnyBackend::Cpu(_) | AnyBackend::Emulated(_) => "host".into(),
        #[cfg(feature = "cuda")]
        AnyBackend::Cuda(cuda) => format!("cuda {}", cuda.driver().identity()),
        #[cfg(feature = "hip")]
        AnyBackend::Hip(hip) => format!("hip {}", hip.driver().identity()),
        #[allow(unreachable_patterns, reason = "what is not built")]
        _ => String::new(),
    }
}

fn offer(backend: &AnyBackend, bytes: usize) -> Result<Offer> {
    let mut memory = backend.zeros(bytes)?;
    let address = backend.address(&mut memory);
    Ok(Offer {
        address,
        bytes: memory.bytes(),
        _memory: memory,
    })
}
