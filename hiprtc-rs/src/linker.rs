//! LLVM bitcode to a code object: what `-fgpu-rdc` programs are made of. clang's driver links them as one module (LTO), as
//! hipcc does.

use crate::command::run;
use crate::{Compiler, Error};
use std::fs;
use std::process::Command;

/// Bitcode that becomes one code object.
#[derive(Debug, Clone, Default)]
pub struct Linker {
    inputs: Vec<(String, Vec<u8>)>,
    options: Vec<String>,
}

impl Linker {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// An option for the code generator.
    pub fn add_option(&mut self, option: &str) {
        self.options.push(option.to_owned());
    }

    /// LLVM bitcode, raw. `name` stands in messages.
    pub fn add_bitcode(&mut self, name: &str, bitcode: &[u8]) -> Result<(), Error> {
        let magic = [&b"BC\xc0\xde"[..], b"\xde\xc0\x17\x0b"];
        if !magic.iter().any(|magic| bitcode.starts_with(magic)) {
            return Err(Error::Input(format!("{name}: this is no LLVM bitcode")));
        }
        self.inputs.push((name.to_owned(), bitcode.to_vec()));
        Ok(())
    }

    /// LLVM bitcode in a clang offload bundle: the entry that fits `target`.
    pub fn add_bundled_bitcode(&mut self, name: &str, bundle: &[u8], target: &str) -> Result<(), Error> {
        let parsed = offload_bundle::Bundle::parse(bundle)
            .map_err(|error| Error::Input(format!("{name}: {error}")))?;
        let processor = |target: &str| target.split(':').next().unwrap_or_default().to_owned();
        let mut seen = Vec::new();
        for entry in parsed.entries() {
            let own = entry.id.target_text;
            if !own.is_empty() && processor(own) == processor(target) {
                return self.add_bitcode(name, entry.data);
            }
            seen.push(entry.id.to_string());
        }
        Err(Error::Input(format!("{name}: no entry for {target}; there are {}", seen.join(", "))))
    }

    /// Links for an architecture.
    pub fn link(&self, compiler: &Compiler, target: &str) -> Result<Vec<u8>, Error> {
        if self.inputs.is_empty() {
            return Err(Error::Input("nothing was added to link".to_owned()));
        }
        let folder =
            tempfile::Builder::new().prefix("hiprtc-").tempdir().map_err(Error::io("a folder to link in"))?;
        let folder = folder.path();
        let out = folder.join("hiprtc.out");
        let mut command = Command::new(&compiler.clang);
        command.args(["--target=amdgcn-amd-amdhsa", "-nogpulib", "-flto", "-O3", "-fno-color-diagnostics"]);
        command.arg(format!("-mcpu={target}")).args(&self.options).arg("-o").arg(&out);
        for (index, (_, bitcode)) in self.inputs.iter().enumerate() {
            let path = folder.join(format!("{index}.bc"));
            fs::write(&path, bitcode).map_err(Error::io(path.display().to_string()))?;
            // Bitcode is an object to a linker that optimises.
            command.arg(path);
        }
        run(&mut command, folder).map_err(|error| self.named(error))?;
        fs::read(&out).map_err(Error::io("what the linker wrote"))
    }

    /// The error with the caller's names for its inputs.
    fn named(&self, error: Error) -> Error {
        let Error::Compilation { mut log } = error else { return error };
        for (index, (name, _)) in self.inputs.iter().enumerate() {
            log = log.replace(&format!("{index}.bc"), name);
        }
        Error::Compilation { log }
    }
}
