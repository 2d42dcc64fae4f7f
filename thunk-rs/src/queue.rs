//! Queues: AQL, PM4 and SDMA rings on the hardware (libhsakmt's `queues.c`). The caller owns ring and indices; the
//! thunk adds end-of-pipe buffer, save area and doorbell.

use std::sync::Arc;

use kfd_sys::memory::AllocFlags;
use kfd_sys::queue::{
    AllocQueueGwsArgs, CreateQueueArgs, CreateQueueArgs117, DestroyQueueArgs, GetQueueWaveStateArgs,
    QueueType, SetCuMaskArgs, UpdateQueueArgs,
};

use crate::context::Context;
use crate::ctx_save::{self, CtxSaveSizes};
use crate::doorbell::Doorbell;
use crate::memory::{Block, Reservation};
use crate::topology::NodeId;
use crate::{Error, Result, Thunk};

/// What a queue carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueKind {
    /// AQL packets.
    Aql,
    /// PM4 packets to the compute engine.
    Pm4,
    /// SDMA packets.
    Sdma,
    /// SDMA packets to an engine with XGMI links.
    SdmaXgmi,
    /// SDMA packets to the engine of that number. Needs KFD interface 1.17.
    SdmaEngine(u32),
}

impl QueueKind {
    fn raw(self) -> QueueType {
        match self {
            QueueKind::Aql => QueueType::COMPUTE_AQL,
            QueueKind::Pm4 => QueueType::COMPUTE,
            QueueKind::Sdma => QueueType::SDMA,
            QueueKind::SdmaXgmi => QueueType::SDMA_XGMI,
            QueueKind::SdmaEngine(_) => QueueType::SDMA_BY_ENG_ID,
        }
    }

    fn is_compute(self) -> bool {
        matches!(self, QueueKind::Aql | QueueKind::Pm4)
    }
}

/// Priority of a queue among those of its GPU: the seven levels of libhsakmt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QueuePriority {
    /// −3
    Minimum,
    /// −2
    Low,
    /// −1
    BelowNormal,
    /// 0
    #[default]
    Normal,
    /// 1
    AboveNormal,
    /// 2
    High,
    /// 3
    Maximum,
}

impl QueuePriority {
    /// KFD's number, 0 to 15.
    fn raw(self) -> u32 {
        match self {
            QueuePriority::Minimum => 0,
            QueuePriority::Low => 3,
            QueuePriority::BelowNormal => 5,
            QueuePriority::Normal => 7,
            QueuePriority::AboveNormal => 9,
            QueuePriority::High => 11,
            QueuePriority::Maximum => 15,
        }
    }
}

/// A queue to create. Ring and indices must be memory that the GPU can reach.
#[derive(Debug, Clone)]
pub struct QueueRequest {
    /// On which GPU.
    pub node: NodeId,
    /// What it carries.
    pub kind: QueueKind,
    /// Address of the ring.
    pub ring_va: u64,
    /// Its size: a power of two, at least 1024.
    pub ring_bytes: u64,
    /// Address of the read index, 64 bits.
    pub read_ptr_va: u64,
    /// Address of the write index, 64 bits.
    pub write_ptr_va: u64,
    /// Among the other queues.
    pub priority: QueuePriority,
    /// Share of the hardware, 0 to 100; with 0 the queue does not run until it is updated.
    pub percentage: u32,
    /// Address of 64 bits into which the kernel puts exceptions of the queue; 0 for none.
    pub error_payload_va: u64,
    /// Event that the kernel sets after that; 0 for none.
    pub error_event_id: u32,
}

impl QueueRequest {
    /// An AQL queue of normal priority.
    pub fn aql(
        node: NodeId,
        ring_va: u64,
        ring_bytes: u64,
        read_ptr_va: u64,
        write_ptr_va: u64,
    ) -> QueueRequest {
        QueueRequest {
            node,
            kind: QueueKind::Aql,
            ring_va,
            ring_bytes,
            read_ptr_va,
            write_ptr_va,
            priority: QueuePriority::Normal,
            percentage: 100,
            error_payload_va: 0,
            error_event_id: 0,
        }
    }

