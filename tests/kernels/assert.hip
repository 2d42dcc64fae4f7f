// A device assert that fails: its message on stderr, an error from the synchronise, and a process that lives on.
//@ vendor-aborts: HIP 5.2.3 ends the process when a queue reports an exception
//@ vendor-says: Device-side assertion `data[threadIdx.x] < 3' failed.
//@ vendor-says: Device::callbackQueue aborting with error : HSA_STATUS_ERROR_EXCEPTION
//@ stderr: Device-side assertion `data[threadIdx.x] < 3' failed.
#undef NDEBUG
#include "check.h"

#include <cassert>

__global__ void bounded(const int* data) { assert(data[threadIdx.x] < 3); }

int main() {
  int *good = to_device(std::vector<int>(64, 2)), *bad = to_device(std::vector<int>(1, 3));
  bounded<<<1, 64>>>(good);
  SYNC();
  bounded<<<1, 1>>>(bad);
  EXPECT_ERROR(hipDeviceSynchronize(), hipErrorAssert);
  return verdict("assert");
}
