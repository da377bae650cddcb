//! Messages: what a rank packs for others, and unpacks of what came.

use super::part::{strides, Part, Rows};
use super::place::{copy_of, Lies, Place};
use super::plan::DistributedPlan;
use crate::any::{AnyBackend, AnyBuffer};
use crate::foreign::Foreign;
use crate::transform::{Planner, Transform};
use mmafft_backend_traits::{Backend, Buffer as _, Error, Result};
use std::mem::ManuallyDrop;

/// One exchange by messages.
pub struct Mail {
    /// What this rank made, in the backend's memory; `None` where the stage before only changes places, and it is the input.
    pub before: Option<AnyBuffer>,
    /// What the next stage starts from; `None` where that is the output as it comes.
    pub behind: Option<AnyBuffer>,
    /// The messages.
    pub letters: Letters,
}

/// Where messages are.
pub enum Letters {
    /// In host memory.
    Host { sent: Vec<u8>, received: Vec<u8> },
    /// In the backend's.
    Device(Box<OnDevice>),
}

/// Messages in a backend's memory, and what packs and unpacks them.
pub struct OnDevice {
    pub sent: AnyBuffer,
    pub received: AnyBuffer,
    /// Bytes to each rank, and from each.
    pub to: Vec<usize>,
    pub from: Vec<usize>,
    pack: Vec<Transform>,
    unpack: Vec<Transform>,
    keep: Option<Transform>,
}

impl OnDevice {
    fn new(
        planner: &Planner,
        plan: &DistributedPlan,
        rank: usize,
        exchange: usize,
    ) -> Result<Self> {
        let (place, next) = (&plan.stages[exchange].to, &plan.stages[exchange + 1].from);
        let point = plan.point_bytes(place);
        let copy = |part: &Part, between: [Lies<'_>; 2]| {
            planner.build(&copy_of(&plan.request, place.domain, part, between))
        };
        let mut counted = [Vec::new(), Vec::new()];
        let (mut pack, mut unpack) = (Vec::new(), Vec::new());
        let mut behind = [0, 0];
        for other in 0..plan.ranks {
            let others = |part: Option<Part>| part.filter(|_| other != rank);
            let out = others(place.parts[rank].common(&next.parts[other]));
            let back = others(place.parts[other].common(&next.parts[rank]));
            if let Some(part) = &out {
                pack.push(copy(
                    part,
                    [Lies::At(place, rank), Lies::Behind(behind[0])],
                )?);
            }
            if let Some(part) = &back {
                unpack.push(copy(part, [Lies::Behind(behind[1]), Lies::At(next, rank)])?);
            }
            for (i, part) in [out, back].iter().enumerate() {
                let points = part.as_ref().map_or(0, Part::points);
                behind[i] += points;
                counted[i].push(points * point);
            }
        }
        let stays = place.parts[rank].common(&next.parts[rank]);
        let stays = stays.map(|part| copy(&part, [Lies::At(place, rank), Lies::At(next, rank)]));
        let [to, from] = counted;
        let backend = planner.backend();
        Ok(OnDevice {
            sent: backend.zeros(behind[0] * point)?,
            received: backend.zeros(behind[1] * point)?,
            to,
            from,
            pack,
            unpack,
            keep: stays.transpose()?,
        })
    }

    /// Enqueues what makes messages of what a stage made.
    pub fn pack(&mut self, made: &AnyBuffer) -> Result<()> {
        let sent = &mut self.sent;
        let mut all = self.pack.iter();
        all.try_for_each(|copy| copy.run_memory(Some(made), Some(sent)))
    }

    /// Enqueues what makes of what came, and of what stays, what the next stage starts from.
    pub fn unpack(&self, made: &AnyBuffer, target: &mut AnyBuffer) -> Result<()> {
        for copy in &self.unpack {
            copy.run_memory(Some(&self.received), Some(target))?;
        }
        let mut keep = self.keep.iter();
        keep.try_for_each(|copy| copy.run_memory(Some(made), Some(target)))
    }
}

impl Mail {
    /// Never frees what is under way; the transform does not run again.
    pub fn leak(&mut self, backend: &AnyBackend) {
        match &mut self.letters {
            Letters::Host { sent, received } => {
                std::mem::forget((std::mem::take(sent), std::mem::take(received)));
            }
            Letters::Device(own) => {
                for memory in [&mut own.sent, &mut own.received] {
                    // SAFETY: no bytes of nobody.
                    let none = unsafe { backend.buffer_from_raw(0, 0) };
                    let _ = ManuallyDrop::new(std::mem::replace(memory, none));
                }
            }
        }
    }
}

