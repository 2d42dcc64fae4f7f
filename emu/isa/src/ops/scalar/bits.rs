//! Scalar bit operations: logic, shifts, bit fields, counts. Vega ISA, "Bit-wise instructions".

use crate::scalar_ops;

/// A two-source logic instruction in both widths; `SCC` = result is not zero.
macro_rules! logic {
    ($($n32:ident $t32:literal $n64:ident $t64:literal: $doc:literal |$a:ident, $b:ident| $body:expr;)*) => {
        scalar_ops! {$(
            #[doc = $doc]
            $n32 $t32: B32 <- ($a: B32, $b: B32) [scc] = { let d = $body; (d, d != 0) };
            #[doc = $doc]
            $n64 $t64: B64 <- ($a: B64, $b: B64) [scc] = { let d = $body; (d, d != 0) };
        )*}
    };
}

logic! {
    S_AND_B32 "s_and_b32" S_AND_B64 "s_and_b64": "`D = S0 & S1`." |a, b| a & b;
    S_OR_B32 "s_or_b32" S_OR_B64 "s_or_b64": "`D = S0 | S1`." |a, b| a | b;
    S_XOR_B32 "s_xor_b32" S_XOR_B64 "s_xor_b64": "`D = S0 ^ S1`." |a, b| a ^ b;
    S_ANDN2_B32 "s_andn2_b32" S_ANDN2_B64 "s_andn2_b64": "`D = S0 & !S1`." |a, b| a & !b;
    S_ORN2_B32 "s_orn2_b32" S_ORN2_B64 "s_orn2_b64": "`D = S0 | !S1`." |a, b| a | !b;
    S_NAND_B32 "s_nand_b32" S_NAND_B64 "s_nand_b64": "`D = !(S0 & S1)`." |a, b| !(a & b);
    S_NOR_B32 "s_nor_b32" S_NOR_B64 "s_nor_b64": "`D = !(S0 | S1)`." |a, b| !(a | b);
    S_XNOR_B32 "s_xnor_b32" S_XNOR_B64 "s_xnor_b64": "`D = !(S0 ^ S1)`." |a, b| !(a ^ b);
}

