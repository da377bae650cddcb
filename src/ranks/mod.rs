//! One transform over many ranks: threads, processes, hosts, devices.
//!
//! **An exchange is a store.** A distributed plan is a list of ordinary plans with exchanges between them. Where ranks
//! share memory, the stage before an exchange stores to where the stage behind it loads, so that the exchange costs no
//! trip of its own, and is a fence; where they share none, what a rank has for another is packed, sent and unpacked.
//!
//! - [`part`](Part): the boxes of an array that ranks have. [`Spread`] says which.
//! - [`DistributedPlan`] is data: which axes are transformed where, and what is exchanged between.
//! - [`Group`] is a rank's end of what joins them, by a [`Communicator`]: threads of a process, whose devices store to
//!   each other's memory, processes through MPI, or ranks on a device each through NCCL.
//! - [`Planner::over`](crate::Planner::over) makes a [`DistributedTransform`] of both: every rank gets one, or every rank an
//!   error. Ranks wait for each other no longer than the group's patience.

mod across;
mod communicator;
mod explain;
mod group;
mod line;
#[cfg(test)]
mod links_tests;
mod mail;
#[cfg(all(feature = "mpi", unix))]
mod mpi;
#[cfg(all(feature = "nccl", unix))]
mod nccl;
mod over;
mod part;
mod peers;
mod place;
mod plan;
#[cfg(test)]
mod proof_tests;
mod spread;
mod stages;
mod threads;
mod transform;

pub use communicator::{
    Communicator, Letters, Messages, OnDevice, Shared, Station, Wanted, Window,
};
pub use explain::How;
pub use group::Group;
pub use over::{plan_over, Ranks};
pub use part::Part;
pub use place::{Place, Stage};
pub use plan::DistributedPlan;
pub use spread::Spread;
pub use threads::Threads;
pub use transform::DistributedTransform;
