// What a program asks a device about itself, and the errors of calls that make no sense.
#include "check.h"

__global__ void empty() {}

int main() {
  int count = 0, device = -1, value = 0;
  CK(hipGetDeviceCount(&count));
  EXPECT(count >= 1, "%d devices", count);
  CK(hipSetDevice(0));
  CK(hipGetDevice(&device));
  EXPECT(device == 0, "device %d", device);
  hipDeviceProp_t p;
  memset(&p, 0, sizeof p);
  CK(hipGetDeviceProperties(&p, 0));
  EXPECT(strncmp(p.gcnArchName, "gfx", 3) == 0, "gcnArchName '%s'", p.gcnArchName);
  EXPECT(p.name[0] != 0, "no name");
  EXPECT(p.warpSize == 64, "warpSize %d", p.warpSize);
  EXPECT(p.maxThreadsPerBlock == 1024, "maxThreadsPerBlock %d", p.maxThreadsPerBlock);
  EXPECT(p.sharedMemPerBlock == 65536, "sharedMemPerBlock %zu", p.sharedMemPerBlock);
  EXPECT(p.multiProcessorCount > 0 && p.totalGlobalMem > 0 && p.clockRate > 0, "%d CUs, %zu bytes, %d kHz",
         p.multiProcessorCount, p.totalGlobalMem, p.clockRate);
  CK(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0));
  EXPECT(value == p.multiProcessorCount, "attribute %d", value);
  CK(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
  EXPECT(value == p.warpSize, "attribute %d", value);
  uint32_t* flush = nullptr;
  CK(hipDeviceGetAttribute((int*)&flush, hipDeviceAttributeHdpMemFlushCntl, 0));
  EXPECT(flush && flush == p.hdpMemFlushCntl, "%p, %p", (void*)flush, (void*)p.hdpMemFlushCntl);
  CK(hipDeviceGetAttribute((int*)&flush, hipDeviceAttributeHdpRegFlushCntl, 0));
  EXPECT(flush == p.hdpMemFlushCntl + 1 && flush == p.hdpRegFlushCntl, "%p, %p", (void*)flush, (void*)p.hdpRegFlushCntl);
  CK(hipRuntimeGetVersion(&value));
  EXPECT(value > 0, "version %d", value);

  EXPECT_ERROR(hipSetDevice(count), hipErrorInvalidDevice);
  EXPECT_ERROR(hipGetDeviceProperties(&p, -1), hipErrorInvalidDevice);
  (void)hipGetLastError();
  empty<<<1, 2048>>>();
  EXPECT(hipGetLastError() != hipSuccess, "2,048 threads a block were accepted");
  EXPECT_ERROR(hipGetLastError(), hipSuccess);
  empty<<<1, 64, 1 << 20>>>();
  EXPECT(hipGetLastError() != hipSuccess, "1 MiB of LDS was accepted");
  EXPECT_ERROR(hipLaunchKernel((const void*)&check_failures, dim3(1), dim3(1), nullptr, 0, 0), hipErrorInvalidDeviceFunction);
  (void)hipGetLastError();
  EXPECT(strcmp(hipGetErrorName(hipErrorOutOfMemory), "hipErrorOutOfMemory") == 0, "%s", hipGetErrorName(hipErrorOutOfMemory));
  EXPECT(strlen(hipGetErrorString(hipErrorInvalidValue)) > 0, "no text");
  empty<<<1, 64>>>();
  SYNC();
  return verdict("properties");
}
