//! Our structs, request words and values against the installed `<linux/kfd_ioctl.h>`, as clang reads it.
//!
//! Both ways: what we have must be as the header says, and what the header has must be here. Differences that are meant
//! stand in the lists below, each with its reason. Needs libclang and the kernel's headers for user space
//! (Debian: `apt-get install libclang-19-dev linux-libc-dev`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use kfd_sys::{GROWN_STRUCTS, STRUCTS, aperture, criu, event, ioctl, memory, mmap, queue, smi, svm};

/// Not in every header that is still installed somewhere: name of the struct or ioctl, and since when it is.
const NEWER: &[(&str, &str)] = &[
    ("kfd_hsa_signal_event_data", "KFD 1.14"),
    ("kfd_ioctl_export_dmabuf_args", "KFD 1.12"),
    ("EXPORT_DMABUF", "KFD 1.12"),
    ("kfd_ioctl_runtime_enable_args", "KFD 1.13"),
    ("RUNTIME_ENABLE", "KFD 1.13"),
    ("kfd_ioctl_dbg_trap_args", "KFD 1.13"),
    ("DBG_TRAP", "KFD 1.13"),
    ("kfd_ioctl_ipc_import_handle_args", "AMD's out-of-tree driver"),
    ("IPC_IMPORT_HANDLE", "AMD's out-of-tree driver"),
    ("kfd_ioctl_ipc_export_handle_args", "AMD's out-of-tree driver"),
    ("IPC_EXPORT_HANDLE", "AMD's out-of-tree driver"),
    ("kfd_ioctl_spm", "AMD's out-of-tree driver"),
    ("kfd_ioctl_pc_sample_args", "AMD's out-of-tree driver"),
    ("kfd_pc_sample_info", "AMD's out-of-tree driver"),
    ("kfd_ioctl_pmc_settings", "AMD's out-of-tree driver"),
    ("kfd_ioctl_profiler_args", "AMD's out-of-tree driver"),
    ("kfd_memory_range", "AMD's out-of-tree driver"),
    ("kfd_ioctl_cross_memory_copy_args", "AMD's out-of-tree driver"),
    ("kfd_ais_", "AMD's out-of-tree driver"),
    ("kfd_ioctl_ais_args", "AMD's out-of-tree driver"),
    ("kfd_ioctl_dbg_trap_args_deprecated", "AMD's out-of-tree driver, under another name there"),
    ("DBG_TRAP_DEPRECATED", "AMD's out-of-tree driver"),
    ("CROSS_MEMORY_COPY_DEPRECATED", "AMD's out-of-tree driver"),
    ("RLC_SPM", "AMD's out-of-tree driver"),
    ("PC_SAMPLE", "AMD's out-of-tree driver"),
    ("PROFILER", "AMD's out-of-tree driver"),
    ("AIS_OP", "AMD's out-of-tree driver"),
    ("kfd_ioctl_create_process_args", "newest upstream"),
    ("CREATE_PROCESS", "newest upstream"),
    ("kfd_ioctl_dbg_trap_", "KFD 1.13"),
    ("kfd_queue_snapshot_entry", "KFD 1.13"),
    ("kfd_dbg_device_info_entry", "KFD 1.13"),
    ("kfd_runtime_info", "KFD 1.13"),
    ("kfd_context_save_area_header", "KFD 1.13"),
];

/// Structs that the header may have longer than we do, because a later version appended to them.
const GROWN: &[(&str, &str)] = &[
    ("kfd_ioctl_create_queue_args", "1.17 appends 8 bytes: CreateQueueArgs117"),
    (
        "kfd_ioctl_update_queue_args",
        "1.22 of AMD's driver appends 16 bytes, upstream none: UpdateQueueArgs122",
    ),
    ("kfd_dbg_device_info_entry", "1.23 has 8 bytes more: DeviceInfoEntry123"),
];

/// Where upstream took up a call of AMD's out-of-tree driver in another shape. Here is AMD's; KFD goes by the number and
/// fills up or cuts the argument, so that the words of both reach the same call, except where the number differs.
const RESHAPED: &[(&str, &str)] = &[
    ("CREATE_PROCESS", "upstream's 0x27 takes no argument"),
    ("PROFILER", "upstream's is 0x28, since 1.23, and without samples"),
    ("kfd_ioctl_profiler_args", "upstream's is 16 bytes, since 1.23, and without samples"),
    ("kfd_ioctl_ptl_control", "upstream's, since 1.23"),
];

