//! Fat binaries of our own: every processor that clang-15 and clang-19 know, in every code object version and with every
//! setting of its features. An object file is made for each, an archive of all object files, and a library whose section
//! has several bundles.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use amd_codeobj::Isa;

use crate::oracle::run;
use crate::progress::Progress;
use crate::sources::Source;

const KERNELS: &str = include_str!("kernels.hip");

/// A compiler, the code object versions that it writes, and the first that has generic targets.
struct Compiler {
    command: &'static str,
    versions: &'static [u8],
    generic_since: Option<u8>,
    /// It can compress fat binaries.
    compresses: bool,
}

const COMPILERS: [Compiler; 2] = [
    Compiler { command: "clang-15", versions: &[3, 4, 5], generic_since: None, compresses: false },
    Compiler { command: "clang-19", versions: &[4, 5, 6], generic_since: Some(6), compresses: true },
];

/// How features stand in the target IDs of a fat binary: compilers do not mix "any" with on and off.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Features {
    Any,
    Xnack,
    SramEcc,
}

/// Builds what is not there yet, and returns one source for each compiler.
pub fn all(work: &Path, quick: bool, progress: &Progress) -> Result<Vec<Source>, String> {
    COMPILERS.iter().map(|compiler| compiler.source(work, quick, progress)).collect()
}

impl Compiler {
    fn source(&self, work: &Path, quick: bool, progress: &Progress) -> Result<Source, String> {
        let folder = work.join(format!("{}-{}", self.command, self.release()?));
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let kernels = folder.join("kernels.hip");
        // What was built from another text is built again.
        if std::fs::read_to_string(&kernels).ok().as_deref() != Some(KERNELS) {
            std::fs::write(&kernels, KERNELS).map_err(|error| format!("{}: {error}", kernels.display()))?;
        }
        let processors = self.processors()?;
        let mut jobs = self.fat_binaries(&folder, &processors, quick);
        let fat: Vec<PathBuf> = jobs.iter().map(|job| job.path.clone()).collect();
        jobs.extend(self.old(&folder, &processors));
        self.compile(&jobs, &kernels, progress)?;
        let mut paths: Vec<PathBuf> = jobs.into_iter().map(|job| job.path).collect();
        let archive = folder.join("all.a");
        // A member that is there already would be kept.
        let _ = std::fs::remove_file(&archive);
        finish(Command::new("llvm-ar-19").arg("rc").arg(&archive).args(&fat))?;
        let library = folder.join("all.so");
        finish(
            Command::new("ld.lld-19")
                .args(["-shared", "--allow-multiple-definition", "--unresolved-symbols=ignore-all", "-o"])
                .arg(&library)
                .args(&fat),
        )?;
        paths.extend([archive, library]);
        Ok(Source { name: format!("{} builds", self.command), paths })
    }

    /// Its release: "19.1.7".
    fn release(&self) -> Result<String, String> {
        let output = run(Command::new(self.command).arg("--version"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let release =
            text.split_whitespace().skip_while(|word| *word != "version").nth(1).unwrap_or("unknown");
        Ok(release.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '.').collect())
    }

    /// An object file for each version and setting of features.
    fn fat_binaries(&self, folder: &Path, processors: &[&Isa], quick: bool) -> Vec<Job> {
        let mut jobs = Vec::new();
        for &version in self.versions {
            let generic = self.generic_since.is_some_and(|since| version >= since);
            for features in [Features::Any, Features::Xnack, Features::SramEcc] {
                // Quickly: each setting of features in one version.
                if quick && features != Features::Any && Some(&version) != self.versions.last() {
                    continue;
                }
                let known = processors.iter().filter(|isa| generic || !isa.is_generic);
                let targets: Vec<String> = known.flat_map(|isa| features.target_ids(isa)).collect();
                for compress in [false, true] {
                    if compress && !(self.compresses && features == Features::Any) {
                        continue;
                    }
                    let end = if compress { "-ccob" } else { "" };
                    let mut flags = vec![format!("-mcode-object-version={version}")];
                    flags.extend(compress.then(|| "--offload-compress".to_owned()));
                    flags.extend(targets.iter().map(|target| format!("--offload-arch={target}")));
                    jobs.push(Job {
                        path: folder.join(format!("v{version}-{}{end}.o", features.name())),
                        flags,
                    });
                }
            }
        }
        jobs
    }

    /// The processors that the compiler knows and that have a name of the ELF header.
    fn processors(&self) -> Result<Vec<&'static Isa>, String> {
        let list = ["--print-supported-cpus", "--target=amdgcn-amd-amdhsa", "-nogpulib"];
        let output = run(Command::new(self.command).args(list))?;
        let text =
            String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        let mut found = Vec::new();
        for word in
            text.lines().filter_map(|line| line.strip_prefix('\t')).filter(|word| word.starts_with("gfx"))
        {
            found
                .push(Isa::by_name(word).ok_or_else(|| format!("{} knows {word}, we do not", self.command))?);
        }
        if found.is_empty() {
            return Err(format!("{} lists no AMDGPU processors: {text}", self.command));
        }
        Ok(found)
    }

