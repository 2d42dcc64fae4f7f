//! `cargo xtask tidy`: the house rules that no compiler checks. Each rule is one function below.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::error::Error;
use crate::{exec, workspace};

/// Longest file of code, in lines; a file whose opening comment says "Pure data" may be longer.
const LONGEST: usize = 800;

/// Where a generation or a chip may be told from another by its number.
const KNOWS_NUMBERS: &[&str] = &["/chips/", "/gens/", "/gfx.rs", "/chips.rs"];

/// Folders that are no layer: they may hold global state and compare what they like.
const NO_LAYER: &[&str] = &["xtask/", "tests/"];

/// Runs all rules on all files that git knows or would add.
pub fn run() -> Result<ExitCode, Error> {
    let mut faults = Vec::new();
    let listed = unsafe_list(&mut faults)?;
    let paths = tracked()?;
    for path in &paths {
        let full = workspace::root().join(path);
        let Ok(text) = std::fs::read_to_string(&full) else { continue };
        let mut fault = |line: usize, what: String| faults.push(format!("{path}:{line}: {what}"));
        machine_paths(&text, &mut fault);
        if path.ends_with(".rs") {
            let code = code_of(&text);
            opening(&text, &mut fault);
            length(&text, &mut fault);
            unsafe_code(path, &text, &code, &listed, &mut fault);
            left_over(&code, &mut fault);
            if !NO_LAYER.iter().any(|folder| path.starts_with(folder)) && !is_test(path) {
                numbers(path, &text, &mut fault);
                global_state(path, &code, &mut fault);
            }
        }
        if path.ends_with(".md") {
            doc_paths(path, &text, &mut fault);
        }
        if path.ends_with("Cargo.toml") && *path != "Cargo.toml" {
            manifest(&text, &mut fault);
        }
    }
    for file in
        ["LICENSE", "LICENSE-MIT", "LICENSE-APACHE", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
    {
        if !paths.iter().any(|path| path == file) {
            faults.push(format!("{file}: is missing"));
        }
    }
    Ok(verdict("tidy", &faults))
}

/// Prints the faults on stderr and turns them into an exit status.
pub fn verdict(name: &str, faults: &[String]) -> ExitCode {
    for fault in faults {
        eprintln!("{fault}");
    }
    if faults.is_empty() {
        eprintln!("xtask: {name}: good");
        ExitCode::SUCCESS
    } else {
        eprintln!("xtask: {name}: {} faults", faults.len());
        ExitCode::FAILURE
    }
}

/// Every file that git knows or would add, from the root.
pub fn tracked() -> Result<Vec<String>, Error> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-co", "--exclude-standard"]).current_dir(workspace::root());
    let mut paths: Vec<String> = exec::text(&mut git)?.lines().map(str::to_owned).collect();
    paths.retain(|path| workspace::root().join(path).is_file());
    paths.sort();
    paths.dedup();
    Ok(paths)
}

