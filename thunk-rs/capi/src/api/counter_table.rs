//! What GPUs of gfx9 can count: libhsakmt's `pmc_table.c`, a row a block.

use thunk_rs::GfxVersion;

use crate::abi::counter::profile_type;

/// A block of counters.
pub struct Block {
    /// Its number among all blocks.
    index: u32,
    uuid: [u32; 4],
    /// How many can count at once.
    concurrent: u32,
    /// First and last numbers of what it can count.
    counters: &'static [(u32, u32)],
}

const fn block(index: u32, uuid: [u32; 4], concurrent: u32, counters: &'static [(u32, u32)]) -> Block {
    Block { index, uuid, concurrent, counters }
}

#[rustfmt::skip]
const GFX9: &[Block] = &[
    /* CB     */ block( 0, [0x9ba429c6, 0x4b38af2d, 0x721549b3, 0x6aacbe71],  7, &[(0, 437)]),
    /* CPF    */ block( 2, [0x2b0ad2b5, 0x4f461c43, 0x19e1bca7, 0xc9a61e41],  5, &[(0, 31)]),
    /* CPG    */ block( 3, [0x590ec94d, 0x448f20f0, 0x6c31ff8d, 0xffe79d67],  5, &[(0, 58)]),
    /* DB     */ block( 4, [0x3d1a47fc, 0x4ed40013, 0x2c820683, 0xc2a6b7a0], 12, &[(0, 327)]),
    /* GDS    */ block( 5, [0xf59276ec, 0x4bf82526, 0x8f11c08e, 0xc90d7077],  4, &[(0, 120)]),
    /* GRBM   */ block( 6, [0x8f00933c, 0x4801c33d, 0x0770b797, 0xad7385f7],  2, &[(0, 37)]),
    /* GRBMSE */ block( 7, [0x34ebd8d7, 0x4d157c8b, 0x4e0efa88, 0xc19af54a],  1, &[(0, 15)]),
    /* IA     */ block( 8, [0x34276944, 0x4fcd4264, 0x26ae6e9d, 0x51ec8245],  7, &[(0, 31)]),
    /* PASC   */ block(10, [0xb0e7fb5d, 0x47440efc, 0x235d16b5, 0x6cd51fdc], 11, &[(0, 490)]),
    /* PASU   */ block(11, [0x9a152b6a, 0x45f21fad, 0x63f1bfa5, 0xcdd06b82], 10, &[(0, 291)]),
    /* SPI    */ block(12, [0xeda81044, 0x47ebd62c, 0x6f4f89af, 0xe0383bbf], 18, &[(0, 195)]),
    /* SQ     */ block(14, [0xb5c396b6, 0x47e4d310, 0xc35cfc86, 0x08f53a04], 16, &[(1, 183), (255, 372)]),
    /* SX     */ block(15, [0xbdb8d737, 0x416243cc, 0xcf5152be, 0xafbe47b8],  4, &[(0, 207)]),
    /* TA     */ block(16, [0xc01ee43d, 0x44b1ad92, 0x5ebeb98a, 0xa7ee6c69],  6, &[(0, 118)]),
    /* TCA    */ block(17, [0x333e393f, 0x4f49e147, 0x9160d1a6, 0xb086704c], 10, &[(1, 34)]),
    /* TCC    */ block(18, [0x848ce855, 0x4566d805, 0xe873aba8, 0xff6bcc84], 10, &[(0, 107), (128, 255)]),
    /* TCP    */ block(19, [0xe10a013b, 0x4bf517d4, 0x954289b0, 0x609b0591], 10, &[(0, 84)]),
    /* TD     */ block(21, [0x7d7c0fe4, 0x4feafe41, 0x4445c992, 0xc66d70d7],  6, &[(0, 56)]),
    /* VGT    */ block(22, [0x0b6a8cb7, 0x409f7a01, 0x14302ca2, 0x59134f85], 10, &[(0, 147)]),
    /* WD     */ block(23, [0x0e176789, 0x4b0246ed, 0x6d912a97, 0x4a24ac2f],  4, &[(0, 57)]),
];

/// A generation's major number, and its blocks.
const GENERATIONS: &[(u32, &[Block])] = &[(9, GFX9)];

/// The blocks of a GPU, if we know them.
pub fn of(gfx: Option<GfxVersion>) -> Option<&'static [Block]> {
    let major = gfx?.major;
    GENERATIONS.iter().find(|(generation, _)| *generation == major).map(|(_, blocks)| *blocks)
}

/// The words of `HsaCounterProperties`: its blocks, and in each its counters.
pub fn words(blocks: &[Block]) -> Vec<u32> {
    const BITS: u32 = 64;
    const GLOBAL: u32 = 1;
    let mut words = vec![blocks.len() as u32, blocks.iter().map(|block| block.concurrent).sum()];
    for block in blocks {
        let counters = || block.counters.iter().flat_map(|(first, last)| *first..=*last);
        words.extend(block.uuid);
        words.extend([counters().count() as u32, block.concurrent]);
        for id in counters() {
            let (mask_low, mask_high) = (u32::MAX, u32::MAX);
            let kind = profile_type::NONPRIV_IMMEDIATE;
            words.extend([kind, id, 0, BITS, mask_low, mask_high, GLOBAL, block.index]);
        }
    }
    words
}
