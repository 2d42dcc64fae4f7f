//! Small programs, assembled by LLVM and run through waves from beginning to end.

mod common;

use std::sync::Arc;

use amdgpu_isa::{CodeCache, CodeView, Gen, Group, Operand, Stop, TrapKind, Wave, gens, run};
use common::{Memory, assemble, group, wave};

const CODE: u64 = 0x7f00_0000_0000;
const DATA: u64 = 0x7f00_1000_0000;

/// A program in memory, with data beside.
fn program(processor: &str, source: &str) -> (&'static Gen, Memory) {
    let words = assemble(processor, source);
    let mut memory = Memory::new();
    memory.add(CODE, 0x4000, false).add(DATA, 0x1_0000, true);
    memory.put_words(CODE, &words);
    (gens::by_processor(processor).expect("a known processor"), memory)
}

fn view(generation: &'static Gen) -> CodeView {
    CodeView::new(Arc::new(CodeCache::new(generation)))
}

fn start(generation: &'static Gen) -> Wave {
    let mut w = wave(generation);
    w.pc = CODE;
    w.set_pair(Operand(0), DATA);
    for l in 0..64 {
        w.v[0].0[l] = l as u32;
    }
    w
}

fn finish(w: &mut Wave, g: &mut Group<'_>) {
    let stop = run(w, g, &mut view(w.generation), 1_000_000);
    assert!(matches!(stop, Stop::End), "{stop:?}");
}

#[test]
fn a_loop_over_memory() {
    for processor in ["gfx90a", "gfx942", "gfx906"] {
        // Adds 1..=10 to each lane's element, with a branch and a divergent part: odd lanes get one more.
        let (generation, mut memory) = program(
            processor,
            "s_mov_b32 s4, 10
             v_lshlrev_b32_e32 v1, 2, v0
             v_and_b32_e32 v3, 1, v0
            again:
             global_load_dword v2, v1, s[0:1]
             s_waitcnt vmcnt(0)
             v_add_u32_e32 v2, s4, v2
             global_store_dword v1, v2, s[0:1]
             s_sub_u32 s4, s4, 1
             s_cmp_lg_u32 s4, 0
             s_cbranch_scc1 again
             v_cmp_eq_u32_e32 vcc, 1, v3
             s_and_saveexec_b64 s[2:3], vcc
             s_cbranch_execz skip
             v_add_u32_e32 v2, 1, v2
             global_store_dword v1, v2, s[0:1]
            skip:
             s_or_b64 exec, exec, s[2:3]
             s_endpgm",
        );
        memory.put_words(DATA, &(0..64).map(|l| 1000 * l).collect::<Vec<u32>>());
        let mut w = start(generation);
        finish(&mut w, &mut group(&memory, 0));
        let expected: Vec<u32> = (0..64).map(|l| 1000 * l + 55 + l % 2).collect();
        assert_eq!(memory.words(DATA, 64), expected);
        assert_eq!(w.exec(), !0);
    }
}

#[test]
fn calls_and_returns() {
    // By s_swappc_b64 over s_getpc_b64, by s_call_b64, and a recursion with its return addresses in memory.
    let (generation, memory) = program(
        "gfx90a",
        "s_mov_b32 s8, 5
         s_getpc_b64 s[2:3]
        base:
         s_add_u32 s2, s2, double-base
         s_addc_u32 s3, s3, 0
         s_swappc_b64 s[30:31], s[2:3]
         s_call_b64 s[30:31], double
         s_mov_b64 s[10:11], s[0:1]
         s_mov_b32 s12, 6
         s_mov_b32 s13, 1
         s_call_b64 s[30:31], factorial
         s_endpgm
        double:
         s_lshl_b32 s8, s8, 1
         s_setpc_b64 s[30:31]
        factorial:
         s_cmp_eq_u32 s12, 0
         s_cbranch_scc1 done
         s_store_dwordx2 s[30:31], s[10:11], 0x0
         s_add_u32 s10, s10, 8
         s_addc_u32 s11, s11, 0
         s_mul_i32 s13, s13, s12
         s_sub_u32 s12, s12, 1
         s_call_b64 s[30:31], factorial
         s_sub_u32 s10, s10, 8
         s_subb_u32 s11, s11, 0
         s_load_dwordx2 s[30:31], s[10:11], 0x0
        done:
         s_setpc_b64 s[30:31]",
    );
    let mut w = start(generation);
    finish(&mut w, &mut group(&memory, 0));
    assert_eq!((w.s[8], w.s[13]), (20, 720));
    assert_eq!(w.pair(Operand(10)), DATA);
}

