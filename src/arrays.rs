//! Transforms of the arrays of the crate `ndarray`, whatever their strides.

use crate::{Element, Error, Layout, Request, Result, Slot, Transform};
use mmafft_backend_traits::{Domain, Placement, ResolvedLayout};
use ndarray::{ArrayBase, ArrayView, ArrayViewD, ArrayViewMut, ArrayViewMutD};
use ndarray::{Dimension, IxDyn, RawData, ShapeBuilder};
use std::borrow::Cow;

impl Transform {
    /// Transforms one array into another.
    ///
    /// The arrays have the request's shape, before it an axis for the batch if that is not one.
    /// Whatever their strides are, negative ones too, they are taken as they lie where they lie
    /// as the request's layout says, and copied to and from such memory otherwise.
    ///
    /// ```
    /// use mmafft::{Complex, Planner, Request, Shape};
    /// use ndarray::{s, Array2};
    ///
    /// let image = Array2::from_shape_fn((4, 6), |(i, j)| (i * j) as f32);
    /// let fft = Planner::cpu()?.build(&Request::r2c(Shape::d2(4, 3)))?;
    /// let mut spectrum = Array2::<Complex<f32>>::zeros((4, 2));
    /// fft.process_array(image.slice(s![.., ..;-2]), spectrum.view_mut())?;
    /// assert_eq!(spectrum[[0, 0]].re, 54.0);
    /// # Ok::<(), mmafft::Error>(())
    /// ```
    ///
    /// # Errors
    /// `ArrayShape` for arrays of another shape, and what [`Transform::process`] returns.
    pub fn process_array<I, O, D, E>(
        &self,
        input: ArrayView<I, D>,
        output: ArrayViewMut<O, E>,
    ) -> Result<()>
    where
        I: Element,
        O: Element,
        D: Dimension,
        E: Dimension,
    {
        let request = &self.plan().request;
        let [from, to] = [Slot::Input, Slot::Output].map(|side| resolved(request, side));
        let (from, to) = (from?, to?);
        let input = shaped(input.into_dyn(), &from, Slot::Input, request.batch)?;
        let mut output = shaped(output.into_dyn(), &to, Slot::Output, request.batch)?;
        let input = gathered(&input, &from)?;
        // What the transform does not write keeps its value.
        if let (true, Some(memory)) = (lies_as(&output, &to), output.as_slice_memory_order_mut()) {
            return self.process(&input, memory);
        }
        let mut memory = gathered(&output.view(), &to)?.into_owned();
        self.process(&input, &mut memory)?;
        output.assign(&seen(&memory, &to)?);
        Ok(())
    }

    /// Transforms an array in place, as [`Transform::process_array`] does one into another.
    ///
    /// # Errors
    /// `ArrayShape` for an array of another shape, and what [`Transform::process_in_place`]
    /// returns.
    pub fn process_array_in_place<T: Element, D: Dimension>(
        &self,
        array: ArrayViewMut<T, D>,
    ) -> Result<()> {
        let request = &self.plan().request;
        if request.kind.row().input != request.kind.row().output {
            let reason = "the array's shape changes: use process_array".into();
            return Err(Error::NotInPlace { reason });
        }
        let layout = resolved(request, Slot::Output)?;
        let mut array = shaped(array.into_dyn(), &layout, Slot::Output, request.batch)?;
        if let (true, Some(memory)) = (lies_as(&array, &layout), array.as_slice_memory_order_mut())
        {
            return self.process_in_place(memory);
        }
        let mut memory = gathered(&array.view(), &layout)?.into_owned();
        self.process_in_place(&mut memory)?;
        array.assign(&seen(&memory, &layout)?);
        Ok(())
    }
}

