//! Opcodes of the memory formats: DS, FLAT, MUBUF, MTBUF. Vega ISA, chapter 12; MI200 ISA for the floating-point atomics;
//! MI300 ISA for what is new there. Suffixes are those of `vector.rs`.

use crate::ops::memory::{buffer, flat, global, gws, lds, lds_lane, lds_src2, scratch, typed};
use crate::rows;
use crate::table::{Table, extend, table};

pub const DS: Table<256> = table(rows! {
    0 => lds::DS_ADD_U32;
    1 => lds::DS_SUB_U32;
    2 => lds::DS_RSUB_U32;
    3 => lds::DS_INC_U32;
    4 => lds::DS_DEC_U32;
    5 => lds::DS_MIN_I32;
    6 => lds::DS_MAX_I32;
    7 => lds::DS_MIN_U32;
    8 => lds::DS_MAX_U32;
    9 => lds::DS_AND_B32;
    10 => lds::DS_OR_B32;
    11 => lds::DS_XOR_B32;
    12 => lds::DS_MSKOR_B32;
    13 => lds::DS_WRITE_B32;
    14 => lds::DS_WRITE2_B32;
    15 => lds::DS_WRITE2ST64_B32;
    16 => lds::DS_CMPST_B32;
    17 => lds::DS_CMPST_F32;
    18 => lds::DS_MIN_F32;
    19 => lds::DS_MAX_F32;
    20 => lds::DS_NOP;
    21 => lds::DS_ADD_F32;
    29 => lds::DS_WRITE_ADDTID_B32;
    30 => lds::DS_WRITE_B8;
    31 => lds::DS_WRITE_B16;
    32 => lds::DS_ADD_RTN_U32;
    33 => lds::DS_SUB_RTN_U32;
    34 => lds::DS_RSUB_RTN_U32;
    35 => lds::DS_INC_RTN_U32;
    36 => lds::DS_DEC_RTN_U32;
    37 => lds::DS_MIN_RTN_I32;
    38 => lds::DS_MAX_RTN_I32;
    39 => lds::DS_MIN_RTN_U32;
    40 => lds::DS_MAX_RTN_U32;
    41 => lds::DS_AND_RTN_B32;
    42 => lds::DS_OR_RTN_B32;
    43 => lds::DS_XOR_RTN_B32;
    44 => lds::DS_MSKOR_RTN_B32;
    45 => lds::DS_WRXCHG_RTN_B32;
    46 => lds::DS_WRXCHG2_RTN_B32;
    47 => lds::DS_WRXCHG2ST64_RTN_B32;
    48 => lds::DS_CMPST_RTN_B32;
    49 => lds::DS_CMPST_RTN_F32;
    50 => lds::DS_MIN_RTN_F32;
    51 => lds::DS_MAX_RTN_F32;
    52 => lds::DS_WRAP_RTN_B32;
    53 => lds::DS_ADD_RTN_F32;
    54 => lds::DS_READ_B32;
    55 => lds::DS_READ2_B32;
    56 => lds::DS_READ2ST64_B32;
    57 => lds::DS_READ_I8;
    58 => lds::DS_READ_U8;
    59 => lds::DS_READ_I16;
    60 => lds::DS_READ_U16;
    61 => lds_lane::DS_SWIZZLE_B32;
    62 => lds_lane::DS_PERMUTE_B32;
    63 => lds_lane::DS_BPERMUTE_B32;
    64 => lds::DS_ADD_U64;
    65 => lds::DS_SUB_U64;
    66 => lds::DS_RSUB_U64;
    67 => lds::DS_INC_U64;
    68 => lds::DS_DEC_U64;
    69 => lds::DS_MIN_I64;
    70 => lds::DS_MAX_I64;
    71 => lds::DS_MIN_U64;
    72 => lds::DS_MAX_U64;
    73 => lds::DS_AND_B64;
    74 => lds::DS_OR_B64;
    75 => lds::DS_XOR_B64;
    76 => lds::DS_MSKOR_B64;
    77 => lds::DS_WRITE_B64;
    78 => lds::DS_WRITE2_B64;
    79 => lds::DS_WRITE2ST64_B64;
    80 => lds::DS_CMPST_B64;
    81 => lds::DS_CMPST_F64;
    82 => lds::DS_MIN_F64;
    83 => lds::DS_MAX_F64;
    84 => lds::DS_WRITE_B8_D16_HI;
    85 => lds::DS_WRITE_B16_D16_HI;
    86 => lds::DS_READ_U8_D16;
    87 => lds::DS_READ_U8_D16_HI;
    88 => lds::DS_READ_I8_D16;
    89 => lds::DS_READ_I8_D16_HI;
    90 => lds::DS_READ_U16_D16;
    91 => lds::DS_READ_U16_D16_HI;
    96 => lds::DS_ADD_RTN_U64;
    97 => lds::DS_SUB_RTN_U64;
    98 => lds::DS_RSUB_RTN_U64;
    99 => lds::DS_INC_RTN_U64;
    100 => lds::DS_DEC_RTN_U64;
    101 => lds::DS_MIN_RTN_I64;
    102 => lds::DS_MAX_RTN_I64;
    103 => lds::DS_MIN_RTN_U64;
    104 => lds::DS_MAX_RTN_U64;
    105 => lds::DS_AND_RTN_B64;
    106 => lds::DS_OR_RTN_B64;
    107 => lds::DS_XOR_RTN_B64;
    108 => lds::DS_MSKOR_RTN_B64;
    109 => lds::DS_WRXCHG_RTN_B64;
    110 => lds::DS_WRXCHG2_RTN_B64;
    111 => lds::DS_WRXCHG2ST64_RTN_B64;
    112 => lds::DS_CMPST_RTN_B64;
    113 => lds::DS_CMPST_RTN_F64;
    114 => lds::DS_MIN_RTN_F64;
    115 => lds::DS_MAX_RTN_F64;
    118 => lds::DS_READ_B64;
    119 => lds::DS_READ2_B64;
    120 => lds::DS_READ2ST64_B64;
    126 => lds::DS_CONDXCHG32_RTN_B64;
    128 => lds_src2::DS_ADD_SRC2_U32;
    129 => lds_src2::DS_SUB_SRC2_U32;
    130 => lds_src2::DS_RSUB_SRC2_U32;
    131 => lds_src2::DS_INC_SRC2_U32;
    132 => lds_src2::DS_DEC_SRC2_U32;
    133 => lds_src2::DS_MIN_SRC2_I32;
    134 => lds_src2::DS_MAX_SRC2_I32;
    135 => lds_src2::DS_MIN_SRC2_U32;
    136 => lds_src2::DS_MAX_SRC2_U32;
    137 => lds_src2::DS_AND_SRC2_B32;
    138 => lds_src2::DS_OR_SRC2_B32;
    139 => lds_src2::DS_XOR_SRC2_B32;
    141 => lds_src2::DS_WRITE_SRC2_B32;
    146 => lds_src2::DS_MIN_SRC2_F32;
    147 => lds_src2::DS_MAX_SRC2_F32;
    149 => lds_src2::DS_ADD_SRC2_F32;
    152 => gws::DS_GWS_SEMA_RELEASE_ALL;
    153 => gws::DS_GWS_INIT;
    154 => gws::DS_GWS_SEMA_V;
    155 => gws::DS_GWS_SEMA_BR;
    156 => gws::DS_GWS_SEMA_P;
    157 => gws::DS_GWS_BARRIER;
    182 => lds::DS_READ_ADDTID_B32;
    189 => lds::DS_CONSUME;
    190 => lds::DS_APPEND;
    191 => lds::DS_ORDERED_COUNT;
    192 => lds_src2::DS_ADD_SRC2_U64;
    193 => lds_src2::DS_SUB_SRC2_U64;
    194 => lds_src2::DS_RSUB_SRC2_U64;
    195 => lds_src2::DS_INC_SRC2_U64;
    196 => lds_src2::DS_DEC_SRC2_U64;
    197 => lds_src2::DS_MIN_SRC2_I64;
    198 => lds_src2::DS_MAX_SRC2_I64;
    199 => lds_src2::DS_MIN_SRC2_U64;
    200 => lds_src2::DS_MAX_SRC2_U64;
    201 => lds_src2::DS_AND_SRC2_B64;
    202 => lds_src2::DS_OR_SRC2_B64;
    203 => lds_src2::DS_XOR_SRC2_B64;
    205 => lds_src2::DS_WRITE_SRC2_B64;
    210 => lds_src2::DS_MIN_SRC2_F64;
    211 => lds_src2::DS_MAX_SRC2_F64;
    222 => lds::DS_WRITE_B96;
    223 => lds::DS_WRITE_B128;
    254 => lds::DS_READ_B96;
    255 => lds::DS_READ_B128;
});

