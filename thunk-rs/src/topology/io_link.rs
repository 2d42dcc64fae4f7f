//! Links: `nodes/N/io_links/I/properties` to host and GPUs, and `p2p_links` to GPUs over PCIe.

super::parse::properties! {
    /// A link, in one direction.
    pub struct IoLink {
        r#type: u32 = "2: PCIe, 11: XGMI.";
        version_major: u32 = "Of the link's protocol.";
        version_minor: u32 = "Of the link's protocol.";
        node_from: u32 = "Number of the node where it starts.";
        node_to: u32 = "Number of the node where it ends.";
        weight: u32 = "Distance: 20 for PCIe, 15 a hop for XGMI.";
        min_latency: u32 = "Nanoseconds.";
        max_latency: u32 = "Nanoseconds.";
        min_bandwidth: u32 = "MB/s.";
        max_bandwidth: u32 = "MB/s.";
        recommended_transfer_size: u32 = "Bytes.";
        recommended_sdma_engine_id_mask: u32 = "SDMA engines that suit it.";
        flags: u32 = "Bit 0: enabled, 1: non-coherent, 2: no 32-bit atomics, 3: no 64-bit atomics, 4: no peer access.";
    }
}

impl IoLink {
    /// `hsa_amd_link_info_type_t`: 0 HyperTransport, 1 QPI, 2 PCIe, 4 XGMI.
    pub fn hsa_type(&self) -> u32 {
        match self.r#type {
            1 => 0,
            8 => 1,
            11 => 4,
            _ => 2,
        }
    }

    /// Do atomic operations of 32 and 64 bits pass?
    pub fn has_atomics(&self) -> bool {
        self.flags & 0b1 != 0 && self.flags & 0b1100 == 0
    }
}
