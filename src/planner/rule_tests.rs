use super::*;
use mmafft_backend_traits::Ahead;

#[test]
fn rows_that_would_harm_are_refused() {
    assert!(Rule::parse("8*8,1,128,2,no,0.9").is_some());
    let wide = Rule::parse("8*8,1,128,2,no,0.900,4").expect("a rule");
    assert_eq!(wide.launch.neighbours, 4);
    assert_eq!(wide.row(), "8*8,1,128,2,no,0.900,4");
    let facing = Rule::parse("8*8,1,128,2,no,0.900,1,last").expect("a rule");
    assert_eq!(facing.launch.facing, [false, true]);
    assert_eq!(facing.row(), "8*8,1,128,2,no,0.900,1,last");
    let roots = Rule::parse("8*8,1,128,2,no,0.900,1,none,looked up").expect("a rule");
    assert!(roots.launch.looked_up && roots.launch.facing == [false; 2]);
    assert_eq!(roots.row(), "8*8,1,128,2,no,0.900,1,none,looked up");
    let both = Rule::parse("8*8,1,128,2,no,0.900,1,none,multiplied+ahead").expect("a rule");
    assert!(both.launch.multiplied && both.launch.ahead == Some(Ahead::Late));
    let both = Rule::parse("8*8,1,128,2,no,0.900,2,last,looked up+unasked").expect("a rule");
    assert!(both.launch.looked_up && both.launch.unasked);
    assert_eq!(both.row(), "8*8,1,128,2,no,0.900,2,last,looked up+unasked");
    let spread = Rule::parse("8*8,4,128,2,no,0.900,1,none,ahead+2 blocks").expect("a rule");
    assert_eq!((spread.lines, spread.blocks), (4, 2));
    assert_eq!(spread.row(), "8*8,4,128,2,no,0.900,1,none,ahead+2 blocks");
    let mixed = Rule::parse("16*(32*8),1,128,2,no,0.900").expect("a rule");
    assert!(mixed.sequence.is_mixed());
    assert_eq!(mixed.row(), "16*(32*8),1,128,2,no,0.900");
    for bad in [
        "8*8,0,128,2,no,0.9",
        "8*8,1,0,2,no,0.9",
        "8*8,1,128,0,no,0.9",
        "8*8,1,1025,1,no,0.9",
        "8*8,1,128,18446744073709551615,no,0.9",
        "2*2*2*2*2*2*2*2*2*2*2*2*2,1,128,1,no,0.9",
        "8*x,1,128,2,no,1",
        "8*8,1,128,2,no,0.9,3",
        "8*8,1,128,2,no,0.9,1,faced",
        "8*8,1,128,2,no,0.9,1,none,looked",
        "8*8,1,128,2,no,0.9,1,none,looked up,1",
        "8*8,1,128,2,no,0.9,1,none,1 blocks",
        "8*8,1,128,2,no,0.9,1,none,two blocks",
    ] {
        assert_eq!(Rule::parse(bad), None, "{bad}");
    }
}