fn reshaped(name: &str) -> bool {
    RESHAPED.iter().any(|(n, _)| *n == name)
}

/// Fields that C spells in a way that has no counterpart: struct, our field, field of the header, reason.
const RESPELT: &[(&str, &str, &str, &str)] = &[
    ("kfd_event_data", "data", "", "an unnamed union in C, which bindgen does not assert"),
    ("kfd_ioctl_dbg_trap_args", "args", "", "an unnamed union in C, which bindgen does not assert"),
    ("kfd_ioctl_criu_args", "pad", "", "padding that C leaves unnamed"),
    ("kfd_ioctl_set_memory_policy_args", "misc_process_flag", "pad", "padding before 1.18"),
    ("kfd_ioctl_svm_args", "", "attrs", "a flexible array: passed behind the struct"),
    ("kfd_ioctl_profiler_args", "args", "", "an unnamed union in C, which bindgen does not assert"),
    ("kfd_ioctl_profiler_args", "pad", "", "padding that C leaves unnamed"),
    ("kfd_ioctl_ais_args", "args", "", "an unnamed union in C, which bindgen does not assert"),
];

/// Structs of the header that are not here.
const LEFT_OUT: &[(&str, &str)] =
    &[("kfd_hsa_", "checked where it exists; newer members of the event's union")];

struct Header {
    sizes: BTreeMap<String, usize>,
    fields: BTreeMap<String, BTreeMap<String, usize>>,
    words: BTreeMap<String, u64>,
    ioctls: BTreeSet<String>,
}

fn header() -> &'static Header {
    static HEADER: OnceLock<Header> = OnceLock::new();
    HEADER.get_or_init(read_header)
}

fn read_header() -> Header {
    // A newer header than the installed one can be named.
    let named = std::env::var_os("KFD_IOCTL_HEADER").map(PathBuf::from);
    let path = named
        .into_iter()
        .chain(["/usr/include/linux/kfd_ioctl.h", "/usr/local/include/linux/kfd_ioctl.h"].map(PathBuf::from))
        .find(|path| path.exists())
        .unwrap_or_else(|| panic!("no <linux/kfd_ioctl.h>: apt-get install linux-libc-dev"));
    let text = std::fs::read_to_string(&path).unwrap();
    let ioctls: BTreeSet<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("#define AMDKFD_IOC_"))
        .filter_map(|rest| rest.split([' ', '\t', '(', '\\']).next())
        .map(str::to_owned)
        .collect();

    // Macros that expand to casts and `sizeof` are no constants to bindgen; the values of an enum are.
    let mut wrapper = format!("#include \"{}\"\nenum check_words {{\n", path.display());
    for name in ioctls.iter().map(|name| format!("AMDKFD_IOC_{name}")).chain(macros()) {
        wrapper += &format!("#ifdef {name}\n  CHECK_{name} = (unsigned int)({name}),\n#endif\n");
    }
    wrapper += "  CHECK_END = 0xffffffffu\n};\n";

    let code = clang()
        .header_contents("kfd_ioctl_check.h", &wrapper)
        .formatter(bindgen::Formatter::None)
        .prepend_enum_name(false)
        .generate()
        .expect("bindgen")
        .to_string();
    parse_bindings(&code, ioctls)
}

/// A run of clang that finds what the header includes. Of `<drm/drm.h>`, which Debian ships in another package and in
/// another place, only the integer types are needed.
fn clang() -> bindgen::Builder {
    find_libclang();
    let include = Path::new(env!("CARGO_TARGET_TMPDIR")).join("include");
    for folder in ["drm", "libdrm"] {
        std::fs::create_dir_all(include.join(folder)).unwrap();
        std::fs::write(include.join(folder).join("drm.h"), "#include <linux/types.h>\n").unwrap();
    }
    bindgen::Builder::default().clang_arg("-idirafter").clang_arg(include.display().to_string())
}

