//! What compilers made of kernels, in the user's cache directory, as the backends keep theirs: the same compiler
//! makes the same of the same text, and all of them take it a quarter of an hour of two cores. Every check is made again.
//! `MMAFFT_CACHE=off` compiles again too.

use mmafft::backend_traits::Cache;
use mmafft::Result;

/// The code that depends on these texts, in this order: kept, or made.
pub fn kept(
    compiler: &str,
    texts: &[&str],
    make: impl FnOnce() -> Result<Vec<u8>>,
) -> Result<Vec<u8>> {
    match Cache::of_user(&format!("codegen-{compiler}")) {
        Some(cache) => cache.code(texts, make),
        None => make(),
    }
}
