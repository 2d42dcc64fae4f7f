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

// Some of many short blocks wait for all the others.
__global__ void some_wait(unsigned* count, unsigned enough) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x % 8 == 3) {
    while (__hip_atomic_load(count, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) < enough) {}
  } else {
    atomicAdd(count, 1u);
  }
}

// A block that spins over a barrier waits for a kernel of another stream.
__global__ void wait_over_barrier(volatile int* flag) {
  while (*flag == 0) __syncthreads();
}

__global__ void set(volatile int* flag) { *flag = 1; }

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

  unsigned* count = (unsigned*)turn;
  for (int i = 0; i < 20; i++) {
    CK(hipMemset(count, 0, sizeof *count));
    some_wait<<<256, 64>>>(count, 256 / 8 * 7);
    SYNC();
  }

  CK(hipMemset(turn, 0, sizeof(int)));
  hipStream_t first, second;
  CK(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
  CK(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
  wait_over_barrier<<<1, 128, 0, first>>>(turn);
  set<<<1, 1, 0, second>>>(turn);
  SYNC();

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
