//! Compares sizes, offsets and values with the installed `<hsa/*.h>` (Debian's `libhsa-runtime-dev`), read by bindgen
//! when the test runs.
//!
//! Newer than those headers, and so checked only against the numbers beside the structs: the second version of
//! `amd_queue_t` (everything from offset 256, and the fields that took the place of reserved words), the PM4 packet
//! (not in a public header), `HSA_STATUS_ERROR_OUT_OF_REGISTERS`.

use std::{collections::HashMap, mem::offset_of, path::Path};

use hsa_sys::{
    AgentDispatchPacket, AgentFeature, AgentInfo, AmdAgentInfo, AmdPacketFormat, AmdQueue, AmdSignal,
    BarrierPacket, BarrierValuePacket, DeviceType, DispatchTime, ExecutableState, FenceScope, HsaQueue,
    KernelDispatchPacket, MemoryFaultReason, MemoryPoolGlobalFlag, PacketType, PointerType, QueueFeature,
    QueueProperties, QueueType, RegionSegment, SignalCondition, SignalKind, Status, SymbolKind,
    SymbolLinkage, SystemInfo, VariableAllocation, VariableSegment, WaitState,
};

struct Header {
    sizes: HashMap<String, usize>,
    offsets: HashMap<String, usize>,
    values: HashMap<String, i128>,
}

fn header() -> Header {
    let path = "/usr/include/hsa/hsa_ext_amd.h";
    assert!(Path::new(path).exists(), "no {path}; to install it: apt-get install -y libhsa-runtime-dev");
    let text = bindgen::builder()
        .header_contents(
            "all.h",
            "#include <stdbool.h>\n#include <hsa/hsa.h>\n#include <hsa/hsa_ext_amd.h>\n\
             #include <hsa/amd_hsa_queue.h>\n#include <hsa/amd_hsa_signal.h>\n",
        )
        .allowlist_type("hsa_.*|amd_.*")
        .allowlist_var("HSA_.*|AMD_.*")
        .prepend_enum_name(false)
        .formatter(bindgen::Formatter::None)
        .generate()
        .expect("bindgen reads the headers")
        .to_string();
    let mut found = Header { sizes: HashMap::new(), offsets: HashMap::new(), values: HashMap::new() };
    let number =
        |text: &str| text.split("usize").next().and_then(|n| n.rsplit('-').next()?.trim().parse().ok());
    for piece in text.split("[\"").skip(1) {
        let Some((label, rest)) = piece.split_once("\"]") else { continue };
        let Some(value) = number(rest) else { continue };
        if let Some(name) = label.strip_prefix("Size of ") {
            found.sizes.insert(name.to_owned(), value);
        } else if let Some(name) = label.strip_prefix("Offset of field: ") {
            found.offsets.insert(name.to_owned(), value);
        }
    }
    for piece in text.split("pub const ").skip(1) {
        let Some((name, rest)) = piece.split_once(':') else { continue };
        let Some((_, rest)) = rest.split_once('=') else { continue };
        if let Some(value) = rest.split(';').next().and_then(|n| n.replace(' ', "").parse().ok()) {
            found.values.insert(name.trim().to_owned(), value);
        }
    }
    found
}

macro_rules! same_layout {
    ($header:expr, $c:literal as $rust:ident { $($cfield:ident = $field:ident),+ $(,)? }) => {
        assert_eq!($header.sizes.get($c), Some(&size_of::<$rust>()), "size of {}", $c);
        same_layout!($header, offsets $c as $rust { $($cfield = $field),+ });
    };
    ($header:expr, offsets $c:literal as $rust:ident { $($cfield:ident = $field:ident),+ $(,)? }) => {
        $(let name = concat!($c, "::", stringify!($cfield));
        assert_eq!($header.offsets.get(name), Some(&offset_of!($rust, $field)), "offset of {name}");)+
    };
}

