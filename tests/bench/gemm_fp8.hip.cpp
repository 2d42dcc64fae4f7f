//@ small: 128 1
//@ run-on: gfx942
// C = A * B of 8-bit floats (4 bits of exponent, as gfx942 has them) by matrix instructions; B lies transposed. A wave makes 64 x 64 of C from 2 x 2 tiles.
#include "common.h"
typedef long pair_of_8 __attribute__((ext_vector_type(2)));
typedef float float16 __attribute__((ext_vector_type(16)));
__global__ __launch_bounds__(256) void gemm(int n, const unsigned char* A, const unsigned char* B, float* C) {
  int lane = threadIdx.x % 64, wave = threadIdx.x / 64;
  int i0 = blockIdx.y * 128 + wave / 2 * 64, j0 = blockIdx.x * 128 + wave % 2 * 64;
  float16 c[2][2] = {};
  // A lane brings 16 neighbours in k: 8 for one product, 8 for the next. A and B take k in the same order.
  const unsigned char* a = A + (size_t)(i0 + lane % 32) * n + lane / 32 * 16;
  const unsigned char* b = B + (size_t)(j0 + lane % 32) * n + lane / 32 * 16;
  for (int k = 0; k < n; k += 32, a += 32, b += 32) {
    pair_of_8 x[2] = {*(const pair_of_8*)a, *(const pair_of_8*)(a + (size_t)32 * n)};
    pair_of_8 y[2] = {*(const pair_of_8*)b, *(const pair_of_8*)(b + (size_t)32 * n)};
    for (int p = 0; p < 2; p++)
      for (int q = 0; q < 2; q++) {
        c[p][q] = __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(x[p].lo, y[q].lo, c[p][q], 0, 0, 0);
        c[p][q] = __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(x[p].hi, y[q].hi, c[p][q], 0, 0, 0);
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
  std::vector<unsigned char> A(count), B(count);
  std::vector<float> C(count);
  // The bits of 0 to 7; 0x80 more is the sign.
  const unsigned char whole[8] = {0x00, 0x40, 0x48, 0x4c, 0x50, 0x52, 0x54, 0x56};
  auto value = [&](unsigned char x) { int v = 0; while (whole[v] != (x & 0x7f)) v++; return x & 0x80 ? -v : v; };
  auto bits = [&](int v) { return (unsigned char)(v < 0 ? 0x80 | whole[-v] : whole[v]); };
  for (size_t i = 0; i < count; i++) { A[i] = bits((int)(i * 7 % 13) - 6); B[i] = bits((int)(i * 5 % 11) - 5); }
  unsigned char *a, *b; float* c;
  CK(hipMalloc((void**)&a, count)); CK(hipMalloc((void**)&b, count)); CK(hipMalloc((void**)&c, 4 * count));
  CK(hipMemcpy(a, A.data(), count, hipMemcpyHostToDevice)); CK(hipMemcpy(b, B.data(), count, hipMemcpyHostToDevice));
  auto go = [&] { hipLaunchKernelGGL(gemm, dim3(n / 128, n / 128), dim3(256), 0, 0, n, a, b, c); };
  go(); CK(hipDeviceSynchronize());
  CK(hipMemcpy(C.data(), c, 4 * count, hipMemcpyDeviceToHost));
  bool ok = n % 128 == 0;
  for (int t = 0; t < 2000; t++) {
    int i = t * 37 % n, j = t * 91 % n; float s = 0;
    for (int k = 0; k < n; k++) s += value(A[(size_t)i * n + k]) * value(B[(size_t)j * n + k]);
    ok &= s == C[(size_t)i * n + j];
  }
  return finish("gemm_fp8", ok, median_time(reps, go), 2.0 * n * n * n, "GFLOP/s");
}
