//! `amdgpu-emu run`: the files of the devices in a folder of their own, the library before all others, the command.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use amdgpu_emu::tree::{FIRST_CACHE, Host};
use amdgpu_emu::{Chip, EmulatedGpu, Options};

use crate::signals;

/// The library's file.
const LIBRARY: &str = "libkfd_preload.so";
/// Status of a command that cannot be started, as shells have it.
const NOT_STARTED: u8 = 127;

/// The chips that were asked for.
pub fn chips(names: Option<&str>) -> Result<Vec<&'static Chip>, String> {
    let chips = names.map_or_else(Options::gpus_from_env, Options::gpus);
    chips.map_err(|error| match names {
        Some(names) => format!("`{names}` is no {}", error.expected),
        None => error.to_string(),
    })
}

/// The library: beside this program, or in the folder `lib` beside its folder.
fn library() -> Result<PathBuf, String> {
    let own =
        env::current_exe().and_then(fs::canonicalize).map_err(|error| format!("where am I? {error}"))?;
    let folder = own.parent().unwrap_or(Path::new("/"));
    let places = [folder.join(LIBRARY), folder.join("../lib").join(LIBRARY)];
    let found = places.iter().find(|path| path.is_file()).and_then(|path| path.canonicalize().ok());
    found.ok_or_else(|| format!("{LIBRARY} is neither in {0} nor in {0}/../lib", folder.display()))
}

/// Runs the command and returns its status: 128 and the signal's number if one ended it.
pub fn run(names: Option<&str>, trace: Option<&OsStr>, command: &[OsString]) -> Result<ExitCode, String> {
    let chips = chips(names)?;
    let options = Options::from_env().map_err(|error| error.to_string())?;
    let library = library()?;
    // Before there is a folder: whatever comes, it is removed.
    let signals = signals::catch().map_err(|error| format!("signals: {error}"))?;
    let root = tempfile::Builder::new().prefix("amdgpu-emu-").tempdir().map_err(|error| error.to_string())?;
    let host = Host {
        modules: fs::read_to_string("/proc/modules").unwrap_or_default(),
        lacks_processors: !Path::new(FIRST_CACHE).exists(),
    };
    let tree = EmulatedGpu::new(&chips, options).tree(&host);
    tree.write(root.path()).map_err(|error| format!("{}: {error}", root.path().display()))?;

    let (program, arguments) = command.split_first().ok_or("no command")?;
    let mut child = Command::new(program);
    child.args(arguments);
    let mut before = library.into_os_string();
    if let Some(others) = env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        before.push(":");
        before.push(others);
    }
    let names: Vec<_> = chips.iter().map(|chip| chip.name).collect();
    child.env("LD_PRELOAD", before).env(Options::ROOT, root.path()).env(Options::GPUS, names.join(","));
    if let Some(trace) = trace {
        // Named from here, wherever the command goes.
        let file = env::current_dir().map_or_else(|_| PathBuf::from(trace), |here| here.join(trace));
        fs::write(&file, "").map_err(|error| format!("{}: {error}", file.display()))?;
        child.env(Options::TRACE_IOCTL, file);
    }
    let mut started = match child.spawn() {
        Ok(started) => started,
        Err(error) => {
            eprintln!("amdgpu-emu: {}: {error}", program.display());
            return Ok(ExitCode::from(NOT_STARTED));
        }
    };
    signals::pass_on(signals, started.id());
    let status = started.wait().map_err(|error| error.to_string())?;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}
