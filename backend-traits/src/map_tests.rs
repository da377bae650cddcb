use super::*;

#[test]
fn every_so_many_points_in_runs() {
    let at = |runs: Option<Runs>, stride: usize, i: usize| match runs {
        Some(runs) => i / runs.points * runs.apart + i % runs.points * stride,
        None => i * stride,
    };
    let runs = Some(Runs {
        points: 16,
        apart: 1000,
    });
    for step in [1, 4, 16, 48] {
        let (stride, every) = Runs::every(runs, 2, step).expect("whole runs, or a divisor");
        for i in 0..100 {
            assert_eq!(at(every, stride, i), at(runs, 2, i * step), "{step}");
        }
    }
    assert_eq!(Runs::every(runs, 2, 12), None);
    assert_eq!(Runs::every(None, 2, 12), Some((24, None)));
}
