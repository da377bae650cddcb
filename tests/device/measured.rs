//! Whatever was measured is right: the rules of the table on the device.

#[path = "../common/measured.rs"]
mod requests;

use super::{cuda, in_parallel};
use mmafft::{Backend, CudaBackend, Kind, Limits, Plan, Request, Result};
use std::sync::Mutex;

/// The longest lines.
const LONGEST: usize = 1 << 22;

/// Bytes of a batch whose passes take turns: of fewer they do not.
const IN_TURNS: usize = 72 << 20;

/// Passes take turns where rules say so, or likeness does, and are right; the last turn is not whole.
pub fn in_turns() {
    let backend = cuda();
    type Planned = Box<dyn Fn(&Request, &Limits) -> Result<Plan> + Sync>;
    let by_rules = requests::in_turns(LONGEST).into_iter();
    let by_rules = by_rules.map(|(request, of_device)| {
        let plan =
            move |request: &Request, limits: &Limits| mmafft::plan(request, &of_device(limits));
        (many(request), Box::new(plan) as Planned)
    });
    // No rows: not asked for where some are.
    let suggested = requests::suggested(LONGEST).into_iter();
    let suggested = suggested.filter(|_| requests::asked().is_none());
    let suggested = suggested.map(|request| (many(request), Box::new(mmafft::plan) as Planned));
    let requests = ours(by_rules.chain(suggested));
    let takes = |(request, plan): &&(Request, Planned)| {
        let planned = plan(request, backend.limits());
        planned.is_ok_and(|plan| plan.turns.is_some())
    };
    let taken = requests.iter().filter(takes).count();
    let wrong = compare(&backend, &requests);
    println!(
        "{} requests, {taken} in turns, {} wrong",
        requests.len(),
        wrong.len()
    );
    // On the devices that have the rules all do.
    if [requests::H100, requests::H200].contains(&&*backend.limits().device) {
        assert_eq!(taken, requests.len());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is wrong of these, beside the definition.
fn compare<P>(backend: &CudaBackend, requests: &[(Request, P)]) -> Vec<String>
where
    P: Fn(&Request, &Limits) -> Result<Plan> + Sync,
{
    let wrong = Mutex::new(Vec::new());
    in_parallel(requests.len(), |i| {
        let (request, plan) = &requests[i];
        if let Err(what) = mmafft_testing::check(backend, plan, request, 1.0) {
            let what = format!("{what}: {request:?}");
            wrong.lock().expect("no thread panics").push(what);
        }
    });
    wrong.into_inner().expect("no thread panics")
}

/// What `MMAFFT_PART` asks for: threads of a process wait for each other in NVRTC.
fn ours<T>(all: impl Iterator<Item = T>) -> Vec<T> {
    let numbered = all.enumerate();
    let ours = numbered.filter(|(i, _)| mmafft_testing::is_ours(*i));
    ours.map(|(_, one)| one).collect()
}

fn many(request: Request) -> Request {
    let points: usize = request.shape.dims().iter().product();
    let reals = if request.kind == Kind::C2C { 2 } else { 1 };
    let array = points * reals * request.precision.row().storage.bytes();
    request.batch(IN_TURNS / array + 1)
}

pub fn measured() {
    let backend = cuda();
    let all = requests::requests(LONGEST);
    let whole = all.len();
    let requests = ours(all.into_iter());
    let followed = requests::Followed::default();
    for (request, plan) in &requests {
        if let Ok(plan) = plan(request, backend.limits()) {
            followed.add(&plan);
        }
    }
    let wrong = compare(&backend, &requests);
    let others = followed.others();
    println!("{} requests, {} wrong", requests.len(), wrong.len());
    if requests.len() == whole {
        println!("rows not followed: {}\n{}", others.len(), others.join("\n"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Lines, arrays and columns that nobody measured, by the tiles that are likely the fastest.
pub fn likely() {
    let backend = cuda();
    let likely = |(request, plan): &requests::Case| {
        let plan = plan(request, backend.limits());
        plan.is_ok_and(|plan| plan.explain().contains(requests::LIKELY))
    };
    let all: Vec<requests::Case> = requests::likely().into_iter().filter(likely).collect();
    assert!(!all.is_empty() || backend.limits().architecture != "sm_90");
    let requests = ours(all.into_iter());
    let wrong = compare(&backend, &requests);
    println!(
        "{} requests, likely fast, {} wrong",
        requests.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
