// What lanes of one wave do together: ballot, any, all, shuffles of all kinds, and the bit-counting functions.
#include "check.h"

typedef unsigned long long u64;

// `yes` is 1; a constant would let clang 15 read EXEC before the branch.
__global__ void votes(int yes, u64* out) {
  int lane = threadIdx.x;
  u64 odd = __ballot(lane % 2);
  int any = !!__any(lane == 63), none = !!__any(lane == 64), all = !!__all(lane < 64), not_all = !!__all(lane < 63);
  u64 upper = 0;
  if (lane >= 40) upper = __ballot(yes);
  u64 active = __ballot(upper != 0);
  if (lane == 50) {
    out[0] = odd;
    out[1] = any | none << 1 | all << 2 | not_all << 3;
    out[2] = upper;
    out[3] = active;
  }
}

__global__ void shuffles(int* out) {
  int lane = threadIdx.x, v = lane * lane;
  out[0 * 64 + lane] = __shfl(v, (lane + 5) % 64);
  out[1 * 64 + lane] = __shfl_up(v, 3);
  out[2 * 64 + lane] = __shfl_down(v, 7);
  out[3 * 64 + lane] = __shfl_xor(v, 21);
  out[4 * 64 + lane] = __shfl_down(v, 3, 16);
  out[5 * 64 + lane] = (int)__shfl_xor((double)v * 0.5, 32);
  int prefix = lane;
  for (int d = 1; d < 64; d *= 2) {
    int below = __shfl_up(prefix, d);
    if (lane >= d) prefix += below;
  }
  out[6 * 64 + lane] = prefix;
}

__global__ void bits(const unsigned* in, int* out) {
  unsigned x = in[threadIdx.x];
  u64 wide = (u64)x << 20 | x;
  out[threadIdx.x * 8 + 0] = __popc(x);
  out[threadIdx.x * 8 + 1] = __clz(x);
  out[threadIdx.x * 8 + 2] = __ffs(x);
  out[threadIdx.x * 8 + 3] = __brev(x);
  out[threadIdx.x * 8 + 4] = __popcll(wide);
  out[threadIdx.x * 8 + 5] = __clzll(wide);
  out[threadIdx.x * 8 + 6] = __umulhi(x, 0x9e3779b9u);
  out[threadIdx.x * 8 + 7] = __mul24((int)(x & 0xffff), 1234);
}

int main() {
  u64* votes_out = to_device(std::vector<u64>(4));
  votes<<<1, 64>>>(1, votes_out);
  SYNC();
  std::vector<u64> v = to_host(votes_out, 4);
  EXPECT(v[0] == 0xaaaaaaaaaaaaaaaaull, "odd lanes %llx", v[0]);
  EXPECT(v[1] == 5, "any and all %llx", v[1]);
  EXPECT(v[2] == ~0ull << 40 && v[3] == ~0ull << 40, "in a branch %llx %llx", v[2], v[3]);

  int* s = to_device(std::vector<int>(7 * 64));
  shuffles<<<1, 64>>>(s);
  SYNC();
  std::vector<int> r = to_host(s, 7 * 64);
  for (int i = 0; i < 64; i++) {
    int from[6] = {(i + 5) % 64, i >= 3 ? i - 3 : i, i + 7 < 64 ? i + 7 : i, i ^ 21, i % 16 + 3 < 16 ? i + 3 : i, i ^ 32};
    for (int k = 0; k < 6; k++) {
      int want = from[k] * from[k];
      if (k == 5) want /= 2;
      EXPECT(r[k * 64 + i] == want, "shuffle %d, lane %d: %d, not %d", k, i, r[k * 64 + i], want);
    }
    EXPECT(r[6 * 64 + i] == i * (i + 1) / 2, "prefix sum, lane %d: %d", i, r[6 * 64 + i]);
  }

  std::vector<unsigned> in(64);
  Lcg lcg(9);
  for (int i = 0; i < 64; i++) in[i] = lcg.next() >> (i % 32);
  in[0] = 0, in[1] = ~0u, in[2] = 1, in[3] = 1u << 31;
  int* b = to_device(std::vector<int>(64 * 8));
  bits<<<1, 64>>>(to_device(in), b);
  SYNC();
  std::vector<int> got = to_host(b, 64 * 8);
  for (int i = 0; i < 64; i++) {
    unsigned x = in[i], reversed = 0;
    u64 wide = (u64)x << 20 | x;
    for (int k = 0; k < 32; k++) reversed |= (x >> k & 1) << (31 - k);
    int want[8] = {__builtin_popcount(x), x ? __builtin_clz(x) : 32, __builtin_ffs(x), (int)reversed,
                   __builtin_popcountll(wide), wide ? __builtin_clzll(wide) : 64,
                   (int)((u64)x * 0x9e3779b9u >> 32), (int)((x & 0xffff) * 1234)};
    for (int k = 0; k < 8; k++) EXPECT(got[i * 8 + k] == want[k], "bits %d of %x: %d, not %d", k, x, got[i * 8 + k], want[k]);
  }
  return verdict("wave");
}
