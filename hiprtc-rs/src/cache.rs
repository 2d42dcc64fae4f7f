//! Results of earlier runs, kept by their content: by what the compiler is, its options, the source, its headers and names.
//! Files that a source includes from the disk are noted with an entry, by size and time; when one has changed, the entry is
//! no longer good.
//!
//! They lie in `$XDG_CACHE_HOME/rocrs/hiprtc`, or `~/.cache/rocrs/hiprtc`. `ROCRS_HIPRTC_CACHE` names another folder, or is
//! `off`. A cache that cannot be read or written is no error.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Bytes that are kept; the oldest entries go first.
const LIMIT: u64 = 256 << 20;
/// Changes with what an entry holds.
const FORMAT: &str = "hiprtc-rs 1";

/// A folder of results, or none.
#[derive(Debug, Clone, Default)]
pub struct Cache {
    folder: Option<PathBuf>,
}

/// What is kept of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub log: String,
    pub names: BTreeMap<String, String>,
    /// Files that were included, with their stamps.
    pub files: Vec<(String, String)>,
    pub code: Vec<u8>,
}

/// Size and time of a file.
pub(crate) fn stamp(path: &Path) -> Option<String> {
    let meta = fs::metadata(path).ok()?;
    let time = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{}@{}", meta.len(), time.as_nanos()))
}

impl Cache {
    /// The cache that the environment asks for.
    pub fn from_environment() -> Self {
        let var = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = match var("ROCRS_HIPRTC_CACHE") {
            Some(off) if ["off", "0"].iter().any(|word| off.as_os_str() == *word) => None,
            Some(folder) => Some(folder),
            None => var("XDG_CACHE_HOME")
                .or_else(|| Some(var("HOME")?.join(".cache")))
                .map(|folder| folder.join("rocrs/hiprtc")),
        };
        Self { folder }
    }

    /// A cache in a folder.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()) }
    }

    /// No cache.
    pub const fn none() -> Self {
        Self { folder: None }
    }

    /// The key of everything that decides a result, each part told from the next.
    pub(crate) fn key(parts: &[&str]) -> String {
        let mut hash = Sha256::new();
        for part in [FORMAT].iter().chain(parts) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// An entry that is still good.
    pub(crate) fn get(&self, key: &str) -> Option<Entry> {
        let bytes = fs::read(self.folder.as_ref()?.join(key)).ok()?;
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let head: Value = serde_json::from_slice(&bytes[..end]).ok()?;
        let code = bytes[end + 1..].to_vec();
        // A file that was cut short, or written over, is none.
        if head["sum"].as_str()? != sum(&code) {
            return None;
        }
        let texts = |value: &Value| -> Option<Vec<(String, String)>> {
            let pair = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
            value.as_object()?.iter().map(pair).collect()
        };
        let files = texts(&head["files"])?;
        if files.iter().any(|(path, noted)| stamp(Path::new(path)).as_ref() != Some(noted)) {
            return None;
        }
        let names = texts(&head["names"])?.into_iter().collect();
        Some(Entry { log: head["log"].as_str()?.to_owned(), names, files, code })
    }

    /// Keeps an entry, in one step for whoever reads it at the same time.
    pub(crate) fn put(&self, key: &str, entry: &Entry) {
        let Some(folder) = &self.folder else { return };
        let files: serde_json::Map<_, _> =
            entry.files.iter().map(|(path, stamp)| (path.clone(), json!(stamp))).collect();
        let head = json!({ "log": entry.log, "names": entry.names, "files": files, "sum": sum(&entry.code) });
        let mut bytes = head.to_string().into_bytes();
        bytes.push(b'\n');
        bytes.extend_from_slice(&entry.code);
        let written = fs::create_dir_all(folder)
            .and_then(|()| tempfile::NamedTempFile::new_in(folder))
            .and_then(|file| fs::write(file.path(), &bytes).map(|()| file))
            .is_ok_and(|file| file.persist(folder.join(key)).is_ok());
        if written {
            prune(folder, LIMIT);
        }
    }
}

fn sum(code: &[u8]) -> String {
    Sha256::digest(code).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a file's name is a key: the folder may hold files that are not ours to remove.
fn is_key(name: &OsStr) -> bool {
    name.len() == 64 && name.as_encoded_bytes().iter().all(u8::is_ascii_hexdigit)
}

/// Removes the oldest entries, until the rest fits.
fn prune(folder: &Path, limit: u64) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut files: Vec<_> = entries
        .filter_map(|entry| {
            let entry = entry.ok().filter(|entry| is_key(&entry.file_name()))?;
            let meta = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some((meta.modified().ok()?, meta.len(), entry.path()))
        })
        .collect();
    files.sort_by_key(|(time, ..)| std::cmp::Reverse(*time));
    let mut bytes = 0;
    for (_, size, path) in files {
        bytes += size;
        if bytes > limit {
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_until_a_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("deep/cache"));
        let header = folder.path().join("header.h");
        fs::write(&header, "one").unwrap();
        let entry = Entry {
            log: "a warning\n".to_owned(),
            names: [("f<int>".to_owned(), "_Z1fIiEvv".to_owned())].into(),
            files: vec![(header.display().to_string(), stamp(&header).unwrap())],
            code: b"\x7fELF\n\n".to_vec(),
        };
        let key = Cache::key(&["a", "b"]);
        assert_eq!(cache.get(&key), None);
        cache.put(&key, &entry);
        assert_eq!(cache.get(&key), Some(entry));
        fs::write(&header, "another").unwrap();
        assert_eq!(cache.get(&key), None);
    }

    #[test]
    fn the_oldest_entries_go_and_nothing_else_does() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str| fs::write(folder.path().join(name), [0; 100]).unwrap();
        let keys = ["a", "b", "c"].map(|letter| Cache::key(&[letter]));
        write("the user's own");
        for key in &keys {
            write(key);
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        prune(folder.path(), 250);
        let left = |name: &str| folder.path().join(name).exists();
        assert!(left("the user's own") && left(&keys[1]) && left(&keys[2]));
        assert!(!left(&keys[0]));
    }

    #[test]
    fn parts_of_a_key_do_not_run_together() {
        assert_ne!(Cache::key(&["ab", "c"]), Cache::key(&["a", "bc"]));
        assert_eq!(Cache::key(&["ab"]).len(), 64);
    }

    #[test]
    fn damaged_entries_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        cache.put("k", &Entry { code: b"code".to_vec(), ..Entry::default() });
        let path = folder.path().join("k");
        let mut bytes = fs::read(&path).unwrap();
        bytes.pop();
        fs::write(&path, &bytes).unwrap();
        assert_eq!(cache.get("k"), None);
        fs::write(&path, b"{}\n").unwrap();
        assert_eq!(cache.get("k"), None);
        Cache::none().put("k", &Entry::default());
    }
}
