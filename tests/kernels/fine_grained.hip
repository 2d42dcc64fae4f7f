// Float atomics of the hardware on fine-grained memory: on gfx90a they leave it as it is and give 0. What the compiler makes of
// atomicAdd works there, and those of the hardware work on memory that is not coherent, and on integers.
//@ run-on: gfx90a
#include "check.h"

__global__ void add(float* f, double* d, int* i, double* old) {
  old[0] = unsafeAtomicAdd(f, 10.0f);
  old[1] = unsafeAtomicAdd(d, 10.0);
  old[2] = atomicAdd(f + 1, 10.0f);
  old[3] = atomicAdd(d + 1, 10.0);
  old[4] = atomicAdd(i, 10);
}

static void with(unsigned flags, bool lost) {
  float* f;
  double *d, *old;
  int* i;
  CK(hipHostMalloc((void**)&f, 2 * sizeof(float), flags));
  CK(hipHostMalloc((void**)&d, 2 * sizeof(double), flags));
  CK(hipHostMalloc((void**)&i, sizeof(int), flags));
  CK(hipHostMalloc((void**)&old, 5 * sizeof(double), flags));
  f[0] = f[1] = 5;
  d[0] = d[1] = 5;
  i[0] = 5;
  add<<<1, 1>>>(f, d, i, old);
  SYNC();
  EXPECT(f[0] == (lost ? 5 : 15) && old[0] == (lost ? 0 : 5), "%#x: float %g, %g", flags, f[0], old[0]);
  EXPECT(d[0] == (lost ? 5 : 15) && old[1] == (lost ? 0 : 5), "%#x: double %g, %g", flags, d[0], old[1]);
  EXPECT(f[1] == 15 && old[2] == 5, "%#x: float by atomicAdd %g, %g", flags, f[1], old[2]);
  EXPECT(d[1] == 15 && old[3] == 5, "%#x: double by atomicAdd %g, %g", flags, d[1], old[3]);
  EXPECT(i[0] == 15 && old[4] == 5, "%#x: int %d, %g", flags, i[0], old[4]);
  CK(hipHostFree(f));
  CK(hipHostFree(d));
  CK(hipHostFree(i));
  CK(hipHostFree(old));
}

int main() {
  with(hipHostMallocCoherent, true);
  with(hipHostMallocNonCoherent, false);
  return verdict("fine_grained");
}
