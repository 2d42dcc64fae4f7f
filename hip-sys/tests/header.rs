//! The installed HIP headers, read by libclang, against this crate: layouts of structs, values and names of
//! enumerators.

use hip_sys::*;
use std::collections::BTreeMap;
use std::path::Path;

/// What libclang found in the header.
struct Header {
    major: Major,
    /// struct name → (size, field → offset)
    structs: BTreeMap<String, (usize, BTreeMap<String, usize>)>,
    /// enumerator or macro → value
    values: BTreeMap<String, i64>,
}

/// The installed headers, and those of other versions in the folders that `ROCRS_HIP_HEADERS` names, with `:` between them.
fn headers() -> Vec<Header> {
    let more = std::env::var_os("ROCRS_HIP_HEADERS").unwrap_or_default();
    let more = std::env::split_paths(&more).filter(|folder| !folder.as_os_str().is_empty());
    std::iter::once("/usr/include".into()).chain(more).map(|folder| header(&folder)).collect()
}

fn major(folder: &Path) -> Major {
    let path = folder.join("hip/hip_version.h");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let line =
        text.lines().find_map(|line| line.strip_prefix("#define HIP_VERSION_MAJOR")).expect("a version");
    Major::of_soname(&format!("lib.so.{}", line.trim())).expect("a number")
}

fn header(folder: &Path) -> Header {
    let path = folder.join("hip/hip_runtime_api.h");
    assert!(path.exists(), "no {}; to install it: apt-get install -y libamdhip64-dev", path.display());
    let path = path.display();
    let text = std::panic::catch_unwind(|| {
        bindgen::Builder::default()
            .header_contents("all.h", "#include <hip/hip_runtime_api.h>\n")
            .clang_args(["-D__HIP_PLATFORM_AMD__", "-xc", &format!("-I{}", folder.display())])
            .allowlist_type("hip.*|HIP.*|textureReference")
            .allowlist_var("hip.*|HIP_.*")
            .layout_tests(true)
            .formatter(bindgen::Formatter::None)
            .generate()
            .map(|bindings| bindings.to_string())
    });
    let Ok(Ok(text)) = text else {
        panic!("libclang does not read {path}; to install it: apt-get install -y libclang1-19");
    };
    let mut found = Header { major: major(folder), structs: BTreeMap::new(), values: BTreeMap::new() };
    for piece in text.split("[\"").skip(1) {
        let Some((what, rest)) = piece.split_once("\"]") else { continue };
        let Some(number) = rest.rsplit_once("usize").map(|(before, _)| before) else { continue };
        let Some(number) = number.split(" - ").nth(1) else { continue };
        let Ok(number) =
            number.trim_end_matches("usize").split("usize").next().unwrap().trim().parse::<usize>()
        else {
            continue;
        };
        if let Some(name) = what.strip_prefix("Size of ") {
            found.structs.entry(name.to_owned()).or_default().0 = number;
        } else if let Some(path) = what.strip_prefix("Offset of field: ")
            && let Some((name, field)) = path.split_once("::")
        {
            found.structs.entry(name.to_owned()).or_default().1.insert(field.to_owned(), number);
        }
    }
    for piece in text.split("pub const ").skip(1) {
        let Some((name, rest)) = piece.split_once(':') else { continue };
        let Some((_, value)) = rest.split_once('=') else { continue };
        let Some((value, _)) = value.split_once(';') else { continue };
        let Ok(value) = value.trim().parse::<i64>() else { continue };
        let name = name.trim();
        let enumerator = name.find("_hip").or(name.find("_HIP")).map_or(name, |at| &name[at + 1..]);
        found.values.insert(enumerator.to_owned(), value);
    }
    found
}

#[test]
fn structs_are_laid_out_as_in_the_header() {
    for header in headers() {
        structs(&header);
    }
}

