//! What the tests of the wave engine share: memory, an assembler, a disassembler; random numbers, rows, waves.

#![allow(unsafe_code, reason = "windows are made over memory that the test owns")]
#![allow(dead_code, unreachable_pub, unused_imports, reason = "each test program uses a part")]

mod random;
mod tables;
pub mod vector;

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Once;

use amdgpu_isa::{AddressSpace, Flow, Gen, Group, Inst, Io, MemView, Wave, Window, simd};

pub use random::{EDGES, Random};
pub use tables::{memory_formats, op};

pub const SHARED_HI: u32 = 0x1_0000;
pub const PRIVATE_HI: u32 = 0x2_0000;

/// Memory at chosen GPU addresses.
pub struct Memory {
    areas: Vec<(u64, Box<[u64]>, bool)>,
}

impl Memory {
    pub fn new() -> Memory {
        Memory { areas: Vec::new() }
    }

    /// Adds `len` bytes at `va`, a multiple of 8.
    pub fn add(&mut self, va: u64, len: usize, writable: bool) -> &mut Memory {
        self.areas.push((va, vec![0; len / 8].into_boxed_slice(), writable));
        self
    }

    pub fn bytes(&mut self, va: u64, len: usize) -> &mut [u8] {
        let (base, area, _) = self
            .areas
            .iter_mut()
            .find(|(base, area, _)| *base <= va && va + len as u64 <= base + 8 * area.len() as u64)
            .expect("mapped");
        let at = (va - *base) as usize;
        // SAFETY: the area is plain integers, borrowed mutably, and the range is inside it.
        let all = unsafe { std::slice::from_raw_parts_mut(area.as_mut_ptr().cast::<u8>(), 8 * area.len()) };
        &mut all[at..at + len]
    }

    pub fn words(&mut self, va: u64, n: usize) -> Vec<u32> {
        self.bytes(va, 4 * n).chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    pub fn put_words(&mut self, va: u64, words: &[u32]) {
        for (bytes, word) in self.bytes(va, 4 * words.len()).chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }

    pub fn fill(&mut self, random: &mut Random) {
        for (_, area, _) in &mut self.areas {
            area.iter_mut().for_each(|x| *x = random.next());
        }
    }

    /// All contents, to compare.
    pub fn contents(&self) -> Vec<Vec<u64>> {
        self.areas.iter().map(|(_, area, _)| area.to_vec()).collect()
    }

    pub fn restore(&mut self, contents: &[Vec<u64>]) {
        for ((_, area, _), old) in self.areas.iter_mut().zip(contents) {
            area.copy_from_slice(old);
        }
    }
}

impl AddressSpace for Memory {
    fn window(&self, va: u64) -> Option<Window> {
        let (base, area, writable) =
            self.areas.iter().find(|(base, area, _)| *base <= va && va < base + 8 * area.len() as u64)?;
        // SAFETY: the boxed area outlives the view, which borrows this memory.
        Some(unsafe {
            Window::new(*base, 8 * area.len() as u64, area.as_ptr().cast_mut().cast(), *writable, true)
        })
    }
}

/// A machine that remembers nothing.
pub struct NoIo;

impl Io for NoIo {
    fn send_message(&self, _: u32, _: u32) {}
    fn real_time(&self) -> u64 {
        0x1234_5678_9abc
    }
    fn hardware_register(&self, hwreg: u32) -> u32 {
        0x1000 + hwreg
    }
}

pub fn group<'a>(memory: &'a Memory, lds: usize) -> Group<'a> {
    Group {
        lds: vec![0; lds],
        mem: MemView::new(memory),
        shared_aperture_hi: SHARED_HI,
        private_aperture_hi: PRIVATE_HI,
        io: &NoIo,
    }
}

pub fn wave(generation: &'static Gen) -> Wave {
    let mut w = Wave::new(generation);
    w.set_apertures(SHARED_HI, PRIVATE_HI);
    w.set_exec(!0);
    w
}

/// Runs `llvm-mc-19` with input. A machine without it fails the test: what was not compared has not passed.
fn llvm_mc(args: &[&str], input: &str) -> Vec<u8> {
    let mut child = Command::new("llvm-mc-19")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("llvm-mc-19: {error}; to install it: apt-get install -y llvm-19"));
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let out = child.wait_with_output().unwrap();
    let _ = writer.join();
    out.stdout
}

