// Virtual memory: addresses without memory, memory without an address, and both together.
//@ ours: HIP 5.2.3 has virtual memory on Windows only
#include "check.h"

__global__ void add(int n, int* values, int what) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += what;
}

int main() {
  hipMemAllocationProp prop = {};
  prop.type = hipMemAllocationTypePinned;
  prop.location.type = hipMemLocationTypeDevice;
  prop.location.id = 0;
  size_t grain = 0;
  CK(hipMemGetAllocationGranularity(&grain, &prop, hipMemAllocationGranularityMinimum));
  const size_t size = (size_t(1) << 20) / grain * grain;
  const int n = int(2 * size / sizeof(int));

  // Two pieces side by side.
  void* base = nullptr;
  CK(hipMemAddressReserve(&base, 4 * size, 0, nullptr, 0));
  hipMemGenericAllocationHandle_t first, second;
  CK(hipMemCreate(&first, size, &prop, 0));
  CK(hipMemCreate(&second, size, &prop, 0));
  CK(hipMemMap(base, size, 0, first, 0));
  CK(hipMemMap((char*)base + size, size, 0, second, 0));
  std::vector<int> host(n, 7);
  EXPECT_ERROR(hipMemcpy(base, host.data(), 16, hipMemcpyHostToDevice), hipErrorInvalidValue);
  hipMemAccessDesc access = {};
  access.location = prop.location;
  access.flags = hipMemAccessFlagsProtReadWrite;
  CK(hipMemSetAccess(base, 2 * size, &access, 1));
  unsigned long long flags = 0;
  CK(hipMemGetAccess(&flags, &prop.location, base));
  EXPECT(flags == hipMemAccessFlagsProtReadWrite, "%llu", flags);
  // One copy over both pieces, and none beyond them.
  CK(hipMemcpy(base, host.data(), 2 * size, hipMemcpyHostToDevice));
  EXPECT_ERROR(hipMemcpy((char*)base + size, host.data(), 2 * size, hipMemcpyHostToDevice), hipErrorInvalidValue);
  add<<<n / 256, 256>>>(n, (int*)base, 35);
  CK(hipDeviceSynchronize());
  EXPECT(to_host((int*)base, 1)[0] == 42, "the first piece: %d", to_host((int*)base, 1)[0]);
  EXPECT(to_host((int*)base + n - 1, 1)[0] == 42, "the second: %d", to_host((int*)base + n - 1, 1)[0]);

  // The same memory at another place.
  void* again = (char*)base + 2 * size;
  CK(hipMemMap(again, size, 0, first, 0));
  CK(hipMemSetAccess(again, size, &access, 1));
  EXPECT(to_host((int*)again, 1)[0] == 42, "the first piece elsewhere: %d", to_host((int*)again, 1)[0]);
  hipMemAllocationProp got = {};
  CK(hipMemGetAllocationPropertiesFromHandle(&got, first));
  EXPECT(got.location.id == 0 && got.type == hipMemAllocationTypePinned, "properties");

  // By a descriptor.
  int descriptor = -1;
  CK(hipMemExportToShareableHandle(&descriptor, second, hipMemHandleTypePosixFileDescriptor, 0));
  hipMemGenericAllocationHandle_t imported;
  CK(hipMemImportFromShareableHandle(&imported, (void*)(size_t)descriptor, hipMemHandleTypePosixFileDescriptor));
  void* fourth = (char*)base + 3 * size;
  CK(hipMemMap(fourth, size, 0, imported, 0));
  CK(hipMemSetAccess(fourth, size, &access, 1));
  EXPECT(to_host((int*)fourth, 1)[0] == 42, "imported: %d", to_host((int*)fourth, 1)[0]);

  // The handle of what is mapped at an address.
  hipMemGenericAllocationHandle_t retained;
  CK(hipMemRetainAllocationHandle(&retained, fourth));
  CK(hipMemGetAllocationPropertiesFromHandle(&got, retained));
  EXPECT(got.location.id == 0, "%d", got.location.id);
  CK(hipMemRelease(retained));
  EXPECT_ERROR(hipMemRetainAllocationHandle(nullptr, fourth), hipErrorInvalidValue);
  EXPECT_ERROR(hipMemRetainAllocationHandle(&retained, nullptr), hipErrorInvalidValue);
  EXPECT_ERROR(hipMemRetainAllocationHandle(&retained, &got), hipErrorInvalidValue);

  // What is mapped, or still in use, is not given back.
  EXPECT_ERROR(hipMemAddressFree(base, 4 * size), hipErrorInvalidValue);
  EXPECT_ERROR(hipMemMap(base, size, 0, first, 0), hipErrorInvalidValue);
  CK(hipMemRelease(first));
  EXPECT(to_host((int*)again, 1)[0] == 42, "released, but mapped: %d", to_host((int*)again, 1)[0]);
  CK(hipMemUnmap(base, 2 * size));
  CK(hipMemUnmap(again, size));
  CK(hipMemUnmap(fourth, size));
  EXPECT_ERROR(hipMemcpy(base, host.data(), 16, hipMemcpyHostToDevice), hipErrorInvalidValue);
  CK(hipMemAddressFree(base, 4 * size));
  CK(hipMemRelease(second));
  CK(hipMemRelease(imported));
  EXPECT_ERROR(hipMemRelease(second), hipErrorInvalidValue);
  EXPECT_ERROR(hipMemCreate(&first, grain - 1, &prop, 0), hipErrorInvalidValue);
  EXPECT_ERROR(hipMemAddressReserve(&base, 0, 0, nullptr, 0), hipErrorInvalidValue);
  return verdict("virtual_memory");
}
