//! From errors of the layers below to `hipError_t`, and the lines on stderr that say what a number cannot.

use hip_sys::hipError_t;
use std::fmt::Display;
use std::io::Write;

/// What the bodies of calls return.
pub type Result<T = ()> = std::result::Result<T, hipError_t>;

/// Writes one message to stderr, whole; nothing with `AMD_LOG_LEVEL=0`.
pub fn report(message: impl Display) {
    if crate::state::is_silent() {
        return;
    }
    let text = format!("hip-rt: {message}\n");
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// The `hipError_t` of an error of the HSA runtime.
pub fn of_runtime(error: &rocr_rs::Error) -> hipError_t {
    use rocr_rs::Error;
    match error {
        Error::InvalidArgument { .. } => hipError_t::INVALID_VALUE,
        Error::Allocation { .. } => hipError_t::OUT_OF_MEMORY,
        Error::UnknownAddress { .. } => hipError_t::INVALID_VALUE,
        Error::QueueCreation { .. } => hipError_t::OUT_OF_MEMORY,
        Error::QueueInactive(error) => of_queue(error),
        Error::SymbolNotFound { .. } => hipError_t::NOT_FOUND,
        Error::UndefinedSymbol { .. } | Error::DuplicateSymbol { .. } => {
            hipError_t::SHARED_OBJECT_SYMBOL_NOT_FOUND
        }
        Error::CodeObject(_) => hipError_t::INVALID_KERNEL_FILE,
        Error::IncompatibleTarget { .. } => hipError_t::NO_BINARY_FOR_GPU,
        _ => hipError_t::UNKNOWN,
    }
}

/// The `hipError_t` of a queue that stopped.
pub fn of_queue(error: &rocr_rs::QueueError) -> hipError_t {
    use rocr_rs::QueueErrorKind;
    match error.kind {
        QueueErrorKind::MemoryFault | QueueErrorKind::ApertureViolation => hipError_t::ILLEGAL_ADDRESS,
        QueueErrorKind::OutOfScratch
        | QueueErrorKind::OutOfRegisters
        | QueueErrorKind::InvalidGroupMemory => hipError_t::LAUNCH_OUT_OF_RESOURCES,
        QueueErrorKind::InvalidDimension | QueueErrorKind::WorkgroupTooLarge => {
            hipError_t::INVALID_CONFIGURATION
        }
        _ => hipError_t::LAUNCH_FAILURE,
    }
}

/// Reports an error of the HSA runtime with what was tried, and gives its number.
pub fn reported(what: impl Display, error: &rocr_rs::Error) -> hipError_t {
    report(format_args!("{what}: {error}"));
    of_runtime(error)
}

/// A kernel's name as the source has it, or the symbol where it is no mangled name.
pub fn readable(symbol: &str) -> String {
    cpp_demangle::Symbol::new(symbol)
        .ok()
        .and_then(|name| name.demangle().ok())
        .filter(|name| name != symbol)
        .unwrap_or_else(|| symbol.to_owned())
}
