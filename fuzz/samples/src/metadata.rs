//! Code object metadata as MessagePack. Answers to "Code Object V3 (and later) Metadata" of LLVM's AMDGPU guide.

use rmpv::Value;

/// Encodes a MessagePack value.
pub fn msgpack(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, value).expect("memory can be written");
    bytes
}

fn map(pairs: Vec<(&str, Value)>) -> Value {
    Value::Map(pairs.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

/// Metadata of kernels with these names, each with three arguments of its own and two hidden ones. `minor` is that of
/// `amdhsa.version`: 0 in code objects v3, 1 in v4, 2 in v5 and v6.
pub fn metadata(minor: u32, target: &str, kernels: &[&str]) -> Vec<u8> {
    let version = Value::Array(vec![1.into(), minor.into()]);
    let kernels = kernels.iter().map(|name| kernel(name)).collect();
    let printf = Value::Array(vec!["1:1:4:%d\\n".into()]);
    msgpack(&map(vec![
        ("amdhsa.kernels", Value::Array(kernels)),
        ("amdhsa.printf", printf),
        ("amdhsa.target", target.into()),
        ("amdhsa.version", version),
    ]))
}

fn kernel(name: &str) -> Value {
    let arg = |offset: u32, size: u32, kind: &str, more: Vec<(&str, Value)>| {
        let mut pairs =
            vec![(".offset", offset.into()), (".size", size.into()), (".value_kind", kind.into())];
        pairs.extend(more);
        map(pairs)
    };
    let args = vec![
        arg(
            0,
            8,
            "global_buffer",
            vec![
                (".address_space", "global".into()),
                (".actual_access", "read_only".into()),
                (".is_const", true.into()),
                (".name", "input.coerce".into()),
                (".type_name", "float*".into()),
            ],
        ),
        arg(8, 4, "by_value", vec![(".name", "count".into())]),
        arg(
            12,
            4,
            "dynamic_shared_pointer",
            vec![(".address_space", "local".into()), (".pointee_align", 16.into())],
        ),
        arg(16, 4, "hidden_block_count_x", vec![]),
        arg(96, 8, "hidden_hostcall_buffer", vec![]),
    ];
    map(vec![
        (".agpr_count", 0.into()),
        (".args", Value::Array(args)),
        (".group_segment_fixed_size", 1024.into()),
        (".kernarg_segment_align", 8.into()),
        (".kernarg_segment_size", 272.into()),
        (".language", "OpenCL C".into()),
        (".language_version", Value::Array(vec![2.into(), 0.into()])),
        (".max_flat_workgroup_size", 256.into()),
        (".name", name.into()),
        (".private_segment_fixed_size", 16.into()),
        (".reqd_workgroup_size", Value::Array(vec![64.into(), 2.into(), 1.into()])),
        (".sgpr_count", 18.into()),
        (".sgpr_spill_count", 0.into()),
        (".symbol", format!("{name}.kd").into()),
        (".uses_dynamic_stack", false.into()),
        (".vgpr_count", 12.into()),
        (".vgpr_spill_count", 0.into()),
        (".wavefront_size", 64.into()),
    ])
}