/// Where an array's elements lie, for a request that is to take them without a copy.
///
/// Such an array's memory is `as_slice_memory_order()` of itself, or of the array that it is a
/// view of; then an offset may have to be added.
///
/// # Errors
/// `NegativeStride` of an array that is reversed along an axis.
pub fn layout_of<S: RawData, D: Dimension>(array: &ArrayBase<S, D>, side: Slot) -> Result<Layout> {
    let strides = array.strides().iter().enumerate().map(|(axis, &stride)| {
        usize::try_from(stride).map_err(|_| Error::NegativeStride {
            side,
            what: format!("stride of dimension {axis}"),
            got: stride,
        })
    });
    Ok(Layout::strided(&strides.collect::<Result<Vec<_>>>()?))
}

/// The plan's layout of a side, its batch first.
fn resolved(request: &Request, side: Slot) -> Result<ResolvedLayout> {
    let row = request.kind.row();
    let (layout, own, other) = match side {
        Slot::Input => (&request.input, row.input, row.output),
        _ => (&request.output, row.output, row.input),
    };
    let mut lengths = request.shape.dims().to_vec();
    let halved = request.axes.as_ref().and_then(|axes| axes.last());
    let halved = halved.copied().unwrap_or(lengths.len() - 1);
    if (own, other) == (Domain::Complex, Domain::Real) {
        lengths[halved] = lengths[halved] / 2 + 1;
    }
    let last = lengths.last().copied().unwrap_or(1);
    let padded = request.placement == Placement::InPlace && own != other && own == Domain::Real;
    let line = if padded { 2 * (last / 2 + 1) } else { last };
    layout.resolve(side, request.batch, &lengths, line, true)
}

/// The array with its axis for the batch, if it has the layout's shape.
fn shaped<S: RawData>(
    array: ArrayBase<S, IxDyn>,
    layout: &ResolvedLayout,
    side: Slot,
    batch: usize,
) -> Result<ArrayBase<S, IxDyn>> {
    if array.shape() == layout.dims {
        return Ok(array);
    }
    if batch == 1 && array.shape() == &layout.dims[1..] {
        return Ok(array.insert_axis(ndarray::Axis(0)));
    }
    let expected = &layout.dims[usize::from(batch == 1)..];
    Err(Error::ArrayShape {
        side,
        expected: expected.to_vec(),
        got: array.shape().to_vec(),
    })
}

/// Whether all of an array's memory is what the layout says, with nothing before, between or
/// after its elements.
fn lies_as<S: RawData>(array: &ArrayBase<S, IxDyn>, layout: &ResolvedLayout) -> bool {
    let strides = array.strides().iter().zip(&layout.strides);
    let mut used = strides.zip(array.shape()).filter(|(_, &length)| length > 1);
    let whole = layout.offset == 0 && layout.required == array.len();
    whole && used.all(|((&ours, &wanted), _)| usize::try_from(ours) == Ok(wanted))
}

/// The array's elements as the layout wants them: the array's own memory where it lies so.
fn gathered<'a, T: Element>(
    array: &ArrayViewD<'a, T>,
    layout: &ResolvedLayout,
) -> Result<Cow<'a, [T]>> {
    match array.to_slice_memory_order() {
        Some(memory) if lies_as(array, layout) => Ok(Cow::Borrowed(memory)),
        _ => {
            let mut memory = vec![T::default(); layout.required];
            let shape = IxDyn(&layout.dims).strides(IxDyn(&layout.strides));
            ArrayViewMutD::from_shape(shape, &mut memory[layout.offset..])
                .map_err(|_| overlapping())?
                .assign(array);
            Ok(Cow::Owned(memory))
        }
    }
}

/// The memory of a layout as an array.
fn seen<'a, T>(memory: &'a [T], layout: &ResolvedLayout) -> Result<ArrayViewD<'a, T>> {
    let shape = IxDyn(&layout.dims).strides(IxDyn(&layout.strides));
    ArrayViewD::from_shape(shape, &memory[layout.offset..]).map_err(|_| overlapping())
}

/// A layout whose elements share addresses cannot be an array that is written.
fn overlapping() -> Error {
    Error::Unsupported {
        what: "an input layout whose elements overlap".into(),
        backend: "process_array".into(),
        instead: "use process with a slice".into(),
    }
}
