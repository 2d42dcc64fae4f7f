//! Where an image lies that the program gives by a bare pointer: which loaded object, which section, how far it can
//! reach at most.

#![allow(unsafe_code, reason = "dl_iterate_phdr calls back with a C struct")]

use std::ffi::{CStr, c_int, c_void};
use std::fs::File;
use std::os::unix::fs::FileExt;

/// The surroundings of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The address.
    pub address: u64,
    /// Bytes from there to the end of the mapped segment.
    pub len: usize,
    /// The file that the segment comes from; empty when it comes from none.
    pub path: String,
    /// What to subtract from an address to have the file's.
    pub base: u64,
}

/// Finds an address in the loaded objects, or else in the process's mappings.
pub fn locate(address: u64) -> Option<Place> {
    in_objects(address).or_else(|| in_mappings(address))
}

fn in_objects(address: u64) -> Option<Place> {
    let mut search = (address, None);
    // SAFETY: the callback gets `search` back as its data, alive until the call returns.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.1
}

unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
    // SAFETY: the dynamic linker passes a valid struct, and `data` is what `in_objects` passed.
    let (info, (address, found)) = unsafe { (&*info, &mut *data.cast::<(u64, Option<Place>)>()) };
    if info.dlpi_phdr.is_null() {
        return 0;
    }
    // SAFETY: the dynamic linker's own table of this many headers.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    for header in headers.iter().filter(|header| header.p_type == libc::PT_LOAD) {
        let start = info.dlpi_addr.wrapping_add(header.p_vaddr);
        let Some(inside) = address.checked_sub(start).filter(|inside| *inside < header.p_memsz) else {
            continue;
        };
        let name = if info.dlpi_name.is_null() {
            String::new()
        } else {
            // SAFETY: a string of the dynamic linker.
            unsafe { CStr::from_ptr(info.dlpi_name) }.to_string_lossy().into_owned()
        };
        let path = if name.is_empty() {
            std::fs::read_link("/proc/self/exe")
                .map(|path| path.to_string_lossy().into_owned())
                .unwrap_or_default()
        } else {
            name
        };
        let len = usize::try_from(header.p_memsz - inside).unwrap_or(usize::MAX);
        *found = Some(Place { address: *address, len, path, base: info.dlpi_addr });
        return 1;
    }
    0
}

/// The readable mappings that follow one another from `address` on, as `/proc/self/maps` has them.
fn in_mappings(address: u64) -> Option<Place> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let mut end = None;
    for line in maps.lines() {
        let mut words = line.split_whitespace();
        let (range, rights) = (words.next()?, words.next()?);
        let (from, to) = range.split_once('-')?;
        let (Ok(from), Ok(to)) = (u64::from_str_radix(from, 16), u64::from_str_radix(to, 16)) else {
            continue;
        };
        if !rights.starts_with('r') {
            continue;
        }
        match end {
            None if (from..to).contains(&address) => end = Some(to),
            Some(before) if before == from => end = Some(to),
            _ => {}
        }
    }
    let len = usize::try_from(end? - address).ok()?;
    Some(Place { address, len, path: String::new(), base: 0 })
}

impl Place {
    /// The section of the file that the address lies in: for messages.
    pub fn section(&self) -> Option<String> {
        let file = File::open(&self.path).ok()?;
        let read = |at: u64, bytes: &mut [u8]| file.read_exact_at(bytes, at).ok();
        section_at(&read, self.address.wrapping_sub(self.base))
    }
}

/// Longest name of a section that is read.
const LONGEST_NAME: u64 = 64;

/// The name of the section of an ELF64 file that holds a virtual address. Reads the headers alone: a library of kernels
/// can have more than a gigabyte.
fn section_at(read: &impl Fn(u64, &mut [u8]) -> Option<()>, vaddr: u64) -> Option<String> {
    let mut head = [0; 64];
    read(0, &mut head)?;
    if !head.starts_with(b"\x7fELF\x02") {
        return None;
    }
    let table = word(&head, 40, 8)?;
    let [size, count, names] = [word(&head, 58, 2)?, word(&head, 60, 2)?, word(&head, 62, 2)?];
    let header = |index: u64| {
        let mut bytes = [0; 64];
        read(table.checked_add(index.checked_mul(size)?)?, &mut bytes)?;
        Some(bytes)
    };
    for index in 0..count {
        let section = header(index)?;
        let (start, len) = (word(&section, 16, 8)?, word(&section, 32, 8)?);
        if start != 0 && vaddr.checked_sub(start).is_some_and(|inside| inside < len) {
            let names = header(names)?;
            let (offset, room) = (word(&section, 0, 4)?, word(&names, 32, 8)?);
            let mut name = vec![0; usize::try_from(room.checked_sub(offset)?.min(LONGEST_NAME)).ok()?];
            read(word(&names, 24, 8)?.checked_add(offset)?, &mut name)?;
            let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
            return Some(String::from_utf8_lossy(&name[..end]).into_owned());
        }
    }
    None
}

/// A number of so many bytes.
fn word(bytes: &[u8], at: usize, len: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(len)?)?;
    Some(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    static IN_THE_PROGRAM: [u8; 64] = [7; 64];

    #[test]
    fn a_constant_of_the_program_is_found_with_its_file_and_section() {
        let address = IN_THE_PROGRAM.as_ptr().addr() as u64;
        let place = locate(address).unwrap();
        assert!(place.len >= 64);
        assert!(std::path::Path::new(&place.path).exists(), "{}", place.path);
        assert!(place.section().unwrap().starts_with(".rodata"), "{:?}", place.section());
    }

    #[test]
    fn memory_of_the_heap_is_bounded_by_its_mapping() {
        let block = vec![1u8; 1 << 20];
        let place = locate(block.as_ptr().addr() as u64).unwrap();
        assert!(place.len >= 1 << 20);
        assert_eq!(locate(16), None);
    }

    /// The bytes of a file in memory, read as a file's.
    fn from(file: &[u8]) -> impl Fn(u64, &mut [u8]) -> Option<()> {
        move |at, bytes| {
            let at = usize::try_from(at).ok()?;
            bytes.copy_from_slice(file.get(at..at.checked_add(bytes.len())?)?);
            Some(())
        }
    }

    #[test]
    fn damaged_files_have_no_sections() {
        assert_eq!(section_at(&from(b""), 1), None);
        let mut file = vec![0xff; 64];
        file[..5].copy_from_slice(b"\x7fELF\x02");
        assert_eq!(section_at(&from(&file), 1), None);
    }

    #[test]
    fn a_section_is_named_from_the_headers_alone() {
        let whole = std::fs::read("/proc/self/exe").unwrap();
        let read_bytes = std::cell::Cell::new(0);
        let read = |at, bytes: &mut [u8]| {
            read_bytes.set(read_bytes.get() + bytes.len());
            from(&whole)(at, bytes)
        };
        let place = locate(IN_THE_PROGRAM.as_ptr().addr() as u64).unwrap();
        let name = section_at(&read, place.address - place.base).unwrap();
        assert_eq!(Some(name), place.section());
        assert!(read_bytes.get() < 1 << 16, "{} of {} bytes read", read_bytes.get(), whole.len());
    }
}
