//! PM4 packets in indirect buffers, as AQL queues carry them: opcode → what it does (`soc15d.h`).
//!
//! What runtimes submit beside kernels: cache maintenance (nothing here: memory is coherent), waits for memory, fences
//! with interrupts, time stamps, small writes and copies. A buffer that waits is taken up again where it stood.
//!
//! Not here: shader registers and `DISPATCH_DIRECT`, which belong to compute queues of PM4.

use super::Context;
use crate::vm::{Fault, PageTable};

/// How far a buffer came.
pub(super) enum Progress {
    /// To its end.
    Done,
    /// To this dword, where it waits.
    Waiting(u32),
    /// To a packet that is not one of these.
    Refused(String),
}

/// What one packet came to.
enum Packet {
    Done,
    /// Also jump over that many dwords behind it.
    Skip(u32),
    Waiting,
    Refused(&'static str),
}

/// A packet under execution: its address, and the dwords behind its header.
struct Body<'a> {
    context: &'a Context,
    table: &'a PageTable,
    va: u64,
    dwords: u32,
}

impl Body<'_> {
    /// A dword, 1 for the first behind the header; 0 beyond the packet's end.
    fn dword(&self, index: u32) -> Result<u32, Fault> {
        if index > self.dwords { Ok(0) } else { self.table.load_u32(self.va + u64::from(index) * 4) }
    }

    fn long(&self, index: u32) -> Result<u64, Fault> {
        Ok(u64::from(self.dword(index)?) | u64::from(self.dword(index + 1)?) << 32)
    }
}

