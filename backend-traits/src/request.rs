//! What a user asks for.

use crate::kind::{Direction, Kind, Normalization};
use crate::layout::{Layout, Placement};
use crate::precision::Precision;
use crate::shape::Shape;
use crate::step::Engine;
use std::ops::Range;

/// A transform to be planned: kind, shape, axes, strides, batch, direction,
/// normalisation, precision, zero ranges and a scratch limit. Building one checks
/// nothing; the planner does, once.
///
/// ```
/// # use mmafft_backend_traits::{Precision, Request, Shape};
/// let request = Request::forward(Shape::d2(1024, 768))
///     .batch(8)
///     .precision(Precision::SplitF16);
/// assert_eq!(request.batch, 8);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Request {
    /// What is transformed into what; the last of `kinds` where they are given.
    pub kind: Kind,
    /// A kind for each of the axes, where they differ: all from reals to as many reals.
    pub kinds: Option<Vec<Kind>>,
    /// The sign of the exponent; of kinds without one, the side that the normalisation counts.
    direction: Direction,
    /// The lengths of one array; of the real side for R2C and C2R.
    pub shape: Shape,
    /// The axes to transform; the last listed is the one that R2C and C2R halve. Default: all.
    pub axes: Option<Vec<usize>>,
    /// How many arrays.
    pub batch: usize,
    /// How the output is scaled.
    pub normalization: Normalization,
    /// How points are stored and computed.
    pub precision: Precision,
    /// One buffer or two.
    pub placement: Placement,
    /// Where the input lies.
    pub input: Layout,
    /// Where the output goes.
    pub output: Layout,
    /// `(axis, range)`: outside of it the input is zero, and not read.
    pub nonzero_input: Vec<(usize, Range<usize>)>,
    /// `(axis, range)`: outside of it the output is unwanted, and not written; in place it may be, by what lies between
    /// passes.
    pub wanted_output: Vec<(usize, Range<usize>)>,
    /// Whether the output is memory that is slow to read, as another device's is.
    ///
    /// Only the last pass stores there then, and what lies between passes lies in scratch, up to as much as the output.
    /// Nothing is timed for such a request. In place it has no effect.
    pub write_only_output: bool,
    /// The engine, where the user wants to choose.
    pub engine: Option<Engine>,
    /// Radices in order of preference, where the user wants to choose.
    pub radices: Option<Vec<usize>>,
    /// Whether the matrix engine splits DFT matrices that 16 bits do not hold. Off, it
    /// shows the loss that the 2019 report has at radix 8.
    pub split_matrix: bool,
    /// The most scratch that the plan may ask for, in bytes. Without a limit the plan has the fewest passes, whatever
    /// scratch these take (of a device's C2R of three axes up to as much as its input). When it is built for the CPU, what
    /// threads work in is counted too: it has as many as there is room for, at least one. Not counted are the 8 bytes a
    /// turn that a device needs for passes that take turns.
    pub scratch_limit: Option<usize>,
    /// How long a planner may look for the fastest plan; `None`: as long as the planner is told.
    pub effort: Option<Effort>,
}

/// How long a planner looks for the fastest plan, as FFTW's users know it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Effort {
    /// It runs nothing, and goes by what was measured before and by a model.
    #[default]
    Estimate,
    /// It times some twenty tiles of each pass where they run: seconds, once for a device.
    Measure,
    /// It also times other passes and factors: minutes, once for a device.
    Patient,
}

impl Effort {
    /// Every effort, and its name on the command line.
    pub const ALL: [(Effort, &str); 3] = [
        (Effort::Estimate, "estimate"),
        (Effort::Measure, "measure"),
        (Effort::Patient, "patient"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        let row = Effort::ALL.iter().find(|(effort, _)| *effort == self);
        row.map_or("", |(_, name)| name)
    }

    /// The effort with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Effort> {
        let row = Effort::ALL.iter().find(|(_, own)| *own == name)?;
        Some(row.0)
    }
}

