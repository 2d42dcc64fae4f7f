//! The threads that run work-groups, shared by all devices of a process.
//!
//! A dispatch of few waves runs on the command processor's own thread, as far as it comes in one turn; everything else
//! is spread over the workers. A group that waits for others is parked in a queue; started and parked groups take
//! turns, so that all of them go on.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use amdgpu_isa::{CodeCache, CodeView, Group};
use hsa_sys::QueueInactive;
use parking_lot::{Condvar, Mutex};

use super::Dispatch;
use super::group::{DeviceIo, Spare, Turn, WorkGroup, surroundings};
use super::progress::Work;
use super::space::StaySpace;
use crate::Options;
use crate::panics::caught;

/// Time slice of a wave in instructions. Short, because a wave that spins on memory shows at the end of one.
const SLICE: u64 = 5_000;
/// Time slice of a wave on the command processor's thread.
const INLINE_SLICE: u64 = 5_000;
/// Most waves of a dispatch that starts on the command processor's thread.
const INLINE_WAVES: u64 = 4;
/// How long a thread stays with one group, and with one dispatch, while others wait.
const STAY: Duration = Duration::from_millis(10);
/// Instructions after which a thread accounts for what it did, and work-groups at the most.
const BATCH: (u64, u64) = (4096, 32);
/// Turns without progress after which a thread gives its core away for a moment, and for longer.
const PATIENCE: (u32, u32) = (32, 512);
const SHORT_NAP: Duration = Duration::from_micros(20);
const LONG_NAP: Duration = Duration::from_micros(200);

#[derive(Default)]
struct State {
    /// Dispatches with work-groups that nobody has taken.
    dispatches: VecDeque<Arc<Dispatch>>,
    parked: VecDeque<Parked>,
    threads: Vec<JoinHandle<()>>,
    idle: usize,
    stop: bool,
}

struct Shared {
    state: Mutex<State>,
    work: Condvar,
}

/// The threads.
pub(crate) struct Workers {
    shared: Arc<Shared>,
    most: usize,
    /// How long a dispatch may take.
    pub(super) timeout: Option<Duration>,
    /// Whether dispatches are counted and kept.
    pub(super) counters: bool,
}

/// A work-group that has begun, and nobody runs.
struct Parked {
    dispatch: Arc<Dispatch>,
    group: WorkGroup,
}

/// What a thread that runs work-groups keeps between them.
#[derive(Default)]
pub(crate) struct Worker {
    code: Option<(Arc<CodeCache>, CodeView)>,
    /// The dispatch that `code` was last checked for.
    checked: Option<std::sync::Weak<Dispatch>>,
    spare: Spare,
    /// Work-groups to take next time: more of short ones than of long ones.
    batch: u64,
    /// Turns since something last moved.
    fruitless: u32,
    /// Groups that were parked when this thread last parked one.
    parked: u32,
}

enum Job {
    Start(Arc<Dispatch>),
    Resume(Parked),
}

impl Worker {
    fn code(&mut self, dispatch: &Arc<Dispatch>) -> &mut CodeView {
        let cache = &dispatch.context.code;
        let same = self.checked.as_ref().is_some_and(|last| last.as_ptr() == Arc::as_ptr(dispatch));
        let code = match self.code.take() {
            Some((of, mut view)) if Arc::ptr_eq(&of, cache) => {
                if !same {
                    view.begin_dispatch();
                }
                (of, view)
            }
            _ => (Arc::clone(cache), CodeView::new(Arc::clone(cache))),
        };
        if !same {
            self.checked = Some(Arc::downgrade(dispatch));
        }
        &mut self.code.insert(code).1
    }

    fn turn(
        &mut self,
        dispatch: &Arc<Dispatch>,
        group: &mut WorkGroup,
        around: &mut Group<'_>,
        slice: u64,
    ) -> Turn {
        let code = self.code(dispatch);
        // Whoever waits for the dispatch must not wait for ever, and the thread has other work-groups to run.
        caught(|| group.turn(dispatch, around, code, slice)).unwrap_or_else(|panic| {
            dispatch.fail_in_device(QueueInactive::ILLEGAL_INSTRUCTION, panic);
            Turn::Ended
        })
    }

