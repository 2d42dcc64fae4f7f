//! Which device: the one place that chooses, and the only file that knows of the emulated GPU.
//!
//! `ROCRS_DEVICE = auto | kfd | emu[:CHIP[,CHIP...]]`. Whoever asks for hardware gets it or an error; whoever gets the
//! emulator without asking is told on stderr, unless `ROCRS_QUIET=1`.

use std::str::FromStr;
use std::sync::Arc;

use kfd_sys::Kfd;

use crate::dev::{KernelDevice, Paths};
use crate::topology::Topology;
use crate::{Error, Result, Thunk};

/// What `ROCRS_DEVICE` can say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DeviceChoice {
    /// Hardware if there is any, else the emulated GPU.
    #[default]
    Auto,
    /// Hardware.
    Kfd,
    /// Emulated GPUs of these names; without any, one that the program has code for.
    Emu(Vec<String>),
}

impl DeviceChoice {
    /// The name of the environment variable.
    pub const VARIABLE: &'static str = "ROCRS_DEVICE";

    /// What the environment says; [`DeviceChoice::Auto`] if nothing.
    pub fn from_env() -> Result<DeviceChoice> {
        match std::env::var_os(DeviceChoice::VARIABLE) {
            None => Ok(DeviceChoice::Auto),
            Some(text) => text.to_string_lossy().parse(),
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<DeviceChoice> {
        let wrong = || Error::DeviceChoice { text: text.to_owned() };
        match text.trim().split_once(':') {
            None => match text.trim() {
                "" | "auto" => Ok(DeviceChoice::Auto),
                "kfd" => Ok(DeviceChoice::Kfd),
                "emu" => Ok(DeviceChoice::Emu(Vec::new())),
                _ => Err(wrong()),
            },
            Some(("emu", chips)) => {
                let chips: Vec<String> = chips.split(',').map(|chip| chip.trim().to_owned()).collect();
                if chips.iter().any(String::is_empty) { Err(wrong()) } else { Ok(DeviceChoice::Emu(chips)) }
            }
            Some(_) => Err(wrong()),
        }
    }
}

/// How to open a device.
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// Which; `None` asks the environment.
    pub device: Option<DeviceChoice>,
    /// Target IDs that the program has code for, in the order in which they are wanted (`gfx90a:xnack-`).
    pub targets_hint: Vec<String>,
    /// Where the hardware's files are; `None` for the usual places.
    pub paths: Option<Paths>,
    /// Say nothing on stderr; `None` asks the environment (`ROCRS_QUIET=1`).
    pub quiet: Option<bool>,
}

impl Thunk {
    /// Opens the device that the options, or the environment, name.
    pub fn open(options: &OpenOptions) -> Result<Thunk> {
        let choice = match &options.device {
            Some(choice) => choice.clone(),
            None => DeviceChoice::from_env()?,
        };
        match choice {
            DeviceChoice::Kfd => Thunk::new(hardware(options)?),
            DeviceChoice::Emu(chips) => Thunk::new(emulated(options, &chips, None)?),
            DeviceChoice::Auto => match hardware(options) {
                Ok(kfd) => Thunk::new(kfd),
                Err(reason) => Thunk::new(emulated(options, &[], Some(&reason))?),
            },
        }
    }
}

/// The kernel's device, if it opens and lists a GPU.
fn hardware(options: &OpenOptions) -> Result<Arc<dyn Kfd>> {
    let device = KernelDevice::open(options.paths.clone().unwrap_or_default())?;
    if Topology::read(&device)?.gpus().next().is_none() {
        return Err(Error::NoGpu { device: device.name() });
    }
    Ok(Arc::new(device))
}

#[cfg(feature = "emu")]
fn emulated(options: &OpenOptions, names: &[String], no_hardware: Option<&Error>) -> Result<Arc<dyn Kfd>> {
    use std::io::Write as _;

    use amdgpu_emu::{EmulatedGpu, Options, chips};

    /// What is emulated when the program does not say what it has code for.
    const DEFAULT_CHIP: &str = "gfx90a";

    let known = || chips::names().collect::<Vec<_>>().join(", ");
    let chip = |name: &str| {
        chips::by_name(name).ok_or_else(|| Error::UnknownChip { name: name.to_owned(), known: known() })
    };
    let chosen = if names.is_empty() {
        let hinted = options.targets_hint.iter().find_map(|target| chips::by_name(processor(target)));
        vec![match hinted {
            Some(chip) => chip,
            None => chip(DEFAULT_CHIP)?,
        }]
    } else {
        names.iter().map(|name| chip(processor(name))).collect::<Result<Vec<_>>>()?
    };

    let quiet = options.quiet.unwrap_or_else(|| std::env::var_os("ROCRS_QUIET").is_some_and(|v| v == "1"));
    if !quiet {
        let names = chosen.iter().map(|chip| chip.name).collect::<Vec<_>>().join(", ");
        // A stderr that is closed is no reason to end the program.
        let line = format!("rocrs: {}emulating {names}\n", because(no_hardware));
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
    Ok(EmulatedGpu::new(
        &chosen,
        Options::from_env().map_err(|error| Error::EmulatorOption(error.to_string()))?,
    ))
}

#[cfg(not(feature = "emu"))]
fn emulated(_: &OpenOptions, _: &[String], no_hardware: Option<&Error>) -> Result<Arc<dyn Kfd>> {
    let reason = no_hardware.map_or_else(|| "emulation was asked for".to_owned(), Error::to_string);
    Err(Error::NoEmulator { reason })
}

/// The processor in a target ID, which may have a triple before it and features behind.
#[cfg(feature = "emu")]
fn processor(target: &str) -> &str {
    let id = target.rsplit("--").next().unwrap_or(target);
    id.split(':').next().unwrap_or(id).trim()
}

#[cfg(feature = "emu")]
fn because(no_hardware: Option<&Error>) -> String {
    match no_hardware {
        None => String::new(),
        Some(Error::Open { errno: kfd_sys::Errno::ENOENT, .. } | Error::NoGpu { .. }) => {
            "no AMD GPU here: ".to_owned()
        }
        Some(Error::Open { path, errno }) => format!("the AMD GPU here cannot be used ({path}: {errno}): "),
        Some(error) => format!("the AMD GPU here cannot be used ({error}): "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_is_read_as_documented() {
        let emu = |chips: &[&str]| DeviceChoice::Emu(chips.iter().map(|c| (*c).to_owned()).collect());
        for (text, choice) in [
            ("", DeviceChoice::Auto),
            ("auto", DeviceChoice::Auto),
            ("kfd", DeviceChoice::Kfd),
            ("emu", emu(&[])),
            ("emu:gfx90a", emu(&["gfx90a"])),
            (" emu:gfx90a, gfx942", emu(&["gfx90a", "gfx942"])),
        ] {
            assert_eq!(text.parse::<DeviceChoice>(), Ok(choice), "{text}");
        }
        for text in ["gpu", "emu:", "emu:gfx90a,,", "kfd:0", "EMU"] {
            assert_eq!(
                text.parse::<DeviceChoice>(),
                Err(Error::DeviceChoice { text: text.to_owned() }),
                "{text}"
            );
        }
    }

    #[cfg(feature = "emu")]
    #[test]
    fn a_target_id_names_its_processor() {
        for (target, name) in [
            ("gfx90a", "gfx90a"),
            ("gfx90a:sramecc+:xnack-", "gfx90a"),
            ("amdgcn-amd-amdhsa--gfx942:xnack-", "gfx942"),
        ] {
            assert_eq!(processor(target), name);
        }
    }
}
