//! The one static: open device files, the C library's functions, and the emulated GPUs once they are asked for.
//!
//! There is no lock here, lest a child of `fork` inherit one that is held: who comes first makes the devices, and
//! another who made them at the same time throws his away. A child has none, and makes its own when it opens
//! `/dev/kfd`; descriptors of its parent are `EBADF` to it, as they are with KFD.

#![allow(
    unsafe_code,
    reason = "shares the devices by pointer; registers handlers with the C library; reads C strings"
)]

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char};
use std::fs::File;
use std::io::Read as _;
use std::os::fd::FromRawFd as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

use amdgpu_emu::tree::{FIRST_CACHE, Host};
use kfd_sys::Errno;

use crate::device::Device;
use crate::files::{Files, Kind, Open};
use crate::original::{Originals, set_errno};
use crate::place::{self, Place};
use crate::say::say;
use crate::trace;

/// Longest path of a file in the tree.
const PATH: usize = 4096;
/// Bits of a generation in the table of files.
const GENERATIONS: u32 = 0xfff;

/// Everything.
pub struct State {
    /// Device files that are open.
    pub files: Files,
    /// The C library.
    pub original: Originals,
    device: AtomicPtr<Device>,
    generation: AtomicU32,
    /// The process that the table of files is of; 0 until there is a device.
    owner: AtomicU32,
    registered: AtomicBool,
    failed: AtomicBool,
}

thread_local! {
    /// This thread makes the devices: what it opens and asks for meanwhile is the host's.
    static MAKING: Cell<bool> = const { Cell::new(false) };
}

/// The state of this process.
pub static STATE: State = State {
    files: Files::new(),
    original: Originals::new(),
    device: AtomicPtr::new(std::ptr::null_mut()),
    generation: AtomicU32::new(0),
    owner: AtomicU32::new(0),
    registered: AtomicBool::new(false),
    failed: AtomicBool::new(false),
};

/// A path below the tree's folder.
pub struct InTree([u8; PATH]);

impl InTree {
    /// As a C string.
    pub fn as_ptr(&self) -> *const c_char {
        self.0.as_ptr().cast()
    }
}

/// Where a call on a path goes.
pub enum Route {
    /// To the C library, as it is.
    Elsewhere,
    /// To a device file.
    Device(Kind),
    /// To the C library, with this path instead.
    Tree(Box<InTree>),
    /// Nowhere: the tree could not be made.
    Nowhere(Errno),
}

extern "C" fn in_child() {
    STATE.device.store(std::ptr::null_mut(), Ordering::Release);
    STATE.generation.fetch_add(1, Ordering::AcqRel);
    STATE.owner.store(std::process::id(), Ordering::Release);
}

extern "C" fn at_exit() {
    if let Some(device) = STATE.present() {
        device.remove_root();
    }
}

impl State {
    /// The number of this process in the line of its forks since the devices were first made.
    pub fn generation(&self) -> u32 {
        self.generation.load(Ordering::Acquire) & GENERATIONS
    }