pub const DS_90A: Table<256> = extend(
    &DS,
    rows! {
        92 => lds::DS_ADD_F64;
        124 => lds::DS_ADD_RTN_F64;
    },
    &[
        128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 141, 146, 147, 149, 192, 193, 194, 195,
        196, 197, 198, 199, 200, 201, 202, 203, 205, 210, 211,
    ],
);

pub const DS_940: Table<256> = extend(
    &DS_90A,
    rows! {
        23 => lds::DS_PK_ADD_F16;
        24 => lds::DS_PK_ADD_BF16;
        183 => lds::DS_PK_ADD_RTN_F16;
        184 => lds::DS_PK_ADD_RTN_BF16;
    },
    &[],
);

pub const FLAT: Table<128> = table(rows! {
    16 => flat::LOAD_UBYTE;
    17 => flat::LOAD_SBYTE;
    18 => flat::LOAD_USHORT;
    19 => flat::LOAD_SSHORT;
    20 => flat::LOAD_DWORD;
    21 => flat::LOAD_DWORDX2;
    22 => flat::LOAD_DWORDX3;
    23 => flat::LOAD_DWORDX4;
    24 => flat::STORE_BYTE;
    25 => flat::STORE_BYTE_D16_HI;
    26 => flat::STORE_SHORT;
    27 => flat::STORE_SHORT_D16_HI;
    28 => flat::STORE_DWORD;
    29 => flat::STORE_DWORDX2;
    30 => flat::STORE_DWORDX3;
    31 => flat::STORE_DWORDX4;
    32 => flat::LOAD_UBYTE_D16;
    33 => flat::LOAD_UBYTE_D16_HI;
    34 => flat::LOAD_SBYTE_D16;
    35 => flat::LOAD_SBYTE_D16_HI;
    36 => flat::LOAD_SHORT_D16;
    37 => flat::LOAD_SHORT_D16_HI;
    64 => flat::ATOMIC_SWAP;
    65 => flat::ATOMIC_CMPSWAP;
    66 => flat::ATOMIC_ADD;
    67 => flat::ATOMIC_SUB;
    68 => flat::ATOMIC_SMIN;
    69 => flat::ATOMIC_UMIN;
    70 => flat::ATOMIC_SMAX;
    71 => flat::ATOMIC_UMAX;
    72 => flat::ATOMIC_AND;
    73 => flat::ATOMIC_OR;
    74 => flat::ATOMIC_XOR;
    75 => flat::ATOMIC_INC;
    76 => flat::ATOMIC_DEC;
    96 => flat::ATOMIC_SWAP_X2;
    97 => flat::ATOMIC_CMPSWAP_X2;
    98 => flat::ATOMIC_ADD_X2;
    99 => flat::ATOMIC_SUB_X2;
    100 => flat::ATOMIC_SMIN_X2;
    101 => flat::ATOMIC_UMIN_X2;
    102 => flat::ATOMIC_SMAX_X2;
    103 => flat::ATOMIC_UMAX_X2;
    104 => flat::ATOMIC_AND_X2;
    105 => flat::ATOMIC_OR_X2;
    106 => flat::ATOMIC_XOR_X2;
    107 => flat::ATOMIC_INC_X2;
    108 => flat::ATOMIC_DEC_X2;
});

