//! What was found, for people and as JSON.

use std::collections::BTreeSet;
use std::fmt::Write;

use rocm_binutils::{bytes, table};
use serde::Serialize;

use crate::oracle::{Compared, Count};
use crate::tally::Tally;

#[derive(Serialize)]
pub struct Report {
    #[serde(rename = "sources")]
    pub tallies: Vec<Tally>,
    pub compared: Compared,
}

impl Report {
    /// Everything was read, and everything that was compared is equal.
    pub fn is_good(&self) -> bool {
        self.tallies.iter().all(|tally| tally.errors.is_empty() && tally.object_count() > 0)
            && self.compared.differences.is_empty()
    }

    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut say = |line: String| {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{line}");
        };
        say(self.sources());
        say(self.targets());
        let compared = &self.compared;
        let count = |count: &Count| format!("{}/{} equal", count.equal, count.of);
        say(format!("metadata   {} to llvm-readelf-19 --notes", count(&compared.metadata)));
        say(format!("symbols    {} to llvm-readelf-19 --symbols", count(&compared.symbols)));
        say(format!(
            "bundles    {} to clang-offload-bundler-19 --list and --unbundle, {} payloads",
            count(&compared.bundles),
            compared.payloads
        ));
        for (what, compared) in
            [("sections of several bundles", &compared.sections), ("host files", &compared.hosts)]
        {
            if compared.of != 0 {
                say(format!("           {what}: {} to clang-offload-bundler-19 --list", count(compared)));
            }
        }
        for (what, count) in &compared.unread {
            say(format!("           not read by clang-offload-bundler-19: {count} times, {what}"));
        }
        for tally in &self.tallies {
            tally
                .odd
                .iter()
                .for_each(|(what, count)| say(format!("odd: {}: {count} times {what}", tally.source)));
            tally.errors.iter().for_each(|error| say(format!("error: {error}")));
            if tally.object_count() == 0 {
                say(format!("error: {}: no code objects in it", tally.source));
            }
        }
        compared.differences.iter().for_each(|difference| say(format!("differs: {difference}")));
        text
    }

    fn sources(&self) -> String {
        let row = |tally: &Tally| {
            let images: Vec<String> =
                tally.images.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
            vec![
                tally.source.clone(),
                format!("{}/{}", tally.files_with_code, tally.files),
                bytes(tally.bytes),
                images.join(", "),
                tally.entries.to_string(),
                tally.object_count().to_string(),
                tally.kernels.to_string(),
                tally.symbols.to_string(),
                tally.relocations.to_string(),
                tally.errors.len().to_string(),
                format!("{:.2}", tally.seconds),
            ]
        };
        let header = [
            "SOURCE", "FILES", "SIZE", "IMAGES", "ENTRIES", "OBJECTS", "KERNELS", "SYMBOLS", "RELOCS",
            "ERRORS", "SECONDS",
        ];
        table(&header, &[1, 2, 4, 5, 6, 7, 8, 9, 10], self.tallies.iter().map(row)).trim_fmt() + "\n"
    }

    /// Code objects by target ID and source.
    fn targets(&self) -> String {
        let targets: BTreeSet<&String> = self.tallies.iter().flat_map(|tally| tally.objects.keys()).collect();
        let row = |target: &String| {
            let counts = self
                .tallies
                .iter()
                .map(|tally| tally.objects.get(target).map_or("-".to_owned(), usize::to_string));
            std::iter::once(target.clone()).chain(counts).collect::<Vec<_>>()
        };
        let header: Vec<&str> =
            std::iter::once("TARGET").chain(self.tallies.iter().map(|tally| &*tally.source)).collect();
        let right: Vec<usize> = (1..header.len()).collect();
        let versions = |tally: &Tally| {
            let counts: Vec<String> =
                tally.versions.iter().map(|(version, count)| format!("{count} v{version}")).collect();
            format!("{}: {}", tally.source, counts.join(", "))
        };
        let versions: Vec<String> = self.tallies.iter().map(versions).collect();
        table(&header, &right, targets.into_iter().map(row)).trim_fmt() + "\n\n" + &versions.join("\n") + "\n"
    }
}
