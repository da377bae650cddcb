//! [`DistributedTransform`]: a distributed plan prepared on every rank, and its runs.
//!
//! The file is long because what a run does stands beside what it checks.

use super::across::Across;
use super::communicator::{self, Messages, Window};
use super::explain::How;
use super::group::{Group, Turn};
use super::line::with_roots;
use super::mail::{mail, on_host, Letters, Mail, OnHost, Written};
use super::peers::settle;
use super::place::{copy_across, outermost_as_batch, Lies};
use super::plan::DistributedPlan;
use crate::any::{AnyBackend, AnyBuffer};
use crate::buffer::Buffer;
use crate::element::{self, Element};
use crate::foreign::Foreign;
use crate::transform::{Planner, Transform};
use mmafft_backend_traits::{
    Backend, Buffer as _, Domain, Error, Plan, Request, Result, ScalarType, Slot,
};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Where the arrays between stages lie.
enum Between {
    /// Where all ranks store and load.
    Windows(Vec<Window>),
    /// Each rank's own, with what it sends and what comes; of each exchange.
    Messages {
        mail: Mutex<Vec<Mail>>,
        /// Why there are no windows.
        reason: String,
    },
}

/// A distributed plan prepared on this rank.
///
/// One run of a group's transforms at a time is under way: another thread's waits. All ranks run a group's transforms in
/// the same order, or get `Disagree`.
pub struct DistributedTransform {
    plan: DistributedPlan,
    group: Group,
    /// The group's how manieth transform it is, from 1 on.
    number: u64,
    backend: AnyBackend,
    /// What this rank does in each stage; `None` where it has nothing of the array, or what it has only changes places
    /// on its way through messages.
    stages: Vec<Option<Local>>,
    between: Between,
    /// Held by a run; why no other follows, where a rank was lost.
    running: Mutex<Option<Error>>,
}

impl std::fmt::Debug for DistributedTransform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("DistributedTransform");
        debug.field("plan", &self.plan).finish_non_exhaustive()
    }
}

impl DistributedTransform {
    pub(super) fn prepare(
        planner: &Planner,
        group: &Group,
        plan: DistributedPlan,
        windows: std::result::Result<Vec<Window>, String>,
    ) -> Result<Self> {
        let (backend, rank) = (planner.backend().clone(), group.rank());
        let shared = windows.is_ok();
        let in_parts = windows.iter().flatten().any(Window::is_in_parts);
        let last = plan.stages.len() - 1;
        let across = |exchange: usize| {
            let two = plan.stages.get(exchange..exchange + 2)?;
            shared.then(|| two[0].across(&two[1], in_parts))
        };
        let mut stages = Vec::new();
        for (i, stage) in plan.stages.iter().enumerate() {
            let own = i.checked_sub(1).and_then(across);
            let next = across(i);
            // What a message takes along need not be copied before.
            stages.push(match stage.axes.is_empty() && !shared && last > 0 {
                true => None,
                false => Local::prepare(planner, &plan, i, rank, [own.as_ref(), next.as_ref()])?,
            });
        }
        let between = match windows {
            Ok(windows) => Between::Windows(windows),
            Err(reason) => Between::Messages {
                mail: {
                    let on_device = group.takes_memory_of(&backend)?;
                    Mutex::new(mail(planner, &plan, rank, on_device)?)
                },
                reason,
            },
        };
        Ok(DistributedTransform {
            plan,
            group: group.clone(),
            number: 0,
            backend,
            stages,
            between,
            running: Mutex::default(),
        })
    }

    /// The same with its number in the group, which it gets when every rank has it.
    pub(super) fn numbered(mut self, number: u64) -> Self {
        self.number = number;
        self
    }

    /// The plan.
    pub fn plan(&self) -> &DistributedPlan {
        &self.plan
    }