pub const FLAT_90A: Table<128> = extend(
    &FLAT,
    rows! {
        79 => flat::ATOMIC_ADD_F64;
        80 => flat::ATOMIC_MIN_F64;
        81 => flat::ATOMIC_MAX_F64;
    },
    &[],
);

pub const FLAT_940: Table<128> = extend(
    &FLAT_90A,
    rows! {
        77 => flat::ATOMIC_ADD_F32;
        78 => flat::ATOMIC_PK_ADD_F16;
        82 => flat::ATOMIC_PK_ADD_BF16;
    },
    &[],
);

pub const GLOBAL: Table<128> = table(rows! {
    16 => global::LOAD_UBYTE;
    17 => global::LOAD_SBYTE;
    18 => global::LOAD_USHORT;
    19 => global::LOAD_SSHORT;
    20 => global::LOAD_DWORD;
    21 => global::LOAD_DWORDX2;
    22 => global::LOAD_DWORDX3;
    23 => global::LOAD_DWORDX4;
    24 => global::STORE_BYTE;
    25 => global::STORE_BYTE_D16_HI;
    26 => global::STORE_SHORT;
    27 => global::STORE_SHORT_D16_HI;
    28 => global::STORE_DWORD;
    29 => global::STORE_DWORDX2;
    30 => global::STORE_DWORDX3;
    31 => global::STORE_DWORDX4;
    32 => global::LOAD_UBYTE_D16;
    33 => global::LOAD_UBYTE_D16_HI;
    34 => global::LOAD_SBYTE_D16;
    35 => global::LOAD_SBYTE_D16_HI;
    36 => global::LOAD_SHORT_D16;
    37 => global::LOAD_SHORT_D16_HI;
    64 => global::ATOMIC_SWAP;
    65 => global::ATOMIC_CMPSWAP;
    66 => global::ATOMIC_ADD;
    67 => global::ATOMIC_SUB;
    68 => global::ATOMIC_SMIN;
    69 => global::ATOMIC_UMIN;
    70 => global::ATOMIC_SMAX;
    71 => global::ATOMIC_UMAX;
    72 => global::ATOMIC_AND;
    73 => global::ATOMIC_OR;
    74 => global::ATOMIC_XOR;
    75 => global::ATOMIC_INC;
    76 => global::ATOMIC_DEC;
    96 => global::ATOMIC_SWAP_X2;
    97 => global::ATOMIC_CMPSWAP_X2;
    98 => global::ATOMIC_ADD_X2;
    99 => global::ATOMIC_SUB_X2;
    100 => global::ATOMIC_SMIN_X2;
    101 => global::ATOMIC_UMIN_X2;
    102 => global::ATOMIC_SMAX_X2;
    103 => global::ATOMIC_UMAX_X2;
    104 => global::ATOMIC_AND_X2;
    105 => global::ATOMIC_OR_X2;
    106 => global::ATOMIC_XOR_X2;
    107 => global::ATOMIC_INC_X2;
    108 => global::ATOMIC_DEC_X2;
});

