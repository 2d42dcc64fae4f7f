//! Executables: a code object that clang made when the test ran, its symbols and relocations, and bad ones.

mod common;

use common::{CHIPS, compile, emulated};
use rocr_rs::{Error, Executable, MemoryOrigin, Status};

const SOURCE: &str = r#"
#define G __attribute__((address_space(1)))
__attribute__((amdgpu_kernel)) void scale(G float *p, float k) {
  unsigned i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  p[i] = p[i] * k;
}
G int counter = 41;
G int *pointer_to_counter = &counter;
G int zeroes[1000];
"#;
const USES_OUTSIDE: &str = r#"
#define G __attribute__((address_space(1)))
extern G int outside;
G int *where = &outside;
__attribute__((amdgpu_kernel)) void look(G int *p) { *p = *where; }
"#;

#[test]
fn symbols_and_relocations() {
    for chip in CHIPS {
        let code = compile(chip, SOURCE, &[]);
        let (runtime, agent) = emulated(chip);
        let executable = Executable::new(&runtime);
        let loaded = executable.load(&agent, &code).unwrap();
        assert!(matches!(
            executable.kernel("scale"),
            Err(Error::ExecutableState { state: "not frozen", .. })
        ));
        executable.freeze().unwrap();
        assert_eq!(loaded.version(), 5);
        assert_eq!(loaded.target(), *chip);
        let info = runtime.memory_info(loaded.load_base()).unwrap();
        assert_eq!((info.origin, info.owner), (MemoryOrigin::Code, agent.clone()));

        let kernel = executable.kernel("scale").unwrap();
        assert_eq!(executable.kernel_on(&agent, "scale.kd").unwrap().kernel_object(), kernel.kernel_object());
        assert_eq!(kernel.kernel_object() % 64, 0);
        assert_eq!(kernel.entry() % 256, 0);
        assert!(kernel.kernarg_segment_size() >= 12);
        assert_eq!((kernel.wavefront_size(), kernel.private_segment_size()), (64, 0));
        assert_eq!(executable.kernel_at(kernel.entry() + 8).unwrap().name(), "scale");
        assert_eq!(executable.kernel_at(kernel.kernel_object()).unwrap().name(), "scale");
        assert!(executable.kernel_at(8).is_none());
        let missing = executable.kernel("scales").unwrap_err();
        assert_eq!(missing.status(), Status::ERROR_INVALID_SYMBOL_NAME);

        let read = |va: u64, bytes: &mut [u8]| {
            let info = runtime.memory_info(va).unwrap();
            assert!(info.host_access && va + bytes.len() as u64 <= info.base + info.size as u64);
            peek(va, bytes);
        };
        let (counter, size) = executable.variable("counter").unwrap();
        assert_eq!(size, 4);
        let mut value = [0; 4];
        read(counter, &mut value);
        assert_eq!(i32::from_le_bytes(value), 41);
        let (pointer, _) = executable.variable_on(&agent, "pointer_to_counter").unwrap();
        let mut value = [0; 8];
        read(pointer, &mut value);
        assert_eq!(u64::from_le_bytes(value), counter);
        let (zeroes, size) = executable.variable("zeroes").unwrap();
        let mut value = vec![1; size as usize];
        read(zeroes, &mut value);
        assert!(value.iter().all(|byte| *byte == 0));

        let refused = executable.load(&agent, &code).unwrap_err();
        assert_eq!(refused.status(), Status::ERROR_FROZEN_EXECUTABLE);
        assert!(executable.freeze().is_err());
        let base = loaded.load_base();
        drop((executable, loaded));
        assert!(runtime.memory_info(base).is_some(), "a symbol keeps its code");
        drop(kernel);
        assert!(runtime.memory_info(base).is_none());
    }
}

/// Reads memory that the test has just looked up.
fn peek(va: u64, bytes: &mut [u8]) {
    let memory = std::fs::File::open("/proc/self/mem").unwrap();
    std::os::unix::fs::FileExt::read_exact_at(&memory, bytes, va).unwrap();
}

#[test]
fn externals_must_be_defined_first() {
    let code = compile("gfx90a", USES_OUTSIDE, &["-Wl,--unresolved-symbols=ignore-all"]);
    let (runtime, agent) = emulated("gfx90a");
    let executable = Executable::new(&runtime);
    let error = executable.load(&agent, &code).unwrap_err();
    assert!(matches!(&error, Error::UndefinedSymbol { name } if name == "outside"), "{error}");
    assert!(executable.kernels().is_empty() && executable.loaded_code_objects().is_empty());

    executable.define_variable(&agent, "outside", 0x1234_5678_9000, 4).unwrap();
    assert!(matches!(
        executable.define_variable(&agent, "outside", 1, 4),
        Err(Error::DuplicateSymbol { .. })
    ));
    executable.load(&agent, &code).unwrap();
    let (pointer, _) = executable.variable("where").unwrap();
    let mut value = [0; 8];
    peek(pointer, &mut value);
    assert_eq!(u64::from_le_bytes(value), 0x1234_5678_9000);
}

#[test]
fn several_code_objects_share_an_executable_but_not_names() {
    let first = compile("gfx90a", SOURCE, &[]);
    let second = compile(
        "gfx90a",
        &SOURCE.replace("scale", "scale2").replace("counter", "c2").replace("zeroes", "z2"),
        &[],
    );
    let (runtime, agent) = emulated("gfx90a");
    let executable = Executable::new(&runtime);
    executable.load(&agent, &first).unwrap();
    assert!(matches!(executable.load(&agent, &first), Err(Error::DuplicateSymbol { .. })));
    executable.load(&agent, &second).unwrap();
    executable.freeze().unwrap();
    assert_eq!(executable.loaded_code_objects().len(), 2);
    let names: Vec<_> = executable.kernels().iter().map(|k| k.name().to_owned()).collect();
    assert_eq!(names, ["scale", "scale2"]);
}

#[test]
fn code_for_another_target_is_refused_with_both_names() {
    let (runtime, agent) = emulated("gfx90a");
    for (target, why) in [("gfx906", "gfx906"), ("gfx90a:xnack+", "xnack")] {
        let code = compile(target, SOURCE, &[]);
        let error = Executable::new(&runtime).load(&agent, &code).unwrap_err();
        let text = error.to_string();
        assert_eq!(error.status(), Status::ERROR_INVALID_CODE_OBJECT);
        assert!(
            text.contains(target) && text.contains("gfx90a:sramecc+:xnack-") && text.contains(why),
            "{text}"
        );
    }
    let code = compile("gfx90a", SOURCE, &[]);
    assert!(Executable::new(&runtime).load(&runtime.cpu_agent(), &code).is_err());
}

#[test]
fn broken_code_objects_are_errors_and_leave_nothing() {
    let code = compile("gfx90a", SOURCE, &[]);
    let (runtime, agent) = emulated("gfx90a");
    let executable = Executable::new(&runtime);
    for bytes in [&[][..], b"not an ELF file", &code[..60], &code[..code.len() / 2]] {
        let error = executable.load(&agent, bytes).unwrap_err();
        assert_eq!(error.status(), Status::ERROR_INVALID_CODE_OBJECT, "{error}");
    }
    // Any byte of the tables may be wrong: it must load or be refused.
    for at in (0..code.len().min(0x800)).step_by(3) {
        let mut broken = code.clone();
        broken[at] ^= 0x81;
        let _ = Executable::new(&runtime).load(&agent, &broken);
    }
    assert!(executable.kernels().is_empty());
}
