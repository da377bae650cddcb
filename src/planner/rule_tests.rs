use super::*;
use mmafft_backend_traits::Ahead;

#[test]
fn rows_that_would_harm_are_refused() {
    assert!(Rule::parse("8*8,1,128,2,0.9").is_some());
    let wide = Rule::parse("8*8,1,128,2,0.900,4 neighbours").expect("a rule");
    assert_eq!(wide.launch.neighbours, 4);
    assert_eq!(wide.row(), "8*8,1,128,2,0.900,4 neighbours");
    let facing = Rule::parse("8*8,1,128,2,0.900,facing last").expect("a rule");
    assert_eq!(facing.launch.facing, [false, true]);
    assert_eq!(facing.row(), "8*8,1,128,2,0.900,facing last");
    let roots = Rule::parse("8*8,1,128,2,0.900,looked up").expect("a rule");
    assert!(roots.launch.looked_up && roots.launch.facing == [false; 2]);
    assert_eq!(roots.row(), "8*8,1,128,2,0.900,looked up");
    let both = Rule::parse("8*8,1,128,2,0.900,multiplied+ahead").expect("a rule");
    assert!(both.launch.multiplied && both.launch.ahead == Some(Ahead::Late));
    let both = Rule::parse("8*8,1,128,2,0.900,facing last+looked up+unasked+2 neighbours")
        .expect("a rule");
    assert!(both.launch.looked_up && both.launch.unasked);
    assert_eq!(
        both.row(),
        "8*8,1,128,2,0.900,facing last+looked up+unasked+2 neighbours"
    );
    let spread = Rule::parse("8*8,4,128,2,0.900,ahead+2 blocks").expect("a rule");
    assert_eq!((spread.lines, spread.blocks), (4, 2));
    assert_eq!(spread.row(), "8*8,4,128,2,0.900,ahead+2 blocks");
    let mixed = Rule::parse("16*(32*8),1,128,2,0.900").expect("a rule");
    assert!(mixed.sequence.is_mixed());
    assert_eq!(mixed.row(), "16*(32*8),1,128,2,0.900");
    for bad in [
        "8*8,0,128,2,0.9",
        "8*8,1,0,2,0.9",
        "8*8,1,128,0,0.9",
        "8*8,1,1025,1,0.9",
        "8*8,1,128,18446744073709551615,0.9",
        "2*2*2*2*2*2*2*2*2*2*2*2*2,1,128,1,0.9",
        "8*x,1,128,2,1",
        "8*8,1,128,2,0.9,3 neighbours",
        "8*8,1,128,2,0.9,faced",
        "8*8,1,128,2,0.9,looked",
        "8*8,1,128,2,0.9,looked up,1",
        "8*8,1,128,2,0.9,1 blocks",
        "8*8,1,128,2,0.9,two blocks",
    ] {
        assert_eq!(Rule::parse(bad), None, "{bad}");
    }
}