fn structs(header: &Header) {
    let compare = |name: &str, size: usize, ours: &[(&str, usize)]| {
        let (found, fields) =
            header.structs.get(name).unwrap_or_else(|| panic!("{name} in the header of {:?}", header.major));
        assert_eq!(*found, size, "size of {name} in {:?}", header.major);
        for (field, offset) in ours {
            // HIP 6 renamed the one; the other is a word of Rust.
            let alias = if matches!(*field, "memoryType" | "r#type") { "type_" } else { field };
            let found = fields.get(*field).or_else(|| fields.get(alias));
            // What is reserved becomes fields with time; a handle type became a nameless union with its plural.
            if header.major > Major::Five
                && (field.starts_with("reserved") || *field == "requestedHandleType")
            {
                continue;
            }
            assert_eq!(found, Some(offset), "{name}::{field} in {:?}", header.major);
        }
    };
    macro_rules! check {
        ($($ours:ident = $theirs:literal),* $(,)?) => {
            $(compare($theirs, size_of::<$ours>(), $ours::FIELDS);)*
        };
    }
    if header.major == Major::Five {
        check! {
            hipDeviceProp_tR0000 = "hipDeviceProp_t",
            hipMemAllocationPropR0000 = "hipMemAllocationProp",
            hipArray = "hipArray",
            HIP_MEMCPY3DR0000 = "HIP_MEMCPY3D",
        }
    } else {
        check! {
            hipDeviceProp_tR0600 = "hipDeviceProp_tR0600",
            hipMemAllocationProp = "hipMemAllocationProp",
            HIP_MEMCPY3D = "HIP_MEMCPY3D",
        }
    }
    check! {
        hipFuncAttributes = "hipFuncAttributes",
        hipPointerAttribute_t = "hipPointerAttribute_t",
        hipLaunchParams = "hipLaunchParams_t",
        hipExtent = "hipExtent",
        hipPos = "hipPos",
        hipPitchedPtr = "hipPitchedPtr",
        hipMemcpy3DParms = "hipMemcpy3DParms",
        hip_Memcpy2D = "hip_Memcpy2D",
        hipUUID = "hipUUID_t",
        hipKernelNodeParams = "hipKernelNodeParams",
        hipMemsetParams = "hipMemsetParams",
        hipHostNodeParams = "hipHostNodeParams",
        hipMemLocation = "hipMemLocation",
        hipMemAccessDesc = "hipMemAccessDesc",
        hipMemPoolProps = "hipMemPoolProps",
        hipIpcEventHandle_t = "hipIpcEventHandle_st",
        hipIpcMemHandle_t = "hipIpcMemHandle_st",
        hipChannelFormatDesc = "hipChannelFormatDesc",
        HIP_ARRAY_DESCRIPTOR = "HIP_ARRAY_DESCRIPTOR",
        HIP_ARRAY3D_DESCRIPTOR = "HIP_ARRAY3D_DESCRIPTOR",
        hipResourceDesc = "hipResourceDesc",
        HIP_RESOURCE_DESC = "HIP_RESOURCE_DESC_st",
        hipTextureDesc = "hipTextureDesc",
        HIP_TEXTURE_DESC = "HIP_TEXTURE_DESC_st",
        hipResourceViewDesc = "hipResourceViewDesc",
        HIP_RESOURCE_VIEW_DESC = "HIP_RESOURCE_VIEW_DESC_st",
        textureReference = "textureReference",
    }
}

#[test]
fn values_are_those_of_the_header() {
    for header in headers() {
        values(&header);
    }
}

fn values(header: &Header) {
    let mut compared = 0;
    let mut check = |name: &str, value: u32| {
        // HIP 5 writes this bit as 0x16, three bits of which two are others'.
        let mistaken = name == "hipDeviceLmemResizeToMax" && header.major == Major::Five;
        if let Some(theirs) = header.values.get(name).filter(|_| !mistaken) {
            assert_eq!(*theirs as u32, value, "{name} in {:?}", header.major);
            compared += 1;
        }
    };
    for error in hipError_t::ALL {
        check(error.name().to_str().unwrap(), error.0);
    }
    for (attribute, name) in hipDeviceAttribute_t::ALL {
        check(name, attribute.0);
    }
    macro_rules! renumbered {
        ($($values:ident),*) => {$(
            for (value, name) in $values::NAMED {
                check(name, value.number(header.major));
                // HIP 7 added this one.
                let known = header.values.contains_key(*name) || *name == "hipGraphNodeTypeBatchMemOp";
                assert!(value.is_in(header.major) <= known, "{name} in {:?}", header.major);
            }
        )*};
    }
    renumbered!(hipMemoryType, hipGraphNodeType);
    macro_rules! each {
        ($($values:ident),*) => {$(for (value, name) in $values::ALL { check(name, value.0); })*};
    }
    each!(
        hipPointer_attribute,
        hipLimit_t,
        hipFuncCache_t,
        hipSharedMemConfig,
        hipFuncAttribute,
        hipFunction_attribute,
        hipDeviceP2PAttr,
        hipStreamCaptureStatus,
        StreamFlags,
        EventFlags,
        DeviceFlags,
        hipMemcpyKind,
        HostMallocFlags,
        HostRegisterFlags,
        DeviceMallocFlags,
        MemAttachFlags,
        hipMemoryAdvise,
        hipMemPoolAttr,
        hipGraphExecUpdateResult,
        hipStreamCaptureMode,
        hipStreamUpdateCaptureDependenciesFlags,
        hipMemLocationType,
        hipMemAllocationType,
        hipMemAllocationHandleType,
        hipMemAccessFlags,
        hipMemAllocationGranularity_flags,
        hipChannelFormatKind,
        hipArray_Format,
        ArrayFlags,
        hipResourceType,
        hipTextureAddressMode,
        hipTextureFilterMode,
        hipTextureReadMode,
        TextureFlags,
        hipResourceViewFormat
    );
    assert!(compared > 250, "only {compared} values were found in the header");
}

#[test]
fn every_error_of_the_header_has_its_name_here() {
    for header in headers() {
        let errors =
            header.values.iter().filter(|(name, _)| name.starts_with("hipError") && *name != "hipErrorTbd");
        for (name, value) in errors {
            let ours = hipError_t(u32::try_from(*value).unwrap());
            assert!(hipError_t::ALL.contains(&ours), "{name} = {value} has no row ({:?})", header.major);
        }
    }
}