    /// An SDMA queue, of the priority that such queues have.
    pub fn sdma(
        node: NodeId,
        ring_va: u64,
        ring_bytes: u64,
        read_ptr_va: u64,
        write_ptr_va: u64,
    ) -> QueueRequest {
        QueueRequest {
            kind: QueueKind::Sdma,
            priority: QueuePriority::Maximum,
            ..QueueRequest::aql(node, ring_va, ring_bytes, read_ptr_va, write_ptr_va)
        }
    }
}

/// What is in a queue's save area: addresses and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaveState {
    /// Lowest address of the control stack.
    pub control_stack: u64,
    /// Bytes of it.
    pub control_stack_bytes: u32,
    /// Lowest address of the waves.
    pub waves: u64,
    /// Bytes of them.
    pub wave_bytes: u32,
}

/// A queue on the hardware. Dropping it destroys it.
pub struct Queue {
    context: Arc<Context>,
    node: NodeId,
    gpu_id: u32,
    id: u32,
    doorbell: Option<Doorbell>,
    ring: (u64, u32),
    priority: QueuePriority,
    percentage: u32,
    buffers: Vec<Block>,
    save_area: Option<(u64, CtxSaveSizes)>,
    vram: u64,
    destroyed: bool,
}

impl Thunk {
    /// Creates a queue.
    pub fn create_queue(&self, request: &QueueRequest) -> Result<Queue> {
        let context = &self.context;
        let gpu = context.gpu(request.node)?;
        let node = context.node(request.node)?;
        let traits = gpu.traits.ok_or_else(|| Error::UnknownGfx {
            node: request.node,
            gfx: node.gfx_version().map_or_else(|| "an unnamed GPU".to_owned(), |gfx| gfx.to_string()),
        })?;
        let ring_size = u32::try_from(request.ring_bytes)
            .ok()
            .filter(|size| size.is_power_of_two() && *size >= kfd_sys::queue::MIN_QUEUE_RING_SIZE)
            .ok_or_else(|| {
                let problem =
                    format!("ring of {} bytes: not a power of two from 1024 on", request.ring_bytes);
                Error::request("create_queue", problem)
            })?;

        // Filled step by step: whatever fails, dropping it gives back what is there.
        let mut queue = Queue {
            context: Arc::clone(context),
            node: request.node,
            gpu_id: gpu.gpu_id,
            id: 0,
            doorbell: None,
            ring: (request.ring_va, ring_size),
            priority: request.priority,
            percentage: request.percentage,
            buffers: Vec::new(),
            save_area: None,
            vram: 0,
            destroyed: true,
        };
        let mut args = CreateQueueArgs {
            ring_base_address: request.ring_va,
            write_pointer_address: request.write_ptr_va,
            read_pointer_address: request.read_ptr_va,
            ring_size,
            gpu_id: gpu.gpu_id,
            queue_type: request.kind.raw(),
            queue_percentage: request.percentage,
            queue_priority: request.priority.raw(),
            ..Default::default()
        };

        if request.kind == QueueKind::Pm4 || (request.kind == QueueKind::Aql && traits.eop_for_aql) {
            let bytes = u64::from(traits.eop_bytes);
            let flags =
                AllocFlags::VRAM | AllocFlags::NO_SUBSTITUTE | AllocFlags::EXECUTABLE | AllocFlags::WRITABLE;
            let va = Reservation::reserve(bytes, 4096)?;
            queue.buffers.push(Block::create(context, gpu, va, flags, 0, |_, _, _| Ok(()))?);
            let block = queue.last_buffer_mapped()?;
            (args.eop_buffer_address, args.eop_buffer_size) = (block, bytes);
            queue.vram = bytes;
        }
        if request.kind.is_compute() {
            let sizes = ctx_save::sizes(&node.properties, traits).ok_or_else(|| {
                Error::request("create_queue", format!("node {}: properties give no save area", node.id))
            })?;
            let flags = AllocFlags::USERPTR
                | AllocFlags::COHERENT
                | AllocFlags::NO_SUBSTITUTE
                | AllocFlags::EXECUTABLE
                | AllocFlags::WRITABLE;
            let area = Reservation::anonymous(sizes.total, 4096)?;
            for xcc in 0..sizes.xccs {
                let header = ctx_save::header(&sizes, xcc, request.error_payload_va, request.error_event_id);
                area.write(u64::from(xcc) * u64::from(sizes.ctx), &header)?;
            }
            let host_va = area.va();
            queue.buffers.push(Block::create(context, gpu, area, flags, host_va, |_, _, _| Ok(()))?);
            args.ctx_save_restore_address = queue.last_buffer_mapped()?;
            args.ctx_save_restore_size = sizes.ctx;
            args.ctl_stack_size = sizes.ctl_stack;
            queue.save_area = Some((args.ctx_save_restore_address, sizes));
        }

        let told = |a: &CreateQueueArgs| {
            format!(
                "gpu {}, {:?}, ring {:#x} of {} bytes, read {:#x}, write {:#x}: queue {}, doorbell offset {:#x}",
                a.gpu_id,
                a.queue_type,
                a.ring_base_address,
                a.ring_size,
                a.read_pointer_address,
                a.write_pointer_address,
                a.queue_id,
                a.doorbell_offset,
            )
        };
        if let QueueKind::SdmaEngine(engine) = request.kind {
            // The longer struct has the engine's number.
            if context.version.1 < 17 {
                return Err(Error::request("create_queue", "a queue of one engine needs KFD interface 1.17"));
            }
            let mut longer = CreateQueueArgs117 { base: args, sdma_engine_id: engine, metadata_ring_size: 0 };
            context.call(&mut longer, |a| told(&a.base))?;
            args = longer.base;
        } else {
            context.call(&mut args, told)?;
        }
        queue.id = args.queue_id;
        queue.destroyed = false;
        queue.doorbell = Some(Doorbell::of_queue(context, gpu, traits.doorbell_bytes, args.doorbell_offset)?);
        Ok(queue)
    }

