// The program that everyone writes first: one line from the host, one from each of four GPU threads.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void hello() { printf("Hello World from GPU thread %d!\n", (int)threadIdx.x); }

int main() {
  printf("Hello World from CPU!\n");
  hello<<<dim3(1), dim3(4)>>>();
  hipError_t error = hipGetLastError();
  if (error == hipSuccess) error = hipDeviceSynchronize();
  if (error != hipSuccess) {
    fprintf(stderr, "hello: %s\n", hipGetErrorString(error));
    return 1;
  }
  return 0;
}
