// Launches of the program's own kernels in every form, what is known of a kernel, and how many blocks of it fit; and what is
// refused.
//@ only-opt: 3
//@ flags: -std=c++17
#include "api.h"
#include <hip/hip_ext.h>

__global__ void scale(int* values, int factor) { values[blockIdx.x * blockDim.x + threadIdx.x] *= factor; }
__global__ void reverse(int* values) {
  extern __shared__ int lds[];
  lds[threadIdx.x] = threadIdx.x;
  __syncthreads();
  values[threadIdx.x] = lds[blockDim.x - 1 - threadIdx.x];
}
__global__ void fixed(int* values) {
  __shared__ int lds[128];
  lds[threadIdx.x % 128] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = lds[(threadIdx.x + 1) % 128];
}
__global__ void __launch_bounds__(64) small(int* values) { values[threadIdx.x]++; }
static void not_a_kernel() {}

static int* device;
static hipStream_t stream;

static void forms() {
  int factor = 3, want = 5;
  void* arguments[] = {&device, &factor};
  CK(hipMemsetD32(device, 5, 64));
  auto done = [&](int times) {
    CK(hipDeviceSynchronize());
    while (times--) want *= 3;
    return api_read<int>(device + 63) == want && api_read<int>(device) == want;
  };
  hipEvent_t start, stop;
  CK(hipEventCreate(&start));
  CK(hipEventCreate(&stop));
  for (hipStream_t s : {stream, (hipStream_t) nullptr, hipStreamPerThread}) {
    // AMD's crashes when events of such a launch are waited for in another stream.
    if (s != stream && !api_ours()) continue;
    OK(hipLaunchKernel((void*)scale, dim3(2), dim3(32), arguments, 0, s));
    IS(done(1));
    OK(hipExtLaunchKernel((void*)scale, dim3(1), dim3(64), arguments, 0, s, start, stop, 0));
    IS(done(1));
    float ms = -1;
    OK(hipEventElapsedTime(&ms, start, stop));
    IS(ms >= 0);
    OK(hipExtLaunchKernel((void*)scale, dim3(1), dim3(64), arguments, 0, s, nullptr, nullptr, hipExtAnyOrderLaunch));
    IS(done(1));
    OK(hipLaunchCooperativeKernel((void*)scale, dim3(2), dim3(32), arguments, 0, s));
    IS(done(1));
    // As the first compilers launched: a configuration, the arguments, the function.
    OK(hipConfigureCall(dim3(2), dim3(32), 0, s));
    OK(hipSetupArgument(&device, sizeof device, 0));
    OK(hipSetupArgument(&factor, sizeof factor, sizeof device));
    OK(hipLaunchByPtr((void*)scale));
    IS(done(1));
    scale<<<2, 32, 0, s>>>(device, factor);
    OK(hipGetLastError());
    IS(done(1));
    hipLaunchKernelGGL(scale, dim3(2), dim3(32), 0, s, device, factor);
    OK(hipGetLastError());
    IS(done(1));
  }
  OK(hipLaunchKernel_spt((void*)scale, dim3(2), dim3(32), arguments, 0, nullptr));
  IS(done(1));
  OK(hipLaunchCooperativeKernel_spt((void*)scale, dim3(2), dim3(32), arguments, 0, nullptr));
  IS(done(1));
  dim3 grid, block;
  size_t shared;
  hipStream_t in;
  OK(__hipPushCallConfiguration(dim3(1, 2, 3), dim3(4, 5, 6), 77, stream));
  OK(__hipPopCallConfiguration(&grid, &block, &shared, &in));
  IS(grid.x == 1 && grid.y == 2 && grid.z == 3 && block.x == 4 && block.y == 5 && block.z == 6 && shared == 77 && in == stream);
  void* one[] = {&device};
  OK(hipLaunchKernel((void*)reverse, dim3(1), dim3(64), one, 256, stream));
  OK(hipStreamSynchronize(stream));
  EQ(api_read<int>(device), 63);
  EQ(strcmp(hipKernelNameRefByPtr((void*)scale, stream), "_Z5scalePii"), 0);
  CK(hipEventDestroy(stop));
  CK(hipEventDestroy(start));
}

static void refused() {
  int factor = 3;
  void* arguments[] = {&device, &factor};
  for (void* bad : {(void*)nullptr, (void*)not_a_kernel}) {
    E(InvalidDeviceFunction, hipLaunchKernel(bad, dim3(1), dim3(64), arguments, 0, stream));
    E(InvalidDeviceFunction, hipExtLaunchKernel(bad, dim3(1), dim3(64), arguments, 0, stream, nullptr, nullptr, 0));
    E(InvalidSymbol, hipLaunchCooperativeKernel(bad, dim3(1), dim3(64), arguments, 0, stream));
  }
  const dim3 blocks[] = {dim3(1025), dim3(64, 64), dim3(1, 1, 1025)}, none[] = {dim3(0), dim3(64, 0), dim3(64, 1, 0)};
  for (dim3 block : blocks) {
    E(InvalidConfiguration, hipLaunchKernel((void*)scale, dim3(1), block, arguments, 0, stream));
    E(InvalidConfiguration, hipExtLaunchKernel((void*)scale, dim3(1), block, arguments, 0, stream, nullptr, nullptr, 0));
    E(InvalidConfiguration, hipLaunchCooperativeKernel((void*)scale, dim3(1), block, arguments, 0, stream));
  }
  for (dim3 block : none) {
    E(InvalidValue, hipLaunchKernel((void*)scale, dim3(1), block, arguments, 0, stream));
    E(InvalidValue, hipExtLaunchKernel((void*)scale, dim3(1), block, arguments, 0, stream, nullptr, nullptr, 0));
    E(InvalidValue, hipLaunchCooperativeKernel((void*)scale, dim3(1), block, arguments, 0, stream));
  }
  for (dim3 grid : {dim3(0), dim3(1, 0), dim3(1, 1, 0)}) {
    E(InvalidValue, hipLaunchKernel((void*)scale, grid, dim3(64), arguments, 0, stream));
    E(InvalidValue, hipLaunchCooperativeKernel((void*)scale, grid, dim3(64), arguments, 0, stream));
  }
  E(OutOfMemory, hipLaunchKernel((void*)scale, dim3(1), dim3(64), arguments, 1 << 20, stream));
  E(CooperativeLaunchTooLarge, hipLaunchCooperativeKernel((void*)scale, dim3(1 << 20), dim3(1024), arguments, 0, stream));
  void* one[] = {&device};
  E(LaunchFailure, hipLaunchKernel((void*)small, dim3(1), dim3(128), one, 0, stream));
  ONLY_OURS("AMD's crashes") E(MissingConfiguration, hipLaunchByPtr((void*)not_a_kernel));
}