type Handler = fn(&Body<'_>) -> Result<Packet, Fault>;

/// `PACKET3_*`
#[rustfmt::skip]
const PACKETS: &[(u32, Handler)] = &[
    (NOP, |_| Ok(Packet::Done)),
    (0x23, predicate),
    (0x37, write_data),
    (0x3c, wait_register_or_memory),
    (0x40, copy_data),
    // Events: kernels before this packet are over, and nobody traces.
    (0x46, |_| Ok(Packet::Done)),
    (0x49, release_memory),
    (0x50, copy_memory),
    // ACQUIRE_MEM
    (0x58, |_| Ok(Packet::Done)),
];

const NOP: u32 = 0x10;
/// The count of a `NOP` that is its header only.
const ALONE: u32 = 0x3fff;

/// Executes `dwords` dwords from `base` on, beginning with dword `from`.
pub(super) fn execute(
    context: &Context,
    table: &PageTable,
    base: u64,
    dwords: u32,
    from: u32,
) -> Result<Progress, Fault> {
    let mut at = from;
    while at < dwords {
        let va = base + u64::from(at) * 4;
        let header = table.load_u32(va)?;
        let (opcode, count) = (header >> 8 & 0xff, header >> 16 & 0x3fff);
        let body = if opcode == NOP && count == ALONE { 0 } else { count + 1 };
        let handler = PACKETS.iter().find(|(of, _)| *of == opcode).filter(|_| header >> 30 == 3);
        let packet = match handler {
            Some((_, handler)) => handler(&Body { context, table, va, dwords: body })?,
            None => Packet::Refused("not implemented"),
        };
        at = match packet {
            Packet::Done => at + 1 + body,
            Packet::Skip(more) => at + 1 + body + more,
            Packet::Waiting => return Ok(Progress::Waiting(at)),
            Packet::Refused(why) => {
                return Ok(Progress::Refused(format!("PM4 packet {header:#010x} at {va:#x}: {why}")));
            }
        };
    }
    Ok(Progress::Done)
}

/// `PRED_EXEC`: what follows is for some accelerator complexes only. All of them are one here, the first.
fn predicate(body: &Body<'_>) -> Result<Packet, Fault> {
    let word = body.dword(1)?;
    Ok(if word >> 24 & 1 == 1 { Packet::Done } else { Packet::Skip(word & 0x3fff) })
}

/// Destinations of `WRITE_DATA` and `COPY_DATA` that are memory, through whichever cache.
fn is_memory(select: u32) -> bool {
    matches!(select, 1 | 2 | 5)
}

fn write_data(body: &Body<'_>) -> Result<Packet, Fault> {
    const ONE_ADDRESS: u32 = 1 << 16;
    let control = body.dword(1)?;
    if !is_memory(control >> 8 & 0xf) {
        return Ok(Packet::Refused("it writes to registers"));
    }
    let step = if control & ONE_ADDRESS == 0 { 4 } else { 0 };
    let va = body.long(2)?;
    for index in 4..=body.dwords {
        body.table.store_u32(va.wrapping_add(u64::from(index - 4) * step), body.dword(index)?)?;
    }
    Ok(Packet::Done)
}

/// Waits for a word in memory. Of registers there are only those that flush the host's writes: done at once.
fn wait_register_or_memory(body: &Body<'_>) -> Result<Packet, Fault> {
    let control = body.dword(1)?;
    if control >> 4 & 3 != 1 {
        return Ok(Packet::Done);
    }
    let (reference, mask) = (body.dword(4)?, body.dword(5)?);
    let value = body.table.load_u32(body.long(2)? & !3)? & mask;
    let met = match control & 7 {
        1 => value < reference,
        2 => value <= reference,
        3 => value == reference,
        4 => value != reference,
        5 => value >= reference,
        6 => value > reference,
        _ => true,
    };
    Ok(if met { Packet::Done } else { Packet::Waiting })
}

fn copy_data(body: &Body<'_>) -> Result<Packet, Fault> {
    const IMMEDIATE: u32 = 5;
    const GPU_CLOCK: u32 = 9;
    const TWO_WORDS: u32 = 1 << 16;
    let control = body.dword(1)?;
    let (from, wide) = (control & 0xf, control & TWO_WORDS != 0);
    let value = match from {
        1 | 2 if wide => body.table.load_u64(body.long(2)?)?,
        1 | 2 => body.table.load_u32(body.long(2)?)?.into(),
        IMMEDIATE => body.long(2)?,
        GPU_CLOCK => crate::clock::gpu_ticks(),
        _ => return Ok(Packet::Refused("it reads registers")),
    };
    if !is_memory(control >> 8 & 0xf) {
        return Ok(Packet::Refused("it writes to registers"));
    }
    let va = body.long(4)?;
    if wide {
        body.table.store_u64(va, value)?
    } else {
        body.table.store_u32(va, value as u32)?
    }
    Ok(Packet::Done)
}

/// A fence: a value to memory, then an interrupt that carries an event's ID.
fn release_memory(body: &Body<'_>) -> Result<Packet, Fault> {
    let control = body.dword(2)?;
    let va = body.long(3)?;
    match control >> 29 {
        0 => {}
        1 => body.table.store_u32(va, body.dword(5)?)?,
        2 => body.table.store_u64(va, body.long(5)?)?,
        3 | 4 => body.table.store_u64(va, crate::clock::gpu_ticks())?,
        _ => return Ok(Packet::Refused("it writes what there is not")),
    }
    // Of the kinds of interrupt 3 is none: it only waits for the write.
    if matches!(control >> 24 & 7, 1 | 2) {
        body.context.events.interrupt_partial(body.dword(7)?, 32);
    }
    Ok(Packet::Done)
}

/// `DMA_DATA` from memory to memory.
fn copy_memory(body: &Body<'_>) -> Result<Packet, Fault> {
    let control = body.dword(1)?;
    let (to, from) = (control >> 20 & 3, control >> 29 & 3);
    if !matches!(to, 0 | 3) || !matches!(from, 0 | 3) {
        return Ok(Packet::Refused("it copies other things than memory"));
    }
    body.table.copy(body.long(4)?, body.long(2)?, (body.dword(6)? & 0x03ff_ffff) as usize)?;
    Ok(Packet::Done)
}
