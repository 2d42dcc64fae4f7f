//! File names for entries: made of an ID that may be anything, safe in a directory of any system.

use std::collections::HashMap;

use offload_bundle::EntryId;

use super::BITCODE;

/// What is kept of an ID. With index, number and extension, a name stays well below the 255 bytes of most systems.
const MOST: usize = 160;

/// Hands out names, each once.
#[derive(Debug, Default)]
pub(super) struct Names(HashMap<String, u32>);

impl Names {
    /// The name for an entry: `0-hipv4-amdgcn-amd-amdhsa--gfx90a@xnack-.co`, and with `~2` before the extension if that
    /// name was taken. It begins with a digit, so that it is no hidden file, no option, no `..`; and it has no separator.
    pub fn name(&mut self, bundle: usize, id: &EntryId<'_>, data: &[u8]) -> String {
        let safe = |c: char| match c {
            ':' => '@',
            c if c.is_ascii_alphanumeric() || "-_.+".contains(c) => c,
            _ => '_',
        };
        let stem: String = id.text.chars().map(safe).take(MOST).collect();
        let stem = format!("{bundle}-{}", if stem.is_empty() { "no-id" } else { &stem });
        let extension = extension(id, data);
        // Systems that do not tell "A" from "a" must not overwrite one with the other.
        let times = self.0.entry(format!("{stem}.{extension}").to_lowercase()).or_default();
        *times += 1;
        match *times {
            1 => format!("{stem}.{extension}"),
            times => format!("{stem}~{times}.{extension}"),
        }
    }
}

fn extension(id: &EntryId<'_>, data: &[u8]) -> &'static str {
    if data.starts_with(BITCODE) {
        "bc"
    } else if id.is_spirv() {
        "spv"
    } else if id.is_amdgcn() {
        "co"
    } else {
        "bin"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_stable() {
        let mut names = Names::default();
        let long = "x".repeat(100_000);
        for (id, name) in [
            (
                "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
                "0-hipv4-amdgcn-amd-amdhsa--gfx90a@sramecc+@xnack-.co",
            ),
            ("host-x86_64-unknown-linux--", "0-host-x86_64-unknown-linux--.bin"),
            ("hip-spirv64-amd-amdhsa--amdgcnspirv", "0-hip-spirv64-amd-amdhsa--amdgcnspirv.spv"),
            ("../../etc/x", "0-.._.._etc_x.bin"),
            ("/etc/passwd", "0-_etc_passwd.bin"),
            ("C:\\x", "0-C@_x.bin"),
            ("..", "0-...bin"),
            ("", "0-no-id.bin"),
            ("", "0-no-id~2.bin"),
            ("a\0b\n", "0-a_b_.bin"),
            ("é", "0-_.bin"),
            ("same", "0-same.bin"),
            ("same", "0-same~2.bin"),
            ("SAME", "0-SAME~3.bin"),
            (&long, &format!("0-{}.bin", &long[..MOST])),
        ] {
            assert_eq!(names.name(0, &EntryId::parse(id), b""), name);
        }
        assert_eq!(names.name(7, &EntryId::parse("same"), BITCODE), "7-same.bc");
    }

    /// An ID that looks like a numbered name does not take the place of one.
    #[test]
    fn numbers_do_not_collide_with_ids() {
        let mut names = Names::default();
        let given: Vec<_> =
            ["a", "a", "a~2", "a_2"].map(|id| names.name(0, &EntryId::parse(id), b"")).to_vec();
        assert_eq!(given, ["0-a.bin", "0-a~2.bin", "0-a_2.bin", "0-a_2~2.bin"]);
    }
}
