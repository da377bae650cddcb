//! Any bytes as a .npy file: the reader returns an array that is what its shape says, or an
//! error, and never panics.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match mmafft_cli::npy::parse(bytes) {
        Ok(array) => {
            assert_eq!(array.values.len(), array.shape.iter().product::<usize>());
        }
        Err(error) => {
            let words = error.to_string();
            assert!(!words.is_empty() && !words.contains('\n'), "{words:?}");
        }
    }
});
