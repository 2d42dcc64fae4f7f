//! Choosing by hash: the same contents give the same choice, wherever they stand and in whatever order they come.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};

/// The contents with the smallest hashes.
pub struct Sample {
    most: usize,
    chosen: BTreeMap<u64, (String, Vec<u8>)>,
}

impl Sample {
    pub fn new(most: usize) -> Sample {
        Sample { most, chosen: BTreeMap::new() }
    }

    /// Keeps the content if it is among the chosen so far. Equal contents are one.
    pub fn offer(&mut self, content: &[u8], name: impl FnOnce() -> String) {
        let mut hasher = DefaultHasher::new();
        hasher.write(content);
        let hash = hasher.finish();
        let last = self.chosen.last_key_value().map(|(hash, _)| *hash);
        let is_full = self.chosen.len() >= self.most;
        if self.chosen.contains_key(&hash) || (is_full && last.is_none_or(|last| hash > last)) {
            return;
        }
        self.chosen.insert(hash, (name(), content.to_vec()));
        if self.chosen.len() > self.most {
            self.chosen.pop_last();
        }
    }

    /// Names and contents.
    pub fn into_chosen(self) -> Vec<(String, Vec<u8>)> {
        self.chosen.into_values().collect()
    }
}
