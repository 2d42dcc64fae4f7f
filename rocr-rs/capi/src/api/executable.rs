//! Executables and code object readers (`hsa.h` section 2.9).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hsa_sys::{
    AgentHandle, CodeObjectReaderHandle, ExecutableHandle, ExecutableState, LoadedCodeObjectHandle, Status,
};
use parking_lot::Mutex;
use rocr_rs::{Agent, AgentKind, Executable, LoadedCodeObject};

use crate::ffi::{self, Address, Out, Result, Text, Value};
use crate::state::{_amdgpu_r_debug, Session, session, state};

/// Where a code object's bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// In a file.
    File(i32),
    /// In memory of the program.
    Memory,
}

/// A code object reader.
pub struct Reader {
    storage: Storage,
    /// Bytes of the program, or of the file.
    bytes: Bytes,
    /// `file://…` or `memory://…`
    uri: String,
}

enum Bytes {
    OfProgram {
        address: u64,
        len: usize,
    },
    OfFile(Vec<u8>),
    /// Kept for `hsa_code_object_t`.
    Kept(Arc<Vec<u8>>),
}

impl Reader {
    fn bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::OfProgram { address, len } => ffi::program_bytes(*address, *len),
            Bytes::OfFile(bytes) => bytes,
            Bytes::Kept(bytes) => bytes,
        }
    }
}

/// An executable.
pub struct Exec {
    /// It itself.
    pub executable: Executable,
    /// `hsa_profile_t`
    profile: u32,
    /// `hsa_default_float_rounding_mode_t`
    rounding: u32,
    /// What was defined for all agents: those names are taken.
    pub globals: Mutex<BTreeSet<String>>,
    /// Handles of its code objects, in load order.
    pub loaded: Mutex<Vec<u64>>,
    /// Handles of its symbols, by node of the agent and name.
    pub symbols: Mutex<BTreeMap<(u32, String), u64>>,
}

/// A part of a loaded code object.
pub struct Segment {
    /// First address in the agent's memory.
    pub va: u64,
    /// Bytes there.
    pub bytes: u64,
    /// Where it is in the code object, and how many of its bytes come from there.
    pub offset: u64,
    /// As many; the rest is zero.
    pub stored: u64,
}

/// A code object that was loaded.
pub struct Loaded {
    /// It itself.
    pub code: LoadedCodeObject,
    /// Handle of its executable.
    pub executable: u64,
    /// Where its bytes came from.
    pub storage: Storage,
    /// Address and number of those bytes, while they are the program's.
    pub memory: (u64, u64),
    /// Its parts.
    pub segments: Vec<Segment>,
    /// `file://…` or `memory://…`
    pub uri: String,
}

/// A symbol of an executable.
pub struct Symbol {
    /// Handle of the executable.
    pub executable: u64,
    /// What it is.
    pub kind: SymbolKind,
}

/// What a symbol is.
pub enum SymbolKind {
    /// A kernel.
    Kernel(rocr_rs::KernelSymbol),
    /// A variable.
    Variable(rocr_rs::Variable),
}

/// An executable by its handle.
pub fn find(session: &Session, handle: ExecutableHandle) -> Result<Arc<Exec>> {
    session.executables.get(handle.0).ok_or(Status::ERROR_INVALID_EXECUTABLE)
}

pub fn reader_of_memory(address: Address, len: usize, out: Out<CodeObjectReaderHandle>) -> Result {
    let session = session()?;
    // No object is longer than half the address space.
    let possible = isize::try_from(len).is_ok() && address.checked_add(len as u64).is_some();
    if address == 0 || len == 0 || !possible {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    out.check()?;
    let uri = format!("memory://{}#offset=0x{address:x}&size={len}", std::process::id());
    let reader = Reader { storage: Storage::Memory, bytes: Bytes::OfProgram { address, len }, uri };
    out.set(CodeObjectReaderHandle(session.readers.add(Arc::new(reader))))
}

pub fn reader_of_file(fd: i32, out: Out<CodeObjectReaderHandle>) -> Result {
    session()?;
    out.check()?;
    let size = ffi::file_size(fd).filter(|size| *size != 0).ok_or(Status::ERROR_INVALID_FILE)?;
    reader_of_part(fd, 0, size, false, out)
}

/// `hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size`
pub fn reader_of_file_part(fd: i32, offset: usize, size: usize, out: Out<CodeObjectReaderHandle>) -> Result {
    session()?;
    if size == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    out.check()?;
    let whole = ffi::file_size(fd).ok_or(Status::ERROR_INVALID_FILE)?;
    if (offset as u64).checked_add(size as u64).is_none_or(|end| end > whole) {
        return Err(Status::ERROR_INVALID_FILE);
    }
    reader_of_part(fd, offset as u64, size as u64, true, out)
}

fn reader_of_part(
    fd: i32,
    offset: u64,
    size: u64,
    is_part: bool,
    out: Out<CodeObjectReaderHandle>,
) -> Result {
    let session = session()?;
    let bytes = usize::try_from(size)
        .ok()
        .and_then(|size| ffi::read_file(fd, offset, size).filter(|bytes| bytes.len() == size))
        .ok_or(Status::ERROR_INVALID_FILE)?;
    let path = ffi::file_path(fd).unwrap_or_default();
    let part = if is_part { format!("#offset={offset}&size={size}") } else { String::new() };
    let uri = format!("file://{}{part}", escape(&path));
    let reader = Reader { storage: Storage::File(fd), bytes: Bytes::OfFile(bytes), uri };
    out.set(CodeObjectReaderHandle(session.readers.add(Arc::new(reader))))
}

/// A path as URIs write it: what is not a letter, a digit or one of `-._~/` as `%` and two digits.
fn escape(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text += &format!("%{byte:02X}");
        }
    }
    text
}

