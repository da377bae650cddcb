use super::super::line_price::radices;
use super::*;

/// A line by itself has the bits that it has in a whole vector of lines.
fn alone_as_in_a_batch<T: Real + Storage<Compute = T>>(inverse: bool) {
    let mut tried = 0;
    for points in (33..1100).filter_map(|n| radices(n).map(|_| n)) {
        let batch = Batch::<T>::new(&radices(points).expect("it has some"), inverse);
        let zero = Complex::new(T::zero(), T::zero());
        let mut scratch = vec![zero; batch.scratch()];
        let number = |i: usize| T::rounded((i * 7919 % 1013) as f64 / 1013.0 - 0.5);
        let points_of = |i: usize| Complex::new(number(i), number(3 * i + 1));
        let mut lines: Vec<_> = (0..batch.together() * points).map(points_of).collect();
        let mut alone = lines[..points].to_vec();
        batch.process(&mut lines, &mut scratch);
        batch.process(&mut alone, &mut scratch);
        assert!(alone == lines[..points], "{points} points");
        tried += 1;
    }
    assert!(tried > 300);
}

#[test]
fn lines_alone_have_the_bits_of_a_batch() {
    for inverse in [false, true] {
        alone_as_in_a_batch::<f32>(inverse);
        alone_as_in_a_batch::<f64>(inverse);
    }
}
