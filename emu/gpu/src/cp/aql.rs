//! AQL packets: type → handler (`hsa.h` section 2.6, `hsa_ext_amd.h`).
//!
//! Packets of a queue run one after the other, so that the barrier bit asks for nothing more, and every store is made
//! with release and every load with acquire ordering, so that fence scopes do not either.

use hsa_sys::{
    AmdPacketFormat, BarrierPacket, BarrierValuePacket, PacketType, Pm4IbPacket, QueueInactive, SignalHandle,
};
use zerocopy::FromBytes;

use super::pm4::{self, Buffer, Engine, Progress};
use super::queue::{Outcome, Packet, Queue};
use super::{Context, dispatch, signal};
use crate::poll::Step;
use crate::vm::{Fault, FaultKind, PageTable};

/// PM4 type-3 header with opcode `INDIRECT_BUFFER`.
const PM4_INDIRECT_BUFFER: u32 = 0x3f;

type Handler = fn(&Queue, &Context, &PageTable, &Packet) -> Result<Outcome, Fault>;

const HANDLERS: &[(PacketType, Handler)] = &[
    (PacketType::KERNEL_DISPATCH, dispatch::launch),
    (PacketType::BARRIER_AND, barrier_and),
    (PacketType::BARRIER_OR, barrier_or),
    (PacketType::VENDOR_SPECIFIC, vendor),
];

pub(super) fn execute(
    queue: &Queue,
    context: &Context,
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

fn barrier_and(_: &Queue, _: &Context, table: &PageTable, packet: &Packet) -> Result<Outcome, Fault> {
    let barrier: BarrierPacket = body(packet)?;
    let (all, met) = dependencies(table, &barrier.dep_signal)?;
    Ok(if met == all { Outcome::Done(barrier.completion_signal.0) } else { Outcome::Waiting })
}

fn barrier_or(_: &Queue, _: &Context, table: &PageTable, packet: &Packet) -> Result<Outcome, Fault> {
    let barrier: BarrierPacket = body(packet)?;
    let (all, met) = dependencies(table, &barrier.dep_signal)?;
    Ok(if met > 0 || all == 0 { Outcome::Done(barrier.completion_signal.0) } else { Outcome::Waiting })
}

fn vendor(_: &Queue, context: &Context, table: &PageTable, packet: &Packet) -> Result<Outcome, Fault> {
    match AmdPacketFormat(packet.bytes[2]) {
        AmdPacketFormat::PM4_IB => pm4_ib(context, packet),
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

/// An indirect buffer of PM4 packets, from where it waited if it did.
fn pm4_ib(context: &Context, packet: &Packet) -> Result<Outcome, Fault> {
    let ib: Pm4IbPacket = body(packet)?;
    let [header, low, high, size] = ib.ib_jump_cmd;
    let refused = |text: String| Ok(Outcome::Refused(QueueInactive::INVALID_VENDOR_PACKET, text));
    if header >> 8 & 0xff != PM4_INDIRECT_BUFFER || header >> 30 != 3 {
        return refused(format!("PM4 header {header:#010x} is not an INDIRECT_BUFFER"));
    }
    let mut buffer = packet.resume.unwrap_or_else(|| Buffer::of(low, high, size));
    let mut engine = Engine { context, table: context.vm.table(), registers: None };
    Ok(match pm4::run(&mut engine, &mut buffer)? {
        Progress::Done => Outcome::Done(ib.completion_signal.0),
        Progress::Waiting => Outcome::Paused(buffer, Step::Waiting),
        Progress::TurnOver => Outcome::Paused(buffer, Step::Progress),
        // Without registers there are none.
        Progress::Launch(launch) => Outcome::Launch(launch),
        Progress::Refused(text) => return refused(text),
    })
}
