//! Extensions and their tables of functions (`hsa.h` section 2.3, `hsa_ven_amd_loader.h`, `hsa_ext_image.h`).

use std::ffi::{CStr, c_char};

use hsa_sys::{AgentHandle, Status};
use rocr_rs::AgentKind;

use crate::exports;
use crate::ffi::{Out, Result};
use crate::state::session;

/// An extension, by `hsa_extension_t`.
struct Extension {
    number: u16,
    name: &'static CStr,
    /// Version 1.x is there, and has a bit in the masks.
    table: Option<fn() -> Vec<usize>>,
    /// Functions of its table by minor version.
    lengths: &'static [usize],
}

const EXTENSIONS: &[Extension] = &[
    Extension { number: 0, name: c"HSA_EXTENSION_FINALIZER", table: None, lengths: &[] },
    Extension { number: 1, name: c"HSA_EXTENSION_IMAGES", table: Some(exports::image_table), lengths: &[10] },
    Extension { number: 2, name: c"HSA_EXTENSION_PERFORMANCE_COUNTERS", table: None, lengths: &[] },
    Extension { number: 3, name: c"HSA_EXTENSION_PROFILING_EVENTS", table: None, lengths: &[] },
    Extension { number: 0x200, name: c"HSA_EXTENSION_AMD_PROFILER", table: None, lengths: &[] },
    Extension {
        number: 0x201,
        name: c"HSA_EXTENSION_AMD_LOADER",
        table: Some(exports::loader_table),
        lengths: &[3, 5, 6, 7],
    },
    Extension { number: 0x202, name: c"HSA_EXTENSION_AMD_AQLPROFILE", table: None, lengths: &[] },
];

fn extension(number: u16) -> Result<&'static Extension> {
    EXTENSIONS.iter().find(|e| e.number == number).ok_or(Status::ERROR_INVALID_ARGUMENT)
}

/// Bytes of the masks in `HSA_SYSTEM_INFO_EXTENSIONS` and `HSA_AGENT_INFO_EXTENSIONS`.
const MASK_BYTES: usize = 128;

/// The extensions that are there, a bit each.
pub fn mask() -> [u8; MASK_BYTES] {
    let mut mask = [0; MASK_BYTES];
    for there in EXTENSIONS.iter().filter(|e| e.table.is_some()) {
        mask[usize::from(there.number / 8)] |= 1 << (there.number % 8);
    }
    mask
}

pub fn name(number: u16, name: Out<*const c_char>) -> Result {
    session()?;
    name.check()?;
    name.set(extension(number)?.name.as_ptr())
}

pub fn system_supports(number: u16, major: u16, minor: u16, result: Out<bool>) -> Result {
    session()?;
    result.check()?;
    let lengths = extension(number)?.lengths;
    // Nothing is older than version 1.0.
    result.set(match major {
        0 => !lengths.is_empty(),
        1 => usize::from(minor) < lengths.len(),
        _ => false,
    })
}

pub fn system_supports_major(number: u16, major: u16, minor: Out<u16>, result: Out<bool>) -> Result {
    session()?;
    minor.check()?;
    result.check()?;
    let lengths = extension(number).map_or(&[][..], |e| e.lengths);
    let latest = lengths.len().checked_sub(1).filter(|_| major == 1);
    if let Some(latest) = latest {
        minor.set(latest as u16)?;
    }
    result.set(latest.is_some())
}

pub fn agent_supports(number: u16, agent: AgentHandle, major: u16, minor: u16, result: Out<bool>) -> Result {
    let session = session()?;
    result.check()?;
    let gpu = session.agent(agent)?.kind() == AgentKind::Gpu;
    system_supports(number, major, minor, result)?;
    if !gpu {
        result.set(false)?;
    }
    Ok(())
}

pub fn agent_supports_major(
    number: u16,
    agent: AgentHandle,
    major: u16,
    minor: Out<u16>,
    result: Out<bool>,
) -> Result {
    let session = session()?;
    minor.check()?;
    result.check()?;
    let gpu = session.agent(agent)?.kind() == AgentKind::Gpu;
    extension(number)?;
    system_supports_major(number, major, minor, result)?;
    if !gpu {
        result.set(false)?;
    }
    Ok(())
}

pub fn table(number: u16, major: u16, minor: u16, table: Out<usize>) -> Result {
    session()?;
    table.check()?;
    let wrong = Status::ERROR_INVALID_ARGUMENT;
    let found = extension(number)?;
    let length = found.lengths.get(usize::from(minor)).filter(|_| major == 1).ok_or(wrong)?;
    table.set_all(&found.table.ok_or(wrong)?()[..*length])
}

pub fn major_table(number: u16, major: u16, bytes: usize, table: Out<usize>) -> Result {
    session()?;
    table.check()?;
    if bytes == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let known = EXTENSIONS.iter().find(|e| e.number == number);
    let functions = known.and_then(|e| e.table).filter(|_| major == 1).ok_or(Status::ERROR)?();
    table.set_all(&functions[..functions.len().min(bytes / size_of::<usize>())])
}
