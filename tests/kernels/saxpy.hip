// y = a·x + y, with an element count that fills no whole number of blocks.
#include "check.h"

__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
  const int n = 100003;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; i++) x[i] = (i % 1000) * 0.25f, y[i] = (i % 77) * 1.5f;
  float *dx = to_device(x), *dy = to_device(y);
  saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, dx, dy);
  SYNC();
  std::vector<float> r = to_host(dy, n);
  for (int i = 0; i < n; i++) EXPECT(r[i] == 2.0f * x[i] + y[i], "[%d] %g", i, r[i]);
  CK(hipFree(dx));
  CK(hipFree(dy));
  return verdict("saxpy");
}
