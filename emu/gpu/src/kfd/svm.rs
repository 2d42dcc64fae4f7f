//! Shared virtual memory (`kfd_svm.c`): attributes of ranges of the program's memory, and the mappings that follow from
//! them. A GPU that may reach a range has it mapped from then on, as KFD does without XNACK. Nothing migrates: there is
//! no other place that would be faster.

use std::collections::BTreeMap;
use std::sync::Arc;

use kfd_sys::svm::{self, LOCATION_UNDEFINED, SvmArgs, SvmAttrType, SvmAttribute, SvmFlags, SvmOp};
use kfd_sys::{Errno, read_arg};
use parking_lot::Mutex;
use zerocopy::IntoBytes as _;

use super::Process;
use crate::vm::{Backing, Mapping, MemoryObject, PAGE, Rights, host_range_exists};

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
    fn set(&mut self, attribute: SvmAttribute) {
        let value = attribute.value;
        match attribute.r#type {
            SvmAttrType::PREFERRED_LOC => self.preferred = value,
            SvmAttrType::PREFETCH_LOC => self.prefetched = value,
            SvmAttrType::NO_ACCESS => drop(self.access.remove(&value)),
            SvmAttrType::SET_FLAGS => self.flags |= SvmFlags::from_bits_retain(value),
            SvmAttrType::CLR_FLAGS => self.flags &= !SvmFlags::from_bits_retain(value),
            SvmAttrType::GRANULARITY => self.granularity = value.min(27),
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
pub(super) struct Ranges(Mutex<BTreeMap<u64, Range>>);

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
        SvmAttrType::ACCESS | SvmAttrType::ACCESS_IN_PLACE | SvmAttrType::NO_ACCESS => is_gpu(),
        SvmAttrType::SET_FLAGS | SvmAttrType::CLR_FLAGS | SvmAttrType::GRANULARITY => true,
        _ => false,
    };
    if good { Ok(()) } else { Err(Errno::EINVAL) }
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
    if !host_range_exists(start, end - start, false) {
        return Err(Errno::EFAULT);
    }
    let mut ranges = process.svm.0.lock();
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
        ranges.insert(begin, Range { end, attributes: Attributes::default(), object: None });
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
    for (&begin, range) in ranges.iter_mut().filter(|(_, range)| range.object.is_none()) {
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
    let rights =
        Rights { write: !flags.contains(SvmFlags::GPU_RO), execute: flags.contains(SvmFlags::GPU_EXEC) };
    let size = range.end - start;
    let backing = Backing::User(start);
    let object = Arc::new(MemoryObject { handle: 0, va: start, size, rights, backing, mmap_offset: 0 });
    for gpu_id in range.attributes.access.keys() {
        let device = process.bound_device(*gpu_id)?;
        let mapping = Mapping { va: start, len: size, host: start, rights, object: Arc::clone(&object) };
        if !device.vm.map(mapping) {
            unmap_object(process, &object);
            return Err(Errno::EADDRINUSE);
        }
    }
    range.object = Some(object);
    Ok(())
}

fn get(process: &Process, start: u64, end: u64, attributes: &mut [SvmAttribute]) -> Result<(), Errno> {
    attributes.iter().try_for_each(|attribute| match attribute.r#type {
        // Of locations only the question counts.
        SvmAttrType::PREFERRED_LOC | SvmAttrType::PREFETCH_LOC => Ok(()),
        _ => check(process, *attribute),
    })?;
    let ranges = process.svm.0.lock();
    let before = ranges.range(..start).next_back().filter(|(_, range)| range.end > start);
    let found: Vec<&Attributes> =
        before.into_iter().chain(ranges.range(start..end)).map(|(_, range)| &range.attributes).collect();
    let default = Attributes::default();
    let all = if found.is_empty() { vec![&default] } else { found };
    let same = |value: fn(&Attributes) -> u32| {
        let first = value(all[0]);
        if all.iter().all(|attributes| value(attributes) == first) { first } else { LOCATION_UNDEFINED }
    };
    for attribute in attributes {
        match attribute.r#type {
            SvmAttrType::PREFERRED_LOC => attribute.value = same(|a| a.preferred),
            SvmAttrType::PREFETCH_LOC => attribute.value = same(|a| a.prefetched),
            SvmAttrType::SET_FLAGS => {
                let flags = all.iter().fold(SvmFlags::all(), |flags, a| flags & a.flags);
                attribute.value = flags.bits();
            }
            SvmAttrType::CLR_FLAGS => {
                let flags = all.iter().fold(SvmFlags::empty(), |flags, a| flags | a.flags);
                attribute.value = !flags.bits();
            }
            SvmAttrType::GRANULARITY => {
                attribute.value = all.iter().map(|a| a.granularity).min().unwrap_or(0);
            }
            _ => {
                let access = |a: &&Attributes| a.access.get(&attribute.value).copied();
                let kinds: Vec<_> = all.iter().map(access).collect();
                attribute.r#type = if kinds.iter().all(|kind| *kind == Some(SvmAttrType::ACCESS)) {
                    SvmAttrType::ACCESS
                } else if kinds.iter().all(Option::is_some) {
                    SvmAttrType::ACCESS_IN_PLACE
                } else {
                    SvmAttrType::NO_ACCESS
                };
            }
        }
    }
    Ok(())
}
