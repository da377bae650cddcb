//! What the compilers make of the kernels, without a GPU: every family of kernels for each
//! generation of devices, no more local memory than backends keep, and the matrix instructions that the plan says.

#[cfg(feature = "hip")]
mod amd;
#[cfg(any(feature = "cuda", feature = "hip"))]
mod families;
#[cfg(any(feature = "cuda", feature = "hip"))]
mod kept;
#[cfg(feature = "cuda")]
#[path = "../common/measured.rs"]
#[allow(dead_code, reason = "other tests run what the table has rules for")]
mod measured;
#[cfg(feature = "cuda")]
mod nvidia;
#[cfg(feature = "hip")]
mod waits;
#[cfg(any(feature = "cuda", feature = "hip"))]
#[path = "../common/words.rs"]
#[allow(dead_code, reason = "the emulated devices' tests ask for more words")]
mod words;

fn main() -> std::process::ExitCode {
    #[allow(unused_mut, reason = "a build without devices has no kernels")]
    let mut tests: Vec<mmafft_testing::Test> = Vec::new();
    #[cfg(feature = "cuda")]
    tests.extend(mmafft_testing::tests![
        nvidia::passes_in_turns,
        nvidia::neighbours_move_together,
        nvidia::ampere,
        nvidia::hopper,
        nvidia::blackwell,
        nvidia::turing,
        nvidia::volta,
    ]);
    #[cfg(feature = "hip")]
    tests.extend(mmafft_testing::tests![
        amd::cdna1,
        amd::cdna2,
        amd::cdna3,
        amd::hiprtc_takes_what_clang_takes,
        waits::missing_waits_are_found,
    ]);
    mmafft_testing::run(tests)
}
