//! The name under which this library was linked, which tells the ABI that the program speaks: `libamdhip64.so.5`, `.6` and
//! `.7` are one code under three names. Read from the dynamic section, so that it does not matter by which path or link the
//! loader came to the file. ELF gABI, "Dynamic Section"; dl_iterate_phdr(3).

#![allow(unsafe_code, reason = "dl_iterate_phdr calls back with C structs of the loader's")]

use std::ffi::{CStr, c_char, c_int, c_void};

const DT_NULL: u64 = 0;
const DT_STRTAB: u64 = 5;
const DT_STRSZ: u64 = 10;
const DT_SONAME: u64 = 14;

/// An entry of the dynamic section.
#[repr(C)]
#[derive(Clone, Copy)]
struct Entry {
    tag: u64,
    value: u64,
}

/// The SONAME of the object that holds this code; none in a program that this library is linked into.
pub fn own() -> Option<String> {
    let own: fn() -> Option<String> = own;
    let mut search = (own as usize as u64, None);
    // SAFETY: the callback gets `search` back as its data, alive until the call returns.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.1
}

unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
    // SAFETY: the dynamic linker passes a valid struct, and `data` is what `own` passed.
    let (info, (address, found)) = unsafe { (&*info, &mut *data.cast::<(u64, Option<String>)>()) };
    if info.dlpi_phdr.is_null() {
        return 0;
    }
    // SAFETY: the dynamic linker's own table of this many headers.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let holds = headers.iter().any(|header| {
        let start = info.dlpi_addr.wrapping_add(header.p_vaddr);
        header.p_type == libc::PT_LOAD
            && address.checked_sub(start).is_some_and(|inside| inside < header.p_memsz)
    });
    if !holds {
        return 0;
    }
    *found = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC).and_then(|header| {
        let at = info.dlpi_addr.wrapping_add(header.p_vaddr) as usize;
        let most = usize::try_from(header.p_memsz).ok()? / size_of::<Entry>();
        soname(std::ptr::with_exposed_provenance(at), most, info.dlpi_addr)
    });
    1
}

/// The SONAME in a dynamic section of at most `most` entries.
fn soname(section: *const Entry, most: usize, base: u64) -> Option<String> {
    // SAFETY: the loaded section of this object, of this many entries; it is not written to once the object is loaded.
    let entries = unsafe { std::slice::from_raw_parts(section, most) };
    let value = |tag| {
        let mut entries = entries.iter().take_while(|entry| entry.tag != DT_NULL);
        entries.find(|entry| entry.tag == tag).map(|entry| entry.value)
    };
    let (name, table, size) = (value(DT_SONAME)?, value(DT_STRTAB)?, value(DT_STRSZ)?);
    // The GNU loader writes addresses into the section, others leave offsets.
    let table = if table < base { table.wrapping_add(base) } else { table };
    if name >= size {
        return None;
    }
    let text = std::ptr::with_exposed_provenance::<c_char>(table.wrapping_add(name) as usize);
    // SAFETY: inside the string table, whose last byte is NUL.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_program_has_no_soname() {
        assert_eq!(super::own(), None);
    }
}
