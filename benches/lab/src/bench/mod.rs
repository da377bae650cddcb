//! `mmafft-lab bench`: what `mmafft bench` times, also of lists, and beside another library.

#[cfg(feature = "cuda")]
mod cuda;
#[cfg(feature = "hip")]
mod hip;
mod host;
mod peer;

use clap::Args;
#[cfg(any(feature = "cuda", feature = "hip"))]
use mmafft::AnyBackend;
use mmafft::{Backend as _, Normalization};
use mmafft_cli::bench::cases::Case;
#[cfg(any(feature = "cuda", feature = "hip"))]
use mmafft_cli::bench::device::NoPeer;
use mmafft_cli::bench::host::HostLab;
use mmafft_cli::bench::{self as timing, lists, run_in};
use mmafft_cli::excerpt::excerpt;
use mmafft_cli::{files, Failure};
use peer::{peers, Peer, PEERS};
use std::path::PathBuf;

/// Arguments of `mmafft-lab bench`: those of `mmafft bench`, a list and a peer.
#[derive(Args)]
// Those that it flattens are the group of this name.
#[group(skip)]
pub struct Arguments {
    #[command(flatten)]
    timing: timing::Arguments,
    /// A list from a CSV file with the header class,kind,precision,shape,batch (batch may be left
    /// out); the class `graph` is launched through a graph
    #[arg(long, conflicts_with = "shapes", value_name = "FILE")]
    cases: Option<PathBuf>,
    /// Only these classes of the list
    #[arg(long, value_delimiter = ',', conflicts_with = "shapes")]
    class: Option<Vec<String>>,
    /// A library to time beside ours
    #[arg(long, default_value = peer::NONE, value_parser = peers())]
    peer: String,
}

impl Arguments {
    /// What is to be timed on a backend.
    fn list(&self, backend: &str) -> Result<Vec<Case>, Failure> {
        let mut list = match &self.cases {
            Some(path) => lists::from_file(path)?,
            None => self.timing.list(backend),
        };
        if let Some(classes) = &self.class {
            if let Some(none) = classes.iter().find(|c| list.iter().all(|l| l.class != **c)) {
                let mut names: Vec<String> = list.iter().map(|c| excerpt(&c.class)).collect();
                names.dedup();
                let (none, names) = (excerpt(none), names.join(", "));
                return Err(format!("no class '{none}' here: use {names}").into());
            }
            list.retain(|case| classes.contains(&case.class));
        }
        Ok(list)
    }

    /// The peer, if one is asked for.
    fn peer(&self) -> Option<&'static Peer> {
        PEERS.iter().find(|peer| peer.name == self.peer)
    }

    /// Whether the build has the peer, and it is asked for nothing that it does not do: it
    /// transforms all axes and scales nothing.
    fn check_peer(&self) -> Result<(), Failure> {
        let Some(peer) = self.peer() else {
            return Ok(());
        };
        let common = &self.timing.common;
        if common.axes.is_some() || common.norm.is_some_and(|norm| norm != Normalization::None) {
            return Err("--peer goes with neither --axes nor --norm".into());
        }
        if self.timing.ranks.ranks.is_some() {
            return Err("--peer times one device: benches/ranks_peers.py times several".into());
        }
        Ok(peer.check_built()?)
    }
}

/// Times every case.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.check_peer()?;
    files::check(&arguments.cases, &arguments.timing.csv)?;
    let mut common = arguments.timing.common.clone();
    if let (Some(peer), "auto") = (arguments.peer(), common.backend.as_str()) {
        common.backend = peer.backend.into();
    }
    let backend = common.backend()?;
    if let Some(peer) = arguments.peer() {
        peer.check(backend.limits().backend)?;
    }
    let list = arguments.list(backend.limits().backend)?;
    let timing = &arguments.timing;
    if timing.ranks.ranks.is_some() {
        return timing.over_ranks(&backend, list);
    }
    let planner = &common.planner_on(backend.clone());
    match (backend, arguments.peer()) {
        #[cfg(feature = "cuda")]
        (AnyBackend::Cuda(backend), None) => run_in(
            &timing::cuda::lab::<NoPeer>(backend)?,
            planner,
            timing,
            list,
        ),
        #[cfg(feature = "cuda")]
        (AnyBackend::Cuda(backend), Some(_)) => run_in(
            &timing::cuda::lab::<cuda::Plan>(backend)?,
            planner,
            timing,
            list,
        ),
        #[cfg(feature = "hip")]
        (AnyBackend::Hip(backend), None) => {
            run_in(&timing::hip::lab::<NoPeer>(backend)?, planner, timing, list)
        }
        #[cfg(feature = "hip")]
        (AnyBackend::Hip(backend), Some(_)) => run_in(
            &timing::hip::lab::<hip::Plan>(backend)?,
            planner,
            timing,
            list,
        ),
        (backend, peer) => {
            let threads = backend.limits().workers;
            let library = peer.map(|peer| host::library(peer, threads)).transpose()?;
            run_in(&HostLab::new(backend, library), planner, timing, list)
        }
    }
}