/// The words of a line: runs of letters, digits and underscores.
pub fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Rust text with comments and the contents of literals blanked out; lines stay where they are.
pub fn code_of(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut i = 0;
    let blank = |out: &mut String, c: char| out.push(if c == '\n' { '\n' } else { ' ' });
    while i < chars.len() {
        let rest = &chars[i..];
        let end = match rest {
            ['/', '/', ..] => rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()),
            ['/', '*', ..] => block_comment(rest),
            ['"', ..] => string(rest),
            ['r', '"' | '#', ..] if !i.checked_sub(1).is_some_and(|p| is_word(chars[p])) => raw_string(rest),
            ['\'', '\\', ..] => 2 + rest[2..].iter().skip(1).position(|c| *c == '\'').map_or(0, |p| p + 2),
            ['\'', _, '\'', ..] => 3,
            _ => 0,
        };
        if end == 0 {
            out.push(chars[i]);
            i += 1;
        } else {
            chars[i..(i + end).min(chars.len())].iter().for_each(|c| blank(&mut out, *c));
            i += end;
        }
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn block_comment(rest: &[char]) -> usize {
    let (mut depth, mut i) = (0usize, 0);
    while i < rest.len() {
        match rest[i..] {
            ['/', '*', ..] => (depth, i) = (depth + 1, i + 2),
            ['*', '/', ..] => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            break;
        }
    }
    i
}

fn string(rest: &[char]) -> usize {
    let mut i = 1;
    while i < rest.len() && rest[i] != '"' {
        i += if rest[i] == '\\' { 2 } else { 1 };
    }
    i + 1
}

fn raw_string(rest: &[char]) -> usize {
    let hashes = rest[1..].iter().take_while(|c| **c == '#').count();
    if rest.get(1 + hashes) != Some(&'"') {
        return 0;
    }
    let close: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let body = 2 + hashes;
    rest[body..].windows(close.len()).position(|w| w == close).map_or(rest.len(), |p| body + p + close.len())
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.contains("/benches/") || path.ends_with("/tests.rs")
}

type Fault<'a> = &'a mut dyn FnMut(usize, String);

/// Each file opens with what it is.
fn opening(text: &str, fault: Fault<'_>) {
    if !text.starts_with("//!") {
        fault(1, "must open with `//!`: what it is, which header or manual section it answers to".to_owned());
    }
}

/// No file of code is too long to read.
fn length(text: &str, fault: Fault<'_>) {
    let lines = text.lines().count();
    let pure_data =
        text.lines().take_while(|line| line.starts_with("//!")).any(|line| line.contains("Pure data"));
    if lines > LONGEST && !pure_data {
        fault(
            lines,
            format!("{lines} lines; at most {LONGEST} (aim at 300), unless its `//!` says \"Pure data\""),
        );
    }
}

/// The paths of `unsafe.txt`.
fn unsafe_list(faults: &mut Vec<String>) -> Result<BTreeMap<String, usize>, Error> {
    let mut listed = BTreeMap::new();
    let text = workspace::read(&workspace::root().join("unsafe.txt"))?;
    for (number, line) in
        text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    {
        let (path, reason) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if reason.trim().is_empty() {
            faults.push(format!("unsafe.txt:{}: no reason given for {path}", number + 1));
        }
        if !workspace::root().join(path).is_file() {
            faults.push(format!("unsafe.txt:{}: no file {path}", number + 1));
        }
        listed.insert(path.to_owned(), number + 1);
    }
    Ok(listed)
}

/// `unsafe` stands in listed files only, and each block says what is trusted.
fn unsafe_code(path: &str, text: &str, code: &str, listed: &BTreeMap<String, usize>, fault: Fault<'_>) {
    let is_listed = listed.contains_key(path);
    // The type of an unsafe function needs no trust; its call does.
    let is_type = |after: &str| {
        let dense: String = after.chars().filter(|c| !c.is_whitespace()).take(10).collect();
        dense.starts_with("fn(") || dense.starts_with("externfn(")
    };
    let mentions: Vec<(usize, &str)> = code
        .lines()
        .enumerate()
        .filter(|(_, line)| words(line).any(|word| word == "unsafe"))
        .filter_map(|(n, line)| Some((n, line.split_once("unsafe")?.1)))
        .collect();
    let uses: Vec<(usize, &str)> = mentions.iter().copied().filter(|(_, after)| !is_type(after)).collect();
    if !is_listed {
        if let Some((first, _)) = uses.first() {
            fault(first + 1, "`unsafe` in a file that is not listed in unsafe.txt".to_owned());
        }
        return;
    }
    if mentions.is_empty() {
        fault(1, "is listed in unsafe.txt, but holds no `unsafe`".to_owned());
    }
    // rustfmt may set the attribute on several lines.
    let dense: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    if !uses.is_empty() && !dense.contains("allow(unsafe_code,reason=") {
        fault(1, "must hold `#![allow(unsafe_code, reason = \"…\")]`".to_owned());
    }
    let lines: Vec<&str> = text.lines().collect();
    for (n, after) in uses {
        let after = after.trim_start();
        let is_block = after.starts_with('{') || after.starts_with("impl ") || after.starts_with("impl<");
        if is_block && !lines[n.saturating_sub(12)..=n].iter().any(|line| line.contains("SAFETY:")) {
            fault(n + 1, "an `unsafe` block without `// SAFETY:`".to_owned());
        }
    }
}

/// Nothing half done is left behind.
fn left_over(code: &str, fault: Fault<'_>) {
    for (n, line) in code.lines().enumerate() {
        for macro_name in ["todo", "unimplemented", "dbg"] {
            let mut found = line.match_indices(macro_name);
            if found.any(|(at, _)| {
                line[at + macro_name.len()..].starts_with("!(") && !line[..at].ends_with(is_word)
            }) {
                fault(n + 1, format!("`{macro_name}!` left behind"));
            }
        }
        if line.contains("static mut ") {
            fault(n + 1, "`static mut`".to_owned());
        }
    }
}

/// Generations and chips are data: code asks for a named property, it compares no numbers of them.
fn numbers(path: &str, text: &str, fault: Fault<'_>) {
    if KNOWS_NUMBERS.iter().any(|part| path.contains(part)) {
        return;
    }
    let quote = "\"gfx";
    for (n, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("#[cfg(test)]") {
            return;
        }
        let code = line.trim_start();
        if code.starts_with("//") {
            continue;
        }
        let compares = line.match_indices(quote).any(|(at, _)| {
            let before = line[..at].trim_end();
            let after = line[at + 1..].split_once('"').map_or("", |(_, rest)| rest).trim_start();
            let has_digit = line[at + quote.len()..].starts_with(|c: char| c.is_ascii_digit());
            let called =
                before.ends_with("starts_with(") || before.ends_with("eq(") || before.ends_with("contains(");
            has_digit
                && (before.ends_with("==") || before.ends_with("!=") || called || after.starts_with("=>"))
        });
        let ladder = ["gfx_major", "gfx_version", "gfx_target_version"].iter().any(|name| {
            line.match_indices(name).any(|(at, _)| {
                let after = line[at + name.len()..].trim_start_matches("()").trim_start();
                ["== ", "!= ", ">= ", "<= ", "< ", "> "].iter().any(|op| {
                    after
                        .strip_prefix(op)
                        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() && c != '0'))
                })
            })
        });
        if compares || ladder {
            fault(
                n + 1,
                "compares gfx numbers: ask the chip or the generation for a named property".to_owned(),
            );
        }
    }
}

