//! Packing of arguments, explicit and hidden, without a device.

use super::*;
use crate::launch::Geometry;
use crate::launch::hidden::Values;
use amd_codeobj::Arg;

fn arg(kind: ValueKind, offset: u32, size: u32) -> Arg {
    Arg {
        name: None,
        type_name: None,
        offset,
        size,
        value_kind: kind,
        pointee_align: None,
        address_space: None,
        access: None,
        actual_access: None,
        is_const: false,
        is_restrict: false,
        is_volatile: false,
        is_pipe: false,
        other: Vec::new(),
    }
}

fn kernel(args: Vec<Arg>, bytes: u32) -> Metadata {
    Metadata {
        name: "k".to_owned(),
        symbol: "k.kd".to_owned(),
        language: None,
        language_version: None,
        args,
        reqd_workgroup_size: None,
        workgroup_size_hint: None,
        vec_type_hint: None,
        device_enqueue_symbol: None,
        kernarg_segment_size: bytes,
        kernarg_segment_align: 8,
        group_segment_fixed_size: 0,
        private_segment_fixed_size: 0,
        max_flat_workgroup_size: 1024,
        wavefront_size: 64,
        sgpr_count: 0,
        vgpr_count: 0,
        agpr_count: 0,
        sgpr_spill_count: None,
        vgpr_spill_count: None,
        kind: None,
        uses_dynamic_stack: false,
        workgroup_processor_mode: None,
        uniform_work_group_size: false,
        cluster_dims: None,
        other: Vec::new(),
    }
}

const GEOMETRY: Geometry =
    Geometry { grid: [1000, 20, 3], block: [64, 4, 1], shared: 4096, cooperative: None };

#[test]
fn arguments_land_at_their_offsets_and_padding_stays() {
    let signature = Signature::new(&kernel(
        vec![
            arg(ValueKind::GlobalBuffer, 0, 8),
            arg(ValueKind::ByValue, 8, 1),
            arg(ValueKind::ByValue, 12, 4),
        ],
        16,
    ))
    .unwrap();
    let (pointer, byte, word) = (0x1122_3344_5566_7788u64, 0xabu8, 0xdead_beefu32);
    let pointers: [*const c_void; 3] =
        [(&raw const pointer).cast(), (&raw const byte).cast(), (&raw const word).cast()];
    let mut segment = vec![0; signature.segment_bytes()];
    assert_eq!(signature.pack(&mut segment, &Arguments::Pointers(ffi::In::new(&pointers[0])), 0), Ok(0));
    assert_eq!(segment[..8], pointer.to_le_bytes());
    assert_eq!(segment[8..12], [0xab, 0, 0, 0]);
    assert_eq!(segment[12..], word.to_le_bytes());

    let mut again = vec![0; 16];
    assert_eq!(signature.pack(&mut again, &Arguments::Packed(&segment), 0), Ok(0));
    assert_eq!(again, segment);
    // A short buffer leaves the rest zero, and null is refused.
    assert_eq!(signature.pack(&mut again, &Arguments::Packed(&segment[..8]), 0), Ok(0));
    assert_eq!(
        signature.pack(&mut again, &Arguments::Pointers(ffi::In::null()), 0),
        Err(hipError_t::INVALID_VALUE)
    );
    assert_eq!(signature.explicit_bytes(), 16);
}

#[test]
fn a_kernel_without_arguments_reads_none() {
    let signature = Signature::new(&kernel(Vec::new(), 0)).unwrap();
    assert_eq!(signature.pack(&mut [], &Arguments::Pointers(ffi::In::null()), 0), Ok(0));
}

#[test]
fn sizes_of_lds_arrays_become_offsets() {
    let mut second = arg(ValueKind::DynamicSharedPointer, 4, 4);
    second.pointee_align = Some(16);
    let signature =
        Signature::new(&kernel(vec![arg(ValueKind::DynamicSharedPointer, 0, 4), second], 8)).unwrap();
    let mut packed = [0; 8];
    packed[..4].copy_from_slice(&10u32.to_le_bytes());
    packed[4..].copy_from_slice(&100u32.to_le_bytes());
    let mut segment = [0; 8];
    // 64 static bytes, ten at 64, a hundred at 80.
    assert_eq!(signature.pack(&mut segment, &Arguments::Packed(&packed), 64), Ok(80 + 100 - 64));
    assert_eq!(segment[..4], 64u32.to_le_bytes());
    assert_eq!(segment[4..], 80u32.to_le_bytes());
}

