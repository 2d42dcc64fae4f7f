// Exchanges between the lanes of a wave and of a work-group: builtins on the device, on the host models over arrays
// that hold a value of each lane. `m` tells which lanes take part; the others keep what they have.
#if DEVICE
INL u32 lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }
INL void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#else
struct Wave { u32 v[64], s[64], o[64]; bool m[64]; };
static u64 active(const Wave& w) {
  u64 mask = 0;
  for (int l = 0; l < 64; l++) mask |= (u64)w.m[l] << l;
  return mask;
}
// Every lane reads one lane: the value where that lane takes part, else zero.
static void h_bpermute(Wave& w) {
  for (int l = 0; l < 64; l++) {
    int from = w.s[l] >> 2 & 63;
    w.o[l] = w.m[from] ? w.v[from] : 0;
  }
}
static void h_swizzle(Wave& w, u32 pattern) {
  for (int l = 0; l < 64; l++) {
    int from;
    if (pattern & 0x8000) from = (l & ~3) | (pattern >> (2 * (l & 3)) & 3);
    else from = (l & ~31) | ((((l & 31) & (pattern & 31)) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31));
    w.o[l] = w.m[from] ? w.v[from] : 0;
  }
}
// Every lane writes to one lane; the addresses are distinct.
static void h_permute(Wave& w) {
  for (int l = 0; l < 64; l++) w.o[l] = 0;
  for (int l = 0; l < 64; l++)
    if (w.m[l]) w.o[w.s[l] >> 2 & 63] = w.v[l];
}
static void h_readlane(Wave& w, u32 lane) {
  for (int l = 0; l < 64; l++) w.o[l] = w.v[lane];
}
static void h_readfirst(Wave& w) {
  u64 a = active(w);
  for (int l = 0; l < 64; l++) w.o[l] = a ? w.v[__builtin_ctzl(a)] : 0;
}
static void h_ballot(Wave& w, u32 half) {
  u64 mask = 0;
  for (int l = 0; l < 64; l++) mask |= (u64)(w.m[l] && (w.v[l] & 1)) << l;
  for (int l = 0; l < 64; l++) w.o[l] = (u32)(mask >> (32 * half));
}
static void h_mbcnt(Wave& w) {
  for (int l = 0; l < 64; l++) {
    u64 mask = (u64)w.s[l] << 32 | w.v[l];
    w.o[l] = __builtin_popcountl(mask & (((u64)1 << l) - 1));
  }
}
// DPP: a lane whose source is out of bounds or takes no part keeps the old value (here in `s`), or zero when the
// bounds are controlled; rows and banks that are masked off keep the old value.
static void h_dpp(Wave& w, u32 control, u32 rows, u32 banks, bool bounded) {
  for (int l = 0; l < 64; l++) {
    int row = l & ~15, at = l & 15, n = control & 15, from = -1;
    if (control < 0x100) from = (l & ~3) | (control >> (2 * (l & 3)) & 3);
    else if (control < 0x110) from = at + n < 16 ? l + n : -1;
    else if (control < 0x120) from = at - n >= 0 ? l - n : -1;
    else if (control < 0x130) from = row | ((at - n) & 15);
    else if (control == 0x130) from = l < 63 ? l + 1 : -1;
    else if (control == 0x134) from = (l + 1) & 63;
    else if (control == 0x138) from = l - 1;
    else if (control == 0x13c) from = (l - 1) & 63;
    else if (control == 0x140) from = row | (15 - at);
    else if (control == 0x141) from = (l & ~7) | (7 - (l & 7));
    else if (control == 0x142) from = row > 0 ? row - 1 : -1;
    else if (control == 0x143) from = l >= 32 ? 31 : -1;
    bool written = (rows >> (l >> 4) & 1) && (banks >> (at >> 2) & 1);
    bool valid = from >= 0 && w.m[from];
    w.o[l] = !written ? w.s[l] : valid ? w.v[from] : bounded ? 0 : w.s[l];
  }
}
#endif
