//! `WaveReport`: where in a program a wave was when it could not go on.

use core::fmt;

/// A wave that stopped its queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaveReport {
    /// Address of the kernel descriptor that was dispatched.
    pub kernel_object: u64,
    /// Position of the work-group in the grid.
    pub work_group: [u32; 3],
    /// Number of the wave in its work-group.
    pub wave: u32,
    /// The first lane concerned, where one is to blame.
    pub lane: Option<u8>,
    /// Address of the instruction.
    pub pc: u64,
    /// Address of the kernel's first instruction.
    pub entry: u64,
    /// What happened: the access and its exact address, or the instruction's words and mnemonic.
    pub reason: String,
}

impl fmt::Display for WaveReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.work_group;
        write!(f, "work-group ({x}, {y}, {z}), wave {}", self.wave)?;
        if let Some(lane) = self.lane {
            write!(f, ", lane {lane}")?;
        }
        let offset = self.pc.wrapping_sub(self.entry).cast_signed();
        write!(
            f,
            ", pc {:#x} (entry {}{:#x}): ",
            self.pc,
            if offset < 0 { '-' } else { '+' },
            offset.unsigned_abs()
        )?;
        f.write_str(&self.reason)
    }
}
