//! The C surface of `hip/hiprtc.h`, whole.

use crate::ffi::{Array, Buffer, Out, Text, Texts, bytes};
use crate::state::{Held, Linking, state};
use hip_sys::{hiprtcJIT_option, hiprtcJITInputType, hiprtcLinkState, hiprtcProgram, hiprtcResult};
use hiprtc_rs::{Built, Cache, Compiler, Error, Program};
use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

type R = hiprtcResult;
type Result<T = ()> = std::result::Result<T, hiprtcResult>;

/// Runs the body of a call. A defect of ours does not end the program that calls us.
fn call(body: impl FnOnce() -> Result) -> hiprtcResult {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => R::SUCCESS,
        Ok(Err(result)) => result,
        Err(_) => R::ERROR_INTERNAL_ERROR,
    }
}

fn said(good: bool) -> Result {
    if good { Ok(()) } else { Err(R::ERROR_INVALID_INPUT) }
}

fn count(number: c_int) -> Result<usize> {
    usize::try_from(number).map_err(|_| R::ERROR_INVALID_INPUT)
}

fn program<T>(handle: hiprtcProgram, work: impl FnOnce(&mut Held) -> Result<T>) -> Result<T> {
    state().programs.with(handle.bits(), R::ERROR_INVALID_PROGRAM, work)
}

fn linker<T>(handle: hiprtcLinkState, work: impl FnOnce(&mut Linking) -> Result<T>) -> Result<T> {
    state().linkers.with(handle.bits(), R::ERROR_INVALID_INPUT, work)
}

