//! Whose libraries a program runs on, and on which device: the command that starts it.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;

use crate::run;

/// The libraries above the kernel boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Stack {
    /// Those of this workspace
    Ours,
    /// AMD's, as Debian ships them
    Vendor,
}

/// What programs run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Device {
    /// The emulated device, in the process
    Emu,
    /// Hardware
    Kfd,
    /// The emulated device behind /dev/kfd
    Preload,
}

impl Device {
    /// The word of the command line.
    pub fn name(self) -> &'static str {
        match self {
            Device::Emu => "emu",
            Device::Kfd => "kfd",
            Device::Preload => "preload",
        }
    }
}

/// Whose thunk AMD's HIP and HSA runtimes run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Thunk {
    /// The one of this workspace, `libhsakmt.so.1`
    Ours,
    /// AMD's, as Debian ships it
    Vendor,
    /// The one inside the HSA runtime of this workspace, `libhsa-runtime64.so.1`, which takes the place of AMD's
    #[value(skip)]
    InOurRocr,
}

impl Thunk {
    /// A word for tables.
    pub fn suffix(self) -> &'static str {
        match self {
            Thunk::Ours => " our thunk",
            Thunk::InOurRocr => " our ROCr",
            Thunk::Vendor => "",
        }
    }
}

/// Whose HSA runtime AMD's HIP and rocminfo run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Rocr {
    /// The one of this workspace, `libhsa-runtime64.so.1`
    Ours,
    /// AMD's, as Debian ships it
    Vendor,
}

/// How AMD's runtime copies memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copies {
    /// As it likes: with SDMA where that is possible.
    Sdma,
    /// With kernels (`HSA_ENABLE_SDMA=0`).
    Kernels,
}

impl Copies {
    /// Both ways.
    pub const ALL: &[Copies] = &[Copies::Sdma, Copies::Kernels];

    /// A word for tables.
    pub fn name(self) -> &'static str {
        match self {
            Copies::Sdma => "sdma",
            Copies::Kernels => "blit",
        }
    }
}

/// The program that starts others on the emulated device, in the folder of linked libraries.
pub fn starter(dist: &Path) -> PathBuf {
    dist.join("../bin/amdgpu-emu")
}

/// A command that runs `program` with the emulated device behind `/dev/kfd`.
pub fn behind_kfd(dist: &Path, chips: &str, program: &Path) -> Command {
    let mut command = Command::new(starter(dist));
    command.args(["run", "--gpu", chips, "--"]).arg(program);
    command
}

/// A command that runs `program` on our libraries and on that device, with those chips, separated by commas.
pub fn ours(dist: &Path, device: Device, chips: &str, program: &Path) -> Command {
    let (mut command, choice) = match device {
        Device::Preload => (behind_kfd(dist, chips, program), "kfd".to_owned()),
        Device::Kfd => (Command::new(program), "kfd".to_owned()),
        Device::Emu => (Command::new(program), format!("emu:{chips}")),
    };
    command.env("ROCRS_DEVICE", choice);
    run::on_our_libraries(&mut command, dist);
    command
}

/// Of AMD's libraries, those that `command` runs on: all, all but the thunk, or HIP only.
pub fn on_vendors_libraries(command: &mut Command, dist: &Path, thunk: Thunk) {
    match thunk {
        Thunk::Vendor => run::without_our_libraries(command),
        Thunk::Ours | Thunk::InOurRocr => {
            let folder = if thunk == Thunk::Ours { "../thunk" } else { "../rocr" };
            run::on_our_libraries(command, &dist.join(folder));
            // No silent way out: it shall be the device behind `/dev/kfd`.
            command.env("ROCRS_DEVICE", "kfd");
        }
    }
}

/// A command that runs `program` on AMD's libraries and on the emulated device, with those chips, separated by commas.
pub fn vendor(dist: &Path, chips: &str, copies: Copies, thunk: Thunk, program: &Path) -> Command {
    let mut command = behind_kfd(dist, chips, program);
    on_vendors_libraries(&mut command, dist, thunk);
    if copies == Copies::Kernels {
        command.env("HSA_ENABLE_SDMA", "0");
    }
    command
}
