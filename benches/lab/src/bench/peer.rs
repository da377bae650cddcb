//! The libraries that can be timed beside ours.

use clap::builder::PossibleValuesParser;
use mmafft::{Error, Result};

/// A library.
#[derive(Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its name on the command line.
    pub name: &'static str,
    /// The backend on whose device it runs, and the cargo feature that has both.
    pub backend: &'static str,
    /// Whether this build has it.
    built: bool,
}

/// All of them.
pub const PEERS: &[Peer] = &[
    peer("cufft", "cuda", cfg!(feature = "cuda")),
    peer("rocfft", "hip", cfg!(feature = "hip")),
    peer("fftw", "cpu", true),
    peer("rustfft", "cpu", true),
];

const fn peer(name: &'static str, backend: &'static str, built: bool) -> Peer {
    Peer {
        name,
        backend,
        built,
    }
}

/// The name on the command line for no peer.
pub const NONE: &str = "none";

/// `none`, or a name of the table.
pub fn peers() -> PossibleValuesParser {
    let names = PEERS.iter().map(|peer| peer.name);
    PossibleValuesParser::new([NONE].into_iter().chain(names))
}

impl Peer {
    /// # Errors
    /// `NotBuilt` if this build leaves the peer out.
    pub fn check_built(&self) -> Result<()> {
        match self.built {
            true => Ok(()),
            false => Err(Error::NotBuilt {
                backend: self.name,
                feature: self.backend,
            }),
        }
    }

    /// # Errors
    /// `Unsupported` if the peer does not run where `backend` does.
    pub fn check(&self, backend: &str) -> Result<()> {
        if backend != self.backend {
            let beside: Vec<&str> = PEERS
                .iter()
                .filter(|peer| peer.backend == backend)
                .map(|peer| peer.name)
                .chain([NONE])
                .collect();
            return Err(Error::Unsupported {
                what: format!("--peer {}, which runs on {},", self.name, self.backend),
                backend: backend.into(),
                instead: format!("use --peer {}", beside.join(" or ")),
            });
        }
        Ok(())
    }
}
