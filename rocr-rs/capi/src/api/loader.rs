//! What is loaded where (`hsa_ven_amd_loader.h`): for profilers, debuggers, and HIP's look at kernel descriptors.

use std::sync::Arc;

use hsa_sys::{ExecutableHandle, LoadedCodeObjectHandle, Status};

use super::executable::{Loaded, Segment, Storage, find};
use crate::abi::SegmentDescriptor;
use crate::ffi::{Address, Each, Out, Result, Value, iterate};
use crate::state::{Session, session};

/// A callback that is given each code object of an executable.
pub type EachLoaded = Option<extern "C" fn(ExecutableHandle, LoadedCodeObjectHandle, Address) -> Status>;

/// `hsa_ven_amd_loader_code_object_storage_type_t`
fn storage_type(storage: Storage) -> u32 {
    match storage {
        Storage::File(_) => 1,
        Storage::Memory => 2,
    }
}

fn all(session: &Session) -> Vec<Arc<Loaded>> {
    session.loaded.handles().into_iter().filter_map(|handle| session.loaded.get(handle)).collect()
}

/// The code object that an address of an agent lies in.
fn at(session: &Session, address: u64) -> Result<Arc<Loaded>> {
    let inside = |loaded: &Arc<Loaded>| {
        let start = loaded.code.load_base();
        (start..start + loaded.code.load_size()).contains(&address)
    };
    all(session).into_iter().find(inside).ok_or(Status::ERROR_INVALID_ARGUMENT)
}

/// Where the program has the bytes that were loaded to an address; what comes from no memory of it (files, zeros) is where
/// it was loaded, which hosts can read as well.
pub fn host_address(address: Address, out: Out<u64>) -> Result {
    let session = session()?;
    if address == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    out.check()?;
    let loaded = at(&session, address)?;
    let stored = |segment: &&Segment| (segment.va..segment.va + segment.stored).contains(&address);
    let found = loaded.segments.iter().find(stored).filter(|_| loaded.storage == Storage::Memory);
    out.set(found.map_or(address, |segment| loaded.memory.0 + segment.offset + (address - segment.va)))
}

pub fn segments(out: Out<SegmentDescriptor>, count: Out<usize>) -> Result {
    let session = session()?;
    let room: usize = count.as_in().get()?;
    if (room == 0) != out.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let mut rows = Vec::new();
    for loaded in all(&session) {
        for segment in &loaded.segments {
            rows.push(SegmentDescriptor {
                agent: session.handle(loaded.code.agent()),
                executable: ExecutableHandle(loaded.executable),
                storage: storage_type(loaded.storage),
                storage_base: loaded.memory.0,
                storage_size: loaded.memory.1,
                storage_offset: segment.offset,
                base: segment.va,
                bytes: segment.bytes,
            });
        }
    }
    if room == 0 {
        return count.set(rows.len());
    }
    if room != rows.len() {
        return Err(Status::ERROR_INCOMPATIBLE_ARGUMENTS);
    }
    out.set_all(&rows)
}

pub fn executable(address: Address, out: Out<ExecutableHandle>) -> Result {
    let session = session()?;
    if address == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    out.check()?;
    out.set(ExecutableHandle(at(&session, address)?.executable))
}

pub fn iterate_loaded(executable: ExecutableHandle, each: EachLoaded, data: Address) -> Result {
    let session = session()?;
    let exec = find(&session, executable)?;
    let each = each.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    let handles = exec.loaded.lock().clone();
    for loaded in handles {
        match each(executable, LoadedCodeObjectHandle(loaded), data) {
            Status::SUCCESS => {}
            other => return Err(other),
        }
    }
    Ok(())
}

pub fn iterate_executables(each: Each<ExecutableHandle>, data: Address) -> Result {
    let handles = session()?.executables.handles();
    iterate(handles.into_iter().map(ExecutableHandle), each, data)
}

/// `hsa_ven_amd_loader_loaded_code_object_info_t`
pub fn info(handle: LoadedCodeObjectHandle, attribute: u32, value: Value) -> Result {
    /// `HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT`
    const OF_AGENT: u32 = 2;
    let session = session()?;
    let loaded = session.loaded.get(handle.0).ok_or(Status::ERROR_INVALID_CODE_OBJECT)?;
    value.check()?;
    match (attribute, loaded.storage) {
        (1, _) => value.set(ExecutableHandle(loaded.executable)),
        (2, _) => value.set(OF_AGENT),
        (3, _) => value.set(session.handle(loaded.code.agent())),
        (4, storage) => value.set(storage_type(storage)),
        (5, Storage::Memory) => value.set(loaded.memory.0),
        (6, Storage::Memory) => value.set(loaded.memory.1),
        (7, Storage::File(fd)) => value.set(fd),
        (8, _) => value.set(loaded.code.load_delta()),
        (9, _) => value.set(loaded.code.load_base()),
        (10, _) => value.set(loaded.code.load_size()),
        (11, _) => value.set(loaded.uri.len() as u32),
        (12, _) => value.bytes(loaded.uri.as_bytes()),
        _ => Err(Status::ERROR_INVALID_ARGUMENT),
    }
}
