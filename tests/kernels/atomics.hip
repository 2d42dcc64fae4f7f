// Atomics of every type, on global memory and on LDS, by all threads of a grid at once.
#include "check.h"

typedef unsigned long long u64;

struct Cells {
  int add, sub, min, max, any_or, all_and, parity, exchanged;
  unsigned uadd, umin, umax, wrap_up, wrap_down, cas;
  u64 wide_add, wide_min, wide_max, wide_or, wide_cas;
  float fadd;
  double dadd;
};

// HIP 5.2's headers reach atomicInc and atomicDec through names of LLVM intrinsics that clang 16 no longer has.
#if __clang_major__ < 16 || HIP_VERSION_MAJOR > 5
__device__ static void wrap(Cells* c) {
  atomicInc(&c->wrap_up, 9u);
  atomicDec(&c->wrap_down, 9u);
}
#else
__device__ static void wrap(Cells* c) {
  for (unsigned seen = c->wrap_up, old;; seen = old)
    if ((old = atomicCAS(&c->wrap_up, seen, seen >= 9 ? 0 : seen + 1)) == seen) break;
  for (unsigned seen = c->wrap_down, old;; seen = old)
    if ((old = atomicCAS(&c->wrap_down, seen, seen == 0 || seen > 9 ? 9 : seen - 1)) == seen) break;
}
#endif

__device__ static void all(Cells* c, int i) {
  atomicAdd(&c->add, i);
  atomicSub(&c->sub, i);
  atomicMin(&c->min, -i);
  atomicMax(&c->max, i);
  atomicOr(&c->any_or, 1 << i % 31);
  atomicAnd(&c->all_and, ~(1 << i % 5));
  atomicXor(&c->parity, i);
  atomicExch(&c->exchanged, 77);
  atomicAdd(&c->uadd, 3u);
  atomicMin(&c->umin, (unsigned)i + 9);
  atomicMax(&c->umax, (unsigned)i * 4);
  wrap(c);
  unsigned seen, old = c->cas;
  do {
    seen = old;
    old = atomicCAS(&c->cas, seen, seen + 2);
  } while (old != seen);
  atomicAdd(&c->wide_add, (u64)i << 30);
  atomicMin(&c->wide_min, 0xf00000000ull + i);
  atomicMax(&c->wide_max, 0xf00000000ull + i);
  atomicOr(&c->wide_or, 1ull << i % 64);
  u64 wide_seen, wide_old = c->wide_cas;
  do {
    wide_seen = wide_old;
    wide_old = atomicCAS(&c->wide_cas, wide_seen, wide_seen + 0x100000001ull);
  } while (wide_old != wide_seen);
  atomicAdd(&c->fadd, 0.25f);
  atomicAdd(&c->dadd, 0.125);
}

__host__ __device__ static Cells fresh() {
  Cells c;
  c.add = 0, c.sub = 0, c.min = 0, c.max = 0, c.any_or = 0, c.all_and = -1, c.parity = 0, c.exchanged = 0;
  c.uadd = 0, c.umin = ~0u, c.umax = 0, c.wrap_up = 0, c.wrap_down = 0, c.cas = 0;
  c.wide_add = 0, c.wide_min = ~0ull, c.wide_max = 0, c.wide_or = 0, c.wide_cas = 0;
  c.fadd = 0, c.dadd = 0;
  return c;
}

__global__ void global_atomics(int n, Cells* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) all(c, i);
}

__global__ void lds_atomics(Cells* c) {
  __shared__ Cells local;
  if (threadIdx.x == 0) local = fresh();
  __syncthreads();
  all(&local, threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) *c = local;
}

__global__ void tickets(unsigned* next, unsigned* taken) { taken[atomicAdd(next, 1u)] += 1; }

static void check(const char* where, int n, const Cells& c) {
  Cells w = fresh();
  w.exchanged = 77, w.umin = 9, w.umax = (n - 1) * 4, w.uadd = 3 * n, w.cas = 2 * n;
  for (int i = 0; i < n; i++) {
    w.add += i, w.sub -= i, w.parity ^= i, w.any_or |= 1 << i % 31, w.all_and &= ~(1 << i % 5);
    w.wide_add += (u64)i << 30, w.wide_or |= 1ull << i % 64;
  }
  w.min = -(n - 1), w.max = n - 1;
  w.wrap_up = n % 10, w.wrap_down = (10 - n % 10) % 10;
  w.wide_min = 0xf00000000ull, w.wide_max = 0xf00000000ull + n - 1, w.wide_cas = 0x100000001ull * n;
  w.fadd = 0.25f * n, w.dadd = 0.125 * n;
#define SAME(field) EXPECT(c.field == w.field, "%s: " #field " %g, not %g", where, (double)c.field, (double)w.field)
  SAME(add); SAME(sub); SAME(min); SAME(max); SAME(any_or); SAME(all_and); SAME(parity); SAME(exchanged);
  SAME(uadd); SAME(umin); SAME(umax); SAME(wrap_up); SAME(wrap_down); SAME(cas);
  SAME(wide_add); SAME(wide_min); SAME(wide_max); SAME(wide_or); SAME(wide_cas); SAME(fadd); SAME(dadd);
}

int main() {
  const int n = 2001;
  Cells* c = to_device(std::vector<Cells>(1, fresh()));
  global_atomics<<<(n + 255) / 256, 256>>>(n, c);
  SYNC();
  check("global", n, to_host(c, 1)[0]);
  lds_atomics<<<1, 300>>>(c);
  SYNC();
  check("LDS", 300, to_host(c, 1)[0]);
  unsigned *next = to_device(std::vector<unsigned>(1, 0)), *taken = to_device(std::vector<unsigned>(4096, 0));
  tickets<<<16, 256>>>(next, taken);
  SYNC();
  std::vector<unsigned> t = to_host(taken, 4096);
  for (int i = 0; i < 4096; i++) EXPECT(t[i] == 1, "ticket %d taken %u times", i, t[i]);
  return verdict("atomics");
}
