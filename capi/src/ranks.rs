//! One transform over many ranks.

use crate::planner::{find as planner_of, mmafft_planner};
use crate::request::whole_request;
use crate::status::{call, invalid, mmafft_status, Result};
use crate::text::{give, write};
use mmafft::ranks::{DistributedTransform, Group, Spread};
use mmafft_guru::Handles;
use std::ffi::{c_char, c_void};
use std::sync::Arc;
use std::time::Duration;

/// Ranks that transform together: this process' end of what joins them.
pub struct mmafft_group {
    _handle: [u8; 0],
}

/// A transform over the ranks of a group. One run of it is under way at a time.
pub struct mmafft_distributed {
    _handle: [u8; 0],
}

static GROUPS: Handles<Group> = Handles::new();
static TRANSFORMS: Handles<DistributedTransform> = Handles::new();

fn group_of(group: *const mmafft_group) -> Result<Arc<Group>> {
    let found = GROUPS.get(group.cast::<c_void>());
    found.ok_or_else(|| invalid("no group has this handle"))
}

fn find(plan: *const mmafft_distributed) -> Result<Arc<DistributedTransform>> {
    let found = TRANSFORMS.get(plan.cast::<c_void>());
    found.ok_or_else(|| invalid("no distributed plan has this handle"))
}

/// Joins the processes of an MPI communicator, which is duplicated; null is MPI_COMM_WORLD, for which MPI is
/// initialised where it is not. Others are waited for so many seconds at most, 60 for 0. Collective.
///
/// # Safety
/// `communicator` is null, or an MPI_Comm of the MPI that the process has open, as a pointer; `group` is null or an
/// address to write.
#[no_mangle]
pub unsafe extern "C" fn mmafft_group_mpi(
    communicator: *mut c_void,
    patience: f64,
    group: *mut *mut mmafft_group,
) -> mmafft_status {
    let join = || match communicator.is_null() {
        true => Group::mpi(),
        // SAFETY: by this function's contract.
        false => unsafe { Group::mpi_from_raw(communicator as usize as u64) },
    };
    // SAFETY: by this function's contract.
    call(|| unsafe { join_by(join, patience, group) })
}

/// Keeps the group that `join` makes.
///
/// # Safety
/// `group` is null or an address to write.
unsafe fn join_by(
    join: impl FnOnce() -> mmafft::Result<Group>,
    patience: f64,
    group: *mut *mut mmafft_group,
) -> Result<()> {
    // What is wrong here is known before the others are joined.
    if group.is_null() {
        return Err(invalid("the place for the group is null"));
    }
    let patience = if patience == 0.0 { 60.0 } else { patience };
    let patience = Duration::try_from_secs_f64(patience);
    let patience = patience.map_err(|_| invalid("the patience is no number of seconds"))?;
    let handle = GROUPS.insert(join()?.patience(patience));
    // SAFETY: by this function's contract.
    unsafe { write(group, handle.cast(), "the place for the group") }
}

/// Bytes of an identifier of ranks that NCCL joins.
pub const MMAFFT_NCCL_ID_BYTES: usize = 128;

/// An identifier of ranks that NCCL, or RCCL, is to join: one process makes it, and gives it to the others.
///
/// # Safety
/// `id` is null or has room for MMAFFT_NCCL_ID_BYTES.
#[no_mangle]
pub unsafe extern "C" fn mmafft_nccl_id(
    planner: *const mmafft_planner,
    id: *mut c_void,
) -> mmafft_status {
    call(|| {
        let made = Group::nccl_id(planner_of(planner)?.planner().backend())?;
        // SAFETY: by this function's contract.
        unsafe { write(id.cast(), made, "the place for the identifier") }
    })
}

/// Joins processes with the same identifier, each on the device of its own planner, as one of so many; they are waited for
/// a minute here, and for so many seconds at most later, 60 for 0. Collective.
///
/// # Safety
/// `id` has MMAFFT_NCCL_ID_BYTES; `group` is null or an address to write.
#[no_mangle]
pub unsafe extern "C" fn mmafft_group_nccl(
    planner: *const mmafft_planner,
    id: *const c_void,
    rank: usize,
    ranks: usize,
    patience: f64,
    group: *mut *mut mmafft_group,
) -> mmafft_status {
    call(|| {
        let cache = planner_of(planner)?;
        if id.is_null() {
            return Err(invalid("the identifier is null"));
        }
        // SAFETY: by this function's contract.
        let id = unsafe { id.cast::<[u8; MMAFFT_NCCL_ID_BYTES]>().read_unaligned() };
        let join = || Group::nccl(cache.planner().backend(), &id, rank, ranks);
        // SAFETY: by this function's contract.
        unsafe { join_by(join, patience, group) }
    })
}

