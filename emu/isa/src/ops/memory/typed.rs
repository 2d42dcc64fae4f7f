//! Buffer accesses that convert: `buffer_load_format_*` by the descriptor's format, `tbuffer_load_format_*` by the
//! instruction's. Vega ISA, "Vector memory buffer instructions".
//!
//! The descriptor's format comes with a choice of components; the instruction's has them in order, and what a format
//! lacks is 0, in the fourth place 1.

use super::buffer::Buffer;
use super::pixel::Pixel;
use super::{Place, Space, memory_op, place_fault, transfer};
use crate::lanes::write_row;
use crate::ops::half;
use crate::{Flow, Format, Group, Inst, Moves, Row, Trap, TrapKind, Wave};

/// Registers hold 32 bits a component.
const FULL: u8 = 0;
/// Registers hold two components of 16 bits.
const PACKED: u8 = 1;
/// The one component is the high half of its register.
const UPPER: u8 = 2;

/// Where the registers' components come from.
#[derive(Clone, Copy)]
struct Typed {
    pixel: Pixel,
    /// For each register: 0 and 1 are those numbers, 4 and up components.
    select: [u32; 4],
}

impl Typed {
    fn of(w: &Wave, i: &Inst) -> Result<Typed, TrapKind> {
        let (data, number, select) = if i.format == Format::Mtbuf {
            (u32::from(i.mem.dfmt), u32::from(i.mem.nfmt), None)
        } else {
            let word = w.s[i.mem.saddr.plus(3).scalar()];
            (word >> 15 & 15, word >> 12 & 7, Some([0, 3, 6, 9].map(|at| word >> at & 7)))
        };
        let Some(pixel) = Pixel::new(data, number) else {
            let mnemonic =
                format!("{} of data format {data} with number format {number}: none such", i.op.name);
            return Err(TrapKind::NotImplemented { mnemonic, words: i.words });
        };
        let has = |k: usize| if k < pixel.bits.len() { 4 + k as u32 } else { u32::from(k == 3) };
        Ok(Typed { pixel, select: select.unwrap_or([has(0), has(1), has(2), has(3)]) })
    }
}

fn refuse(w: &mut Wave, i: &Inst, kind: TrapKind) -> Flow {
    let pc = i.pc(w);
    w.stop(Trap { kind, pc, lane: None })
}

/// The components of an element in memory.
fn element(w: &Wave, g: &mut Group<'_>, i: &Inst, l: usize, pixel: Pixel) -> Result<[u32; 4], TrapKind> {
    let bytes = pixel.bytes();
    let mut all = 0u128;
    for at in (0..bytes).step_by(4) {
        let place = Buffer::place(w, g, i, l, at, (bytes - at).min(4))?;
        let word = match bytes - at {
            1 => place.load::<u8>(g)?,
            2 => place.load::<u16>(g)?,
            _ => place.load::<u32>(g)?,
        };
        all |= u128::from(word) << (8 * at);
    }
    let mut out = [0; 4];
    for (out, &bits) in out.iter_mut().zip(pixel.bits) {
        *out = pixel.load(bits, all as u32 & u32::MAX >> (32 - bits));
        all >>= bits;
    }
    Ok(out)
}