/// Memory of each exchange by messages: of what a stage makes where one does, of what the next one starts from, and of
/// the messages, in the backend's memory or the host's.
pub fn mail(
    planner: &Planner,
    plan: &DistributedPlan,
    rank: usize,
    on_device: bool,
) -> Result<Vec<Mail>> {
    let backend = planner.backend();
    let last = plan.stages.len() - 1;
    let bytes = |place: &Place| place.parts[rank].points() * plan.point_bytes(place);
    let host = |bytes: usize| -> Result<Vec<u8>> {
        let mut room = Vec::new();
        let reserved = room.try_reserve_exact(bytes);
        reserved.map_err(|_| Error::OutOfMemory {
            backend: "host".into(),
            what: "messages to other ranks".into(),
            bytes,
        })?;
        room.resize(bytes, 0);
        Ok(room)
    };
    let of = |i: usize| {
        let (stage, next) = (&plan.stages[i], &plan.stages[i + 1]);
        let (sent, received) = (bytes(&stage.to), bytes(&next.from));
        let stays = stage.to.parts[rank].common(&next.from.parts[rank]);
        let stays = stays.map_or(0, |part| part.points() * plan.point_bytes(&stage.to));
        let comes_as_it_is = next.axes.is_empty() && i + 1 == last;
        Ok(Mail {
            before: match stage.axes.is_empty() {
                true => None,
                false => Some(backend.zeros(sent)?),
            },
            behind: match comes_as_it_is {
                true => None,
                false => Some(backend.zeros(received)?),
            },
            letters: match on_device {
                true => Letters::Device(Box::new(OnDevice::new(planner, plan, rank, i)?)),
                false => Letters::Host {
                    sent: host(sent - stays)?,
                    received: host(received - stays)?,
                },
            },
        })
    };
    (0..last).map(of).collect()
}

/// Copies what each rank gets out of this rank's part, one message behind the other.
pub fn pack(
    host: &[u8],
    sent: &mut [u8],
    to: &[Option<Part>],
    (place, rank): (&Place, usize),
    point: usize,
) {
    let (own, by) = (&place.parts[rank], place.strides(rank));
    let mut rest = sent;
    for part in to.iter().flatten() {
        let (letter, others) = rest.split_at_mut(part.points() * point);
        let lengths = part.lengths();
        let in_row: Vec<usize> = (0..lengths.len()).collect();
        let rows = Rows::new(part, (own, &by), (part, &strides(&lengths, &in_row)));
        rows.each(|from, to, count| {
            let from = from * point..(from + count) * point;
            letter[to * point..(to + count) * point].copy_from_slice(&host[from]);
        });
        rest = others;
    }
}

/// Copies what came from each rank into this rank's part.
pub fn unpack(
    host: &mut [u8],
    received: &[u8],
    from: &[Option<Part>],
    (place, rank): (&Place, usize),
    point: usize,
) {
    let (own, by) = (&place.parts[rank], place.strides(rank));
    let mut rest = received;
    for part in from.iter().flatten() {
        let (letter, others) = rest.split_at(part.points() * point);
        let lengths = part.lengths();
        let in_row: Vec<usize> = (0..lengths.len()).collect();
        let rows = Rows::new(part, (part, &strides(&lengths, &in_row)), (own, &by));
        rows.each(|from, to, count| {
            let from = from * point..(from + count) * point;
            host[to * point..(to + count) * point].copy_from_slice(&letter[from]);
        });
        rest = others;
    }
}

/// Copies what stays on this rank from where a stage made it to where the next one loads it.
pub fn keep(
    made: &[u8],
    host: &mut [u8],
    part: &Part,
    [place, next]: [&Place; 2],
    rank: usize,
    point: usize,
) {
    let (from, to) = (place.strides(rank), next.strides(rank));
    let (before, behind) = (&place.parts[rank], &next.parts[rank]);
    let rows = Rows::new(part, (before, &from), (behind, &to));
    rows.each(|from, to, count| {
        let from = from * point..(from + count) * point;
        host[to * point..(to + count) * point].copy_from_slice(&made[from]);
    });
}

/// Calls `work` with memory of a backend as the host has it: itself, or a copy of a device's.
pub fn with_host<R>(
    backend: &AnyBackend,
    memory: &AnyBuffer,
    work: impl FnOnce(&[u8]) -> R,
) -> Result<R> {
    #[cfg(feature = "cpu")]
    if let AnyBuffer::Cpu(memory) = memory {
        return Ok(work(memory.as_bytes()));
    }
    let mut copy = vec![0; memory.bytes()];
    backend.read(memory, 0, &mut copy)?;
    Ok(work(&copy))
}

/// The same of memory that `work` writes all of.
pub fn with_host_mut(
    backend: &AnyBackend,
    memory: &mut AnyBuffer,
    work: impl FnOnce(&mut [u8]),
) -> Result<()> {
    #[cfg(feature = "cpu")]
    if let AnyBuffer::Cpu(memory) = memory {
        work(memory.as_bytes_mut());
        return Ok(());
    }
    let mut copy = vec![0; memory.bytes()];
    work(&mut copy);
    backend.write(memory, 0, &copy)
}
