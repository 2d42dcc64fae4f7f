// Managed memory: a __managed__ variable and hipMallocManaged, written by turns by the host and the GPU.
#include "check.h"

__managed__ int shared_counter = 5;
__managed__ double shared_table[16];

__global__ void touch(int* heap) {
  atomicAdd(&shared_counter, 1);
  shared_table[threadIdx.x % 16] = threadIdx.x % 16 * 0.5;
  heap[threadIdx.x] *= 2;
}

int main() {
  int* heap;
  CK(hipMallocManaged((void**)&heap, 128 * sizeof(int)));
  for (int i = 0; i < 128; i++) heap[i] = i;
  EXPECT(shared_counter == 5, "initial value %d", shared_counter);
  shared_counter = 1000;
  touch<<<1, 128>>>(heap);
  SYNC();
  EXPECT(shared_counter == 1128, "%d", shared_counter);
  for (int i = 0; i < 16; i++) EXPECT(shared_table[i] == i * 0.5, "[%d] %g", i, shared_table[i]);
  for (int i = 0; i < 128; i++) EXPECT(heap[i] == 2 * i, "[%d] %d", i, heap[i]);
  touch<<<1, 128>>>(heap);
  SYNC();
  for (int i = 0; i < 128; i++) EXPECT(heap[i] == 4 * i, "[%d] %d", i, heap[i]);
  CK(hipFree(heap));
  return verdict("managed");
}
