//! Code from its first word to its last: what stands where, for listings and counts.

use crate::{DecodeError, Gen, Inst};

/// What stands at an address.
#[derive(Debug, Clone)]
pub struct Step {
    /// Where.
    pub address: u64,
    /// The words; the second one counts where `size` is 8. Zero behind the end of the code.
    pub words: [u32; 2],
    /// Bytes, up to the next step: 4 or 8.
    pub size: u8,
    /// The instruction, if it is one: what is none takes four bytes.
    pub inst: Result<Inst, DecodeError>,
}

/// See [`walk`].
#[derive(Debug, Clone)]
pub struct Walk<'a> {
    generation: &'static Gen,
    code: &'a [u8],
    address: u64,
}

/// All of `code`, which stands at `address`. A last word that is cut off is left out.
pub fn walk<'a>(generation: &'static Gen, code: &'a [u8], address: u64) -> Walk<'a> {
    Walk { generation, code, address }
}

impl Iterator for Walk<'_> {
    type Item = Step;

    #[inline]
    fn next(&mut self) -> Option<Step> {
        let word = |at: usize| Some(u32::from_le_bytes(*self.code.get(at..)?.first_chunk()?));
        let words = [word(0)?, word(4).unwrap_or(0)];
        let inst = match (self.generation.decode)(self.generation, words) {
            // An instruction that the end of the code cuts off is none.
            Ok(inst) if usize::from(inst.size) > self.code.len() => Err(DecodeError { words }),
            other => other,
        };
        let size = inst.as_ref().map_or(4, |i| i.size);
        let step = Step { address: self.address, words, size, inst };
        self.code = &self.code[usize::from(size)..];
        self.address = self.address.wrapping_add(u64::from(size));
        Some(step)
    }
}