impl Request {
    fn new(kind: Kind, direction: Direction, shape: Shape) -> Self {
        Request {
            kind,
            kinds: None,
            direction,
            shape,
            axes: None,
            batch: 1,
            normalization: Normalization::default(),
            precision: Precision::F32,
            placement: Placement::default(),
            input: Layout::default(),
            output: Layout::default(),
            nonzero_input: Vec::new(),
            wanted_output: Vec::new(),
            engine: None,
            radices: None,
            split_matrix: true,
            write_only_output: false,
            scratch_limit: None,
            effort: None,
        }
    }

    /// Complex to complex, `exp(−2πi·kn/N)`.
    pub fn forward(shape: Shape) -> Self {
        Request::new(Kind::C2C, Direction::Forward, shape)
    }

    /// Complex to complex, `exp(+2πi·kn/N)`, unscaled: FFTW's `FFTW_BACKWARD`.
    ///
    /// [`Request::inverse`] makes the request that undoes another, scaled.
    pub fn backward(shape: Shape) -> Self {
        Request::new(Kind::C2C, Direction::Inverse, shape)
    }

    /// Real to half spectrum; `shape` is that of the real input.
    pub fn r2c(shape: Shape) -> Self {
        Request::new(Kind::R2C, Direction::Forward, shape)
    }

    /// Half spectrum to real; `shape` is that of the real output.
    pub fn c2r(shape: Shape) -> Self {
        Request::new(Kind::C2R, Direction::Inverse, shape)
    }

    /// Of any kind, every axis by it; complex to complex forward.
    ///
    /// A DCT or DST made so is a forward transform, as SciPy's `dct(x, type)` is.
    /// [`Request::inverse`] of one is what SciPy calls `idct(x, type)`.
    pub fn of_kind(kind: Kind, shape: Shape) -> Self {
        Request::directed(kind, Direction::Forward, shape)
    }

    /// Of any kind in any direction, for tests that go through both.
    #[doc(hidden)]
    pub fn directed(kind: Kind, direction: Direction, shape: Shape) -> Self {
        Request::new(kind, kind.row().direction.unwrap_or(direction), shape)
    }

    /// The request that undoes this one, normalisation included, for every kind.
    ///
    /// Input and output change places, and with them their layouts and zero ranges.
    ///
    /// ```
    /// # use mmafft_backend_traits::{Kind, Normalization, Request, Shape};
    /// let forward = Request::of_kind(Kind::Dct2, Shape::d1(100));
    /// let inverse = forward.clone().inverse();
    /// assert_eq!(inverse.kind, Kind::Dct3);
    /// assert_eq!(inverse.normalization, Normalization::Full);
    /// assert_eq!(inverse.inverse(), forward);
    /// ```
    pub fn inverse(mut self) -> Self {
        self.kind = self.kind.row().inverse;
        for kind in self.kinds.iter_mut().flatten() {
            *kind = kind.row().inverse;
        }
        let direction = self.direction.reversed();
        self.direction = self.kind.row().direction.unwrap_or(direction);
        if self.kinds.is_some() {
            self.direction = direction;
        }
        self.normalization = self.normalization.inverse();
        std::mem::swap(&mut self.input, &mut self.output);
        std::mem::swap(&mut self.nonzero_input, &mut self.wanted_output);
        self
    }

    /// The sign of the exponent; of kinds without one, the side that the normalisation counts.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The same request, with a list of equal kinds said as one kind.
    #[doc(hidden)]
    pub fn unified(mut self) -> Self {
        if let Some(&last) = self.kinds.as_ref().and_then(|kinds| kinds.last()) {
            self.kind = last;
            self.kinds = self
                .kinds
                .filter(|all| all.iter().any(|&kind| kind != last));
        }
        if self.kinds.is_none() {
            self.direction = self.kind.row().direction.unwrap_or(self.direction);
        }
        self
    }

    /// A kind for each of the axes, in the order in which these are listed: all from reals to
    /// as many reals.
    pub fn kinds(mut self, kinds: &[Kind]) -> Self {
        self.kinds = Some(kinds.to_vec());
        self
    }

    /// The kind applied along `axis` by a request whose axes are filled in, as a plan's are.
    pub fn kind_of(&self, axis: usize) -> Option<Kind> {
        let axes = self.axes.as_ref()?;
        let place = axes.iter().position(|&a| a == axis)?;
        match &self.kinds {
            Some(kinds) => kinds.get(place).copied(),
            None if self.kind.is_real_to_real() || place + 1 == axes.len() => Some(self.kind),
            None => Some(Kind::C2C),
        }
    }

