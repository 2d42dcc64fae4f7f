// A wave that executes s_trap: an error from the synchronise that names the kernel, and a process that lives on.
//@ vendor-aborts: HIP 5.2.3 ends the process when a queue reports an exception
//@ vendor-says: Device::callbackQueue aborting with error : HSA_STATUS_ERROR_EXCEPTION
//@ stderr: trapping_kernel
#include "check.h"

__global__ void trapping_kernel(int* p) {
  if (*p) __builtin_trap();
  *p = 5;
}

int main() {
  int* p = to_device(std::vector<int>(1, 0));
  trapping_kernel<<<1, 1>>>(p);
  SYNC();
  EXPECT(to_host(p, 1)[0] == 5, "the branch around the trap");
  trapping_kernel<<<1, 1>>>(p);
  hipError_t error = hipDeviceSynchronize();
  EXPECT(error != hipSuccess, "a trap reported as success");
  return verdict("trap");
}
