//! The threads that run work-groups, shared by all devices of a process.
//!
//! A dispatch of few waves runs on the command processor's own thread, as far as it comes in one turn; everything else
//! is spread over the workers. A group that waits for others is parked in a queue; started and parked groups take
//! turns, so that all of them go on.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use amdgpu_isa::{CodeCache, CodeView, MemView};
use hsa_sys::QueueInactive;
use parking_lot::{Condvar, Mutex};

use super::Dispatch;
use super::group::{Spare, Turn, WorkGroup};
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
/// New groups between two looks at the clock.
const GROUPS_PER_LOOK: u32 = 8;
/// Turns without progress after which a thread gives its core away for a moment, and for longer.
const PATIENCE: (u32, u32) = (32, 512);
const SHORT_NAP: Duration = Duration::from_micros(20);
const LONG_NAP: Duration = Duration::from_micros(200);

#[derive(Default)]
struct State {
    /// Dispatches with work-groups that nobody has taken.
    dispatches: VecDeque<Arc<Dispatch>>,
    parked: VecDeque<WorkGroup>,
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

/// What a thread that runs work-groups keeps between them.
#[derive(Default)]
pub(crate) struct Worker {
    code: Option<(Arc<CodeCache>, CodeView)>,
    /// The dispatch that `code` was last checked for.
    checked: Option<std::sync::Weak<Dispatch>>,
    spare: Spare,
    /// Turns since something last moved.
    fruitless: u32,
    /// Groups that were parked when this thread last parked one.
    parked: u32,
}

enum Job {
    Start(Arc<Dispatch>),
    Resume(WorkGroup),
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

    fn turn(&mut self, group: &mut WorkGroup, mem: &mut MemView<'_>, slice: u64) -> Turn {
        let dispatch = Arc::clone(&group.dispatch);
        let code = self.code(&dispatch);
        // Whoever waits for the dispatch must not wait for ever, and the thread has other work-groups to run.
        caught(|| group.turn(code, mem, slice)).unwrap_or_else(|panic| {
            dispatch.fail_in_device(QueueInactive::ILLEGAL_INSTRUCTION, panic);
            Turn::Ended
        })
    }

    /// Runs a group until it ends, or has to let others go first.
    fn run(&mut self, mut group: WorkGroup, mem: &mut MemView<'_>, shared: &Shared) {
        // Most groups are over after their first turn: the clock is not asked for them.
        let mut begun = None;
        loop {
            match self.turn(&mut group, mem, SLICE) {
                Turn::Ended => {
                    self.fruitless = 0;
                    return group.end(&mut self.spare);
                }
                // It ends at its next turn.
                _ if group.dispatch.is_overdue() => group.fail_overdue(),
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
        state.parked.push_back(group);
        self.parked = state.parked.len() as u32;
    }

    /// Runs new groups of a dispatch until there are none, or others should have their turn.
    fn start(&mut self, dispatch: &Arc<Dispatch>, shared: &Shared) {
        let begun = Instant::now();
        let space = StaySpace::new(&dispatch.context.vm);
        let mut mem = MemView::new(&space);
        let mut taken = 0u32;
        while let Some(n) = dispatch.take_group() {
            let Some(group) = begin(dispatch, n, &mut self.spare) else { break };
            self.run(group, &mut mem, shared);
            taken = taken.wrapping_add(1);
            if self.fruitless > 0 || taken.is_multiple_of(GROUPS_PER_LOOK) && begun.elapsed() > STAY {
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
fn begin(dispatch: &Arc<Dispatch>, n: u64, spare: &mut Spare) -> Option<WorkGroup> {
    match caught(|| WorkGroup::start(dispatch, n, spare)) {
        Ok(group) => Some(group),
        Err(panic) => {
            dispatch.fail_in_device(QueueInactive::ILLEGAL_INSTRUCTION, panic);
            dispatch.group_ended();
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
            let space = StaySpace::new(&dispatch.context.vm);
            let mut mem = MemView::new(&space);
            while let Some(n) = dispatch.take_group() {
                let Some(mut group) = begin(dispatch, n, &mut worker.spare) else { break };
                if worker.turn(&mut group, &mut mem, INLINE_SLICE) == Turn::Ended {
                    group.end(&mut worker.spare);
                } else {
                    self.submit(dispatch, Some(group), worker);
                    return;
                }
            }
        }
        if !dispatch.is_drained() {
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
                group.end(&mut worker.spare);
            }
            return;
        }
        if more > 0 {
            state.dispatches.push_back(Arc::clone(dispatch));
        }
        state.parked.extend(group);
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
    state.dispatches.retain(|dispatch| !dispatch.is_drained());
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
            Job::Resume(group) => {
                let context = Arc::clone(&group.dispatch.context);
                let space = StaySpace::new(&context.vm);
                worker.run(group, &mut MemView::new(&space), shared);
            }
            Job::Start(dispatch) => worker.start(&dispatch, shared),
        }
        worker.back_off();
    }
}