pub const GLOBAL_908: Table<128> = extend(
    &GLOBAL,
    rows! {
        77 => global::ATOMIC_ADD_F32;
        78 => global::ATOMIC_PK_ADD_F16;
    },
    &[],
);

pub const GLOBAL_90A: Table<128> = extend(
    &GLOBAL_908,
    rows! {
        79 => global::ATOMIC_ADD_F64;
        80 => global::ATOMIC_MIN_F64;
        81 => global::ATOMIC_MAX_F64;
    },
    &[],
);

pub const GLOBAL_940: Table<128> = extend(
    &GLOBAL_90A,
    rows! {
        38 => global::LOAD_LDS_UBYTE;
        39 => global::LOAD_LDS_SBYTE;
        40 => global::LOAD_LDS_USHORT;
        41 => global::LOAD_LDS_SSHORT;
        42 => global::LOAD_LDS_DWORD;
        82 => global::ATOMIC_PK_ADD_BF16;
    },
    &[],
);

pub const SCRATCH: Table<128> = table(rows! {
    16 => scratch::LOAD_UBYTE;
    17 => scratch::LOAD_SBYTE;
    18 => scratch::LOAD_USHORT;
    19 => scratch::LOAD_SSHORT;
    20 => scratch::LOAD_DWORD;
    21 => scratch::LOAD_DWORDX2;
    22 => scratch::LOAD_DWORDX3;
    23 => scratch::LOAD_DWORDX4;
    24 => scratch::STORE_BYTE;
    25 => scratch::STORE_BYTE_D16_HI;
    26 => scratch::STORE_SHORT;
    27 => scratch::STORE_SHORT_D16_HI;
    28 => scratch::STORE_DWORD;
    29 => scratch::STORE_DWORDX2;
    30 => scratch::STORE_DWORDX3;
    31 => scratch::STORE_DWORDX4;
    32 => scratch::LOAD_UBYTE_D16;
    33 => scratch::LOAD_UBYTE_D16_HI;
    34 => scratch::LOAD_SBYTE_D16;
    35 => scratch::LOAD_SBYTE_D16_HI;
    36 => scratch::LOAD_SHORT_D16;
    37 => scratch::LOAD_SHORT_D16_HI;
});

