//! ELF files of a host: the header, section headers and section names, and nothing else, so that a large library is
//! opened without reading it. Answers to the gABI chapters "ELF Header" and "Sections".

use crate::Error;
use crate::bytes::Bytes;

const MAGIC: &[u8; 4] = b"\x7fELF";
const CLASS_64: u8 = 2;
const LITTLE_ENDIAN: u8 = 1;
const HEADER_SIZE: u64 = 64;
const SECTION_HEADER_SIZE: u64 = 64;
const SHT_NOBITS: u32 = 8;
const EM_AMDGPU: u16 = 224;
/// `e_shstrndx` is too small for the index, which stands in the first section header instead.
const SHN_XINDEX: u16 = 0xffff;

/// Whether these bytes are an ELF file for a host; one for a GPU is a code object.
pub(super) fn is_host(file: Bytes<'_>) -> Result<bool, Error> {
    if !file.data.starts_with(MAGIC) {
        return Ok(false);
    }
    let ident = file.slice("ELF identification", 0, 16)?;
    let unsupported = |what, offset| Error::Unsupported {
        what,
        offset: file.place(offset),
        way_out: "HIP programs are ELF64, little endian",
    };
    if ident[4] != CLASS_64 {
        return Err(unsupported("an ELF file that is not ELF64", 4));
    }
    if ident[5] != LITTLE_ENDIAN {
        return Err(unsupported("a big-endian ELF file", 5));
    }
    Ok(file.u16("ELF header", 18)? != EM_AMDGPU)
}

/// The section headers of a file, read one by one.
#[derive(Debug, Clone)]
pub(super) struct Headers<'a> {
    file: Bytes<'a>,
    /// The file header has been read.
    open: bool,
    table: u64,
    names: Bytes<'a>,
    index: u64,
    count: u64,
}

/// A section header with its name.
pub(super) struct Header<'a> {
    pub name: &'a str,
    pub address: u64,
    file: Bytes<'a>,
    kind: u32,
    offset: u64,
    size: u64,
}

impl<'a> Header<'a> {
    /// Where the section's bytes start, and the bytes.
    pub fn bytes(&self) -> Result<(u64, &'a [u8]), Error> {
        let data = match self.kind {
            SHT_NOBITS => &[],
            _ => self.file.slice("section with device code", self.offset, self.size)?,
        };
        Ok((self.file.place(self.offset), data))
    }
}

impl<'a> Headers<'a> {
    pub fn none() -> Headers<'a> {
        let empty = Bytes::new(&[], 0);
        Headers { file: empty, open: true, table: 0, names: empty, index: 0, count: 0 }
    }

    pub fn new(file: Bytes<'a>) -> Headers<'a> {
        Headers { file, open: false, ..Headers::none() }
    }

    /// Reads the file header, and finds the table and the section that has its names.
    fn open(&mut self) -> Result<(), Error> {
        let file = self.file;
        self.open = true;
        file.slice("ELF header", 0, HEADER_SIZE)?;
        self.table = file.u64("ELF header", 0x28)?;
        if self.table == 0 {
            return Ok(());
        }
        let entry_size = file.u16("ELF header", 0x3a)?;
        if u64::from(entry_size) != SECTION_HEADER_SIZE {
            let (offset, value) = (file.place(0x3a), entry_size.into());
            let why = "section headers of ELF64 have 64 bytes";
            return Err(Error::BadField { what: "e_shentsize", offset, value, why });
        }
        let first = file.from(self.table);
        let count = match file.u16("ELF header", 0x3c)? {
            // More than 65,279 sections: the number stands in the size of the first.
            0 => first.u64("section header", 32)?,
            count => count.into(),
        };
        let names = match file.u16("ELF header", 0x3e)? {
            SHN_XINDEX => first.u32("section header", 40)?.into(),
            names => u64::from(names),
        };
        let most = first.len() / SECTION_HEADER_SIZE;
        if count > most {
            let (what, offset) = ("section headers", self.table);
            let need = count.saturating_mul(SECTION_HEADER_SIZE);
            return Err(Error::Truncated {
                what,
                offset: file.place(offset),
                need,
                have: file.place(file.len()),
            });
        }
        if names >= count {
            let (offset, why) = (file.place(0x3e), "there is no such section");
            return Err(Error::BadField { what: "e_shstrndx", offset, value: names, why });
        }
        let at = names * SECTION_HEADER_SIZE;
        let (offset, size) = (first.u64("section header", at + 24)?, first.u64("section header", at + 32)?);
        self.names = Bytes::new(file.slice("section names", offset, size)?, file.place(offset));
        self.count = count;
        Ok(())
    }

    /// The next header.
    pub fn read(&mut self) -> Result<Option<Header<'a>>, Error> {
        const WHAT: &str = "section header";
        if !self.open {
            self.open()?;
        }
        if self.index >= self.count {
            return Ok(None);
        }
        let file = self.file;
        let header = file.from(self.table.saturating_add(self.index * SECTION_HEADER_SIZE));
        self.index += 1;
        Ok(Some(Header {
            name: self.names.text("section name", header.u32(WHAT, 0)?.into())?,
            address: header.u64(WHAT, 16)?,
            file,
            kind: header.u32(WHAT, 4)?,
            offset: header.u64(WHAT, 24)?,
            size: header.u64(WHAT, 32)?,
        }))
    }
}