    /// Destroys a queue; as dropping it, but says what went wrong.
    pub fn destroy_queue(&self, mut queue: Queue) -> Result<()> {
        queue.close()
    }

    /// The sizes of the area in which a GPU saves the waves of a queue.
    pub fn ctx_save_sizes(&self, node: NodeId) -> Option<CtxSaveSizes> {
        let gpu = self.context.gpu(node).ok()?;
        ctx_save::sizes(&self.context.topology.node(node)?.properties, gpu.traits?)
    }
}

impl Queue {
    /// KFD's number of the queue.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Bytes of the GPU's own memory that it takes.
    pub fn vram_bytes(&self) -> u64 {
        self.vram
    }

    /// Its GPU.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Address of the doorbell, for whoever rings it elsewhere (a signal of kind doorbell, a GPU).
    pub fn doorbell_va(&self) -> u64 {
        self.doorbell.map_or(0, |doorbell| doorbell.va)
    }

    /// Address and sizes of the area in which waves are saved; compute queues have one.
    pub fn save_area(&self) -> Option<(u64, CtxSaveSizes)> {
        self.save_area
    }

    /// Rings the doorbell. Packets and indices written before are visible to who sees it.
    pub fn ring(&self, value: u64) {
        if let Some(doorbell) = &self.doorbell {
            doorbell.ring(value);
            self.context.kfd.doorbell_hint(self.gpu_id);
        }
    }

    /// Changes share and priority. Percentage 0 takes the queue off the hardware.
    pub fn update(&mut self, percentage: u32, priority: QueuePriority) -> Result<()> {
        let mut args = UpdateQueueArgs {
            ring_base_address: self.ring.0,
            queue_id: self.id,
            ring_size: self.ring.1,
            queue_percentage: percentage,
            queue_priority: priority.raw(),
        };
        self.context.call(&mut args, |a| {
            format!("queue {}, {}%, priority {}", a.queue_id, a.queue_percentage, a.queue_priority)
        })?;
        (self.percentage, self.priority) = (percentage, priority);
        Ok(())
    }

