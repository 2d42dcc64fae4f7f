//! Managed variables: memory that host and devices share. The program's pointer must be good when its constructors
//! are done, before any device is open; devices get access when they load the code that uses it.

use crate::error::{Result, report, reported};
use crate::ffi;
use crate::module::LoadedCode;
use hip_sys::hipError_t;
use parking_lot::Mutex;
use rocr_rs::LockedMemory;

const PAGE: usize = 4096;

/// A managed variable.
pub struct Managed {
    name: String,
    storage: Box<[u128]>,
    start: u64,
    size: usize,
    locked: Mutex<Option<LockedMemory>>,
}

impl Managed {
    /// Storage for a variable with the initial bytes at `initial`.
    pub fn new(name: String, size: usize, align: usize, initial: *const std::ffi::c_void) -> Self {
        let align = align.max(PAGE).next_power_of_two();
        let whole = size.max(1).next_multiple_of(PAGE);
        let storage = vec![0u128; (whole + align) / size_of::<u128>() + 1].into_boxed_slice();
        let start = (storage.as_ptr().expose_provenance() as u64).next_multiple_of(align as u64);
        if !initial.is_null() {
            ffi::copy(start, initial.expose_provenance() as u64, size);
        }
        Self { name, storage, start, size, locked: Mutex::new(None) }
    }

    /// Where the host finds it.
    pub fn host(&self) -> u64 {
        debug_assert!(self.start >= self.storage.as_ptr().addr() as u64);
        self.start
    }

    /// Gives the device of `code` access, and tells the code where the variable is.
    pub fn bind(&self, code: &LoadedCode) -> Result {
        let mut locked = self.locked.lock();
        let memory = match &*locked {
            Some(memory) => memory,
            None => {
                let memory = code
                    .agent()
                    .runtime()
                    .lock(self.start, self.size.max(1).next_multiple_of(PAGE))
                    .map_err(|error| reported(format_args!("managed variable `{}`", self.name), &error))?;
                if let Some(hip) = crate::state::hip_if_open() {
                    hip.allocations.note_variable(self.start, self.size as u64);
                }
                locked.insert(memory)
            }
        };
        match code.variable(&self.name) {
            Ok((address, 8..)) => {
                ffi::write_bytes(address, &memory.va().to_le_bytes());
                Ok(())
            }
            Ok((_, size)) => {
                report(format_args!(
                    "managed variable `{}` has {size} bytes on the device, not a pointer's 8",
                    self.name
                ));
                Err(hipError_t::INVALID_SYMBOL)
            }
            // Not used by the code of this device.
            Err(hipError_t::NOT_FOUND) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
