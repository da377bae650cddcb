//! Lines that no tile holds: N = N1·N2 in two trips (Bailey's four-step).
//!
//! ```text
//! x[n1·N2 + n2]  --DFT over n1, times exp(∓2πi·k1·n2/N)-->  y[k1, n2]     (columns)
//! y[k1, n2]      --DFT over n2-->                           X[k2·N1 + k1] (rows)
//! ```
//! Order is restored by the second store's strides: no pass is a bare transpose. A second
//! factor that is still too long is split again, within the scratch.

use super::problem::Problem;
use super::stage::{Place, Route, Stage};
use mmafft_backend_traits::{radix, Error, Kind, Limits, Loop, Result, Slot};

/// Replaces stages with longer lines than the device takes.
pub fn split_long_lines(route: Route, problem: &Problem, limits: &Limits) -> Result<Route> {
    let mut out = Route {
        stages: Vec::new(),
        scratch_scalars: route.scratch_scalars,
    };
    // Intermediates of long lines lie behind whatever scratch the route has already.
    let base = route.scratch_scalars;
    for stage in route.stages {
        split(stage, base, problem, limits, &mut out)?;
    }
    Ok(out)
}

fn split(
    stage: Stage,
    base: usize,
    problem: &Problem,
    limits: &Limits,
    out: &mut Route,
) -> Result<()> {
    if stage.length <= limits.line_points {
        out.stages.push(stage);
        return Ok(());
    }
    let n = stage.length;
    let whole = 0..n;
    let asked = problem.request.radices.as_deref();
    let n1 = balanced_factor(n, limits.line_points, asked);
    let (Some(n1), Kind::C2C) = (n1, stage.kind) else {
        return Err(unsupported(&stage, limits));
    };
    if stage.load_range != whole || stage.store_range != whole {
        return Err(unsupported(&stage, limits));
    }
    let n2 = n / n1;

    // A line in scratch is [k1][n2] behind its other dimensions. A second split finds the
    // line there already, and stays.
    let middle = if stage.load.slot == Slot::Scratch && !stage.inner.is_empty() {
        stage.load.clone()
    } else {
        let extents: Vec<usize> = problem
            .dims
            .iter()
            .enumerate()
            .map(|(i, d)| {
                if i == stage.dim {
                    1
                } else {
                    d.lengths[0].max(d.lengths[1])
                }
            })
            .collect();
        let (mut place, scalars) = Place::in_scratch(base, &extents);
        for stride in &mut place.strides {
            *stride *= n;
        }
        place.strides[stage.dim] = 2;
        out.scratch_scalars = out.scratch_scalars.max(base + scalars * n);
        place
    };
    let [load, store, mid] = [&stage.load, &stage.store, &middle].map(|p| p.strides[stage.dim]);

    let mut columns = stage.clone();
    columns.length = n1;
    (columns.load_range, columns.store_range) = (0..n1, 0..n1);
    columns.load.strides[stage.dim] = load * n2;
    columns.store = middle.clone();
    columns.store.strides[stage.dim] = mid * n2;
    // Loops of an earlier split: their lines stay where they are.
    for l in &mut columns.inner {
        l.store = l.load;
    }
    columns.inner.push(Loop {
        count: n2,
        load,
        store: mid,
    });
    columns.twiddle = Some(n);
    out.stages.push(columns);

    let mut rows = stage.clone();
    rows.length = n2;
    (rows.load_range, rows.store_range) = (0..n2, 0..n2);
    rows.load = middle;
    rows.load.strides[stage.dim] = mid;
    rows.store.strides[stage.dim] = store * n1;
    rows.inner.push(Loop {
        count: n1,
        load: mid * n2,
        store,
    });
    split(rows, base, problem, limits, out)
}

/// The divisor of `n` nearest to its root (or, for lines of three factors, the largest)
/// that a tile holds, and that the radices asked for make.
fn balanced_factor(n: usize, limit: usize, asked: Option<&[usize]>) -> Option<usize> {
    let root = (n as f64).sqrt() as usize + 1;
    let made = |d: usize| asked.is_none_or(|radices| radix::factor(d, radices).is_some());
    (2..=root.min(limit))
        .rev()
        .find(|d| n.is_multiple_of(*d) && made(*d) && made(n / d))
}

fn unsupported(stage: &Stage, limits: &Limits) -> Error {
    Error::Unsupported {
        what: format!(
            "a {} line of {} points, longer than {} and without a factor that fits,",
            stage.kind.row().name,
            stage.length,
            limits.line_points
        ),
        backend: limits.backend.into(),
        instead: "use another backend, a length with smaller factors, or no zero range".into(),
    }
}
