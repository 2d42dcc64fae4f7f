//! Counters of dispatches, against LLVM's disassembly of kernels in a straight line, work-groups that are not full, and
//! the events that tell them.

mod common;

use std::process::Command;

use amdgpu_emu::{Chip, Class, DispatchCounters, Options, Traffic, chips};
use common::{GTT, Kernels, Queue, Rig, bytes_of};

fn rig(chip: &'static Chip, counters: bool) -> Rig {
    let mut options = Options::default();
    options.counters = counters;
    Rig::with_options(chip, options)
}

/// Runs a kernel with a buffer and a number as its arguments.
fn launch(rig: &Rig, queue: &Queue<'_>, kernels: &Kernels, name: &str, grid: u32, group: u16) {
    let (out, arguments, done) = (rig.allocate(1 << 16, GTT), rig.allocate(4096, GTT), queue.signal(1));
    arguments.set64(0, out.va);
    arguments.set64(1, 5);
    queue.run(name, &bytes_of(&kernels.packet(name, grid, group, arguments.va, done.va)), &done);
}

/// Mnemonics of a kernel, as LLVM sees them, up to its end.
fn mnemonics(kernels: &Kernels, name: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kernels.co");
    std::fs::write(&file, &kernels.object).unwrap();
    let out = Command::new("llvm-objdump-19")
        .arg(format!("--disassemble-symbols={name}"))
        .arg(&file)
        .output()
        .expect("this test reads LLVM's disassembly: apt-get install -y llvm-19");
    let text = String::from_utf8(out.stdout).unwrap();
    let mut found: Vec<String> = text
        .lines()
        .filter(|line| line.contains("//"))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect();
    let end = found.iter().position(|mnemonic| mnemonic == "s_endpgm").expect("an end");
    found.truncate(end + 1);
    found
}

fn class_of(mnemonic: &str) -> Class {
    match mnemonic {
        "s_waitcnt" | "s_nop" | "s_barrier" | "s_endpgm" => Class::Other,
        _ if mnemonic.starts_with("s_load") => Class::ScalarMemory,
        _ if mnemonic.starts_with("s_") => Class::ScalarAlu,
        _ if mnemonic.starts_with("v_") => Class::VectorAlu,
        _ if mnemonic.starts_with("ds_") => Class::Lds,
        _ if mnemonic.starts_with("global_store") => Class::VectorStore,
        _ if mnemonic.starts_with("global_load") => Class::VectorLoad,
        _ => panic!("{mnemonic} is not expected in a kernel in a straight line"),
    }
}

/// `waves` runs of the kernel from its first instruction to its last.
fn expect_straight(counted: &DispatchCounters, mnemonics: &[String], waves: u64, lanes: u64) {
    assert_eq!(counted.waves, waves);
    for class in Class::ALL {
        let expected = mnemonics.iter().filter(|mnemonic| class_of(mnemonic) == class).count() as u64;
        assert_eq!(counted.counts.of(class), waves * expected, "{class:?} of {mnemonics:?}");
    }
    let vector = mnemonics.iter().filter(|mnemonic| class_of(mnemonic).is_vector()).count() as u64;
    assert_eq!(counted.counts.lanes, vector * lanes);
    let loaded: u64 = mnemonics
        .iter()
        .filter_map(|mnemonic| mnemonic.strip_prefix("s_load_dword"))
        .map(|times| 4 * times.trim_start_matches('x').parse::<u64>().unwrap_or(1))
        .sum();
    assert_eq!(counted.counts.scalar, Traffic { read: waves * loaded, written: 0 });
}

#[test]
fn a_kernel_in_a_straight_line_is_counted_as_llvm_reads_it() {
    for (chip, processor) in
        [(&chips::GFX90A, "gfx90a"), (&chips::GFX942, "gfx942"), (&chips::GFX900, "gfx900")]
    {
        let rig = rig(chip, true);
        let kernels = Kernels::load(&rig, processor);
        let queue = Queue::new(&rig);
        // 300 work-items in groups of 128: two full ones, and one of 44, which has one wave.
        launch(&rig, &queue, &kernels, "store", 300, 128);
        // Two full groups that meet at a barrier and go through LDS.
        launch(&rig, &queue, &kernels, "swap", 512, 256);
        let counted = rig.gpu.take_dispatches(0);
        let [store, swap] = counted.as_slice() else { panic!("{counted:?}") };

        assert_eq!(store.kernel.as_deref(), Some("store"));
        assert_eq!((store.packet, store.workgroups), (0, 3));
        expect_straight(store, &mnemonics(&kernels, "store"), 5, 300);
        assert_eq!(store.counts.global, Traffic { read: 0, written: 300 * 4 });
        assert_eq!(store.counts.lds, Traffic::default());

        assert_eq!((swap.kernel.as_deref(), swap.packet, swap.workgroups), (Some("swap"), 1, 2));
        expect_straight(swap, &mnemonics(&kernels, "swap"), 8, 512);
        assert_eq!(swap.counts.global, Traffic { read: 0, written: 512 * 4 });
        assert_eq!(swap.counts.lds, Traffic { read: 512 * 4, written: 512 * 4 });
        assert!(swap.begun >= store.begun + store.time && !swap.time.is_zero());

        let totals = rig.gpu.counters(0);
        assert_eq!(totals.instructions, store.counts.total() + swap.counts.total());
        assert_eq!(rig.gpu.take_dispatches(0), [], "each is given once");
    }
}

#[test]
fn scratch_is_counted_apart() {
    for (chip, processor) in [(&chips::GFX90A, "gfx90a"), (&chips::GFX942, "gfx942")] {
        let rig = rig(chip, true);
        let kernels = Kernels::load(&rig, processor);
        let queue = Queue::new(&rig);
        queue.give_scratch(256);
        launch(&rig, &queue, &kernels, "scratch", 100, 64);
        let counted = rig.gpu.take_dispatches(0);
        // Sixteen elements are stored, five read; the compiler has no more of its own on the stack.
        let scratch = counted[0].counts.scratch;
        assert_eq!(scratch, Traffic { read: 100 * 5 * 4, written: 100 * 16 * 4 }, "{processor}");
        assert_eq!(counted[0].counts.global, Traffic { read: 0, written: 100 * 4 });
    }
}

#[test]
fn nothing_is_kept_unless_it_was_asked_for() {
    let rig = rig(&chips::GFX90A, false);
    let kernels = Kernels::load(&rig, "gfx90a");
    let queue = Queue::new(&rig);
    launch(&rig, &queue, &kernels, "store", 300, 128);
    assert_eq!(rig.gpu.take_dispatches(0), []);
    assert_eq!(rig.gpu.counters(0).dispatches, 1);
}