    /// What the plan does, with how this group exchanges.
    pub fn explain(&self) -> String {
        let how = match &self.between {
            Between::Windows(windows) if windows.iter().any(Window::is_in_parts) => How::Devices,
            Between::Windows(_) => How::Memory,
            Between::Messages { reason, .. } => match self.group.takes_memory_of(&self.backend) {
                Ok(true) => How::Letters,
                _ => How::Messages(reason),
            },
        };
        let (station, limits) = (self.group.station(), self.backend.limits());
        let mut text = self.plan.explain_on(station, how, limits);
        for (i, local) in self.stages.iter().enumerate() {
            if let Some((memory, _)) = local.as_ref().and_then(|local| local.copied.as_ref()) {
                let bytes = memory
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .bytes();
                text += &format!(
                    "stage {}: makes its points in {bytes} B of its own, then copies them to where stage {} loads them\n",
                    i + 1,
                    i + 2
                );
            }
        }
        text
    }

    /// The plan of each of this rank's own stages; `None` where it does nothing.
    pub fn stage_plans(&self) -> impl Iterator<Item = Option<&Plan>> {
        self.stages
            .iter()
            .map(|stage| Some(stage.as_ref()?.transform.plan()))
    }

    /// This rank's number.
    pub fn rank(&self) -> usize {
        self.group.rank()
    }

    /// Bytes that this rank has of the input, and of the output.
    pub fn bytes(&self) -> [usize; 2] {
        let sides = [
            (Slot::Input, self.input_len()),
            (Slot::Output, self.output_len()),
        ];
        sides.map(|(side, points)| {
            let (scalar, domain) = self.elements(side);
            points * domain.scalars() * scalar.bytes()
        })
    }

    /// Elements that this rank has of the input.
    pub fn input_len(&self) -> usize {
        self.plan.stages[0].from.parts[self.group.rank()].points()
    }

    /// Elements that this rank has of the output.
    pub fn output_len(&self) -> usize {
        let last = &self.plan.stages[self.plan.stages.len() - 1];
        last.to.parts[self.group.rank()].points()
    }

    /// Collective: transforms this rank's part of the input, in a buffer of its backend, into its part of the output.
    ///
    /// # Errors
    /// Those of [`Transform::run`] where a buffer is not this rank's part, and `OtherRank` on the others; `Disagree` on
    /// every rank where one runs another transform of the group; `Lost` where a rank does not come in time. Unless this rank's own error says otherwise ([`Error::output_touched`]), the output is as
    /// it was, but where another failed in the last stage.
    pub fn run(&self, input: &Buffer, output: &mut Buffer) -> Result<()> {
        let kinds = (output.scalar, output.domain);
        let checked = self
            .check(
                Slot::Input,
                (input.scalar, input.domain),
                input.memory.bytes(),
            )
            .and_then(|()| self.check(Slot::Output, kinds, output.memory.bytes()));
        let ends = Ends {
            input: Some(&input.memory),
            output: Some(&mut output.memory),
        };
        self.run_checked(checked, ends)
    }

    /// Collective: transforms this rank's part of the input into its part of the output, both in host memory.
    ///
    /// # Errors
    /// Those of [`DistributedTransform::run`].
    pub fn process<I: Element, O: Element>(&self, input: &[I], output: &mut [O]) -> Result<()> {
        let checked = self
            .check(Slot::Input, (I::SCALAR, I::DOMAIN), size_of_val(input))
            .and_then(|()| self.check(Slot::Output, (O::SCALAR, O::DOMAIN), size_of_val(output)));
        let output = bytemuck::cast_slice_mut(output);
        self.run_on_host(checked, bytemuck::cast_slice(input), output)
    }

    /// The same of bytes of the elements that the request says: for callers that know types only when they run.
    ///
    /// # Errors
    /// Those of [`DistributedTransform::run`]; `Unsupported` on the CPU where the bytes do not begin with a scalar.
    pub fn process_bytes(&self, input: &[u8], output: &mut [u8]) -> Result<()> {
        let own = [Slot::Input, Slot::Output].map(|side| self.elements(side));
        let checked = self
            .check(Slot::Input, own[0], input.len())
            .and_then(|()| self.check(Slot::Output, own[1], output.len()));
        self.run_on_host(checked, input, output)
    }