#[test]
fn two_waves_meet_at_a_barrier() {
    // Each wave writes its lanes' numbers to LDS and reads what the other has written.
    let (generation, memory) = program(
        "gfx90a",
        "v_add_u32_e32 v1, s4, v0
         v_lshlrev_b32_e32 v2, 2, v1
         ds_write_b32 v2, v1
         s_waitcnt lgkmcnt(0)
         s_barrier
         v_xor_b32_e32 v2, 0x100, v2
         ds_read_b32 v3, v2
         s_waitcnt lgkmcnt(0)
         s_endpgm",
    );
    let mut g = group(&memory, 512);
    let mut code = view(generation);
    let mut waves = [start(generation), start(generation)];
    waves[1].s[4] = 64;
    for w in &mut waves {
        assert!(matches!(run(w, &mut g, &mut code, 1000), Stop::Barrier));
    }
    for w in &mut waves {
        assert!(matches!(run(w, &mut g, &mut code, 1000), Stop::End));
    }
    for l in 0..64 {
        assert_eq!((waves[0].v[3].0[l], waves[1].v[3].0[l]), (64 + l as u32, l as u32));
    }
}

#[test]
fn registers_by_index() {
    let (generation, memory) = program(
        "gfx90a",
        "v_mov_b32_e32 v10, 10
         v_mov_b32_e32 v11, 11
         v_mov_b32_e32 v12, 12
         s_mov_b32 s2, 2
         s_set_gpr_idx_on s2, gpr_idx(SRC0)
         v_mov_b32_e32 v1, v10
         s_set_gpr_idx_off
         s_set_gpr_idx_on s2, gpr_idx(DST)
         v_mov_b32_e32 v20, 77
         s_set_gpr_idx_idx s3
         v_mov_b32_e32 v20, 78
         s_set_gpr_idx_idx s4
         v_mov_b32_e32 v250, 79
         s_set_gpr_idx_off
         v_mov_b32_e32 v2, v10
         v_mov_b32_e32 v0, 33
         s_set_gpr_idx_on s4, gpr_idx(SRC0)
         v_mov_b32_e32 v3, v250
         s_set_gpr_idx_off
         s_endpgm",
    );
    let mut w = start(generation);
    w.s[3] = 5;
    // Beyond v255 a source is v0, and an instruction with such a destination does nothing.
    w.s[4] = 6;
    finish(&mut w, &mut group(&memory, 0));
    assert_eq!([1, 2, 3, 20, 22, 25].map(|n| w.v[n].0[63]), [12, 10, 33, 0, 77, 78]);
    assert_eq!([0, 250, 255].map(|n| w.v[n].0[63]), [33, 0, 0]);
}

#[test]
fn vector_instructions_are_skipped() {
    let (generation, mut memory) = program(
        "gfx942",
        "s_mov_b32 s2, 0x10
         v_mov_b32_e32 v1, 1
         v_lshlrev_b32_e32 v9, 2, v0
         s_setvskip s2, 4
         v_mov_b32_e32 v1, 2
         v_pk_add_u16 v1, v1, v1
         global_store_dword v9, v9, s[0:1]
         ds_write_b32 v9, v9
         v_cmp_eq_u32_e32 vcc, v0, v0
         v_readfirstlane_b32 s3, v9
         s_mov_b32 s4, 7
         s_getreg_b32 s5, hwreg(HW_REG_MODE)
         s_setvskip s2, 35
         v_add_u32_e32 v2, 5, v1
         s_setvskip 1, 0
         v_mov_b32_e32 v2, 9
         s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0
         v_mov_b32_e32 v3, 3
         s_endpgm",
    );
    let mut w = start(generation);
    let mut g = group(&memory, 256);
    finish(&mut w, &mut g);
    assert_eq!([1, 2, 3].map(|n| w.v[n].0[63]), [1, 6, 3]);
    assert_eq!((w.s[3], w.s[4], w.vcc(), w.s[5] >> 28 & 1), (0, 7, 0, 1));
    assert_eq!(g.lds, [0; 256]);
    drop(g);
    assert_eq!(memory.words(DATA, 64), [0; 64]);
}

#[test]
fn forks_run_both_sides() {
    // Lanes of a quarter go one way, the others the other way; in either, lanes fork once more.
    let (generation, memory) = program(
        "gfx900",
        "s_mov_b64 s[20:21], 0xffff
         v_mov_b32_e32 v1, 0
         v_and_b32_e32 v2, 1, v0
         s_getpc_b64 s[22:23]
        here:
         s_add_u32 s22, s22, few-here
         s_addc_u32 s23, s23, 0
         s_cbranch_g_fork s[20:21], s[22:23]
         v_or_b32_e32 v1, 2, v1
         s_branch joined
        few:
         v_or_b32_e32 v1, 1, v1
         v_cmp_eq_u32_e32 vcc, 0, v2
         s_cbranch_i_fork vcc, even
         v_or_b32_e32 v1, 4, v1
         s_branch inner
        even:
         v_or_b32_e32 v1, 8, v1
        inner:
         s_cbranch_join s24
        joined:
         s_cbranch_join s25
         s_cbranch_i_fork exec, all
         s_trap 2
        all:
         s_cbranch_i_fork s[28:29], none
         s_getreg_b32 s26, hwreg(HW_REG_MODE, 29, 3)
         s_endpgm
        none:
         s_trap 2",
    );
    let mut w = start(generation);
    // The depths before the forks.
    (w.s[24], w.s[25]) = (1, 0);
    finish(&mut w, &mut group(&memory, 0));
    let expected = |l: usize| if l >= 16 { 2 } else { 1 | [8, 4][l % 2] };
    assert_eq!(w.v[1].0, core::array::from_fn(expected));
    // Nobody puts the lanes back together: code has to keep EXEC itself.
    assert_eq!((w.exec(), w.s[26]), (!0xffff, 0));
}

