//! The installed HIP headers, read by libclang, against this crate: layouts of structs, values and names of
//! enumerators.

use hip_sys::*;
use std::collections::BTreeMap;
use std::path::Path;

/// What libclang found in the header.
struct Header {
    /// struct name → (size, field → offset)
    structs: BTreeMap<String, (usize, BTreeMap<String, usize>)>,
    /// enumerator or macro → value
    values: BTreeMap<String, i64>,
}

fn header() -> Header {
    let path = "/usr/include/hip/hip_runtime_api.h";
    assert!(Path::new(path).exists(), "no {path}; to install it: apt-get install -y libamdhip64-dev");
    let text = std::panic::catch_unwind(|| {
        bindgen::Builder::default()
            .header_contents("all.h", "#include <hip/hip_runtime_api.h>\n")
            .clang_args(["-D__HIP_PLATFORM_AMD__", "-xc"])
            .allowlist_type("hip.*")
            .allowlist_var("hip.*")
            .layout_tests(true)
            .formatter(bindgen::Formatter::None)
            .generate()
            .map(|bindings| bindings.to_string())
    });
    let Ok(Ok(text)) = text else {
        panic!("libclang does not read {path}; to install it: apt-get install -y libclang1-19");
    };
    let mut found = Header { structs: BTreeMap::new(), values: BTreeMap::new() };
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
    let header = header();
    macro_rules! check {
        ($($ours:ident = $theirs:literal),* $(,)?) => {$({
            let (size, fields) = header.structs.get($theirs).unwrap_or_else(|| panic!("{} in the header", $theirs));
            assert_eq!(*size, size_of::<$ours>(), "size of {}", $theirs);
            for (field, offset) in $ours::FIELDS {
                // The architecture word is a bit field, of which libclang tells no offset through a name of ours.
                assert_eq!(fields.get(*field), Some(offset), "{}::{field}", $theirs);
            }
        })*};
    }
    check! {
        hipDeviceProp_tR0000 = "hipDeviceProp_t",
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
        hipMemAllocationProp = "hipMemAllocationProp",
        hipIpcMemHandle_t = "hipIpcMemHandle_st",
    }
}

#[test]
fn values_are_those_of_the_header() {
    let header = header();
    let mut compared = 0;
    let mut check = |name: &str, value: u32| {
        if let Some(theirs) = header.values.get(name) {
            assert_eq!(*theirs as u32, value, "{name}");
            compared += 1;
        }
    };
    for error in hipError_t::ALL {
        check(error.name().to_str().unwrap(), error.0);
    }
    for (attribute, name) in hipDeviceAttribute_t::ALL {
        check(name, attribute.0);
    }
    macro_rules! each {
        ($($values:ident),*) => {$(for (value, name) in $values::ALL { check(name, value.0); })*};
    }
    each!(
        hipMemoryType,
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
        hipGraphNodeType,
        hipGraphExecUpdateResult,
        hipStreamCaptureMode,
        hipStreamUpdateCaptureDependenciesFlags,
        hipMemLocationType,
        hipMemAllocationType,
        hipMemAllocationHandleType,
        hipMemAccessFlags,
        hipMemAllocationGranularity_flags
    );
    assert!(compared > 250, "only {compared} values were found in the header");
}

#[test]
fn every_error_of_the_header_has_its_name_here() {
    let header = header();
    for (name, value) in
        header.values.iter().filter(|(name, _)| name.starts_with("hipError") && *name != "hipErrorTbd")
    {
        let ours = hipError_t(u32::try_from(*value).unwrap());
        assert!(hipError_t::ALL.contains(&ours), "{name} = {value} has no row");
    }
}