/// Declares the exported functions, and the list of their names.
macro_rules! exports {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {
        $(
            $(#[$meta])*
            #[allow(unsafe_code, reason = "a C symbol of this name, which nothing else defines")]
            #[unsafe(no_mangle)]
            pub extern "C" fn $name($($arg: $ty),*) -> hiprtcResult {
                call(move || $body)
            }
        )*

        /// The names of all functions of this library.
        pub const EXPORTS: &[&str] = &["hiprtcGetErrorString", $(stringify!($name)),*];
    };
}

/// The name of a result.
#[allow(unsafe_code, reason = "a C symbol of this name, which nothing else defines")]
#[unsafe(no_mangle)]
pub extern "C" fn hiprtcGetErrorString(result: hiprtcResult) -> *const c_char {
    result.name().as_ptr()
}

exports! {
    /// The version of the API, which has been 9.0 from the beginning.
    fn hiprtcVersion(major: Out<c_int>, minor: Out<c_int>) {
        said(major.set(9) && minor.set(0))
    }

    /// A program of a source and headers.
    fn hiprtcCreateProgram(
        handle: Out<hiprtcProgram>, source: Text, name: Text, headers: c_int, texts: Texts, names: Texts,
    ) {
        let source = source.get().ok_or(R::ERROR_INVALID_INPUT)?;
        let mut program = Program::new(&source, &name.get().unwrap_or_default()).map_err(|_| R::ERROR_INVALID_INPUT)?;
        let headers = count(headers)?;
        let texts = texts.get(headers).ok_or(R::ERROR_INVALID_INPUT)?;
        for (name, text) in names.get(headers).ok_or(R::ERROR_INVALID_INPUT)?.iter().zip(texts) {
            program.add_header(name, &text).map_err(|_| R::ERROR_INVALID_INPUT)?;
        }
        let held = Held { program, built: None, log: Vec::new(), lowered: BTreeMap::new() };
        let bits = state().programs.add(held);
        if handle.set(hiprtcProgram::from_bits(bits)) {
            return Ok(());
        }
        state().programs.remove(bits);
        Err(R::ERROR_INVALID_PROGRAM)
    }

    /// Forgets a program.
    fn hiprtcDestroyProgram(handle: Out<hiprtcProgram>) {
        let program = handle.get().ok_or(R::ERROR_INVALID_INPUT)?;
        if !state().programs.remove(program.bits()) {
            return Err(R::ERROR_INVALID_PROGRAM);
        }
        handle.set(hiprtcProgram::NULL);
        Ok(())
    }

    /// Asks for the symbol of a kernel or variable, when the program is compiled next.
    fn hiprtcAddNameExpression(handle: hiprtcProgram, expression: Text) {
        let expression = expression.get().filter(|text| !text.is_empty()).ok_or(R::ERROR_INVALID_INPUT)?;
        program(handle, |held| {
            held.program.add_name_expression(&expression);
            Ok(())
        })
    }

    /// Compiles.
    fn hiprtcCompileProgram(handle: hiprtcProgram, options: c_int, texts: Texts) {
        let options = texts.get(count(options)?).ok_or(R::ERROR_INVALID_INPUT)?;
        program(handle, |held| {
            let result = compile(&held.program, &options);
            held.lowered.clear();
            let (built, mut log, result) = match result {
                Ok(built) => {
                    let log = built.log.clone();
                    (Some(built), log, Ok(()))
                }
                Err(error) => (None, error.to_string(), Err(code(&error))),
            };
            // No words, no bytes: programs ask for the size to learn whether there are any.
            if !log.is_empty() {
                log.push('\0');
            }
            held.log = log.into_bytes();
            held.built = built;
            result
        })
    }

    /// The size of the code object.
    fn hiprtcGetCodeSize(handle: hiprtcProgram, size: Out<usize>) {
        program(handle, |held| said(size.set(code_of(held).map_or(0, <[u8]>::len))))
    }

    /// The code object.
    fn hiprtcGetCode(handle: hiprtcProgram, code: Buffer) {
        program(handle, |held| said(code.fill(code_of(held).unwrap_or_default())))
    }

    /// The size of what the compiler said, with its NUL; 0 when it said nothing.
    fn hiprtcGetProgramLogSize(handle: hiprtcProgram, size: Out<usize>) {
        program(handle, |held| said(size.set(held.log.len())))
    }

    /// What the compiler said.
    fn hiprtcGetProgramLog(handle: hiprtcProgram, log: Buffer) {
        program(handle, |held| said(log.fill(&held.log)))
    }

    /// The symbol of a kernel or variable.
    fn hiprtcGetLoweredName(handle: hiprtcProgram, expression: Text, name: Out<*const c_char>) {
        let expression = expression.get().ok_or(R::ERROR_INVALID_INPUT)?;
        program(handle, |held| {
            let built = held.built.as_ref().ok_or(R::ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION)?;
            let found = built.names.get(&expression).ok_or(R::ERROR_NAME_EXPRESSION_NOT_VALID)?;
            let text = CString::new(found.as_str()).map_err(|_| R::ERROR_INTERNAL_ERROR)?;
            // It stays where it is until the program is destroyed.
            said(name.set(held.lowered.entry(expression).or_insert(text).as_ptr()))
        })
    }

    /// The size of the LLVM bitcode of a program compiled with `-fgpu-rdc`.
    fn hiprtcGetBitcodeSize(handle: hiprtcProgram, size: Out<usize>) {
        program(handle, |held| said(size.set(bitcode_of(held)?.len())))
    }

    /// The LLVM bitcode of a program compiled with `-fgpu-rdc`.
    fn hiprtcGetBitcode(handle: hiprtcProgram, bitcode: Buffer) {
        program(handle, |held| said(bitcode.fill(bitcode_of(held)?)))
    }

    /// A linker.
    fn hiprtcLinkCreate(
        number: c_uint, options: Array<hiprtcJIT_option>, values: Array<usize>, handle: Out<hiprtcLinkState>,
    ) {
        let mut linking = Linking::default();
        let (mut words, mut word_count) = (0, 0);
        for index in 0..number as usize {
            let option = options.at(index).ok_or(R::ERROR_INVALID_INPUT)?;
            let value = values.at(index).ok_or(R::ERROR_INVALID_INPUT)?;
            match option {
                hiprtcJIT_option::IR_TO_ISA_OPT_EXT => words = value,
                hiprtcJIT_option::IR_TO_ISA_OPT_COUNT_EXT => word_count = value,
                // What steers NVIDIA's compiler has no meaning here.
                hiprtcJIT_option(..=24) => {}
                _ => return Err(R::ERROR_INVALID_OPTION),
            }
        }
        for word in Texts::from_address(words).get(word_count).ok_or(R::ERROR_INVALID_INPUT)? {
            linking.linker.add_option(&word);
        }
        let bits = state().linkers.add(linking);
        if handle.set(hiprtcLinkState::from_bits(bits)) {
            return Ok(());
        }
        state().linkers.remove(bits);
        Err(R::ERROR_INVALID_INPUT)
    }

    /// Adds bitcode in memory.
    fn hiprtcLinkAddData(
        handle: hiprtcLinkState, kind: hiprtcJITInputType, image: *const c_void, size: usize, name: Text,
        _number: c_uint, _options: Array<hiprtcJIT_option>, _values: Array<usize>,
    ) {
        let image = bytes(image, size).ok_or(R::ERROR_INVALID_INPUT)?;
        let name = name.get().filter(|name| !name.is_empty()).unwrap_or_else(|| "data".to_owned());
        linker(handle, |linking| add(linking, kind, &name, &image))
    }

    /// Adds bitcode in a file.
    fn hiprtcLinkAddFile(
        handle: hiprtcLinkState, kind: hiprtcJITInputType, path: Text,
        _number: c_uint, _options: Array<hiprtcJIT_option>, _values: Array<usize>,
    ) {
        let path = path.get().ok_or(R::ERROR_INVALID_INPUT)?;
        linker(handle, |linking| {
            let image = std::fs::read(&path).map_err(|error| {
                report(&format!("hiprtcLinkAddFile: {path}: {error}"));
                R::ERROR_PROGRAM_CREATION_FAILURE
            })?;
            add(linking, kind, &path, &image)
        })
    }

    /// Links. The code object is the linker's, until it is destroyed.
    fn hiprtcLinkComplete(handle: hiprtcLinkState, code: Out<*const c_void>, size: Out<usize>) {
        linker(handle, |linking| {
            let linked = Compiler::find().and_then(|compiler| {
                let target = crate::device::target().ok_or(Error::NoTarget)?;
                linking.linker.link(&compiler, &target)
            });
            linking.code = linked.map_err(|error| {
                report(&format!("hiprtcLinkComplete: {error}"));
                R::ERROR_LINKING
            })?;
            said(code.set(linking.code.as_ptr().cast()) && size.set(linking.code.len()))
        })
    }

    /// Forgets a linker.
    fn hiprtcLinkDestroy(handle: hiprtcLinkState) {
        said(state().linkers.remove(handle.bits()))
    }
}

fn compile(program: &Program, options: &[String]) -> std::result::Result<Built, Error> {
    let named = options.iter().any(|option| option.starts_with("--offload-arch") || option.contains("arch="));
    let target = if named { None } else { crate::device::target() };
    program.build(&Compiler::find()?, &Cache::from_environment(), options, target.as_deref())
}

fn code(error: &Error) -> hiprtcResult {
    match error {
        Error::Input(_) => R::ERROR_INVALID_INPUT,
        Error::Option { .. } => R::ERROR_INVALID_OPTION,
        Error::Name(_) => R::ERROR_NAME_EXPRESSION_NOT_VALID,
        _ => R::ERROR_COMPILATION,
    }
}

fn code_of(held: &Held) -> Option<&[u8]> {
    held.built.as_ref().filter(|built| !built.is_bitcode).map(|built| built.code.as_slice())
}

fn bitcode_of(held: &Held) -> Result<&[u8]> {
    let bitcode = held.built.as_ref().filter(|built| built.is_bitcode).map(|built| built.code.as_slice());
    bitcode.ok_or(R::ERROR_INVALID_PROGRAM)
}

fn add(linking: &mut Linking, kind: hiprtcJITInputType, name: &str, image: &[u8]) -> Result {
    let added = match kind {
        hiprtcJITInputType::LLVM_BITCODE => linking.linker.add_bitcode(name, image),
        hiprtcJITInputType::LLVM_BUNDLED_BITCODE => crate::device::target()
            .ok_or(Error::NoTarget)
            .and_then(|target| linking.linker.add_bundled_bitcode(name, image, &target)),
        hiprtcJITInputType::LLVM_ARCHIVES_OF_BUNDLED_BITCODE => {
            Err(Error::Input("archives of bundles are not read; add their members one by one".to_owned()))
        }
        _ => return Err(R::ERROR_INVALID_INPUT),
    };
    added.map_err(|error| {
        report(&format!("hiprtcLinkAddData: {error}"));
        R::ERROR_PROGRAM_CREATION_FAILURE
    })
}

/// Linkers have no log: what went wrong is said on stderr.
fn report(message: &str) {
    use std::io::Write;
    let _ = std::io::stderr().lock().write_all(format!("hiprtc: {message}\n").as_bytes());
}
