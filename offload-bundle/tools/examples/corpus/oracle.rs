//! Comparing with `llvm-readelf-19` and `clang-offload-bundler-19`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use amd_codeobj::{CodeObject, Symbol, SymbolKind};
use serde::Serialize;

use crate::bundler;
use crate::check::Samples;
use crate::progress::Progress;

/// What was compared, and what differed.
#[derive(Default, Serialize)]
pub struct Compared {
    pub metadata: Count,
    pub symbols: Count,
    /// Lists of entries and payloads of single bundles.
    pub bundles: Count,
    /// Lists of entries of sections with several bundles.
    pub sections: Count,
    /// Lists of entries of programs, libraries, objects and archives.
    pub hosts: Count,
    /// Payloads compared, of bundles and sections.
    pub payloads: usize,
    /// What LLVM's bundler does not read, by what it says.
    pub unread: BTreeMap<String, usize>,
    pub differences: Vec<String>,
}

impl Compared {
    pub fn unread(&mut self, kind: &str, what: &str) {
        *self.unread.entry(format!("{kind}: {what}")).or_default() += 1;
    }
}

/// So many were equal, of so many that the other tool reads.
#[derive(Default, Serialize)]
pub struct Count {
    pub equal: usize,
    pub of: usize,
}

impl Count {
    pub fn add(&mut self, equal: bool) {
        self.of += 1;
        self.equal += usize::from(equal);
    }
}

/// Runs a tool. One that is missing is an error with the way out.
pub fn run(command: &mut Command) -> Result<Output, String> {
    command.output().map_err(|error| {
        let program = command.get_program().to_string_lossy();
        format!("cannot run {program}: {error}; install it with: apt-get install -y clang-19 clang-tools-19 lld-19 llvm-19")
    })
}

pub fn compare(samples: Samples, scratch: &Path, progress: &Progress) -> Result<Compared, String> {
    let mut compared = Compared::default();
    let objects = samples.objects.into_chosen();
    progress.begin("readelf", objects.len());
    for (name, bytes) in objects {
        progress.step(name.clone());
        let path = scratch.join("sample.co");
        std::fs::write(&path, &bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        object(&name, &bytes, &path, &mut compared)?;
    }
    let bundles = samples.bundles.into_chosen();
    progress.begin("bundler", bundles.len() + samples.hosts.len() + samples.sections.len());
    for (name, bytes) in &bundles {
        progress.step(name.clone());
        bundler::compare(name, bytes, scratch, &mut compared)?;
    }
    for path in &samples.hosts {
        progress.step(path.display().to_string());
        bundler::compare_host(path, &mut compared)?;
    }
    for (name, path) in &samples.sections {
        progress.step(name.clone());
        bundler::compare_section(name, path, &mut compared)?;
        // A section can be as large as a library; it has served.
        let _ = std::fs::remove_file(path);
    }
    Ok(compared)
}

/// Metadata and symbols of a code object.
fn object(name: &str, bytes: &[u8], path: &Path, compared: &mut Compared) -> Result<(), String> {
    let Ok(object) = CodeObject::parse(bytes) else { return Ok(()) };
    let output = run(Command::new("llvm-readelf-19").args(["--notes", "--symbols"]).arg(path))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        compared.differences.push(format!("{name}: llvm-readelf-19: {}", said.trim()));
        return Ok(());
    }
    let ours = object.metadata_yaml().unwrap_or_else(|error| error.to_string());
    let theirs = metadata(&text, object.version());
    let equal = Some(ours.as_str()) == theirs.as_deref();
    compared.metadata.add(equal);
    if !equal {
        let difference = first_difference(&ours, theirs.as_deref().unwrap_or("none"));
        compared.differences.push(format!("{name}: metadata: {difference}"));
    }
    let (ours, theirs) = (our_symbols(&object)?, their_symbols(&text));
    let equal = ours == theirs;
    compared.symbols.add(equal);
    if !equal {
        let text = |tables: &Tables| format!("{tables:#?}");
        let difference = first_difference(&text(&ours), &text(&theirs));
        compared.differences.push(format!("{name}: symbols: {difference}"));
    }
    Ok(())
}

/// The metadata that readelf prints.
fn metadata(text: &str, version: u8) -> Option<String> {
    let (before, after) = match version {
        2 => ("    AMD HSA Metadata:\n        ", "\n...\n"),
        _ => ("    AMDGPU Metadata:\n        ", "\n...\n"),
    };
    let (_, text) = text.split_once(before)?;
    let end = text.find(after)? + after.len();
    Some(text[..end].to_owned())
}

fn first_difference(ours: &str, theirs: &str) -> String {
    let differ = |(ours, theirs): &(&str, &str)| ours != theirs;
    match ours.lines().zip(theirs.lines()).find(differ) {
        Some((ours, theirs)) => format!("ours {ours:?}, theirs {theirs:?}"),
        None => format!("ours has {} lines, theirs {}", ours.lines().count(), theirs.lines().count()),
    }
}

/// Lines of symbol tables, by the name of the table.
type Tables = BTreeMap<String, Vec<[String; 8]>>;

fn our_symbols(object: &CodeObject<'_>) -> Result<Tables, String> {
    let text = |error: amd_codeobj::Error| error.to_string();
    let mut sections = Vec::new();
    for section in object.sections() {
        sections.push(section.map_err(text)?.name);
    }
    let line = |symbol: Symbol<'_>| {
        let name = match (symbol.kind, symbol.name) {
            // A symbol of a section has that one's name.
            (SymbolKind::SECTION, "") => sections.get(usize::from(symbol.section)).copied().unwrap_or(""),
            (_, name) => name,
        };
        let section = match symbol.section {
            0 => "UND".to_owned(),
            0xfff1 => "ABS".to_owned(),
            0xfff2 => "COM".to_owned(),
            index => index.to_string(),
        };
        let kind = symbol.kind.to_string();
        [
            symbol.index.to_string(),
            format!("{:016x}", symbol.value),
            symbol.size.to_string(),
            kind,
            symbol.binding.to_string(),
            symbol.visibility.to_string(),
            section,
            name.to_owned(),
        ]
    };
    let mut tables = Tables::new();
    for name in [".dynsym", ".symtab"] {
        if !sections.contains(&name) {
            continue;
        }
        let symbols = if name == ".dynsym" { object.symbols() } else { object.all_symbols() };
        let lines = symbols.map_err(text)?.map(|symbol| symbol.map(line));
        tables.insert(name.to_owned(), lines.collect::<Result<_, _>>().map_err(text)?);
    }
    Ok(tables)
}

fn their_symbols(text: &str) -> Tables {
    let mut tables = Tables::new();
    let mut table: Option<&mut Vec<[String; 8]>> = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("Symbol table '") {
            let name = rest.split('\'').next().unwrap_or_default();
            table = Some(tables.entry(name.to_owned()).or_default());
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(index) = words.first().and_then(|word| word.strip_suffix(':')) else { continue };
        let (Some(table), true) = (table.as_mut(), index.bytes().all(|byte| byte.is_ascii_digit())) else {
            continue;
        };
        // The null symbol, which ours leave out.
        if index == "0" || words.len() < 7 {
            continue;
        }
        let mut line = [""; 8];
        line[0] = index;
        line[1..words.len().min(8)].copy_from_slice(&words[1..words.len().min(8)]);
        table.push(line.map(str::to_owned));
    }
    tables
}
