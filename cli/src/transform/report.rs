//! What is said of a result.

use super::compute::Outcome;
use super::Arguments;
use crate::estimate::{rms, Estimate};
use crate::files::is_standard_output;
use crate::out::tell;
use mmafft::Plan;

/// Says what became what, how long it took, how far it is from exact, and where it is.
pub fn report(
    arguments: &Arguments,
    input: &str,
    plan: &Plan,
    outcome: &Outcome,
    estimate: Estimate,
) {
    let taken = arguments.outputs().any(|path| is_standard_output(path));
    let request = &plan.request;
    tell(
        taken,
        format_args!(
            "{input} -> {:?} {} {}",
            outcome.shape,
            request.precision.row().name,
            request.kind_names()
        ),
    );
    let milliseconds = outcome.time.as_secs_f64() * 1e3;
    tell(
        taken,
        format_args!("backend {}, {milliseconds:.3} ms", plan.backend),
    );
    tell(taken, format_args!("{}", accuracy(plan, outcome, estimate)));
    for path in arguments.outputs().filter(|path| !is_standard_output(path)) {
        tell(taken, format_args!("wrote {}", path.display()));
    }
}

/// The error in words.
fn accuracy(plan: &Plan, outcome: &Outcome, estimate: Estimate) -> String {
    let values = outcome.values.len();
    let finite = outcome.values.iter().filter(|x| x.is_finite()).count();
    if finite < values {
        return format!(
            "{} of {values} values of the output are not finite, so no bound holds: the input has such values, or \
             the precision's range is too small",
            values - finite
        );
    }
    let bound = bound(plan, outcome);
    match estimate {
        Estimate::TooLong => format!(
            "relative L2 error at most {bound:.1e}; not estimated, as the definition's sums of so many points take too \
             long"
        ),
        Estimate::Error { error, points, all } => {
            let of = if all { "all" } else { "a sample of" };
            let estimate = format!(
                "relative L2 error about {error:.2e}, from {of} {points} points by the definition"
            );
            match error > bound {
                true => format!(
                    "{estimate}: this is above the bound of {bound:.2e}, which is a fault of mmafft, so please report it"
                ),
                false => format!("{estimate}; at most {bound:.2e}"),
            }
        }
    }
}

/// The bound of the plan, with what numbers that underflow add to it for an output of this size.
fn bound(plan: &Plan, outcome: &Outcome) -> f64 {
    let size = rms(outcome.values.as_ref());
    match size > 0.0 {
        true => plan.error_bound + plan.underflow_error() / size,
        false => plan.error_bound,
    }
}
