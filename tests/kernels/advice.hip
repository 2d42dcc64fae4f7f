//@ ours: AMD's libraries know nothing of managed memory where the driver has no shared virtual memory
// What was advised about ranges of managed memory is what they are asked for, page by page.
#include "check.h"

static int asked(hipMemRangeAttribute attribute, const void* pointer, size_t size) {
  int value = 77;
  CK(hipMemRangeGetAttribute(&value, sizeof value, attribute, pointer, size));
  return value;
}

int main() {
  const size_t page = 4096, size = 4 * page;
  char *managed, *device, *host;
  CK(hipMallocManaged((void**)&managed, size));
  CK(hipMalloc((void**)&device, size));
  CK(hipHostMalloc((void**)&host, size, 0));
  const auto read_mostly = hipMemRangeAttributeReadMostly, preferred = hipMemRangeAttributePreferredLocation,
             prefetched = hipMemRangeAttributeLastPrefetchLocation, coherency = hipMemRangeAttributeCoherencyMode;

  EXPECT(asked(read_mostly, managed, size) == 0, "before");
  EXPECT(asked(preferred, managed, size) == hipInvalidDeviceId, "before");
  CK(hipMemAdvise(managed, 2 * page, hipMemAdviseSetReadMostly, 0));
  EXPECT(asked(read_mostly, managed + page, page) == 1, "the half that was advised");
  EXPECT(asked(read_mostly, managed, size) == 0, "all of it");
  CK(hipMemAdvise(managed, size, hipMemAdviseSetPreferredLocation, hipCpuDeviceId));
  EXPECT(asked(preferred, managed, size) == hipCpuDeviceId, "the preferred place");
  CK(hipMemAdvise(managed + page, page, hipMemAdviseUnsetPreferredLocation, 0));
  EXPECT(asked(preferred, managed, size) == hipInvalidDeviceId, "a page of it has no preferred place");
  CK(hipMemPrefetchAsync(managed, size, 0, 0));
  EXPECT(asked(prefetched, managed, size) == 0, "where it was sent");

  int who[3] = {77, 77, 77};
  CK(hipMemAdvise(managed, size, hipMemAdviseSetAccessedBy, 0));
  CK(hipMemAdvise(managed, size, hipMemAdviseSetAccessedBy, hipCpuDeviceId));
  CK(hipMemRangeGetAttribute(who, sizeof who, hipMemRangeAttributeAccessedBy, managed, size));
  EXPECT(who[0] == 0 && who[1] == hipCpuDeviceId && who[2] == hipInvalidDeviceId, "%d, %d, %d", who[0], who[1], who[2]);

  EXPECT(asked(coherency, device, size) == hipMemRangeCoherencyModeCoarseGrain, "memory of a device");
  EXPECT(asked(coherency, host, size) == hipMemRangeCoherencyModeFineGrain, "memory of the host");
  EXPECT(asked(coherency, managed, size) == hipMemRangeCoherencyModeFineGrain, "managed memory");
  CK(hipMemAdvise(managed, page, hipMemAdviseSetCoarseGrain, 0));
  EXPECT(asked(coherency, managed, size) == hipMemRangeCoherencyModeIndeterminate, "a page of it is coarse");

  int value[2] = {77, 77};
  void* data[] = {&value[0], &value[1]};
  size_t sizes[] = {4, 4};
  hipMemRangeAttribute both[] = {read_mostly, prefetched};
  CK(hipMemRangeGetAttributes(data, sizes, both, 2, managed, page));
  EXPECT(value[0] == 1 && value[1] == 0, "%d and %d", value[0], value[1]);
  const hipError_t wrong = hipErrorInvalidValue;
  EXPECT_ERROR(hipMemRangeGetAttribute(value, 0, read_mostly, managed, size), wrong);
  EXPECT_ERROR(hipMemRangeGetAttribute(value, 6, read_mostly, managed, size), wrong);
  EXPECT_ERROR(hipMemRangeGetAttribute(value, 8, read_mostly, managed, size), wrong);
  EXPECT_ERROR(hipMemRangeGetAttribute(value, 4, read_mostly, nullptr, size), wrong);
  EXPECT_ERROR(hipMemRangeGetAttribute(value, 4, read_mostly, managed, 0), wrong);
  EXPECT_ERROR(hipMemRangeGetAttribute(value, 4, read_mostly, managed, size + 1), wrong);
  EXPECT_ERROR(hipMemRangeGetAttribute(value, 4, read_mostly, host, size), wrong);
  EXPECT_ERROR(hipMemRangeGetAttribute(value, 4, (hipMemRangeAttribute)5, managed, size), wrong);

  size_t available, total;
  void* too_much;
  CK(hipMemGetInfo(&available, &total));
  EXPECT_ERROR(hipMallocManaged(&too_much, available + 4096), hipErrorOutOfMemory);
  (void)hipGetLastError();
  CK(hipFree(managed));
  CK(hipFree(device));
  CK(hipHostFree(host));
  return verdict("advice");
}
