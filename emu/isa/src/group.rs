//! `Group`: what the waves of one work-group share, and the outside world they reach.

use crate::GlobalWaveSync;
use crate::mem::MemView;

/// What the machine around a wave does for it.
pub trait Io: Sync {
    /// `s_sendmsg id` with `M0`. `s_sendmsg 1` is an interrupt: `M0` holds an event ID.
    fn send_message(&self, id: u32, m0: u32);

    /// The constant-rate counter: `s_memrealtime`, 100 MHz.
    fn real_time(&self) -> u64;

    /// The clock-cycle counter: `s_memtime`.
    fn clock(&self) -> u64 {
        self.real_time()
    }

    /// What waves of all work-groups can meet at, if the queue has it.
    fn global_wave_sync(&self) -> Option<&GlobalWaveSync> {
        None
    }

    /// `HW_ID` and such: a number that tells this wave's place. `hwreg` is the register's ID of `s_getreg_b32`.
    fn hardware_register(&self, hwreg: u32) -> u32 {
        let _ = hwreg;
        0
    }
}

/// A work-group's memory and surroundings.
pub struct Group<'a> {
    /// Local data share. The length is what the dispatch asked for.
    pub lds: Vec<u8>,
    /// Global memory.
    pub mem: MemView<'a>,
    /// High halves of the flat apertures: an address with one of them is LDS, or scratch.
    pub shared_aperture_hi: u32,
    /// See [`Group::shared_aperture_hi`].
    pub private_aperture_hi: u32,
    /// The machine around.
    pub io: &'a dyn Io,
}