static void known() {
  hipFuncAttributes a = {};
  OK(hipFuncGetAttributes(&a, (void*)scale));
  EQ(a.maxThreadsPerBlock, 1024);
  EQ(a.sharedSizeBytes, 0u);
  IS(a.numRegs > 0);
  OK(hipFuncGetAttributes(&a, (void*)fixed));
  EQ(a.sharedSizeBytes, 512u);
  OK(hipFuncGetAttributes(&a, (void*)small));
  EQ(a.maxThreadsPerBlock, 64);
  E(InvalidValue, hipFuncGetAttributes(nullptr, (void*)scale));
  DIFFERS(InvalidDeviceFunction, InvalidValue, "no kernel", hipFuncGetAttributes(&a, nullptr));
  DIFFERS(InvalidDeviceFunction, InvalidSymbol, "no kernel", hipFuncGetAttributes(&a, (void*)not_a_kernel));
  for (auto config : {hipFuncCachePreferNone, hipFuncCachePreferShared, hipFuncCachePreferL1, hipFuncCachePreferEqual})
    OK(hipFuncSetCacheConfig((void*)scale, config));
  for (auto config : {hipSharedMemBankSizeDefault, hipSharedMemBankSizeFourByte, hipSharedMemBankSizeEightByte})
    OK(hipFuncSetSharedMemConfig((void*)scale, config));
  OK(hipFuncSetAttribute((void*)scale, hipFuncAttributeMaxDynamicSharedMemorySize, 1024));
  OK(hipFuncSetAttribute((void*)scale, hipFuncAttributePreferredSharedMemoryCarveout, 50));
  DIFFERS(InvalidDeviceFunction, Success, "no kernel", hipFuncSetAttribute(nullptr, hipFuncAttributeMaxDynamicSharedMemorySize, 1024));
  DIFFERS(InvalidValue, Success, "no such attribute", hipFuncSetAttribute((void*)scale, (hipFuncAttribute)99, 1));
  OK(hipFuncSetCacheConfig((void*)nullptr, hipFuncCachePreferL1));
  OK(hipFuncSetSharedMemConfig((void*)nullptr, hipSharedMemBankSizeDefault));
}

static void occupancy() {
  int blocks = 0, other = 0, grid = 0, block = 0;
  for (int size : {1, 64, 128, 256, 512, 1024}) {
    OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void*)scale, size, 0));
    IS(blocks > 0);
    OK(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&other, (void*)scale, size, 0, hipOccupancyDefault));
    EQ(other, blocks);
    // LDS holds fewer of them.
    OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&other, (void*)scale, size, 32768));
    IS(other <= blocks && other <= 2);
  }
  OK(hipOccupancyMaxPotentialBlockSize(&grid, &block, (void*)scale, 0, 0));
  IS(grid > 0 && block > 0 && block <= 1024);
  OK(hipOccupancyMaxPotentialBlockSize(&grid, &block, (void*)scale, 0, 256));
  IS(grid > 0 && block <= 256);
  OK(hipOccupancyMaxPotentialBlockSize(&grid, &block, (void*)small, 0, 0));
  ONLY_OURS("AMD's forgets the bounds of the kernel") IS(block <= 64);
  E(InvalidValue, hipOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, (void*)scale, 64, 0));
  DIFFERS(InvalidDeviceFunction, InvalidValue, "no kernel", hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void*)nullptr, 64, 0));
  DIFFERS(InvalidDeviceFunction, InvalidValue, "no kernel", hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void*)not_a_kernel, 64, 0));
  E(InvalidValue, hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void*)scale, 0, 0));
  E(InvalidValue, hipOccupancyMaxPotentialBlockSize((int*)nullptr, &block, (void*)scale, 0, 0));
  E(InvalidValue, hipOccupancyMaxPotentialBlockSize(&grid, (int*)nullptr, (void*)scale, 0, 0));
  DIFFERS(InvalidDeviceFunction, InvalidValue, "no kernel", hipOccupancyMaxPotentialBlockSize(&grid, &block, (void*)nullptr, 0, 0));
  DIFFERS(InvalidDeviceFunction, InvalidValue, "no kernel", hipOccupancyMaxPotentialBlockSize(&grid, &block, (void*)not_a_kernel, 0, 0));
}

int main() {
  CK(hipMalloc((void**)&device, 4096));
  CK(hipStreamCreate(&stream));
  forms();
  refused();
  known();
  occupancy();
  OK(hipDeviceSynchronize());
  CK(hipStreamDestroy(stream));
  CK(hipFree(device));
  return api_verdict("api_launch");
}
