// 256 bins in LDS by LDS atomics, added to global bins by global atomics.
#include "check.h"

__global__ void histogram(int n, const unsigned* in, unsigned* out) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned w = in[i];
    for (int b = 0; b < 4; b++) atomicAdd(&bins[w >> (8 * b) & 255], 1u);
  }
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

int main() {
  const int n = 60000;
  std::vector<unsigned> in(n), want(256, 0);
  Lcg lcg(1);
  for (int i = 0; i < n; i++) {
    unsigned w = lcg.next();
    in[i] = w ^ w >> 13;
    for (int b = 0; b < 4; b++) want[in[i] >> (8 * b) & 255]++;
  }
  unsigned *din = to_device(in), *dout = to_device(std::vector<unsigned>(256, 0));
  histogram<<<9, 256>>>(n, din, dout);
  SYNC();
  std::vector<unsigned> got = to_host(dout, 256);
  for (int i = 0; i < 256; i++) EXPECT(got[i] == want[i], "bin %d: %u, not %u", i, got[i], want[i]);
  return verdict("histogram");
}
