//! The emulated devices, beyond the conformance suite (`tests/conformance.rs`): what their
//! kernels touch, that nothing in them is missing or idle, and what they are lowered to.

mod accesses;
mod ahead;
mod bits;
mod cases;
mod clusters;
mod facing;
mod folded;
mod host_memory;
mod largest;
mod lines;
mod lowering;
mod mangled;
mod measured;
mod mirrored;
mod mixed;
mod mutations;
mod not_finite;
mod parts;
mod patterns;
mod planes;
mod probe;
mod range;
mod reals;
mod scaling;
mod tiles;
mod turns;
mod type_one;
#[path = "../common/words.rs"]
mod words;