pub fn destroy_reader(reader: CodeObjectReaderHandle) -> Result {
    session()?.readers.remove(reader.0).map(drop).ok_or(Status::ERROR_INVALID_CODE_OBJECT_READER)
}

pub fn create(profile: u32, rounding: u32, _options: Text, out: Out<ExecutableHandle>) -> Result {
    let session = session()?;
    if profile > 1 || rounding > 2 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    out.check()?;
    let executable = Executable::new(&session.runtime);
    let exec = Exec {
        executable,
        profile,
        rounding,
        globals: Mutex::default(),
        loaded: Mutex::default(),
        symbols: Mutex::default(),
    };
    out.set(ExecutableHandle(session.executables.add(Arc::new(exec))))
}

/// `hsa_executable_create`, the older one: it may be born frozen, and so stay empty.
pub fn create_in_state(profile: u32, state: u32, options: Text, out: Out<ExecutableHandle>) -> Result {
    session()?;
    let frozen = match ExecutableState(state) {
        ExecutableState::UNFROZEN => false,
        ExecutableState::FROZEN => true,
        _ => return Err(Status::ERROR_INVALID_ARGUMENT),
    };
    create(profile, 0, options, out)?;
    if frozen {
        freeze(out.as_in().get()?, options)?;
    }
    Ok(())
}

pub fn destroy(handle: ExecutableHandle) -> Result {
    let session = session()?;
    let exec = session.executables.remove(handle.0).ok_or(Status::ERROR_INVALID_EXECUTABLE)?;
    state().code_objects.remove(&_amdgpu_r_debug, handle.0);
    session.symbols.remove_if(|symbol| symbol.executable == handle.0);
    for loaded in exec.loaded.lock().drain(..) {
        session.loaded.remove(loaded);
    }
    Ok(())
}

pub fn load(
    handle: ExecutableHandle,
    agent: AgentHandle,
    reader: CodeObjectReaderHandle,
    _options: Text,
    out: Out<LoadedCodeObjectHandle>,
) -> Result {
    let session = session()?;
    let exec = find(&session, handle)?;
    let reader = session.readers.get(reader.0).ok_or(Status::ERROR_INVALID_CODE_OBJECT_READER)?;
    let agent = session.agent(agent)?;
    let loaded = load_bytes(&session, handle.0, &exec, agent, &reader)?;
    out.set_if_wanted(LoadedCodeObjectHandle(loaded));
    Ok(())
}

fn load_bytes(session: &Session, handle: u64, exec: &Exec, agent: &Agent, reader: &Reader) -> Result<u64> {
    let bytes = reader.bytes();
    // Before anything is loaded that would have to go again. What is wrong with it, loading says.
    let object = rocr_rs::amd_codeobj::CodeObject::parse(bytes);
    let code = exec.executable.load(agent, bytes).map_err(|error| match error {
        rocr_rs::Error::IncompatibleTarget { .. } => {
            crate::state::tell(error);
            Status::ERROR_INCOMPATIBLE_ARGUMENTS
        }
        error => error.status(),
    })?;
    let segments = object.iter().flat_map(|object| object.segments()).map(|segment| Segment {
        va: segment.vaddr.wrapping_add(code.load_delta()),
        bytes: segment.memsz,
        offset: segment.file_offset,
        stored: segment.data.len() as u64,
    });
    let memory = match reader.bytes {
        Bytes::OfProgram { address, len } => (address, len as u64),
        Bytes::OfFile(_) | Bytes::Kept(_) => (0, 0),
    };
    let loaded = Loaded {
        segments: segments.collect(),
        code,
        executable: handle,
        storage: reader.storage,
        memory,
        uri: reader.uri.clone(),
    };
    let loaded = session.loaded.add(Arc::new(loaded));
    exec.loaded.lock().push(loaded);
    Ok(loaded)
}

