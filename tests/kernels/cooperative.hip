// Cooperative launches: work-groups of a grid wait for each other, and grids on two devices do.
//@ devices: 2
#include "check.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

// In each round every work-item takes what its neighbour, half the grid away, had in the round before.
__global__ void turn(unsigned* even, unsigned* odd, unsigned* sizes, unsigned rounds) {
  cg::grid_group grid = cg::this_grid();
  unsigned i = grid.thread_rank(), n = grid.size();
  for (unsigned round = 0; round < rounds; ++round) {
    unsigned *from = round & 1 ? odd : even, *to = round & 1 ? even : odd;
    to[i] = from[(i + n / 2) % n] + 1;
    grid.sync();
  }
  if (i == 0) sizes[0] = n, sizes[1] = grid.is_valid();
}

__global__ void add(unsigned* values, unsigned n, unsigned what) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += what;
}

// Each grid marks, all meet, each counts the marks of all.
__global__ void meet(volatile unsigned* marks, unsigned* seen, unsigned rounds) {
  cg::multi_grid_group all = cg::this_multi_grid();
  unsigned i = all.thread_rank(), n = all.size(), count = 0;
  for (unsigned round = 1; round <= rounds; ++round) {
    marks[i] = round;
    all.sync();
    if (i % blockDim.x == 0)
      for (unsigned k = 0; k < n; ++k) count += marks[k] == round;
    all.sync();
  }
  if (i % blockDim.x == 0) seen[i / blockDim.x] = count;
  if (i == 0) seen[n] = n, seen[n + 1] = all.num_grids(), seen[n + 2] = all.is_valid();
  if (threadIdx.x == 0 && blockIdx.x == 0) seen[n + 3 + all.grid_rank()] = all.grid_rank() + 1;
}

static void one_grid(hipStream_t stream, unsigned groups, unsigned block) {
  unsigned n = groups * block, rounds = 9;
  std::vector<unsigned> begin(n);
  for (unsigned i = 0; i < n; ++i) begin[i] = i;
  unsigned *even = to_device(begin), *odd = to_device(begin), *sizes;
  CK(hipMalloc((void**)&sizes, 8));
  // What is before it in the stream is done before, and what is after it after.
  add<<<(n + 63) / 64, 64, 0, stream>>>(even, n, 100);
  void* args[] = {&even, &odd, &sizes, &rounds};
  for (int twice = 0; twice < 2; ++twice) {
    CK(hipLaunchCooperativeKernel((void*)turn, dim3(groups), dim3(block), args, 0, stream));
    add<<<(n + 63) / 64, 64, 0, stream>>>(odd, n, 1000);
    std::swap(even, odd);
  }
  std::vector<unsigned> got(n), told(2), expected(n), next(n);
  CK(hipMemcpyAsync(got.data(), even, n * 4, hipMemcpyDeviceToHost, stream));
  CK(hipMemcpyAsync(told.data(), sizes, 8, hipMemcpyDeviceToHost, stream));
  CK(hipStreamSynchronize(stream));
  for (unsigned i = 0; i < n; ++i) expected[i] = i + 100;
  for (int twice = 0; twice < 2; ++twice) {
    for (unsigned round = 0; round < rounds; ++round) {
      for (unsigned i = 0; i < n; ++i) next[i] = expected[(i + n / 2) % n] + 1;
      expected = next;
    }
    for (unsigned& value : expected) value += 1000;
  }
  for (unsigned i = 0; i < n; ++i) EXPECT(got[i] == expected[i], "%u: %u, not %u", i, got[i], expected[i]);
  EXPECT(told[0] == n && told[1] == 1, "size %u, valid %u", told[0], told[1]);
  CK(hipFree(even));
  CK(hipFree(odd));
  CK(hipFree(sizes));
}

