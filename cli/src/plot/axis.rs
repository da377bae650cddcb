//! Value ranges, ticks at round numbers, and their labels.

/// Values beyond this magnitude are clamped, so that differences stay finite.
const LARGEST: f64 = 1e300;
/// Spans below this fraction of the values are widened: ticks would coincide.
const NARROWEST: f64 = 1e-9;
/// Decades below which a logarithmic axis gets ticks like a linear one.
const FEW_DECADES: f64 = 1.0;
/// Decades below which a logarithmic axis has ticks within the decades.
const SOME_DECADES: f64 = 3.0;

/// A tick: its position on the axis (a logarithm on logarithmic axes) and its
/// label.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) label: String,
}

/// The finite, non-empty range `[low, high]` around `values`, which are taken
/// as they are: `None` if none of them is finite.
pub(super) fn range_of(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values
        .filter(|value| value.is_finite())
        .map(|value| value.clamp(-LARGEST, LARGEST))
        .fold(None, |range, value| match range {
            None => Some((value, value)),
            Some((low, high)) => Some((value.min(low), value.max(high))),
        })
}

/// Widens a range that is too narrow to be divided by ticks.
pub(super) fn widened((low, high): (f64, f64)) -> (f64, f64) {
    let size = low.abs().max(high.abs());
    if high - low > (size * NARROWEST).max(f64::MIN_POSITIVE / NARROWEST) {
        return (low, high);
    }
    let margin = if size < 1e-290 { 0.5 } else { size * 0.1 };
    (low - margin, high + margin)
}

/// About `target` ticks at multiples of 1, 2 or 5 times a power of ten within
/// `[low, high]`.
pub(super) fn linear_ticks(low: f64, high: f64, target: f64) -> Vec<Tick> {
    let (mantissa, exponent) = step(high - low, target);
    let step = mantissa * power(exponent);
    let (first, last) = ((low / step - 1e-6).ceil(), (high / step + 1e-6).floor());
    if !(last - first).is_finite() {
        return Vec::new();
    }
    // The steps are no smaller than a fraction of the span, so they are few.
    let count = (last - first + 1.0) as usize;
    let values: Vec<f64> = (0..count).map(|i| (first + i as f64) * step).collect();
    let largest = values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    values
        .iter()
        .map(|&at| Tick {
            at,
            label: label(at, largest, exponent),
        })
        .collect()
}

/// Ticks for an axis of base-10 logarithms within `[low, high]`; the labels
/// show the values themselves.
pub(super) fn log_ticks(low: f64, high: f64, target: f64) -> Vec<Tick> {
    if high - low < FEW_DECADES {
        let ticks = linear_ticks(power_of_ten(low), power_of_ten(high), target);
        return ticks
            .into_iter()
            .map(|tick| Tick {
                at: tick.at.log10(),
                ..tick
            })
            .filter(|tick| tick.at.is_finite())
            .collect();
    }
    let stride = ((high - low) / target).ceil().max(1.0) as i32;
    // A few decades have room for ticks in between.
    let mantissas: &[u8] = match high - low < SOME_DECADES {
        true => &[1, 2, 5],
        false => &[1],
    };
    (low.floor() as i32..=(high + 1e-9).floor() as i32)
        .filter(|exponent| exponent % stride == 0)
        .flat_map(|exponent| mantissas.iter().map(move |&m| decade_tick(m, exponent)))
        .filter(|tick| (low - 1e-9..=high + 1e-9).contains(&tick.at))
        .collect()
}

/// Ticks at powers of two for an axis of base-2 logarithms within `[low, high]`.
pub(super) fn binary_ticks(low: f64, high: f64, target: f64) -> Vec<Tick> {
    let stride = ((high - low) / target).ceil().max(1.0) as i32;
    (low.ceil() as i32..=high.floor() as i32)
        .filter(|exponent| exponent % stride == 0)
        .map(|exponent| Tick {
            at: f64::from(exponent),
            label: format!("2{}", superscript(exponent)),
        })
        .collect()
}

/// The tick at `mantissa` times ten to the `exponent` of a logarithmic axis.
fn decade_tick(mantissa: u8, exponent: i32) -> Tick {
    let power = format!("10{}", superscript(exponent));
    Tick {
        at: f64::from(exponent) + f64::from(mantissa).log10(),
        label: match mantissa {
            1 => power,
            _ => format!("{mantissa}×{power}"),
        },
    }
}

/// The 1-2-5 step that divides `span` into at most about `target` parts, as
/// mantissa and decimal exponent.
fn step(span: f64, target: f64) -> (f64, i32) {
    let rough = span / target;
    let exponent = rough.log10().floor() as i32;
    match rough / power(exponent) {
        r if r <= 1.0 => (1.0, exponent),
        r if r <= 2.0 => (2.0, exponent),
        r if r <= 5.0 => (5.0, exponent),
        _ => (1.0, exponent + 1),
    }
}

fn power(exponent: i32) -> f64 {
    10f64.powi(exponent)
}

fn power_of_ten(exponent: f64) -> f64 {
    10f64.powf(exponent).min(LARGEST)
}

/// Formats a tick value with the decimals that steps of `10^step_exponent`
/// need; a power of ten is split off if the `largest` tick is very large or
/// very small.
fn label(value: f64, largest: f64, step_exponent: i32) -> String {
    // Rounding errors of the multiplication must not show as `-0.0`.
    if value.abs() < power(step_exponent) * 0.5 {
        return String::from("0");
    }
    let exponent = largest.log10().floor() as i32;
    if (-3..6).contains(&exponent) {
        return decimal(value, -step_exponent);
    }
    let mantissa = decimal(value / power(exponent), exponent - step_exponent);
    format!("{mantissa}×10{}", superscript(exponent))
}

/// `value` with `decimals` decimals (none if negative) and a real minus sign.
fn decimal(value: f64, decimals: i32) -> String {
    let decimals = usize::try_from(decimals).unwrap_or(0);
    format!("{value:.decimals$}").replace('-', "−")
}

/// `value` to three significant digits, for annotations.
pub fn three_digits(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return String::from("0");
    }
    let exponent = value.abs().log10().floor() as i32;
    label(value, value.abs(), exponent - 2)
}

/// An exponent in superscript digits.
fn superscript(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    exponent
        .to_string()
        .bytes()
        .map(|byte| match byte {
            b'0'..=b'9' => DIGITS[usize::from(byte - b'0')],
            _ => '⁻',
        })
        .collect()
}
