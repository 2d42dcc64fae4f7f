//! Opcodes of the graphics formats: VINTRP, MIMG. Vega ISA, chapter 12. (EXP has no opcodes.)

use crate::ops::graphics;
use crate::ops::memory::image;
use crate::rows;
use crate::table::{Table, extend, table};

/// Generations that compute alone.
pub const NO_VINTRP: Table<4> = table(&[]);
pub const NO_MIMG: Table<128> = table(&[]);

pub const VINTRP: Table<4> = table(rows! {
    0 => graphics::V_INTERP_P1_F32;
    1 => graphics::V_INTERP_P2_F32;
    2 => graphics::V_INTERP_MOV_F32;
});

/// Of gfx90a: it samples in one way alone.
pub const MIMG_90A: Table<128> = table(rows! {
    0 => image::LOAD;
    1 => image::LOAD_MIP;
    2 => graphics::IMAGE_LOAD_PCK;
    3 => graphics::IMAGE_LOAD_PCK_SGN;
    4 => graphics::IMAGE_LOAD_MIP_PCK;
    5 => graphics::IMAGE_LOAD_MIP_PCK_SGN;
    8 => image::STORE;
    9 => image::STORE_MIP;
    10 => graphics::IMAGE_STORE_PCK;
    11 => graphics::IMAGE_STORE_MIP_PCK;
    14 => image::GET_RESINFO;
    16 => graphics::IMAGE_ATOMIC_SWAP;
    17 => graphics::IMAGE_ATOMIC_CMPSWAP;
    18 => graphics::IMAGE_ATOMIC_ADD;
    19 => graphics::IMAGE_ATOMIC_SUB;
    20 => graphics::IMAGE_ATOMIC_SMIN;
    21 => graphics::IMAGE_ATOMIC_UMIN;
    22 => graphics::IMAGE_ATOMIC_SMAX;
    23 => graphics::IMAGE_ATOMIC_UMAX;
    24 => graphics::IMAGE_ATOMIC_AND;
    25 => graphics::IMAGE_ATOMIC_OR;
    26 => graphics::IMAGE_ATOMIC_XOR;
    27 => graphics::IMAGE_ATOMIC_INC;
    28 => graphics::IMAGE_ATOMIC_DEC;
    32 => image::SAMPLE;
});

pub const MIMG: Table<128> = extend(
    &MIMG_90A,
    rows! {
        33 => image::SAMPLE_CL;
        34 => image::SAMPLE_D;
        35 => graphics::IMAGE_SAMPLE_D_CL;
        36 => image::SAMPLE_L;
        37 => image::SAMPLE_B;
        38 => graphics::IMAGE_SAMPLE_B_CL;
        39 => image::SAMPLE_LZ;
        40 => graphics::IMAGE_SAMPLE_C;
        41 => graphics::IMAGE_SAMPLE_C_CL;
        42 => graphics::IMAGE_SAMPLE_C_D;
        43 => graphics::IMAGE_SAMPLE_C_D_CL;
        44 => graphics::IMAGE_SAMPLE_C_L;
        45 => graphics::IMAGE_SAMPLE_C_B;
        46 => graphics::IMAGE_SAMPLE_C_B_CL;
        47 => graphics::IMAGE_SAMPLE_C_LZ;
        48 => graphics::IMAGE_SAMPLE_O;
        49 => graphics::IMAGE_SAMPLE_CL_O;
        50 => graphics::IMAGE_SAMPLE_D_O;
        51 => graphics::IMAGE_SAMPLE_D_CL_O;
        52 => graphics::IMAGE_SAMPLE_L_O;
        53 => graphics::IMAGE_SAMPLE_B_O;
        54 => graphics::IMAGE_SAMPLE_B_CL_O;
        55 => graphics::IMAGE_SAMPLE_LZ_O;
        56 => graphics::IMAGE_SAMPLE_C_O;
        57 => graphics::IMAGE_SAMPLE_C_CL_O;
        58 => graphics::IMAGE_SAMPLE_C_D_O;
        59 => graphics::IMAGE_SAMPLE_C_D_CL_O;
        60 => graphics::IMAGE_SAMPLE_C_L_O;
        61 => graphics::IMAGE_SAMPLE_C_B_O;
        62 => graphics::IMAGE_SAMPLE_C_B_CL_O;
        63 => graphics::IMAGE_SAMPLE_C_LZ_O;
        64 => image::GATHER4;
        65 => image::GATHER4_CL;
        66 => graphics::IMAGE_GATHER4H;
        68 => image::GATHER4_L;
        69 => image::GATHER4_B;
        70 => graphics::IMAGE_GATHER4_B_CL;
        71 => image::GATHER4_LZ;
        72 => graphics::IMAGE_GATHER4_C;
        73 => graphics::IMAGE_GATHER4_C_CL;
        76 => graphics::IMAGE_GATHER4_C_L;
        77 => graphics::IMAGE_GATHER4_C_B;
        78 => graphics::IMAGE_GATHER4_C_B_CL;
        79 => graphics::IMAGE_GATHER4_C_LZ;
        80 => graphics::IMAGE_GATHER4_O;
        81 => graphics::IMAGE_GATHER4_CL_O;
        84 => graphics::IMAGE_GATHER4_L_O;
        85 => graphics::IMAGE_GATHER4_B_O;
        86 => graphics::IMAGE_GATHER4_B_CL_O;
        87 => graphics::IMAGE_GATHER4_LZ_O;
        88 => graphics::IMAGE_GATHER4_C_O;
        89 => graphics::IMAGE_GATHER4_C_CL_O;
        92 => graphics::IMAGE_GATHER4_C_L_O;
        93 => graphics::IMAGE_GATHER4_C_B_O;
        94 => graphics::IMAGE_GATHER4_C_B_CL_O;
        95 => graphics::IMAGE_GATHER4_C_LZ_O;
        96 => graphics::IMAGE_GET_LOD;
        104 => graphics::IMAGE_SAMPLE_CD;
        105 => graphics::IMAGE_SAMPLE_CD_CL;
        106 => graphics::IMAGE_SAMPLE_C_CD;
        107 => graphics::IMAGE_SAMPLE_C_CD_CL;
        108 => graphics::IMAGE_SAMPLE_CD_O;
        109 => graphics::IMAGE_SAMPLE_CD_CL_O;
        110 => graphics::IMAGE_SAMPLE_C_CD_O;
        111 => graphics::IMAGE_SAMPLE_C_CD_CL_O;
    },
    &[],
);
