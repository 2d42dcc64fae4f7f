// Work-groups that wait for each other through global memory, and for the host through pinned memory: all make progress.
#include "check.h"

__global__ void relay(volatile int* turn, int* order) {
  if (threadIdx.x == 0) {
    while (*turn != (int)blockIdx.x) {}
    order[blockIdx.x] = *turn;
    __threadfence();
    *turn = blockIdx.x + 1;
  }
}

// The last block goes first: each of the others spins until the one behind it is through.
__global__ void backwards(volatile int* turn, int* order) {
  int mine = gridDim.x - 1 - blockIdx.x;
  if (threadIdx.x == 0) {
    while (*turn != mine) {}
    order[blockIdx.x] = *turn;
    __threadfence();
    *turn = mine + 1;
  }
}

__global__ void wait_for_host(volatile int* flag, volatile int* answer) {
  *answer = 1;
  __threadfence_system();
  while (*flag == 0) {}
  *answer = 2;
}

int main() {
  const int blocks = 12;
  int *turn = to_device(std::vector<int>(1, 0)), *order = to_device(std::vector<int>(blocks, -1));
  relay<<<blocks, 64>>>(turn, order);
  SYNC();
  std::vector<int> o = to_host(order, blocks);
  for (int i = 0; i < blocks; i++) EXPECT(o[i] == i, "[%d] %d", i, o[i]);

  const int many = 200;
  CK(hipMemset(turn, 0, sizeof(int)));
  int* late = to_device(std::vector<int>(many, -1));
  backwards<<<many, 64>>>(turn, late);
  SYNC();
  std::vector<int> l = to_host(late, many);
  for (int i = 0; i < many; i++) EXPECT(l[i] == many - 1 - i, "[%d] %d", i, l[i]);

  volatile int* shared;
  CK(hipHostMalloc((void**)&shared, 2 * sizeof(int), hipHostMallocMapped));
  shared[0] = shared[1] = 0;
  int* device_view = nullptr;
  CK(hipHostGetDevicePointer((void**)&device_view, (void*)shared, 0));
  wait_for_host<<<1, 1>>>(device_view, device_view + 1);
  CK(hipGetLastError());
  while (shared[1] == 0) {}
  EXPECT_ERROR(hipStreamQuery(0), hipErrorNotReady);
  (void)hipGetLastError();
  shared[0] = 1;
  CK(hipDeviceSynchronize());
  EXPECT(shared[1] == 2, "%d", shared[1]);
  return verdict("spin");
}