    /// Share of the hardware and priority, as last set.
    pub fn share(&self) -> (u32, QueuePriority) {
        (self.percentage, self.priority)
    }

    /// As [`Queue::update`], with another ring.
    pub fn update_ring(
        &mut self,
        ring_va: u64,
        ring_bytes: u32,
        percentage: u32,
        priority: QueuePriority,
    ) -> Result<()> {
        let old = std::mem::replace(&mut self.ring, (ring_va, ring_bytes));
        let result = self.update(percentage, priority);
        if result.is_err() {
            self.ring = old;
        }
        result
    }

    /// What was saved of the queue's waves when it left the hardware; it must be off it (percentage 0). The kernel
    /// copies the control stack to the save area's begin.
    pub fn wave_state(&self) -> Result<WaveState> {
        let (va, sizes) = self
            .save_area
            .ok_or_else(|| Error::request("wave_state", format!("queue {} has no save area", self.id)))?;
        let mut args =
            GetQueueWaveStateArgs { ctl_stack_address: va, queue_id: self.id, ..Default::default() };
        self.context.call(&mut args, |a| {
            format!(
                "queue {}: control stack {} bytes, waves {} bytes",
                a.queue_id, a.ctl_stack_used_size, a.save_area_used_size
            )
        })?;
        Ok(WaveState {
            control_stack: va + u64::from(sizes.ctl_stack) - u64::from(args.ctl_stack_used_size),
            control_stack_bytes: args.ctl_stack_used_size,
            waves: va + u64::from(sizes.ctl_stack),
            wave_bytes: args.save_area_used_size,
        })
    }

    /// Gives the queue the GPU's global wave sync entries, or takes them back (0). Returns the first.
    pub fn allocate_gws(&mut self, count: u32) -> Result<u32> {
        let mut args = AllocQueueGwsArgs { queue_id: self.id, num_gws: count, ..Default::default() };
        self.context.call(&mut args, |a| format!("queue {}, {} entries", a.queue_id, a.num_gws))?;
        Ok(args.first_gws)
    }

    /// Restricts the queue to the compute units whose bit is set.
    pub fn set_cu_mask(&mut self, mask: &[u32]) -> Result<()> {
        let num_cu_mask = u32::try_from(mask.len())
            .ok()
            .and_then(|words| words.checked_mul(32))
            .filter(|bits| *bits != 0)
            .ok_or_else(|| Error::request("set_cu_mask", format!("mask of {} words", mask.len())))?;
        let mut args = SetCuMaskArgs { queue_id: self.id, num_cu_mask, cu_mask_ptr: mask.as_ptr() as u64 };
        self.context.call(&mut args, |a| format!("queue {}, {} bits", a.queue_id, a.num_cu_mask))
    }

    fn last_buffer_mapped(&mut self) -> Result<u64> {
        match self.buffers.last_mut() {
            Some(block) => {
                block.map_to(&self.context, &[self.gpu_id])?;
                Ok(block.va())
            }
            None => Err(Error::request("create_queue", "no buffer")),
        }
    }

    fn close(&mut self) -> Result<()> {
        let mut result = Ok(());
        if !self.destroyed {
            self.destroyed = true;
            let mut args = DestroyQueueArgs { queue_id: self.id, pad: 0 };
            result = self.context.call(&mut args, |a| format!("queue {}", a.queue_id));
        }
        // The hardware is done with the buffers now; if destroying failed, it may not be, and they stay.
        for block in self.buffers.drain(..).rev() {
            if result.is_ok() {
                result = block.release(&*self.context.kfd);
            } else {
                block.leak();
            }
        }
        result
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            tracing::warn!(target: "thunk", %error, "queue {} was not destroyed", self.id);
        }
    }
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Queue {{ id: {}, node: {}, doorbell: {:#x} }}", self.id, self.node, self.doorbell_va())
    }
}
