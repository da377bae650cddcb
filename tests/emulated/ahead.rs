//! Blocks that ask for a later tile: what they ask for is what that tile's block reads.

use crate::accesses::launches_of;
use crate::probe::{Probe, Vendor, ORDERS};
use crate::words::head;
use mmafft::backend_traits::Ahead;
use mmafft::emulated::Counters;
use mmafft::{Kind, Limits, Plan, Precision, Request, Result, Shape};

/// The plan where every launch that a rule has measured asks so, or none does.
fn asking(request: &Request, limits: &Limits, ahead: Option<Ahead>) -> Result<Plan> {
    let mut plan = mmafft::plan(request, limits)?;
    for launch in plan.passes.iter_mut().flat_map(|p| &mut p.tile.launch) {
        launch.ahead = ahead;
    }
    Ok(plan)
}

#[test]
fn what_is_asked_for_is_what_is_loaded_later() {
    let complex = |n| Request::forward(Shape::d1(n));
    let real = |kind, n| Request::of_kind(kind, Shape::d1(n));
    let requests = [
        // Lines, a copy in and out, a convolution, two digits at a time, a cluster.
        complex(64).batch(3000),
        complex(257).precision(Precision::F64).batch(200),
        complex(61).precision(Precision::F64).batch(2000),
        complex(4096).precision(Precision::F16).batch(40),
        complex(2048).precision(Precision::SplitF16).batch(80),
        complex(8192).precision(Precision::F64).batch(12),
        complex(1000).batch(150),
        // Columns, and parts of a line.
        Request::forward(Shape::d2(128, 64)).batch(20),
        complex(1 << 17),
        // Reals: in pairs, facing, mirrored, from both ends; lines in mirrored pairs.
        Request::r2c(Shape::d1(1024)).batch(100),
        Request::c2r(Shape::d1(4096)).batch(40),
        real(Kind::Dct2, 1000).batch(150),
        real(Kind::Dct3, 1000).batch(150),
        real(Kind::Dct4, 512).batch(200),
        real(Kind::Dct1, 1001).batch(150),
        real(Kind::HC2R, 512).batch(200),
        real(Kind::R2HC, 1000).batch(150),
        Request::r2c(Shape::d1(1 << 18)),
        Request::c2r(Shape::d1(1 << 18)),
    ];
    let mut asked = 0;
    for request in requests {
        let run = |plan| {
            let probe = Probe::new(Vendor::Nvidia, ORDERS[0]);
            launches_of(plan, probe, &request).expect("every precision is there")
        };
        let (_, without) = run(|request, limits| asking(request, limits, None));
        let early = run(|request, limits| asking(request, limits, Some(Ahead::Early)));
        let late = run(|request, limits| asking(request, limits, Some(Ahead::Late)));
        let both = [early, late].map(|(plan, records)| records.into_iter().zip(plan.passes));
        let passes = both
            .into_iter()
            .flat_map(|passes| passes.zip(&without).enumerate());
        for (i, ((with, pass), without)) in passes {
            let (Some(_), counters) = (pass.tile.launch, with.counters) else {
                continue;
            };
            let what = format!("pass {i} of {request:?}: {counters:?}");
            let ahead = head(&with.program, "ahead") as u64;
            assert!(ahead > 0, "{what}");
            let later = with.tiles.saturating_sub(ahead);
            // The last point of a half spectrum, which no pair of mirror images has, is loaded after the others are
            // there, and not asked for.
            let ends = [Kind::C2R, Kind::HC2R, Kind::Dct3].contains(&request.kind);
            let all = counters.asked == counters.read_later;
            let expected = counters.bytes_read as f64 / with.tiles as f64 * later as f64;
            let share = counters.bytes_asked as f64 / expected;
            assert!(
                all || (ends && (0.99..1.0).contains(&share)),
                "{what}, for {later} tiles"
            );
            asked += usize::from(later > 0);
            let moved = |counters: Counters| (counters.bytes_read, counters.bytes_written);
            assert_eq!(moved(counters), moved(without.counters), "{what}");
        }
    }
    assert!(asked >= 34, "only {asked} passes had later tiles");
}
