//! Whatever was measured is right: every rule of the table on the device.

#[path = "../common/measured.rs"]
mod requests;

use super::{cuda, in_parallel};
use mmafft::backend_traits::conformance;
use std::sync::Mutex;

#[test]
fn measured() {
    let Some(backend) = cuda("measured") else {
        return;
    };
    let requests = requests::requests();
    let wrong = Mutex::new(Vec::new());
    in_parallel(requests.len(), |i| {
        if let Err(what) = conformance::check(&backend, mmafft::plan, &requests[i], 1.0) {
            let what = format!("{what}: {:?}", requests[i]);
            wrong.lock().expect("no thread panics").push(what);
        }
    });
    let wrong = wrong.into_inner().expect("no thread panics");
    println!("{} requests, {} wrong", requests.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
