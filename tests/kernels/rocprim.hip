//@ package: librocprim-dev
//@ flags: -std=c++17
//@ ours: it takes long on AMD's libraries, where it passes too
//@ run-on: gfx90a
//@ only-cc: hipcc
//@ only-opt: 3
// Debian's rocPRIM, a library of headers: its device-wide primitives against the host's answers, with sizes that fill one
// block, many, and end in the middle of one. They lean on what wave programs seldom use: DPP scans, decoupled look-back
// between work-groups, atomics in LDS.
#include "check.h"

#include <iostream>

#include <rocprim/device/device_histogram.hpp>
#include <rocprim/device/device_radix_sort.hpp>
#include <rocprim/device/device_reduce.hpp>
#include <rocprim/device/device_scan.hpp>
#include <rocprim/device/device_select.hpp>

#include <algorithm>
#include <numeric>

// Asks for the size of the temporary storage, then calls with it.
template <class F> static void primitive(F call) {
  size_t bytes = 0;
  void* storage = nullptr;
  CK(call(storage, bytes));
  CK(hipMalloc(&storage, bytes));
  CK(call(storage, bytes));
  SYNC();
  CK(hipFree(storage));
}

template <class T> static T* room(size_t n) { return to_device(std::vector<T>(n, T(0x55))); }

template <class T> static void compare(const char* what, size_t n, const T* device, const std::vector<T>& want) {
  auto got = to_host(device, want.size());
  size_t i = std::mismatch(want.begin(), want.end(), got.begin()).first - want.begin();
  EXPECT(i == want.size(), "%s of %zu: element %zu is %lld, not %lld", what, n, i, (long long)got[i], (long long)want[i]);
  CK(hipFree((void*)device));
}

static void scan(size_t n, const std::vector<int>& in, const int* device) {
  std::vector<int> want(n);
  int* out = room<int>(n);
  std::partial_sum(in.begin(), in.end(), want.begin());
  primitive([&](void* storage, size_t& bytes) {
    return rocprim::inclusive_scan(storage, bytes, device, out, n, rocprim::plus<int>());
  });
  compare("inclusive scan", n, out, want);

  long long *wide = room<long long>(n), sum = 1000;
  std::vector<long long> want_wide(n);
  for (size_t i = 0; i < n; sum += in[i], i++) want_wide[i] = sum;
  primitive([&](void* storage, size_t& bytes) {
    return rocprim::exclusive_scan(storage, bytes, device, wide, 1000ll, n, rocprim::plus<long long>());
  });
  compare("exclusive scan", n, wide, want_wide);
}

static void reduce(size_t n, const std::vector<int>& in, const int* device) {
  int* out = room<int>(2);
  primitive([&](void* storage, size_t& bytes) {
    return rocprim::reduce(storage, bytes, device, out, 0, n, rocprim::plus<int>());
  });
  primitive([&](void* storage, size_t& bytes) {
    return rocprim::reduce(storage, bytes, device, out + 1, 7, n, rocprim::minimum<int>());
  });
  int sum = std::accumulate(in.begin(), in.end(), 0), least = std::min(7, *std::min_element(in.begin(), in.end()));
  compare("reduce", n, out, {sum, least});
}

static void sort(size_t n, const std::vector<int>& in, const int* device) {
  std::vector<unsigned> order(n), want_values(n);
  std::iota(order.begin(), order.end(), 0);
  unsigned* values = to_device(order);
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return in[a] < in[b]; });
  std::vector<int> want(n);
  for (size_t i = 0; i < n; i++) want[i] = in[order[i]];
  int* keys_out = room<int>(n);
  unsigned* values_out = room<unsigned>(n);
  primitive([&](void* storage, size_t& bytes) {
    return rocprim::radix_sort_pairs(storage, bytes, device, keys_out, values, values_out, n);
  });
  compare("keys of a sort", n, keys_out, want);
  compare("values of a sort", n, values_out, order);
  CK(hipFree(values));
}

static void select(size_t n, const std::vector<int>& in, const int* device) {
  std::vector<int> want;
  for (int value : in)
    if (value % 3 == 0) want.push_back(value);
  int* out = room<int>(n);
  unsigned* count = room<unsigned>(1);
  primitive([&](void* storage, size_t& bytes) {
    return rocprim::select(storage, bytes, device, out, count, n,
                           [] __device__(int value) { return value % 3 == 0; });
  });
  compare("number of the selected", n, count, {(unsigned)want.size()});
  compare("select", n, out, want);
}

static void histogram(size_t n, const std::vector<int>& in, const int* device) {
  const unsigned bins = 50;
  std::vector<unsigned> want(bins);
  for (int value : in)
    if (value >= -1000 && value < 1000) want[(value + 1000) / 40]++;
  unsigned* out = room<unsigned>(bins);
  primitive([&](void* storage, size_t& bytes) {
    return rocprim::histogram_even(storage, bytes, device, (unsigned)n, out, bins + 1, -1000, 1000);
  });
  compare("histogram", n, out, want);
}

int main() {
  Lcg lcg(5);
  for (size_t n : {1, 1000, 4096, 100003}) {
    std::vector<int> in(n);
    for (int& value : in) value = (int)(lcg.next() >> 16) % 4001 - 2000;
    const int* device = to_device(in);
    scan(n, in, device);
    reduce(n, in, device);
    sort(n, in, device);
    select(n, in, device);
    histogram(n, in, device);
    CK(hipFree((void*)device));
  }
  return verdict("rocprim");
}
