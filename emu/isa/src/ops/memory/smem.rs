//! Scalar memory: loads and stores of scalar registers, the caches' upkeep, the clocks. Vega ISA, chapter 7.
//!
//! Addresses are dword-aligned: the two low bits are dropped. A load through a buffer descriptor gives zero beyond it.

use super::atomic::{self, Rmw, Word};
use super::fault;
use crate::{Flow, Group, Inst, MemView, Moves, Op, Operand, Traits, Ty, Wave, refused_ops};

/// Offset of the instruction: immediate plus scalar register.
#[inline(always)]
fn offset(w: &Wave, i: &Inst) -> u64 {
    let register = if i.mem.soffset.is_none() { 0 } else { w.scalar32(i.mem.soffset, 0) };
    (i64::from(i.mem.offset) as u64).wrapping_add(u64::from(register))
}

/// Address of `s_load_dword` and its kin.
#[inline(always)]
fn address(w: &Wave, i: &Inst) -> u64 {
    w.pair(i.mem.saddr).wrapping_add(offset(w, i)) & !3
}

/// Address through a buffer descriptor, and how many bytes of it are inside.
fn buffer_address(w: &Wave, i: &Inst) -> (u64, u64) {
    let word = |n| w.s[i.mem.saddr.plus(n).scalar()];
    let base = u64::from(word(0)) | u64::from(word(1) & 0xffff) << 32;
    let stride = u64::from(word(1) >> 16 & 0x3fff);
    let size = u64::from(word(2)) * stride.max(1);
    let offset = offset(w, i) & !3;
    ((base & !3).wrapping_add(offset), size.saturating_sub(offset))
}

/// Writes consecutive scalar registers; those beyond the writable ones are dropped.
#[inline(always)]
fn put<const N: usize>(w: &mut Wave, dst: Operand, x: [u32; N]) {
    let at = dst.scalar();
    match w.s[..128].get_mut(at..at + N) {
        Some(registers) => registers.copy_from_slice(&x),
        None => (0..N).for_each(|k| w.set_scalar(dst.plus(k as u16), x[k])),
    }
}

fn get<const N: usize>(w: &Wave, o: Operand) -> [u32; N] {
    core::array::from_fn(|k| w.s[o.plus(k as u16).scalar()])
}

#[inline(always)]
fn load<const N: usize>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow
where
    [u32; N]: Default,
{
    match g.mem.load::<[u32; N]>(address(w, i)) {
        Ok(x) => {
            put(w, i.dst, x);
            Flow::Next
        }
        Err(f) => fault(w, i, f, None),
    }
}

fn buffer_load<const N: usize>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let (va, inside) = buffer_address(w, i);
    let mut x = [0; N];
    for (k, x) in x.iter_mut().enumerate() {
        let at = 4 * k as u64;
        if at + 4 <= inside {
            match g.mem.load::<u32>(va.wrapping_add(at)) {
                Ok(value) => *x = value,
                Err(f) => return fault(w, i, f, None),
            }
        }
    }
    put(w, i.dst, x);
    Flow::Next
}

fn store<const N: usize>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow
where
    [u32; N]: Default,
{
    match g.mem.store::<[u32; N]>(address(w, i), get(w, i.mem.data)) {
        Ok(()) => Flow::Next,
        Err(f) => fault(w, i, f, None),
    }
}

fn buffer_store<const N: usize>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let (va, inside) = buffer_address(w, i);
    for (k, x) in get::<N>(w, i.mem.data).into_iter().enumerate() {
        let at = 4 * k as u64;
        if at + 4 <= inside
            && let Err(f) = g.mem.store(va.wrapping_add(at), x)
        {
            return fault(w, i, f, None);
        }
    }
    Flow::Next
}

fn atomic<R: Rmw>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let va = address(w, i);
    atomic_at::<R>(w, g, i, va)
}

fn buffer_atomic<R: Rmw>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let (va, inside) = buffer_address(w, i);
    if inside < 4 * R::T::DWORDS as u64 {
        return Flow::Next;
    }
    atomic_at::<R>(w, g, i, va)
}