scalar_ops! {
    /// `D = S0 << S1`, `SCC` = not zero.
    S_LSHL_B32 "s_lshl_b32": B32 <- (a: B32, b: U32) [scc] = { let d = a << (b & 31); (d, d != 0) };
    /// `D = S0 << S1`, `SCC` = not zero.
    S_LSHL_B64 "s_lshl_b64": B64 <- (a: B64, b: U32) [scc] = { let d = a << (b & 63); (d, d != 0) };
    /// `D = S0 >> S1`, `SCC` = not zero.
    S_LSHR_B32 "s_lshr_b32": B32 <- (a: B32, b: U32) [scc] = { let d = a >> (b & 31); (d, d != 0) };
    /// `D = S0 >> S1`, `SCC` = not zero.
    S_LSHR_B64 "s_lshr_b64": B64 <- (a: B64, b: U32) [scc] = { let d = a >> (b & 63); (d, d != 0) };
    /// `D = S0 >> S1` with sign, `SCC` = not zero.
    S_ASHR_I32 "s_ashr_i32": I32 <- (a: I32, b: U32) [scc] = { let d = a >> (b & 31); (d, d != 0) };
    /// `D = S0 >> S1` with sign, `SCC` = not zero.
    S_ASHR_I64 "s_ashr_i64": I64 <- (a: I64, b: U32) [scc] = { let d = a >> (b & 63); (d, d != 0) };
    /// `S0` ones, shifted left by `S1`.
    S_BFM_B32 "s_bfm_b32": B32 <- (a: U32, b: U32) = ((1u32 << (a & 31)) - 1) << (b & 31);
    /// `S0` ones, shifted left by `S1`.
    S_BFM_B64 "s_bfm_b64": B64 <- (a: U32, b: U32) = ((1u64 << (a & 63)) - 1) << (b & 63);
    /// Bit field of `S0`: from bit `S1[4:0]`, `S1[22:16]` bits. `SCC` = not zero.
    S_BFE_U32 "s_bfe_u32": U32 <- (a: U32, b: U32) [scc] = {
        let d = field(u64::from(a >> (b & 31)), b >> 16 & 127) as u32;
        (d, d != 0)
    };
    /// Bit field, sign-extended.
    S_BFE_I32 "s_bfe_i32": I32 <- (a: I32, b: U32) [scc] = {
        let d = signed_field(i64::from(a >> (b & 31)), b >> 16 & 127) as i32;
        (d, d != 0)
    };
    /// Bit field of a pair: from bit `S1[5:0]`, `S1[22:16]` bits. `SCC` = not zero.
    S_BFE_U64 "s_bfe_u64": U64 <- (a: U64, b: U32) [scc] = {
        let d = field(a >> (b & 63), b >> 16 & 127);
        (d, d != 0)
    };
    /// Bit field of a pair, sign-extended.
    S_BFE_I64 "s_bfe_i64": I64 <- (a: I64, b: U32) [scc] = {
        let d = signed_field(a >> (b & 63), b >> 16 & 127);
        (d, d != 0)
    };
    /// Low halves: `S0` below, `S1` above.
    S_PACK_LL_B32_B16 "s_pack_ll_b32_b16": B32 <- (a: B32, b: B32) = a & 0xffff | b << 16;
    /// Low half of `S0` below, high half of `S1` above.
    S_PACK_LH_B32_B16 "s_pack_lh_b32_b16": B32 <- (a: B32, b: B32) = a & 0xffff | b & 0xffff_0000;
    /// High halves: `S0` below, `S1` above.
    S_PACK_HH_B32_B16 "s_pack_hh_b32_b16": B32 <- (a: B32, b: B32) = a >> 16 | b & 0xffff_0000;
    /// `D = !S0`, `SCC` = not zero.
    S_NOT_B32 "s_not_b32": B32 <- (a: B32) [scc] = (!a, !a != 0);
    /// `D = !S0`, `SCC` = not zero.
    S_NOT_B64 "s_not_b64": B64 <- (a: B64) [scc] = (!a, !a != 0);
    /// Whole-quad mode: all four bits of a quad if any is set. `SCC` = not zero.
    S_WQM_B32 "s_wqm_b32": B32 <- (a: B32) [scc] = { let d = spread_quads(u64::from(a)) as u32; (d, d != 0) };
    /// Whole-quad mode: all four bits of a quad if any is set. `SCC` = not zero.
    S_WQM_B64 "s_wqm_b64": B64 <- (a: B64) [scc] = { let d = spread_quads(a); (d, d != 0) };
    /// One bit a quad: any of its four is set. `SCC` = not zero.
    S_QUADMASK_B32 "s_quadmask_b32": B32 <- (a: B32) [scc] = { let d = gather_quads(u64::from(a)) as u32; (d, d != 0) };
    /// One bit a quad: any of its four is set. `SCC` = not zero.
    S_QUADMASK_B64 "s_quadmask_b64": B64 <- (a: B64) [scc] = { let d = gather_quads(a); (d, d != 0) };
    /// Bits in reverse order.
    S_BREV_B32 "s_brev_b32": B32 <- (a: B32) = a.reverse_bits();
    /// Bits in reverse order.
    S_BREV_B64 "s_brev_b64": B64 <- (a: B64) = a.reverse_bits();
    /// Number of zeros; `SCC` = not zero.
    S_BCNT0_I32_B32 "s_bcnt0_i32_b32": U32 <- (a: B32) [scc] = (a.count_zeros(), a != !0);
    /// Number of zeros; `SCC` = not zero.
    S_BCNT0_I32_B64 "s_bcnt0_i32_b64": U32 <- (a: B64) [scc] = (a.count_zeros(), a != !0);
    /// Number of ones; `SCC` = not zero.
    S_BCNT1_I32_B32 "s_bcnt1_i32_b32": U32 <- (a: B32) [scc] = (a.count_ones(), a != 0);
    /// Number of ones; `SCC` = not zero.
    S_BCNT1_I32_B64 "s_bcnt1_i32_b64": U32 <- (a: B64) [scc] = (a.count_ones(), a != 0);
    /// Position of the lowest zero, -1 without one.
    S_FF0_I32_B32 "s_ff0_i32_b32": U32 <- (a: B32) = lowest(u64::from(!a));
    /// Position of the lowest zero, -1 without one.
    S_FF0_I32_B64 "s_ff0_i32_b64": U32 <- (a: B64) = lowest(!a);
    /// Position of the lowest one, -1 without one.
    S_FF1_I32_B32 "s_ff1_i32_b32": U32 <- (a: B32) = lowest(u64::from(a));
    /// Position of the lowest one, -1 without one.
    S_FF1_I32_B64 "s_ff1_i32_b64": U32 <- (a: B64) = lowest(a);
    /// Zeros above the highest one, -1 without one.
    S_FLBIT_I32_B32 "s_flbit_i32_b32": U32 <- (a: B32) = if a == 0 { !0 } else { a.leading_zeros() };
    /// Zeros above the highest one, -1 without one.
    S_FLBIT_I32_B64 "s_flbit_i32_b64": U32 <- (a: B64) = if a == 0 { !0 } else { a.leading_zeros() };
    /// Bits from the top that equal the sign, -1 if all do.
    S_FLBIT_I32 "s_flbit_i32": U32 <- (a: I32) = {
        let differing = (a ^ a >> 31) as u32;
        if differing == 0 { !0 } else { differing.leading_zeros() }
    };
    /// Bits from the top that equal the sign, -1 if all do.
    S_FLBIT_I32_I64 "s_flbit_i32_i64": U32 <- (a: I64) = {
        let differing = (a ^ a >> 63) as u64;
        if differing == 0 { !0 } else { differing.leading_zeros() }
    };
    /// Clears bit `S0` of `D`.
    S_BITSET0_B32 "s_bitset0_b32": B32 <- |w, i| (a: U32) = w.scalar32(i.dst, 0) & !(1 << (a & 31));
    /// Clears bit `S0` of `D`.
    S_BITSET0_B64 "s_bitset0_b64": B64 <- |w, i| (a: U32) = w.pair(i.dst) & !(1 << (a & 63));
    /// Sets bit `S0` of `D`.
    S_BITSET1_B32 "s_bitset1_b32": B32 <- |w, i| (a: U32) = w.scalar32(i.dst, 0) | 1 << (a & 31);
    /// Sets bit `S0` of `D`.
    S_BITSET1_B64 "s_bitset1_b64": B64 <- |w, i| (a: U32) = w.pair(i.dst) | 1 << (a & 63);
    /// Each bit of `S0` twice.
    S_BITREPLICATE_B64_B32 "s_bitreplicate_b64_b32": B64 <- (a: B32) = {
        (0..32).fold(0u64, |d, n| d | ((u64::from(a) >> n & 1) * 3) << (2 * n))
    };
}

/// The low `width` bits.
fn field(x: u64, width: u32) -> u64 {
    if width >= 64 { x } else { x & ((1 << width) - 1) }
}

/// The low `width` bits with their sign.
fn signed_field(x: i64, width: u32) -> i64 {
    match width {
        0 => 0,
        1..=63 => x << (64 - width) >> (64 - width),
        _ => x,
    }
}

/// Bit `4n` says whether quad `n` has a bit set.
fn quads(x: u64) -> u64 {
    (x | x >> 1 | x >> 2 | x >> 3) & 0x1111_1111_1111_1111
}

fn spread_quads(x: u64) -> u64 {
    quads(x) * 15
}

fn gather_quads(x: u64) -> u64 {
    let x = quads(x);
    (0..16).fold(0, |d, n| d | (x >> (4 * n) & 1) << n)
}

fn lowest(x: u64) -> u32 {
    if x == 0 { !0 } else { x.trailing_zeros() }
}
