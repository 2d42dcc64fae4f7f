//! AQL packets: type → handler (`hsa.h` section 2.6, `hsa_ext_amd.h`).
//!
//! Packets of a queue run one after the other, so that the barrier bit asks for nothing more, and every store is made
//! with release and every load with acquire ordering, so that fence scopes do not either.

use hsa_sys::{
    AmdPacketFormat, BarrierPacket, BarrierValuePacket, PacketType, Pm4IbPacket, QueueInactive, SignalHandle,
};
use zerocopy::FromBytes;

use super::queue::{Outcome, Packet, Queue};
use super::{Context, dispatch, signal};
use crate::vm::{Fault, FaultKind, PageTable};

/// PM4 type-3 header with opcode `INDIRECT_BUFFER`, and the opcode that we know inside one.
const PM4_INDIRECT_BUFFER: u32 = 0x3f;
const PM4_ACQUIRE_MEM: u32 = 0x58;
const PM4_NOP: u32 = 0x10;
/// Most dwords of an indirect buffer: its size field.
const PM4_SIZE_MASK: u32 = 0xf_ffff;

type Handler = fn(&Queue, &std::sync::Arc<Context>, &PageTable, &Packet) -> Result<Outcome, Fault>;

const HANDLERS: &[(PacketType, Handler)] = &[
    (PacketType::KERNEL_DISPATCH, dispatch::launch),
    (PacketType::BARRIER_AND, barrier_and),
    (PacketType::BARRIER_OR, barrier_or),
    (PacketType::VENDOR_SPECIFIC, vendor),
];

pub(super) fn execute(
    queue: &Queue,
    context: &std::sync::Arc<Context>,
    table: &PageTable,
    packet: &Packet,
) -> Result<Outcome, Fault> {
    let kind = packet.header.kind();
    match HANDLERS.iter().find(|(of, _)| *of == kind) {
        Some((_, handler)) => handler(queue, context, table, packet),
        None => Ok(Outcome::Refused(
            QueueInactive::INVALID_PACKET,
            format!("packet type {kind:?} (header {:#06x}) is not one of this processor", packet.header.0),
        )),
    }
}

/// Reads the packet as `T`. All packet structs have its size, so that this cannot fail.
pub(super) fn body<T: FromBytes>(packet: &Packet) -> Result<T, Fault> {
    T::read_from_bytes(&packet.bytes).map_err(|_| Fault { va: packet.va, kind: FaultKind::Misaligned })
}

fn dependencies(table: &PageTable, signals: &[SignalHandle]) -> Result<(usize, usize), Fault> {
    let mut counts = (0, 0);
    for handle in signals.iter().filter(|handle| !handle.is_null()) {
        counts.0 += 1;
        counts.1 += usize::from(signal::value(table, handle.0)? == 0);
    }
    Ok(counts)
}

fn barrier_and(
    _: &Queue,
    _: &std::sync::Arc<Context>,
    table: &PageTable,
    packet: &Packet,
) -> Result<Outcome, Fault> {
    let barrier: BarrierPacket = body(packet)?;
    let (all, met) = dependencies(table, &barrier.dep_signal)?;
    Ok(if met == all { Outcome::Done(barrier.completion_signal.0) } else { Outcome::Waiting })
}

fn barrier_or(
    _: &Queue,
    _: &std::sync::Arc<Context>,
    table: &PageTable,
    packet: &Packet,
) -> Result<Outcome, Fault> {
    let barrier: BarrierPacket = body(packet)?;
    let (all, met) = dependencies(table, &barrier.dep_signal)?;
    Ok(if met > 0 || all == 0 { Outcome::Done(barrier.completion_signal.0) } else { Outcome::Waiting })
}

fn vendor(
    _: &Queue,
    _: &std::sync::Arc<Context>,
    table: &PageTable,
    packet: &Packet,
) -> Result<Outcome, Fault> {
    match AmdPacketFormat(packet.bytes[2]) {
        AmdPacketFormat::PM4_IB => pm4_ib(table, &body(packet)?),
        AmdPacketFormat::BARRIER_VALUE => barrier_value(table, &body(packet)?),
        format => Ok(Outcome::Refused(
            QueueInactive::INVALID_VENDOR_PACKET,
            format!("vendor packet format {format:?} is not implemented"),
        )),
    }
}

fn barrier_value(table: &PageTable, packet: &BarrierValuePacket) -> Result<Outcome, Fault> {
    let met = match packet.signal.0 {
        0 => true,
        handle => packet.cond.holds(signal::value(table, handle)? & packet.mask, packet.value),
    };
    Ok(if met { Outcome::Done(packet.completion_signal.0) } else { Outcome::Waiting })
}

/// An indirect buffer may hold what a runtime uses for cache maintenance, which is nothing here.
fn pm4_ib(table: &PageTable, packet: &Pm4IbPacket) -> Result<Outcome, Fault> {
    let [header, low, high, size] = packet.ib_jump_cmd;
    let refused = |text: String| Ok(Outcome::Refused(QueueInactive::INVALID_VENDOR_PACKET, text));
    if header >> 8 & 0xff != PM4_INDIRECT_BUFFER || header >> 30 != 3 {
        return refused(format!("PM4 header {header:#010x} is not an INDIRECT_BUFFER"));
    }
    let base = u64::from(low & !3) | u64::from(high & 0xffff) << 32;
    let end = base + u64::from(size & PM4_SIZE_MASK) * 4;
    let mut at = base;
    while at < end {
        let word = table.load_u32(at)?;
        let opcode = word >> 8 & 0xff;
        if word >> 30 != 3 || (opcode != PM4_ACQUIRE_MEM && opcode != PM4_NOP) {
            return refused(format!("PM4 packet {word:#010x} at {at:#x} is not implemented"));
        }
        at += (u64::from(word >> 16 & 0x3fff) + 2) * 4;
    }
    Ok(Outcome::Done(packet.completion_signal.0))
}
