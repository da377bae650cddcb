//! Every backend of this build runs the same suite. The CPU does by as many threads as there are: a test of errors,
//! `same`, says that their number changes no bit.

use std::process::ExitCode;

fn main() -> ExitCode {
    let suites = [
        cpu::tests(),
        #[cfg(feature = "cuda")]
        cuda::tests(),
        #[cfg(feature = "hip")]
        hip::tests(),
        #[cfg(feature = "emulate")]
        emulated::tests(),
    ];
    mmafft_testing::run(suites.into_iter().flatten())
}

mmafft_testing::conformance_suite!(
    cpu,
    Ok::<_, mmafft::Error>(mmafft::CpuBackend::default()),
    mmafft::plan
);

#[cfg(feature = "cuda")]
mmafft_testing::conformance_suite!(
    cuda,
    mmafft::cuda::CudaDriver::open(0).map(mmafft::CudaBackend::new),
    mmafft::plan
);

#[cfg(feature = "hip")]
mmafft_testing::conformance_suite!(
    hip,
    mmafft::hip::HipDriver::open(0).map(mmafft::HipBackend::new),
    mmafft::plan
);

/// The kernels of both vendors, their threads in three orders.
#[cfg(feature = "emulate")]
mod emulated {
    use mmafft::emulated::{EmulatedDriver, Order};
    use mmafft::lab::{plan_as, Asked};
    use mmafft::{Backend, EmulatedBackend, Limits, Plan, Request, Result};
    use mmafft_testing as suite;

    pub fn tests() -> Vec<suite::Test> {
        let mut tests = nvidia::tests();
        tests.extend(amd::tests());
        tests.push(("emulated::nvidia_clusters".into(), nvidia_clusters));
        tests
    }

    /// A backend for each order.
    fn orders(driver: impl Fn() -> EmulatedDriver) -> Result<[EmulatedBackend; 3]> {
        let orders = [Order::Forward, Order::Reverse, Order::Shuffled(1)];
        Ok(orders.map(|order| EmulatedBackend::new(driver().order(order))))
    }

    mmafft_testing::conformance_suite!(
        nvidia,
        each orders(EmulatedDriver::nvidia),
        mmafft::plan
    );
    mmafft_testing::conformance_suite!(
        amd,
        each orders(EmulatedDriver::amd),
        mmafft::plan
    );

    /// Whatever a cluster holds is spread over one; of short lines and small planes as if a block
    /// held little.
    fn in_clusters(request: &Request, limits: &Limits) -> Result<Plan> {
        let points: usize = request.shape.dims().iter().product();
        let mut limits = limits.clone();
        if points < 1 << 14 {
            limits.tile_bytes = 4 << 10;
        }
        plan_as(request, &limits, &Asked::clusters(true))
    }

    /// The table's requests of which a tile is spread, in all orders.
    fn nvidia_clusters() {
        let backends = orders(EmulatedDriver::nvidia).expect("it needs no device");
        let limits = backends[0].limits();
        let mut requests = suite::requests(limits);
        requests.retain(|request| {
            let plan = in_clusters(request, limits);
            let passes = plan.map_or(Vec::new(), |plan| plan.passes);
            passes.iter().any(|pass| pass.tile.residency.blocks() > 1)
        });
        assert!(requests.len() > 100, "only {}", requests.len());
        for request in requests {
            if let Err(what) = suite::check_each(&backends, in_clusters, &request, 1.0) {
                panic!("{what}\n    {request:?}");
            }
        }
    }
}
