//! Any bytes as a .npy file: the reader returns an array that is what its shape says, or an
//! error, and never panics.
#![no_main]

// The program's own source: the reader is not part of the library. As an inline module with
// a path, so that `npy` finds its parts in npy/.
#[path = "../../src/cli"]
// The program uses all of it, this target a part.
#[allow(dead_code, unused_imports)]
mod cli {
    pub mod excerpt;
    pub mod files;
    pub mod memory;
    pub mod npy;
}

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match cli::npy::parse(bytes) {
        Ok(array) => {
            assert_eq!(array.values.len(), array.shape.iter().product::<usize>());
        }
        Err(error) => {
            let words = error.to_string();
            assert!(!words.is_empty() && !words.contains('\n'), "{words:?}");
        }
    }
});
