use super::super::rule_keys::alike;
use super::super::rule_keys::keys as keys_of;
use super::*;
use mmafft_backend_traits::{Engine, Request, ScalarType, Shape};

#[test]
fn a_device_has_rules_of_its_own() {
    let of = |device: &str| Limits {
        device: device.into(),
        architecture: "sm_90".into(),
        ..super::super::fits::invented(227 << 10)
    };
    let limits = of("");
    let keys = Keys {
        limits: &limits,
        scalar: ScalarType::F64,
        engine: Engine::Simt,
    };
    let keys = keys.of_parts(Kind::C2C, 1 << 24);
    let factors = |device: &str| {
        let rules = of_each(keys.clone(), &of(device)).into_iter();
        let radices = rules.map(|(_, rule)| rule.sequence.radices().len());
        radices.collect::<Vec<_>>()
    };
    assert_eq!(factors("NVIDIA H200"), [3]);
    // What cannot be followed leaves the architecture's.
    assert_eq!(factors("NVIDIA H100 80GB HBM3"), [2, 3]);
}

/// Of several keys a device's rows come before all of its architecture; a comma in its name is none of the table's.
#[test]
fn rows_of_a_device_come_first() {
    let limits = Limits {
        device: "NVIDIA, new".into(),
        ..super::super::fits::invented(227 << 10)
    };
    let [first, second, alone] = [
        "sm_90,f32,simt,c2c,rows,65",
        "sm_90,f32,simt,c2c,rows,64",
        "sm_90 NVIDIA  new,f32,simt,c2c,rows,64",
    ];
    let rows = [(first, 5), (alone, 3), (second, 4)];
    let rows = rows.map(|(key, lines)| format!("{key},8*8,{lines},128,2,0.9\n"));
    let table = parse(&rows.concat()).expect("a table");
    let rules = found_in(&table, &[first, second], &limits);
    let lines: Vec<usize> = rules.map(|(_, rule)| rule.lines).collect();
    assert_eq!(lines, [3, 5, 4]);
}

/// DCT-III and DST-III go by each other's rows, DCT-III's own first: on an H200 only DST-III of 1024x1024 was slower in turns.
#[test]
fn what_is_not_in_turns_is_not_of_kinds_alike() {
    let limits = Limits {
        device: "NVIDIA H200".into(),
        architecture: "sm_90".into(),
        workers: 132,
        butterflies: &[32, 16, 8, 4],
        ..super::super::fits::invented(227 << 10)
    };
    let in_turns = |kind: Kind| {
        let shape = Shape::new(&[1024, 1024]);
        let request = Request::of_kind(kind, shape).batch(64);
        let plan = crate::plan(&request, &limits).expect("a plan");
        plan.turns.is_some()
    };
    assert!(in_turns(Kind::Dct3));
    assert!(!in_turns(Kind::Dst3));
}

#[test]
fn sines_move_as_cosines_do() {
    let of = |kind| alike(kind).collect::<Vec<_>>();
    assert_eq!(of(Kind::Dst2), ["dct2"]);
    assert_eq!(of(Kind::Dct3), ["dst3"]);
    assert_eq!(of(Kind::Dst4), ["dct4"]);
    assert!(of(Kind::C2C).is_empty());
}

