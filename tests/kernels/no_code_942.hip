// Compiled for one chip and run on another: error 209 at the launch, with both target IDs in the message.
//@ ours: HIP 5.2.3 ends the process at its start when it has no code for a GPU, with a message of its own
//@ compile-for: gfx942
//@ run-on: gfx90a
//@ stderr: gfx942
//@ stderr: gfx90a
#include "check.h"

__global__ void kernel(int* p) { *p = 1; }

int main() {
  int count = 0;
  CK(hipGetDeviceCount(&count));
  EXPECT(count == 1, "%d devices", count);
  int* p = to_device(std::vector<int>(1, 7));
  kernel<<<1, 1>>>(p);
  EXPECT_ERROR(hipGetLastError(), hipErrorNoBinaryForGpu);
  // The device is still of use.
  CK(hipDeviceSynchronize());
  EXPECT(to_host(p, 1)[0] == 7, "memory changed");
  return verdict("no_code_942");
}
