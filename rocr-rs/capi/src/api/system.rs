//! The runtime and the system (`hsa.h` sections 2.1 to 2.3).

use std::ffi::{CStr, c_char};

use hsa_sys::{AgentHandle, Status, SystemInfo};
use rocr_rs::AgentKind;

use crate::ffi::{Address, Each, Out, Result, Value, iterate};
use crate::state::{self, Session, session};

use super::extension;

/// Version of the HSA specification's runtime.
pub const VERSION: (u16, u16) = (1, 1);
/// `HSA_MACHINE_MODEL_LARGE`
pub const MACHINE_MODEL_LARGE: u32 = 1;
const LITTLE_ENDIAN: u32 = 0;
/// `HSA_AMD_SYSTEM_INFO_BUILD_VERSION`, `…_SVM_SUPPORTED`, `…_SVM_ACCESSIBLE_BY_DEFAULT`
const BUILD_VERSION: SystemInfo = SystemInfo(0x200);
const SVM_SUPPORTED: SystemInfo = SystemInfo(0x201);
const SVM_ACCESSIBLE_BY_DEFAULT: SystemInfo = SystemInfo(0x202);

/// `HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED`, of later releases.
const DMABUF_SUPPORTED: SystemInfo = SystemInfo(0x204);
/// `HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED`, `…_XNACK_ENABLED`, too.
const VIRTUAL_MEM_API_SUPPORTED: SystemInfo = SystemInfo(0x205);
const XNACK_ENABLED: SystemInfo = SystemInfo(0x206);

pub fn init() -> Result {
    state::init()
}

pub fn shut_down() -> Result {
    state::shut_down()
}

pub fn info(attribute: SystemInfo, value: Value) -> Result {
    let session = session()?;
    value.check()?;
    match attribute {
        SystemInfo::VERSION_MAJOR => value.set(VERSION.0),
        SystemInfo::VERSION_MINOR => value.set(VERSION.1),
        SystemInfo::TIMESTAMP => value.set(session.runtime.timestamp()),
        SystemInfo::TIMESTAMP_FREQUENCY => value.set(session.runtime.timestamp_frequency()),
        SystemInfo::SIGNAL_MAX_WAIT => value.set(u64::MAX),
        SystemInfo::ENDIANNESS => value.set(LITTLE_ENDIAN),
        SystemInfo::MACHINE_MODEL => value.set(MACHINE_MODEL_LARGE),
        SystemInfo::EXTENSIONS => value.bytes(&extension::mask()),
        BUILD_VERSION => value.set(VERSION_TEXT.as_ptr()),
        SVM_SUPPORTED => value.set(session.runtime.has_svm()),
        SVM_ACCESSIBLE_BY_DEFAULT => value.set(xnack(&session)),
        VIRTUAL_MEM_API_SUPPORTED => value.set(session.runtime.has_virtual_memory()),
        XNACK_ENABLED => value.set(xnack(&session)),
        DMABUF_SUPPORTED => value.set(session.runtime.exports_dmabufs()),
        _ => Err(Status::ERROR_INVALID_ARGUMENT),
    }
}

/// Whether GPUs go on after a page fault, so that they reach what nobody gave them.
fn xnack(session: &Session) -> bool {
    let mut gpus = session.agents.iter().filter(|agent| agent.kind() == AgentKind::Gpu).peekable();
    gpus.peek().is_some() && gpus.all(|gpu| gpu.properties().xnack)
}

/// What the library says of itself.
const VERSION_TEXT: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "-rocr-rs\0").as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("a text that ends with NUL"),
    };

pub fn iterate_agents(each: Each<AgentHandle>, data: Address) -> Result {
    let session = session()?;
    iterate(session.agents.iter().map(|agent| session.handle(agent)), each, data)
}

