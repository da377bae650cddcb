//! Kernels that are timed afterwards, compiled before in processes of their own: threads of one wait for each other in the
//! vendors' compilers. What they compile, this one finds in the cache of kernels.

use crate::cli::bench::lab::Lab;
use mmafft::backend_traits::device::Cache;
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
    pub fn prepare<L: Lab>(self, lab: &L, plans: &[Plan]) {
        for plan in plans.iter().skip(self.own).step_by(self.all) {
            let _ = lab.backend().prepare(plan);
        }
    }
}

/// Processes at most: each has a context of the device.
const MOST: usize = 32;

/// Runs this command once more for each core, to compile `plans` of them for this backend; what these cannot, this process
/// does later.
pub fn in_processes(plans: usize, backend: &str) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let all = cores.min(plans).min(MOST);
    let program = std::env::current_exe();
    let (Ok(program), Some(_)) = (program, Cache::of_user(backend)) else {
        return;
    };
    if all < 2 {
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
    let running: Vec<_> = (0..all).map(one).collect();
    let done = running.into_iter().filter_map(|process| {
        let ended = process.and_then(|mut process| process.wait());
        ended.ok().filter(std::process::ExitStatus::success)
    });
    let done = done.count();
    if done < all {
        eprintln!("mmafft: {done} of {all} processes compiled their kernels; the others' are compiled as they are timed");
    }
}
