use super::*;

#[test]
fn the_last_row_of_a_case_counts() {
    let row = |peer: &str, shape: &str, ours| Row {
        peer: peer.into(),
        shape: shape.into(),
        ours_us: Some(ours),
        ..Row::default()
    };
    let rows = vec![
        row("a", "8", 1.0),
        row("b", "8", 2.0),
        row("a", "16", 3.0),
        row("a", "8", 4.0),
    ];
    let sections = sections(rows);
    let figures: Vec<Vec<Option<f64>>> = sections
        .iter()
        .map(|s| s.rows.iter().map(|row| row.ours_us).collect())
        .collect();
    assert_eq!(figures, [vec![Some(4.0), Some(3.0)], vec![Some(2.0)]]);
}
