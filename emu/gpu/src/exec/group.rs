//! A work-group under way: its waves, its LDS, and one turn of it on a thread.

use amdgpu_isa::{
    AddressSpace, CodeView, Counts, GlobalWaveSync, Group, Io, MemView, Stop, Wave, run, run_counted,
};

use super::Dispatch;
use super::launch::{self, Place};
use super::progress::Work;
use super::spin::Spin;
use crate::kfd::{LDS_APERTURE, SCRATCH_APERTURE};
use crate::vm::guard;

/// `s_sendmsg` of an interrupt.
const MSG_INTERRUPT: u32 = 1;
/// How many low bits of an event ID a wave can send.
const INTERRUPT_BITS: u32 = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum WaveState {
    Ready,
    AtBarrier,
    Ended,
}

struct Running {
    wave: Box<Wave>,
    state: WaveState,
    slot: Option<u32>,
    spin: Spin,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// All waves have ended, or the dispatch was killed.
    Ended,
    /// Waves used up their time slices: there is more to do.
    Busy,
    /// Every wave that can run asked to sleep, or spins: it waits for someone outside.
    Asleep,
}

/// A work-group of a dispatch.
pub(super) struct WorkGroup {
    position: [u32; 3],
    waves: Vec<Running>,
    /// The wave that runs, or ran last.
    current: usize,
    /// Vector registers that the kernel has, accumulation registers not counted.
    registers: usize,
    lds: Vec<u8>,
    /// What its waves did, where the dispatch is counted.
    counts: Option<Box<Counts>>,
}

/// What a thread keeps for the next work-group.
#[derive(Default)]
pub(super) struct Spare {
    #[allow(
        clippy::vec_box,
        reason = "a wave holds more than a kilobyte beside its registers: too much to move about"
    )]
    waves: Vec<Box<Wave>>,
    lds: Vec<u8>,
    lists: Vec<Vec<Running>>,
}

/// Most waves that a thread keeps.
const SPARE_WAVES: usize = 32;

/// What waves see of the machine around their registers.
pub(super) struct DeviceIo<'a>(pub(super) &'a Dispatch);

impl Io for DeviceIo<'_> {
    fn send_message(&self, id: u32, m0: u32) {
        if id == MSG_INTERRUPT {
            self.0.context.events.interrupt_partial(m0, INTERRUPT_BITS);
        }
    }

    fn real_time(&self) -> u64 {
        crate::clock::gpu_ticks()
    }

    fn clock(&self) -> u64 {
        // Nanoseconds × MHz / 1000: as many cycles as the chip would count.
        crate::clock::monotonic_nanos().wrapping_mul(u64::from(self.0.context.chip.max_engine_clk)) / 1000
    }

    fn global_wave_sync(&self) -> Option<&GlobalWaveSync> {
        self.0.gws.as_deref()
    }
}

/// The surroundings of the work-groups that a thread runs one after the other: memory, and room for their LDS.
pub(super) fn surroundings<'a>(space: &'a dyn AddressSpace, io: &'a DeviceIo<'_>) -> Group<'a> {
    Group {
        lds: Vec::new(),
        mem: MemView::new(space),
        shared_aperture_hi: (LDS_APERTURE >> 32) as u32,
        private_aperture_hi: (SCRATCH_APERTURE >> 32) as u32,
        io,
    }
}

impl WorkGroup {
    /// Starts the `n`-th work-group of a dispatch.
    pub(super) fn start(dispatch: &Dispatch, n: u64, spare: &mut Spare) -> WorkGroup {
        let launch = &dispatch.launch;
        let context = &dispatch.context;
        let position = launch.group(n);
        let size = launch.group_size(position);
        let lanes = launch.descriptor.wave_size(context.generation);
        let count = size.iter().product::<u32>().div_ceil(lanes);
        let mut waves = spare.lists.pop().unwrap_or_default();
        for number in 0..count {
            let mut wave = spare.waves.pop().unwrap_or_else(|| Box::new(Wave::new(context.isa)));
            let slot = dispatch.take_slot();
            let place = Place { group: position, size, wave: number, waves: count, slot };
            launch::start(&mut wave, dispatch, &place);
            waves.push(Running { wave, state: WaveState::Ready, slot, spin: Spin::default() });
        }
        let mut lds = std::mem::take(&mut spare.lds);
        lds.clear();
        lds.resize(launch.lds_bytes as usize, 0);
        let registers = launch.descriptor.vgprs(context.generation) as usize;
        let counts = dispatch.counted.then(Box::default);
        WorkGroup { position, waves, current: 0, registers, lds, counts }
    }

