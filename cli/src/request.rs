//! Arguments that become parts of a request.

use super::excerpt::excerpt;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::Args;
use mmafft::{
    AnyBackend, Effort, Engine, Kind, Normalization, Planner, Precision, Request, Shape, BACKENDS,
    KINDS, PRECISIONS,
};
use std::ops::Range;

/// What a transform is, apart from shape, precision and kind.
#[derive(Args, Debug, Clone)]
pub struct Common {
    /// Axes to transform, such as 0,1 or -1; the last one is halved by real kinds [default: all]
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true, value_parser = axis)]
    pub axes: Option<Vec<isize>>,
    /// Scaling: neither direction, either by 1/N (full), the inverse by 1/N (backward), both by 1/√N (ortho), the forward
    /// one by 1/N [default: backward, as NumPy; none where speed is measured]
    #[arg(long, value_parser = normalizations())]
    pub norm: Option<Normalization>,
    /// Undo what the kind does with the same --norm: exp(+2πi·kn/N) for c2c, c2r for r2c, dct3 for dct2 and the reverse
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
    /// Estimate the plan, or time tiles (measure), other passes and factors too (patient), and keep what is the fastest
    #[arg(long, default_value = "estimate", value_parser = efforts())]
    pub effort: Effort,
}

/// Names of efforts.
pub fn efforts() -> impl TypedValueParser<Value = Effort> {
    PossibleValuesParser::new(Effort::ALL.map(|(_, name)| name))
        .map(|name| Effort::from_name(&name).unwrap_or_default())
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

/// A number of things, of which there is one at least: `4096`, or as [`number`] takes it.
pub fn count(text: &str) -> Result<usize, String> {
    match number(text) {
        Some(0) | None => {
            Err("a whole number from 1 is expected, such as 4096, 2^12, 1e6 or 64k".into())
        }
        Some(count) => Ok(count),
    }
}

/// A whole number as tables of transforms write it: `4096`, `2^12`, `1e6`, `64k` or `1M`, where k is 2^10 and M is 2^20.
pub fn number(text: &str) -> Option<usize> {
    let digits = |text: &str| {
        let all = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        all.then(|| text.parse::<usize>().ok())?
    };
    let power = |base: usize, exponent: &str| base.checked_pow(digits(exponent)?.try_into().ok()?);
    if let Some((base, exponent)) = text.split_once('^') {
        return power(digits(base)?, exponent);
    }
    if let Some((factor, exponent)) = text.split_once(['e', 'E']) {
        return digits(factor)?.checked_mul(power(10, exponent)?);
    }
    let unit = match text.chars().last()? {
        'k' | 'K' => 1 << 10,
        'm' | 'M' => 1 << 20,
        'g' | 'G' => 1 << 30,
        _ => return digits(text),
    };
    digits(&text[..text.len() - 1])?.checked_mul(unit)
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
    let dims: Option<Vec<usize>> = text.split(['x', '×']).map(number).collect();
    dims.map(|dims| Shape::new(&dims)).ok_or_else(|| {
        let got = excerpt(text);
        format!("expected lengths such as 1024, 1024x768, 2^20, 1e6 or 64k, got '{got}'")
    })
}

/// `0:3..17` as a range on an axis.
pub fn range(text: &str) -> Result<(usize, Range<usize>), String> {
    let parts = || {
        let (axis, range) = text.split_once(':')?;
        let (start, end) = range.split_once("..")?;
        Some((axis.parse().ok()?, number(start)?..number(end)?))
    };
    parts().ok_or_else(|| {
        let got = excerpt(text);
        format!("expected an axis and a range such as 0:3..17, got '{got}'")
    })
}

impl Common {
    /// The planner of the backend asked for.
    pub fn planner(&self) -> mmafft::Result<Planner> {
        self.backend().map(|backend| self.planner_on(backend))
    }

    /// The same on this backend.
    pub fn planner_on(&self, backend: AnyBackend) -> Planner {
        Planner::on(backend).effort(self.effort)
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

    /// The request for arrays of this (real) shape, scaled by default as commands for users' data do.
    pub fn request(
        &self,
        kinds: &[Kind],
        shape: Shape,
        precision: Precision,
    ) -> Result<Request, String> {
        self.scaled(kinds, shape, precision, Normalization::Backward)
    }

    /// The same, scaled by default as transforms are whose speed is compared.
    pub fn unscaled_request(
        &self,
        kinds: &[Kind],
        shape: Shape,
        precision: Precision,
    ) -> Result<Request, String> {
        let mut request = self.scaled(kinds, shape, precision, Normalization::None)?;
        if self.norm.is_none() {
            // Other libraries scale neither direction.
            request.normalization = Normalization::None;
        }
        Ok(request)
    }

    fn scaled(
        &self,
        kinds: &[Kind],
        shape: Shape,
        precision: Precision,
        default: Normalization,
    ) -> Result<Request, String> {
        let kind = kinds.last().copied().unwrap_or(Kind::C2C);
        let axes = self.axes(shape.rank())?;
        let mut request = Request::of_kind(kind, shape)
            .normalization(self.norm.unwrap_or(default))
            .precision(precision)
            .split_matrix(!self.unsplit_matrix);
        if kinds.len() > 1 {
            request = request.kinds(kinds);
        }
        if self.inverse {
            request = request.inverse();
        }
        request.axes = axes;
        request.radices = self.radices.clone();
        request.engine = self.engine;
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_written_as_in_tables() {
        for (text, expected) in [
            ("4096", Some(4096)),
            ("2^20", Some(1 << 20)),
            ("3^5", Some(243)),
            ("1e6", Some(1_000_000)),
            ("5E3", Some(5000)),
            ("64k", Some(1 << 16)),
            ("1M", Some(1 << 20)),
            ("0", Some(0)),
            ("2^64", None),
            ("1e20", None),
            ("1.5e3", None),
            ("+5", None),
            ("2^-1", None),
            ("k", None),
            ("", None),
            ("6é", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
        assert_eq!(shape("2^10x64k"), Ok(Shape::d2(1 << 10, 1 << 16)));
        assert!(count("0").is_err());
        assert_eq!(range("0:0..1k"), Ok((0, 0..1024)));
    }
}
