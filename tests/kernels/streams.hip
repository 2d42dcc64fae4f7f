// Streams and events: order within a stream, waits across streams, elapsed time, asynchronous copies, callbacks.
#include "check.h"

__global__ void nap(int n) {
  for (int i = 0; i < n; i++) __builtin_amdgcn_s_sleep(10);
}

__global__ void step(int* value, int multiply, int add) { *value = *value * multiply + add; }

__global__ void fill(int n, int* out, int with) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = with + i;
}

static void called_back(hipStream_t, hipError_t status, void* user) { *(int*)user = status == hipSuccess ? 1 : -1; }

int main() {
  hipStream_t a, b;
  CK(hipStreamCreate(&a));
  CK(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
  int* value = to_device(std::vector<int>(1, 1));

  // In order within one stream: ((1·2+3)·5+7)·11+13.
  step<<<1, 1, 0, a>>>(value, 2, 3);
  step<<<1, 1, 0, a>>>(value, 5, 7);
  step<<<1, 1, 0, a>>>(value, 11, 13);
  CK(hipStreamSynchronize(a));
  EXPECT(to_host(value, 1)[0] == 365, "%d", to_host(value, 1)[0]);
  EXPECT_ERROR(hipStreamQuery(a), hipSuccess);

  // Across streams by an event.
  hipEvent_t first, start, stop;
  CK(hipEventCreateWithFlags(&first, hipEventDisableTiming));
  CK(hipEventCreate(&start));
  CK(hipEventCreate(&stop));
  for (int round = 0; round < 20; round++) {
    CK(hipMemsetAsync(value, 0, sizeof(int), a));
    step<<<1, 1, 0, a>>>(value, 0, 21);
    CK(hipEventRecord(first, a));
    CK(hipStreamWaitEvent(b, first, 0));
    step<<<1, 1, 0, b>>>(value, 2, 0);
    CK(hipStreamSynchronize(b));
    EXPECT(to_host(value, 1)[0] == 42, "round %d: %d", round, to_host(value, 1)[0]);
  }

  // Asynchronous copies through pinned memory, in the order of the stream.
  const int n = 10000;
  int *pinned, *device;
  CK(hipHostMalloc((void**)&pinned, n * sizeof(int), 0));
  CK(hipMalloc((void**)&device, n * sizeof(int)));
  CK(hipEventRecord(start, a));
  fill<<<8, 256, 0, a>>>(n, device, 1000);
  CK(hipMemcpyAsync(pinned, device, n * sizeof(int), hipMemcpyDeviceToHost, a));
  CK(hipEventRecord(stop, a));
  CK(hipEventSynchronize(stop));
  EXPECT_ERROR(hipEventQuery(stop), hipSuccess);
  for (int i = 0; i < n; i++) EXPECT(pinned[i] == 1000 + i, "[%d] %d", i, pinned[i]);
  float milliseconds = -1;
  CK(hipEventElapsedTime(&milliseconds, start, stop));
  EXPECT(milliseconds >= 0 && milliseconds < 60000, "%g ms", milliseconds);

  int called = 0;
  fill<<<8, 256, 0, a>>>(n, device, 0);
  CK(hipStreamAddCallback(a, called_back, &called, 0));
  CK(hipStreamSynchronize(a));
  EXPECT(called == 1, "callback %d", called);

  // The null stream waits for the blocking stream a.
  step<<<1, 1, 0, a>>>(value, 0, 5);
  step<<<1, 1>>>(value, 10, 0);
  CK(hipDeviceSynchronize());
  EXPECT(to_host(value, 1)[0] == 50, "%d", to_host(value, 1)[0]);

  // What was recorded before a wait for the stream, or for the device, is reached behind it.
  for (int i = 0; i < 50; i++) {
    nap<<<4, 64, 0, a>>>(20);
    CK(hipEventRecord(stop, a));
    CK(i % 2 ? hipStreamSynchronize(a) : hipDeviceSynchronize());
    hipError_t reached = hipEventQuery(stop);
    if (reached != hipSuccess) {
      EXPECT(false, "event %d: %s", i, hipGetErrorName(reached));
      break;
    }
  }

  // Compute units that a stream asks for; those that it does not name, and none at all, are all.
  hipDeviceProp_t properties;
  CK(hipGetDeviceProperties(&properties, 0));
  const unsigned units = properties.multiProcessorCount, words = (units + 31) / 32;
  std::vector<unsigned> all(words, ~0u), mask(words), some(words, ~0u), none(words);
  if (units % 32) all.back() = some.back() = (1u << units % 32) - 1;
  some[0] = 0xe;
  CK(hipExtStreamGetCUMask(0, words, mask.data()));
  EXPECT(mask == all, "the null stream's first word is %#x", mask[0]);
  EXPECT_ERROR(hipExtStreamGetCUMask(0, words - 1, mask.data()), hipErrorInvalidValue);
  EXPECT_ERROR(hipExtStreamGetCUMask(0, words, nullptr), hipErrorInvalidValue);
  for (auto& asked : {some, none}) {
    hipStream_t masked;
    CK(hipExtStreamCreateWithCUMask(&masked, words, asked.data()));
    CK(hipExtStreamGetCUMask(masked, words, mask.data()));
    EXPECT(mask == (asked == none ? all : some), "its first word is %#x", mask[0]);
    CK(hipStreamDestroy(masked));
  }

  CK(hipEventDestroy(first));
  CK(hipEventDestroy(start));
  CK(hipEventDestroy(stop));
  CK(hipStreamDestroy(a));
  CK(hipStreamDestroy(b));
  CK(hipHostFree(pinned));
  return verdict("streams");
}
