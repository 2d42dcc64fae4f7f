// Code for two chips in a compressed bundle, and neither is the one that it runs on: error 209 names all three.
//@ ours: HIP 5.2.3 knows no compressed bundles
//@ compile-for: gfx906 gfx908
//@ only-cc: clang
//@ flags: --offload-compress
//@ stderr: gfx906
//@ stderr: gfx908
#include "check.h"

__global__ void kernel(int* p) { *p = 1; }

int main() {
  hipDeviceProp_t properties;
  CK(hipGetDeviceProperties(&properties, 0));
  kernel<<<1, 1>>>(nullptr);
  EXPECT_ERROR(hipGetLastError(), hipErrorNoBinaryForGpu);
  CK(hipDeviceSynchronize());
  return verdict("no_code_compressed");
}