macro_rules! texts {
    ($($status:ident: $text:literal)*) => {
        /// Each status with the name that C knows it by, and what it means.
        const TEXTS: &[(Status, &CStr)] = &[$(
            (Status::$status, match CStr::from_bytes_with_nul(
                concat!("HSA_STATUS_", stringify!($status), ": ", $text, ".\0").as_bytes()
            ) {
                Ok(text) => text,
                Err(_) => panic!("a text that ends with NUL"),
            }),
        )*];
    };
}

texts! {
    SUCCESS: "The call did what it says"
    INFO_BREAK: "A callback ended the traversal"
    ERROR: "Something without a code of its own went wrong"
    ERROR_INVALID_ARGUMENT: "An argument is outside its range"
    ERROR_INVALID_QUEUE_CREATION: "The agent cannot make a queue like that"
    ERROR_INVALID_ALLOCATION: "Memory of that size or kind cannot be had, or was not allocated here"
    ERROR_INVALID_AGENT: "The agent's handle is not valid"
    ERROR_INVALID_REGION: "The region's handle is not valid"
    ERROR_INVALID_SIGNAL: "The signal's handle is not valid"
    ERROR_INVALID_QUEUE: "The queue is not valid"
    ERROR_OUT_OF_RESOURCES: "The system or the driver has no more of what is needed"
    ERROR_INVALID_PACKET_FORMAT: "A packet is malformed"
    ERROR_RESOURCE_FREE: "A resource could not be given back"
    ERROR_NOT_INITIALIZED: "hsa_init was not called"
    ERROR_REFCOUNT_OVERFLOW: "The count of hsa_init calls is at its end"
    ERROR_INCOMPATIBLE_ARGUMENTS: "The arguments do not go together"
    ERROR_INVALID_INDEX: "The index is out of range"
    ERROR_INVALID_ISA: "The ISA's handle is not valid"
    ERROR_INVALID_ISA_NAME: "The text does not name an ISA"
    ERROR_INVALID_CODE_OBJECT: "The code object is malformed"
    ERROR_INVALID_EXECUTABLE: "The executable's handle is not valid"
    ERROR_FROZEN_EXECUTABLE: "The executable is frozen"
    ERROR_INVALID_SYMBOL_NAME: "There is no symbol of that name"
    ERROR_VARIABLE_ALREADY_DEFINED: "The variable has a definition"
    ERROR_VARIABLE_UNDEFINED: "The variable has no definition"
    ERROR_EXCEPTION: "A kernel raised an exception"
    ERROR_INVALID_CODE_SYMBOL: "The code symbol's handle is not valid"
    ERROR_INVALID_EXECUTABLE_SYMBOL: "The executable symbol's handle is not valid"
    ERROR_INVALID_FILE: "The file cannot be read"
    ERROR_INVALID_CODE_OBJECT_READER: "The code object reader's handle is not valid"
    ERROR_INVALID_CACHE: "The cache's handle is not valid"
    ERROR_INVALID_WAVEFRONT: "The wavefront's handle is not valid"
    ERROR_INVALID_SIGNAL_GROUP: "The signal group's handle is not valid"
    ERROR_INVALID_RUNTIME_STATE: "The runtime is not in a state for this call"
    ERROR_FATAL: "The queue or the runtime cannot go on"
    ERROR_INVALID_MEMORY_POOL: "The memory pool's handle is not valid"
    ERROR_MEMORY_APERTURE_VIOLATION: "An agent went beyond the limits of an aperture"
    ERROR_ILLEGAL_INSTRUCTION: "An agent met an instruction that it does not have"
    ERROR_MEMORY_FAULT: "An agent accessed memory that is not mapped for it"
    CU_MASK_REDUCED: "The mask of compute units was applied in part"
    ERROR_OUT_OF_REGISTERS: "A kernel needs more registers than a work-group of that size can have"
}

pub fn status_string(status: Status, text: Out<*const c_char>) -> Result {
    session()?;
    text.check()?;
    let found = TEXTS.iter().find(|(known, _)| *known == status).ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    text.set(found.1.as_ptr())
}