pub const SCRATCH_940: Table<128> = extend(
    &SCRATCH,
    rows! {
        38 => scratch::LOAD_LDS_UBYTE;
        39 => scratch::LOAD_LDS_SBYTE;
        40 => scratch::LOAD_LDS_USHORT;
        41 => scratch::LOAD_LDS_SSHORT;
        42 => scratch::LOAD_LDS_DWORD;
    },
    &[],
);

pub const MUBUF: Table<128> = table(rows! {
    0 => typed::LOAD_FORMAT_X;
    1 => typed::LOAD_FORMAT_XY;
    2 => typed::LOAD_FORMAT_XYZ;
    3 => typed::LOAD_FORMAT_XYZW;
    4 => typed::STORE_FORMAT_X;
    5 => typed::STORE_FORMAT_XY;
    6 => typed::STORE_FORMAT_XYZ;
    7 => typed::STORE_FORMAT_XYZW;
    8 => typed::LOAD_FORMAT_D16_X;
    9 => typed::LOAD_FORMAT_D16_XY;
    10 => typed::LOAD_FORMAT_D16_XYZ;
    11 => typed::LOAD_FORMAT_D16_XYZW;
    12 => typed::STORE_FORMAT_D16_X;
    13 => typed::STORE_FORMAT_D16_XY;
    14 => typed::STORE_FORMAT_D16_XYZ;
    15 => typed::STORE_FORMAT_D16_XYZW;
    16 => buffer::LOAD_UBYTE;
    17 => buffer::LOAD_SBYTE;
    18 => buffer::LOAD_USHORT;
    19 => buffer::LOAD_SSHORT;
    20 => buffer::LOAD_DWORD;
    21 => buffer::LOAD_DWORDX2;
    22 => buffer::LOAD_DWORDX3;
    23 => buffer::LOAD_DWORDX4;
    24 => buffer::STORE_BYTE;
    25 => buffer::STORE_BYTE_D16_HI;
    26 => buffer::STORE_SHORT;
    27 => buffer::STORE_SHORT_D16_HI;
    28 => buffer::STORE_DWORD;
    29 => buffer::STORE_DWORDX2;
    30 => buffer::STORE_DWORDX3;
    31 => buffer::STORE_DWORDX4;
    32 => buffer::LOAD_UBYTE_D16;
    33 => buffer::LOAD_UBYTE_D16_HI;
    34 => buffer::LOAD_SBYTE_D16;
    35 => buffer::LOAD_SBYTE_D16_HI;
    36 => buffer::LOAD_SHORT_D16;
    37 => buffer::LOAD_SHORT_D16_HI;
    64 => buffer::ATOMIC_SWAP;
    65 => buffer::ATOMIC_CMPSWAP;
    66 => buffer::ATOMIC_ADD;
    67 => buffer::ATOMIC_SUB;
    68 => buffer::ATOMIC_SMIN;
    69 => buffer::ATOMIC_UMIN;
    70 => buffer::ATOMIC_SMAX;
    71 => buffer::ATOMIC_UMAX;
    72 => buffer::ATOMIC_AND;
    73 => buffer::ATOMIC_OR;
    74 => buffer::ATOMIC_XOR;
    75 => buffer::ATOMIC_INC;
    76 => buffer::ATOMIC_DEC;
    96 => buffer::ATOMIC_SWAP_X2;
    97 => buffer::ATOMIC_CMPSWAP_X2;
    98 => buffer::ATOMIC_ADD_X2;
    99 => buffer::ATOMIC_SUB_X2;
    100 => buffer::ATOMIC_SMIN_X2;
    101 => buffer::ATOMIC_UMIN_X2;
    102 => buffer::ATOMIC_SMAX_X2;
    103 => buffer::ATOMIC_UMAX_X2;
    104 => buffer::ATOMIC_AND_X2;
    105 => buffer::ATOMIC_OR_X2;
    106 => buffer::ATOMIC_XOR_X2;
    107 => buffer::ATOMIC_INC_X2;
    108 => buffer::ATOMIC_DEC_X2;
    38 => typed::LOAD_FORMAT_D16_HI_X;
    39 => typed::STORE_FORMAT_D16_HI_X;
    61 => buffer::STORE_LDS_DWORD;
    62 => buffer::WBINVL1;
    63 => buffer::WBINVL1_VOL;
});

