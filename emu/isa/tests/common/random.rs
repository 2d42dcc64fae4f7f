//! Numbers that are the same everywhere, and values that have edges.

/// xorshift64*.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn word(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }

    pub fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(n)) >> 32) as u32
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// A value with an interesting shape now and then.
    pub fn odd_word(&mut self) -> u32 {
        match self.below(8) {
            0 => 0,
            1 => !0,
            2 => 0x8000_0000,
            3 => 0x7fff_ffff,
            4 => self.below(64),
            5 => 1 << self.below(32),
            _ => self.word(),
        }
    }

    /// A register's content: anything, or a value where some format has an edge.
    pub fn value(&mut self) -> u32 {
        match self.below(4) {
            0 => self.word(),
            1 => self.below(80).wrapping_sub(16),
            2 => self.pick(&[0x3f80_0000, 0x4000_0000, 0x3c00_4200, 0x3ff0_0000]) ^ self.word() & 0x800f_ffff,
            _ => self.pick(EDGES),
        }
    }
}

/// Zeros, ones, infinities, NaNs, denormals, greatest and least of 16-, 32- and 64-bit floats and integers.
pub const EDGES: &[u32] = &[
    0,
    0x8000_0000,
    1,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7f80_0001,
    0xffc0_0000,
    0x0080_0000,
    0x007f_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x7f7f_ffff,
    0x7fff_ffff,
    0xffff_ffff,
    0x3f00_0000,
    0x4f00_0000,
    0x4f80_0000,
    0x0000_3c00,
    0x7c00_7bff,
    0xfc00_0400,
    0x7e00_03ff,
    0x7c01_8000,
    0x3c00_3c00,
    0x7ff0_0000,
    0xfff0_0000,
    0x7ff8_0000,
    0x3ff0_0000,
    0xbff0_0000,
    0x0010_0000,
    0x000f_ffff,
    0x7fef_ffff,
    0x41df_ffff,
    0xffff_8000,
    0x0000_7fff,
    0x0000_ffff,
];
