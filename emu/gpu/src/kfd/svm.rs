//! Shared virtual memory (`kfd_svm.c`): attributes of ranges of the program's memory, and the mappings that follow from
//! them. A GPU that may reach a range has it mapped from then on, as KFD does without XNACK; with XNACK, where KFD maps what is
//! touched, too. Nothing migrates: there is no other place that would be faster. So locations are remembered and told,
//! and no event tells of a migration. Attributes stay when the program unmaps the memory, until it sets others.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kfd_sys::svm::{self, LOCATION_UNDEFINED, SvmArgs, SvmAttrType, SvmAttribute, SvmFlags, SvmOp};
use kfd_sys::{Errno, read_arg};
use parking_lot::Mutex;
use zerocopy::IntoBytes as _;

use super::Process;
use crate::vm::{Backing, Mapping, MemoryObject, PAGE, PageTable, Rights, host_range_exists};

/// Handles of the memory of ranges, which are none of KFD's.
const HANDLES: u64 = 1 << 62;
/// Most of `GRANULARITY`, a power of two of pages.
const MAX_GRANULARITY: u32 = 0x3f;

/// What is true of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Attributes {
    preferred: u32,
    prefetched: u32,
    flags: SvmFlags,
    granularity: u32,
    /// GPUs that may reach it, and how; the others may not.
    access: BTreeMap<u32, SvmAttrType>,
}

impl Default for Attributes {
    fn default() -> Attributes {
        Attributes {
            preferred: LOCATION_UNDEFINED,
            prefetched: LOCATION_UNDEFINED,
            flags: SvmFlags::HOST_ACCESS | SvmFlags::COHERENT,
            granularity: 9,
            access: BTreeMap::new(),
        }
    }
}

impl Attributes {
    /// Of a range that nobody has said anything of. With XNACK every GPU reaches all memory.
    fn of(process: &Process) -> Attributes {
        let mut attributes = Attributes::default();
        if process.xnack.load(Ordering::Relaxed) {
            let bound = process.devices.iter().filter(|device| process.bound_device(device.gpu_id).is_ok());
            attributes.access = bound.map(|device| (device.gpu_id, SvmAttrType::ACCESS)).collect();
        }
        attributes
    }

    fn set(&mut self, attribute: SvmAttribute) {
        let value = attribute.value;
        match attribute.r#type {
            SvmAttrType::PREFERRED_LOC => self.preferred = value,
            SvmAttrType::PREFETCH_LOC => self.prefetched = value,
            SvmAttrType::NO_ACCESS => drop(self.access.remove(&value)),
            SvmAttrType::SET_FLAGS => self.flags |= SvmFlags::from_bits_retain(value),
            SvmAttrType::CLR_FLAGS => self.flags &= !SvmFlags::from_bits_retain(value),
            SvmAttrType::GRANULARITY => self.granularity = value.min(MAX_GRANULARITY),
            access => drop(self.access.insert(value, access)),
        }
    }
}

#[derive(Debug)]
struct Range {
    end: u64,
    attributes: Attributes,
    /// While it is mapped.
    object: Option<Arc<MemoryObject>>,
}

/// The ranges of a process, by their first address; they do not overlap.
#[derive(Debug, Default)]
pub(super) struct Ranges {
    by_start: Mutex<BTreeMap<u64, Range>>,
    numbers: AtomicU64,
}

/// The ioctl's argument is longer than its struct: attributes follow.
pub(super) fn ioctl(process: &Process, bytes: &mut [u8]) -> Result<(), Errno> {
    let head: SvmArgs = read_arg(bytes);
    let mut attributes = svm::attributes(bytes);
    let whole = head.start_addr.is_multiple_of(PAGE) && head.size.is_multiple_of(PAGE);
    let end = head.start_addr.checked_add(head.size).ok_or(Errno::EINVAL)?;
    if head.start_addr == 0 || head.size == 0 || !whole || attributes.len() != head.nattr as usize {
        return Err(Errno::EINVAL);
    }
    match head.op {
        SvmOp::SET_ATTR => set(process, head.start_addr, end, &attributes),
        SvmOp::GET_ATTR => {
            get(process, head.start_addr, end, &mut attributes)?;
            let at = size_of::<SvmArgs>();
            bytes[at..at + attributes.len() * size_of::<SvmAttribute>()]
                .copy_from_slice(attributes.as_bytes());
            Ok(())
        }
        _ => Err(Errno::EINVAL),
    }
}

