// Three-dimensional grids and blocks with ragged edges: every thread exactly once, with its own coordinates.
#include "check.h"

__global__ void mark(dim3 size, unsigned* visits, unsigned* owner) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
           z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= size.x || y >= size.y || z >= size.z) return;
  unsigned i = (z * size.y + y) * size.x + x;
  atomicAdd(&visits[i], 1u);
  owner[i] = x | y << 10 | z << 20;
}

static void run(dim3 size, dim3 block) {
  unsigned n = size.x * size.y * size.z;
  dim3 grid((size.x + block.x - 1) / block.x, (size.y + block.y - 1) / block.y, (size.z + block.z - 1) / block.z);
  unsigned *visits = to_device(std::vector<unsigned>(n, 0)), *owner = to_device(std::vector<unsigned>(n, ~0u));
  mark<<<grid, block>>>(size, visits, owner);
  SYNC();
  std::vector<unsigned> v = to_host(visits, n), o = to_host(owner, n);
  for (unsigned i = 0; i < n; i++) {
    unsigned want = i % size.x | (i / size.x % size.y) << 10 | (i / size.x / size.y) << 20;
    EXPECT(v[i] == 1 && o[i] == want, "%ux%ux%u by %ux%ux%u, cell %u: %u visits, owner %x, not %x", size.x, size.y,
           size.z, block.x, block.y, block.z, i, v[i], o[i], want);
  }
  CK(hipFree(visits));
  CK(hipFree(owner));
}

int main() {
  run(dim3(13, 7, 5), dim3(4, 4, 4));
  run(dim3(100, 3, 2), dim3(64, 1, 1));
  run(dim3(5, 33, 9), dim3(3, 5, 7));   // 105 threads: the last wave is partly empty
  run(dim3(1, 1, 17), dim3(1, 1, 2));
  run(dim3(40, 40, 1), dim3(32, 32, 1));  // 1,024 threads a block
  run(dim3(1, 1, 1), dim3(1, 1, 1));
  return verdict("grid3d");
}
