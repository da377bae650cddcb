//! What the steps of a pass must add up to.

use mmafft::backend_traits::{Pass, TileAxis};
use mmafft::{Engine, Limits, Step};

/// Checks that each axis' steps make its length, and the four-step twiddle its transform.
pub fn check(pass: &Pass, limits: &Limits) -> Result<(), String> {
    for axis in &pass.axes {
        axis_steps(pass, axis)?;
        if axis.length > limits.line_points {
            return Err(format!("a line of {} points", axis.length));
        }
    }
    if let Some(twiddle) = pass.twiddle {
        let lines = pass.loops[twiddle.line_loop].count;
        if lines * pass.axes[0].length != twiddle.length {
            return Err(format!("{lines} lines twiddled for {}", twiddle.length));
        }
    }
    Ok(())
}

fn axis_steps(pass: &Pass, axis: &TileAxis) -> Result<(), String> {
    let core = axis.core_length();
    let mut wanted = core;
    let mut product = 1;
    for step in &pass.steps {
        match *step {
            Step::Line {
                axis: a, length, ..
            } if a == axis.axis => product *= length,
            Step::Dft { axis: a, radix } if a == axis.axis => product *= radix,
            // Between the steps so far and the next one.
            Step::Twiddle { axis: a, length }
                if a == axis.axis && (length <= product || length % product != 0) =>
            {
                return Err(format!("roots of order {length} after {product} points"));
            }
            Step::Chirp {
                axis: a,
                length,
                padded,
            } if a == axis.axis => {
                let simt = pass.engine == Engine::Simt;
                if length != core || padded < 2 * core - 1 || simt && product > 1 {
                    return Err(format!("a chirp of {length} in {padded} for {core}"));
                }
                wanted = padded;
            }
            _ => {}
        }
    }
    match product == wanted {
        true => Ok(()),
        false => Err(format!("steps that make {product} points of {wanted}")),
    }
}
