use super::*;

/// Wherever lines lie, and scratch: half of the bytes apart, aligned, and as long as is needed.
#[test]
fn scratch_lies_apart() {
    let lines = Library::<f64>::new(4096, false);
    let mut scratch = vec![Complex::new(0.0, 0.0); lines.scratch()];
    let memory = vec![Complex::new(0.0, 0.0); 1024];
    for first in 0..768 {
        let from = &memory[first..];
        let after = first % 5;
        let rest = apart(&mut scratch[after..], from);
        let bytes = (rest.as_ptr() as usize).wrapping_sub(from.as_ptr() as usize) % ALIKE;
        assert!(
            (ALIKE / 2 - 64..=ALIKE / 2).contains(&bytes),
            "{first}: {bytes}"
        );
        assert!(rest.len() + after >= lines.fft.get_immutable_scratch_len());
    }
}
