//! Counters and samples as far as KFD has them: the stream of counters and samples of the program counter, in AMD's
//! out-of-tree driver only; upstream answers `ENOTTY`. (libhsakmt's `spm.c`, `pc_sampling.c`.)

use kfd_sys::profile::{PcSampleArgs, PcSampleInfo, PcSampleOp, SpmArgs, SpmOp};

use crate::topology::NodeId;
use crate::{Result, Thunk};

/// How the stream of counters went on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpmProgress {
    /// Bytes in the buffer before.
    pub copied: u32,
    /// Some were lost.
    pub lost: bool,
    /// Milliseconds that are left.
    pub timeout: u32,
}

impl Thunk {
    fn spm(&self, node: NodeId, op: SpmOp, mut args: SpmArgs) -> Result<SpmArgs> {
        (args.gpu_id, args.op) = (self.context.gpu(node)?.gpu_id, op);
        self.context.call(&mut args, |a| format!("{:?}, gpu {}", a.op, a.gpu_id))?;
        Ok(args)
    }

    /// Takes a GPU's stream of counters for this process.
    pub fn spm_acquire(&self, node: NodeId) -> Result<()> {
        self.spm(node, SpmOp::ACQUIRE, SpmArgs::default()).map(drop)
    }

    /// Gives it back.
    pub fn spm_release(&self, node: NodeId) -> Result<()> {
        self.spm(node, SpmOp::RELEASE, SpmArgs::default()).map(drop)
    }

    /// Sends the stream to `bytes` at `address` from now on (0: nowhere), after waiting up to `timeout` milliseconds for
    /// the buffer before to fill.
    pub fn spm_set_buffer(
        &self,
        node: NodeId,
        address: u64,
        bytes: u32,
        timeout: u32,
    ) -> Result<SpmProgress> {
        let args = SpmArgs { dest_buf: address, buf_size: bytes, timeout, ..Default::default() };
        let args = self.spm(node, SpmOp::SET_DEST_BUF, args)?;
        Ok(SpmProgress { copied: args.bytes_copied, lost: args.has_data_loss != 0, timeout: args.timeout })
    }

    fn pc_sampling(&self, node: NodeId, op: PcSampleOp, mut args: PcSampleArgs) -> Result<PcSampleArgs> {
        (args.gpu_id, args.op) = (self.context.gpu(node)?.gpu_id, op);
        self.context.call(&mut args, |a| format!("{:?}, gpu {}, session {}", a.op, a.gpu_id, a.trace_id))?;
        Ok(args)
    }

    /// The ways in which a GPU's program counter can be sampled.
    pub fn pc_sampling_ways(&self, node: NodeId) -> Result<Vec<PcSampleInfo>> {
        let asked = self.pc_sampling(node, PcSampleOp::QUERY_CAPABILITIES, PcSampleArgs::default())?;
        let mut ways = vec![PcSampleInfo::default(); asked.num_sample_info as usize];
        let args = PcSampleArgs {
            sample_info_ptr: ways.as_mut_ptr() as u64,
            num_sample_info: ways.len() as u32,
            flags: 1,
            ..Default::default()
        };
        let told = self.pc_sampling(node, PcSampleOp::QUERY_CAPABILITIES, args)?;
        ways.truncate(told.num_sample_info as usize);
        Ok(ways)
    }

    /// Begins a session, and returns its number.
    pub fn pc_sampling_create(&self, node: NodeId, way: &mut PcSampleInfo) -> Result<u32> {
        let args =
            PcSampleArgs { sample_info_ptr: &raw mut *way as u64, num_sample_info: 1, ..Default::default() };
        Ok(self.pc_sampling(node, PcSampleOp::CREATE, args)?.trace_id)
    }

    /// Changes a session: [`PcSampleOp::START`], [`PcSampleOp::STOP`], [`PcSampleOp::DESTROY`].
    pub fn pc_sampling_change(&self, node: NodeId, session: u32, op: PcSampleOp) -> Result<()> {
        self.pc_sampling(node, op, PcSampleArgs { trace_id: session, ..Default::default() }).map(drop)
    }
}
