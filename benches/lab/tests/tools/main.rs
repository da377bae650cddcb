//! What needs another library or program: without it the test is reported as ignored.

mod browser;
mod fftw;
#[path = "../lab/main.rs"]
#[allow(
    dead_code,
    unused_imports,
    reason = "its own tests run in their own target"
)]
mod lab;
mod packages;
#[path = "../../../../tests/real.rs"]
#[allow(
    dead_code,
    unused_imports,
    reason = "its own tests run in their own target"
)]
mod real;

fn main() -> std::process::ExitCode {
    mmafft_testing::run(mmafft_testing::tests![
        browser::the_report_fits_a_phone_and_paper,
        packages::licences,
        packages::duplicates,
        packages::ours_can_be_published,
        packages::tests_are_called,
        fftw::fftw_is_a_peer,
        fftw::fftw_says_the_same,
        unit_tests_of_fftw,
        unit_tests_of_cufft,
    ])
}

/// Says of the lab's unit tests, whose harness cannot, that they check nothing without FFTW.
fn unit_tests_of_fftw() {
    if let Err(reason) = mmafft_lab::peers::fftw::Fftw::open(mmafft::ScalarType::F64) {
        let unchecked = "the unit tests of benches/lab/src/peers/fftw check nothing";
        mmafft_testing::skip(format!("needs libfftw3: {unchecked}: {reason}"));
    }
}

/// Says the same of cuFFT, and of a device for it.
fn unit_tests_of_cufft() {
    if let Err(reason) = mmafft_lab::peers::cufft::Cufft::open() {
        let unchecked = "unit tests of benches/lab/src/peers/cufft check nothing";
        mmafft_testing::skip(format!("needs cuFFT: {unchecked}: {reason}"));
    }
    #[cfg(feature = "cuda")]
    mmafft_testing::or_skip(mmafft::cuda::CudaDriver::open(0));
}
