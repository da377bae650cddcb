//! Whatever was measured is right: the rules of the table on the device.

#[path = "../common/measured.rs"]
mod requests;

use super::{cuda, in_parallel};
use mmafft::backend_traits::conformance;
use mmafft::Backend;
use std::sync::Mutex;

/// The longest lines.
const LONGEST: usize = 1 << 22;

#[test]
fn measured() {
    let Some(backend) = cuda("measured") else {
        return;
    };
    let requests = requests::requests(LONGEST);
    let followed = requests::Followed::default();
    let wrong = Mutex::new(Vec::new());
    in_parallel(requests.len(), |i| {
        let (request, plan) = &requests[i];
        if let Ok(plan) = plan(request, backend.limits()) {
            followed.add(&plan);
        }
        if let Err(what) = conformance::check(&backend, *plan, request, 1.0) {
            let what = format!("{what}: {request:?}");
            wrong.lock().expect("no thread panics").push(what);
        }
    });
    let wrong = wrong.into_inner().expect("no thread panics");
    let others = followed.others();
    println!("{} requests, {} wrong", requests.len(), wrong.len());
    println!("rows not followed: {}\n{}", others.len(), others.join("\n"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
