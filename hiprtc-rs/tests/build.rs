//! Programs through the installed clang: code, logs, names, headers, the cache, bitcode and links.

use hiprtc_rs::{Built, Cache, Compiler, Error, Linker, Program};

fn compiler() -> Compiler {
    Compiler::find().unwrap_or_else(|error| panic!("{error}"))
}

fn words(options: &[&str]) -> Vec<String> {
    options.iter().map(|option| (*option).to_owned()).collect()
}

fn build(program: &Program, options: &[&str]) -> Result<Built, Error> {
    program.build(&compiler(), &Cache::none(), &words(options), Some("gfx90a"))
}

const SOURCE: &str = r#"
template <class T> __global__ void scale(T *p, T f) { p[blockIdx.x * blockDim.x + threadIdx.x] *= f; }
__constant__ float table[4];
__device__ int counter;
namespace deep { __global__ void inner(float4 *v) { v->x = sinf(v->y) + table[0]; atomicAdd(&counter, 1); } }
extern "C" __global__ void plain(uint64_t *n) { *n = __shfl(threadIdx.x, 0) + warpSize; }
"#;

#[test]
fn names_are_lowered_with_the_device_api_at_hand() {
    let mut program = Program::new(SOURCE, "names.hip").unwrap();
    for name in ["scale<float>", "&scale<int>", "table", "counter", "deep::inner", "(plain)"] {
        program.add_name_expression(name);
    }
    let built = build(&program, &[]).unwrap();
    assert!(built.code.starts_with(b"\x7fELF") && !built.is_bitcode);
    let expected = [
        ("scale<float>", "_Z5scaleIfEvPT_S0_"),
        ("&scale<int>", "_Z5scaleIiEvPT_S0_"),
        ("table", "table"),
        ("counter", "counter"),
        ("deep::inner", "_ZN4deep5innerEP15HIP_vector_typeIfLj4EE"),
        ("(plain)", "plain"),
    ];
    for (expression, symbol) in expected {
        assert_eq!(built.names[expression], symbol, "{expression}");
    }
    // The same from bitcode.
    let bitcode = build(&program, &["-fgpu-rdc"]).unwrap();
    assert!(bitcode.code.starts_with(b"BC") && bitcode.is_bitcode);
    assert_eq!(bitcode.names, built.names);
}

#[test]
fn errors_and_warnings_are_in_the_log_under_the_programs_name() {
    let program = Program::new("__global__ void k() {\n  undeclared = 1;\n}\n", "broken.hip").unwrap();
    let Err(Error::Compilation { log }) = build(&program, &[]) else { panic!("it compiles") };
    assert!(log.starts_with("broken.hip:2:3: error: use of undeclared identifier 'undeclared'"), "{log}");
    let program = Program::new("#warning careful\n__global__ void k() {}\n", "loud.hip").unwrap();
    let log = build(&program, &[]).unwrap().log;
    assert!(log.starts_with("loud.hip:1:2: warning: careful"), "{log}");
    let mut program = Program::new("__global__ void k() {}\n", "").unwrap();
    program.add_name_expression("missing<int>");
    let Err(Error::Compilation { log }) = build(&program, &[]) else { panic!("it compiles") };
    assert!(log.contains("name expression missing<int>:1:"), "{log}");
}

#[test]
fn headers_and_options_are_those_of_the_caller() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("disk.h"), "#define DISK 1\n").unwrap();
    let source = "#include \"one.h\"\n#include <deep/two.h>\n#include \"disk.h\"\nstatic_assert(ONE + TWO + DISK + N == 10);\n\
                  __global__ void k() {}\n";
    let mut program = Program::new(source, "headers.hip").unwrap();
    program.add_header("one.h", "#define ONE 1\n").unwrap();
    program.add_header("deep/two.h", "#define TWO 2\n").unwrap();
    let include = format!("-I{}", folder.path().display());
    build(&program, &[&include, "-DN=6", "-std=c++20", "--gpu-architecture=gfx942"]).unwrap();
    assert!(build(&program, &[&include, "-DN=7"]).is_err());
}

#[test]
fn what_was_compiled_once_comes_from_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let header = folder.path().join("disk.h");
    std::fs::write(&header, "#define N 1\n").unwrap();
    let cache = Cache::at(folder.path().join("cache"));
    let mut program =
        Program::new("#include \"disk.h\"\n#warning careful\n__global__ void k(int *p) { *p = N; }", "c")
            .unwrap();
    program.add_name_expression("k");
    let options = words(&[&format!("-I{}", folder.path().display())]);
    let build =
        |options: &[String], target: &str| program.build(&compiler(), &cache, options, Some(target)).unwrap();
    let first = build(&options, "gfx90a");
    let second = build(&options, "gfx90a");
    assert!(!first.from_cache && second.from_cache);
    assert_eq!((&first.code, &first.log, &first.names), (&second.code, &second.log, &second.names));
    assert!(!build(&options, "gfx942").from_cache);
    let more: Vec<String> = options.iter().cloned().chain(["-DX".to_owned()]).collect();
    assert!(!build(&more, "gfx90a").from_cache);
    std::fs::write(&header, "#define N 2222\n").unwrap();
    assert!(!build(&options, "gfx90a").from_cache);
}

#[test]
fn bitcode_of_two_programs_becomes_one_code_object() {
    let mut one =
        Program::new("__device__ int twice(int);\n__global__ void k(int *p) { *p = twice(*p); }", "one.hip")
            .unwrap();
    one.add_name_expression("k");
    let mut two =
        Program::new("__device__ int twice(int x) { return 2 * x; }\n__device__ int v;", "two.hip").unwrap();
    two.add_name_expression("v");
    let one = build(&one, &["-fgpu-rdc"]).unwrap();
    let two = build(&two, &["-fgpu-rdc"]).unwrap();
    let mut linker = Linker::new();
    linker.add_bitcode("one", &one.code).unwrap();
    let Err(Error::Compilation { log }) = linker.link(&compiler(), "gfx90a") else { panic!("it links") };
    assert!(log.contains("undefined") && log.contains("twice"), "{log}");
    linker.add_bitcode("two", &two.code).unwrap();
    let linked = linker.link(&compiler(), "gfx90a").unwrap();
    assert!(linked.starts_with(b"\x7fELF"));
    let elf = goblin::elf::Elf::parse(&linked).unwrap();
    let names: Vec<_> =
        elf.dynsyms.iter().filter_map(|symbol| elf.dynstrtab.get_at(symbol.st_name)).collect();
    assert!(names.contains(&"_Z1kPi.kd"), "{names:?}");
    assert!(linker.add_bitcode("three", b"\x7fELF").is_err());
    assert!(Linker::new().link(&compiler(), "gfx90a").is_err());
}

#[test]
fn without_a_target_there_is_no_code() {
    let program = Program::new("__global__ void k() {}", "k").unwrap();
    let failed = program.build(&compiler(), &Cache::none(), &[], None).unwrap_err();
    assert_eq!(failed.to_string(), "no --offload-arch= was given, and there is no GPU to take it from");
}
