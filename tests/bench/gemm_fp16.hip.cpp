//@ small: 128 1
//@ run-on: gfx908 gfx90a gfx942
// C = A * B of 16-bit floats by matrix instructions; B lies transposed. A wave makes 64 x 64 of C from 2 x 2 tiles.
#include "common.h"
typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef _Float16 half8 __attribute__((ext_vector_type(8)));
typedef float float16 __attribute__((ext_vector_type(16)));
__global__ __launch_bounds__(256) void gemm(int n, const _Float16* A, const _Float16* B, float* C) {
  int lane = threadIdx.x % 64, wave = threadIdx.x / 64;
  int i0 = blockIdx.y * 128 + wave / 2 * 64, j0 = blockIdx.x * 128 + wave % 2 * 64;
  float16 c[2][2] = {};
  // A lane brings 8 neighbours in k: 4 for one product, 4 for the next. A and B take k in the same order.
  const _Float16* a = A + (size_t)(i0 + lane % 32) * n + lane / 32 * 8;
  const _Float16* b = B + (size_t)(j0 + lane % 32) * n + lane / 32 * 8;
  for (int k = 0; k < n; k += 16, a += 16, b += 16) {
    half8 x[2] = {*(const half8*)a, *(const half8*)(a + (size_t)32 * n)};
    half8 y[2] = {*(const half8*)b, *(const half8*)(b + (size_t)32 * n)};
    for (int p = 0; p < 2; p++)
      for (int q = 0; q < 2; q++) {
        c[p][q] = __builtin_amdgcn_mfma_f32_32x32x8f16(x[p].lo, y[q].lo, c[p][q], 0, 0, 0);
        c[p][q] = __builtin_amdgcn_mfma_f32_32x32x8f16(x[p].hi, y[q].hi, c[p][q], 0, 0, 0);
      }
  }
  for (int p = 0; p < 2; p++)
    for (int q = 0; q < 2; q++)
      for (int r = 0; r < 16; r++)
        C[(size_t)(i0 + 32 * p + r / 4 * 8 + lane / 32 * 4 + r % 4) * n + j0 + 32 * q + lane % 32] = c[p][q][r];
}
int main(int argc, char** argv) {
  int n = reps_arg(argc, argv, 1, 1024), reps = reps_arg(argc, argv, 2, 3);
  size_t count = (size_t)n * n;
  std::vector<_Float16> A(count), B(count);
  std::vector<float> C(count);
  for (size_t i = 0; i < count; i++) { A[i] = (_Float16)((int)(i * 7 % 13) - 6); B[i] = (_Float16)((int)(i * 5 % 11) - 5); }
  _Float16 *a, *b; float* c;
  CK(hipMalloc((void**)&a, 2 * count)); CK(hipMalloc((void**)&b, 2 * count)); CK(hipMalloc((void**)&c, 4 * count));
  CK(hipMemcpy(a, A.data(), 2 * count, hipMemcpyHostToDevice)); CK(hipMemcpy(b, B.data(), 2 * count, hipMemcpyHostToDevice));
  auto go = [&] { hipLaunchKernelGGL(gemm, dim3(n / 128, n / 128), dim3(256), 0, 0, n, a, b, c); };
  go(); CK(hipDeviceSynchronize());
  CK(hipMemcpy(C.data(), c, 4 * count, hipMemcpyDeviceToHost));
  bool ok = n % 128 == 0;
  for (int t = 0; t < 2000; t++) {
    int i = t * 37 % n, j = t * 91 % n; float s = 0;
    for (int k = 0; k < n; k++) s += (float)A[(size_t)i * n + k] * (float)B[(size_t)j * n + k];
    ok &= s == C[(size_t)i * n + j];
  }
  return finish("gemm_fp16", ok, median_time(reps, go), 2.0 * n * n * n, "GFLOP/s");
}
