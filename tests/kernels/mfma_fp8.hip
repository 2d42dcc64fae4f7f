//@ run-on: gfx942
// Products of 8-bit floats by matrix instructions, and the conversions to them and back.
#include "check.h"

typedef float float16_t __attribute__((ext_vector_type(16)));
typedef float float2_t __attribute__((ext_vector_type(2)));

// Two 32-bit floats to the low or high half of a dword of 8-bit floats.
__global__ void pack(const float* x, unsigned* packed) {
  const float* at = x + 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  unsigned r = __builtin_amdgcn_cvt_pk_fp8_f32(at[0], at[1], 0, false);
  packed[blockIdx.x * blockDim.x + threadIdx.x] = __builtin_amdgcn_cvt_pk_fp8_f32(at[2], at[3], r, true);
}

__global__ void unpack(const unsigned* packed, float* x) {
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  float2_t lo = __builtin_amdgcn_cvt_pk_f32_fp8(packed[at], false);
  float2_t hi = __builtin_amdgcn_cvt_pk_f32_fp8(packed[at], true);
  x[4 * at] = lo.x, x[4 * at + 1] = lo.y, x[4 * at + 2] = hi.x, x[4 * at + 3] = hi.y;
}

__global__ void product(int n, const unsigned char* a, const unsigned char* b, float* c) {
  int lane = threadIdx.x, i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
  float16_t sum = {};
  for (int k = 0; k < n; k += 16) {
    long x = *(const long*)(a + (i0 + lane % 32) * n + k + lane / 32 * 8);
    long y = *(const long*)(b + (j0 + lane % 32) * n + k + lane / 32 * 8);
    sum = __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(x, y, sum, 0, 0, 0);
  }
  for (int r = 0; r < 16; r++) c[(i0 + r / 4 * 8 + lane / 32 * 4 + r % 4) * n + j0 + lane % 32] = sum[r];
}

int main() {
  const int n = 128;
  std::vector<float> a(n * n), b(n * n);
  // Quarters and halves that 8 bits hold.
  for (int i = 0; i < n * n; i++) a[i] = (i * 7 % 13 - 6) * 0.25f, b[i] = (i * 5 % 11 - 5) * 0.5f;
  float *da = to_device(a), *db = to_device(b);
  unsigned *pa = to_device(std::vector<unsigned>(n * n / 4)), *pb = to_device(std::vector<unsigned>(n * n / 4));
  pack<<<n * n / 1024, 256>>>(da, pa);
  pack<<<n * n / 1024, 256>>>(db, pb);
  float* back = to_device(std::vector<float>(n * n));
  unpack<<<n * n / 1024, 256>>>(pa, back);
  float* dc = to_device(std::vector<float>(n * n, -1.0f));
  product<<<dim3(n / 32, n / 32), 64>>>(n, (unsigned char*)pa, (unsigned char*)pb, dc);
  SYNC();
  std::vector<float> again = to_host(back, n * n), c = to_host(dc, n * n);
  for (int i = 0; i < n * n; i++) EXPECT(again[i] == a[i], "%d: %g, not %g", i, again[i], a[i]);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++) sum += a[i * n + k] * b[j * n + k];
      EXPECT(c[i * n + j] == sum, "[%d][%d] %g, not %g", i, j, c[i * n + j], sum);
    }
  return verdict("mfma_fp8");
}
