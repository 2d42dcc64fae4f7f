//! A packet on its way into the ring: 16 words, whatever its type.

use hsa_sys::{
    AgentDispatchPacket, BarrierPacket, BarrierValuePacket, Header, KernelDispatchPacket, PacketType,
    Pm4IbPacket,
};

use super::ring::WORDS;

/// An AQL packet as 16 words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet(pub [u32; WORDS]);

macro_rules! packet_from {
    ($($packet:ident),+) => {$(
        impl From<$packet> for Packet {
            fn from(packet: $packet) -> Self {
                Self(zerocopy::transmute!(packet))
            }
        }
    )+};
}
packet_from!(KernelDispatchPacket, BarrierPacket, BarrierValuePacket, AgentDispatchPacket, Pm4IbPacket);

impl Packet {
    /// The header.
    pub fn header(&self) -> Header {
        Header(self.0[0] as u16)
    }

    /// The kernel dispatch, if it is one.
    pub fn as_dispatch(&self) -> Option<KernelDispatchPacket> {
        (self.header().kind() == PacketType::KERNEL_DISPATCH).then(|| zerocopy::transmute!(self.0))
    }

    /// The packet's line in the story.
    pub(super) fn tell(&self, queue: u64, index: u64) {
        if !tracing::enabled!(target: "story", tracing::Level::INFO) {
            return;
        }
        let header = format!("{:?}", self.header());
        let Some(p) = self.as_dispatch() else {
            let signal = u64::from(self.0[14]) | u64::from(self.0[15]) << 32;
            tracing::info!(target: "story", step = "packet", queue, index, header, signal);
            return;
        };
        tracing::info!(
            target: "story",
            step = "packet",
            queue,
            index,
            header,
            kernel_object = p.kernel_object,
            kernarg = p.kernarg_address,
            grid = format!("{}x{}x{}", p.grid_size_x, p.grid_size_y, p.grid_size_z),
            workgroup = format!("{}x{}x{}", p.workgroup_size_x, p.workgroup_size_y, p.workgroup_size_z),
            lds = p.group_segment_size,
            scratch = p.private_segment_size,
            signal = p.completion_signal.0,
        );
    }
}
