// Dynamic shared memory beside static shared memory, in sizes up to the 64 KiB of a work-group.
#include "check.h"

__global__ void reverse(int* data) {
  extern __shared__ int window[];
  __shared__ int bias;
  int i = threadIdx.x, n = blockDim.x;
  if (i == 0) bias = data[blockIdx.x * n];
  window[i] = data[blockIdx.x * n + i];
  __syncthreads();
  data[blockIdx.x * n + i] = window[n - 1 - i] + bias;
}

__global__ void sweep(int words, unsigned* sums) {
  extern __shared__ int window[];
  for (int i = threadIdx.x; i < words; i += blockDim.x) window[i] = i * 3 + blockIdx.x;
  __syncthreads();
  unsigned sum = 0;
  for (int i = threadIdx.x; i < words; i += blockDim.x) sum += window[words - 1 - i];
  atomicAdd(&sums[blockIdx.x], sum);
}

int main() {
  for (int n = 64; n <= 1024; n *= 4) {
    std::vector<int> in(n * 3);
    for (size_t i = 0; i < in.size(); i++) in[i] = (int)i * 7 + 1;
    int* d = to_device(in);
    reverse<<<3, n, n * sizeof(int)>>>(d);
    SYNC();
    std::vector<int> r = to_host(d, in.size());
    for (int b = 0; b < 3; b++)
      for (int i = 0; i < n; i++) {
        int want = in[b * n + n - 1 - i] + in[b * n];
        EXPECT(r[b * n + i] == want, "n %d [%d] %d, not %d", n, b * n + i, r[b * n + i], want);
      }
  }
  const int words = 64 * 1024 / 4;
  unsigned* sums = to_device(std::vector<unsigned>(2, 0));
  sweep<<<2, 256, words * 4>>>(words, sums);
  SYNC();
  std::vector<unsigned> s = to_host(sums, 2);
  for (unsigned b = 0; b < 2; b++) {
    unsigned want = 0;
    for (int i = 0; i < words; i++) want += i * 3 + b;
    EXPECT(s[b] == want, "block %u: %u, not %u", b, s[b], want);
  }
  return verdict("dynamic_lds");
}