/// bindgen finds libclang by `LIBCLANG_PATH`; Debian puts it where nobody looks by default.
fn find_libclang() {
    if std::env::var_os("LIBCLANG_PATH").is_some() {
        return;
    }
    let has_libclang = |dir: &PathBuf| {
        std::fs::read_dir(dir).is_ok_and(|entries| {
            entries.flatten().any(|entry| {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                name == "libclang.so" || (name.starts_with("libclang-") && name.contains(".so"))
            })
        })
    };
    let newest_first = (14..40).rev().map(|version| PathBuf::from(format!("/usr/lib/llvm-{version}/lib")));
    let found =
        newest_first.chain(["/usr/lib64".into(), "/usr/lib/x86_64-linux-gnu".into()]).find(has_libclang);
    match found {
        Some(dir) => bindgen_env(&dir),
        None => panic!("no libclang: apt-get install libclang-19-dev, or set LIBCLANG_PATH"),
    }
}

#[allow(unsafe_code, reason = "sets an environment variable, before libclang is loaded")]
fn bindgen_env(dir: &Path) {
    // SAFETY: called under the `OnceLock` before bindgen runs; the tests of this file read no environment.
    unsafe { std::env::set_var("LIBCLANG_PATH", dir) };
}

fn parse_bindings(code: &str, ioctls: BTreeSet<String>) -> Header {
    let mut header =
        Header { sizes: BTreeMap::new(), fields: BTreeMap::new(), words: BTreeMap::new(), ioctls };
    for (what, value) in assertions(code) {
        if let Some(name) = what.strip_prefix("Size of ") {
            header.sizes.insert(name.to_owned(), value);
        } else if let Some((name, field)) =
            what.strip_prefix("Offset of field: ").and_then(|field| field.split_once("::"))
        {
            header.fields.entry(name.to_owned()).or_default().insert(field.to_owned(), value);
        }
    }
    for part in code.split("pub const ").skip(1) {
        let Some((name, rest)) = part.split_once(':') else { continue };
        let Some((_, value)) = rest.split_once('=') else { continue };
        let digits: String = value.trim().chars().take_while(char::is_ascii_digit).collect();
        if let (Some(name), Ok(value)) = (name.trim().strip_prefix("CHECK_"), digits.parse()) {
            header.words.insert(name.to_owned(), value);
        }
    }
    assert!(!header.sizes.is_empty() && !header.words.is_empty(), "bindgen's output is not as expected");
    header
}

/// bindgen's layout tests are `["what is asserted"][expression - 8usize];`.
fn assertions(code: &str) -> Vec<(&str, usize)> {
    code.split("[\"")
        .skip(1)
        .filter_map(|part| {
            let (what, rest) = part.split_once('"')?;
            let (expression, _) = rest.split_once("usize]")?;
            let digits = expression.rsplit(['-', ' ']).next()?;
            Some((what, digits.trim().parse().ok()?))
        })
        .collect()
}

/// One spelling for both: no case, no underscores, no `r#`.
fn plain(name: &str) -> String {
    name.trim_start_matches("r#").replace('_', "").to_lowercase()
}

fn since(name: &str) -> Option<&'static str> {
    NEWER
        .iter()
        .find(|(n, _)| *n == name || (name.starts_with(*n) && (n.ends_with('_') || *n == "kfd_ioctl_spm")))
        .map(|(_, since)| *since)
}

#[test]
fn structs_are_laid_out_as_in_the_header() {
    let header = header();
    let mut missing = Vec::new();
    for layout in STRUCTS.iter().filter(|layout| !reshaped(layout.c_name)) {
        let name = layout.c_name;
        let Some(size) = header.sizes.get(name) else {
            missing.push(name);
            continue;
        };
        let grown = GROWN.iter().any(|(n, _)| *n == name);
        assert!(*size == layout.size || (grown && *size > layout.size), "{name}: {size} bytes in the header");
        if *size != layout.size {
            let longer = GROWN_STRUCTS.iter().find(|longer| longer.c_name == name);
            assert_eq!(longer.map(|longer| longer.size), Some(*size), "{name}");
        }

        let theirs = &header.fields[name];
        let respelt = |ours: &str| {
            RESPELT
                .iter()
                .find(|(n, field, _, _)| *n == name && *field == ours)
                .map(|(_, _, theirs, _)| *theirs)
        };
        let mut seen = BTreeSet::new();
        for field in layout.fields {
            let found = theirs
                .iter()
                .find(|(their, _)| plain(their) == plain(field.name))
                .or_else(|| respelt(field.name).and_then(|their| theirs.get_key_value(their)));
            match found {
                Some((their, offset)) => {
                    assert_eq!(*offset, field.offset, "offset of {name}::{}", field.name);
                    seen.insert(their.as_str());
                }
                None => {
                    assert_eq!(respelt(field.name), Some(""), "{name}::{} is not in the header", field.name)
                }
            }
        }
        for (their, offset) in theirs {
            let excused = RESPELT.iter().any(|(n, ours, t, _)| *n == name && ours.is_empty() && t == their);
            let behind = grown && *offset >= layout.size;
            assert!(seen.contains(their.as_str()) || excused || behind, "{name}::{their} is missing here");
        }
    }
    for name in missing {
        let since = since(name).unwrap_or_else(|| panic!("{name} is in no header that we know"));
        println!("not in the installed header: {name} ({since})");
    }
}