/// Joins the ranks of an ncclComm_t, which stays the caller's, and whose device is the planner's. Collective.
///
/// # Safety
/// The communicator is of the library that the process has open, was made not to block, outlives the group, and is used by
/// nobody else during collective calls of the group; after MMAFFT_LOST the caller aborts it. `group` is null or an address
/// to write.
#[no_mangle]
pub unsafe extern "C" fn mmafft_group_nccl_of(
    planner: *const mmafft_planner,
    communicator: *mut c_void,
    patience: f64,
    group: *mut *mut mmafft_group,
) -> mmafft_status {
    call(|| {
        let cache = planner_of(planner)?;
        if communicator.is_null() {
            return Err(invalid("the communicator is null"));
        }
        let handle = communicator as usize as u64;
        // SAFETY: by this function's contract.
        let join = || unsafe { Group::nccl_from_raw(cache.planner().backend(), handle) };
        // SAFETY: by this function's contract.
        unsafe { join_by(join, patience, group) }
    })
}

/// Leaves a group; its plans live on. Collective where it ends MPI. Null, or one that was destroyed, is nothing.
#[no_mangle]
pub extern "C" fn mmafft_group_destroy(group: *mut mmafft_group) {
    call(|| {
        GROUPS.remove(group.cast());
        Ok(())
    });
}

/// This process' number in a group, and how many there are.
///
/// # Safety
/// Both are null or addresses to write.
#[no_mangle]
pub unsafe extern "C" fn mmafft_group_rank(
    group: *const mmafft_group,
    rank: *mut usize,
    ranks: *mut usize,
) -> mmafft_status {
    call(|| {
        let group = group_of(group)?;
        // SAFETY: by this function's contract.
        unsafe {
            write(rank, group.rank(), "the place for the rank")?;
            write(ranks, group.ranks(), "the place for the number of ranks")
        }
    })
}

/// Plans and prepares a transform over the ranks of a group: of `rank` axes, all of them transformed by this kind, of
/// `batch` arrays in rows. The input is spread as slabs of one axis, the output as slabs of another; -1 leaves either
/// to the library, -2 spreads the arrays of the batch. Collective: every process gets a plan, or every one an error.
///
/// # Safety
/// `lengths` has `rank` numbers; `plan` is null or an address to write.
#[no_mangle]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn mmafft_distributed_create(
    planner: *const mmafft_planner,
    group: *const mmafft_group,
    kind: i32,
    direction: i32,
    precision: i32,
    norm: i32,
    rank: usize,
    lengths: *const usize,
    batch: usize,
    input_axis: i32,
    output_axis: i32,
    plan: *mut *mut mmafft_distributed,
) -> mmafft_status {
    call(|| {
        let cache = planner_of(planner)?;
        let group = group_of(group)?;
        if lengths.is_null() || plan.is_null() {
            return Err(invalid("the lengths, or the place for the plan, are null"));
        }
        // SAFETY: by this function's contract.
        let lengths = unsafe { std::slice::from_raw_parts(lengths, rank) };
        let request = whole_request([kind, direction, precision, norm], lengths, batch)?;
        let mut over = cache.planner().over(&group);
        if let Some(spread) = spread(input_axis)? {
            over = over.input(spread);
        }
        if let Some(spread) = spread(output_axis)? {
            over = over.output(spread);
        }
        let handle = TRANSFORMS.insert(over.build(&request)?);
        // SAFETY: by this function's contract.
        unsafe { write(plan, handle.cast(), "the place for the plan") }
    })
}

fn spread(axis: i32) -> Result<Option<Spread>> {
    match axis {
        -1 => Ok(None),
        -2 => Ok(Some(Spread::batch())),
        axis => match usize::try_from(axis) {
            Ok(axis) => Ok(Some(Spread::slab(axis))),
            Err(_) => Err(invalid(format!("no axis has number {axis}"))),
        },
    }
}

