//! A source with its headers and name expressions, and what becomes of it.

use crate::cache::{Cache, Entry, stamp};
use crate::command::run;
use crate::options::Options;
use crate::{Compiler, Error, device_libs, names};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path};
use std::process::Command;

/// What programs need not include: AMD's hiprtc has it under this name.
const PRELUDE: &str = "hiprtc_runtime.h";

/// The device API, and what HIP 5's header leaves out of it in programs of hiprtc.
const PRELUDE_TEXT: &str = "\
#pragma once
#include <hip/hip_runtime.h>
#if __has_include(<hip/amd_detail/amd_warp_functions.h>)
#include <hip/amd_detail/amd_warp_functions.h>
#endif
#ifndef CHAR_BIT
#define CHAR_BIT __CHAR_BIT__
#endif
#ifndef INT_MAX
#define INT_MAX __INT_MAX__
#endif
";

/// A program that can be built.
#[derive(Debug, Clone)]
pub struct Program {
    source: String,
    name: String,
    /// Include name and text.
    headers: Vec<(String, String)>,
    expressions: Vec<String>,
}

/// What became of a program.
#[derive(Debug, Clone)]
pub struct Built {
    /// A code object, or LLVM bitcode.
    pub code: Vec<u8>,
    /// Whether it is bitcode.
    pub is_bitcode: bool,
    /// Warnings.
    pub log: String,
    /// Name expression → symbol.
    pub names: BTreeMap<String, String>,
    /// Whether it came from the cache.
    pub from_cache: bool,
}

impl Program {
    /// A program of a source; `name` stands in messages about it.
    pub fn new(source: &str, name: &str) -> Result<Self, Error> {
        if source.is_empty() {
            return Err(Error::Input("the source is empty".to_owned()));
        }
        let name =
            Path::new(name).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let name = if name.is_empty() { "CompileSource".to_owned() } else { name };
        Ok(Self { source: source.to_owned(), name, headers: Vec::new(), expressions: Vec::new() })
    }

    /// A header that the source includes by `name`, which may have folders in it.
    pub fn add_header(&mut self, name: &str, text: &str) -> Result<(), Error> {
        let inside =
            Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if name.is_empty() || !inside {
            return Err(Error::Input(format!("header name {name:?} leads out of the program")));
        }
        self.headers.push((name.to_owned(), text.to_owned()));
        Ok(())
    }

    /// A kernel or variable whose symbol is wanted: `kernel<float>`, `space::variable`.
    pub fn add_name_expression(&mut self, expression: &str) {
        if !self.expressions.iter().any(|known| known == expression) {
            self.expressions.push(expression.to_owned());
        }
    }

    /// Compiles. `default_target` is the architecture where no option names one.
    pub fn build(
        &self,
        compiler: &Compiler,
        cache: &Cache,
        options: &[String],
        default_target: Option<&str>,
    ) -> Result<Built, Error> {
        let options = Options::parse(options)?;
        let target = options.target.as_deref().or(default_target).ok_or(Error::NoTarget)?;
        let mut words = vec!["-O3".to_owned(), "-std=c++17".to_owned()];
        words.push(format!("--offload-arch={target}"));
        words.push(format!("--rocm-path={}", compiler.rocm.display()));
        if options.bitcode {
            words.extend(["-fgpu-rdc", "-emit-llvm", "-c"].map(str::to_owned));
        }
        if !options.bare {
            words.extend(["-D__HIPCC_RTC__", "-include", PRELUDE].map(str::to_owned));
        }
        words.push(format!("-isystem{}", compiler.rocm.join("include").display()));
        words.extend(options.clang.iter().cloned());

        let key = self.key(compiler, &words);
        if let Some(Entry { log, names, code, .. }) = cache.get(&key) {
            return Ok(Built { code, is_bitcode: options.bitcode, log, names, from_cache: true });
        }
        let entry = self.compile(compiler, &words, target, &key[..16], options.bitcode)?;
        cache.put(&key, &entry);
        let Entry { log, names, code, .. } = entry;
        Ok(Built { code, is_bitcode: options.bitcode, log, names, from_cache: false })
    }

    fn key(&self, compiler: &Compiler, words: &[String]) -> String {
        let identity = compiler.identity();
        let here = std::env::current_dir().unwrap_or_default().display().to_string();
        let mut parts: Vec<&str> = vec![&identity, &self.source, &self.name, "options"];
        parts.extend(words.iter().map(String::as_str));
        // Folders in options may be relative to it.
        parts.extend(["folder", &here, "headers", PRELUDE_TEXT]);
        parts.extend(self.headers.iter().flat_map(|(name, text)| [name.as_str(), text.as_str()]));
        parts.push("names");
        parts.extend(self.expressions.iter().map(String::as_str));
        Cache::key(&parts)
    }

