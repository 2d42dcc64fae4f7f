//! Files, mapped into memory: of a library of a gigabyte only the pages are read that a tool looks at.
#![allow(unsafe_code, reason = "a mapped file is a slice only as long as nobody shortens it")]

use std::ops::Deref;
use std::path::{Path, PathBuf};

use memmap2::{Mmap, UncheckedAdvice};

use crate::Error;

/// A file that is read through a mapping.
#[derive(Debug)]
pub struct File {
    path: PathBuf,
    /// None: the file is empty, and an empty file cannot be mapped.
    map: Option<Mmap>,
}

impl File {
    /// Maps a file.
    pub fn open(path: &Path) -> Result<File, Error> {
        let file = std::fs::File::open(path).map_err(Error::io(path))?;
        let metadata = file.metadata().map_err(Error::io(path))?;
        if metadata.is_dir() {
            return Err(Error::io(path)(std::io::ErrorKind::IsADirectory.into()));
        }
        let map = match metadata.len() {
            0 => None,
            // SAFETY: the mapping is private and read-only. That nobody shortens the file while a tool runs is trusted,
            // as by every linker and binary tool; were it so, the process would end with SIGBUS.
            _ => Some(unsafe { Mmap::map(&file) }.map_err(Error::io(path))?),
        };
        Ok(File { path: path.to_owned(), map })
    }

    /// Lets go of the pages that were looked at; they come back when looked at again. Linux may map two megabytes for one
    /// byte, which counts as memory of this process.
    pub fn release(&self) {
        if let Some(map) = &self.map {
            // SAFETY: the mapping is of a file and never written to, so that the same bytes come back.
            let released = unsafe { map.unchecked_advise(UncheckedAdvice::DontNeed) };
            // Then the pages stay, and nothing else changes.
            let _ = released;
        }
    }

    /// Its path, as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Deref for File {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }
}
