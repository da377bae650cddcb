//! Kernels that are timed afterwards, compiled before in processes of their own: threads of one wait for each other in the
//! vendors' compilers. What they compile, this one finds in the cache of kernels.

use mmafft::backend_traits::device::Cache;
use mmafft::backend_traits::Backend;
use mmafft::Plan;
use mmafft_cli::bench::lab::Lab;
use std::io::Write;
use std::process::{Command, Stdio};

/// Prepares every plan that a line of the input names, and forgets it. What cannot be prepared is not timed either.
pub fn named<L: Lab>(lab: &L, plan: impl Fn(&str) -> Option<Plan>) {
    // All of them first: who writes them waits else.
    let names: Vec<String> = std::io::stdin().lines().map_while(Result::ok).collect();
    for name in names {
        if let Some(plan) = plan(&name) {
            let _ = lab.backend().prepare(&plan);
        }
    }
}

/// Processes at most: each has a context of the device.
const MOST: usize = 32;

/// Runs this command once more for each core, to compile the plans of these names for this backend; what these cannot, this
/// process does later.
pub fn in_processes(names: &[String], backend: &str) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let all = cores.min(names.len()).min(MOST);
    let program = std::env::current_exe();
    let (Ok(program), Some(_)) = (program, Cache::of_user(backend)) else {
        return;
    };
    if all < 2 {
        return;
    }
    let one = |_| {
        Command::new(&program)
            .args(std::env::args_os().skip(1))
            .arg("--compile")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
    };
    let mut running: Vec<_> = (0..all).map(one).collect();
    for (own, process) in running.iter_mut().enumerate() {
        let own = names.iter().skip(own).step_by(all);
        let lines: String = own.flat_map(|name| [name.as_str(), "\n"]).collect();
        // Closed behind the last line. One that ended before it read them all says so when it is waited for.
        let input = process.as_mut().ok().and_then(|p| p.stdin.take());
        if let Some(mut input) = input {
            let _ = input.write_all(lines.as_bytes());
        }
    }
    let done = running.into_iter().filter_map(|process| {
        let ended = process.and_then(|mut process| process.wait());
        ended.ok().filter(std::process::ExitStatus::success)
    });
    let done = done.count();
    if done < all {
        eprintln!("mmafft: {done} of {all} processes compiled their kernels; the others' are compiled as they are timed");
    }
}
