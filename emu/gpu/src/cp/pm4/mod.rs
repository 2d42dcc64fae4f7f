//! PM4 packets (`soc15d.h`), as AQL queues carry them in indirect buffers and as queues of their own have them in rings.
//!
//! A packet is taken from where it stands, by opcode. What has to wait is taken up again where it stood. A packet that is
//! not whole, or that asks for what is not here, is refused with its name and place, before it does anything.

mod packets;
mod registers;
mod ring;

use std::sync::Arc;

use self::packets::{Body, NOP, OTHERS, PACKETS};
use super::Context;
use crate::exec::Launch;
use crate::ring::{DWORD, Source};
use crate::vm::{Fault, PageTable};

pub(super) use registers::Registers;

/// The count of a `NOP` that is its header only.
const ALONE: u32 = 0x3fff;
/// Most packets of an indirect buffer that are taken before other queues have their turn: buffers can go round for ever.
const BATCH: u32 = 1024;

/// What packets work with.
pub(super) struct Engine<'a> {
    pub(super) context: &'a Context,
    pub(super) table: Arc<PageTable>,
    /// Of a queue of PM4 packets.
    pub(super) registers: Option<&'a mut Registers>,
}

/// An indirect buffer, and how far it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Buffer {
    base: u64,
    dwords: u32,
    at: u32,
}

impl Buffer {
    pub(super) fn new(base: u64, dwords: u32) -> Buffer {
        Buffer { base, dwords, at: 0 }
    }

    /// As the last dwords of `INDIRECT_BUFFER` say it.
    pub(super) fn of(low: u32, high: u32, control: u32) -> Buffer {
        const SIZE: u32 = 0xf_ffff;
        Buffer::new(u64::from(low & !3) | u64::from(high & 0xffff) << 32, control & SIZE)
    }
}

/// How far a buffer came.
pub(super) enum Progress {
    /// To its end.
    Done,
    /// To a packet that waits.
    Waiting,
    /// As far as its turn went.
    TurnOver,
    /// To a kernel's launch, and past it.
    Launch(Box<Launch>),
    /// To a packet that is not one of these.
    Refused(String),
}

/// What one packet came to, and with what it has of dwords, header included.
enum Taken {
    Done(u32),
    Jump {
        to: Buffer,
        chain: bool,
        own: u32,
    },
    Launch(Box<Launch>, u32),
    Waiting,
    /// The packet, and what is wrong with it.
    Refused(String, String),
}

/// Executes the packet that a source stands at. `left` is how many dwords there are from there on.
fn take(engine: &mut Engine<'_>, source: Source, left: u32) -> Result<Taken, Fault> {
    let header = source.dword(&engine.table, 0)?;
    let (opcode, count) = (header >> 8 & 0xff, header >> 16 & 0x3fff);
    let body = if opcode == NOP && count == ALONE { 0 } else { count + 1 };
    let known = PACKETS.iter().find(|(of, ..)| *of == opcode);
    let name = known.map(|(_, name, ..)| *name);
    let name = name.or_else(|| OTHERS.iter().find(|(of, _)| *of == opcode).map(|(_, name)| *name));
    let named = match name {
        Some(name) => format!("{name} ({header:#010x})"),
        None => format!("of no known name ({header:#010x})"),
    };
    let refused = |why: String| Ok(Taken::Refused(named.clone(), why));
    let left = left.saturating_sub(1);
    if header >> 30 != 3 {
        return refused("it is none of type 3: compute queues have no others".to_owned());
    }
    let Some((_, _, least, handler)) = known else {
        return refused("it is not implemented; write what it is for with packets that are".to_owned());
    };
    if body > left {
        let end = source.end_name();
        return refused(format!("it has {body} dwords behind its header, and {end} leaves {left}"));
    }
    if body < *least {
        return refused(format!(
            "it has {body} dwords behind its header and needs {least}: its count is that number less one"
        ));
    }
    let own = 1 + body;
    Ok(match handler(&mut Body { engine, source, dwords: body })? {
        packets::Packet::Done => Taken::Done(own),
        packets::Packet::Skip(more) if more > left - body => {
            let end = source.end_name();
            return refused(format!("it jumps over {more} dwords, and {end} leaves {}", left - body));
        }
        packets::Packet::Skip(more) => Taken::Done(own + more),
        packets::Packet::Jump { to, chain } => Taken::Jump { to, chain, own },
        packets::Packet::Launch(launch) => Taken::Launch(launch, own),
        packets::Packet::Waiting => Taken::Waiting,
        packets::Packet::Refused(why) => return refused(why),
    })
}

/// Executes an indirect buffer from where it stands.
pub(super) fn run(engine: &mut Engine<'_>, buffer: &mut Buffer) -> Result<Progress, Fault> {
    for _ in 0..BATCH {
        if buffer.at >= buffer.dwords {
            return Ok(Progress::Done);
        }
        let va = buffer.base.wrapping_add(u64::from(buffer.at) * DWORD);
        // The packet before may have waited until what this one names was mapped.
        engine.table = engine.context.vm.table();
        match take(engine, Source::Buffer(va), buffer.dwords - buffer.at)? {
            Taken::Done(dwords) => buffer.at += dwords,
            Taken::Jump { to, chain: true, .. } => *buffer = to,
            Taken::Jump { chain: false, .. } => {
                return Ok(Progress::Refused(format!(
                    "PM4 packet INDIRECT_BUFFER at {va:#x}, dword {} of the {} of its buffer: it calls a buffer from \
                     within one, which compute queues cannot: make it the last packet, with the CHAIN bit",
                    buffer.at, buffer.dwords
                )));
            }
            Taken::Launch(launch, own) => {
                buffer.at += own;
                return Ok(Progress::Launch(launch));
            }
            Taken::Waiting => return Ok(Progress::Waiting),
            Taken::Refused(name, why) => {
                return Ok(Progress::Refused(format!(
                    "PM4 packet {name} at {va:#x}, dword {} of the {} of its buffer: {why}",
                    buffer.at, buffer.dwords
                )));
            }
        }
    }
    Ok(Progress::TurnOver)
}
