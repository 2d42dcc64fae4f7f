//! Kernel descriptors: any 64 bytes are one, and its words mean something on every generation.

use amd_codeobj::{Isa, KernelDescriptor};

/// Every computed value on every generation; the bytes after the descriptor are a work-group size.
pub fn kernel_descriptor(data: &[u8]) {
    let parsed = KernelDescriptor::parse(data);
    assert_eq!(parsed.is_ok(), data.len() >= KernelDescriptor::SIZE);
    let Ok(descriptor) = parsed else { return };
    let size =
        data[KernelDescriptor::SIZE..].iter().take(4).fold(0, |size, &byte| size << 8 | u32::from(byte));
    all_values(&descriptor, size);
}

/// Reads all values of a descriptor.
pub fn all_values(descriptor: &KernelDescriptor, work_group_size: u32) {
    let mut last = "";
    for isa in Isa::all() {
        let generation = isa.generation;
        if generation.name == last {
            continue;
        }
        last = generation.name;
        let allocated = descriptor.allocated_vgprs(generation);
        let (vgprs, agprs) = (descriptor.vgprs(generation), descriptor.agprs(generation));
        assert!(vgprs <= allocated);
        if generation.has_unified_vgprs() {
            assert_eq!(vgprs + agprs, allocated);
        } else if !generation.has_agprs() {
            assert_eq!(agprs, 0);
        }
        let mut next = 0;
        for (_, first, count) in descriptor.user_sgprs(generation) {
            assert_eq!(first, next);
            next += count;
        }
        match descriptor.check(generation) {
            Ok(()) => {
                assert!(next <= descriptor.user_sgpr_count(generation));
                assert!(allocated <= generation.max_vgprs);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        let occupancy = generation.occupancy(&descriptor.resources(generation, work_group_size));
        assert!((1..=occupancy.max_waves).contains(&occupancy.waves));
        let _ = occupancy.limit().as_str();
        for (field, value) in descriptor.fields(generation) {
            assert_eq!(value, field.of(descriptor));
            assert!(field.exists_in(generation));
        }
        assert!(descriptor.unknown_bits(generation).all(|(_, bits)| bits != 0));
        let _ = (descriptor.sgprs(generation), descriptor.mode(generation), descriptor.entry(u64::MAX));
        let (one, two, three) = (descriptor.rsrc1, descriptor.rsrc2, descriptor.rsrc3);
        let _ = (
            one.priority(),
            one.float_mode(),
            one.wgp_mode(generation),
            two.exceptions(),
            two.lds_granules(),
        );
        let _ =
            (three.tg_split(generation), three.shared_vgprs(generation), three.prefetch_bytes(generation));
        let _ = (three.group_launch_guarantee(generation), three.named_barriers(generation));
    }
}