#[test]
fn every_struct_of_the_header_is_here() {
    for name in header().sizes.keys().filter(|name| name.starts_with("kfd_") && !name.contains("__bindgen")) {
        let here = STRUCTS.iter().any(|layout| layout.c_name == name);
        let left_out = LEFT_OUT.iter().any(|(prefix, _)| name.starts_with(prefix));
        assert!(here || left_out || reshaped(name), "{name} is in the header, but not here");
    }
}

#[test]
fn request_words_are_those_of_the_header() {
    let header = header();
    for info in ioctl::TABLE.iter().filter(|info| !reshaped(info.name)) {
        match header.words.get(&format!("AMDKFD_IOC_{}", info.name)) {
            Some(word) => {
                let word = u32::try_from(*word).unwrap();
                let grown = GROWN.iter().any(|(name, _)| {
                    plain(name) == plain(&format!("kfd_ioctl_{}_args", info.name.to_lowercase()))
                });
                let same_size = ioctl::size(word) == info.size || (grown && ioctl::size(word) > info.size);
                assert!(same_size, "{}: {} bytes in the header", info.name, ioctl::size(word));
                assert_eq!(ioctl::nr(word), info.nr, "{}", info.name);
                assert_eq!(ioctl::Direction::of(word), Some(info.direction), "{}", info.name);
                assert_eq!(ioctl::base(word), ioctl::BASE, "{}", info.name);
            }
            None => {
                let since = since(info.name).unwrap_or_else(|| panic!("{} is in no header", info.name));
                println!("not in the installed header: AMDKFD_IOC_{} ({since})", info.name);
            }
        }
    }
    for name in &header.ioctls {
        // Some headers call it deprecated, some do not.
        let deprecated = format!("{name}_DEPRECATED");
        let here = ioctl::TABLE.iter().any(|info| info.name == name || info.name == deprecated);
        assert!(here, "AMDKFD_IOC_{name} is in the header, but not here");
    }
}

