//! Maps: where an index lies in memory, and in the line that passes share.

/// How what a loop or an axis counts lies in runs, on one side of memory: `points` of them at its stride, and each run
/// `apart` scalars behind the one before. So does scratch between two passes: the columns `n2` and rows `k1` of a line
/// as `[n2 / points][k1][n2 % points]`. A tile of neighbouring columns is one piece there, or few, and
/// what neighbouring rows have of it lies beside each other, where `[k1][n2]` has pieces as short as a tile is wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Runs {
    /// How many make a run.
    pub points: usize,
    /// Scalars from the first of one run to that of the next.
    pub apart: usize,
}

impl Runs {
    /// How every `step`-th of these lies; `None` where not all of them are as far from the next.
    pub fn every(runs: Option<Runs>, stride: usize, step: usize) -> Option<(usize, Option<Runs>)> {
        match runs {
            Some(runs) if step.is_multiple_of(runs.points) => {
                Some((step / runs.points * runs.apart, None))
            }
            Some(runs) => runs.points.is_multiple_of(step).then(|| {
                let points = runs.points / step;
                (stride * step, Some(Runs { points, ..runs }))
            }),
            None => Some((stride * step, None)),
        }
    }
}

/// Where what a loop or an axis counts lies, on one side of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Map {
    /// Scalars from one to the next.
    pub stride: usize,
    /// The runs in which they lie.
    pub runs: Option<Runs>,
    /// Points of the line that passes share from one to the next: point p of an axis is point
    /// `p·axis.index + Σ i·loop.index` of the whole line. 1 of an axis whose line is whole; 0 of a loop that
    /// counts no part of a line.
    pub index: usize,
}

impl Map {
    /// Whole lines, so many scalars from one to the next.
    pub fn of_lines(stride: usize) -> Map {
        Map {
            stride,
            runs: None,
            index: 0,
        }
    }

    /// Every `step`-th of these; `None` where not all of them are as far from the next.
    pub fn every(self, step: usize) -> Option<Map> {
        let (stride, runs) = Runs::every(self.runs, self.stride, step)?;
        let index = self.index * step;
        Some(Map {
            stride,
            runs,
            index,
        })
    }

    /// Scalars before index `i`.
    pub fn at(&self, i: usize) -> usize {
        match self.runs {
            Some(runs) => i / runs.points * runs.apart + i % runs.points * self.stride,
            None => i * self.stride,
        }
    }

    /// Scalars from a point of the whole line to the next.
    pub fn unit(&self) -> usize {
        self.stride / self.index
    }
}

#[cfg(test)]
#[path = "map_tests.rs"]
mod tests;