    /// Runs the waves in turn until the group ends or only waits. `budget` is the time slice in instructions.
    pub(super) fn turn(
        &mut self,
        dispatch: &Dispatch,
        group: &mut Group<'_>,
        code: &mut CodeView,
        budget: u64,
    ) -> Turn {
        std::mem::swap(&mut self.lds, &mut group.lds);
        // The memory of user pointers may go while a wave runs.
        let turn = guard::catch(|| self.rounds(dispatch, group, code, budget));
        std::mem::swap(&mut self.lds, &mut group.lds);
        turn.unwrap_or_else(|fault| {
            let pc = self.waves.get(self.current).map_or(dispatch.launch.start, |running| running.wave.pc);
            dispatch.fail_on_host(fault, self.position, self.current as u32, pc);
            Turn::Ended
        })
    }

    fn rounds(
        &mut self,
        dispatch: &Dispatch,
        group: &mut Group<'_>,
        code: &mut CodeView,
        budget: u64,
    ) -> Turn {
        let mut ran = 0;
        loop {
            let (mut progress, mut busy) = (false, false);
            for number in 0..self.waves.len() {
                if dispatch.is_killed() {
                    return Turn::Ended;
                }
                let running = &mut self.waves[number];
                if running.state != WaveState::Ready {
                    continue;
                }
                let before = running.wave.instructions;
                self.current = number;
                let stop = match &mut self.counts {
                    None => run(&mut running.wave, group, code, budget),
                    Some(counts) => run_counted(&mut running.wave, group, code, budget, counts),
                };
                ran += running.wave.instructions - before;
                match stop {
                    Stop::Barrier => {
                        running.state = WaveState::AtBarrier;
                        progress = true;
                    }
                    Stop::End => {
                        running.state = WaveState::Ended;
                        progress = true;
                    }
                    Stop::Yield if running.wave.instructions - before < budget => {}
                    Stop::Yield => busy |= !running.spin.is_back(&running.wave, self.registers),
                    Stop::Trap(trap) => {
                        running.state = WaveState::Ended;
                        dispatch.fail(&trap, self.position, number as u32);
                        return Turn::Ended;
                    }
                }
            }
            if self.waves.iter().all(|running| running.state == WaveState::Ended) {
                return Turn::Ended;
            }
            if self.waves.iter().all(|running| running.state != WaveState::Ready) {
                let waiting = self.waves.iter_mut().filter(|running| running.state == WaveState::AtBarrier);
                waiting.for_each(|running| running.state = WaveState::Ready);
                if ran < budget {
                    continue;
                }
                // Barriers do not make a turn longer. A group whose waves are all where they were spins over one.
                let ready = self.waves.iter_mut().filter(|running| running.state == WaveState::Ready);
                let circle = ready.fold(true, |all, r| r.spin.is_back(&r.wave, self.registers) & all);
                return if circle { Turn::Asleep } else { Turn::Busy };
            }
            if busy {
                return Turn::Busy;
            }
            if !progress {
                return Turn::Asleep;
            }
        }
    }

    /// The dispatch takes too long: ends it, naming a wave that still runs.
    pub(super) fn fail_overdue(&self, dispatch: &Dispatch) {
        let number = self.waves.iter().position(|running| running.state != WaveState::Ended).unwrap_or(0);
        let pc = self.waves.get(number).map_or(dispatch.launch.start, |running| running.wave.pc);
        dispatch.fail_overdue(self.position, number as u32, pc);
    }

    /// Gives back what the group had, and adds to `work` what it did.
    pub(super) fn end(mut self, dispatch: &Dispatch, spare: &mut Spare, work: &mut Work) {
        work.groups += 1;
        work.waves += self.waves.len() as u64;
        for running in self.waves.drain(..) {
            work.instructions += running.wave.instructions;
            dispatch.release_slot(running.slot);
            if spare.waves.len() < SPARE_WAVES {
                spare.waves.push(running.wave);
            }
        }
        if spare.lists.is_empty() {
            spare.lists.push(std::mem::take(&mut self.waves));
        }
        spare.lds = std::mem::take(&mut self.lds);
        if let Some(counts) = &self.counts {
            work.counts += counts.as_ref();
        }
    }
}
