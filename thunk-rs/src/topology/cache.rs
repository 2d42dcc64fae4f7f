//! Caches of a GPU: `nodes/N/caches/I/properties`. Those of the host's processors are not told by KFD.

super::parse::properties! {
    /// A cache.
    pub struct Cache {
        processor_id_low: u32 = "First of the processors that share it.";
        level: u32 = "1, 2, 3.";
        size: u32 = "KiB.";
        cache_line_size: u32 = "Bytes.";
        cache_lines_per_tag: u32 = "Lines.";
        association: u32 = "Ways.";
        latency: u32 = "Nanoseconds.";
        r#type: u32 = "Bit 0: data, 1: instructions, 2: of the host, 3: of the GPU.";
    }
    list sibling_map = "A 1 for each processor that shares it.";
}
