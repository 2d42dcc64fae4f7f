//! Memory for another process, by a handle of 128 bits (`kfd_ipc.c` of AMD's out-of-tree driver).
//!
//! A process that gives memory out keeps a small file with a record for each part that it gave. A handle says where that
//! file is open, which record is meant, and a number that only this record has. Who takes the memory in opens record and
//! pool by `/proc`, under the rights that the host gives, takes a hold on the part (see `Pool`), and looks whether
//! the record is still there: an exporter that frees the memory erases the record first, and then looks for holds. So a
//! handle is dead once the memory was freed, and memory that was taken in stays until nobody has it, as in KFD.
//! A dma-buf ([`super::dmabuf`]) is a file with such a handle in it, that keeps the memory while it is open.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::sync::Arc;

use kfd_sys::Errno;
use kfd_sys::memory::AllocFlags;
use kfd_sys::share::{IpcExportHandleArgs, IpcImportHandleArgs};
use nix::sys::memfd::{MFdFlags, memfd_create};
use parking_lot::Mutex;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::Process;
use super::memory::{self, NewObject};
use crate::vm::{Backing, Extent, MemoryObject, Pool, Rights};

/// In the top bits of a handle's second word.
const MARK: u32 = 0xa3d;
const FILE_BITS: u32 = 20;
/// Names that the host gives to memory files of pools, and to those of records.
const POOLS: &str = "/memfd:amdgpu-emu-";
const RECORDS: &str = "/memfd:amdgpu-emu-exports";
/// `mmap` offsets of imported objects begin here, and are this far apart.
const OFFSETS: u64 = 1 << 56;
const OFFSET_STEP: u32 = 40;

/// What an exporter says of one part of its memory. All zero where there is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct Record {
    /// Never 0, and another one each time.
    number: u32,
    /// Descriptor of the pool's file.
    file: u32,
    offset: u64,
    bytes: u64,
}

const RECORD_BYTES: u64 = size_of::<Record>() as u64;

/// What this process has given out.
#[derive(Default)]
pub(crate) struct Exports(Mutex<State>);

#[derive(Default)]
struct State {
    file: Option<File>,
    /// Places of the records by the handle of the memory, and the numbers in them.
    places: BTreeMap<u64, (u32, u32)>,
    lent: Vec<Lent>,
}

/// An object that a dma-buf keeps.
struct Lent {
    object: Arc<MemoryObject>,
    /// The dma-buf's file, to see whether anybody has it open.
    watch: OwnedFd,
    /// Its own handle is gone.
    freed: bool,
}

impl State {
    fn erase(&mut self, handle: u64) {
        if let Some((place, _)) = self.places.remove(&handle)
            && let Some(file) = &self.file
        {
            // Written before, so that the file has the room.
            let _ = file.write_all_at(Record::default().as_bytes(), u64::from(place) * RECORD_BYTES);
        }
    }

    /// Forgets dma-bufs that nobody has open, and with them memory that nobody else has.
    fn reap(&mut self) {
        let (held, gone) =
            std::mem::take(&mut self.lent).into_iter().partition(|lent| Pool::is_locked(&lent.watch));
        self.lent = held;
        for Lent { object, freed, .. } in gone {
            if freed && self.lent.iter().all(|lent| lent.object.handle != object.handle) {
                self.erase(object.handle);
            }
        }
    }
}

impl Exports {
    /// The handle of an object's memory; the same each time.
    pub(super) fn give(&self, pid: u32, object: &MemoryObject) -> Result<[u32; 4], Errno> {
        let Backing::Extent(extent) = &object.backing else { return Err(Errno::EINVAL) };
        let mut state = self.0.lock();
        let State { file, places, .. } = &mut *state;
        let file = match file {
            Some(file) => file,
            None => {
                let made = memfd_create(c"amdgpu-emu-exports", MFdFlags::MFD_CLOEXEC);
                file.insert(made.map_err(|error| Errno(error as i32))?.into())
            }
        };
        let descriptor = |file: i32| {
            u32::try_from(file).ok().filter(|file| file >> FILE_BITS == 0).ok_or(Errno(libc::EMFILE))
        };
        let own = MARK << FILE_BITS | descriptor(file.as_raw_fd())?;
        if let Some((place, number)) = places.get(&object.handle) {
            return Ok([pid, own, *place, *number]);
        }
        let taken: std::collections::BTreeSet<u32> = places.values().map(|(place, _)| *place).collect();
        let place = (0..).find(|place| !taken.contains(place)).ok_or(Errno::ENOMEM)?;
        let record = Record {
            number: fastrand::u32(1..),
            file: descriptor(extent.file())?,
            offset: extent.offset(),
            bytes: extent.bytes(),
        };
        extent.share();
        let at = u64::from(place) * RECORD_BYTES;
        file.write_all_at(record.as_bytes(), at).map_err(|_| Errno::ENOMEM)?;
        places.insert(object.handle, (place, record.number));
        Ok([pid, own, place, record.number])
    }

