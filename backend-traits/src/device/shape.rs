//! The shape of a pass: what of its numbers decides its speed.

use super::banks;
use super::check;
use super::config::*;
use super::matrices;
use super::numbers::{block, numbers, Cells, Numbers};
use super::trip::Trip;
use crate::error::Result;
use crate::geometry::{registers_of_thread, Geometry, Vendor};
use crate::pass::Pass;
use crate::pass_shape::{PassShape, TripShape, TripWork};

/// The shape of a pass on a device.
///
/// # Errors
/// Those of [`super::lower`].
pub fn shape(pass: &Pass, geometry: &Geometry) -> Result<PassShape> {
    shape_of(pass, geometry, Cells::Apart)
}

/// About the same, without the layout against bank conflicts: for a planner, which compares many passes. Shared memory is
/// up to an eighth less.
///
/// # Errors
/// Those of [`super::lower`], but that of a tile too large for this eighth.
pub fn outlined(pass: &Pass, geometry: &Geometry) -> Result<PassShape> {
    shape_of(pass, geometry, Cells::Close)
}

fn shape_of(pass: &Pass, geometry: &Geometry, cells: Cells) -> Result<PassShape> {
    check::steps(pass)?;
    let numbers = numbers(pass, geometry, cells)?;
    let Numbers {
        outline, config, ..
    } = &numbers;
    let head = &config.head;
    let [threads, residents] = [head.threads, head.residents].map(|word| word as usize);
    let fragments = config
        .steps
        .iter()
        .map(|step| fragment_bytes(step, &outline.pass));
    let fragments: usize = fragments.sum();
    let trips = outline.trips.iter().zip(&config.steps);
    let mut trips: Vec<TripShape> = trips.map(|(trip, step)| of_trip(trip, step)).collect();
    if cells == Cells::Apart {
        let block = block(outline, config, geometry);
        for (trip, pair) in trips.iter_mut().zip(config.steps.windows(2)) {
            if !trip.stays {
                trip.wavefronts = banks::wavefronts(&pair[0], &pair[1], &block);
            }
        }
    }
    Ok(PassShape {
        threads,
        values: head.values as usize,
        registers: registers(geometry, threads, residents),
        residents,
        shared_bytes: numbers.shared_bytes,
        table_bytes: outline.tables.size() + fragments,
        multiplied: head.powers != 0,
        apart: head.apart != 0,
        scaled_lines: head.magnitudes != 0,
        lines: outline.tile_lines,
        tiles: numbers.tiles,
        blocks: numbers.blocks,
        accesses: numbers.alignments,
        trips,
    })
}

/// The most registers of a thread, where a multiprocessor has so many blocks of so many threads.
fn registers(geometry: &Geometry, threads: usize, residents: usize) -> usize {
    let most = registers_of_thread(geometry.registers, geometry.wave, threads, residents);
    // NVIDIA's instructions have no number for the last one.
    match geometry.vendor {
        Vendor::Nvidia => most.min(255),
        Vendor::Amd => most,
    }
}

/// Bytes of the matrix by which a step multiplies, if it does.
fn fragment_bytes(step: &StepWords, pass: &Pass) -> usize {
    match step.parts {
        0 => 0,
        parts => matrices::fragment_bytes(step.rank as usize, pass.math.operand, parts as usize),
    }
}

fn of_trip(trip: &Trip, step: &StepWords) -> TripShape {
    let mut count = trip.count();
    if step.copy_async != 0 {
        count.work = TripWork::AsynchronousCopy;
    }
    TripShape {
        count,
        of_thread: step.groups as usize,
        neighbours: step.neighbours as usize,
        stays: step.target == PLACE_REGISTERS,
        cells: [
            step.pitch_out as usize,
            (step.row_out & 0xffff_ffff) as usize,
        ],
        wavefronts: [1.0; 2],
    }
}
