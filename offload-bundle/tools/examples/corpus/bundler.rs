//! Lists of entries and payloads against `clang-offload-bundler-19 --list` and `--unbundle`.

use std::path::Path;
use std::process::Command;

use offload_bundle::{Bundle, Container, DEFAULT_LIMIT, Image, OffloadKind};

use crate::oracle::{Compared, run};

const TOOL: &str = "clang-offload-bundler-19";

/// Entries in order.
type Entries = Vec<(String, Vec<u8>)>;

/// Compares a fat binary. What that tool cannot read is counted by what it says.
pub fn compare(name: &str, bytes: &[u8], scratch: &Path, compared: &mut Compared) -> Result<(), String> {
    let path = scratch.join("sample.hipfb");
    std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    let entries = match Image::recognise(bytes).and_then(|image| entries(&image)) {
        Ok(entries) => entries,
        Err(error) => {
            compared.differences.push(format!("{name}: {error}"));
            return Ok(());
        }
    };
    let listed = match list(&path)? {
        Ok(listed) => listed,
        Err(why) => {
            compared.unread("bundle", &why);
            return Ok(());
        }
    };
    let expected = sorted(entries.iter().map(|(id, _)| id.as_str()));
    if sorted(listed.lines()) != expected {
        compared.bundles.add(false);
        compared.differences.push(format!("{name}: entries: ours {expected:?}, theirs {listed:?}"));
        return Ok(());
    }
    let device: Vec<_> = entries.iter().filter(|(id, data)| is_device(id) && !data.is_empty()).collect();
    if device.is_empty() {
        compared.bundles.add(true);
        return Ok(());
    }
    let file = |index: usize| scratch.join(format!("sample.{index}.co"));
    let mut command = Command::new(TOOL);
    let ids: Vec<&str> = device.iter().map(|(id, _)| id.as_str()).collect();
    command.args(["--unbundle", "--type=o"]).arg(format!("--input={}", path.display()));
    command.arg(format!("--targets={}", ids.join(",")));
    command.args((0..device.len()).map(|index| format!("--output={}", file(index).display())));
    let output = run(&mut command)?;
    if !output.status.success() {
        compared.unread("bundle", &format!("--unbundle: {}", first_line(&output.stderr)));
        return Ok(());
    }
    let mut equal = true;
    for (index, (id, data)) in device.iter().enumerate() {
        let path = file(index);
        let theirs = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        compared.payloads += 1;
        if theirs != *data {
            equal = false;
            compared.differences.push(format!("{name}: the bytes of {id} differ"));
        }
    }
    compared.bundles.add(equal);
    Ok(())
}

/// Compares the list of entries of a section with several fat binaries.
pub fn compare_section(name: &str, path: &Path, compared: &mut Compared) -> Result<(), String> {
    let file = rocm_binutils::File::open(path).map_err(|error| error.to_string())?;
    let mut images = Vec::new();
    for located in Image::walk(&file) {
        let ids = located.and_then(|located| entries(&located.image));
        match ids {
            Ok(entries) => images.push(entries.into_iter().map(|(id, _)| id).collect::<Vec<_>>()),
            Err(error) => {
                compared.differences.push(format!("{name}: {error}"));
                return Ok(());
            }
        }
    }
    let listed = match list(path)? {
        Ok(listed) => listed,
        Err(why) => {
            compared.unread("section", &why);
            return Ok(());
        }
    };
    let (theirs, all) = (sorted(listed.lines()), sorted(images.iter().flatten().map(String::as_str)));
    let first = sorted(images.iter().take(1).flatten().map(String::as_str));
    if theirs != all && theirs == first {
        compared.unread("section", "it lists the first bundle and passes the others over without a word");
        return Ok(());
    }
    compared.sections.add(theirs == all);
    if theirs != all {
        compared.differences.push(format!("{name}: {} entries, theirs {}", all.len(), theirs.len()));
    }
    Ok(())
}

/// Compares the list of entries of a program, library, object or archive.
pub fn compare_host(path: &Path, compared: &mut Compared) -> Result<(), String> {
    let file = rocm_binutils::File::open(path).map_err(|error| error.to_string())?;
    let listed = match list(path)? {
        Ok(listed) => listed,
        Err(why) => {
            compared.unread("host file", &why);
            return Ok(());
        }
    };
    let mut ids = Vec::new();
    for located in Container::parse(&file).map_err(|error| error.to_string())?.images() {
        let entries =
            located.and_then(|located| entries(&located.image)).map_err(|error| error.to_string())?;
        ids.extend(entries.into_iter().map(|(id, _)| id));
    }
    let equal = sorted(listed.lines()) == sorted(ids.iter().map(String::as_str));
    compared.hosts.add(equal);
    if !equal {
        compared.differences.push(format!("{}: entries: theirs {listed:?}", path.display()));
    }
    Ok(())
}

/// What `--list` prints, or why it does not.
fn list(path: &Path) -> Result<Result<String, String>, String> {
    let input = format!("--input={}", path.display());
    let output = run(Command::new(TOOL).args(["--list", "--type=o", &input]))?;
    if !output.status.success() {
        return Ok(Err(first_line(&output.stderr)));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(if text.is_empty() { Err("--list succeeds and prints nothing".to_owned()) } else { Ok(text) })
}

fn sorted<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut ids: Vec<&str> = ids.collect();
    ids.sort_unstable();
    ids
}

fn is_device(id: &str) -> bool {
    let kind = offload_bundle::EntryId::parse(id).kind;
    kind != OffloadKind::Host
}

fn entries(image: &Image<'_>) -> Result<Entries, offload_bundle::Error> {
    let all = |bundle: Bundle<'_>| {
        bundle.entries().map(|entry| (entry.id.text.to_owned(), entry.data.to_vec())).collect()
    };
    match image {
        Image::Raw(bundle) => Ok(all(*bundle)),
        Image::Compressed(compressed) => Ok(all(Bundle::parse(&compressed.decompress(DEFAULT_LIMIT)?)?)),
        _ => Ok(Entries::new()),
    }
}

/// What the tool says, without names of files.
fn first_line(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("fails without a word");
    let words = line.split_whitespace().filter(|word| !word.contains('/'));
    words.collect::<Vec<_>>().join(" ")
}
