//! Compiles one HIP source to a program, once for the same text, flags and compiler.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::Mutex;

use crate::error::Error;
use crate::toolchain::Toolchain;
use crate::{Driver, exec, overlay, workspace};

/// Compilers that are set up for a set of chips.
pub struct Compilers {
    tools: Mutex<Tools>,
    dist: PathBuf,
}

struct Tools {
    found: Toolchain,
    /// What was set up for a driver and a set of chips.
    ready: HashMap<(Driver, Vec<String>), Setup>,
}

/// A driver, ready for a set of chips.
#[derive(Clone)]
struct Setup {
    program: PathBuf,
    device_libs: PathBuf,
    /// For `HIP_CLANG_PATH`.
    clang_bin: Option<PathBuf>,
}

/// One program to be made.
#[derive(Debug, Clone)]
pub struct Job<'a> {
    /// The HIP source.
    pub source: &'a Path,
    /// Which driver compiles it.
    pub driver: Driver,
    /// The target IDs to make code for.
    pub chips: Vec<String>,
    /// The digit of `-O`.
    pub opt: u8,
    /// Further flags.
    pub flags: Vec<String>,
}

impl Compilers {
    /// Finds the toolchain; `dist` is the folder of our libraries.
    pub fn find(dist: &Path) -> Result<Compilers, Error> {
        let tools = Tools { found: Toolchain::find()?, ready: HashMap::new() };
        Ok(Compilers { tools: Mutex::new(tools), dist: dist.to_path_buf() })
    }

    /// Compiles, or returns the program that was compiled before. What the compiler said is passed on.
    pub fn compile(&self, job: &Job<'_>) -> Result<(PathBuf, String), Error> {
        let mut command = self.command(job)?;
        let folder = workspace::target().join("hip");
        workspace::make_dir(&folder)?;
        let mut parts: Vec<Vec<u8>> = vec![exec::line(&command).into_bytes()];
        for path in sources(job.source)? {
            parts.push(fs::read(&path).map_err(Error::at(&path))?);
        }
        let key = workspace::key(parts.iter().map(Vec::as_slice));
        let out = folder.join(format!("{}-{key}", workspace::stem(job.source)));
        if out.exists() {
            return Ok((out, String::new()));
        }
        // Another thread, or another process, may make the same program.
        let maker = format!("{}.{:?}", process::id(), std::thread::current().id());
        let maker: String = maker.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
        let made = folder.join(format!("{}-{key}.{maker}", workspace::stem(job.source)));
        command.arg("-o").arg(&made);
        let output = exec::quiet(&mut command)?;
        fs::rename(&made, &out).map_err(Error::at(&out))?;
        Ok((out, String::from_utf8_lossy(&output.stderr).into_owned()))
    }

    /// The compiler's command line, without the output.
    fn command(&self, job: &Job<'_>) -> Result<Command, Error> {
        let mut tools = self.tools.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let setup = tools.setup(job.driver, &job.chips)?;
        let mut command = Command::new(&setup.program);
        match job.driver {
            Driver::Clang => {
                command.arg("--hip-link").arg(format!("--rocm-path={}", tools.found.rocm.display()));
                command.args(["-x", "hip"]).arg(job.source);
                // The vendor's library when it is there, so that our names are held against its names; else ours.
                match &tools.found.hip_lib {
                    Some(dir) => command.arg("-L").arg(dir).arg("-lamdhip64"),
                    None => command
                        .args(["-x", "none"])
                        .arg(self.dist.join(format!("libamdhip64.so.{}", tools.found.hip_major))),
                };
            }
            Driver::Hipcc => {
                if let Some(bin) = &setup.clang_bin {
                    command.env("HIP_CLANG_PATH", bin);
                }
                command.arg(job.source);
            }
        }
        command.arg(format!("--hip-device-lib-path={}", setup.device_libs.display()));
        command.args(job.chips.iter().map(|chip| format!("--offload-arch={chip}")));
        command.arg(format!("-O{}", job.opt)).args(&job.flags);
        Ok(command)
    }
}

impl Tools {
    /// Makes a driver ready for chips, once.
    fn setup(&mut self, driver: Driver, chips: &[String]) -> Result<Setup, Error> {
        let key = (driver, chips.to_vec());
        if let Some(ready) = self.ready.get(&key) {
            return Ok(ready.clone());
        }
        let device_libs = overlay::device_libs(&self.found, chips)?;
        let setup = match driver {
            Driver::Clang => Setup { program: self.found.clang.clone(), device_libs, clang_bin: None },
            Driver::Hipcc => {
                let program = self.found.hipcc()?;
                let clang_bin = overlay::hipcc_clang(&self.found, &program, chips)?;
                Setup { program, device_libs, clang_bin }
            }
        };
        self.ready.insert(key, setup.clone());
        Ok(setup)
    }
}

/// The source with every file that it includes in quotes, directly or by way of another.
fn sources(source: &Path) -> Result<BTreeSet<PathBuf>, Error> {
    let mut found = BTreeSet::new();
    let mut todo = vec![source.to_path_buf()];
    while let Some(path) = todo.pop() {
        if !found.insert(path.clone()) {
            continue;
        }
        let bytes = fs::read(&path).map_err(Error::at(&path))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let text = String::from_utf8_lossy(&bytes);
        let included = text.lines().filter_map(|line| {
            let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
            rest.trim_start().strip_prefix('"')?.split('"').next()
        });
        todo.extend(included.map(|name| folder.join(name)).filter(|path| path.is_file()));
    }
    Ok(found)
}