/// Loads `N` components a lane.
fn load<const N: usize, const PART: u8>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let typed = match Typed::of(w, i) {
        Ok(typed) => typed,
        Err(kind) => return refuse(w, i, kind),
    };
    let exec = w.exec();
    let mut rows = [const { Row([0; 64]) }; N];
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        let components = match element(w, g, i, l, typed.pixel) {
            Ok(components) => components,
            Err(kind) => return place_fault(w, i, kind, l),
        };
        for (row, select) in rows.iter_mut().zip(typed.select) {
            row.0[l] = match select {
                4.. => components[select as usize & 3],
                1 => typed.pixel.one(),
                _ => 0,
            };
        }
    }
    if PART == FULL && i.mem.lds {
        return transfer::to_lds(w, g, i, exec, &rows);
    }
    if PART != FULL && !typed.pixel.number.is_integer() {
        rows.iter_mut().for_each(|row| row.0 = row.0.map(|x| half::from_f32(f32::from_bits(x))));
    }
    for (k, row) in rows.iter().enumerate() {
        // Two components go to one register; a half that none goes to stays as it is.
        let (register, high) = if PART == FULL { (k, false) } else { (k / 2, k % 2 == 1 || PART == UPPER) };
        let dst = &mut w.v[i.dst.plus(register as u16).row()].0;
        let mut new = row.clone();
        if PART != FULL {
            for (x, old) in new.0.iter_mut().zip(dst.iter()) {
                *x = if high { *x << 16 | old & 0xffff } else { *x & 0xffff | old & 0xffff_0000 };
            }
        }
        write_row(dst, &new.0, exec);
    }
    Flow::Next
}

/// Register `k` of a store in lane `l`, as 32 bits.
fn data<const PART: u8>(w: &Wave, i: &Inst, l: usize, k: usize, pixel: Pixel) -> u32 {
    let register = if PART == FULL { k } else { k / 2 };
    let x = w.v[i.mem.data.plus(register as u16).row()].0[l];
    if PART == FULL {
        return x;
    }
    let x = if k % 2 == 1 || PART == UPPER { x >> 16 } else { x & 0xffff };
    match pixel.number {
        super::pixel::Number::Uint => x,
        super::pixel::Number::Sint => i32::from(x as u16 as i16) as u32,
        _ => half::to_f32(x).to_bits(),
    }
}

/// Stores `N` components a lane. Those of the format that no register has stay as they are.
fn store<const N: usize, const PART: u8>(w: &mut Wave, g: &mut Group<'_>, i: &Inst) -> Flow {
    let Typed { pixel, select } = match Typed::of(w, i) {
        Ok(typed) => typed,
        Err(kind) => return refuse(w, i, kind),
    };
    let sources: [Option<usize>; 4] =
        core::array::from_fn(|c| select[..N].iter().position(|s| *s == 4 + c as u32));
    let whole = sources[..pixel.bits.len()].iter().all(Option::is_some);
    if !whole && !pixel.has_whole_bytes() {
        let mnemonic = format!("{} of a part of a packed element", i.op.name);
        return refuse(w, i, TrapKind::NotImplemented { mnemonic, words: i.words });
    }
    let exec = w.exec();
    for l in (0..64).filter(|l| exec >> l & 1 != 0) {
        let (mut at, mut packed) = (0, 0);
        for (&bits, source) in pixel.bits.iter().zip(sources) {
            let x = source.map(|k| pixel.store(bits, data::<PART>(w, i, l, k, pixel)));
            if let (Some(x), true) = (x, pixel.has_whole_bytes())
                && let Err(kind) = put(w, g, i, l, at / 8, bits / 8, x)
            {
                return place_fault(w, i, kind, l);
            }
            packed |= x.unwrap_or(0).checked_shl(at).unwrap_or(0);
            at += bits;
        }
        if !pixel.has_whole_bytes()
            && let Err(kind) = put(w, g, i, l, 0, 4, packed)
        {
            return place_fault(w, i, kind, l);
        }
    }
    Flow::Next
}

fn put(w: &Wave, g: &mut Group<'_>, i: &Inst, l: usize, at: u32, bytes: u32, x: u32) -> Result<(), TrapKind> {
    let place: Place = Buffer::place(w, g, i, l, at, bytes)?;
    match bytes {
        1 => place.store(g, x as u8),
        2 => place.store(g, x as u16),
        _ => place.store(g, x),
    }
}

macro_rules! loads {
    ($($name:ident $text:literal $ty:ident $n:literal $part:ident;)*) => {$(
        memory_op! {
            #[doc = concat!("Loads components of a format: ", stringify!($n), ".")]
            $name $text, $ty moves (Moves::reads(crate::Ty::$ty.bytes())), load::<$n, $part>
        }
    )*};
}