    /// The lengths that normalisations count, of a request whose axes are filled in; none of an axis that its shape has not.
    pub fn logical_lengths(&self) -> Vec<usize> {
        self.counted().map(|(_, length)| length).collect()
    }

    /// The factor of its normalisation, of a request whose axes are filled in: each axis counts as its kind is a forward
    /// or an inverse transform, by itself or by [`Request::direction`].
    pub fn scale(&self) -> f64 {
        let of = |direction: Direction| {
            let own = self
                .counted()
                .filter(|(kind, _)| kind.row().direction.unwrap_or(self.direction) == direction);
            let points = own.map(|(_, length)| length as f64).product();
            self.normalization.factor(points, direction)
        };
        of(Direction::Forward) * of(Direction::Inverse)
    }

    /// Kind and logical length of each axis.
    fn counted(&self) -> impl Iterator<Item = (Kind, usize)> + '_ {
        let axes = self.axes.iter().flatten();
        axes.filter_map(|&a| {
            let (kind, &length) = (self.kind_of(a)?, self.shape.dims().get(a)?);
            Some((kind, kind.logical_length(length)))
        })
    }

    /// The kinds in words: one, or one for each axis.
    pub fn kind_names(&self) -> String {
        match &self.kinds {
            Some(kinds) => {
                let names: Vec<&str> = kinds.iter().map(|k| k.row().name).collect();
                names.join(",")
            }
            None => self.kind.row().name.into(),
        }
    }

    /// So many arrays, one after the other unless the layouts say otherwise.
    pub fn batch(mut self, batch: usize) -> Self {
        self.batch = batch;
        self
    }

    /// Only these axes; R2C and C2R halve the last one listed.
    pub fn axes(mut self, axes: &[usize]) -> Self {
        self.axes = Some(axes.to_vec());
        self
    }

    /// Scaled like this.
    pub fn normalization(mut self, normalization: Normalization) -> Self {
        self.normalization = normalization;
        self
    }

    /// Stored and computed like this (default: [`Precision::F32`]).
    pub fn precision(mut self, precision: Precision) -> Self {
        self.precision = precision;
        self
    }

    /// With input and output in one buffer; real rows are then padded by default.
    pub fn in_place(mut self) -> Self {
        self.placement = Placement::InPlace;
        self
    }

    /// With the input laid out like this.
    pub fn input_layout(mut self, layout: Layout) -> Self {
        self.input = layout;
        self
    }

    /// With the output laid out like this.
    pub fn output_layout(mut self, layout: Layout) -> Self {
        self.output = layout;
        self
    }

    /// The input is zero outside of `range` on `axis`: what lies there is not read. One range an axis.
    pub fn nonzero_input(mut self, axis: usize, range: Range<usize>) -> Self {
        self.nonzero_input.push((axis, range));
        self
    }

    /// Of the output only `range` on `axis` is wanted: nothing else is written, but in place, where passes may leave what
    /// lies between them. One range an axis.
    pub fn wanted_output(mut self, axis: usize, range: Range<usize>) -> Self {
        self.wanted_output.push((axis, range));
        self
    }

    /// By butterflies or by matrix products.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = Some(engine);
        self
    }

    /// With these radices, the first as often as it divides, then the next.
    pub fn radices(mut self, radices: &[usize]) -> Self {
        self.radices = Some(radices.to_vec());
        self
    }

    /// With DFT matrices rounded to 16 bits where `split` is false.
    pub fn split_matrix(mut self, split: bool) -> Self {
        self.split_matrix = split;
        self
    }

    /// Planned with this effort, whatever the planner's is.
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = Some(effort);
        self
    }

    /// The same request, whatever the effort.
    #[doc(hidden)]
    pub fn without_effort(mut self) -> Self {
        self.effort = None;
        self
    }

    /// Stores once to the output and never loads from there, see [`Request::write_only_output`].
    pub fn write_only_output(mut self) -> Self {
        self.write_only_output = true;
        self
    }

    /// With no more scratch than this many bytes.
    pub fn scratch_limit(mut self, bytes: usize) -> Self {
        self.scratch_limit = Some(bytes);
        self
    }
}
