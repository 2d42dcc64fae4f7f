// What the self-checking programs share: a checked call, a counted expectation, and the verdict line.
#pragma once
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

// A HIP call that must succeed; the program ends with status 2 otherwise.
#define CK(call)                                                                                       \
  do {                                                                                                 \
    hipError_t check_e = (call);                                                                       \
    if (check_e != hipSuccess) {                                                                       \
      fprintf(stderr, "%s:%d: %s gave %d (%s)\n", __FILE__, __LINE__, #call, (int)check_e,             \
              hipGetErrorString(check_e));                                                             \
      exit(2);                                                                                         \
    }                                                                                                  \
  } while (0)

// A launch that must be accepted, run to completion and leave no error.
#define SYNC()                   \
  do {                           \
    CK(hipGetLastError());       \
    CK(hipDeviceSynchronize());  \
  } while (0)

static int check_failures = 0;

// Counts a failed expectation, and describes the first few.
#define EXPECT(cond, ...)                                              \
  do {                                                                 \
    if (!(cond) && ++check_failures <= 10) {                           \
      fprintf(stderr, "%s:%d: expected %s: ", __FILE__, __LINE__, #cond); \
      fprintf(stderr, __VA_ARGS__);                                    \
      fputc('\n', stderr);                                             \
    }                                                                  \
  } while (0)

// A HIP call that must give exactly this error.
#define EXPECT_ERROR(call, code)                                                                     \
  do {                                                                                               \
    hipError_t check_e = (call);                                                                     \
    EXPECT(check_e == (code), "%s gave %d (%s), not %d", #call, (int)check_e, hipGetErrorName(check_e), \
           (int)(code));                                                                             \
  } while (0)

static inline int verdict(const char* name) {
  if (check_failures)
    printf("FAIL %s: %d expectations\n", name, check_failures);
  else
    printf("PASS %s\n", name);
  return check_failures != 0;
}

// Device memory with the contents of a host vector, and back.
template <class T> static T* to_device(const std::vector<T>& host) {
  T* device = nullptr;
  CK(hipMalloc((void**)&device, host.size() * sizeof(T)));
  CK(hipMemcpy(device, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice));
  return device;
}
template <class T> static std::vector<T> to_host(const T* device, size_t n) {
  std::vector<T> host(n);
  CK(hipMemcpy(host.data(), device, n * sizeof(T), hipMemcpyDeviceToHost));
  return host;
}

// The same numbers on every machine.
struct Lcg {
  unsigned state;
  explicit Lcg(unsigned seed) : state(seed) {}
  unsigned next() { return state = state * 1664525u + 1013904223u; }
  unsigned long long next64() {
    unsigned long long high = next() ^ (next() >> 16);
    return high << 32 | (next() ^ (next() >> 16));
  }
  // In [0, 1).
  double unit() { return (next() >> 8) / 16777216.0; }
};
