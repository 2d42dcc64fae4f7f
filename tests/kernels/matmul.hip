// Matrix product in 16×16 tiles held in LDS, with a barrier before and after each tile's use.
#include "check.h"

#define TILE 16

__global__ void matmul(int n, const float* a, const float* b, float* c) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE + 1];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int t = 0; t < n; t += TILE) {
    as[ty][tx] = a[row * n + t + tx];
    bs[ty][tx] = b[(t + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

int main() {
  const int n = 96;
  std::vector<float> a(n * n), b(n * n);
  // Small multiples of 1/4 and 1/2: every sum is exact, in whatever order and with or without fma.
  for (int i = 0; i < n * n; i++) a[i] = ((i * 7) % 13 - 6) * 0.25f, b[i] = ((i * 5) % 11 - 5) * 0.5f;
  float *da = to_device(a), *db = to_device(b), *dc = to_device(std::vector<float>(n * n, -1.0f));
  matmul<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(n, da, db, dc);
  SYNC();
  std::vector<float> c = to_host(dc, n * n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      EXPECT(c[i * n + j] == sum, "[%d][%d] %g, not %g", i, j, c[i * n + j], sum);
    }
  return verdict("matmul");
}