/// `svm_range_check_attr()`
fn check(process: &Process, attribute: SvmAttribute) -> Result<(), Errno> {
    let is_gpu = || process.device(attribute.value).is_ok();
    let good = match attribute.r#type {
        SvmAttrType::PREFERRED_LOC => [0, LOCATION_UNDEFINED].contains(&attribute.value) || is_gpu(),
        SvmAttrType::PREFETCH_LOC => attribute.value == 0 || is_gpu(),
        // What is to be mapped there needs a page table to be mapped in.
        SvmAttrType::ACCESS | SvmAttrType::ACCESS_IN_PLACE => {
            return process.bound_device(attribute.value).map(drop);
        }
        SvmAttrType::NO_ACCESS => is_gpu(),
        SvmAttrType::SET_FLAGS | SvmAttrType::CLR_FLAGS | SvmAttrType::GRANULARITY => true,
        _ => false,
    };
    if good { Ok(()) } else { Err(Errno::EINVAL) }
}

/// `svm_range_is_valid()`: the program has the whole of it, and no buffer object is mapped there.
fn check_range(process: &Process, start: u64, end: u64) -> Result<(), Errno> {
    if !host_range_exists(start, end - start, false) {
        return Err(Errno::EFAULT);
    }
    let is_taken = |table: Arc<PageTable>| table.any_in(start, end, |object| object.handle & HANDLES == 0);
    let taken = process.devices.iter().any(|device| is_taken(device.vm.table()));
    if taken { Err(Errno::EADDRINUSE) } else { Ok(()) }
}

fn unmap(process: &Process, range: &mut Range) {
    if let Some(object) = range.object.take() {
        unmap_object(process, &object);
    }
}

fn unmap_object(process: &Process, object: &MemoryObject) {
    for device in &process.devices {
        device.vm.unmap(object);
    }
}

/// Makes a range begin at `at`, if one goes across it. Its halves are not mapped then.
fn split(process: &Process, ranges: &mut BTreeMap<u64, Range>, at: u64) {
    let Some((_, range)) = ranges.range_mut(..at).next_back().filter(|(_, range)| range.end > at) else {
        return;
    };
    unmap(process, range);
    let upper = Range { end: range.end, attributes: range.attributes.clone(), object: None };
    range.end = at;
    ranges.insert(at, upper);
}

fn set(process: &Process, start: u64, end: u64, attributes: &[SvmAttribute]) -> Result<(), Errno> {
    attributes.iter().try_for_each(|attribute| check(process, *attribute))?;
    check_range(process, start, end)?;
    let mut ranges = process.svm.by_start.lock();
    split(process, &mut ranges, start);
    split(process, &mut ranges, end);
    // What nobody has said anything of yet becomes ranges of its own.
    let mut gaps = Vec::new();
    let mut at = start;
    for (&begin, range) in ranges.range(start..end) {
        if at < begin {
            gaps.push((at, begin));
        }
        at = range.end;
    }
    if at < end {
        gaps.push((at, end));
    }
    for (begin, end) in gaps {
        ranges.insert(begin, Range { end, attributes: Attributes::of(process), object: None });
    }
    for (_, range) in ranges.range_mut(start..end) {
        let mut wanted = range.attributes.clone();
        attributes.iter().for_each(|attribute| wanted.set(*attribute));
        if wanted != range.attributes {
            range.attributes = wanted;
            unmap(process, range);
        }
    }
    let mut result = Ok(());
    // With those beside it that were cut.
    let touched = |(begin, range): &(&u64, &mut Range)| **begin <= end && range.end >= start;
    for (&begin, range) in ranges.iter_mut().filter(touched).filter(|(_, range)| range.object.is_none()) {
        result = result.and(map(process, begin, range));
    }
    result
}

