use super::*;

#[test]
fn lines_are_beside_their_mirror_images() {
    for counts in [[1, 6], [4, 6], [2, 2]] {
        let [rows, row] = counts;
        let image = |a: usize| (rows - a / row) % rows * row + (row - a % row) % row;
        for a in 0..rows * row {
            let partner = Mirrored::partner(&counts, a);
            assert_eq!(Mirrored::partner(&counts, partner), a);
            assert_ne!(partner, a);
            // Or both are their own.
            assert!(image(a) == partner || (image(a) == a && image(partner) == partner));
        }
    }
}