    fn run_on_host(&self, checked: Result<()>, from: &[u8], to: &mut [u8]) -> Result<()> {
        if let AnyBackend::Cpu(_) = self.backend {
            // SAFETY: both slices outlive the run, which only reads the first.
            let (from, mut to) = unsafe {
                let from = self
                    .backend
                    .buffer_from_raw(from.as_ptr() as u64, from.len());
                let to = self
                    .backend
                    .buffer_from_raw(to.as_mut_ptr() as u64, to.len());
                (from, to)
            };
            let ends = Ends {
                input: Some(&from),
                output: Some(&mut to),
            };
            return self.run_checked(checked, ends);
        }
        let copies = checked.and_then(|()| {
            let mut there = self.backend.allocate(from.len())?;
            self.backend.write(&mut there, 0, from)?;
            Ok((there, self.backend.zeros(to.len())?))
        });
        match copies {
            Err(error) => {
                let ends = Ends {
                    input: None,
                    output: None,
                };
                self.run_checked(Err(error), ends)
            }
            Ok((there, mut back)) => {
                let ends = Ends {
                    input: Some(&there),
                    output: Some(&mut back),
                };
                self.run_checked(Ok(()), ends)?;
                self.backend.read(&back, 0, to)
            }
        }
    }

    /// The same in memory of this rank's backend by its addresses, of so many bytes of the elements that the request says:
    /// for callers whose arrays are another library's.
    ///
    /// # Safety
    /// Both are memory of the backend's device, or of the host on the CPU, apart from each other; nobody else writes either
    /// or reads the output until the run is over, and what wrote the input is done. After [`Error::Lost`] both stay until
    /// the device has been synchronised.
    ///
    /// # Errors
    /// Those of [`DistributedTransform::run`].
    pub unsafe fn run_raw(&self, input: (u64, usize), output: (u64, usize)) -> Result<()> {
        let own = [Slot::Input, Slot::Output].map(|side| self.elements(side));
        let checked = self
            .check(Slot::Input, own[0], input.1)
            .and_then(|()| self.check(Slot::Output, own[1], output.1));
        // SAFETY: the caller's.
        let (from, mut to) = unsafe {
            (
                self.backend.buffer_from_raw(input.0, input.1),
                self.backend.buffer_from_raw(output.0, output.1),
            )
        };
        let ends = Ends {
            input: Some(&from),
            output: Some(&mut to),
        };
        self.run_checked(checked, ends)
    }

    /// Uploads this rank's part of the input.
    ///
    /// # Errors
    /// `OutOfMemory` where the device has no room.
    pub fn upload<T: Element>(&self, data: &[T]) -> Result<Buffer> {
        let bytes = bytemuck::cast_slice(data);
        let mut memory = self.backend.allocate(bytes.len())?;
        self.backend.write(&mut memory, 0, bytes)?;
        Ok(Buffer {
            memory,
            scalar: T::SCALAR,
            domain: T::DOMAIN,
        })
    }

    /// A buffer of zeros for this rank's part of the output.
    ///
    /// # Errors
    /// `OutOfMemory` where the device has no room.
    pub fn allocate_output(&self) -> Result<Buffer> {
        let (scalar, domain) = self.elements(Slot::Output);
        let bytes = self.output_len() * domain.scalars() * scalar.bytes();
        Ok(Buffer {
            memory: self.backend.zeros(bytes)?,
            scalar,
            domain,
        })
    }

    /// Copies a buffer to host memory for as many such elements.
    ///
    /// # Errors
    /// `ElementType` and `BufferLength` where the two do not fit.
    pub fn download_into<T: Element>(&self, buffer: &Buffer, data: &mut [T]) -> Result<()> {
        buffer.holds::<T>(Slot::Output, data.len())?;
        self.backend.synchronize()?;
        let bytes = bytemuck::cast_slice_mut(data);
        self.backend.read(&buffer.memory, 0, bytes)
    }

    fn elements(&self, side: Slot) -> (ScalarType, Domain) {
        let row = self.plan.request.kind.row();
        let domain = match side {
            Slot::Input => row.input,
            _ => row.output,
        };
        (self.plan.request.precision.row().storage, domain)
    }

