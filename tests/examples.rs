//! Every example runs, and what it asserts holds. tests/device runs what needs a device.

/// A test that runs the example of its name.
macro_rules! example {
    ($name:ident, $path:literal) => {
        #[path = $path]
        mod $name;

        #[test]
        fn $name() {
            $name::main().expect("the example runs");
        }
    };
}

#[cfg(feature = "ndarray")]
example!(arrays, "../examples/arrays.rs");
example!(batched_strides, "../examples/batched_strides.rs");
example!(convolution, "../examples/convolution.rs");
example!(dct_compression, "../examples/dct_compression.rs");
example!(image_filter, "../examples/image_filter.rs");
example!(spectrum, "../examples/spectrum.rs");
example!(stft, "../examples/stft.rs");
example!(two_threads, "../examples/two_threads.rs");
