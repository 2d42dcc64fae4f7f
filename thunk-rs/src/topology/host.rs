//! The host's processors and their caches, which KFD does not tell: `/proc/cpuinfo`, `/sys/devices/system/node`.
//! libhsakmt's `topology.c` (`topology_parse_cpuinfo`, `get_cpu_cache_info`).

use std::fs;
use std::path::{Path, PathBuf};

use super::Cache;

/// A processor of the host.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Processor {
    /// Its number.
    pub number: u32,
    /// Its number in the interrupt controller, by which topologies name it.
    pub apic_id: u32,
    /// What it is sold as.
    pub model: String,
}

/// The processors of the host. What cannot be read (in a container, say) is not there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HostProcessors {
    /// In the order of `/proc/cpuinfo`.
    pub processors: Vec<Processor>,
}

/// Bits of `type` of a cache of the host.
const DATA: u32 = 1;
const INSTRUCTIONS: u32 = 2;
const HOST: u32 = 4;

impl HostProcessors {
    /// Reads `/proc/cpuinfo`.
    pub fn read() -> HostProcessors {
        HostProcessors::parse(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default())
    }

    fn parse(text: &str) -> HostProcessors {
        let mut processors: Vec<Processor> = Vec::new();
        for line in text.lines() {
            let Some((name, value)) = line.split_once(':') else { continue };
            let value = value.trim();
            match (name.trim(), processors.last_mut()) {
                ("processor", _) => {
                    let number = value.parse().unwrap_or(processors.len() as u32);
                    processors.push(Processor { number, ..Default::default() });
                }
                ("model name", Some(last)) => last.model = value.to_owned(),
                ("apicid", Some(last)) => last.apic_id = value.parse().unwrap_or(0),
                _ => {}
            }
        }
        HostProcessors { processors }
    }

    /// The processor with that number in the interrupt controller.
    pub fn by_apic_id(&self, apic_id: u32) -> Option<&Processor> {
        self.processors.iter().find(|processor| processor.apic_id == apic_id)
    }

    /// The caches of a NUMA node's processors, each once. `association` 0 is a cache of any association.
    pub fn caches(&self, numa_node: u32) -> Vec<Cache> {
        let home = Path::new("/sys/devices/system");
        let mut folders = numbered(&home.join(format!("node/node{numa_node}")), "cpu");
        if folders.is_empty() && numa_node == 0 {
            folders = numbered(&home.join("cpu"), "cpu");
        }
        folders
            .into_iter()
            .flat_map(|(number, folder)| {
                let indexes = numbered(&folder.join("cache"), "index");
                indexes.into_iter().filter_map(move |(_, index)| self.cache(number, &index))
            })
            .collect()
    }

    fn cache(&self, processor: u32, folder: &Path) -> Option<Cache> {
        let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default().trim().to_owned();
        let number = |name: &str| text(name).parse().unwrap_or(0);
        // Shared by several, it counts as the first one's.
        let shared = text("shared_cpu_list");
        let first = shared.split(['-', ',']).next()?.parse::<u32>().ok()?;
        if first != processor {
            return None;
        }
        let kind = match text("type").as_str() {
            "Data" => DATA,
            "Instruction" => INSTRUCTIONS,
            "Unified" => DATA | INSTRUCTIONS,
            _ => 0,
        };
        Some(Cache {
            processor_id_low: self.apic_id(processor),
            level: number("level"),
            size: kibibytes(&text("size")),
            cache_line_size: number("coherency_line_size"),
            cache_lines_per_tag: number("physical_line_partition"),
            association: number("ways_of_associativity"),
            latency: 0,
            r#type: kind | HOST,
            sibling_map: self.siblings(&text("shared_cpu_map")),
        })
    }

    fn apic_id(&self, number: u32) -> u32 {
        self.processors.iter().find(|processor| processor.number == number).map_or(0, |found| found.apic_id)
    }

    /// From groups of 32 bits, the lowest last, to a 1 at each processor's number in the interrupt controller.
    fn siblings(&self, map: &str) -> Vec<u64> {
        let mut siblings = Vec::new();
        for (group, word) in map.split(',').rev().enumerate() {
            let bits = u32::from_str_radix(word.trim(), 16).unwrap_or(0);
            for bit in (0..32).filter(|bit| bits >> bit & 1 != 0) {
                let at = self.apic_id(group as u32 * 32 + bit) as usize;
                if siblings.len() <= at {
                    siblings.resize(at + 1, 0);
                }
                siblings[at] = 1;
            }
        }
        siblings
    }
}

/// `32K`, `8M`.
fn kibibytes(text: &str) -> u32 {
    let digits = text.trim_end_matches(['K', 'M', 'G']);
    let number: u32 = digits.parse().unwrap_or(0);
    match text.as_bytes().last() {
        Some(b'K') => number,
        Some(b'M') => number.saturating_mul(1024),
        Some(b'G') => number.saturating_mul(1024 * 1024),
        _ => number / 1024,
    }
}

/// The folders of a folder whose names are `prefix` and a number, in the order of the numbers.
fn numbered(folder: &Path, prefix: &str) -> Vec<(u32, PathBuf)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<(u32, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let number = entry.file_name().to_str()?.strip_prefix(prefix)?.parse().ok()?;
            Some((number, entry.path()))
        })
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpuinfo_is_read() {
        let text = "processor\t: 0\nmodel name\t: A\napicid\t\t: 4\ninitial apicid\t: 9\n\nprocessor\t: 1\napicid\t: 6\n";
        let host = HostProcessors::parse(text);
        assert_eq!(host.processors.len(), 2);
        assert_eq!(host.by_apic_id(4).map(|p| p.model.as_str()), Some("A"));
        assert_eq!(host.siblings("3"), [0, 0, 0, 0, 1, 0, 1]);
        assert_eq!(host.siblings("0,00000002"), [0, 0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn sizes_are_kibibytes() {
        assert_eq!([kibibytes("32K"), kibibytes("2M"), kibibytes("65536"), kibibytes("")], [32, 2048, 64, 0]);
    }
}
