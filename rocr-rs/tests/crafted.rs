//! Code objects made by hand, each with one thing wrong that a linker never writes: refused with the manual's status, and
//! nothing of them stays.

mod common;

use common::emulated;
use parser_samples::{CodeObject, Relocation, dynamic, patch, program, section, u64_at};
use rocr_rs::{Executable, Status};

/// `EF_AMDGPU_MACH` of gfx942, any setting of XNACK and SRAM-ECC.
const GFX942: u32 = 0x54c;
const PT_LOAD: u32 = 1;
const DT_SYMTAB: u64 = 6;
/// `R_AMDGPU_ABS64`, `R_AMDGPU_RELATIVE64`
const ABS64: u32 = 3;
const RELATIVE64: u32 = 13;
/// `STB_GLOBAL`, `STT_OBJECT`
const GLOBAL_OBJECT: u8 = 0x11;
const HUGE: [u8; 8] = (1u64 << 60).to_le_bytes();

fn good() -> CodeObject {
    let mut object = CodeObject::new(5, GFX942, "gfx942", &["first", "second"]);
    object.externals = vec!["elsewhere".to_owned()];
    object
}

fn with(change: impl FnOnce(&mut CodeObject)) -> Vec<u8> {
    let mut object = good();
    change(&mut object);
    object.build()
}

fn relocation(at: u64, kind: u32, symbol: u32) -> Vec<u8> {
    with(|object| object.relocations = vec![Relocation { at, kind, symbol, addend: 0 }])
}

#[test]
fn what_is_wrong_is_refused() {
    let data = good().build();
    let (first, second) = (program(&data, PT_LOAD, 0), program(&data, PT_LOAD, 1));
    let variable = symbol(&data, |entry| entry[4] == GLOBAL_OBJECT && entry[16] == 8).1;
    let (value, size) = (variable + 8, variable + 16);
    let descriptor = u64_at(&data, section(&data, ".rodata") + 0x18) as usize;
    let (elsewhere, _) = symbol(&data, |entry| entry[6..8] == [0, 0]);
    let broken = Status::ERROR_INVALID_CODE_OBJECT;
    let undefined = Status::ERROR_VARIABLE_UNDEFINED;
    let rows: Vec<(&str, Vec<u8>, Status)> = vec![
        ("a segment's bytes past the end of the file", patch(&data, first + 8, &HUGE), broken),
        ("a segment with more bytes in the file than in memory", patch(&data, second + 32, &HUGE), broken),
        ("a segment of 2^60 bytes", patch(&data, second + 40, &HUGE), broken),
        ("a segment at 2^60", patch(&data, second + 16, &HUGE), broken),
        (
            "two segments at one address",
            patch(&data, second + 16, &u64_at(&data, first + 16).to_le_bytes()),
            broken,
        ),
        ("the symbol table past the end", patch(&data, dynamic(&data, DT_SYMTAB) + 8, &HUGE), broken),
        ("a symbol past the end", patch(&data, value, &HUGE), broken),
        ("a symbol that ends past the end", patch(&data, size, &HUGE), broken),
        ("a symbol whose end wraps round", patch(&data, value, &u64::MAX.to_le_bytes()), broken),
        ("a relocation past the end", relocation(1 << 40, RELATIVE64, 0), broken),
        ("a relocation at 2^63", relocation(1 << 63, RELATIVE64, 0), broken),
        ("a relocation of no kind", relocation(8, 99, 0), broken),
        ("a relocation with a symbol past the end", relocation(8, ABS64, 5000), broken),
        ("a code entry outside", patch(&data, descriptor + 16, &HUGE), broken),
        (
            "a code entry before the code",
            patch(&data, descriptor + 16, &(-(1i64 << 40)).to_le_bytes()),
            broken,
        ),
        ("metadata that is cut", with(|object| object.metadata.truncate(object.metadata.len() / 2)), broken),
        (
            "metadata without the kernels",
            with(|object| {
                object.metadata = parser_samples::metadata(2, "amdgcn-amd-amdhsa--gfx942", &["other"])
            }),
            broken,
        ),
        ("a file that is cut", data[..data.len() / 2].to_vec(), broken),
        ("no file", Vec::new(), broken),
        ("an external that nobody defined", relocation(8, ABS64, elsewhere), undefined),
    ];
    let (runtime, agent) = emulated("gfx942");
    let loads = |bytes: &[u8]| {
        let executable = Executable::new(&runtime);
        executable.load(&agent, bytes).and_then(|_| executable.freeze())
    };
    loads(&data).expect("the good one");
    let before = agent.available_memory().unwrap();
    let mut wrong = String::new();
    for (name, bytes, status) in rows {
        match loads(&bytes) {
            Err(error) if error.status() == status => {}
            other => wrong += &format!("{name}: {other:?}, not {status:?}\n"),
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert_eq!(agent.available_memory().unwrap().0, before.0, "memory of what was refused");
}

/// The first dynamic symbol of which something holds: its number, and where its 24 bytes are. They are name (4 bytes),
/// binding and type, visibility, section (2), value (8), size (8).
fn symbol(data: &[u8], holds: impl Fn(&[u8]) -> bool) -> (u32, usize) {
    let table = section(data, ".dynsym");
    let (at, size) = (u64_at(data, table + 0x18) as usize, u64_at(data, table + 0x20) as usize);
    let mut entries = (1..size / 24).map(|index| (index as u32, at + index * 24));
    entries.find(|(_, at)| holds(&data[*at..*at + 24])).expect("such a symbol")
}