    /// Runs a group until it ends, or has to let others go first and is parked. Tells whether it ended.
    fn run(
        &mut self,
        dispatch: &Arc<Dispatch>,
        mut group: WorkGroup,
        around: &mut Group<'_>,
        shared: &Shared,
        work: &mut Work,
    ) -> bool {
        // Most groups are over after their first turn: the clock is not asked for them.
        let mut begun = None;
        loop {
            match self.turn(dispatch, &mut group, around, SLICE) {
                Turn::Ended => {
                    self.fruitless = 0;
                    group.end(dispatch, &mut self.spare, work);
                    return true;
                }
                // It ends at its next turn.
                _ if dispatch.is_overdue() => group.fail_overdue(dispatch),
                Turn::Busy if begun.get_or_insert_with(Instant::now).elapsed() < STAY => self.fruitless = 0,
                Turn::Busy => {
                    self.fruitless = 0;
                    break;
                }
                Turn::Asleep => {
                    self.fruitless += 1;
                    break;
                }
            }
        }
        let mut state = shared.state.lock();
        state.parked.push_back(Parked { dispatch: Arc::clone(dispatch), group });
        self.parked = state.parked.len() as u32;
        if state.idle > 0 {
            shared.work.notify_one();
        }
        false
    }

    /// Goes on with a group that was parked.
    fn resume(&mut self, Parked { dispatch, group }: Parked, shared: &Shared) {
        let (space, io) = (StaySpace::new(&dispatch.context.vm), DeviceIo(&dispatch));
        let mut work = Work::default();
        self.run(&dispatch, group, &mut surroundings(&space, &io), shared, &mut work);
        dispatch.settle(&work, 0..0);
    }

    /// Runs new groups of a dispatch until there are none, or others should have their turn.
    fn start(&mut self, dispatch: &Arc<Dispatch>, shared: &Shared) {
        let begun = Instant::now();
        let (space, io) = (StaySpace::new(&dispatch.context.vm), DeviceIo(dispatch));
        let mut around = surroundings(&space, &io);
        let threads = dispatch.context.workers.most as u64;
        self.batch = 1;
        while let Some(mut batch) = dispatch.take(self.batch, threads) {
            let mut work = Work::default();
            for n in batch.by_ref() {
                let Some(group) = begin(dispatch, n, &mut self.spare, &mut work) else { break };
                let ended = self.run(dispatch, group, &mut around, shared, &mut work);
                if !ended || work.instructions > BATCH.0 {
                    break;
                }
            }
            self.batch =
                (BATCH.0 * work.groups).checked_div(work.instructions).unwrap_or(1).clamp(1, BATCH.1);
            let gives_back = !batch.is_empty();
            dispatch.settle(&work, batch);
            // Under the lock, so that nobody falls asleep between having looked and being woken.
            if gives_back && shared.state.lock().idle > 0 {
                shared.work.notify_one();
            }
            if self.fruitless > 0 || begun.elapsed() > STAY {
                break;
            }
        }
    }

    /// Gives the core away if nothing has moved for a while.
    fn back_off(&self) {
        // Of many groups that wait for each other each has had its turn before the thread gives up.
        let fruitless = self.fruitless.saturating_sub(self.parked);
        if fruitless > PATIENCE.1 {
            std::thread::sleep(LONG_NAP);
        } else if fruitless > PATIENCE.0 {
            std::thread::sleep(SHORT_NAP);
        } else if self.fruitless > 0 {
            std::thread::yield_now();
        }
    }
}

/// Starts the `n`-th work-group of a dispatch, which has been taken.
fn begin(dispatch: &Dispatch, n: u64, spare: &mut Spare, work: &mut Work) -> Option<WorkGroup> {
    match caught(|| WorkGroup::start(dispatch, n, spare)) {
        Ok(group) => Some(group),
        Err(panic) => {
            dispatch.fail_in_device(QueueInactive::ILLEGAL_INSTRUCTION, panic);
            work.groups += 1;
            None
        }
    }
}

