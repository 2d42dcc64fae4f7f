//! What was counted.

use std::collections::BTreeMap;

use serde::Serialize;

/// What one source holds.
#[derive(Default, Serialize)]
pub struct Tally {
    pub source: String,
    pub files: usize,
    /// Of those, files that hold fat binaries or code objects.
    pub files_with_code: usize,
    pub bytes: u64,
    pub seconds: f64,
    /// Fat binaries by kind.
    pub images: BTreeMap<String, usize>,
    /// Entries of bundles, those of hosts and empty ones included.
    pub entries: usize,
    /// Code objects by target ID.
    pub objects: BTreeMap<String, usize>,
    /// Code objects by version.
    pub versions: BTreeMap<u8, usize>,
    pub kernels: usize,
    pub arguments: usize,
    pub symbols: usize,
    pub relocations: usize,
    /// What is odd but works, by what it is.
    pub odd: BTreeMap<String, usize>,
    /// What could not be read, or does not agree with itself.
    pub errors: Vec<String>,
}

impl Tally {
    /// Counts something odd, under the first words of `what`.
    pub fn odd(&mut self, what: &str) {
        let end = what.find(['{', '(']).unwrap_or(what.len());
        *self.odd.entry(what[..end].trim_end().to_owned()).or_default() += 1;
    }

    pub fn object_count(&self) -> usize {
        self.objects.values().sum()
    }
}