    /// Compiles what is not there yet, on all cores.
    fn compile(&self, jobs: &[Job], kernels: &Path, progress: &Progress) -> Result<(), String> {
        let written = |path: &Path| std::fs::metadata(path).and_then(|meta| meta.modified()).ok();
        let source = written(kernels);
        let missing: Vec<&Job> = jobs.iter().filter(|job| written(&job.path) <= source).collect();
        progress.begin("building", missing.len());
        let next = AtomicUsize::new(0);
        let work = || -> Result<(), String> {
            while let Some(job) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                progress.step(job.path.display().to_string());
                // Under another name until it is whole.
                let part = job.path.with_extension("part");
                let mut command = Command::new(self.command);
                command
                    .args(["-x", "hip", "-nogpulib", "-nogpuinc", "-O1", "-fPIC", "-w", "-c"])
                    .args(&job.flags);
                finish(command.arg(kernels).arg("-o").arg(&part))?;
                std::fs::rename(&part, &job.path).map_err(|error| format!("{}: {error}", part.display()))?;
            }
            Ok(())
        };
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
            threads.into_iter().try_for_each(|thread| {
                thread.join().unwrap_or_else(|_| Err("a thread that compiles panicked".to_owned()))
            })
        })
    }

    /// Code objects v2, which clang-15 still writes for old processors, and which no bundle holds.
    fn old(&self, folder: &Path, processors: &[&Isa]) -> Vec<Job> {
        if self.generic_since.is_some() {
            return Vec::new();
        }
        let job = |isa: &&&Isa| {
            let flags = ["-mcode-object-version=2", "--cuda-device-only", "--no-gpu-bundle-output"];
            let mut flags = flags.map(str::to_owned).to_vec();
            flags.push(format!("--offload-arch={}", isa.name));
            Job { path: folder.join(format!("v2-{}.co", isa.name)), flags }
        };
        processors.iter().filter(|isa| has_v2(isa)).map(|isa| job(&isa)).collect()
    }
}

/// A file to compile.
struct Job {
    path: PathBuf,
    flags: Vec<String>,
}

/// LLVM writes code objects v2 for the processors that there were when v3 came.
fn has_v2(isa: &Isa) -> bool {
    const NAMES: [&str; 12] = [
        "gfx700", "gfx701", "gfx702", "gfx703", "gfx704", "gfx801", "gfx802", "gfx803", "gfx810", "gfx900",
        "gfx902", "gfx904",
    ];
    NAMES.contains(&isa.name)
}

impl Features {
    fn name(self) -> &'static str {
        match self {
            Features::Any => "any",
            Features::Xnack => "xnack",
            Features::SramEcc => "sramecc",
        }
    }

    fn target_ids(self, isa: &Isa) -> Vec<String> {
        let name = isa.name;
        match self {
            Features::Any => vec![name.to_owned()],
            Features::Xnack if isa.supports_xnack => vec![format!("{name}:xnack+"), format!("{name}:xnack-")],
            Features::SramEcc if isa.supports_sramecc => {
                let both =
                    |ecc: &str| ["xnack+", "xnack-"].map(|xnack| format!("{name}:sramecc{ecc}:{xnack}"));
                [both("+"), both("-")].concat()
            }
            _ => Vec::new(),
        }
    }
}

fn finish(command: &mut Command) -> Result<(), String> {
    let output = run(command)?;
    if output.status.success() {
        return Ok(());
    }
    let line: Vec<_> = std::iter::once(command.get_program()).chain(command.get_args()).collect();
    let line: Vec<_> = line.iter().map(|word| word.to_string_lossy()).collect();
    Err(format!("{}\n{}", line.join(" "), String::from_utf8_lossy(&output.stderr)))
}