impl Workers {
    /// As many threads as the options say; they are started with the first dispatch that needs them.
    pub(crate) fn new(options: &Options) -> Arc<Workers> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let shared = Shared { state: Mutex::default(), work: Condvar::new() };
        Arc::new(Workers {
            shared: Arc::new(shared),
            most: options.threads.unwrap_or(cores).max(1),
            timeout: options.timeout,
            counters: options.counters,
        })
    }

    /// Begins a dispatch. A small one may be over when this returns.
    pub(crate) fn launch(&self, dispatch: &Arc<Dispatch>, worker: &mut Worker) {
        let launch = &dispatch.launch;
        let lanes = launch.descriptor.wave_size(dispatch.context.generation);
        let size: u32 = launch.workgroup.iter().product();
        let waves = launch.total.saturating_mul(u64::from(size.div_ceil(lanes)));
        if waves <= INLINE_WAVES {
            let (space, io) = (StaySpace::new(&dispatch.context.vm), DeviceIo(dispatch));
            let mut around = surroundings(&space, &io);
            while let Some(n) = dispatch.take(1, 1).and_then(|mut one| one.next()) {
                let mut work = Work::default();
                if let Some(mut group) = begin(dispatch, n, &mut worker.spare, &mut work) {
                    if worker.turn(dispatch, &mut group, &mut around, INLINE_SLICE) != Turn::Ended {
                        return self.submit(dispatch, Some(group), worker);
                    }
                    group.end(dispatch, &mut worker.spare, &mut work);
                }
                dispatch.settle(&work, 0..0);
            }
        }
        if dispatch.left() > 0 {
            self.submit(dispatch, None, worker);
        }
    }

    /// Leaves a dispatch, and a group of it that has begun, to the threads.
    fn submit(&self, dispatch: &Arc<Dispatch>, group: Option<WorkGroup>, worker: &mut Worker) {
        let mut state = self.shared.state.lock();
        let more = dispatch.left();
        let wanted = usize::try_from(more).unwrap_or(usize::MAX).saturating_add(usize::from(group.is_some()));
        let missing = wanted.saturating_sub(state.idle).min(self.most - state.threads.len().min(self.most));
        for _ in 0..missing {
            let shared = Arc::clone(&self.shared);
            let name = format!("emu-cu-{}", state.threads.len());
            match std::thread::Builder::new().name(name).spawn(move || work(&shared)) {
                Ok(thread) => state.threads.push(thread),
                Err(error) => {
                    tracing::error!(target: "amdgpu_emu", %error, "cannot start a worker thread");
                    break;
                }
            }
        }
        if state.threads.is_empty() {
            drop(state);
            let text = "no host thread to run work-groups on".to_owned();
            dispatch.fail_in_device(QueueInactive::OUT_OF_REGISTERS, text);
            if let Some(group) = group {
                let mut work = Work::default();
                group.end(dispatch, &mut worker.spare, &mut work);
                dispatch.settle(&work, 0..0);
            }
            return;
        }
        if more > 0 {
            state.dispatches.push_back(Arc::clone(dispatch));
        }
        state.parked.extend(group.map(|group| Parked { dispatch: Arc::clone(dispatch), group }));
        let threads = state.threads.len();
        drop(state);
        for _ in 0..wanted.min(threads) {
            self.shared.work.notify_one();
        }
    }

    /// Ends all threads. Dispatches must have been killed before.
    pub(crate) fn shut_down(&self) {
        let threads = {
            let mut state = self.shared.state.lock();
            state.stop = true;
            std::mem::take(&mut state.threads)
        };
        self.shared.work.notify_all();
        for thread in threads {
            // A panic of that thread was printed where it happened.
            let _ = thread.join();
        }
    }
}

/// The next thing to do: new and parked groups in turn.
fn pick(state: &mut State, prefer_parked: bool) -> Option<Job> {
    let parked = |state: &mut State| state.parked.pop_front().map(Job::Resume);
    if prefer_parked && let Some(job) = parked(state) {
        return Some(job);
    }
    // Not those whose work-groups were all taken: a thread may give back some of its batch.
    state.dispatches.retain(|dispatch| !dispatch.is_done());
    if let Some(at) = state.dispatches.iter().position(|dispatch| dispatch.has_group())
        && let Some(dispatch) = state.dispatches.remove(at)
    {
        state.dispatches.push_back(Arc::clone(&dispatch));
        return Some(Job::Start(dispatch));
    }
    parked(state)
}

fn work(shared: &Shared) {
    let mut worker = Worker::default();
    let mut prefer_parked = false;
    loop {
        let job = {
            let mut state = shared.state.lock();
            loop {
                if state.stop {
                    return;
                }
                prefer_parked = !prefer_parked;
                if let Some(job) = pick(&mut state, prefer_parked) {
                    break job;
                }
                state.idle += 1;
                shared.work.wait(&mut state);
                state.idle -= 1;
            }
        };
        match job {
            Job::Resume(parked) => worker.resume(parked, shared),
            Job::Start(dispatch) => worker.start(&dispatch, shared),
        }
        worker.back_off();
    }
}
