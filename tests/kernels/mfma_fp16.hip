//@ run-on: gfx908 gfx90a gfx942
// Products of 16-bit floats by matrix instructions: 32x32x8 in one block, and 4x4x4 in 16.
#include "check.h"

typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef float float4_t __attribute__((ext_vector_type(4)));
typedef float float16_t __attribute__((ext_vector_type(16)));

// c = a * b, 32 rows and columns a wave; b lies transposed.
__global__ void product(int n, const _Float16* a, const _Float16* b, float* c) {
  int lane = threadIdx.x, i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
  float16_t sum = {};
  for (int k = 0; k < n; k += 8) {
    half4 x = *(const half4*)(a + (i0 + lane % 32) * n + k + lane / 32 * 4);
    half4 y = *(const half4*)(b + (j0 + lane % 32) * n + k + lane / 32 * 4);
    sum = __builtin_amdgcn_mfma_f32_32x32x8f16(x, y, sum, 0, 0, 0);
  }
  for (int r = 0; r < 16; r++) c[(i0 + r / 4 * 8 + lane / 32 * 4 + r % 4) * n + j0 + lane % 32] = sum[r];
}

// 16 products of 4 by 4; the same a for all with cbsz 4.
__global__ void small(const half4* a, const half4* b, float4_t* own, float4_t* shared) {
  float4_t zero = {};
  own[threadIdx.x] = __builtin_amdgcn_mfma_f32_4x4x4f16(a[threadIdx.x], b[threadIdx.x], zero, 0, 0, 0);
  shared[threadIdx.x] = __builtin_amdgcn_mfma_f32_4x4x4f16(a[threadIdx.x], b[threadIdx.x], zero, 4, 5, 0);
}

int main() {
  const int n = 96;
  std::vector<_Float16> a(n * n), b(n * n);
  for (int i = 0; i < n * n; i++) a[i] = (_Float16)(i * 7 % 13 - 6), b[i] = (_Float16)(i * 5 % 11 - 5);
  _Float16 *da = to_device(a), *db = to_device(b);
  float* dc = to_device(std::vector<float>(n * n, -1.0f));
  product<<<dim3(n / 32, n / 32), 64>>>(n, da, db, dc);
  SYNC();
  std::vector<float> c = to_host(dc, n * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++) sum += (float)a[i * n + k] * (float)b[j * n + k];
      EXPECT(c[i * n + j] == sum, "[%d][%d] %g, not %g", i, j, c[i * n + j], sum);
    }
  float4_t *own = to_device(std::vector<float4_t>(64)), *shared = to_device(std::vector<float4_t>(64));
  small<<<1, 64>>>((const half4*)da, (const half4*)db, own, shared);
  SYNC();
  std::vector<float4_t> x = to_host(own, 64), y = to_host(shared, 64);
  for (int lane = 0; lane < 64; lane++)
    for (int i = 0; i < 4; i++) {
      float mine = 0, fifth = 0;
      for (int k = 0; k < 4; k++) {
        mine += (float)a[(lane / 4 * 4 + i) * 4 + k] * (float)b[lane * 4 + k];
        fifth += (float)a[(5 * 4 + i) * 4 + k] * (float)b[lane * 4 + k];
      }
      EXPECT(x[lane][i] == mine, "block %d: %g, not %g", lane / 4, x[lane][i], mine);
      EXPECT(y[lane][i] == fifth, "block %d: %g, not %g", lane / 4, y[lane][i], fifth);
    }
  return verdict("mfma_fp16");
}