#[test]
fn stops_say_what_and_where() {
    let (generation, memory) = program(
        "gfx90a",
        "s_sleep 1
         s_trap 3
         s_nop 0
         s_cmp_eq_u32 s4, 0
         s_cbranch_scc1 zero
         s_trap 2
        zero:
         s_cbranch_vccnz implemented
         s_rfe_b64 s[0:1]
        implemented:
         .long 0xbfff0000",
    );
    let mut g = group(&memory, 0);
    let mut code = view(generation);
    let mut w = start(generation);
    assert!(matches!(run(&mut w, &mut g, &mut code, 1000), Stop::Yield));
    assert_eq!(w.pc, CODE + 4);
    let mut stop = |s4: u32, vcc: u64| {
        let mut w = start(generation);
        w.pc = CODE + 4;
        w.s[4] = s4;
        w.set_pair(Operand::VCC_LO, vcc);
        match run(&mut w, &mut g, &mut code, 1000) {
            Stop::Trap(trap) => (trap.kind, trap.pc - CODE, w.pc - CODE),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(stop(1, 0), (TrapKind::Abort, 20, 20));
    let words = [0xbe80_1f00, 0xbfff_0000];
    let kind = TrapKind::NotImplemented {
        mnemonic: "s_rfe_b64: no trap handler runs that it could return from".into(),
        words,
    };
    assert_eq!(stop(0, 0), (kind, 28, 28));
    assert_eq!(stop(0, 1), (TrapKind::IllegalInstruction { words: [0xbfff_0000, 0] }, 32, 32));
}

#[test]
fn a_mode_change_holds_from_the_next_instruction_on() {
    // Denormals off: a product that is one becomes zero.
    let (generation, memory) = program(
        "gfx90a",
        "v_mov_b32_e32 v1, 0x00800000
         v_mul_f32_e32 v2, 0.5, v1
         s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
         v_mul_f32_e32 v3, 0.5, v1
         s_getreg_b32 s4, hwreg(HW_REG_MODE, 0, 8)
         s_endpgm",
    );
    let mut w = start(generation);
    finish(&mut w, &mut group(&memory, 0));
    assert_eq!((w.v[2].0[0], w.v[3].0[0], w.s[4]), (0x0040_0000, 0, 0xc0));
}

#[test]
fn loads_go_to_lds() {
    let (generation, mut memory) = program(
        "gfx942",
        "v_lshlrev_b32_e32 v1, 3, v0
         s_mov_b32 m0, 16
         global_load_lds_dword v1, s[0:1] offset:4
         s_endpgm",
    );
    memory.put_words(DATA, &(0..256).collect::<Vec<u32>>());
    let mut g = group(&memory, 1024);
    finish(&mut start(generation), &mut g);
    for l in 0..64 {
        let at = 16 + 4 + 4 * l;
        assert_eq!(g.lds[at..at + 4], (2 * l as u32 + 1).to_le_bytes());
    }
}

/// The LDS of gfx950 is greater than 16 bits can say.
#[test]
fn loads_go_to_all_of_the_lds() {
    let (_, mut memory) = program(
        "gfx942",
        "v_lshlrev_b32_e32 v1, 2, v0
         s_mov_b32 m0, 0x27f00
         global_load_lds_dword v1, s[0:1]
         ds_read_b32 v2, v3
         s_endpgm",
    );
    memory.put_words(DATA, &(0..256).collect::<Vec<u32>>());
    let mut w = start(&gens::gfx9::GFX950);
    w.v[3].0 = core::array::from_fn(|l| 0x27f00 + 4 * (63 - l as u32));
    let mut g = group(&memory, 160 << 10);
    finish(&mut w, &mut g);
    assert_eq!(w.v[2].0, core::array::from_fn(|l| 63 - l as u32));
}

/// Seconds that this thread has run: others may keep the processor busy meanwhile.
fn processor_time() -> f64 {
    let nanos = std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|s| s.split_whitespace().next().and_then(|n| n.parse::<f64>().ok()));
    match nanos {
        Some(nanos) => nanos * 1e-9,
        None => std::time::UNIX_EPOCH.elapsed().map_or(0.0, |t| t.as_secs_f64()),
    }
}

/// Instructions a second of the common patterns: `cargo test -p amdgpu-isa --test programs -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn throughput() {
    let patterns: [(&str, &str); 16] = [
        ("global_load_dword, consecutive", "global_load_dword v2, v1, s[0:1]"),
        ("global_load_dword, 64-bit, consecutive", "global_load_dword v2, v[6:7], off"),
        ("global_load_dword, uniform", "global_load_dword v2, v3, s[0:1]"),
        ("global_load_dword, scattered", "global_load_dword v2, v4, s[0:1]"),
        ("global_load_dwordx2, consecutive", "global_load_dwordx2 v[10:11], v5, s[0:1]"),
        ("global_load_dwordx4, consecutive", "global_load_dwordx4 v[10:13], v8, s[0:1]"),
        ("global_load_ubyte, consecutive", "global_load_ubyte v10, v0, s[0:1]"),
        ("global_store_dword, consecutive", "global_store_dword v1, v2, s[0:1]"),
        ("global_store_dword, scattered", "global_store_dword v4, v2, s[0:1]"),
        ("flat_load_dword, consecutive", "flat_load_dword v2, v[6:7]"),
        ("ds_read_b32, consecutive", "ds_read_b32 v2, v1"),
        ("ds_read_b32, uniform", "ds_read_b32 v2, v3"),
        ("ds_read_b128, scattered", "ds_read_b128 v[10:13], v4"),
        ("ds_add_u32, scattered", "ds_add_u32 v4, v0"),
        ("s_load_dwordx4", "s_load_dwordx4 s[12:15], s[0:1], 0x10"),
        ("s_add_u32", "s_add_u32 s12, s13, s14"),
    ];
    for (name, line) in patterns {
        let body = format!("{line}\n").repeat(32);
        let source = format!(
            "s_mov_b32 s4, 0x8000\nagain:\n{body}s_sub_u32 s4, s4, 1\ns_cmp_lg_u32 s4, 0\ns_cbranch_scc1 again\ns_endpgm"
        );
        let (generation, memory) = program("gfx90a", &source);
        let mut w = start(generation);
        for l in 0..64 {
            let mix = (l as u32).wrapping_mul(0x9e37_79b9) >> 22 & !3;
            w.v[1].0[l] = 4 * l as u32;
            w.v[3].0[l] = 64;
            w.v[4].0[l] = mix;
            w.v[5].0[l] = 8 * l as u32;
            w.v[6].0[l] = DATA as u32 + 4 * l as u32;
            w.v[7].0[l] = (DATA >> 32) as u32;
            w.v[8].0[l] = 16 * l as u32;
        }
        let mut g = group(&memory, 0x2000);
        let start = processor_time();
        let stop = run(&mut w, &mut g, &mut view(generation), u64::MAX);
        assert!(matches!(stop, Stop::End), "{stop:?}");
        let rate = w.instructions as f64 / (processor_time() - start) / 1e6;
        eprintln!("{name:45} {rate:7.1} M/s");
    }
}