/// Values: name in C, and ours.
#[rustfmt::skip]
fn values() -> Vec<(&'static str, u32)> {
    use memory::AllocFlags as A;
    use svm::SvmFlags as S;
    vec![
        ("KFD_IOC_QUEUE_TYPE_COMPUTE", queue::QueueType::COMPUTE.0),
        ("KFD_IOC_QUEUE_TYPE_SDMA", queue::QueueType::SDMA.0),
        ("KFD_IOC_QUEUE_TYPE_COMPUTE_AQL", queue::QueueType::COMPUTE_AQL.0),
        ("KFD_IOC_QUEUE_TYPE_SDMA_XGMI", queue::QueueType::SDMA_XGMI.0),
        ("KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID", queue::QueueType::SDMA_BY_ENG_ID.0),
        ("KFD_MAX_QUEUE_PERCENTAGE", queue::MAX_QUEUE_PERCENTAGE),
        ("KFD_MAX_QUEUE_PRIORITY", queue::MAX_QUEUE_PRIORITY),
        ("KFD_MIN_QUEUE_RING_SIZE", queue::MIN_QUEUE_RING_SIZE),
        ("KFD_IOC_CACHE_POLICY_COHERENT", aperture::CachePolicy::COHERENT.0),
        ("KFD_IOC_CACHE_POLICY_NONCOHERENT", aperture::CachePolicy::NONCOHERENT.0),
        ("NUM_OF_SUPPORTED_GPUS", aperture::OLD_APERTURES as u32),
        ("KFD_IOC_EVENT_SIGNAL", event::EventType::SIGNAL.0),
        ("KFD_IOC_EVENT_NODECHANGE", event::EventType::NODECHANGE.0),
        ("KFD_IOC_EVENT_DEVICESTATECHANGE", event::EventType::DEVICESTATECHANGE.0),
        ("KFD_IOC_EVENT_HW_EXCEPTION", event::EventType::HW_EXCEPTION.0),
        ("KFD_IOC_EVENT_SYSTEM_EVENT", event::EventType::SYSTEM_EVENT.0),
        ("KFD_IOC_EVENT_DEBUG_EVENT", event::EventType::DEBUG_EVENT.0),
        ("KFD_IOC_EVENT_PROFILE_EVENT", event::EventType::PROFILE_EVENT.0),
        ("KFD_IOC_EVENT_QUEUE_EVENT", event::EventType::QUEUE_EVENT.0),
        ("KFD_IOC_EVENT_MEMORY", event::EventType::MEMORY.0),
        ("KFD_IOC_WAIT_RESULT_COMPLETE", event::WaitResult::COMPLETE.0),
        ("KFD_IOC_WAIT_RESULT_TIMEOUT", event::WaitResult::TIMEOUT.0),
        ("KFD_IOC_WAIT_RESULT_FAIL", event::WaitResult::FAIL.0),
        ("KFD_SIGNAL_EVENT_LIMIT", event::SIGNAL_EVENT_LIMIT),
        ("KFD_HW_EXCEPTION_WHOLE_GPU_RESET", event::ResetType::WHOLE_GPU_RESET.0),
        ("KFD_HW_EXCEPTION_PER_ENGINE_RESET", event::ResetType::PER_ENGINE_RESET.0),
        ("KFD_HW_EXCEPTION_GPU_HANG", event::ResetCause::GPU_HANG.0),
        ("KFD_HW_EXCEPTION_ECC", event::ResetCause::ECC.0),
        ("KFD_MEM_ERR_NO_RAS", event::MemoryError::NO_RAS.0),
        ("KFD_MEM_ERR_SRAM_ECC", event::MemoryError::SRAM_ECC.0),
        ("KFD_MEM_ERR_POISON_CONSUMED", event::MemoryError::POISON_CONSUMED.0),
        ("KFD_MEM_ERR_GPU_HANG", event::MemoryError::GPU_HANG.0),
        ("KFD_IOC_ALLOC_MEM_FLAGS_VRAM", A::VRAM.bits()),
        ("KFD_IOC_ALLOC_MEM_FLAGS_GTT", A::GTT.bits()),
        ("KFD_IOC_ALLOC_MEM_FLAGS_USERPTR", A::USERPTR.bits()),
        ("KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL", A::DOORBELL.bits()),
        ("KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP", A::MMIO_REMAP.bits()),
        ("KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE", A::WRITABLE.bits()),
        ("KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE", A::EXECUTABLE.bits()),
        ("KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC", A::PUBLIC.bits()),
        ("KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE", A::NO_SUBSTITUTE.bits()),
        ("KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM", A::AQL_QUEUE_MEM.bits()),
        ("KFD_IOC_ALLOC_MEM_FLAGS_COHERENT", A::COHERENT.bits()),
        ("KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED", A::UNCACHED.bits()),
        ("KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT", A::EXT_COHERENT.bits()),
        ("KFD_IOC_ALLOC_MEM_FLAGS_CONTIGUOUS_BEST_EFFORT", A::CONTIGUOUS_BEST_EFFORT.bits()),
        ("KFD_IOCTL_SVM_FLAG_HOST_ACCESS", S::HOST_ACCESS.bits()),
        ("KFD_IOCTL_SVM_FLAG_COHERENT", S::COHERENT.bits()),
        ("KFD_IOCTL_SVM_FLAG_HIVE_LOCAL", S::HIVE_LOCAL.bits()),
        ("KFD_IOCTL_SVM_FLAG_GPU_RO", S::GPU_RO.bits()),
        ("KFD_IOCTL_SVM_FLAG_GPU_EXEC", S::GPU_EXEC.bits()),
        ("KFD_IOCTL_SVM_FLAG_GPU_READ_MOSTLY", S::GPU_READ_MOSTLY.bits()),
        ("KFD_IOCTL_SVM_FLAG_GPU_ALWAYS_MAPPED", S::GPU_ALWAYS_MAPPED.bits()),
        ("KFD_IOCTL_SVM_FLAG_EXT_COHERENT", S::EXT_COHERENT.bits()),
        ("KFD_SMI_EVENT_MSG_SIZE", smi::SMI_EVENT_MSG_SIZE as u32),
    ]
}