/// What a signal handler goes by: handlers are the process's, not a device's.
const SIGNAL_HANDLERS: &[&str] = &["emu/gpu/src/vm/guard.rs"];

/// Layers have no process-global state; a library's C front has one static, in `state.rs`.
fn global_state(path: &str, code: &str, fault: Fault<'_>) {
    if path.ends_with("/state.rs") || SIGNAL_HANDLERS.contains(&path) {
        return;
    }
    let cells = ["Mutex<", "RwLock<", "OnceLock<", "OnceCell<", "LazyLock<", "Atomic", "RefCell<"];
    for (n, line) in code.lines().enumerate() {
        let item = line.trim_start().trim_start_matches("pub(crate) ").trim_start_matches("pub ");
        let is_static = item.starts_with("static ");
        if is_static && cells.iter().any(|cell| line.contains(cell)) {
            fault(
                n + 1,
                "process-global state in a layer (only a C front's `state.rs` may hold one static)"
                    .to_owned(),
            );
        }
    }
}

/// Paths of one machine say nothing on another.
fn machine_paths(text: &str, fault: Fault<'_>) {
    for (n, line) in text.lines().enumerate() {
        for room in ["root", "work", "home"] {
            let prefix = format!("/{room}/");
            let is_own = line.match_indices(&prefix).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                let starts_path = !before.is_some_and(|c| is_word(c) || ".-})>/".contains(c));
                starts_path
                    && line[at + prefix.len()..].starts_with(|c: char| c.is_ascii_lowercase() || c == '.')
            });
            if is_own {
                fault(n + 1, format!("a path of one machine (`{prefix}…`)"));
            }
        }
    }
}

/// What the documents point at exists.
fn doc_paths(path: &str, text: &str, fault: Fault<'_>) {
    let root = workspace::root();
    let folder = root.join(path).parent().map(Path::to_path_buf).unwrap_or_default();
    let mut fenced = false;
    for (n, line) in text.lines().enumerate() {
        fenced ^= line.trim_start().starts_with("```");
        if fenced {
            continue;
        }
        let ticked = line.split('`').skip(1).step_by(2).filter(|word| is_path(word));
        let linked = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let linked = linked.map(|link| link.split('#').next().unwrap_or(link));
        let linked = linked.filter(|link| !link.is_empty() && !link.contains("://"));
        for target in ticked.chain(linked) {
            if !root.join(target).exists() && !folder.join(target).exists() {
                fault(n + 1, format!("`{target}` does not exist"));
            }
        }
    }
}

/// Whether a word in backticks is a path into the workspace: plain characters, and a first part that stands at the root.
fn is_path(word: &str) -> bool {
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
    let first = word.split('/').next().unwrap_or_default();
    plain
        && word.contains('/')
        && !first.is_empty()
        && first != "target"
        && workspace::root().join(first).exists()
}

/// Every crate of the workspace has its licence and lints; the fuzz targets are a workspace of their own.
fn manifest(text: &str, fault: Fault<'_>) {
    if text.contains("\n[workspace]\n") {
        return;
    }
    for needed in ["license.workspace = true", "[lints]\nworkspace = true"] {
        if !text.contains(needed) {
            fault(1, format!("lacks `{}`", needed.replace('\n', " ")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked() {
        let text =
            "a /* unsafe /* x */ */ b // unsafe\n\"unsafe \\\" \" 'c' '\\'' r#\"un\"safe\"# unsafe 'a: loop";
        let code = code_of(text);
        assert_eq!(code.lines().count(), 2);
        assert_eq!(words(&code).collect::<Vec<_>>(), ["a", "b", "unsafe", "a", "loop"]);
    }

    #[test]
    fn gfx_comparisons_are_found() {
        let found = |line: &str| {
            let mut count = 0;
            numbers("rocr-rs/src/agent.rs", line, &mut |_, _| count += 1);
            count
        };
        assert_eq!(found("if name == \"gfx90a\" {"), 1);
        assert_eq!(found("\"gfx942\" => 3,"), 1);
        assert_eq!(found("name.starts_with(\"gfx9\")"), 1);
        assert_eq!(found("if gfx_major >= 10 {"), 1);
        assert_eq!(found("name.strip_prefix(\"gfx\")"), 0);
        assert_eq!(found("// if name == \"gfx90a\""), 0);
    }

    #[test]
    fn paths_of_machines_are_found() {
        let found = |line: &str| {
            let mut count = 0;
            machine_paths(line, &mut |_, _| count += 1);
            count
        };
        let home = ["/", "home", "/", "me"].concat();
        assert_eq!(found(&format!("see {home}/x")), 1);
        assert_eq!(found(&format!("https://example.org{home}")), 0);
    }
}
