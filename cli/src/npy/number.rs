//! The types that a file's numbers are read into.

use half::{bf16, f16};
use num_complex::Complex;

/// A real or complex number of any precision.
pub trait Number: Copy {
    /// The nearest one to a value; real ones drop the imaginary part.
    fn of(re: f64, im: f64) -> Self;

    /// The value; that of real ones has an imaginary part of zero.
    fn value(self) -> Complex<f64>;
}

macro_rules! numbers {
    ($($t:ty => $nearest:expr),+ $(,)?) => {$(
        impl Number for $t {
            fn of(re: f64, _: f64) -> Self {
                $nearest(re)
            }
            fn value(self) -> Complex<f64> {
                Complex::new(self.into(), 0.0)
            }
        }
        impl Number for Complex<$t> {
            fn of(re: f64, im: f64) -> Self {
                Complex::new($nearest(re), $nearest(im))
            }
            fn value(self) -> Complex<f64> {
                Complex::new(self.re.into(), self.im.into())
            }
        }
    )+};
}

numbers! {
    f64 => |x| x,
    f32 => |x| x as f32,
    f16 => f16::from_f64,
    bf16 => bf16::from_f64,
}
