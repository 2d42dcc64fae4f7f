//! LLVM's disassembly of many words at once: an object file made of them, and `llvm-objdump-19` over it.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// What LLVM prints for the instruction that starts with a pair of words, and its length in bytes; without a text where
/// it sees none.
pub type Reading = Option<(String, u8)>;

/// LLVM's readings of all words. Some words crash it: they are found by halving, and count as not read.
pub fn read(chip: &str, words: &[[u32; 2]]) -> Vec<Option<Reading>> {
    words.chunks(20_000).flat_map(|chunk| halving(chip, chunk)).collect()
}

fn halving(chip: &str, words: &[[u32; 2]]) -> Vec<Option<Reading>> {
    match once(chip, words) {
        Some(readings) => readings.into_iter().map(Some).collect(),
        None if words.len() == 1 => vec![None],
        None => {
            let (a, b) = words.split_at(words.len() / 2);
            let mut out = halving(chip, a);
            out.extend(halving(chip, b));
            out
        }
    }
}

/// Words of a pair, and padding that ends what the second one may begin.
const SLOT: [u32; 2] = [0xbf80_0000; 2];

fn once(chip: &str, words: &[[u32; 2]]) -> Option<Vec<Reading>> {
    let code: Vec<u8> =
        words.iter().flat_map(|pair| [*pair, SLOT].concat()).flat_map(u32::to_le_bytes).collect();
    let mut file = tempfile();
    file.1.write_all(&object(&code)).expect("a file in the folder for temporary ones");
    let output = Command::new("llvm-objdump-19")
        .args(["-d", "-z", "--triple=amdgcn-amd-amdhsa"])
        .arg(format!("--mcpu={chip}"))
        .env("LLVM_DISABLE_SYMBOLIZATION", "1")
        .arg(&file.0)
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| {
            panic!("llvm-objdump-19: {error}; to install it: apt-get install -y llvm-19")
        });
    let _ = std::fs::remove_file(&file.0);
    if !output.status.success() {
        // A crash has no exit code. An exit code says that LLVM did not like the file.
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code().is_none(), "llvm-objdump-19: {errors}");
        return None;
    }
    let text = String::from_utf8(output.stdout).ok()?;
    let mut out = vec![None; words.len()];
    let mut seen = 0;
    for line in text.lines() {
        // "\ts_nop 0      // 000000000010: BF800000"
        let Some((asm, rest)) = line.rsplit_once("// ") else { continue };
        let Some((address, bytes)) = rest.split_once(": ") else { continue };
        let Ok(address) = usize::from_str_radix(address, 16) else { continue };
        if address % 16 != 0 {
            continue;
        }
        seen += 1;
        let asm = asm.trim();
        if !asm.starts_with(".long") {
            let size = 4 * bytes.split_whitespace().take_while(|w| w.len() == 8).count();
            out[address / 16] = Some((asm.to_owned(), size as u8));
        }
    }
    assert_eq!(seen, words.len(), "lost the thread in LLVM's output");
    Some(out)
}

fn tempfile() -> (std::path::PathBuf, std::fs::File) {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let name = format!("amdgpu-isa-text-{}-{}.o", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let path = std::env::temp_dir().join(name);
    let file = std::fs::File::create(&path).expect("a file in the folder for temporary ones");
    (path, file)
}

/// An ELF object for AMD GPUs with this code in `.text`.
fn object(code: &[u8]) -> Vec<u8> {
    const NAMES: &[u8] = b"\0.text\0.shstrtab\0";
    let text = 64u64;
    let names = text + code.len() as u64;
    let sections = (names + NAMES.len() as u64).next_multiple_of(8);
    let mut out = Vec::with_capacity(code.len() + 512);
    // 64-bit, little-endian, ELFOSABI_AMDGPU_HSA.
    out.extend([0x7f, b'E', b'L', b'F', 2, 1, 1, 64, 3, 0, 0, 0, 0, 0, 0, 0]);
    let half = |out: &mut Vec<u8>, x: u16| out.extend(x.to_le_bytes());
    let word = |out: &mut Vec<u8>, x: u32| out.extend(x.to_le_bytes());
    let long = |out: &mut Vec<u8>, x: u64| out.extend(x.to_le_bytes());
    // ET_REL, EM_AMDGPU.
    half(&mut out, 1);
    half(&mut out, 224);
    word(&mut out, 1);
    long(&mut out, 0);
    long(&mut out, 0);
    long(&mut out, sections);
    word(&mut out, 0);
    for x in [64, 0, 0, 64, 3, 2] {
        half(&mut out, x);
    }
    out.extend(code);
    out.extend(NAMES);
    out.resize(sections as usize, 0);
    // (name, type, flags, offset, size): none; PROGBITS, alloc and exec; STRTAB.
    for (name, kind, flags, offset, size) in
        [(0, 0, 0, 0, 0), (1, 1, 6, text, code.len() as u64), (7, 3, 0, names, NAMES.len() as u64)]
    {
        word(&mut out, name);
        word(&mut out, kind);
        for x in [flags, 0, offset, size] {
            long(&mut out, x);
        }
        word(&mut out, 0);
        word(&mut out, 0);
        long(&mut out, if kind == 1 { 256 } else { 1 });
        long(&mut out, 0);
    }
    out
}
