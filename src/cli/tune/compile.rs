//! Kernels that are timed afterwards, compiled before in processes of their own: threads of one wait for each other in the
//! vendors' compilers. What they compile, this one finds in the cache of kernels.

use crate::cli::bench::lab::Lab;
use mmafft::backend_traits::Backend;
use mmafft::Plan;
use std::process::{Command, Stdio};

/// Of so many processes which one this is: `3/16`, from 0 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    pub own: usize,
    pub all: usize,
}

impl std::str::FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(own, all)| Some((own.parse().ok()?, all.parse().ok()?)));
        match numbers {
            Some((own, all)) if own < all => Ok(Share { own, all }),
            _ => Err(format!("`{text}` is no share as 3/16, of those from 0 on")),
        }
    }
}

impl Share {
    /// Prepares every plan of this share, and forgets it. What cannot be prepared is not timed either.
    pub fn prepare<L: Lab>(self, lab: &L, plans: &[&Plan]) {
        for plan in plans.iter().skip(self.own).step_by(self.all) {
            let _ = lab.backend().prepare(plan);
        }
    }
}

/// Runs this command once more for each core, to compile `plans` of them; where it cannot, this process does so later.
pub fn in_processes(plans: usize) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let all = cores.min(plans);
    let kept = std::env::var_os("MMAFFT_CACHE").is_none_or(|chosen| chosen != "off");
    let Ok(program) = std::env::current_exe() else {
        return;
    };
    if !kept || all < 2 {
        return;
    }
    let one = |own: usize| {
        Command::new(&program)
            .args(std::env::args_os().skip(1))
            .args(["--compile", &format!("{own}/{all}")])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
    };
    let running: Vec<_> = (0..all).filter_map(|own| one(own).ok()).collect();
    for mut process in running {
        let _ = process.wait();
    }
}