/// LLVM's disassembly of each of `code`: mnemonic and length, or `None` where it sees no instruction.
pub fn disassemble(processor: &str, code: &[[u32; 2]]) -> Vec<Option<(String, u8)>> {
    // Never an inline constant: LLVM prints what it would write, not what it read.
    const MARK: u32 = 0x1000_0000;
    // A move of the number goes before each, for LLVM to find its feet after words that it does not know.
    let hex = |w: u32| w.to_le_bytes().map(|b| format!("{b:#04x}")).join(" ");
    let mut input = String::new();
    for (n, words) in code.iter().enumerate() {
        input +=
            &format!("{} {}\n{} {}\n", hex(0xbe80_00ff), hex(n as u32 | MARK), hex(words[0]), hex(words[1]));
    }
    let cpu = format!("-mcpu={processor}");
    let out = llvm_mc(&["-triple=amdgcn-amd-amdhsa", &cpu, "-disassemble", "-show-encoding"], &input);
    let out = String::from_utf8_lossy(&out).into_owned();
    let mut found = vec![None; code.len()];
    let mut current = None;
    for line in out.lines() {
        let Some((text, encoding)) = line.split_once("encoding: [") else { continue };
        let bytes: Vec<u8> = encoding
            .trim_end_matches(']')
            .split(',')
            .filter_map(|b| u8::from_str_radix(b.trim().trim_start_matches("0x"), 16).ok())
            .collect();
        if bytes.len() == 8 && bytes[..4] == 0xbe80_00ffu32.to_le_bytes() {
            current = Some((u32::from_le_bytes(bytes[4..].try_into().unwrap()) & !MARK) as usize);
        } else if let Some(n) = current.take() {
            let words = code[n].map(u32::to_le_bytes).concat();
            if words.starts_with(&bytes) {
                let mnemonic = text.split_whitespace().next().unwrap_or("").to_owned();
                found[n] = Some((mnemonic, bytes.len() as u8));
            }
        }
    }
    found
}

/// Assembles. A mistake in the source is a panic.
pub fn assemble(processor: &str, source: &str) -> Vec<u32> {
    let cpu = format!("-mcpu={processor}");
    let elf = llvm_mc(&["-triple=amdgcn-amd-amdhsa", &cpu, "-filetype=obj", "-o", "-"], source);
    assert!(elf.starts_with(b"\x7fELF"), "llvm-mc-19 refuses:\n{source}");
    let u16_at = |at: usize| usize::from(u16::from_le_bytes(elf[at..at + 2].try_into().unwrap()));
    let u64_at = |at: usize| u64::from_le_bytes(elf[at..at + 8].try_into().unwrap()) as usize;
    let (sections, count) = (u64_at(0x28), u16_at(0x3c));
    // The section with executable contents (SHF_EXECINSTR) is .text.
    let text = (0..count).map(|n| sections + 64 * n).find(|at| u64_at(at + 8) & 4 != 0).expect(".text");
    let (offset, size) = (u64_at(text + 24), u64_at(text + 32));
    let words = elf[offset..offset + size].chunks_exact(4);
    words.map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
}

/// Runs the body that the decoder chose. Panics if the processor cannot run it.
pub fn call(inst: &Inst, w: &mut Wave, g: &mut Group<'_>) -> Flow {
    assert!(simd::available());
    // SAFETY: the features that fast bodies are compiled for are there.
    unsafe { (inst.exec)(w, g, inst) }
}

/// Whether this processor runs fast bodies. Where they are compiled for it and it does not, a program of tests that leaves
/// them out says so on stderr, also when it passes.
pub fn runs_fast_bodies() -> bool {
    static SAID: Once = Once::new();
    let runs = simd::available();
    if !runs && cfg!(target_arch = "x86_64") {
        SAID.call_once(|| {
            // Not by a macro: what those write is kept back for tests that pass.
            let line = b"fast bodies are NOT TESTED: this processor has no AVX2\n";
            let _ = std::io::stderr().write_all(line);
        });
    }
    runs
}
