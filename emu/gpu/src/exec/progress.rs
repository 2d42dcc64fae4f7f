//! How far a dispatch is: which work-groups were taken, which are over, and what they did.
//!
//! Threads take work-groups by the batch and account for a batch at once: with short work-groups they would wait for
//! each other's counters most of the time.

use std::ops::{AddAssign, Range};

use amdgpu_isa::Counts;
use crossbeam_utils::CachePadded;
use parking_lot::Mutex;

/// Batches into which a thread's share of what is left is cut, so that all threads end at about the same time.
const BATCHES: u64 = 4;

/// What work-groups that are over have done.
#[derive(Debug, Clone, Default)]
pub(crate) struct Work {
    pub(crate) groups: u64,
    pub(crate) waves: u64,
    pub(crate) instructions: u64,
    /// What the instructions were, where the dispatch is counted.
    pub(crate) counts: Counts,
}

impl AddAssign<&Work> for Work {
    fn add_assign(&mut self, other: &Work) {
        self.groups += other.groups;
        self.waves += other.waves;
        self.instructions += other.instructions;
        self.counts += &other.counts;
    }
}

struct State {
    /// The first work-group that was never taken.
    next: u64,
    /// Work-groups that were taken and given back.
    returned: Vec<Range<u64>>,
    /// Work-groups taken and not over.
    resident: u64,
    /// Work-groups that are over or will never start.
    finished: u64,
    stopped: bool,
    work: Work,
}

impl State {
    fn left(&self, total: u64) -> u64 {
        total - self.next + self.returned.iter().map(|range| range.end - range.start).sum::<u64>()
    }
}

/// The progress of a dispatch. Padded: what lies beside it is read all the time.
pub(super) struct Progress {
    total: u64,
    most_resident: u64,
    state: CachePadded<Mutex<State>>,
}

impl Progress {
    /// Of a dispatch of `total` work-groups, of which `most_resident` may be under way at a time.
    pub(super) fn new(total: u64, most_resident: u32) -> Progress {
        let state = State {
            next: 0,
            returned: Vec::new(),
            resident: 0,
            finished: 0,
            stopped: false,
            work: Work::default(),
        };
        Progress { total, most_resident: most_resident.into(), state: CachePadded::new(Mutex::new(state)) }
    }

    /// Takes at most `most` work-groups for one of `threads` threads, if there are any and room for them. They count
    /// as under way until they are settled.
    pub(super) fn take(&self, most: u64, threads: u64) -> Option<Range<u64>> {
        let mut state = self.state.lock();
        let room = self.most_resident.saturating_sub(state.resident);
        let left = state.left(self.total);
        let share = (room.min(left) / (BATCHES * threads)).max(1);
        let most = most.min(share).min(room).min(left);
        if most == 0 {
            return None;
        }
        let taken = match state.returned.pop() {
            Some(range) if range.end - range.start > most => {
                state.returned.push(range.start + most..range.end);
                range.start..range.start + most
            }
            Some(range) => range,
            None => {
                let first = state.next;
                state.next = (first + most).min(self.total);
                first..state.next
            }
        };
        state.resident += taken.end - taken.start;
        Some(taken)
    }

    /// Accounts for work-groups that are over, and gives back those of a batch that were not started. Tells whether
    /// the dispatch is over with this.
    pub(super) fn settle(&self, work: &Work, rest: Range<u64>) -> bool {
        let mut state = self.state.lock();
        let unstarted = rest.end.saturating_sub(rest.start);
        state.resident -= work.groups + unstarted;
        state.work += work;
        let finished = work.groups + if state.stopped { unstarted } else { 0 };
        if unstarted > 0 && !state.stopped {
            state.returned.push(rest);
        }
        self.finish(&mut state, finished)
    }

    /// Lets no more work-groups start. Tells whether the dispatch is over with this.
    pub(super) fn stop(&self) -> bool {
        let mut state = self.state.lock();
        let left = state.left(self.total);
        state.stopped = true;
        state.next = self.total;
        state.returned.clear();
        self.finish(&mut state, left)
    }

    fn finish(&self, state: &mut State, groups: u64) -> bool {
        state.finished += groups;
        groups > 0 && state.finished == self.total
    }

    /// Can a work-group be taken now?
    pub(super) fn has_room(&self) -> bool {
        let state = self.state.lock();
        state.left(self.total) > 0 && state.resident < self.most_resident
    }

    /// Work-groups that nobody has taken.
    pub(super) fn left(&self) -> u64 {
        self.state.lock().left(self.total)
    }

    /// What all work-groups that are over have done.
    pub(super) fn work(&self) -> Work {
        self.state.lock().work.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(groups: u64) -> Work {
        Work { groups, waves: 2 * groups, instructions: 10 * groups, counts: Counts::default() }
    }

    #[test]
    fn batches_get_smaller_towards_the_end() {
        let progress = Progress::new(100, 1000);
        let mut sizes = Vec::new();
        while let Some(batch) = progress.take(32, 2) {
            let n = batch.end - batch.start;
            sizes.push(n);
            assert_eq!(progress.settle(&ended(n), 0..0), progress.left() == 0);
        }
        assert_eq!((sizes[0], sizes.iter().sum::<u64>()), (12, 100));
        assert!(sizes.is_sorted_by(|a, b| a >= b) && sizes.ends_with(&[1; 8]), "{sizes:?}");
        let work = progress.work();
        assert_eq!((work.groups, work.waves, work.instructions), (100, 200, 1000));
    }

    #[test]
    fn no_more_are_under_way_than_may_be() {
        let progress = Progress::new(10, 2);
        assert_eq!((progress.take(9, 1), progress.take(9, 1)), (Some(0..1), Some(1..2)));
        assert!(!progress.has_room() && progress.take(9, 1).is_none() && progress.left() == 8);
        // One of them was not started.
        assert!(!progress.settle(&Work::default(), 1..2));
        assert_eq!((progress.left(), progress.take(9, 1), progress.take(9, 1)), (9, Some(1..2), None));
    }

    #[test]
    fn what_is_given_back_comes_first() {
        let progress = Progress::new(1000, 1000);
        assert_eq!(progress.take(8, 1), Some(0..8));
        assert!(!progress.settle(&ended(3), 3..8));
        assert_eq!(
            (progress.take(2, 1), progress.take(8, 1), progress.take(1, 1)),
            (Some(3..5), Some(5..8), Some(8..9))
        );
    }

    #[test]
    fn a_stopped_dispatch_is_over_when_its_last_batch_is() {
        let progress = Progress::new(100, 1000);
        assert_eq!(progress.take(8, 1), Some(0..8));
        assert!(!progress.stop());
        assert!(progress.take(8, 1).is_none() && progress.left() == 0);
        assert!(!progress.settle(&ended(2), 0..0), "five under way, one parked");
        assert!(!progress.settle(&Work::default(), 3..8));
        assert!(progress.settle(&ended(1), 0..0));
        assert!(!progress.settle(&Work::default(), 0..0), "over once");
        assert!(Progress::new(5, 5).stop(), "nothing had begun");
    }
}
