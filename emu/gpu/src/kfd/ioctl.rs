//! The ioctl table: number → handler (`amdkfd_ioctls[]` of `kfd_chardev.c`), and what holds for all of them.

use kfd_sys::ioctl::Ioctl;
use kfd_sys::ioctl::{self, number};
use kfd_sys::{Errno, read_arg, write_arg};

use super::{Process, aperture, clock, debug, dmabuf, event, memory, queue, share, smi, svm, version};
use crate::drm::Shown;

type Handler = fn(&Process, &mut [u8]) -> Result<(), Errno>;

/// Runs a handler over a typed argument. As in KFD the argument goes back whether the call succeeds or not.
fn typed<A: Ioctl + std::fmt::Debug + PartialEq>(
    process: &Process,
    bytes: &mut [u8],
    handler: fn(&Process, &mut A) -> Result<(), Errno>,
) -> Result<(), Errno> {
    let mut arg = read_arg::<A>(bytes);
    let asked = arg;
    let result = handler(process, &mut arg);
    tracing::trace!(target: "amdgpu_emu::ioctl", "{} {asked:x?} -> {}{}", A::NAME, Shown(&result), Answer(&asked, &arg));
    write_arg(&arg, bytes);
    result
}

/// What a call changed in its argument, for traces.
struct Answer<'a, A>(&'a A, &'a A);

impl<A: std::fmt::Debug + PartialEq> std::fmt::Display for Answer<'_, A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 == self.1 { Ok(()) } else { write!(f, " {:x?}", self.1) }
    }
}

macro_rules! handlers {
    ($($number:ident => $handler:path;)*) => {
        const HANDLERS: &[(u32, Handler)] =
            &[$((number::$number, |process, bytes| typed(process, bytes, $handler))),*];
    };
}

handlers! {
    GET_VERSION => version::get_version;
    CREATE_QUEUE => queue::create;
    DESTROY_QUEUE => queue::destroy;
    SET_MEMORY_POLICY => aperture::set_memory_policy;
    GET_CLOCK_COUNTERS => clock::get_clock_counters;
    GET_PROCESS_APERTURES => aperture::get_process_apertures;
    UPDATE_QUEUE => queue::update;
    CREATE_EVENT => event::create;
    DESTROY_EVENT => event::destroy;
    SET_EVENT => event::set;
    RESET_EVENT => event::reset;
    WAIT_EVENTS => event::wait;
    DBG_REGISTER_DEPRECATED => debug::register;
    DBG_UNREGISTER_DEPRECATED => debug::unregister;
    DBG_ADDRESS_WATCH_DEPRECATED => debug::address_watch;
    DBG_WAVE_CONTROL_DEPRECATED => debug::wave_control;
    SET_SCRATCH_BACKING_VA => aperture::set_scratch_backing_va;
    GET_TILE_CONFIG => clock::get_tile_config;
    SET_TRAP_HANDLER => aperture::set_trap_handler;
    GET_PROCESS_APERTURES_NEW => aperture::get_process_apertures_new;
    ACQUIRE_VM => aperture::acquire_vm;
    ALLOC_MEMORY_OF_GPU => memory::alloc;
    FREE_MEMORY_OF_GPU => memory::free;
    MAP_MEMORY_TO_GPU => memory::map;
    UNMAP_MEMORY_FROM_GPU => memory::unmap;
    SET_CU_MASK => queue::set_cu_mask;
    GET_QUEUE_WAVE_STATE => queue::wave_state;
    GET_DMABUF_INFO => dmabuf::info;
    IMPORT_DMABUF => dmabuf::import;
    ALLOC_QUEUE_GWS => queue::alloc_gws;
    SMI_EVENTS => smi::events;
    SET_XNACK_MODE => aperture::set_xnack_mode;
    AVAILABLE_MEMORY => memory::available;
    EXPORT_DMABUF => dmabuf::export;
    DBG_TRAP => debug::trap;
    RUNTIME_ENABLE => version::runtime_enable;
    IPC_IMPORT_HANDLE => share::import;
    IPC_EXPORT_HANDLE => share::export;
}

/// The last number of the interface version that we are (see `version.rs`); of those behind it we have AMD's out-of-tree
/// ones that have a handler.
const NEWEST: u32 = number::DBG_TRAP;

impl Process {
    pub(crate) fn ioctl(&self, request: u32, arg: &mut [u8]) -> Result<(), Errno> {
        self.check_owner()?;
        if ioctl::base(request) != ioctl::BASE {
            return Err(Errno::ENOTTY);
        }
        let nr = ioctl::nr(request);
        if nr == number::SVM {
            let len = ioctl::size(request).min(arg.len());
            let result = svm::ioctl(self, &mut arg[..len]);
            tracing::trace!(target: "amdgpu_emu::ioctl", "SVM -> {}", Shown(&result));
            return result;
        }
        let Some((_, handler)) = HANDLERS.iter().find(|(number, _)| *number == nr) else {
            // KFD knows the number but we do nothing for it; or nobody knows it.
            let known = ioctl::by_number(nr).is_some() && nr <= NEWEST;
            let errno = if known { Errno::EINVAL } else { Errno::ENOTTY };
            let name = ioctl::name_of(request).unwrap_or("?");
            tracing::trace!(target: "amdgpu_emu::ioctl", "{name} (number {nr:#04x}) -> {errno:?}, not implemented");
            return Err(errno);
        };
        let len = ioctl::size(request).min(arg.len());
        handler(self, &mut arg[..len])
    }
}