fn atomic_at<R: Rmw>(w: &mut Wave, g: &mut Group<'_>, i: &Inst, va: u64) -> Flow {
    let n = R::T::DWORDS as u16;
    let word = |o: Operand| R::T::join(w.s[o.scalar()], w.s[o.plus(1).scalar()]);
    let (data, compare) = (word(i.mem.data), word(i.mem.data.plus(n)));
    match R::T::update(&mut g.mem, va, |old| R::apply(old, data, compare)) {
        Ok(old) => {
            if i.mem.glc {
                let (lo, hi) = old.split();
                w.set_scalar(i.dst, lo);
                if n == 2 {
                    w.set_scalar(i.dst.plus(1), hi);
                }
            }
            Flow::Next
        }
        Err(f) => fault(w, i, f, None),
    }
}

/// First stands what all of them do to memory: of the wave, and not of each lane.
macro_rules! smem_ops {
    ($how:tt; $($(#[$doc:meta])* $name:ident $text:literal $([$traits:ident])? ($dst:ident <- $($src:ident),*) = $general:expr;)*) => {$(
        $(#[$doc])*
        pub static $name: Op = Op {
            name: $text,
            dst: Ty::$dst,
            src: &[$(Ty::$src),*],
            traits: Traits {
                moves: smem_ops!(@moves $how $dst $($src)*).once(),
                ..crate::lane_ops!(@traits $($traits)?)
            },
            general: $general,
            fast: None,
            fast_modified: None,
        };
    )*};
    (@moves reads $dst:ident $address:ident) => { Moves::reads(Ty::$dst.bytes()) };
    (@moves writes $dst:ident $address:ident $data:ident) => { Moves::writes(Ty::$data.bytes()) };
    (@moves modifies $dst:ident $address:ident $data:ident) => { Moves::modifies(Ty::$dst.bytes()) };
    (@moves nothing $($ty:ident)*) => { Moves::NOTHING };
}

fn fence(_: &mut Wave, _: &mut Group<'_>, _: &Inst) -> Flow {
    MemView::fence();
    Flow::Next
}

smem_ops! { reads;
    /// Loads one register.
    S_LOAD_DWORD "s_load_dword" (B32 <- B64) = load::<1>;
    /// Loads two registers.
    S_LOAD_DWORDX2 "s_load_dwordx2" (B64 <- B64) = load::<2>;
    /// Loads four registers.
    S_LOAD_DWORDX4 "s_load_dwordx4" (B128 <- B64) = load::<4>;
    /// Loads eight registers.
    S_LOAD_DWORDX8 "s_load_dwordx8" (B256 <- B64) = load::<8>;
    /// Loads sixteen registers.
    S_LOAD_DWORDX16 "s_load_dwordx16" (B512 <- B64) = load::<16>;
    /// Loads one register through a buffer descriptor.
    S_BUFFER_LOAD_DWORD "s_buffer_load_dword" (B32 <- B128) = buffer_load::<1>;
    /// Loads two registers through a buffer descriptor.
    S_BUFFER_LOAD_DWORDX2 "s_buffer_load_dwordx2" (B64 <- B128) = buffer_load::<2>;
    /// Loads four registers through a buffer descriptor.
    S_BUFFER_LOAD_DWORDX4 "s_buffer_load_dwordx4" (B128 <- B128) = buffer_load::<4>;
    /// Loads eight registers through a buffer descriptor.
    S_BUFFER_LOAD_DWORDX8 "s_buffer_load_dwordx8" (B256 <- B128) = buffer_load::<8>;
    /// Loads sixteen registers through a buffer descriptor.
    S_BUFFER_LOAD_DWORDX16 "s_buffer_load_dwordx16" (B512 <- B128) = buffer_load::<16>;
}

smem_ops! { writes;
    /// Stores one register.
    S_STORE_DWORD "s_store_dword" (None <- B64, B32) = store::<1>;
    /// Stores two registers.
    S_STORE_DWORDX2 "s_store_dwordx2" (None <- B64, B64) = store::<2>;
    /// Stores four registers.
    S_STORE_DWORDX4 "s_store_dwordx4" (None <- B64, B128) = store::<4>;
    /// Stores one register through a buffer descriptor.
    S_BUFFER_STORE_DWORD "s_buffer_store_dword" (None <- B128, B32) = buffer_store::<1>;
    /// Stores two registers through a buffer descriptor.
    S_BUFFER_STORE_DWORDX2 "s_buffer_store_dwordx2" (None <- B128, B64) = buffer_store::<2>;
    /// Stores four registers through a buffer descriptor.
    S_BUFFER_STORE_DWORDX4 "s_buffer_store_dwordx4" (None <- B128, B128) = buffer_store::<4>;
}

smem_ops! { nothing;
    /// Forgets cached data.
    S_DCACHE_INV "s_dcache_inv" (None <- ) = fence;
    /// Writes cached data back.
    S_DCACHE_WB "s_dcache_wb" (None <- ) = fence;
    /// Forgets cached volatile data.
    S_DCACHE_INV_VOL "s_dcache_inv_vol" (None <- ) = fence;
    /// Writes cached volatile data back.
    S_DCACHE_WB_VOL "s_dcache_wb_vol" (None <- ) = fence;
    /// Drops a cache line that will be overwritten: a hint.
    S_DCACHE_DISCARD "s_dcache_discard" (None <- B64) = |_, _, _| Flow::Next;
    /// Drops two cache lines that will be overwritten: a hint.
    S_DCACHE_DISCARD_X2 "s_dcache_discard_x2" (None <- B64) = |_, _, _| Flow::Next;
    /// Prefetches an address translation: a hint.
    S_ATC_PROBE "s_atc_probe" [NUMBER] (None <- B64) = |_, _, _| Flow::Next;
    /// Prefetches an address translation through a buffer descriptor: a hint.
    S_ATC_PROBE_BUFFER "s_atc_probe_buffer" [NUMBER] (None <- B128) = |_, _, _| Flow::Next;
    /// The cycle counter.
    S_MEMTIME "s_memtime" (B64 <- ) = |w, g, i| {
        w.set_pair(i.dst, g.io.clock());
        Flow::Next
    };
    /// The constant-rate counter.
    S_MEMREALTIME "s_memrealtime" (B64 <- ) = |w, g, i| {
        w.set_pair(i.dst, g.io.real_time());
        Flow::Next
    };
}

macro_rules! atomics {
    ($($R:ident $D:ident $T:ident: $name:ident $text:literal $buffer:ident $buffer_text:literal;)*) => {
        smem_ops! { modifies; $(
            /// Read-modify-write of memory; gives the old value with `glc`.
            $name $text [ATOMIC] ($D <- B64, $T) = atomic::<atomic::$R>;
            /// Read-modify-write of memory through a buffer descriptor; gives the old value with `glc`.
            $buffer $buffer_text [ATOMIC] ($D <- B128, $T) = buffer_atomic::<atomic::$R>;
        )*}
    };
}

atomics! {
    Swap32 B32 B32: S_ATOMIC_SWAP "s_atomic_swap" S_BUFFER_ATOMIC_SWAP "s_buffer_atomic_swap";
    CmpSwap32 B32 B64: S_ATOMIC_CMPSWAP "s_atomic_cmpswap" S_BUFFER_ATOMIC_CMPSWAP "s_buffer_atomic_cmpswap";
    Add32 B32 B32: S_ATOMIC_ADD "s_atomic_add" S_BUFFER_ATOMIC_ADD "s_buffer_atomic_add";
    Sub32 B32 B32: S_ATOMIC_SUB "s_atomic_sub" S_BUFFER_ATOMIC_SUB "s_buffer_atomic_sub";
    Smin32 B32 B32: S_ATOMIC_SMIN "s_atomic_smin" S_BUFFER_ATOMIC_SMIN "s_buffer_atomic_smin";
    Umin32 B32 B32: S_ATOMIC_UMIN "s_atomic_umin" S_BUFFER_ATOMIC_UMIN "s_buffer_atomic_umin";
    Smax32 B32 B32: S_ATOMIC_SMAX "s_atomic_smax" S_BUFFER_ATOMIC_SMAX "s_buffer_atomic_smax";
    Umax32 B32 B32: S_ATOMIC_UMAX "s_atomic_umax" S_BUFFER_ATOMIC_UMAX "s_buffer_atomic_umax";
    And32 B32 B32: S_ATOMIC_AND "s_atomic_and" S_BUFFER_ATOMIC_AND "s_buffer_atomic_and";
    Or32 B32 B32: S_ATOMIC_OR "s_atomic_or" S_BUFFER_ATOMIC_OR "s_buffer_atomic_or";
    Xor32 B32 B32: S_ATOMIC_XOR "s_atomic_xor" S_BUFFER_ATOMIC_XOR "s_buffer_atomic_xor";
    Inc32 B32 B32: S_ATOMIC_INC "s_atomic_inc" S_BUFFER_ATOMIC_INC "s_buffer_atomic_inc";
    Dec32 B32 B32: S_ATOMIC_DEC "s_atomic_dec" S_BUFFER_ATOMIC_DEC "s_buffer_atomic_dec";
    Swap64 B64 B64: S_ATOMIC_SWAP_X2 "s_atomic_swap_x2" S_BUFFER_ATOMIC_SWAP_X2 "s_buffer_atomic_swap_x2";
    CmpSwap64 B64 B128: S_ATOMIC_CMPSWAP_X2 "s_atomic_cmpswap_x2" S_BUFFER_ATOMIC_CMPSWAP_X2 "s_buffer_atomic_cmpswap_x2";
    Add64 B64 B64: S_ATOMIC_ADD_X2 "s_atomic_add_x2" S_BUFFER_ATOMIC_ADD_X2 "s_buffer_atomic_add_x2";
    Sub64 B64 B64: S_ATOMIC_SUB_X2 "s_atomic_sub_x2" S_BUFFER_ATOMIC_SUB_X2 "s_buffer_atomic_sub_x2";
    Smin64 B64 B64: S_ATOMIC_SMIN_X2 "s_atomic_smin_x2" S_BUFFER_ATOMIC_SMIN_X2 "s_buffer_atomic_smin_x2";
    Umin64 B64 B64: S_ATOMIC_UMIN_X2 "s_atomic_umin_x2" S_BUFFER_ATOMIC_UMIN_X2 "s_buffer_atomic_umin_x2";
    Smax64 B64 B64: S_ATOMIC_SMAX_X2 "s_atomic_smax_x2" S_BUFFER_ATOMIC_SMAX_X2 "s_buffer_atomic_smax_x2";
    Umax64 B64 B64: S_ATOMIC_UMAX_X2 "s_atomic_umax_x2" S_BUFFER_ATOMIC_UMAX_X2 "s_buffer_atomic_umax_x2";
    And64 B64 B64: S_ATOMIC_AND_X2 "s_atomic_and_x2" S_BUFFER_ATOMIC_AND_X2 "s_buffer_atomic_and_x2";
    Or64 B64 B64: S_ATOMIC_OR_X2 "s_atomic_or_x2" S_BUFFER_ATOMIC_OR_X2 "s_buffer_atomic_or_x2";
    Xor64 B64 B64: S_ATOMIC_XOR_X2 "s_atomic_xor_x2" S_BUFFER_ATOMIC_XOR_X2 "s_buffer_atomic_xor_x2";
    Inc64 B64 B64: S_ATOMIC_INC_X2 "s_atomic_inc_x2" S_BUFFER_ATOMIC_INC_X2 "s_buffer_atomic_inc_x2";
    Dec64 B64 B64: S_ATOMIC_DEC_X2 "s_atomic_dec_x2" S_BUFFER_ATOMIC_DEC_X2 "s_buffer_atomic_dec_x2";
}

refused_ops! { ScalarScratch;
    /// Scalar load from scratch.
    S_SCRATCH_LOAD_DWORD "s_scratch_load_dword": B32 <- (B64);
    /// Scalar load from scratch.
    S_SCRATCH_LOAD_DWORDX2 "s_scratch_load_dwordx2": B64 <- (B64);
    /// Scalar load from scratch.
    S_SCRATCH_LOAD_DWORDX4 "s_scratch_load_dwordx4": B128 <- (B64);
    /// Scalar store to scratch.
    S_SCRATCH_STORE_DWORD "s_scratch_store_dword": None <- (B64, B32);
    /// Scalar store to scratch.
    S_SCRATCH_STORE_DWORDX2 "s_scratch_store_dwordx2": None <- (B64, B64);
    /// Scalar store to scratch.
    S_SCRATCH_STORE_DWORDX4 "s_scratch_store_dwordx4": None <- (B64, B128);
}