    /// An object was freed: its handle means nothing from now on, unless a dma-buf keeps the memory.
    pub(crate) fn freed(&self, handle: u64) {
        let mut state = self.0.lock();
        state.reap();
        let mut kept = false;
        for lent in state.lent.iter_mut().filter(|lent| lent.object.handle == handle) {
            (lent.freed, kept) = (true, true);
        }
        if !kept {
            state.erase(handle);
        }
    }

    /// Keeps an object for a dma-buf, whose file `watch` is, for as long as that is open elsewhere.
    pub(super) fn lend(&self, object: &Arc<MemoryObject>, watch: OwnedFd) {
        let mut state = self.0.lock();
        state.reap();
        state.lent.push(Lent { object: Arc::clone(object), watch, freed: false });
    }

    /// Looks which dma-bufs nobody has any more.
    pub(super) fn reap(&self) {
        self.0.lock().reap();
    }

    /// How many parts have a handle.
    pub(super) fn count(&self) -> usize {
        self.0.lock().places.len()
    }
}

/// Opens a memory file that another process has open. What is not one of ours is not opened at all.
fn open(pid: u32, descriptor: u32, name: &str) -> Result<File, Errno> {
    let path = format!("/proc/{pid}/fd/{descriptor}");
    let is_ours = |path: &str| fs::read_link(path).is_ok_and(|link| link.to_string_lossy().starts_with(name));
    if !is_ours(&path) {
        return Err(Errno::EINVAL);
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_CLOEXEC | libc::O_NONBLOCK | libc::O_NOCTTY);
    let file = options.open(&path).map_err(|_| Errno::EINVAL)?;
    // The exporter may have closed it between the look and the opening, and something else has its number now.
    if is_ours(&format!("/proc/self/fd/{}", file.as_raw_fd())) { Ok(file) } else { Err(Errno::EINVAL) }
}

fn record(file: &File, place: u32, number: u32) -> Result<Record, Errno> {
    let mut record = Record::default();
    let read = file.read_exact_at(record.as_mut_bytes(), u64::from(place) * RECORD_BYTES);
    let good = read.is_ok() && number != 0 && record.number == number;
    if good { Ok(record) } else { Err(Errno::EINVAL) }
}

pub(super) fn export(process: &Process, arg: &mut IpcExportHandleArgs) -> Result<(), Errno> {
    process.device(arg.gpu_id)?;
    // Under the lock of all objects, lest another thread frees this one meanwhile and its record stays.
    let objects = process.objects.lock();
    let object = objects.by_handle.get(&arg.handle).map(|entry| &entry.object).ok_or(Errno::EINVAL)?;
    arg.share_handle = process.exports.give(process.pid, object)?;
    Ok(())
}

/// Takes in the memory that a handle means.
pub(crate) fn take(share_handle: [u32; 4]) -> Result<Extent, Errno> {
    let [pid, file, place, number] = share_handle;
    if file >> FILE_BITS != MARK {
        return Err(Errno::EINVAL);
    }
    let records = open(pid, file & ((1 << FILE_BITS) - 1), RECORDS)?;
    let found = record(&records, place, number)?;
    let pool = open(pid, found.file, POOLS)?.into();
    Pool::hold(&pool, found.offset, found.bytes)?;
    // From here on the exporter sees the hold; if it freed the memory before, the record is gone.
    if record(&records, place, number)? != found {
        return Err(Errno::EINVAL);
    }
    Pool::adopt(pool, found.offset, found.bytes)
}

/// Makes an object of memory that was taken in. Returns its handle and its offset for `mmap`.
pub(super) fn insert(
    process: &Process,
    gpu_id: u32,
    va: u64,
    share_handle: [u32; 4],
) -> Result<(u64, u64), Errno> {
    let device = process.bound_device(gpu_id)?;
    let extent = take(share_handle)?;
    memory::check_range(va, extent.bytes())?;
    let made = NewObject {
        va,
        bytes: extent.bytes(),
        rights: Rights { write: true, execute: true, ..Rights::default() },
        backing: Backing::Extent(extent),
        doubled: false,
    };
    made.insert(process, device, |number| OFFSETS + (u64::from(number) << OFFSET_STEP))
}

pub(super) fn import(process: &Process, arg: &mut IpcImportHandleArgs) -> Result<(), Errno> {
    (arg.handle, arg.mmap_offset) = insert(process, arg.gpu_id, arg.va_addr, arg.share_handle)?;
    let flags = AllocFlags::VRAM | AllocFlags::PUBLIC | AllocFlags::WRITABLE | AllocFlags::EXECUTABLE;
    arg.flags = flags.bits();
    Ok(())
}
