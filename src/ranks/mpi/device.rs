//! Messages in devices' memory, where MPI's library says that it takes it.
//!
//! Each message is a send and a receive of its own, which asks less of a library than a collective operation that does
//! not block.

use super::super::communicator::{Letters, OnDevice};
use super::super::peers::{settle, within};
use super::{count, way, Mpi};
use crate::any::AnyBackend;
use mmafft_backend_traits::{Error, Result};
use std::ffi::{c_int, c_void};
use std::time::Duration;

// SAFETY: messages have arrived, and what is sent is made, when the call returns.
unsafe impl OnDevice for Mpi {
    fn takes_memory_of(&self, backend: &AnyBackend) -> Result<bool> {
        #[allow(unused_variables, reason = "what is not built")]
        let [cuda, rocm] = self.takes_memory;
        #[allow(unreachable_patterns, reason = "what is not built")]
        Ok(match backend {
            #[cfg(feature = "cuda")]
            AnyBackend::Cuda(_) => cuda,
            #[cfg(feature = "hip")]
            AnyBackend::Hip(_) => rocm,
            // Memory of emulated devices is the host's, which every library takes.
            #[cfg(feature = "emulate")]
            AnyBackend::Emulated(_) => true,
            _ => false,
        })
    }

    fn exchange(
        &self,
        backend: &AnyBackend,
        letters: &Letters<'_>,
        patience: Duration,
    ) -> Result<()> {
        let (rank, ranks) = (self.station.rank, self.station.ranks);
        let counts = |bytes: &[usize]| -> Result<Vec<c_int>> {
            let points = bytes.iter().map(|bytes| bytes / letters.point);
            points.map(|n| count(n, "points to a rank")).collect()
        };
        // MPI knows no streams. What has failed is said before anything is under way.
        let made = settle(backend, self, patience).map_err(|error| Error::OtherRank {
            rank,
            reason: error.to_string(),
        });
        let counted = made.and_then(|()| Ok((counts(letters.to)?, counts(letters.from)?)));
        let (to, from) = self.counted(counted, patience)?;
        let mut point = self.points_of(letters.point)?;
        let bytes = letters.to.iter().chain(letters.from).sum();
        let patience = patience.saturating_add(way(bytes));
        let before = |bytes: &[usize], rank: usize| bytes[..rank].iter().sum::<usize>();
        // Of each message whether it is sent, the other rank, its address and its points. Each rank begins with another, so
        // that all links are busy.
        let mut operations = Vec::new();
        for step in 1..ranks {
            let (next, last) = ((rank + step) % ranks, (rank + ranks - step) % ranks);
            let comes = letters.received as usize + before(letters.from, last);
            let goes = letters.sent as usize + before(letters.to, next);
            operations.push((false, last, comes, from[last]));
            operations.push((true, next, goes, to[next]));
        }
        operations.retain(|&(_, _, _, points)| points > 0);
        let communicator = self.communicator.0;
        let mut exchanged = Ok(());
        within(backend, &mut || {
            exchanged = self.wait_for(operations.len(), patience, |calls, requests| {
                let mut starts = operations.iter().zip(requests).map(|(operation, request)| {
                    let &(sends, other, at, points) = operation;
                    let other = other as c_int;
                    // SAFETY: the points are the messages' own; on an error the caller frees neither memory.
                    unsafe {
                        match sends {
                            true => {
                                let at = at as *const c_void;
                                (calls.isend)(at, points, point, other, 0, communicator, request)
                            }
                            false => {
                                let at = at as *mut c_void;
                                (calls.irecv)(at, points, point, other, 0, communicator, request)
                            }
                        }
                    }
                });
                starts.find(|&status| status != 0).unwrap_or(0)
            });
        })?;
        exchanged?;
        // SAFETY: the exchange is done with it.
        let freed = unsafe { (self.session.calls.type_free)(&mut point) };
        self.session.check(freed)
    }
}
