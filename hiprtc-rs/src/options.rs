//! The caller's options: clang's own go through; those of nvrtc that hiprtc knows are translated; what would change where
//! results go is refused.

use crate::Error;

/// What the options ask for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// For clang.
    pub clang: Vec<String>,
    /// `--offload-arch=`, the last.
    pub target: Option<String>,
    /// Bitcode for a linker, no code: `-fgpu-rdc`.
    pub bitcode: bool,
    /// No device API beforehand: `--hiprtc-no-builtin-header`.
    pub bare: bool,
}

const TARGET: &[&str] = &["--offload-arch=", "--gpu-architecture=", "-arch=", "--cuda-gpu-arch="];

impl Options {
    pub fn parse(given: &[String]) -> Result<Self, Error> {
        let mut options = Options::default();
        let mut given = given.iter();
        while let Some(option) = given.next() {
            if let Some(target) = TARGET.iter().find_map(|name| option.strip_prefix(name)) {
                options.target = Some(target.to_owned());
                continue;
            }
            match option.as_str() {
                "--gpu-architecture" | "-arch" | "--offload-arch" => {
                    let target = given.next().ok_or_else(|| refused(option, "names no architecture"))?;
                    options.target = Some(target.clone());
                }
                "-fgpu-rdc" => options.bitcode = true,
                "-fno-gpu-rdc" => options.bitcode = false,
                "--hiprtc-no-builtin-header" => options.bare = true,
                // A header compiled beforehand, of HIP 4 and 5.
                "-hip-pch" => {}
                "--use_fast_math" | "-use_fast_math" => options.clang.push("-ffast-math".to_owned()),
                "-c" | "-S" | "-E" | "-M" | "-MM" | "-MD" | "-MF" | "-fsyntax-only" => {
                    return Err(refused(option, "results go to hiprtcGetCode and hiprtcGetBitcode"));
                }
                other if other == "-o" || (other.starts_with("-o") && !other.starts_with("-offload")) => {
                    return Err(refused(option, "results go to hiprtcGetCode and hiprtcGetBitcode"));
                }
                "" => {}
                other
                    if !other.starts_with('-')
                        && !options.clang.last().is_some_and(|last| takes_value(last)) =>
                {
                    return Err(refused(option, "is none: files are given by hiprtcCreateProgram"));
                }
                _ => options.clang.push(option.clone()),
            }
        }
        Ok(options)
    }
}

/// Options of clang whose value is the next word.
fn takes_value(option: &str) -> bool {
    let with_value =
        ["-D", "-U", "-I", "-include", "-isystem", "-iquote", "-idirafter", "-mllvm", "-Xclang", "-x"];
    with_value.contains(&option)
}

fn refused(option: &str, why: &'static str) -> Error {
    Error::Option { option: option.to_owned(), why }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(given: &[&str]) -> Result<Options, String> {
        let given: Vec<String> = given.iter().map(|option| (*option).to_owned()).collect();
        Options::parse(&given).map_err(|error| error.to_string())
    }

    #[test]
    fn options_of_clang_go_through_and_others_are_translated() {
        let found =
            parse(&["-DN=4", "-I", "/include", "--gpu-architecture=gfx942", "-fgpu-rdc", "-std=c++20"])
                .unwrap();
        assert_eq!(found.clang, ["-DN=4", "-I", "/include", "-std=c++20"]);
        assert_eq!((found.target.as_deref(), found.bitcode, found.bare), (Some("gfx942"), true, false));
        assert_eq!(parse(&["-arch", "gfx90a"]).unwrap().target.as_deref(), Some("gfx90a"));
        assert_eq!(parse(&["--use_fast_math", "-hip-pch"]).unwrap().clang, ["-ffast-math"]);
    }

    #[test]
    fn options_that_lead_results_elsewhere_are_refused() {
        for option in ["-o", "-oout", "-c", "-E"] {
            assert!(parse(&[option]).unwrap_err().starts_with(&format!("option {option}: ")));
        }
        assert!(parse(&["more.hip"]).is_err());
        assert!(parse(&["-arch"]).is_err());
    }
}