static void two_devices() {
  const unsigned groups = 6, block = 64, n = 2 * groups * block, rounds = 5;
  unsigned *marks, *seen;
  CK(hipHostMalloc((void**)&marks, n * 4, hipHostMallocPortable));
  CK(hipHostMalloc((void**)&seen, (n + 8) * 4, hipHostMallocPortable));
  memset(seen, 0, (n + 8) * 4);
  unsigned r = rounds;
  void* args[] = {&marks, &seen, &r};
  hipLaunchParams parts[2];
  for (int device = 0; device < 2; ++device) {
    CK(hipSetDevice(device));
    parts[device] = {(void*)meet, dim3(groups), dim3(block), args, 0, nullptr};
    CK(hipStreamCreateWithFlags(&parts[device].stream, hipStreamNonBlocking));
  }
  CK(hipSetDevice(0));
  for (unsigned flags = 0; flags < 4; ++flags) {
    memset(seen, 0, (n + 8) * 4);
    CK(hipLaunchCooperativeKernelMultiDevice(parts, 2, flags));
    for (auto& part : parts) CK(hipStreamSynchronize(part.stream));
    for (unsigned g = 0; g < 2 * groups; ++g)
      EXPECT(seen[g] == n * rounds, "flags %u, group %u saw %u marks, not %u", flags, g, seen[g], n * rounds);
    EXPECT(seen[n] == n && seen[n + 1] == 2 && seen[n + 2] == 1, "%u work-items of %u grids", seen[n], seen[n + 1]);
    EXPECT(seen[n + 3] == 1 && seen[n + 4] == 2, "ranks %u and %u", seen[n + 3], seen[n + 4]);
  }

  EXPECT_ERROR(hipLaunchCooperativeKernelMultiDevice(parts, 3, 0), hipErrorInvalidValue);
  EXPECT_ERROR(hipLaunchCooperativeKernelMultiDevice(nullptr, 2, 0), hipErrorInvalidValue);
  hipLaunchParams wrong[2] = {parts[0], parts[0]};
  EXPECT_ERROR(hipLaunchCooperativeKernelMultiDevice(wrong, 2, 0), hipErrorInvalidDevice);
  wrong[1] = parts[1], wrong[1].stream = nullptr;
  EXPECT_ERROR(hipLaunchCooperativeKernelMultiDevice(wrong, 2, 0), hipErrorInvalidResourceHandle);
  wrong[1] = parts[1], wrong[1].blockDim = dim3(0);
  EXPECT_ERROR(hipLaunchCooperativeKernelMultiDevice(wrong, 2, 0), hipErrorInvalidConfiguration);

  // Kernels that do not wait for each other.
  unsigned count = n, what = 7;
  memset(marks, 0, n * 4);
  void* adding[] = {&marks, &count, &what};
  for (auto& part : parts) part.func = (void*)add, part.args = adding, part.gridDim = dim3(n / block);
  what = 1;
  CK(hipExtLaunchMultiKernelMultiDevice(parts, 1, 0));
  CK(hipExtLaunchMultiKernelMultiDevice(parts + 1, 1, 0));
  for (auto& part : parts) CK(hipStreamSynchronize(part.stream));
  for (unsigned k = 0; k < n; ++k) EXPECT(marks[k] == 2, "%u: %u", k, marks[k]);
  for (auto& part : parts) CK(hipStreamDestroy(part.stream));
  CK(hipHostFree(marks));
  CK(hipHostFree(seen));
}

int main() {
  hipDeviceProp_t properties;
  CK(hipGetDeviceProperties(&properties, 0));
  EXPECT(properties.cooperativeLaunch == 1 && properties.cooperativeMultiDeviceLaunch == 1, "not said to be there");
  hipStream_t stream, other;
  CK(hipStreamCreate(&stream));
  CK(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
  one_grid(nullptr, 4, 64);
  one_grid(stream, 25, 256);
  one_grid(other, 13, 100);
  one_grid(stream, 1, 64);

  unsigned *none = nullptr, rounds = 0;
  void* args[] = {&none, &none, &none, &rounds};
  int fit = 0;
  CK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&fit, (void*)turn, 256, 0));
  unsigned most = fit * properties.multiProcessorCount;
  EXPECT_ERROR(hipLaunchCooperativeKernel((void*)turn, dim3(most + 1), dim3(256), args, 0, stream),
               hipErrorCooperativeLaunchTooLarge);
  EXPECT_ERROR(hipLaunchCooperativeKernel((void*)turn, dim3(1), dim3(0), args, 0, stream), hipErrorInvalidValue);
  EXPECT_ERROR(hipLaunchCooperativeKernel((void*)nullptr, dim3(1), dim3(64), args, 0, stream), hipErrorInvalidSymbol);

  two_devices();
  CK(hipStreamDestroy(stream));
  CK(hipStreamDestroy(other));
  return verdict("cooperative");
}