/// Half spectra that become two reals apart go by rules of their own; without one by those of complex points.
#[test]
fn splits_to_reals_have_rules_of_their_own() {
    let limits = Limits {
        architecture: "sm_90".into(),
        ..super::super::fits::invented(64 << 10)
    };
    let names = |request: fn(Shape) -> Request| {
        let plan = crate::plan(&request(Shape::d1(1 << 18)), &limits).expect("a plan");
        let mut names: Vec<String> = Vec::new();
        for key in keys(plan.passes.last().expect("passes"), &limits) {
            let name = key.split(',').nth(3).expect("a kind").to_string();
            if name != "c2c" && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    };
    assert_eq!(
        names(|n| Request::of_kind(Kind::Dct2, n)),
        ["apart split", "split"]
    );
    assert_eq!(names(Request::r2c), ["split"]);
}

/// Lines whose convolutions are as long go by one rule.
#[test]
fn chirps_are_known_by_their_convolutions() {
    let limits = Limits {
        architecture: "sm_90".into(),
        butterflies: &[2, 3, 4, 5, 8, 9, 16, 32],
        ..super::super::fits::invented(227 << 10)
    };
    let keys = |length: usize| {
        let request = Request::forward(Shape::d1(length)).batch(1000);
        let plan = crate::plan(&request, &limits).expect("a plan");
        let keys = plan.passes.iter();
        let keys = keys.map(|pass| keys_of(pass, &limits).into_iter().next());
        keys.collect::<Vec<_>>()
    };
    let known = |length| vec![Some(format!("sm_90,f32,simt,chirp,rows,{length}"))];
    assert_eq!(keys(4099), known(9216));
    assert_eq!(keys(4127), known(9216));
    assert_eq!(keys(7187), known(16384));
    assert_eq!(keys(8219), known(18432));
}

#[test]
fn the_table_can_be_read_and_is_as_it_would_be_written() {
    let rules = parse(include_str!("rules.csv")).expect("a table");
    for row in include_str!("rules.csv").lines().filter(|l| is_row(l)) {
        let (key, rule) = rules
            .iter()
            .find(|(k, _)| row.starts_with(&format!("{k},")))
            .expect("a rule");
        assert_eq!(row, format!("{key},{}", rule.row()));
        let length: usize = key.rsplit(',').next().map_or(0, |n| {
            n.split('x')
                .map(|n| n.parse::<usize>().unwrap_or(0))
                .product()
        });
        let product = rule.sequence.length().expect("it is small");
        let fields: Vec<&str> = key.split(',').collect();
        // Of the points of all axes: halved ones are packed.
        let axes = |kind: Kind| {
            let lengths = fields[5].split('x').map(|n| n.parse().unwrap_or(0));
            lengths.map(|n| kind.core_length(n)).product::<usize>()
        };
        let made = match (fields[3], fields[4]) {
            // Of two passes that share a line, or of a pass of an array.
            (kind, "first in turns" | "second in turns") => {
                let kind = Kind::from_name(kind).filter(|kind| kind.is_symmetric());
                let lengths = fields[5].split('x').map(|n| n.parse().unwrap_or(0));
                let whole = |n| kind.map_or(n, |kind| kind.logical_length(n));
                lengths
                    .map(whole)
                    .product::<usize>()
                    .is_multiple_of(product)
            }
            // Of the line, or of half of it where it is packed.
            (kind, "parts" | "parts in turns") => {
                let whole = Kind::from_name(kind).map(|k| k.shared_core_length(length));
                whole == Some(product) || 2 * product == length
            }
            ("rader", _) => product == length - 1,
            ("chirp", _) => product == length,
            // Of reals: of the line's length, as it is or half of it where it is packed.
            (kind, _) if kind.ends_with(" rader") => {
                product + 1 == length || 2 * (product + 1) == length
            }
            (kind, _) if kind.ends_with(" chirp") => product >= length - 1,
            // `split`, `merge` and `facing` are of complex lines.
            (kind, _) => {
                let kind = kind.rsplit(' ').next().unwrap_or(kind);
                let kind = Kind::from_name(kind).unwrap_or(Kind::C2C);
                // Of lines of type I also a quarter of each continued one.
                let lengths = fields[5].split('x').map(|n| n.parse().unwrap_or(0));
                let columns = lengths.fold(vec![1], |products: Vec<usize>, n| {
                    let folded = kind.is_symmetric().then(|| kind.shared_core_length(n) / 4);
                    let ways = [Some(kind.core_length(n)), folded];
                    let times = |p: usize| ways.into_iter().flatten().map(move |n| p * n);
                    products.into_iter().flat_map(times).collect()
                });
                columns.contains(&product) || product == axes(kind)
            }
        };
        assert!(rule.sequence.is_empty() || made, "{row}");
        // Both passes are in one launch.
        let turns = fields[4].strip_suffix(" in turns");
        if let Some(other) = turns.filter(|other| *other != "not") {
            let other = ["first", "second"].map(|which| key.replace(other, which));
            let threads = other.map(|key| rules.get(&key).map(|rule| rule.launch.threads));
            assert!(threads[0].is_some() && threads[0] == threads[1], "{row}");
        }
    }
}
