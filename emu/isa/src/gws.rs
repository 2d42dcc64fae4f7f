//! Global wave sync: 64 counters outside the compute units at which waves of all work-groups meet. Vega ISA, "Global wave
//! sync"; MI200 ISA, `DS_GWS_*`.
//!
//! A wave that has to wait executes its instruction anew whenever it has its turn, with the ticket that it got when it
//! came first.

use core::array;

use parking_lot::Mutex;

/// Counters that a process can have on a device.
pub const GWS_RESOURCES: usize = 64;

/// What a wave holds that waits: it has come, when the resource was of this age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GwsTicket(u64);

/// One resource: a barrier or a semaphore, as it is used.
#[derive(Debug, Default)]
struct Resource {
    /// Waves that a barrier still waits for beyond the last; of a semaphore, how many may pass.
    counter: i64,
    /// How often a barrier has opened.
    age: u64,
    /// Waves that wait at the semaphore.
    waiting: u32,
}

impl Resource {
    /// `true`: the wave passes.
    fn barrier(&mut self, more: u32, ticket: &mut Option<GwsTicket>) -> bool {
        if let Some(GwsTicket(age)) = *ticket {
            if age == self.age {
                return false;
            }
            *ticket = None;
            return true;
        }
        if self.counter <= 0 {
            self.age += 1;
            self.counter = more.into();
            return true;
        }
        self.counter -= 1;
        *ticket = Some(GwsTicket(self.age));
        false
    }

    /// `true`: the wave passes.
    fn pass(&mut self, ticket: &mut Option<GwsTicket>) -> bool {
        let passes = self.counter > 0;
        match (passes, ticket.is_some()) {
            (true, true) => self.waiting = self.waiting.saturating_sub(1),
            (false, false) => self.waiting += 1,
            _ => {}
        }
        self.counter -= i64::from(passes);
        *ticket = (!passes).then_some(GwsTicket(self.age));
        passes
    }
}

/// The global wave sync of a process on a device.
#[derive(Debug)]
pub struct GlobalWaveSync {
    resources: [Mutex<Resource>; GWS_RESOURCES],
}

impl Default for GlobalWaveSync {
    fn default() -> GlobalWaveSync {
        GlobalWaveSync { resources: array::from_fn(|_| Mutex::default()) }
    }
}

/// What an instruction does to a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GwsAction {
    /// Sets the counter: `ds_gws_init`.
    Init(u32),
    /// Waits until so many other waves have come, too, as the counter was set: `ds_gws_barrier`. The operand is what the
    /// next round's counter will be.
    Barrier(u32),
    /// Lets one more wave pass: `ds_gws_sema_v`.
    SemaphoreRelease,
    /// Lets so many more waves pass: `ds_gws_sema_br`.
    SemaphoreBulkRelease(u32),
    /// Waits until a wave may pass, and passes: `ds_gws_sema_p`.
    SemaphoreAcquire,
    /// Lets all waves pass that wait: `ds_gws_sema_release_all`.
    SemaphoreReleaseAll,
}

impl GlobalWaveSync {
    /// Does an action for a wave that holds `ticket`. `false`: the wave has to wait, and comes again with the ticket. The
    /// resource's number counts modulo [`GWS_RESOURCES`].
    pub fn act(&self, resource: u32, action: GwsAction, ticket: &mut Option<GwsTicket>) -> bool {
        let mut resource = self.resources[resource as usize % GWS_RESOURCES].lock();
        match action {
            GwsAction::Init(count) => {
                resource.counter = count.into();
                // Whoever waits yet is of a kernel that was ended.
                resource.age += 1;
                resource.waiting = 0;
            }
            GwsAction::Barrier(more) => return resource.barrier(more, ticket),
            GwsAction::SemaphoreRelease => resource.counter += 1,
            GwsAction::SemaphoreBulkRelease(count) => resource.counter += i64::from(count),
            GwsAction::SemaphoreAcquire => return resource.pass(ticket),
            GwsAction::SemaphoreReleaseAll => resource.counter = resource.waiting.into(),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_opens_when_the_last_wave_comes_and_is_closed_again() {
        let gws = GlobalWaveSync::default();
        let mut tickets = [None; 3];
        let mut come = |wave: usize| gws.act(5, GwsAction::Barrier(2), &mut tickets[wave]);
        gws.act(5, GwsAction::Init(2), &mut None);
        for _ in 0..3 {
            assert_eq!([come(0), come(0), come(1), come(0)], [false; 4]);
            assert_eq!([come(2), come(1), come(0)], [true; 3]);
        }
        // One that is early for the next round does not pass with the others of this one.
        assert_eq!(
            [come(0), come(1), come(2), come(2), come(0), come(1)],
            [false, false, true, false, true, true]
        );
    }

    #[test]
    fn resources_are_apart() {
        let gws = GlobalWaveSync::default();
        let mut ticket = None;
        gws.act(0, GwsAction::Init(1), &mut None);
        assert!(!gws.act(64, GwsAction::Barrier(1), &mut ticket), "64 is 0");
        assert!(gws.act(1, GwsAction::Barrier(1), &mut None), "never set: nobody else is waited for");
        assert!(gws.act(0, GwsAction::Barrier(1), &mut None));
        assert!(gws.act(0, GwsAction::Barrier(1), &mut ticket));
    }

    #[test]
    fn semaphores_count() {
        let gws = GlobalWaveSync::default();
        let mut tickets = [None; 3];
        let mut pass = |wave: usize| gws.act(9, GwsAction::SemaphoreAcquire, &mut tickets[wave]);
        let act = |action| assert!(gws.act(9, action, &mut None));
        act(GwsAction::Init(1));
        assert_eq!([pass(0), pass(0), pass(1), pass(2), pass(0)], [true, false, false, false, false]);
        act(GwsAction::SemaphoreRelease);
        assert_eq!([pass(2), pass(1)], [true, false]);
        act(GwsAction::SemaphoreReleaseAll);
        assert_eq!([pass(0), pass(1), pass(2)], [true, true, false]);
        act(GwsAction::SemaphoreBulkRelease(2));
        assert_eq!([pass(2), pass(1), pass(1)], [true, true, false]);
    }
}