/// Maps a range on the GPUs that may reach it.
fn map(process: &Process, start: u64, range: &mut Range) -> Result<(), Errno> {
    if range.attributes.access.is_empty() {
        return Ok(());
    }
    let flags = range.attributes.flags;
    let rights = Rights {
        write: !flags.contains(SvmFlags::GPU_RO),
        execute: flags.contains(SvmFlags::GPU_EXEC),
        ..Rights::default()
    };
    let size = range.end - start;
    let backing = Backing::User(start);
    let handle = HANDLES | process.svm.numbers.fetch_add(1, Ordering::Relaxed);
    let object = Arc::new(MemoryObject { handle, va: start, size, rights, backing, mmap_offset: 0 });
    let devices = range.attributes.access.keys().map(|gpu_id| process.bound_device(*gpu_id));
    for device in devices.collect::<Result<Vec<_>, _>>()? {
        let mapping = Mapping { va: start, len: size, host: start, rights, object: Arc::clone(&object) };
        if !device.vm.map(mapping) {
            unmap_object(process, &object);
            return Err(Errno::EADDRINUSE);
        }
    }
    range.object = Some(object);
    Ok(())
}

/// What holds for all of several ranges. Of memory between them nothing is said.
fn get(process: &Process, start: u64, end: u64, attributes: &mut [SvmAttribute]) -> Result<(), Errno> {
    check_range(process, start, end)?;
    let can_be_asked = |attribute: &SvmAttribute| match attribute.r#type {
        SvmAttrType::ACCESS => process.device(attribute.value).map(drop),
        SvmAttrType::PREFERRED_LOC
        | SvmAttrType::PREFETCH_LOC
        | SvmAttrType::SET_FLAGS
        | SvmAttrType::CLR_FLAGS
        | SvmAttrType::GRANULARITY => Ok(()),
        // The answers to ACCESS, which alone asks.
        _ => Err(Errno::EINVAL),
    };
    attributes.iter().try_for_each(can_be_asked)?;
    let ranges = process.svm.by_start.lock();
    let before = ranges.range(..start).next_back().filter(|(_, range)| range.end > start);
    let found: Vec<&Attributes> =
        before.into_iter().chain(ranges.range(start..end)).map(|(_, range)| &range.attributes).collect();
    let default = Attributes::of(process);
    let all = if found.is_empty() { vec![&default] } else { found };
    let same = |value: fn(&Attributes) -> u32| {
        let first = value(all[0]);
        if all.iter().all(|attributes| value(attributes) == first) { first } else { LOCATION_UNDEFINED }
    };
    for attribute in attributes {
        match attribute.r#type {
            SvmAttrType::PREFERRED_LOC => attribute.value = same(|a| a.preferred),
            SvmAttrType::PREFETCH_LOC => attribute.value = same(|a| a.prefetched),
            SvmAttrType::SET_FLAGS => attribute.value = all.iter().fold(!0, |all, a| all & a.flags.bits()),
            SvmAttrType::CLR_FLAGS => attribute.value = !all.iter().fold(0, |any, a| any | a.flags.bits()),
            SvmAttrType::GRANULARITY => {
                attribute.value = all.iter().map(|a| a.granularity).min().unwrap_or(0);
            }
            _ => {
                let is = |kind| all.iter().all(|a| a.access.get(&attribute.value) == Some(&kind));
                let kinds = [SvmAttrType::ACCESS, SvmAttrType::ACCESS_IN_PLACE];
                attribute.r#type = kinds.into_iter().find(|kind| is(*kind)).unwrap_or(SvmAttrType::NO_ACCESS);
            }
        }
    }
    Ok(())
}
