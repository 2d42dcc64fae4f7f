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
    /// Where programs are kept.
    folder: PathBuf,
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
    /// What it is made of: a program that another compiler made, or with other libraries, is another program.
    versions: String,
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
        let folder = workspace::target().join("hip");
        Ok(Compilers { tools: Mutex::new(tools), dist: dist.to_path_buf(), folder })
    }

    /// Compiles, or returns the program that was compiled before; with what the compiler said about it then.
    pub fn compile(&self, job: &Job<'_>) -> Result<(PathBuf, String), Error> {
        let (mut command, versions) = self.command(job)?;
        let folder = &self.folder;
        workspace::make_dir(folder)?;
        let mut parts: Vec<Vec<u8>> = vec![exec::line(&command).into_bytes(), versions.into_bytes()];
        for path in sources(job.source)? {
            parts.push(fs::read(&path).map_err(Error::at(&path))?);
        }
        let key = workspace::key(parts.iter().map(Vec::as_slice));
        let out = folder.join(format!("{}-{key}", workspace::stem(job.source)));
        let words = out.with_extension("said");
        if out.exists() {
            return Ok((out, workspace::read(&words)?));
        }
        // Another thread, or another process, may make the same program.
        let maker = format!("{}.{:?}", process::id(), std::thread::current().id());
        let maker: String = maker.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
        let made = folder.join(format!("{}-{key}.{maker}", workspace::stem(job.source)));
        command.arg("-o").arg(&made);
        let output = exec::quiet(&mut command)?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let kept = folder.join(format!("{}-{key}.{maker}.said", workspace::stem(job.source)));
        fs::write(&kept, &said).map_err(Error::at(&kept))?;
        // The program last: where it is, its words are too.
        fs::rename(&kept, &words).map_err(Error::at(&words))?;
        fs::rename(&made, &out).map_err(Error::at(&out))?;
        Ok((out, said))
    }

    /// The compiler's command line, without the output; and the versions of all that takes part.
    fn command(&self, job: &Job<'_>) -> Result<(Command, String), Error> {
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
        Ok((command, setup.versions))
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
        let (program, clang_bin) = match driver {
            Driver::Clang => (self.found.clang.clone(), None),
            Driver::Hipcc => {
                let program = self.found.hipcc()?;
                let clang_bin = overlay::hipcc_clang(&self.found, &program, chips)?;
                (program, clang_bin)
            }
        };
        let versions = self.versions(&program, clang_bin.as_deref(), &device_libs)?;
        let setup = Setup { program, device_libs, clang_bin, versions };
        self.ready.insert(key, setup.clone());
        Ok(setup)
    }

    /// What the driver, its compiler, HIP's headers and the device libraries say of themselves.
    fn versions(&self, program: &Path, clang_bin: Option<&Path>, libs: &Path) -> Result<String, Error> {
        let mut versions = exec::text(Command::new(program).arg("--version"))?;
        if let Some(bin) = clang_bin {
            versions += &exec::text(Command::new(bin.join("clang")).arg("--version"))?;
        }
        let header = self.found.rocm.join("include/hip/hip_version.h");
        versions += &fs::read_to_string(header).unwrap_or_default();
        // They state no version.
        for file in workspace::files(libs, &["bc"])? {
            let about = fs::metadata(&file).map_err(Error::at(&file))?;
            versions += &format!("{} {} {:?}\n", file.display(), about.len(), about.modified().ok());
        }
        Ok(versions)
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A compiler that complains, states its version, and counts its runs.
    fn compilers(folder: &Path, version: &str) -> Compilers {
        let clang = folder.join("clang++");
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && echo {version} && exit\n\
             echo run >>{}/runs\nwhile [ \"$1\" != -o ]; do shift; done\n\
             echo 'warning: so it goes' >&2; echo {version} >\"$2\"\n",
            folder.display()
        );
        fs::write(&clang, script).unwrap();
        fs::set_permissions(&clang, fs::Permissions::from_mode(0o755)).unwrap();
        // A folder of device libraries that lacks nothing for the chip.
        workspace::write(&folder.join("oclc_isa_version_90a.bc"), "").unwrap();
        let found = Toolchain {
            clang,
            hipcc: None,
            rocm: folder.to_owned(),
            hip_major: 5,
            device_libs: folder.to_owned(),
            hip_lib: Some(folder.to_owned()),
        };
        let tools = Mutex::new(Tools { found, ready: HashMap::new() });
        Compilers { tools, dist: folder.to_owned(), folder: folder.join("hip") }
    }

    #[test]
    fn programs_are_kept_with_the_words_of_the_compiler_that_made_them() {
        let room = tempfile::tempdir().unwrap();
        let folder = room.path();
        let source = folder.join("a.hip");
        fs::write(&source, "int x;").unwrap();
        let chips = vec!["gfx90a".to_owned()];
        let job = Job { source: &source, driver: Driver::Clang, chips, opt: 3, flags: Vec::new() };
        let runs = || fs::read_to_string(folder.join("runs")).unwrap().lines().count();
        for (version, runs_then) in [("one", 1), ("one", 1), ("two", 2), ("one", 2)] {
            let (program, said) = compilers(folder, version).compile(&job).unwrap();
            assert_eq!(said, "warning: so it goes\n");
            assert_eq!(fs::read_to_string(program).unwrap().trim(), version);
            assert_eq!(runs(), runs_then, "after version {version}");
        }
        // Another text, another library.
        fs::write(&source, "int y;").unwrap();
        compilers(folder, "one").compile(&job).unwrap();
        fs::write(folder.join("ocml.bc"), "new").unwrap();
        compilers(folder, "one").compile(&job).unwrap();
        assert_eq!(runs(), 4);
    }
}