    fn present(&self) -> Option<&'static Device> {
        // SAFETY: the pointer is null or comes from `Box::into_raw` below, and what was published is never freed.
        unsafe { self.device.load(Ordering::Acquire).as_ref() }
    }

    /// The devices of this process.
    pub fn device(&self) -> Result<&'static Device, Errno> {
        if let Some(device) = self.present() {
            return Ok(device);
        }
        if self.failed.load(Ordering::Acquire) {
            return Err(Errno::ENODEV);
        }
        MAKING.set(true);
        let made = catch_unwind(AssertUnwindSafe(|| Device::new(&self.host())));
        MAKING.set(false);
        let device = made.unwrap_or_else(|_| Err("a bug (see above)".to_owned())).map_err(|error| {
            if !self.failed.swap(true, Ordering::AcqRel) {
                say(format_args!("no emulated GPU: {error}"));
            }
            Errno::ENODEV
        })?;
        let made = Box::into_raw(Box::new(device));
        let null = std::ptr::null_mut();
        if self.device.compare_exchange(null, made, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // SAFETY: made above, and nobody else has seen it.
            unsafe { Box::from_raw(made) }.remove_root();
        }
        if !self.registered.swap(true, Ordering::AcqRel) {
            self.owner.store(std::process::id(), Ordering::Release);
            trace::start();
            // SAFETY: both handlers are functions of this library, which is never unloaded.
            unsafe {
                libc::pthread_atfork(None, None, Some(in_child));
                libc::atexit(at_exit);
            }
        }
        self.present().ok_or(Errno::ENODEV)
    }

    /// The machine, past our own hooks.
    fn host(&self) -> Host {
        Host { modules: self.host_modules(), lacks_processors: self.lacks(FIRST_CACHE) }
    }

    /// Whether the host has nothing at that path.
    fn lacks(&self, path: &str) -> bool {
        // A path of ours has no NUL in it.
        let Ok(path) = CString::new(path) else { return false };
        // SAFETY: a C string.
        unsafe { self.original.access(path.as_ptr(), libc::F_OK) != 0 }
    }

    /// What the host says in `/proc/modules`.
    fn host_modules(&self) -> String {
        let mut text = String::new();
        let path = c"/proc/modules".as_ptr();
        // SAFETY: `open` with a C string; the descriptor is ours alone.
        let file = unsafe { self.original.open(path, libc::O_RDONLY | libc::O_CLOEXEC, 0) };
        if file >= 0 {
            // SAFETY: just opened, and nobody else owns it.
            let mut file = unsafe { File::from_raw_fd(file) };
            // A host without the file has no modules to list.
            let _ = file.read_to_string(&mut text);
        }
        text
    }

    /// Where a call on that path goes.
    ///
    /// # Safety
    /// `path` is null or a C string.
    pub unsafe fn route(&self, path: *const c_char) -> Route {
        if path.is_null() {
            return Route::Elsewhere;
        }
        // SAFETY: a C string, says the caller.
        let path = unsafe { CStr::from_ptr(path) }.to_bytes();
        if MAKING.try_with(Cell::get).unwrap_or(false) {
            return Route::Elsewhere;
        }
        let route = || match place::of(
            path,
            || self.device().map_or(0, |device| device.gpus),
            |file| self.lacks(file),
        ) {
            Place::Elsewhere => Route::Elsewhere,
            Place::Device(Kind::Drm(minor)) if !self.has_minor(minor) => self.in_tree(path),
            Place::Device(kind) => Route::Device(kind),
            Place::Tree => self.in_tree(path),
        };
        guarded(|| Ok(route())).unwrap_or_else(Route::Nowhere)
    }

    /// The same, with device files as their stand-ins in the tree.
    ///
    /// # Safety
    /// `path` is null or a C string.
    pub unsafe fn route_to_file(&self, path: *const c_char) -> (Route, Option<Kind>) {
        // SAFETY: says the caller.
        match unsafe { self.route(path) } {
            Route::Device(kind) => {
                // SAFETY: not null, else the route were another.
                let path = unsafe { CStr::from_ptr(path) }.to_bytes();
                (guarded(|| Ok(self.in_tree(path))).unwrap_or_else(Route::Nowhere), Some(kind))
            }
            other => (other, None),
        }
    }

    fn has_minor(&self, minor: u32) -> bool {
        self.render_minor(minor).is_some()
    }

    /// The render node that goes with a card or render node.
    pub fn render_minor(&self, minor: u32) -> Option<u32> {
        let first = amdgpu_emu::tree::FIRST_RENDER_MINOR;
        let minor = if minor < first { minor + first } else { minor };
        self.device().ok()?.gpu.render_minors().find(|known| *known == minor)
    }

    fn in_tree(&self, path: &[u8]) -> Route {
        use std::os::unix::ffi::OsStrExt as _;
        let device = match self.device() {
            Ok(device) => device,
            Err(errno) => return Route::Nowhere(if errno == Errno::ENODEV { Errno::ENOENT } else { errno }),
        };
        device.refresh(path);
        let root = device.root.as_os_str().as_bytes();
        let mut whole = Box::new(InTree([0; PATH]));
        if root.len() + path.len() >= PATH {
            return Route::Nowhere(Errno::ENOENT);
        }
        whole.0[..root.len()].copy_from_slice(root);
        whole.0[root.len()..root.len() + path.len()].copy_from_slice(path);
        Route::Tree(whole)
    }

    /// The tree's folder without links, if there is a tree.
    pub fn canonical_root(&self) -> Option<&'static Vec<u8>> {
        self.present().map(|device| &device.canonical)
    }

    /// The open device file with that descriptor. A descriptor whose file was closed behind our back is none.
    pub fn open_file(&self, file: i32) -> Option<Open> {
        let open = self.files.get(file)?;
        // SAFETY: all-zero is a valid value, and `fstat` writes our own struct.
        let (result, stat) = unsafe {
            let mut stat = std::mem::zeroed::<libc::stat>();
            (self.original.fstat_of(file, &mut stat), stat)
        };
        let stands_in = result == 0 && stat.st_rdev == libc::makedev(1, 3);
        if !stands_in {
            self.forget(file);
        }
        stands_in.then_some(open)
    }

    /// Does this memory belong to another process? It does in a child of `vfork`, which closes files that are its own
    /// but writes to the memory of its parent.
    fn borrowed(&self) -> bool {
        let owner = self.owner.load(Ordering::Acquire);
        owner != 0 && owner != std::process::id()
    }

    /// Remembers that `file` is a device file. False if its number is too high.
    #[must_use]
    pub fn adopt(&self, file: i32, open: Open) -> bool {
        if self.borrowed() {
            return true;
        }
        let done = self.files.set(file, open);
        if done
            && let Kind::Drm(minor) = open.kind
            && let Some(minor) = self.render_minor(minor)
            && let Ok(device) = self.device()
        {
            device.gpu.adopt_render_file(file, minor);
        }
        done
    }

    /// Forgets a descriptor.
    pub fn forget(&self, file: i32) {
        if self.files.get(file).is_none() || self.borrowed() {
            return;
        }
        if let Some(Open { kind: Kind::Drm(_), .. }) = self.files.take(file)
            && let Some(device) = self.present()
        {
            device.gpu.forget_render_file(file);
        }
    }
}

/// Runs what the device does for a call; a bug in it is `EIO`.
pub fn guarded<T>(call: impl FnOnce() -> Result<T, Errno>) -> Result<T, Errno> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or(Err(Errno::EIO))
}

/// The value of a call that returns an int: 0, or -1 with errno.
pub fn status(result: Result<(), Errno>) -> i32 {
    match result {
        Ok(()) => 0,
        Err(errno) => {
            set_errno(errno);
            -1
        }
    }
}
