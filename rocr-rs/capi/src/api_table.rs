//! The tables of functions that tools intercept (`hsa_api_trace.h`): what each exported function calls through.
//!
//! The structs with a slot for each function are generated from the rows of [`exports`](crate::exports); this file has
//! what they are made of, and the root that a tool is given. Layout and versions are those of the header of ROCm 5.2.3
//! (major version 1); functions that are newer follow at the end, and the minor version, which is the
//! table's size, says so. Headers since 5.5 have put some in between, so that tools built with those, up to 5.7 with the
//! same major version, read other functions than they mean behind `hsa_amd_memory_async_copy`; from 6.1 on the major
//! version tells them that this is another table.

#![allow(unsafe_code, reason = "calls functions whose addresses a tool put into a table")]

use std::marker::PhantomData;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// `HSA_API_TABLE_MAJOR_VERSION`; a tool's `OnLoad` is given it as the runtime's version.
pub const MAJOR: u32 = 1;
/// `HSA_TOOLS_API_TABLE_MAJOR_VERSION`
const TOOLS_MAJOR: u32 = 1;

/// `ApiTableVersion`
#[repr(C)]
pub struct Version {
    /// 0: there is nothing behind the functions, as with the vendor's finalizer.
    major: AtomicU32,
    /// Bytes of the table.
    minor: AtomicU32,
    step: AtomicU32,
    reserved: AtomicU32,
}

impl Version {
    /// Of a table of that many bytes.
    pub const fn new(major: u32, bytes: usize) -> Self {
        Self {
            major: AtomicU32::new(major),
            minor: AtomicU32::new(if major == 0 { 0 } else { bytes as u32 }),
            step: AtomicU32::new(0),
            reserved: AtomicU32::new(0),
        }
    }

    /// As `new` makes it.
    pub fn reset(&self, major: u32, bytes: usize) {
        let Self { major, minor, step, reserved } = Self::new(major, bytes);
        for (part, value) in
            [(&self.major, major), (&self.minor, minor), (&self.step, step), (&self.reserved, reserved)]
        {
            part.store(value.into_inner(), Ordering::Relaxed);
        }
    }
}

/// A place for the address of a function of type `F`. Tools write it with plain stores while programs call.
#[repr(transparent)]
pub struct Slot<F>(AtomicPtr<()>, PhantomData<F>);

impl<F: Copy> Slot<F> {
    /// With a function in it, which must be an `F`.
    pub const fn new(function: *const ()) -> Self {
        const { assert!(size_of::<F>() == size_of::<*const ()>()) };
        Self(AtomicPtr::new(function.cast_mut()), PhantomData)
    }

    /// Puts a function in, which must be an `F`.
    pub fn set(&self, function: *const ()) {
        self.0.store(function.cast_mut(), Ordering::Relaxed);
    }

    /// The function; none where a tool has put null.
    #[inline]
    pub fn get(&self) -> Option<F> {
        let function = self.0.load(Ordering::Relaxed);
        // SAFETY: `F` is a function pointer, as long as a pointer; what is in the slot is the function that this
        // library put there, an `F`, or one of a tool, which the header's contract makes an `F`.
        (!function.is_null()).then(|| unsafe { std::mem::transmute_copy::<*mut (), F>(&function) })
    }
}

/// A table in a root: its address. Null before the first `hsa_init`.
#[repr(transparent)]
pub struct Child<T>(AtomicPtr<T>);

impl<T> Child<T> {
    const fn new() -> Self {
        Self(AtomicPtr::new(std::ptr::null_mut()))
    }

    fn set(&self, table: &'static T) {
        self.0.store((&raw const *table).cast_mut(), Ordering::Relaxed);
    }
}

/// `ToolsApiTable`, newer than 5.2.3: callbacks that tell of scratch memory. This library tells nothing, and so has room
/// for none.
#[repr(C)]
pub struct ToolsApiTable {
    version: Version,
}

impl ToolsApiTable {
    /// An empty one.
    pub(crate) const fn new() -> Self {
        Self { version: Version::new(TOOLS_MAJOR, size_of::<Self>()) }
    }
}

/// `HsaApiTable`: what a tool's `OnLoad` is given.
#[repr(C)]
pub struct Root {
    version: Version,
    core: Child<crate::exports::CoreApiTable>,
    amd_ext: Child<crate::exports::AmdExtTable>,
    finalizer_ext: Child<crate::exports::FinalizerExtTable>,
    image_ext: Child<crate::exports::ImageExtTable>,
    // Newer than 5.2.3.
    tools: Child<ToolsApiTable>,
    pc_sampling_ext: Child<crate::exports::PcSamplingExtTable>,
}

impl Root {
    /// One that has no tables yet.
    pub(crate) const fn new() -> Self {
        Self {
            version: Version::new(MAJOR, size_of::<Self>()),
            core: Child::new(),
            amd_ext: Child::new(),
            finalizer_ext: Child::new(),
            image_ext: Child::new(),
            tools: Child::new(),
            pc_sampling_ext: Child::new(),
        }
    }

    /// Points at the tables, as before any tool.
    pub fn reset(&self, tables: &'static crate::exports::Tables) {
        self.version.reset(MAJOR, size_of::<Self>());
        self.core.set(&tables.core);
        self.amd_ext.set(&tables.amd_ext);
        self.finalizer_ext.set(&tables.finalizer_ext);
        self.image_ext.set(&tables.image_ext);
        self.tools.set(&tables.tools);
        self.pc_sampling_ext.set(&tables.pc_sampling_ext);
    }
}
