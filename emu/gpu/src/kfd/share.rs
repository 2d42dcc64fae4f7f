//! Memory for another process, by a handle of 128 bits (`kfd_ipc.c` of AMD's out-of-tree driver).
//!
//! A process that gives memory out keeps a small file with a record for each part that it gave. A handle says where that
//! file is open, which record is meant, and a number that only this record has. Who takes the memory in opens record and
//! pool by `/proc`, under the rights that the host gives, takes a hold on the part (see `Pool`), and looks whether
//! the record is still there: an exporter that frees the memory erases the record first, and then looks for holds. So a
//! handle is dead once the memory was freed, and memory that was taken in stays until nobody has it, as in KFD.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};

use kfd_sys::Errno;
use kfd_sys::memory::AllocFlags;
use kfd_sys::share::{IpcExportHandleArgs, IpcImportHandleArgs};
use nix::sys::memfd::{MFdFlags, memfd_create};
use parking_lot::Mutex;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::Process;
use super::memory::{self, NewObject};
use crate::vm::{Backing, MemoryObject, Pool, Rights};

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
pub(super) struct Exports(Mutex<State>);

#[derive(Default)]
struct State {
    file: Option<File>,
    /// Places of the records by the handle of the memory, and the numbers in them.
    places: BTreeMap<u64, (u32, u32)>,
}

impl Exports {
    /// The handle of an object's memory; the same each time.
    fn give(&self, pid: u32, object: &MemoryObject) -> Result<[u32; 4], Errno> {
        let Backing::Extent(extent) = &object.backing else { return Err(Errno::EINVAL) };
        let mut state = self.0.lock();
        let State { file, places } = &mut *state;
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

    /// How many parts have a handle.
    pub(super) fn count(&self) -> usize {
        self.0.lock().places.len()
    }

    /// Makes the handle of a memory object, if it has one, mean nothing: called before its memory is given back.
    pub(super) fn revoke(&self, handle: u64) {
        let mut state = self.0.lock();
        let State { file, places } = &mut *state;
        if let Some((place, _)) = places.remove(&handle)
            && let Some(file) = file
        {
            // Written before, so that the file has the room.
            let _ = file.write_all_at(Record::default().as_bytes(), u64::from(place) * RECORD_BYTES);
        }
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

pub(super) fn import(process: &Process, arg: &mut IpcImportHandleArgs) -> Result<(), Errno> {
    let device = process.bound_device(arg.gpu_id)?;
    let [pid, file, place, number] = arg.share_handle;
    if file >> FILE_BITS != MARK {
        return Err(Errno::EINVAL);
    }
    let records = open(pid, file & ((1 << FILE_BITS) - 1), RECORDS)?;
    let found = record(&records, place, number)?;
    memory::check_range(arg.va_addr, found.bytes)?;
    let pool = open(pid, found.file, POOLS)?.into();
    Pool::hold(&pool, found.offset, found.bytes)?;
    // From here on the exporter sees the hold; if it freed the memory before, the record is gone.
    if record(&records, place, number)? != found {
        return Err(Errno::EINVAL);
    }
    let extent = Pool::adopt(pool, found.offset, found.bytes)?;
    let flags = AllocFlags::VRAM | AllocFlags::PUBLIC | AllocFlags::WRITABLE | AllocFlags::EXECUTABLE;
    let made = NewObject {
        va: arg.va_addr,
        bytes: found.bytes,
        rights: Rights { write: true, execute: true },
        backing: Backing::Extent(extent),
        doubled: false,
    };
    let offset = |number: u32| OFFSETS + (u64::from(number) << OFFSET_STEP);
    (arg.handle, arg.mmap_offset) = made.insert(process, device, offset)?;
    arg.flags = flags.bits();
    Ok(())
}
