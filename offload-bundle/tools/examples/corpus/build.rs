//! Fat binaries of our own: every processor that clang-15 and clang-19 know, in every code object version and with every
//! setting of its features. An object file is made for each, an archive of all object files, and a library whose section
//! has several bundles.

use std::path::{Path, PathBuf};
use std::process::Command;

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
        let folder = work.join(self.command);
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let kernels = folder.join("kernels.hip");
        std::fs::write(&kernels, KERNELS).map_err(|error| format!("{}: {error}", kernels.display()))?;
        let processors = self.processors()?;
        let variants: Vec<(u8, Features)> = self
            .versions
            .iter()
            .flat_map(|&version| [Features::Any, Features::Xnack, Features::SramEcc].map(|f| (version, f)))
            // Quickly: each setting of features in one version.
            .filter(|(version, features)| {
                !quick || *features == Features::Any || Some(version) == self.versions.last()
            })
            .collect();
        progress.begin("building", variants.len() + 2);
        let mut paths = Vec::new();
        for (version, features) in variants {
            let generic = self.generic_since.is_some_and(|since| version >= since);
            let targets: Vec<String> = processors
                .iter()
                .filter(|isa| generic || !isa.is_generic)
                .flat_map(|isa| features.target_ids(isa))
                .collect();
            for compress in [false, true] {
                if compress && !(self.compresses && features == Features::Any) {
                    continue;
                }
                let name = format!("v{version}-{}{}.o", features.name(), if compress { "-ccob" } else { "" });
                progress.step(format!("{} {name}", self.command));
                let path = folder.join(name);
                let mut flags = vec![format!("-mcode-object-version={version}")];
                flags.extend(compress.then(|| "--offload-compress".to_owned()));
                flags.extend(targets.iter().map(|target| format!("--offload-arch={target}")));
                self.compile(&kernels, &path, &flags)?;
                paths.push(path);
            }
        }
        let archive = folder.join("all.a");
        progress.step(format!("{} all.a", self.command));
        // A member that is there already would be kept.
        let _ = std::fs::remove_file(&archive);
        finish(Command::new("llvm-ar-19").arg("rc").arg(&archive).args(&paths))?;
        let library = folder.join("all.so");
        progress.step(format!("{} all.so", self.command));
        finish(
            Command::new("ld.lld-19")
                .args(["-shared", "--allow-multiple-definition", "--unresolved-symbols=ignore-all", "-o"])
                .arg(&library)
                .args(&paths),
        )?;
        paths.extend([archive, library]);
        paths.extend(self.old(&kernels, &folder, &processors)?);
        Ok(Source { name: format!("{} builds", self.command), paths })
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

    fn compile(&self, kernels: &Path, path: &Path, flags: &[String]) -> Result<(), String> {
        let mut command = Command::new(self.command);
        command.args(["-x", "hip", "-nogpulib", "-nogpuinc", "-O1", "-fPIC", "-w", "-c"]).args(flags);
        finish(command.arg(kernels).arg("-o").arg(path))
    }

    /// Code objects v2, which clang-15 still writes for old processors, and which no bundle holds.
    fn old(&self, kernels: &Path, folder: &Path, processors: &[&Isa]) -> Result<Vec<PathBuf>, String> {
        let mut paths = Vec::new();
        if self.generic_since.is_some() {
            return Ok(paths);
        }
        for isa in processors.iter().filter(|isa| has_v2(isa)) {
            let path = folder.join(format!("v2-{}.co", isa.name));
            let flags = ["-mcode-object-version=2", "--cuda-device-only", "--no-gpu-bundle-output"];
            let mut flags = flags.map(str::to_owned).to_vec();
            flags.push(format!("--offload-arch={}", isa.name));
            self.compile(kernels, &path, &flags)?;
            paths.push(path);
        }
        Ok(paths)
    }
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
