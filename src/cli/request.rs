//! Arguments that become parts of a request.

use super::excerpt::excerpt;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::Args;
use mmafft::{
    AnyBackend, Engine, Kind, Normalization, Planner, Precision, Request, Shape, BACKENDS, KINDS,
    PRECISIONS,
};
use std::ops::Range;

/// What a transform is, apart from shape, precision and kind.
#[derive(Args, Debug, Clone)]
pub struct Common {
    /// Axes to transform, such as 0,1 or -1; the last one is halved by real kinds [default:
    /// all, the last three of four]
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true, value_parser = axis)]
    pub axes: Option<Vec<isize>>,
    /// Scaling: neither direction, both by 1/√N, the inverse or the forward one by 1/N
    #[arg(long, default_value = "none", value_parser = normalizations())]
    pub norm: Normalization,
    /// Undo the kind: exp(+2πi·kn/N) for c2c, c2r for r2c, dct3 for dct2 and the reverse
    #[arg(long)]
    pub inverse: bool,
    /// Radices in order of preference, such as 8,4,2
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true, value_parser = count)]
    pub radices: Option<Vec<usize>>,
    /// Butterflies (simt) or matrix products (matrix) [default: what suits the precision]
    #[arg(long, value_parser = engines())]
    pub engine: Option<Engine>,
    /// Leave DFT matrices that 16 bits do not hold unsplit, to see the loss
    #[arg(long)]
    pub unsplit_matrix: bool,
    /// Where to run
    #[arg(long, default_value = "auto", value_parser = backends())]
    pub backend: String,
    /// Threads of the cpu backend [default: all]
    #[arg(long, value_parser = count)]
    pub threads: Option<usize>,
}

fn normalizations() -> impl TypedValueParser<Value = Normalization> {
    let names = Normalization::ALL.map(|(_, name)| name);
    PossibleValuesParser::new(names).map(|name| {
        let found = Normalization::ALL.iter().find(|(_, n)| *n == name);
        found.map_or(Normalization::None, |(n, _)| *n)
    })
}

fn engines() -> impl TypedValueParser<Value = Engine> {
    PossibleValuesParser::new(["simt", "matrix"]).map(|name| match name.as_str() {
        "simt" => Engine::Simt,
        _ => Engine::Matrix,
    })
}

/// A number of things, of which there is one at least.
pub fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a whole number from 1 is expected".into()),
        Ok(count) => Ok(count),
    }
}

fn axis(text: &str) -> Result<isize, String> {
    let axis = text.parse();
    axis.map_err(|_| "an axis such as 0, or -1 for the last, is expected".into())
}

pub fn backends() -> PossibleValuesParser {
    let names = BACKENDS.iter().map(|b| b.name);
    PossibleValuesParser::new(["auto"].into_iter().chain(names))
}

/// Names of the table of kinds.
pub fn kinds() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(KINDS.iter().map(|row| row.name))
        .map(|name| Kind::from_name(&name).unwrap_or(Kind::C2C))
}

/// Names of the table of precisions.
pub fn precisions() -> impl TypedValueParser<Value = Precision> {
    PossibleValuesParser::new(PRECISIONS.iter().map(|row| row.name))
        .map(|name| Precision::from_name(&name).unwrap_or(Precision::F32))
}

/// `1024x768` as a shape.
pub fn shape(text: &str) -> Result<Shape, String> {
    let dims: Result<Vec<usize>, _> = text.split(['x', '×']).map(str::parse).collect();
    dims.map(|dims| Shape::new(&dims)).map_err(|_| {
        let got = excerpt(text);
        format!("expected lengths such as 1024 or 1024x768, got '{got}'")
    })
}

/// `0:3..17` as a range on an axis.
pub fn range(text: &str) -> Result<(usize, Range<usize>), String> {
    let parts = || {
        let (axis, range) = text.split_once(':')?;
        let (start, end) = range.split_once("..")?;
        Some((axis.parse().ok()?, start.parse().ok()?..end.parse().ok()?))
    };
    parts().ok_or_else(|| {
        let got = excerpt(text);
        format!("expected an axis and a range such as 0:3..17, got '{got}'")
    })
}

impl Common {
    /// The planner of the backend asked for.
    pub fn planner(&self) -> mmafft::Result<Planner> {
        self.backend().map(Planner::on)
    }

    /// The backend asked for.
    pub fn backend(&self) -> mmafft::Result<AnyBackend> {
        match (self.threads, self.backend.as_str()) {
            (Some(threads), "auto" | "cpu") => {
                let options = mmafft::CpuOptions {
                    threads,
                    ..Default::default()
                };
                Ok(AnyBackend::Cpu(mmafft::CpuBackend::new(options)))
            }
            (_, name) => AnyBackend::from_name(name),
        }
    }

    /// The axes for an array of this rank; negative ones count from the end.
    ///
    /// # Errors
    /// One sentence with the axis as it was written; the planner checks those from 0 on.
    pub fn axes(&self, rank: usize) -> Result<Option<Vec<usize>>, String> {
        let Some(axes) = &self.axes else {
            return Ok(None);
        };
        let resolve = |&axis: &isize| match axis {
            0.. => Ok(axis.unsigned_abs()),
            _ => rank.checked_add_signed(axis).ok_or_else(|| {
                format!("axis {axis} does not exist: expected none below minus the rank, -{rank}")
            }),
        };
        axes.iter().map(resolve).collect::<Result<_, _>>().map(Some)
    }

    /// The kinds that `kinds` and `--inverse` mean together.
    pub fn kinds(&self, kinds: &[Kind]) -> Vec<Kind> {
        let undone = |kind: &Kind| match self.inverse {
            true => kind.row().inverse,
            false => *kind,
        };
        kinds.iter().map(undone).collect()
    }

    /// The request for arrays of this (real) shape.
    pub fn request(
        &self,
        kinds: &[Kind],
        shape: Shape,
        precision: Precision,
    ) -> Result<Request, String> {
        let kind = kinds.last().copied().unwrap_or(Kind::C2C);
        let axes = self.axes(shape.rank())?;
        let mut request = Request::of_kind(kind, shape);
        if kinds.len() > 1 {
            request = request.kinds(kinds);
        }
        if self.inverse {
            request = request.inverse();
        }
        request = request
            .precision(precision)
            .normalization(self.norm)
            .split_matrix(!self.unsplit_matrix);
        request.axes = axes;
        request.radices = self.radices.clone();
        request.engine = self.engine;
        Ok(request)
    }
}
