//! PM4 packets: opcode → what it does (`soc15d.h`).
//!
//! What runtimes submit beside kernels: cache maintenance (nothing here: memory is coherent), waits for memory, fences
//! with interrupts, time stamps, small writes and copies; and, in queues of their own, shader registers and launches.

use super::{Buffer, Engine};
use crate::exec::Launch;
use crate::poll::holds;
use crate::ring::Source;
use crate::vm::Fault;

/// What one packet came to.
pub(super) enum Packet {
    Done,
    /// Also jump over that many dwords behind it.
    Skip(u32),
    /// Go on in an indirect buffer, and come back unless it is a chain.
    Jump {
        to: Buffer,
        chain: bool,
    },
    Launch(Box<Launch>),
    Waiting,
    Refused(String),
}

/// A packet under execution: where it stands, and the dwords behind its header.
pub(super) struct Body<'a, 'e> {
    pub(super) engine: &'a mut Engine<'e>,
    pub(super) source: Source,
    pub(super) dwords: u32,
}

impl Body<'_, '_> {
    /// A dword, 1 for the first behind the header; 0 beyond the packet's end, where it may end early.
    fn dword(&self, index: u32) -> Result<u32, Fault> {
        if index > self.dwords { Ok(0) } else { self.source.dword(&self.engine.table, index) }
    }

    fn long(&self, index: u32) -> Result<u64, Fault> {
        Ok(u64::from(self.dword(index)?) | u64::from(self.dword(index + 1)?) << 32)
    }
}

type Handler = fn(&mut Body<'_, '_>) -> Result<Packet, Fault>;

/// `PACKET3_*`: opcode, name, how many dwords it has behind its header at least, what it does.
#[rustfmt::skip]
pub(super) const PACKETS: &[(u32, &str, u32, Handler)] = &[
    (NOP,  "NOP",          0, |_| Ok(Packet::Done)),
    (0x15, "DISPATCH_DIRECT", 4, dispatch),
    (0x16, "DISPATCH_INDIRECT", 3, dispatch_indirect),
    (0x23, "PRED_EXEC",    1, predicate),
    (0x37, "WRITE_DATA",   4, write_data),
    (0x3c, "WAIT_REG_MEM", 6, wait_register_or_memory),
    (0x3f, "INDIRECT_BUFFER", 3, indirect_buffer),
    (0x40, "COPY_DATA",    5, copy_data),
    (0x46, "EVENT_WRITE",  1, event),
    (0x49, "RELEASE_MEM",  6, release_memory),
    (0x50, "DMA_DATA",     6, copy_memory),
    // Memory is coherent.
    (0x58, "ACQUIRE_MEM",  6, |_| Ok(Packet::Done)),
    (0x76, "SET_SH_REG",   2, set_registers),
];

/// Names of packets that there are and that are not here.
#[rustfmt::skip]
pub(super) const OTHERS: &[(u32, &str)] = &[
    (0x11, "SET_BASE"), (0x1e, "ATOMIC_MEM"),
    (0x22, "COND_EXEC"), (0x33, "INDIRECT_BUFFER_CONST"), (0x39, "MEM_SEMAPHORE"),
    (0x42, "PFP_SYNC_ME"), (0x47, "EVENT_WRITE_EOP"), (0x59, "REWIND"), (0x68, "SET_CONFIG_REG"),
    (0x69, "SET_CONTEXT_REG"), (0x79, "SET_UCONFIG_REG"), (0x9d, "RUN_LIST"),
];

pub(super) const NOP: u32 = 0x10;

fn refused(why: impl Into<String>) -> Result<Packet, Fault> {
    Ok(Packet::Refused(why.into()))
}

/// `PRED_EXEC`: what follows is for some accelerator complexes only. All of them are one here, the first.
fn predicate(body: &mut Body<'_, '_>) -> Result<Packet, Fault> {
    if let Source::Ring(..) = body.source {
        return refused("the command processor knows it in indirect buffers only: put what it is for in one");
    }
    let word = body.dword(1)?;
    Ok(if word >> 24 & 1 == 1 { Packet::Done } else { Packet::Skip(word & 0x3fff) })
}

