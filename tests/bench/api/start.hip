// A program that is linked with a large library of kernels and runs one of its own: what its start takes.
#include <hip/hip_runtime.h>

__global__ void empty() {}

int main() {
  empty<<<1, 64>>>();
  return hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
