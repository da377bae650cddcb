//! Every backend of this build runs the same suite.

mmafft::backend_traits::conformance_suite!(
    cpu,
    Ok::<_, mmafft::Error>(mmafft::CpuBackend::default()),
    mmafft::plan
);
mmafft::backend_traits::conformance_suite!(
    cpu_one_thread,
    Ok::<_, mmafft::Error>(mmafft::CpuBackend::new(mmafft::CpuOptions {
        threads: 1,
        ..Default::default()
    })),
    mmafft::plan
);