#[test]
fn hidden_arguments_of_version_4() {
    let at = 16;
    let signature = Signature::new(&kernel(
        vec![
            arg(ValueKind::ByValue, 0, 4),
            arg(ValueKind::HiddenGlobalOffsetX, at, 8),
            arg(ValueKind::HiddenGlobalOffsetY, at + 8, 8),
            arg(ValueKind::HiddenGlobalOffsetZ, at + 16, 8),
            arg(ValueKind::HiddenHostcallBuffer, at + 24, 8),
            arg(ValueKind::HiddenNone, at + 32, 8),
            arg(ValueKind::HiddenNone, at + 40, 8),
            arg(ValueKind::HiddenMultigridSyncArg, at + 48, 8),
        ],
        72,
    ))
    .unwrap();
    assert!(signature.wants_hostcall() && !signature.wants_heap());
    assert_eq!(signature.explicit_count(), 1);
    let mut values = Values::new(GEOMETRY);
    values.hostcall = 0x7f12_3456_7000;
    let mut segment = vec![0; 72];
    signature.fill_hidden(&mut segment, &values);
    assert_eq!(segment[40..48], 0x7f12_3456_7000u64.to_le_bytes());
    assert!(segment[..40].iter().chain(&segment[48..]).all(|byte| *byte == 0));
}

#[test]
fn hidden_arguments_of_version_5() {
    use ValueKind as K;
    let rows = [
        (K::HiddenBlockCountX, 0, 4, 15u64),
        (K::HiddenBlockCountY, 4, 4, 5),
        (K::HiddenBlockCountZ, 8, 4, 3),
        (K::HiddenGroupSizeX, 12, 2, 64),
        (K::HiddenGroupSizeY, 14, 2, 4),
        (K::HiddenGroupSizeZ, 16, 2, 1),
        (K::HiddenRemainderX, 18, 2, 40),
        (K::HiddenRemainderY, 20, 2, 0),
        (K::HiddenRemainderZ, 22, 2, 0),
        (K::HiddenGridDims, 64, 2, 3),
        (K::HiddenHostcallBuffer, 80, 8, 0x1000),
        (K::HiddenHeapV1, 96, 8, 0x2000),
        (K::HiddenDynamicLdsSize, 120, 4, 4096),
        (K::HiddenPrivateBase, 192, 4, 0x2_0000),
        (K::HiddenSharedBase, 196, 4, 0x1_0000),
        (K::HiddenQueuePtr, 200, 8, 0x3000),
    ];
    let args = rows.iter().map(|(kind, offset, size, _)| arg(kind.clone(), 24 + offset, *size)).collect();
    let signature = Signature::new(&kernel(args, 24 + 256)).unwrap();
    let mut values = Values::new(GEOMETRY);
    (values.hostcall, values.heap, values.queue) = (0x1000, 0x2000, 0x3000);
    let mut segment = vec![0; signature.segment_bytes()];
    signature.fill_hidden(&mut segment, &values);
    for (kind, offset, size, want) in rows {
        let bytes = &segment[24 + offset as usize..][..size as usize];
        assert_eq!(bytes, &want.to_le_bytes()[..size as usize], "{kind}");
    }
}

#[test]
fn damaged_metadata_is_refused_and_never_panics() {
    let huge = kernel(vec![arg(ValueKind::ByValue, u32::MAX, u32::MAX)], 0);
    assert_eq!(Signature::new(&huge).err(), Some(hipError_t::INVALID_KERNEL_FILE));
    // An argument beyond the declared segment makes the segment larger.
    let beyond = Signature::new(&kernel(vec![arg(ValueKind::HiddenQueuePtr, 100, 8)], 16)).unwrap();
    assert_eq!(beyond.segment_bytes(), 108);
}