macro_rules! stores {
    ($($name:ident $text:literal $ty:ident $n:literal $part:ident;)*) => {$(
        memory_op! {
            #[doc = concat!("Stores components of a format: ", stringify!($n), ".")]
            $name $text, None <- ($ty) moves (Moves::writes(crate::Ty::$ty.bytes())), store::<$n, $part>
        }
    )*};
}

loads! {
    LOAD_FORMAT_X "buffer_load_format_x" B32 1 FULL;
    LOAD_FORMAT_XY "buffer_load_format_xy" B64 2 FULL;
    LOAD_FORMAT_XYZ "buffer_load_format_xyz" B96 3 FULL;
    LOAD_FORMAT_XYZW "buffer_load_format_xyzw" B128 4 FULL;
    LOAD_FORMAT_D16_X "buffer_load_format_d16_x" B32 1 PACKED;
    LOAD_FORMAT_D16_XY "buffer_load_format_d16_xy" B32 2 PACKED;
    LOAD_FORMAT_D16_XYZ "buffer_load_format_d16_xyz" B64 3 PACKED;
    LOAD_FORMAT_D16_XYZW "buffer_load_format_d16_xyzw" B64 4 PACKED;
    LOAD_FORMAT_D16_HI_X "buffer_load_format_d16_hi_x" B32 1 UPPER;
    TLOAD_FORMAT_X "tbuffer_load_format_x" B32 1 FULL;
    TLOAD_FORMAT_XY "tbuffer_load_format_xy" B64 2 FULL;
    TLOAD_FORMAT_XYZ "tbuffer_load_format_xyz" B96 3 FULL;
    TLOAD_FORMAT_XYZW "tbuffer_load_format_xyzw" B128 4 FULL;
    TLOAD_FORMAT_D16_X "tbuffer_load_format_d16_x" B32 1 PACKED;
    TLOAD_FORMAT_D16_XY "tbuffer_load_format_d16_xy" B32 2 PACKED;
    TLOAD_FORMAT_D16_XYZ "tbuffer_load_format_d16_xyz" B64 3 PACKED;
    TLOAD_FORMAT_D16_XYZW "tbuffer_load_format_d16_xyzw" B64 4 PACKED;
}

stores! {
    STORE_FORMAT_X "buffer_store_format_x" B32 1 FULL;
    STORE_FORMAT_XY "buffer_store_format_xy" B64 2 FULL;
    STORE_FORMAT_XYZ "buffer_store_format_xyz" B96 3 FULL;
    STORE_FORMAT_XYZW "buffer_store_format_xyzw" B128 4 FULL;
    STORE_FORMAT_D16_X "buffer_store_format_d16_x" B32 1 PACKED;
    STORE_FORMAT_D16_XY "buffer_store_format_d16_xy" B32 2 PACKED;
    STORE_FORMAT_D16_XYZ "buffer_store_format_d16_xyz" B64 3 PACKED;
    STORE_FORMAT_D16_XYZW "buffer_store_format_d16_xyzw" B64 4 PACKED;
    STORE_FORMAT_D16_HI_X "buffer_store_format_d16_hi_x" B32 1 UPPER;
    TSTORE_FORMAT_X "tbuffer_store_format_x" B32 1 FULL;
    TSTORE_FORMAT_XY "tbuffer_store_format_xy" B64 2 FULL;
    TSTORE_FORMAT_XYZ "tbuffer_store_format_xyz" B96 3 FULL;
    TSTORE_FORMAT_XYZW "tbuffer_store_format_xyzw" B128 4 FULL;
    TSTORE_FORMAT_D16_X "tbuffer_store_format_d16_x" B32 1 PACKED;
    TSTORE_FORMAT_D16_XY "tbuffer_store_format_d16_xy" B32 2 PACKED;
    TSTORE_FORMAT_D16_XYZ "tbuffer_store_format_d16_xyz" B64 3 PACKED;
    TSTORE_FORMAT_D16_XYZW "tbuffer_store_format_d16_xyzw" B64 4 PACKED;
}
