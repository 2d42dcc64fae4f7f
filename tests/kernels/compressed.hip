// One program with code for two chips in a compressed bundle: it runs on either.
//@ compile-for: gfx90a gfx942
//@ run-on: gfx90a gfx942
//@ only-cc: clang
//@ flags: --offload-compress
#include "check.h"

__global__ void kernel(int* p) { p[threadIdx.x] = (int)threadIdx.x * 3; }

int main() {
  int* p = to_device(std::vector<int>(64, -1));
  kernel<<<1, 64>>>(p);
  SYNC();
  std::vector<int> r = to_host(p, 64);
  for (int i = 0; i < 64; i++) EXPECT(r[i] == 3 * i, "[%d] %d", i, r[i]);
  return verdict("compressed");
}
