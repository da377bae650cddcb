//! Messages: what a rank packs for others, and unpacks of what came.

use super::part::{strides, Part, Rows};
use super::place::{copy_of, Lies, Place};
use super::plan::DistributedPlan;
use crate::any::{AnyBackend, AnyBuffer};
use crate::foreign::Foreign;
use crate::transform::{Planner, Transform};
use mmafft_backend_traits::{Backend, Buffer as _, Error, Result};
use std::borrow::Cow;
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
    Host(Box<OnHost>),
    /// In the backend's.
    Device(Box<OnDevice>),
}

/// About the bytes that a rank sends in one go: they stay in a core's cache from where they are packed until they are sent,
/// and from where they come until they are unpacked.
const GO: usize = 1 << 19;

/// Messages in host memory, of one go of several.
pub struct OnHost {
    pub sent: Vec<u8>,
    pub received: Vec<u8>,
    /// What each rank gets of this one, and what this one gets of each; what stays here is no message.
    to: Vec<Option<Part>>,
    from: Vec<Option<Part>>,
    stays: Option<Part>,
    /// How many goes there are, the same on every rank.
    pub goes: usize,
    point: usize,
}

impl OnHost {
    fn new(plan: &DistributedPlan, rank: usize, exchange: usize) -> Result<Self> {
        let (place, next) = (&plan.stages[exchange].to, &plan.stages[exchange + 1].from);
        let point = plan.point_bytes(place);
        let others = || (0..plan.ranks).map(|other| (other != rank).then_some(other));
        let mut own = OnHost {
            sent: Vec::new(),
            received: Vec::new(),
            to: others()
                .map(|other| place.parts[rank].common(&next.parts[other?]))
                .collect(),
            from: others()
                .map(|other| place.parts[other?].common(&next.parts[rank]))
                .collect(),
            stays: place.parts[rank].common(&next.parts[rank]),
            goes: plan.exchanges()[exchange].0.div_ceil(GO).max(1),
            point,
        };
        let most = |of: fn(&OnHost, usize) -> [Vec<usize>; 2], side: usize| {
            let sums = (0..own.goes).map(|go| of(&own, go)[side].iter().sum::<usize>());
            sums.max().unwrap_or(0)
        };
        let room = [0, 1].map(|side| most(OnHost::bytes, side));
        own.sent = host(room[0])?;
        own.received = host(room[1])?;
        Ok(own)
    }

    /// The pieces of a go, of what is sent and of what comes.
    fn pieces(&self, go: usize) -> [Vec<Option<Part>>; 2] {
        [&self.to, &self.from].map(|parts| {
            let pieces = parts.iter().map(|part| part.as_ref()?.piece(go, self.goes));
            pieces.collect()
        })
    }

    /// The bytes of a go to each rank, and from each.
    pub fn bytes(&self, go: usize) -> [Vec<usize>; 2] {
        self.pieces(go).map(|parts| {
            let points = parts.iter().map(|p| p.as_ref().map_or(0, Part::points));
            points.map(|points| points * self.point).collect()
        })
    }

    /// Makes the messages of a go.
    pub fn pack(&mut self, go: usize, made: &[u8], place: (&Place, usize)) {
        let [to, _] = self.pieces(go);
        pack(made, &mut self.sent, &to, place, self.point);
    }

    /// Takes those of a go to where the next stage starts from.
    pub fn unpack(&self, go: usize, target: &mut [u8], next: (&Place, usize)) {
        let [_, from] = self.pieces(go);
        unpack(target, &self.received, &from, next, self.point);
    }

    /// Never frees what is under way.
    pub fn leak(&mut self) {
        let both = [&mut self.sent, &mut self.received].map(std::mem::take);
        std::mem::forget(both);
    }

    /// Takes what stays here there.
    pub fn keep(&self, made: &[u8], target: &mut [u8], between: [&Place; 2], rank: usize) {
        if let Some(stays) = &self.stays {
            keep(made, target, stays, between, rank, self.point);
        }
    }
}

/// Memory of the host's for messages.
fn host(bytes: usize) -> Result<Vec<u8>> {
    let mut room = Vec::new();
    let reserved = room.try_reserve_exact(bytes);
    reserved.map_err(|_| Error::OutOfMemory {
        backend: "host".into(),
        what: "messages to other ranks".into(),
        bytes,
    })?;
    room.resize(bytes, 0);
    Ok(room)
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
            Letters::Host(own) => own.leak(),
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
    let of = |i: usize| {
        let (stage, next) = (&plan.stages[i], &plan.stages[i + 1]);
        let (sent, received) = (bytes(&stage.to), bytes(&next.from));
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
                false => Letters::Host(Box::new(OnHost::new(plan, rank, i)?)),
            },
        })
    };
    (0..last).map(of).collect()
}

/// Copies what each rank gets out of this rank's part, one message behind the other.
fn pack(
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
fn unpack(
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
fn keep(
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

/// Memory of a backend as the host has it: itself, or a copy of a device's.
pub fn on_host<'a>(backend: &AnyBackend, memory: &'a AnyBuffer) -> Result<Cow<'a, [u8]>> {
    #[cfg(feature = "cpu")]
    if let AnyBuffer::Cpu(memory) = memory {
        return Ok(memory.as_bytes().into());
    }
    let mut copy = host(memory.bytes())?;
    backend.read(memory, 0, &mut copy)?;
    Ok(copy.into())
}

/// Memory of a backend that the host writes all of: itself, or a copy that goes to a device.
pub enum Written<'a> {
    #[cfg(feature = "cpu")]
    Itself(&'a mut [u8]),
    Copy(&'a mut AnyBuffer, Vec<u8>),
}

impl<'a> Written<'a> {
    pub fn of(memory: &'a mut AnyBuffer) -> Result<Written<'a>> {
        match memory {
            #[cfg(feature = "cpu")]
            AnyBuffer::Cpu(memory) => Ok(Written::Itself(memory.as_bytes_mut())),
            memory => {
                let copy = host(memory.bytes())?;
                Ok(Written::Copy(memory, copy))
            }
        }
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        match self {
            #[cfg(feature = "cpu")]
            Written::Itself(bytes) => bytes,
            Written::Copy(_, copy) => copy,
        }
    }

    /// Takes the copy to the device.
    pub fn end(self, backend: &AnyBackend) -> Result<()> {
        match self {
            #[cfg(feature = "cpu")]
            Written::Itself(_) => Ok(()),
            Written::Copy(memory, copy) => backend.write(memory, 0, &copy),
        }
    }
}
