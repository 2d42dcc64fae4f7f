// A store to an address that nobody mapped: an error from the next synchronise that names the kernel and the address.
//@ vendor-aborts: ROCr 5.2.3 ends the process at a memory fault that no handler takes
//@ vendor-says: on address 0x123456789000. Reason: Page not present or supervisor privilege.
//@ stderr: writes_astray
//@ stderr: 0x123456789000
#include "check.h"

__global__ void writes_astray(int* p) { p[threadIdx.x] = 1; }

int main() {
  writes_astray<<<1, 64>>>((int*)0x123456789000);
  EXPECT_ERROR(hipDeviceSynchronize(), hipErrorIllegalAddress);
  return verdict("unmapped");
}
