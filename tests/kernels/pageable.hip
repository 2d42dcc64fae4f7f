// What is done when an asynchronous copy returns: a copy from or to memory that is not pinned, also where a graph makes it;
// not a copy of pinned memory. And what changes the bytes that hipMemGetInfo calls free: what the program allocates alone.
#include "check.h"
#include <unistd.h>

static const int n = 1 << 16;
static int* go;

__global__ void when_told(volatile int* go, int* values, int value) {
  while (!*go) __builtin_amdgcn_s_sleep(8);
  values[threadIdx.x] = value;
}

__global__ void slowly(int* values, int value) {
  for (int i = 0; i < 2000; i++) __builtin_amdgcn_s_sleep(8);
  values[threadIdx.x] = value;
}

__global__ void with_scratch(int* values, int at) {
  volatile int many[512];
  for (int i = 0; i < 512; i++) many[i] = i;
  values[threadIdx.x] = many[at];
}

static void copies(int* device, hipStream_t stream) {
  std::vector<int> page(n);
  int* pinned;
  CK(hipHostMalloc((void**)&pinned, n * sizeof(int), 0));

  slowly<<<1, 64, 0, stream>>>(device, 1);
  CK(hipMemcpyAsync(page.data(), device, n * sizeof(int), hipMemcpyDeviceToHost, stream));
  EXPECT(page[63] == 1, "to pageable memory: %d", page[63]);
  slowly<<<1, 64, 0, stream>>>(device, 2);
  CK(hipMemcpy2DAsync(page.data(), 256, device, 256, 256, 4, hipMemcpyDefault, stream));
  EXPECT(page[63] == 2, "rows to pageable memory: %d", page[63]);
  slowly<<<1, 64, 0, stream>>>(device, 3);
  page[0] = 4;
  CK(hipMemcpyAsync(device, page.data(), sizeof(int), hipMemcpyHostToDevice, stream));
  page[0] = 5;
  EXPECT_ERROR(hipStreamQuery(stream), hipSuccess);
  EXPECT(to_host(device, 1)[0] == 4, "from pageable memory: %d", to_host(device, 1)[0]);

  *go = 0;
  pinned[63] = 0;
  when_told<<<1, 64, 0, stream>>>(go, device, 6);
  CK(hipMemcpyAsync(pinned, device, n * sizeof(int), hipMemcpyDeviceToHost, stream));
  EXPECT_ERROR(hipStreamQuery(stream), hipErrorNotReady);
  EXPECT(pinned[63] == 0, "to pinned memory: %d", pinned[63]);
  *(volatile int*)go = 1;
  CK(hipStreamSynchronize(stream));
  EXPECT(pinned[63] == 6, "to pinned memory: %d", pinned[63]);

  hipGraph_t graph;
  hipGraphExec_t exec;
  CK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  slowly<<<1, 64, 0, stream>>>(device, 7);
  CK(hipMemcpyAsync(page.data(), device, n * sizeof(int), hipMemcpyDeviceToHost, stream));
  CK(hipStreamEndCapture(stream, &graph));
  EXPECT(page[63] == 2, "captured: %d", page[63]);
  CK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  CK(hipGraphLaunch(exec, stream));
  EXPECT(page[63] == 7, "a graph to pageable memory: %d", page[63]);
  CK(hipStreamSynchronize(stream));
  CK(hipGraphExecDestroy(exec));
  CK(hipGraphDestroy(graph));
  CK(hipHostFree(pinned));
}

static void free_bytes(hipStream_t stream) {
  size_t before = 0, after = 0, total = 0;
  int* device;
  CK(hipMemGetInfo(&before, &total));
  CK(hipMalloc((void**)&device, n * sizeof(int)));
  with_scratch<<<1, 64, 0, stream>>>(device, 17);
  CK(hipStreamSynchronize(stream));
  EXPECT(to_host(device, 1)[0] == 17, "%d", to_host(device, 1)[0]);
  CK(hipMemGetInfo(&after, &total));
  EXPECT(before - after == n * sizeof(int), "%zu bytes free, then %zu", before, after);
  CK(hipFree(device));
  // The device may take a moment to let go.
  for (int i = 0; i < 1000 && before != after; i++) {
    usleep(1000);
    CK(hipMemGetInfo(&after, &total));
  }
  EXPECT(before == after, "%zu bytes free, then %zu", before, after);
}

int main() {
  hipStream_t stream;
  CK(hipStreamCreate(&stream));
  free_bytes(stream);
  int* device;
  CK(hipMalloc((void**)&device, n * sizeof(int)));
  CK(hipHostMalloc((void**)&go, sizeof(int), hipHostMallocCoherent));
  copies(device, stream);
  CK(hipStreamDestroy(stream));
  CK(hipFree(device));
  CK(hipHostFree(go));
  return verdict("pageable");
}