/// What this process has of the input (side 0) or of the output (side 1): the first index and the number of indices of
/// the batch, then of each axis. A part lies in rows.
///
/// # Safety
/// `starts` and `lengths` have room for one number more than there are axes.
#[no_mangle]
pub unsafe extern "C" fn mmafft_distributed_part(
    plan: *const mmafft_distributed,
    side: i32,
    starts: *mut usize,
    lengths: *mut usize,
) -> mmafft_status {
    call(|| {
        let fft = find(plan)?;
        let part = match side {
            0 => fft.plan().input_part(fft.rank()),
            1 => fft.plan().output_part(fft.rank()),
            _ => return Err(invalid(format!("no side has number {side}"))),
        };
        if starts.is_null() || lengths.is_null() {
            return Err(invalid("the places for a part are null"));
        }
        let ranges = std::iter::once(part.batch()).chain(part.ranges().iter().cloned());
        for (i, range) in ranges.enumerate() {
            // SAFETY: by this function's contract.
            unsafe {
                starts.add(i).write(range.start);
                lengths.add(i).write(range.len());
            }
        }
        Ok(())
    })
}

/// The stages of a plan, what is exchanged between, and the time to expect, as text to be freed by mmafft_text_free().
///
/// # Safety
/// `text` is null or an address to write.
#[no_mangle]
pub unsafe extern "C" fn mmafft_distributed_explain(
    plan: *const mmafft_distributed,
    text: *mut *mut c_char,
) -> mmafft_status {
    call(|| {
        let words = find(plan)?.explain();
        // SAFETY: by this function's contract.
        unsafe { give(&words, text) }
    })
}

/// Transforms this process' part of the input into its part of the output. Collective.
///
/// # Safety
/// Both are memory of all elements of the parts, and apart.
#[no_mangle]
pub unsafe extern "C" fn mmafft_distributed_execute(
    plan: *const mmafft_distributed,
    input: *const c_void,
    output: *mut c_void,
) -> mmafft_status {
    call(|| {
        let fft = find(plan)?;
        let [from, to] = fft.bytes();
        let missing = (input.is_null() && from > 0) || (output.is_null() && to > 0);
        // An address that is null is a buffer that is too short, which the other ranks hear of.
        let (from, to) = if missing { (0, 0) } else { (from, to) };
        let nowhere = std::ptr::NonNull::<u64>::dangling().as_ptr().cast::<u8>();
        let input = if from == 0 {
            nowhere.cast_const()
        } else {
            input.cast()
        };
        let output = if to == 0 { nowhere } else { output.cast() };
        // SAFETY: by this function's contract.
        let (input, output) = unsafe {
            (
                std::slice::from_raw_parts(input, from),
                std::slice::from_raw_parts_mut(output, to),
            )
        };
        Ok(fft.process_bytes(input, output)?)
    })
}

/// The same in memory of the planner's device, in host memory of the CPU's; it returns when the transform is done.
///
/// # Safety
/// Both are memory of all elements of the parts, and apart; what wrote the input is done, and nobody else writes either or
/// reads the output meanwhile. After a rank was lost both stay until the device has been synchronised.
#[no_mangle]
pub unsafe extern "C" fn mmafft_distributed_execute_device(
    plan: *const mmafft_distributed,
    input: *const c_void,
    output: *mut c_void,
) -> mmafft_status {
    call(|| {
        let fft = find(plan)?;
        // An address that is null is a buffer that is too short, which the other ranks hear of.
        let side = |address: usize, bytes: usize| match address {
            0 => (0, 0),
            _ => (address as u64, bytes),
        };
        let [from, to] = fft.bytes();
        // SAFETY: by this function's contract.
        let ran = unsafe { fft.run_raw(side(input as usize, from), side(output as usize, to)) };
        Ok(ran?)
    })
}

/// Destroys a plan. Null, or one that was destroyed, is nothing.
#[no_mangle]
pub extern "C" fn mmafft_distributed_destroy(plan: *mut mmafft_distributed) {
    call(|| {
        TRANSFORMS.remove(plan.cast());
        Ok(())
    });
}