pub const MUBUF_908: Table<128> = extend(
    &MUBUF,
    rows! {
        77 => buffer::ATOMIC_ADD_F32;
        78 => buffer::ATOMIC_PK_ADD_F16;
    },
    &[],
);

pub const MUBUF_90A: Table<128> = extend(
    &MUBUF_908,
    rows! {
        40 => buffer::WBL2;
        41 => buffer::INVL2;
        79 => buffer::ATOMIC_ADD_F64;
        80 => buffer::ATOMIC_MIN_F64;
        81 => buffer::ATOMIC_MAX_F64;
    },
    &[61],
);

pub const MUBUF_940: Table<128> = extend(
    &MUBUF_90A,
    rows! {
        41 => buffer::INV;
    },
    &[41],
);

pub const MTBUF: Table<16> = table(rows! {
    0 => typed::TLOAD_FORMAT_X;
    1 => typed::TLOAD_FORMAT_XY;
    2 => typed::TLOAD_FORMAT_XYZ;
    3 => typed::TLOAD_FORMAT_XYZW;
    4 => typed::TSTORE_FORMAT_X;
    5 => typed::TSTORE_FORMAT_XY;
    6 => typed::TSTORE_FORMAT_XYZ;
    7 => typed::TSTORE_FORMAT_XYZW;
    8 => typed::TLOAD_FORMAT_D16_X;
    9 => typed::TLOAD_FORMAT_D16_XY;
    10 => typed::TLOAD_FORMAT_D16_XYZ;
    11 => typed::TLOAD_FORMAT_D16_XYZW;
    12 => typed::TSTORE_FORMAT_D16_X;
    13 => typed::TSTORE_FORMAT_D16_XY;
    14 => typed::TSTORE_FORMAT_D16_XYZ;
    15 => typed::TSTORE_FORMAT_D16_XYZW;
});