#[test]
fn structs_match_the_installed_headers() {
    let h = header();
    same_layout!(h, "hsa_queue_s" as HsaQueue {
        type_ = kind, features = features, base_address = base_address, doorbell_signal = doorbell_signal,
        size = size, reserved1 = reserved1, id = id,
    });
    same_layout!(h, "hsa_kernel_dispatch_packet_s" as KernelDispatchPacket {
        header = header, setup = setup, workgroup_size_x = workgroup_size_x, workgroup_size_y = workgroup_size_y,
        workgroup_size_z = workgroup_size_z, reserved0 = reserved0, grid_size_x = grid_size_x,
        grid_size_y = grid_size_y, grid_size_z = grid_size_z, private_segment_size = private_segment_size,
        group_segment_size = group_segment_size, kernel_object = kernel_object, kernarg_address = kernarg_address,
        reserved2 = reserved2, completion_signal = completion_signal,
    });
    for c in ["hsa_barrier_and_packet_s", "hsa_barrier_or_packet_s"] {
        assert_eq!(h.sizes.get(c), Some(&size_of::<BarrierPacket>()), "size of {c}");
    }
    same_layout!(h, "hsa_barrier_and_packet_s" as BarrierPacket {
        header = header, reserved0 = reserved0, reserved1 = reserved1, dep_signal = dep_signal,
        reserved2 = reserved2, completion_signal = completion_signal,
    });
    same_layout!(h, offsets "hsa_barrier_or_packet_s" as BarrierPacket {
        dep_signal = dep_signal, completion_signal = completion_signal,
    });
    same_layout!(h, "hsa_agent_dispatch_packet_s" as AgentDispatchPacket {
        header = header, type_ = kind, reserved0 = reserved0, return_address = return_address, arg = arg,
        reserved2 = reserved2, completion_signal = completion_signal,
    });
    same_layout!(h, "hsa_amd_barrier_value_packet_s" as BarrierValuePacket {
        header = header, reserved0 = reserved0, signal = signal, value = value, mask = mask, cond = cond,
        reserved1 = reserved1, reserved2 = reserved2, reserved3 = reserved3, completion_signal = completion_signal,
    });
    assert_eq!(
        h.offsets.get("hsa_amd_packet_header_s::AmdFormat"),
        Some(&offset_of!(BarrierValuePacket, format)),
        "offset of AmdFormat; known: {:?}",
        h.offsets.keys().filter(|k| k.contains("header")).collect::<Vec<_>>()
    );
    same_layout!(h, "amd_signal_s" as AmdSignal {
        kind = kind, event_mailbox_ptr = event_mailbox_ptr, event_id = event_id, reserved1 = reserved1,
        start_ts = start_ts, end_ts = end_ts, reserved3 = reserved3,
    });
    same_layout!(h, "hsa_amd_profiling_dispatch_time_s" as DispatchTime { start = start, end = end });
    // The header has version 1 of the queue, the first 256 bytes of ours.
    assert_eq!(h.sizes.get("amd_queue_s"), Some(&256));
    same_layout!(h, offsets "amd_queue_s" as AmdQueue {
        hsa_queue = hsa_queue, write_dispatch_id = write_dispatch_id,
        group_segment_aperture_base_hi = group_segment_aperture_base_hi,
        private_segment_aperture_base_hi = private_segment_aperture_base_hi, max_cu_id = max_cu_id,
        max_wave_id = max_wave_id,
        max_legacy_doorbell_dispatch_id_plus_1 = max_legacy_doorbell_dispatch_id_plus_1,
        legacy_doorbell_lock = legacy_doorbell_lock, reserved2 = reserved2, read_dispatch_id = read_dispatch_id,
        read_dispatch_id_field_base_byte_offset = read_dispatch_id_field_base_byte_offset,
        compute_tmpring_size = compute_tmpring_size, scratch_resource_descriptor = scratch_resource_descriptor,
        scratch_backing_memory_location = scratch_backing_memory_location,
        scratch_backing_memory_byte_size = scratch_backing_memory_byte_size,
        scratch_wave64_lane_byte_size = scratch_wave64_lane_byte_size, queue_properties = queue_properties,
        queue_inactive_signal = queue_inactive_signal,
    });
}

#[test]
fn values_match_the_installed_headers() {
    let h = header();
    let check = |prefix: &str, name: &str, value: i128| {
        let found = h.values.get(&format!("{prefix}{name}"));
        // A C enum's constants are `int` where they fit, so bit 31 shows as a sign.
        let same = found.is_some_and(|f| *f == value || (value >> 31 == 1 && *f == value - (1 << 32)));
        assert!(same, "{prefix}{name}: header {found:?}, ours {value}");
    };
    macro_rules! same_values {
        ($($prefix:literal $ty:ident $(except $($skip:literal)|+)?;)+) => {$(
            for &(name, value) in $ty::NAMES {
                if $($(name == $skip ||)+)? false { continue }
                check($prefix, name, value.into());
            }
        )+};
    }
    same_values! {
        "HSA_STATUS_" Status except "ERROR_OUT_OF_REGISTERS" | "ERROR_IMAGE_FORMAT_UNSUPPORTED"
            | "ERROR_IMAGE_SIZE_UNSUPPORTED" | "ERROR_IMAGE_PITCH_UNSUPPORTED"
            | "ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED";
        "HSA_DEVICE_TYPE_" DeviceType;
        "HSA_AGENT_FEATURE_" AgentFeature;
        "HSA_SYSTEM_INFO_" SystemInfo;
        "HSA_AGENT_INFO_" AgentInfo;
        "HSA_AMD_AGENT_INFO_" AmdAgentInfo;
        "HSA_SIGNAL_CONDITION_" SignalCondition;
        "HSA_WAIT_STATE_" WaitState;
        "HSA_QUEUE_TYPE_" QueueType;
        "HSA_QUEUE_FEATURE_" QueueFeature;
        "AMD_SIGNAL_KIND_" SignalKind;
        "HSA_PACKET_TYPE_" PacketType;
        "HSA_FENCE_SCOPE_" FenceScope;
        "HSA_AMD_PACKET_TYPE_" AmdPacketFormat except "PM4_IB";
        "HSA_REGION_SEGMENT_" RegionSegment;
        "HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_" MemoryPoolGlobalFlag;
        "HSA_EXT_POINTER_TYPE_" PointerType except "RESERVED_ADDR";
        "HSA_AMD_MEMORY_FAULT_" MemoryFaultReason;
        "HSA_EXECUTABLE_STATE_" ExecutableState;
        "HSA_SYMBOL_KIND_" SymbolKind;
        "HSA_SYMBOL_LINKAGE_" SymbolLinkage;
        "HSA_VARIABLE_ALLOCATION_" VariableAllocation;
        "HSA_VARIABLE_SEGMENT_" VariableSegment;
    }
    // Those of images have the prefix of an extension.
    for &(name, value) in Status::NAMES.iter().filter(|(name, _)| name.ends_with("_UNSUPPORTED")) {
        check("HSA_EXT_STATUS_", name, value.into());
    }
    for (name, flag) in QueueProperties::all().iter_names() {
        check("AMD_QUEUE_PROPERTIES_", name, flag.bits().into());
    }
}