    fn compile(
        &self,
        compiler: &Compiler,
        words: &[String],
        target: &str,
        tag: &str,
        bitcode: bool,
    ) -> Result<Entry, Error> {
        let folder = tempfile::Builder::new()
            .prefix("hiprtc-")
            .tempdir()
            .map_err(Error::io("a folder to compile in"))?;
        let folder = folder.path();
        let write = |path: &Path, text: &str| {
            let parent = path.parent().map_or(Ok(()), fs::create_dir_all);
            parent.and_then(|()| fs::write(path, text)).map_err(Error::io(path.display().to_string()))
        };
        let source = folder.join(&self.name);
        write(&source, &(self.source.clone() + &names::declarations(tag, &self.expressions)))?;
        let include = folder.join("include");
        write(&include.join(PRELUDE), PRELUDE_TEXT)?;
        for (name, text) in &self.headers {
            write(&include.join(name), text)?;
        }
        let (out, list) = (folder.join("hiprtc.out"), folder.join("hiprtc.deps"));
        let mut command = Command::new(&compiler.clang);
        command.args(["-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "-fno-color-diagnostics"]);
        let libs = device_libs::for_target(&compiler.clang, &compiler.device_libs, target, folder)?;
        command.arg(format!("--rocm-device-lib-path={}", libs.display()));
        // The same program gives the same symbols.
        command.arg(format!("-cuid={tag}")).args(words).arg("-I").arg(&include);
        command.args(["-MD", "-MF"]).arg(&list).arg(&source).arg("-o").arg(&out);
        let log = run(&mut command, folder)?;
        let code = fs::read(&out).map_err(Error::io("what clang wrote"))?;
        let names = if self.expressions.is_empty() {
            BTreeMap::new()
        } else if bitcode {
            // The symbols are in an object that is made of it.
            let object = folder.join("hiprtc.o");
            let mut command = Command::new(&compiler.clang);
            command.args(["--target=amdgcn-amd-amdhsa", "-nogpulib", "-O0", "-c", "-x", "ir"]);
            run(command.arg(&out).arg("-o").arg(&object), folder)?;
            names::lowered(&fs::read(&object).map_err(Error::io("what clang wrote"))?, tag, &self.expressions)
        } else {
            names::lowered(&code, tag, &self.expressions)
        };
        if let Some(lost) = self.expressions.iter().find(|expression| !names.contains_key(*expression)) {
            return Err(Error::Name(lost.clone()));
        }
        let files = included(&fs::read_to_string(&list).unwrap_or_default(), folder);
        Ok(Entry { log, names, files, code })
    }
}

/// The files in a list for make (`target: file file \`), with their stamps; those of the program itself left out.
fn included(list: &str, folder: &Path) -> Vec<(String, String)> {
    let list = list.replace("\\\n", " ");
    let files = list.split_once(": ").map_or("", |(_, files)| files).replace("\\ ", "\0");
    let files = files.split_whitespace().map(|file| file.replace('\0', " "));
    files
        .filter(|file| !Path::new(file).starts_with(folder))
        .filter_map(|file| {
            let stamp = stamp(Path::new(&file))?;
            // Relative ones are told from those of another folder by the key.
            Some((file, stamp))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_stay_inside() {
        let mut program = Program::new("int x;", "/a/b.cu").unwrap();
        assert_eq!(program.name, "b.cu");
        assert!(program.add_header("../evil.h", "").is_err());
        assert!(program.add_header("/etc/evil.h", "").is_err());
        assert!(program.add_header("a/./b.h", "").is_ok());
        assert!(Program::new("", "x").is_err());
        assert_eq!(Program::new("x", "").unwrap().name, "CompileSource");
    }

    #[test]
    fn included_files_are_those_from_outside() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let header = outside.path().join("with space.h");
        fs::write(&header, "x").unwrap();
        fs::write(folder.path().join("own.h"), "x").unwrap();
        let escaped = header.display().to_string().replace(' ', "\\ ");
        let list = format!("out: {}/own.h \\\n  {escaped} \\\n  /no/such.h\n", folder.path().display());
        let found = included(&list, folder.path());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, header.display().to_string());
    }
}
