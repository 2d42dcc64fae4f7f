// Code for two chips in a compressed bundle, run on a third: error 209 names all three.
//@ compile-for: gfx90a gfx942
//@ run-on: gfx906
//@ only-cc: clang
//@ flags: --offload-compress
//@ stderr: gfx906
//@ stderr: gfx90a
//@ stderr: gfx942
#include "check.h"

__global__ void kernel(int* p) { *p = 1; }

int main() {
  hipDeviceProp_t properties;
  CK(hipGetDeviceProperties(&properties, 0));
  int* p = to_device(std::vector<int>(1, 7));
  kernel<<<1, 1>>>(p);
  EXPECT_ERROR(hipGetLastError(), hipErrorNoBinaryForGpu);
  // The device is still of use.
  CK(hipDeviceSynchronize());
  EXPECT(to_host(p, 1)[0] == 7, "memory changed");
  return verdict("no_code_third");
}