/// Destinations of `WRITE_DATA` and `COPY_DATA` that are memory, through whichever cache.
fn is_memory(select: u32) -> bool {
    matches!(select, 1 | 2 | 5)
}

fn write_data(body: &mut Body<'_, '_>) -> Result<Packet, Fault> {
    const ONE_ADDRESS: u32 = 1 << 16;
    let control = body.dword(1)?;
    let to = control >> 8 & 0xf;
    if !is_memory(to) {
        return refused(format!("it writes to registers or GDS (destination {to}), which are not there"));
    }
    let step = if control & ONE_ADDRESS == 0 { 4 } else { 0 };
    let va = body.long(2)?;
    for index in 4..=body.dwords {
        body.engine.table.store_u32(va.wrapping_add(u64::from(index - 4) * step), body.dword(index)?)?;
    }
    Ok(Packet::Done)
}

/// Waits for a word in memory. Of registers there is only the pair that flushes the host's writes: one is written, and
/// the other waited for. Here they are flushed always.
fn wait_register_or_memory(body: &mut Body<'_, '_>) -> Result<Packet, Fault> {
    let control = body.dword(1)?;
    let (in_memory, operation) = (control >> 4 & 3 == 1, control >> 6 & 3);
    if !in_memory {
        let register = body.dword(2)?;
        return match operation {
            1 => Ok(Packet::Done),
            _ => refused(format!("it waits for register {register:#x}, which is not there: wait for memory")),
        };
    }
    if operation == 1 {
        return refused("it writes memory, and then waits: write it with WRITE_DATA before");
    }
    let (reference, mask) = (body.dword(4)?, body.dword(5)?);
    let value = body.engine.table.load_u32(body.long(2)? & !3)? & mask;
    match holds(control & 7, value, reference) {
        Some(true) => Ok(Packet::Done),
        Some(false) => Ok(Packet::Waiting),
        None => refused("comparison 7 is none"),
    }
}

fn copy_data(body: &mut Body<'_, '_>) -> Result<Packet, Fault> {
    const IMMEDIATE: u32 = 5;
    const GPU_CLOCK: u32 = 9;
    const TWO_WORDS: u32 = 1 << 16;
    let control = body.dword(1)?;
    let (from, to, wide) = (control & 0xf, control >> 8 & 0xf, control & TWO_WORDS != 0);
    if !is_memory(to) {
        return refused(format!("it writes to registers or GDS (destination {to}), which are not there"));
    }
    let value = match from {
        1 | 2 if wide => body.engine.table.load_u64(body.long(2)?)?,
        1 | 2 => body.engine.table.load_u32(body.long(2)?)?.into(),
        IMMEDIATE => body.long(2)?,
        GPU_CLOCK => crate::clock::gpu_ticks(),
        _ => return refused(format!("it reads registers or counters (source {from}), which are not there")),
    };
    let va = body.long(4)?;
    if wide {
        body.engine.table.store_u64(va, value)?
    } else {
        body.engine.table.store_u32(va, value as u32)?
    }
    Ok(Packet::Done)
}

/// Flushes and waits for kernels: those before this packet are over, and caches are coherent.
fn event(body: &mut Body<'_, '_>) -> Result<Packet, Fault> {
    let word = body.dword(1)?;
    match word >> 8 & 0xf {
        1..=3 => {
            refused(format!("its event {} writes samples of counters, which are not there", word & 0x3f))
        }
        _ => Ok(Packet::Done),
    }
}

/// A fence: a value to memory, then an interrupt that carries an event's ID.
fn release_memory(body: &mut Body<'_, '_>) -> Result<Packet, Fault> {
    let control = body.dword(2)?;
    let (data, interrupt) = (control >> 29, control >> 24 & 7);
    // Of the kinds of interrupt 3 is none: it only waits for the write. Those above depend on what is compared.
    if interrupt > 3 {
        return refused(format!(
            "interrupt kind {interrupt} depends on a comparison, which is not implemented"
        ));
    }
    let interrupts = matches!(interrupt, 1 | 2);
    if interrupts && body.dwords < 7 {
        return refused("it raises an interrupt, and has no seventh dword to say which event is meant");
    }
    let va = body.long(3)?;
    match data {
        0 => {}
        1 => body.engine.table.store_u32(va, body.dword(5)?)?,
        2 => body.engine.table.store_u64(va, body.long(5)?)?,
        3 | 4 => body.engine.table.store_u64(va, crate::clock::gpu_ticks())?,
        _ => return refused(format!("it writes what there is not (data {data})")),
    }
    if interrupts {
        body.engine.context.events.interrupt_partial(body.dword(7)?, 32);
    }
    Ok(Packet::Done)
}

