//! Host files with device code, made by clang-19, ld.lld-19 and llvm-ar-19.

use super::{Built, run};

/// One translation unit with one kernel, compiled for a host into an object.
pub fn object(kernel: &str, flags: &[&str]) -> Built {
    let source = format!(
        "struct dim3 {{ unsigned x, y, z; }};\n\
         extern \"C\" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, struct s *);\n\
         extern \"C\" int __hipPopCallConfiguration(dim3 *, dim3 *, unsigned long *, void *);\n\
         __attribute__((global)) void {kernel}(int *p) {{ *p = 42; }}\n"
    );
    let source = Built::with("unit.hip", source.as_bytes());
    let object = Built::new(&format!("{kernel}.o"));
    let common = ["-x", "hip", "-nogpulib", "-nogpuinc", "-fPIC", "-c"];
    let mut args = [&common, flags].concat();
    args.extend([source.path(), "-o", object.path()]);
    run("clang-19", &args);
    object
}

/// Links objects; what the HIP runtime provides stays undefined.
pub fn link(objects: &[&Built], flags: &[&str]) -> Built {
    let linked = Built::new("linked");
    let mut args: Vec<&str> = objects.iter().map(|object| object.path()).collect();
    args.extend(["--unresolved-symbols=ignore-all", "-e", "0", "-o", linked.path()]);
    args.extend(flags);
    run("ld.lld-19", &args);
    linked
}

/// A static archive.
pub fn archive(members: &[&Built], flags: &str, format: &str) -> Built {
    let archive = Built::new("library.a");
    let format = format!("--format={format}");
    let mut args = vec![flags, &format, archive.path()];
    args.extend(members.iter().map(|member| member.path()));
    run("llvm-ar-19", &args);
    archive
}

/// Bytes of a section, taken out by llvm-objcopy-19.
pub fn section(file: &Built, name: &str) -> Vec<u8> {
    let dumped = Built::new("section");
    let dump = format!("--dump-section={name}={}", dumped.path());
    run("llvm-objcopy-19", &[&dump, file.path(), "/dev/null"]);
    dumped.bytes()
}

/// Adds sections to a file.
pub fn with_sections(file: &Built, sections: &[(&str, &[u8])]) -> Built {
    let contents: Vec<_> = sections.iter().map(|(_, bytes)| Built::with("content", bytes)).collect();
    let result = Built::new("with-sections");
    let add = |((name, _), content): (&(&str, _), &Built)| format!("--add-section={name}={}", content.path());
    let adds: Vec<String> = sections.iter().zip(&contents).map(add).collect();
    let mut args: Vec<&str> = adds.iter().map(String::as_str).collect();
    args.extend([file.path(), result.path()]);
    run("llvm-objcopy-19", &args);
    result
}
