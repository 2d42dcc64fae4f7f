//! The architecture of the GPU that the program uses: asked of the HIP runtime that it has loaded, by whatever name, or else
//! of the one that the loader finds.

#![allow(unsafe_code, reason = "calls two functions of the HIP runtime by their addresses")]

use hip_sys::{hipDeviceProp_tR0000, hipDeviceProp_tR0600};
use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL, Symbol};
use std::ffi::c_int;
use std::mem::MaybeUninit;

/// Only what is loaded already. `dlfcn.h`
const RTLD_NOLOAD: c_int = 4;

const NAMES: &[&str] = &["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"];

/// Such as `gfx90a:sramecc+:xnack-`; none where there is no runtime, or it has no device.
pub fn target() -> Option<String> {
    let open = |flags: c_int| {
        move |name: &&str| {
            // SAFETY: a library that is loaded already, or the HIP runtime, which a program that compiles for its GPU loads.
            unsafe { Library::open(Some(*name), flags) }.ok()
        }
    };
    let loaded = NAMES.iter().find_map(open(RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD));
    let library = loaded.or_else(|| NAMES.iter().find_map(open(RTLD_LAZY | RTLD_LOCAL)))?;
    let target = ask(&library);
    // It may have threads by now, and must stay.
    std::mem::forget(library);
    target
}

fn ask(library: &Library) -> Option<String> {
    let mut device = 0;
    // SAFETY: the prototype in hip_runtime_api.h.
    let get: Symbol<unsafe extern "C" fn(*mut c_int) -> u32> =
        unsafe { library.get(b"hipGetDevice\0") }.ok()?;
    // SAFETY: one place for one ordinal.
    if unsafe { get(&raw mut device) } != 0 {
        return None;
    }
    if let Some(found) = properties::<hipDeviceProp_tR0600>(library, b"hipGetDevicePropertiesR0600\0", device)
    {
        return text(&found.gcnArchName);
    }
    text(&properties::<hipDeviceProp_tR0000>(library, b"hipGetDeviceProperties\0", device)?.gcnArchName)
}

fn properties<T: Copy>(library: &Library, name: &[u8], device: c_int) -> Option<T> {
    // SAFETY: the prototype in hip_runtime_api.h; the callers pair the name with its struct.
    let call: Symbol<unsafe extern "C" fn(*mut T, c_int) -> u32> = unsafe { library.get(name) }.ok()?;
    let mut found = MaybeUninit::<T>::zeroed();
    // SAFETY: one place for one struct.
    if unsafe { call(found.as_mut_ptr(), device) } != 0 {
        return None;
    }
    // SAFETY: a struct of numbers and characters, which was all zero before it was filled.
    Some(unsafe { found.assume_init() })
}

fn text(characters: &[u8]) -> Option<String> {
    let end = characters.iter().position(|byte| *byte == 0)?;
    String::from_utf8(characters[..end].to_vec()).ok().filter(|text| !text.is_empty())
}
