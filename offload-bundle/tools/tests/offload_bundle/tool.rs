//! Running the tool, and folders of files to run it on.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use offload_bundle::{BundleBuilder, CcobVersion, CompressOptions, Method};

use crate::common::{Ran, folder};

/// The program.
pub const TOOL: &str = env!("CARGO_BIN_EXE_offload-bundle");

/// Runs it.
pub fn tool(words: &[&str]) -> Ran {
    Command::new(TOOL).args(words).output().unwrap().into()
}

/// The same, which must succeed without a word on stderr.
pub fn good(words: &[&str]) -> String {
    let ran = tool(words);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{words:?}");
    ran.stdout
}

/// The same, which must fail with this status without a word on stdout; what it says on stderr.
pub fn bad(code: i32, words: &[&str]) -> String {
    let ran = tool(words);
    assert_eq!((ran.code, ran.stdout.as_str()), (code, ""), "{words:?}: {}", ran.stderr);
    ran.stderr
}

/// The same for a program that prints bytes.
pub fn bytes(words: &[&str]) -> Vec<u8> {
    let output = Command::new(TOOL).args(words).stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), "{words:?}");
    output.stdout
}

/// A folder of files, removed when dropped.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(folder())
    }

    /// The path of a name in it.
    pub fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Writes a file in it, and returns its path.
    pub fn with(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// The names in it, sorted.
    pub fn names(&self) -> Vec<String> {
        names(self.0.path().to_owned())
    }
}

/// The names in a folder, sorted.
pub fn names(folder: impl Into<PathBuf>) -> Vec<String> {
    let entries = std::fs::read_dir(folder.into()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub const HOST: &str = "host-x86_64-unknown-linux--";
pub const GFX90A: &str = "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-";
pub const GFX942: &str = "hipv4-amdgcn-amd-amdhsa--gfx942";

/// A host entry and two of so many bytes.
pub fn entries() -> Vec<(&'static str, Vec<u8>)> {
    vec![(HOST, Vec::new()), (GFX90A, vec![0x90; 600]), (GFX942, vec![0x42; 5000])]
}

/// A raw bundle of any entries, readable or not.
pub fn raw<I: AsRef<str>>(entries: &[(I, Vec<u8>)]) -> Vec<u8> {
    BundleBuilder::from_entries(entries.iter().map(|(id, bytes)| (id.as_ref(), bytes))).to_vec().unwrap()
}

/// The same, compressed.
pub fn ccob(version: CcobVersion, method: Method, content: &[u8]) -> Vec<u8> {
    let options = CompressOptions { version, method, ..CompressOptions::default() };
    offload_bundle::compress(content, &options).unwrap()
}

/// One after another, each at a multiple of 4096.
pub fn concatenated(bundles: &[&[u8]]) -> Vec<u8> {
    let mut file = Vec::new();
    for bundle in bundles {
        file.resize(file.len().next_multiple_of(4096), 0);
        file.extend(*bundle);
    }
    file
}