/// Values that the header has in enums, which exist or not with the header as a whole: no `#ifdef` needed.
#[rustfmt::skip]
fn enum_values() -> Vec<(&'static str, u32)> {
    vec![
        ("KFD_IOCTL_SVM_OP_SET_ATTR", svm::SvmOp::SET_ATTR.0),
        ("KFD_IOCTL_SVM_OP_GET_ATTR", svm::SvmOp::GET_ATTR.0),
        ("KFD_IOCTL_SVM_LOCATION_UNDEFINED", svm::LOCATION_UNDEFINED),
        ("KFD_IOCTL_SVM_ATTR_PREFERRED_LOC", svm::SvmAttrType::PREFERRED_LOC.0),
        ("KFD_IOCTL_SVM_ATTR_PREFETCH_LOC", svm::SvmAttrType::PREFETCH_LOC.0),
        ("KFD_IOCTL_SVM_ATTR_ACCESS", svm::SvmAttrType::ACCESS.0),
        ("KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE", svm::SvmAttrType::ACCESS_IN_PLACE.0),
        ("KFD_IOCTL_SVM_ATTR_NO_ACCESS", svm::SvmAttrType::NO_ACCESS.0),
        ("KFD_IOCTL_SVM_ATTR_SET_FLAGS", svm::SvmAttrType::SET_FLAGS.0),
        ("KFD_IOCTL_SVM_ATTR_CLR_FLAGS", svm::SvmAttrType::CLR_FLAGS.0),
        ("KFD_IOCTL_SVM_ATTR_GRANULARITY", svm::SvmAttrType::GRANULARITY.0),
        ("KFD_SMI_EVENT_VMFAULT", smi::SmiEvent::VMFAULT.0),
        ("KFD_SMI_EVENT_THERMAL_THROTTLE", smi::SmiEvent::THERMAL_THROTTLE.0),
        ("KFD_SMI_EVENT_GPU_PRE_RESET", smi::SmiEvent::GPU_PRE_RESET.0),
        ("KFD_SMI_EVENT_GPU_POST_RESET", smi::SmiEvent::GPU_POST_RESET.0),
        ("KFD_SMI_EVENT_MIGRATE_START", smi::SmiEvent::MIGRATE_START.0),
        ("KFD_SMI_EVENT_MIGRATE_END", smi::SmiEvent::MIGRATE_END.0),
        ("KFD_SMI_EVENT_PAGE_FAULT_START", smi::SmiEvent::PAGE_FAULT_START.0),
        ("KFD_SMI_EVENT_PAGE_FAULT_END", smi::SmiEvent::PAGE_FAULT_END.0),
        ("KFD_SMI_EVENT_QUEUE_EVICTION", smi::SmiEvent::QUEUE_EVICTION.0),
        ("KFD_SMI_EVENT_QUEUE_RESTORE", smi::SmiEvent::QUEUE_RESTORE.0),
        ("KFD_SMI_EVENT_UNMAP_FROM_GPU", smi::SmiEvent::UNMAP_FROM_GPU.0),
        ("KFD_SMI_EVENT_ALL_PROCESS", smi::SmiEvent::ALL_PROCESS.0),
        ("KFD_CRIU_OP_PROCESS_INFO", criu::CriuOp::PROCESS_INFO.0),
        ("KFD_CRIU_OP_RESUME", criu::CriuOp::RESUME.0),
    ]
}

fn macros() -> impl Iterator<Item = String> {
    values().into_iter().map(|(name, _)| name.to_owned())
}

#[test]
fn values_are_those_of_the_header() {
    let header = header();
    for (name, ours) in values() {
        match header.words.get(name) {
            Some(theirs) => assert_eq!(*theirs, u64::from(ours), "{name}"),
            None => println!("not in the installed header: {name}"),
        }
    }
}

#[test]
fn values_of_enums_are_those_of_the_header() {
    let mut source = String::from("#include <linux/kfd_ioctl.h>\n");
    for (name, ours) in enum_values() {
        source += &format!("_Static_assert((unsigned int){name} == {ours}u, \"{name}\");\n");
    }
    let _ = header();
    let checked = clang().header_contents("kfd_enum_check.h", &source).generate();
    assert!(checked.is_ok(), "{:?}", checked.err());
}

#[test]
fn mmap_types_are_the_kernels() {
    // `kfd_priv.h` is no header for user space; these are its values.
    assert_eq!(mmap::offset(mmap::MmapType::DOORBELL, 0xffff_c7a6, 0), 0xf1e9_8000_0000_0000);
}
