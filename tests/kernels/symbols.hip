// __constant__ and __device__ variables: initial values, hipMemcpyToSymbol and FromSymbol with offsets, addresses.
#include "check.h"

__constant__ float weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ int counter = 100;
__device__ unsigned long long wide = 0x123456789abcdef0ull;
__device__ int scratchpad[64];

__global__ void use(float* out) {
  int i = threadIdx.x;
  out[i] = weights[i % 8] * 10;
  scratchpad[i] = i * i;
  atomicAdd(&counter, 1);
  if (i == 0) wide ^= 0xffffffffull;
}

int main() {
  float* out;
  CK(hipMalloc((void**)&out, 64 * sizeof(float)));
  use<<<1, 64>>>(out);
  SYNC();
  std::vector<float> r = to_host(out, 64);
  for (int i = 0; i < 64; i++) EXPECT(r[i] == (i % 8 + 1) * 10, "initial weights: [%d] %g", i, r[i]);

  int count = 0;
  CK(hipMemcpyFromSymbol(&count, HIP_SYMBOL(counter), sizeof count));
  EXPECT(count == 164, "counter %d", count);
  unsigned long long w = 0;
  CK(hipMemcpyFromSymbol(&w, HIP_SYMBOL(wide), sizeof w));
  EXPECT(w == 0x123456786543210full, "wide %llx", w);
  int pad[4];
  CK(hipMemcpyFromSymbol(pad, HIP_SYMBOL(scratchpad), sizeof pad, 60 * sizeof(int), hipMemcpyDeviceToHost));
  for (int i = 0; i < 4; i++) EXPECT(pad[i] == (60 + i) * (60 + i), "scratchpad[%d] %d", 60 + i, pad[i]);

  const float replacement[3] = {-1, -2, -3};
  CK(hipMemcpyToSymbol(HIP_SYMBOL(weights), replacement, sizeof replacement, 2 * sizeof(float), hipMemcpyHostToDevice));
  use<<<1, 64>>>(out);
  SYNC();
  r = to_host(out, 64);
  for (int i = 0; i < 64; i++) {
    int k = i % 8;
    float want = k >= 2 && k < 5 ? replacement[k - 2] * 10 : (k + 1) * 10;
    EXPECT(r[i] == want, "replaced weights: [%d] %g, not %g", i, r[i], want);
  }

  void* address = nullptr;
  size_t size = 0;
  CK(hipGetSymbolAddress(&address, HIP_SYMBOL(scratchpad)));
  CK(hipGetSymbolSize(&size, HIP_SYMBOL(scratchpad)));
  EXPECT(size == sizeof(int) * 64, "size %zu", size);
  CK(hipMemset(address, 0xff, size));
  CK(hipMemcpyFromSymbol(pad, HIP_SYMBOL(scratchpad), sizeof pad));
  EXPECT(pad[3] == -1, "after hipMemset by address: %d", pad[3]);

  static int stranger;
  EXPECT_ERROR(hipMemcpyToSymbol(&stranger, pad, 4), hipErrorInvalidSymbol);
  EXPECT_ERROR(hipMemcpyToSymbol(HIP_SYMBOL(counter), pad, 8), hipErrorInvalidValue);
  return verdict("symbols");
}
