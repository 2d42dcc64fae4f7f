// Memory in a stream's order, from the device's pool and from pools of the program's own.
//@ ours: HIP 5.2.3 has no memory pools
#include "check.h"

__global__ void set(int n, int* values, int what) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = what + i;
}

int main() {
  int supported = 0;
  CK(hipDeviceGetAttribute(&supported, hipDeviceAttributeMemoryPoolsSupported, 0));
  EXPECT(supported == 1, "%d", supported);
  constexpr int N = 4096;
  hipStream_t stream;
  CK(hipStreamCreate(&stream));
  hipMemPool_t own, current;
  CK(hipDeviceGetDefaultMemPool(&own, 0));
  CK(hipDeviceGetMemPool(&current, 0));
  EXPECT(own == current, "the device's own pool comes first");

  int* values = nullptr;
  CK(hipMallocAsync((void**)&values, N * sizeof(int), stream));
  set<<<N / 256, 256, 0, stream>>>(N, values, 3);
  std::vector<int> host(N);
  CK(hipMemcpyAsync(host.data(), values, N * sizeof(int), hipMemcpyDeviceToHost, stream));
  CK(hipFreeAsync(values, stream));
  CK(hipStreamSynchronize(stream));
  EXPECT(host[0] == 3 && host[N - 1] == N + 2, "%d", host[0]);

  hipMemPoolProps props = {};
  props.allocType = hipMemAllocationTypePinned;
  props.location.type = hipMemLocationTypeDevice;
  hipMemPool_t pool;
  CK(hipMemPoolCreate(&pool, &props));
  unsigned long long used = 1, threshold = 1 << 20;
  CK(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
  CK(hipMallocFromPoolAsync((void**)&values, N * sizeof(int), pool, stream));
  CK(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used));
  EXPECT(used == N * sizeof(int), "%llu bytes", used);
  CK(hipFreeAsync(values, stream));
  CK(hipStreamSynchronize(stream));
  CK(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used));
  EXPECT(used == 0, "%llu bytes", used);
  CK(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemHigh, &used));
  EXPECT(used == N * sizeof(int), "%llu bytes at most", used);
  used = 0;
  CK(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &used));
  CK(hipMemPoolGetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
  EXPECT(threshold == 1 << 20, "%llu", threshold);

  CK(hipDeviceSetMemPool(0, pool));
  CK(hipMallocAsync((void**)&values, 100, stream));
  CK(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used));
  EXPECT(used == 100, "%llu bytes of the current pool", used);
  CK(hipMemPoolDestroy(pool));
  CK(hipDeviceGetMemPool(&current, 0));
  EXPECT(current == own, "a pool that goes is no device's any more");
  CK(hipFree(values));
  CK(hipMemPoolTrimTo(own, 0));

  EXPECT_ERROR(hipMemPoolDestroy(own), hipErrorInvalidValue);
  EXPECT_ERROR(hipMemPoolDestroy(pool), hipErrorInvalidValue);
  EXPECT_ERROR(hipMemPoolCreate(nullptr, &props), hipErrorInvalidValue);
  props.allocType = hipMemAllocationTypeInvalid;
  EXPECT_ERROR(hipMemPoolCreate(&pool, &props), hipErrorInvalidValue);
  EXPECT_ERROR(hipMallocFromPoolAsync((void**)&values, 16, nullptr, stream), hipErrorInvalidValue);
  EXPECT_ERROR(hipMemPoolGetAttribute(own, (hipMemPoolAttr)99, &used), hipErrorInvalidValue);
  EXPECT_ERROR(hipDeviceGetMemPool(&current, 99), hipErrorInvalidDevice);
  // Who reaches what a pool gives.
  hipMemAccessFlags flags = hipMemAccessFlagsProtNone;
  hipMemAccessDesc access = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
  CK(hipMemPoolGetAccess(&flags, own, &access.location));
  EXPECT(flags == hipMemAccessFlagsProtReadWrite, "%d", flags);
  CK(hipMemPoolSetAccess(own, &access, 1));
  EXPECT_ERROR(hipMemPoolSetAccess(own, &access, 0), hipErrorInvalidValue);
  EXPECT_ERROR(hipMemPoolSetAccess(nullptr, &access, 1), hipErrorInvalidValue);
  access.flags = hipMemAccessFlagsProtNone;
  EXPECT_ERROR(hipMemPoolSetAccess(own, &access, 1), hipErrorInvalidValue);
  access.location.id = 99;
  EXPECT_ERROR(hipMemPoolGetAccess(&flags, own, &access.location), hipErrorInvalidValue);
  EXPECT_ERROR(hipMemPoolGetAccess(nullptr, own, &access.location), hipErrorInvalidValue);
  int handle = -1;
  EXPECT_ERROR(hipMemPoolExportToShareableHandle(&handle, own, hipMemHandleTypePosixFileDescriptor, 0), hipErrorNotSupported);
  EXPECT_ERROR(hipMemPoolExportToShareableHandle(nullptr, own, hipMemHandleTypePosixFileDescriptor, 0), hipErrorInvalidValue);
  CK(hipStreamDestroy(stream));
  return verdict("pools");
}