    /// Checks that a side's memory is this rank's part.
    fn check(&self, side: Slot, got: (ScalarType, Domain), bytes: usize) -> Result<()> {
        let wanted = self.elements(side);
        if got != wanted {
            return Err(Error::ElementType {
                side,
                expected: element::name(wanted.0, wanted.1),
                got: element::name(got.0, got.1),
                instead: element::taken_by(got.0, wanted.0),
            });
        }
        let expected = match side {
            Slot::Input => self.input_len(),
            _ => self.output_len(),
        };
        let got = bytes / (wanted.0.bytes() * wanted.1.scalars());
        match got.cmp(&expected) {
            std::cmp::Ordering::Less => Err(Error::BufferTooShort {
                side,
                expected,
                got,
                unit: "elements",
            }),
            std::cmp::Ordering::Equal => Ok(()),
            std::cmp::Ordering::Greater => Err(Error::BufferTooLong {
                side,
                expected,
                got,
            }),
        }
    }

    /// Runs the stages. What this rank could not do it says at the next fence, so that no rank waits for it in vain; an
    /// output is written behind a fence at which all ranks' buffers were right.
    fn run_checked(&self, checked: Result<()>, ends: Ends<'_>) -> Result<()> {
        let mut ended = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lost) = ended.as_ref() {
            return Err(lost.clone());
        }
        // A panic leaves this behind, as the others are then at fences that this rank has not come to.
        *ended = Some(Error::Lost {
            rank: Some(self.rank()),
            waited: Duration::ZERO,
        });
        let mut turn = self.group.turn(self.number);
        let unsettled = turn.begin();
        let mut result = self.run_stages(&mut turn, checked, ends, unsettled);
        match &result {
            Ok(()) => turn.end(),
            Err(Error::Lost { .. }) => {}
            // The caller's memory is its own again.
            Err(_) => {
                if let Err(lost @ Error::Lost { .. }) = self.settle(&turn) {
                    result = Err(lost);
                }
            }
        }
        *ended = match &result {
            // Ranks are not in step any more, and what they have enqueued may run still.
            Err(lost @ Error::Lost { .. }) => {
                match &self.between {
                    Between::Windows(windows) => windows.iter().for_each(Window::leak),
                    Between::Messages { mail, .. } => {
                        let mut mail = mail.lock().unwrap_or_else(PoisonError::into_inner);
                        mail.iter_mut().for_each(|mail| mail.leak(&self.backend));
                    }
                }
                Some(lost.clone())
            }
            _ => None,
        };
        result
    }

    fn run_stages(
        &self,
        turn: &mut Turn<'_>,
        checked: Result<()>,
        mut ends: Ends<'_>,
        unsettled: bool,
    ) -> Result<()> {
        let last = self.stages.len() - 1;
        let mut so_far = checked;
        if unsettled {
            so_far = so_far.and_then(|()| self.settle(turn));
        }
        if last == 0 || unsettled {
            so_far = turn.open(so_far).map(Ok)?;
        }
        for i in 0..=last {
            so_far = so_far.and_then(|()| self.stage(i, &mut ends));
            if i < last {
                so_far = self.exchange(turn, i, so_far, &mut ends)?;
            }
        }
        let so_far = so_far.and_then(|()| self.settle(turn));
        turn.all(so_far)
    }

    /// What this rank does in a stage.
    fn stage(&self, i: usize, ends: &mut Ends<'_>) -> Result<()> {
        let Some(local) = &self.stages[i] else {
            return Ok(());
        };
        let last = self.stages.len() - 1;
        match &self.between {
            Between::Windows(windows) => {
                let window = |exchange: usize| {
                    let window = &windows[exchange % windows.len()];
                    // SAFETY: stages touch this rank's part alone, by the plan's layouts, and are done at the fence.
                    unsafe { window.view(&self.backend) }
                };
                let mut inner = (i < last).then(|| window(i));
                let before = (i > 0).then(|| window(i - 1));
                let from = before.as_ref().or(ends.input);
                let to = inner.as_mut().or(ends.output.as_deref_mut());
                local.run(from, to)
            }
            Between::Messages { mail, .. } => {
                let mut mail = mail.lock().unwrap_or_else(PoisonError::into_inner);
                let (before, behind) = mail.split_at_mut(i);
                let from = before.last().and_then(|mail| mail.behind.as_ref());
                let to = behind.first_mut().and_then(|mail| mail.before.as_mut());
                let (input, output) = (ends.input, ends.output.as_deref_mut());
                local.run(from.or(input), to.or(output))
            }
        }
    }

    /// What lies between a stage and the next: a fence, and messages where ranks share no memory. The outer result is all
    /// ranks', the inner one what this rank says at the next fence.
    fn exchange(
        &self,
        turn: &mut Turn<'_>,
        i: usize,
        so_far: Result<()>,
        ends: &mut Ends<'_>,
    ) -> Result<Result<()>> {
        let Between::Messages { mail, .. } = &self.between else {
            // Devices wait for each other where they can; else each rank waits for its own.
            let marked = so_far.and_then(|()| match turn.communicator().on_device() {
                Some(devices) if devices.mark(&self.backend)? => Ok(()),
                _ => self.settle(turn),
            });
            turn.all(marked)?;
            return Ok(match turn.communicator().on_device() {
                Some(devices) => devices.follow(&self.backend),
                None => Ok(()),
            });
        };
        let mut mail = mail.lock().unwrap_or_else(PoisonError::into_inner);
        let (earlier, own) = mail.split_at_mut(i);
        let Mail {
            before,
            behind,
            letters,
        } = &mut own[0];
        let source = before
            .as_ref()
            .or(earlier.last().and_then(|mail| mail.behind.as_ref()))
            .or(ends.input);
        let target = behind.as_mut().or(ends.output.as_deref_mut());
        match letters {
            Letters::Host(letters) => {
                self.through_the_host(turn, i, so_far, (source, target), letters)
            }
            Letters::Device(letters) => {
                let packed = so_far.and_then(|()| match source {
                    Some(source) => letters.pack(source),
                    None => Ok(()),
                });
                turn.all(packed)?;
                let addresses = [&mut letters.sent, &mut letters.received];
                let [sent, received] = addresses.map(|memory| self.backend.address(memory));
                let messages = communicator::Letters {
                    sent,
                    to: &letters.to,
                    received,
                    from: &letters.from,
                    point: self.plan.point_bytes(&self.plan.stages[i].to),
                };
                let waits = self.group.waits();
                let communicator = turn.communicator();
                let exchanged = match communicator.on_device() {
                    Some(devices) => devices.exchange(&self.backend, &messages, waits),
                    // Nobody takes their memory who has no such calls.
                    None => Err(Error::Lost {
                        rank: None,
                        waited: Duration::ZERO,
                    }),
                };
                exchanged.map_err(|error| match error {
                    // All ranks have said so, before anything was under way.
                    Error::Overflow { .. } | Error::OtherRank { .. } => error,
                    _ => self.lost(error),
                })?;
                let (Some(source), Some(target)) = (source, target) else {
                    return Ok(Ok(()));
                };
                Ok(letters.unpack(source, target))
            }
        }
    }

    /// Waits for what this rank's backend does.
    fn settle(&self, turn: &Turn<'_>) -> Result<()> {
        settle(&self.backend, turn.communicator(), self.group.waits())
    }

    /// An error in an exchange, behind which ranks are in step no more.
    fn lost(&self, error: Error) -> Error {
        let waited = self.group.waits();
        match error {
            Error::Lost { .. } => error,
            _ => Error::Lost { rank: None, waited },
        }
    }

    /// An exchange by messages in host memory, in as many goes as keep them in a core's cache.
    fn through_the_host(
        &self,
        turn: &mut Turn<'_>,
        i: usize,
        so_far: Result<()>,
        (source, target): (Option<&AnyBuffer>, Option<&mut AnyBuffer>),
        letters: &mut OnHost,
    ) -> Result<Result<()>> {
        let rank = self.group.rank();
        let (place, next) = (&self.plan.stages[i].to, &self.plan.stages[i + 1].from);
        let ready = so_far.and_then(|()| self.settle(turn)).and_then(|()| {
            let made = source.map(|source| on_host(&self.backend, source));
            Ok((made.transpose()?, target.map(Written::of).transpose()?))
        });
        let (made, mut written) = turn.all(ready)?;
        let made = made.as_deref().unwrap_or(&[]);
        for go in 0..letters.goes {
            letters.pack(go, made, (place, rank));
            let [to, from] = letters.bytes(go);
            let mut messages = Messages {
                sent: &letters.sent[..to.iter().sum()],
                to: &to,
                received: &mut letters.received[..from.iter().sum()],
                from: &from,
                point: self.plan.point_bytes(place),
            };
            let communicator = turn.communicator();
            if let Err(error) = communicator.exchange(&mut messages, self.group.waits()) {
                // All ranks have said so, before anything was under way.
                if let Error::Overflow { .. } | Error::OtherRank { .. } = error {
                    return Err(error);
                }
                letters.leak();
                return Err(self.lost(error));
            }
            if let Some(written) = &mut written {
                letters.unpack(go, written.bytes(), (next, rank));
            }
        }
        let Some(mut written) = written else {
            return Ok(Ok(()));
        };
        letters.keep(made, written.bytes(), [place, next], rank);
        Ok(written.end(&self.backend))
    }
}

