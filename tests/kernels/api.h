// What the api_*.hip programs share: tables of calls, one a row, with the error that each must give. A row counts as a check;
// one that fails prints its place, its text, what it gave and what it should give. How to add rows: docs/hip/api-tests.md.
#pragma once
#include <dlfcn.h>

#include "check.h"

#include <type_traits>

static int api_checks = 0;

// For rows whose outcome is a word: E(Success, ...) reads like the others.
#define hipErrorSuccess hipSuccess

// Around each row; a program that looks for rows that kill AMD's library defines it otherwise.
#ifndef API_ROW
#define API_ROW(...) __VA_ARGS__
#endif

// The call gives hipErrorNAME: E(InvalidValue, hipMalloc(nullptr, 16)).
#define E(name, ...) API_ROW(api_gives(__FILE__, __LINE__, #__VA_ARGS__, (__VA_ARGS__), hipError##name))
// The call gives the first; AMD's HIP 5.2.3 gives the second, for the reason that stands there.
#define DIFFERS(name, amds, why, ...) \
  API_ROW(api_gives(__FILE__, __LINE__, #__VA_ARGS__, (__VA_ARGS__), api_ours() ? hipError##name : hipError##amds))
// The call succeeds.
#define OK(...) API_ROW(api_gives(__FILE__, __LINE__, #__VA_ARGS__, (__VA_ARGS__), hipSuccess))
// The condition holds: what a call did.
#define IS(...) API_ROW(api_holds(__FILE__, __LINE__, #__VA_ARGS__, (__VA_ARGS__)))
// The two are equal; both are printed.
#define EQ(got, want) API_ROW(api_equal(__FILE__, __LINE__, #got, (got), (want)))
// A block of rows for our library alone: AMD's crashes there, or does what HIP's documentation forbids. Says why.
#define ONLY_OURS(why) if (api_ours())

// Whether the library is ours, as the name tells that HIP 5's never had; not whether the device is emulated.
static inline bool api_ours() {
  static const bool ours = dlsym(RTLD_DEFAULT, "hipGetDevicePropertiesR0600") != nullptr;
  return ours;
}

static inline bool api_counts(const char* file, int line, const char* what, bool good) {
  api_checks++;
  if (good || ++check_failures > 200) return false;
  const char* name = strrchr(file, '/');
  fprintf(stderr, "%s:%d: %s ", name ? name + 1 : file, line, what);
  return true;
}

static inline void api_gives(const char* file, int line, const char* call, hipError_t got, hipError_t want) {
  if (api_counts(file, line, call, got == want)) fprintf(stderr, "gave %s, not %s\n", hipGetErrorName(got), hipGetErrorName(want));
  // The next row begins without an error.
  (void)hipGetLastError();
}

static inline void api_holds(const char* file, int line, const char* cond, bool holds) {
  if (api_counts(file, line, cond, holds)) fprintf(stderr, "does not hold\n");
}

template <class A, class B> static void api_equal(const char* file, int line, const char* what, A got, B want) {
  if (!api_counts(file, line, what, got == (A)want)) return;
  if constexpr (std::is_pointer_v<A>)
    fprintf(stderr, "is %p, not %p\n", (void*)got, (void*)(A)want);
  else
    fprintf(stderr, "is %.17g, not %.17g\n", (double)got, (double)(A)want);
}

// The last line of a program, and its status.
static inline int api_verdict(const char* name) {
  printf("%d checks\n", api_checks);
  return verdict(name);
}

// A stream that captures while it lives; the graph goes with it.
struct Capturing {
  hipStream_t stream = nullptr;
  Capturing() {
    CK(hipStreamCreate(&stream));
    CK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  }
  operator hipStream_t() const { return stream; }
  ~Capturing() {
    hipGraph_t graph = nullptr;
    (void)hipStreamEndCapture(stream, &graph);
    if (graph) (void)hipGraphDestroy(graph);
    (void)hipStreamDestroy(stream);
    (void)hipGetLastError();
  }
};

// What the host reads of device memory.
template <class T> static T api_read(const void* device) {
  T value = {};
  (void)hipMemcpy(&value, device, sizeof value, hipMemcpyDeviceToHost);
  return value;
}
