//! Ranks that are threads of one process: they share memory, and wait for each other with a deadline.

use super::communicator::{Communicator, Messages, OnDevice, Shared, Station, Wanted, Window};
use super::peers::{self, memory_of, Mark};
use crate::any::{AnyBackend, AnyBuffer};
use crate::foreign::Foreign;
use mmafft_backend_traits::{Buffer as _, Error, Result};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// About the bytes a second that a core copies, read and written.
const COPY: f64 = 8e9;

/// One rank of several in a process.
#[derive(Debug)]
pub struct Threads {
    station: Station,
    shared: Arc<Joined>,
}

#[derive(Debug)]
struct Joined {
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
    /// The ranks' backends, where each has memory of its own.
    backends: Vec<Option<AnyBackend>>,
    /// What rank 0 has found for all.
    offer: Option<Shared>,
    /// Where each rank's backend was at its last mark.
    marks: Vec<Option<Arc<Mark>>>,
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
            backends: Vec::new(),
            offer: None,
            marks: (0..ranks).map(|_| None).collect(),
        };
        let shared = Arc::new(Joined {
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
        wanted: &Wanted<'_>,
        patience: Duration,
    ) -> Result<Shared> {
        let mine = memory_of(backend);
        let all = self.agree(mine.as_bytes(), patience)?;
        // Addresses mean the same to backends of one memory; others have memory in common where devices reach each other.
        let one = all.iter().all(|other| other == mine.as_bytes());
        let rank = self.station.rank;
        if !one {
            let mut state = self.state();
            state.backends.resize(self.station.ranks, None);
            state.backends[rank] = Some(backend.clone());
            drop(state);
            self.agree(&[], patience)?;
        }
        let (mut said, mut failed) = (Vec::new(), None);
        if rank == 0 {
            let found = match one {
                true => offer(backend, wanted.bytes),
                false => {
                    let all = std::mem::take(&mut self.state().backends);
                    let backends: Vec<AnyBackend> = all.into_iter().flatten().collect();
                    peers::window(&backends, wanted)
                }
            };
            match found {
                Ok(found) => self.state().offer = Some(found),
                Err(error) => {
                    said = error.to_string().into_bytes();
                    failed = Some(error);
                }
            }
        }
        let all = self.agree(&said, patience)?;
        if let Some(error) = failed {
            return Err(error);
        }
        if !all[0].is_empty() {
            let reason = String::from_utf8_lossy(&all[0]).into();
            return Err(Error::OtherRank { rank: 0, reason });
        }
        let offer = self.state().offer.as_ref().map(Shared::again);
        self.agree(&[], patience)?;
        if rank == 0 {
            self.state().offer = None;
        }
        Ok(offer.unwrap_or_else(|| Shared::Apart("rank 0 has found none".into())))
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

    fn give_up(&self, waited: Duration) {
        let rank = Some(self.station.rank);
        let lost = Error::Lost { rank, waited };
        self.state().lost.get_or_insert(lost);
        self.shared.changed.notify_all();
    }

    fn on_device(&self) -> Option<&dyn OnDevice> {
        Some(self)
    }
}

// SAFETY: streams wait for the events that all ranks have recorded before the fence.
unsafe impl OnDevice for Threads {
    fn mark(&self, backend: &AnyBackend) -> Result<bool> {
        let Some(mark) = Mark::of(backend)? else {
            return Ok(false);
        };
        self.state().marks[self.station.rank] = Some(Arc::new(mark));
        Ok(true)
    }

    fn follow(&self, backend: &AnyBackend) -> Result<()> {
        // Others may have set another mark since, behind what is waited for here: to wait for it too harms nothing.
        let marks: Vec<Arc<Mark>> = {
            let state = self.state();
            let own = self.station.rank;
            let others = (1..self.station.ranks).map(|i| (own + i) % self.station.ranks);
            others
                .filter_map(|other| state.marks[other].clone())
                .collect()
        };
        marks.iter().try_for_each(|mark| mark.follow(backend))
    }
}

/// Memory of a backend that all ranks have.
fn offer(backend: &AnyBackend, bytes: usize) -> Result<Shared> {
    let mut memory: AnyBuffer = backend.zeros(bytes)?;
    let (address, bytes) = (backend.address(&mut memory), memory.bytes());
    // SAFETY: the memory is the window's.
    let window = unsafe { Window::new(address, bytes, Arc::new(memory)) };
    Ok(Shared::Window(window))
}