/// What a rank does in a stage.
struct Local {
    transform: Transform,
    /// What the transform makes lies here first, and is copied to where the next stage loads it.
    copied: Option<(Mutex<AnyBuffer>, Transform)>,
}

impl Local {
    /// Of a stage that loads from a window, or stores to one, how arrays lie there; `None` where the rank has nothing of
    /// the array.
    fn prepare(
        planner: &Planner,
        plan: &DistributedPlan,
        stage: usize,
        rank: usize,
        windows: [Option<&Across>; 2],
    ) -> Result<Option<Local>> {
        let (stage, whole) = (&plan.stages[stage], plan.of_stages());
        let local = |windows: [Option<&Across>; 2]| {
            let Some(request) = stage.request(&whole, rank, windows) else {
                return Ok(None);
            };
            let plan = plan_within(planner, outermost_as_batch(request))?;
            match stage.roots {
                None => Ok(Some(plan)),
                Some(length) => {
                    let columns = stage.from.parts[rank].all()[2].clone();
                    with_roots(plan, length, columns.len(), columns.start).map(Some)
                }
            }
        };
        let Some(direct) = local(windows)? else {
            return Ok(None);
        };
        let prepared = |plan| {
            let transform = planner.prepare(plan)?;
            let copied = None;
            Ok(Some(Local { transform, copied }))
        };
        let Some(window) = windows[1].filter(|window| window.is_cut()) else {
            return prepared(direct);
        };
        match window.stored(direct).map(prepared) {
            // Such a plan may store as the device code does not.
            Some(Err(Error::Unsupported { .. })) | None => {}
            Some(done) => return done,
        }
        let Some(made) = local([windows[0], None])? else {
            return Ok(None);
        };
        let part = &stage.to.parts[rank];
        let lies = Lies::At(&stage.to, rank);
        let copy = copy_across(&whole, stage.to.domain, part, lies, window);
        let stored = window.stored(planner.plan(&copy)?);
        let stored = stored.ok_or_else(|| Error::Unsupported {
            what: "a copy to cut rows".into(),
            backend: planner.limits().backend.into(),
            instead: "exchange messages".into(),
        })?;
        let memory = planner
            .backend()
            .allocate(part.points() * plan.point_bytes(&stage.to))?;
        Ok(Some(Local {
            transform: planner.prepare(made)?,
            copied: Some((Mutex::new(memory), planner.prepare(stored)?)),
        }))
    }

    fn run(&self, input: Option<&AnyBuffer>, output: Option<&mut AnyBuffer>) -> Result<()> {
        let Some((made, copy)) = &self.copied else {
            return self.transform.run_memory(input, output);
        };
        let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
        self.transform.run_memory(input, Some(&mut made))?;
        copy.run_memory(Some(&made), output)
    }
}

/// The plan of a stage; one that lays what is between its passes in a window, where scratch has no room for that.
fn plan_within(planner: &Planner, mut request: Request) -> Result<Plan> {
    match planner.plan(&request) {
        Err(Error::ScratchLimit { .. }) if request.write_only_output => {
            request.write_only_output = false;
            planner.plan(&request)
        }
        other => other,
    }
}

/// The caller's memory; none where it was refused.
struct Ends<'a> {
    input: Option<&'a AnyBuffer>,
    output: Option<&'a mut AnyBuffer>,
}
