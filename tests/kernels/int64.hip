// 64-bit integers: division, modulo, multiplication, shifts, signed and unsigned, by numbers of every size.
#include "check.h"

typedef unsigned long long u64;
typedef long long i64;
enum { OPS = 12 };

__host__ __device__ static void ops(u64 x, u64 y, u64* out) {
  i64 sx = (i64)x, sy = (i64)y;
  out[0] = x / y;
  out[1] = x % y;
  // The one overflow of signed division is left out.
  bool over = x == 0x8000000000000000ull && y == ~0ull;
  out[2] = over ? 0 : (u64)(sx / sy);
  out[3] = over ? 0 : (u64)(sx % sy);
  out[4] = x * y;
  out[5] = x << (y & 63);
  out[6] = x >> (y & 63);
  out[7] = (u64)(sx >> (y & 63));
  out[8] = x / 10 + x % 1000003;
  out[9] = (u64)((unsigned)x / ((unsigned)y | 1)) + (unsigned)x % ((unsigned)y | 1);
  out[10] = (u64)(i64)((int)x / (((int)y & 0x7fffffff) | 1)) + (u64)(i64)((int)x % (((int)y & 0x7fffffff) | 1));
  out[11] = (sx < sy) + 2 * (x < y) + 4 * (x == y) + ((x ^ y) & ~y) * 8;
}

__global__ void integers(int n, const u64* a, const u64* b, u64* r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ops(a[i], b[i], r + (size_t)i * OPS);
}

int main() {
  std::vector<u64> a, b;
  Lcg lcg(3);
  for (int i = 0; i < 3000; i++) {
    a.push_back(lcg.next64() >> (lcg.next() >> 26));
    u64 y = lcg.next64() >> (lcg.next() >> 26);
    b.push_back(y ? y : 1);
  }
  const u64 edges[] = {1, 2, 3, 10, 0xffffffffull, 0x100000000ull, 0x100000001ull, 0x7fffffffffffffffull,
                       0x8000000000000000ull, 0x8000000000000001ull, ~0ull, ~0ull - 1};
  for (u64 x : edges)
    for (u64 y : edges) a.push_back(x), b.push_back(y);
  int n = (int)a.size();
  u64 *da = to_device(a), *db = to_device(b), *dr = to_device(std::vector<u64>(n * OPS));
  integers<<<(n + 63) / 64, 64>>>(n, da, db, dr);
  SYNC();
  std::vector<u64> r = to_host(dr, n * OPS);
  for (int i = 0; i < n; i++) {
    u64 want[OPS];
    ops(a[i], b[i], want);
    for (int op = 0; op < OPS; op++)
      EXPECT(r[i * OPS + op] == want[op], "op %d of %llx and %llx: %llx, not %llx", op, a[i], b[i], r[i * OPS + op],
             want[op]);
  }
  return verdict("int64");
}