/// Loads a code object of which the library has the bytes.
pub fn load_kept(
    session: &Session,
    handle: ExecutableHandle,
    agent: AgentHandle,
    bytes: Arc<Vec<u8>>,
) -> Result {
    let exec = find(session, handle)?;
    let agent = session.agent(agent)?;
    let (address, len) = (bytes.as_ptr().addr(), bytes.len());
    let uri = format!("memory://{}#offset=0x{address:x}&size={len}", std::process::id());
    let reader = Reader { storage: Storage::Memory, bytes: Bytes::Kept(bytes), uri };
    load_bytes(session, handle.0, &exec, agent, &reader).map(drop)
}

/// `hsa_executable_load_program_code_object`: GPUs have no such code objects.
pub fn load_for_program(
    handle: ExecutableHandle,
    reader: CodeObjectReaderHandle,
    _options: Text,
    _out: Out<LoadedCodeObjectHandle>,
) -> Result {
    let session = session()?;
    let exec = find(&session, handle)?;
    session.readers.get(reader.0).ok_or(Status::ERROR_INVALID_CODE_OBJECT_READER)?;
    if exec.executable.is_frozen() {
        return Err(Status::ERROR_FROZEN_EXECUTABLE);
    }
    Err(Status::ERROR_INVALID_CODE_OBJECT)
}

/// What its code objects are, and what the program defined, does not change any more.
pub fn freeze(handle: ExecutableHandle, _options: Text) -> Result {
    let session = session()?;
    let exec = find(&session, handle)?;
    exec.executable.freeze().map_err(|error| error.status())?;
    let handles = exec.loaded.lock().clone();
    let loaded = handles.into_iter().filter_map(|loaded| session.loaded.get(loaded));
    let list = loaded.map(|loaded| (loaded.code.load_delta(), loaded.uri.clone()));
    state().code_objects.add(&_amdgpu_r_debug, handle.0, list);
    Ok(())
}

/// `hsa_executable_validate`: 0 is valid, and nothing that loaded is not.
pub fn validate(handle: ExecutableHandle, result: Out<u32>) -> Result {
    find(&*session()?, handle)?;
    result.set(0)
}

pub fn validate_alt(handle: ExecutableHandle, _options: Text, result: Out<u32>) -> Result {
    validate(handle, result)
}

/// `hsa_executable_info_t`
pub fn info(handle: ExecutableHandle, attribute: u32, value: Value) -> Result {
    let exec = find(&*session()?, handle)?;
    value.check()?;
    match attribute {
        1 => value.set(exec.profile),
        2 => {
            let frozen = exec.executable.is_frozen();
            value.set(if frozen { ExecutableState::FROZEN } else { ExecutableState::UNFROZEN })
        }
        3 => value.set(exec.rounding),
        _ => Err(Status::ERROR_INVALID_ARGUMENT),
    }
}

/// Defines a variable of the program for all GPUs.
pub fn define_global(handle: ExecutableHandle, name: Text, address: Address) -> Result {
    let session = session()?;
    let exec = find(&session, handle)?;
    let name = name.get()?;
    if exec.executable.is_frozen() {
        return Err(Status::ERROR_FROZEN_EXECUTABLE);
    }
    let mut globals = exec.globals.lock();
    if globals.contains(&name) {
        return Err(Status::ERROR_VARIABLE_ALREADY_DEFINED);
    }
    let gpus: Vec<_> =
        session.agents.iter().filter(|agent| agent.kind() == AgentKind::Gpu).cloned().collect();
    exec.executable.define_variable_for(&gpus, &name, address, 0).map_err(|error| error.status())?;
    globals.insert(name);
    Ok(())
}

/// Defines a variable for one agent; a read-only one as well.
pub fn define_for_agent(
    handle: ExecutableHandle,
    agent: AgentHandle,
    name: Text,
    address: Address,
) -> Result {
    let session = session()?;
    let exec = find(&session, handle)?;
    let name = name.get()?;
    let agent = session.agent(agent)?;
    exec.executable.define_variable(agent, &name, address, 0).map_err(|error| error.status())
}