/// `DMA_DATA`: memory to memory, or one dword all over it.
fn copy_memory(body: &mut Body<'_, '_>) -> Result<Packet, Fault> {
    const REGISTERS: u32 = 3 << 26;
    const ONE_ADDRESS: u32 = 3 << 28;
    const DATA: u32 = 2;
    let (control, command) = (body.dword(1)?, body.dword(6)?);
    let (to, from) = (control >> 20 & 3, control >> 29 & 3);
    if !matches!(to, 0 | 3) || !matches!(from, 0 | 3 | DATA) {
        return refused("it copies from or to GDS, which is not there");
    }
    if command & REGISTERS != 0 {
        return refused("it copies from or to registers, which are not there");
    }
    if command & ONE_ADDRESS != 0 {
        return refused("it copies with an address that stays, which is not implemented: copy a range");
    }
    let bytes = (command & 0x03ff_ffff) as usize;
    if from == DATA {
        body.engine.table.fill(body.long(4)?, bytes, body.dword(2)?.to_le_bytes())?;
    } else {
        body.engine.table.copy(body.long(4)?, body.long(2)?, bytes)?;
    }
    Ok(Packet::Done)
}

/// Where kernels cannot be launched by registers.
const NO_REGISTERS: &str = "shader registers are those of compute queues of PM4 packets (KFD_IOC_QUEUE_TYPE_COMPUTE); \
                            kernels of AQL queues are launched by their dispatch packets";

fn set_registers(body: &mut Body<'_, '_>) -> Result<Packet, Fault> {
    let first = body.dword(1)?;
    if first > 0xffff {
        return refused(format!("it has an index for its registers ({first:#x}), which is not implemented"));
    }
    for index in 2..=body.dwords {
        let value = body.dword(index)?;
        let context = body.engine.context;
        let Some(registers) = body.engine.registers.as_deref_mut() else { return refused(NO_REGISTERS) };
        if let Err(why) = registers.set(context, first + index - 2, value) {
            return refused(why);
        }
    }
    Ok(Packet::Done)
}

fn launch(body: &mut Body<'_, '_>, size: [u32; 3], initiator: u32) -> Result<Packet, Fault> {
    let Some(registers) = body.engine.registers.as_deref() else { return refused(NO_REGISTERS) };
    match registers.launch(body.engine.context, size, initiator) {
        Ok(Some(launch)) => Ok(Packet::Launch(Box::new(launch))),
        Ok(None) => Ok(Packet::Done),
        Err(why) => refused(why),
    }
}

/// The grid is in the packet.
fn dispatch(body: &mut Body<'_, '_>) -> Result<Packet, Fault> {
    let (size, initiator) = ([body.dword(1)?, body.dword(2)?, body.dword(3)?], body.dword(4)?);
    launch(body, size, initiator)
}

/// The grid is in memory.
fn dispatch_indirect(body: &mut Body<'_, '_>) -> Result<Packet, Fault> {
    let (va, initiator) = (body.long(1)?, body.dword(3)?);
    let table = &body.engine.table;
    let side = |n: u64| table.load_u32(va.wrapping_add(4 * n));
    let size = [side(0)?, side(1)?, side(2)?];
    launch(body, size, initiator)
}

fn indirect_buffer(body: &mut Body<'_, '_>) -> Result<Packet, Fault> {
    const CHAIN: u32 = 1 << 20;
    let (low, high, control) = (body.dword(1)?, body.dword(2)?, body.dword(3)?);
    Ok(Packet::Jump { to: Buffer::of(low, high, control), chain: control & CHAIN != 0 })
}
