// Loops whose trip count differs by lane, nested branches, break, continue, switch and early return.
#include "check.h"

__host__ __device__ static int collatz(unsigned n) {
  int steps = 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    if (++steps == 1000) break;
  }
  return steps;
}

__host__ __device__ static unsigned walk(unsigned i) {
  unsigned acc = i;
  for (unsigned k = 0; k < 40; k++) {
    if ((acc & 7) == 5) continue;
    switch ((acc ^ k) % 6) {
      case 0: acc += 17; break;
      case 1: acc = acc * 31 + k;  // falls through
      case 2: acc ^= acc >> 3; break;
      case 3:
        for (unsigned j = 0; j < (acc & 15); j++) {
          if (j * k > 60) break;
          acc += j;
        }
        break;
      case 4:
        if (acc > 1u << 30) return acc;
        acc = acc * 5 + 1;
        break;
      default: acc -= 3;
    }
  }
  return ~acc;
}

__global__ void diverge(int n, int* steps, unsigned* walked) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  steps[i] = collatz(i + 1);
  walked[i] = walk(i);
}

int main() {
  const int n = 5000;
  int* ds = to_device(std::vector<int>(n));
  unsigned* dw = to_device(std::vector<unsigned>(n));
  diverge<<<(n + 191) / 192, 192>>>(n, ds, dw);
  SYNC();
  std::vector<int> s = to_host(ds, n);
  std::vector<unsigned> w = to_host(dw, n);
  for (int i = 0; i < n; i++) {
    EXPECT(s[i] == collatz(i + 1), "collatz(%d) = %d, not %d", i + 1, s[i], collatz(i + 1));
    EXPECT(w[i] == walk(i), "walk(%d) = %u, not %u", i, w[i], walk(i));
  }
  return verdict("divergence");
}