/// `(1 + 2^-12)^2 - (1 + 2^-11)` is 2^-24 with one rounding and 0 with two.
#[test]
fn mixed_multiply_add_rounds_as_the_chip_does() {
    for (processor, mnemonic, expected) in
        [("gfx900", "v_mad_mix_f32", 0), ("gfx906", "v_fma_mix_f32", 0x3380_0000)]
    {
        let source = format!(
            "v_mov_b32_e32 v1, 0x3f800800
             v_mov_b32_e32 v2, 0xbf801000
             {mnemonic} v3, v1, v1, v2
             v_mov_b32_e32 v4, 0x7f800000
             v_mul_legacy_f32_e32 v4, 0, v4
             s_endpgm"
        );
        let (generation, memory) = program(processor, &source);
        let mut w = start(generation);
        finish(&mut w, &mut group(&memory, 0));
        assert_eq!(w.v[3].0, [expected; 64], "{processor}");
        assert_eq!(w.v[4].0, [0; 64], "{processor}");
    }
}

/// The data of a load is never an accumulation register where those have a file of their own.
#[test]
fn the_accumulation_bit_needs_one_register_file() {
    // global_load_dword v5, v0, s[0:1], with the bit that says "accumulation register" on gfx90a.
    let words = [0xdc50_8000, 0x0580_0000];
    for generation in gens::ALL {
        let inst = (generation.decode)(generation, words).expect("known everywhere");
        let file = if generation.has_unified_registers { Operand::agpr(5) } else { Operand::vgpr(5) };
        assert_eq!(inst.dst, file, "{generation:?}");
    }
}
