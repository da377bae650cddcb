use super::*;

#[test]
fn what_is_written_is_read() {
    let turns = Turns {
        arrays: 2,
        ahead: 3,
        kept: Some(5),
    };
    for asked in [
        Asked::default(),
        Asked::pass_by_pass(),
        Asked::clusters(true),
        Asked::clusters(false),
        Asked::turns(turns),
        Asked::turns(Turns {
            kept: None,
            ..turns
        }),
        Asked::parts(&[256, 512]),
        Asked {
            clusters: Some(true),
            turns: Some(turns),
            way: Some("four-step lines".into()),
            ..Asked::default()
        },
    ] {
        assert_eq!(Asked::parse(&asked.to_string()), Some(asked));
    }
    for bad in [
        "",
        "parts 4",
        "parts 4*0",
        "turns 1 2",
        "turns 0 1 2",
        "there",
    ] {
        assert_eq!(Asked::parse(bad), None, "{bad}");
    }
}
