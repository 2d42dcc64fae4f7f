// A sum over a grid: within the wave by __shfl_down, over the waves of a block by LDS, over blocks by an atomic.
#include "check.h"

__global__ void reduce(int n, const int* in, int* out) {
  __shared__ int per_wave[16];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int d = warpSize / 2; d > 0; d /= 2) sum += __shfl_down(sum, d);
  int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
  if (lane == 0) per_wave[wave] = sum;
  __syncthreads();
  if (wave == 0) {
    sum = lane < (int)blockDim.x / warpSize ? per_wave[lane] : 0;
    for (int d = 8; d > 0; d /= 2) sum += __shfl_down(sum, d);
    if (lane == 0) atomicAdd(out, sum);
  }
}

int main() {
  const int n = 1 << 17;
  std::vector<int> in(n);
  Lcg lcg(7);
  int want = 0;
  for (int i = 0; i < n; i++) want += in[i] = (int)(lcg.next() >> 16) - 30000;
  int *din = to_device(in), *dout = to_device(std::vector<int>(1, 0));
  reduce<<<20, 512>>>(n, din, dout);
  SYNC();
  int got = to_host(dout, 1)[0];
  EXPECT(got == want, "%d, not %d", got, want);
  return verdict("reduction");
}
