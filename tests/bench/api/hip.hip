// What calls of a HIP runtime take, in microseconds: one line each, `NAME: MICROSECONDS`. The best of several rounds
// counts, since whatever else the machine does only adds.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int ROUNDS = 5;
constexpr int MANY = 2000;
constexpr int STREAMS = 8;
constexpr int LAUNCHES = 10000;
constexpr size_t BYTES = size_t(64) << 20;

static void check(hipError_t error, int line) {
  if (error == hipSuccess) return;
  fprintf(stderr, "%s:%d: %s\n", __FILE__, line, hipGetErrorString(error));
  exit(1);
}
#define CHECK(call) check((call), __LINE__)

__global__ void empty() {}

static double now() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <typename Body>
static void best(const char *what, int count, Body body) {
  double least = 1e30;
  for (int round = 0; round < ROUNDS; round++) {
    double began = now();
    body();
    least = std::min(least, (now() - began) / count);
  }
  printf("%s: %.3f\n", what, least);
  fflush(stdout);
}

int main() {
  double began = now();
  empty<<<1, 64>>>();
  CHECK(hipDeviceSynchronize());
  printf("first launch: %.3f\n", now() - began);

  best("empty kernel, launch and synchronize", MANY, [] {
    for (int i = 0; i < MANY; i++) {
      empty<<<1, 64>>>();
      CHECK(hipDeviceSynchronize());
    }
  });
  std::vector<hipStream_t> streams(STREAMS);
  for (hipStream_t &stream : streams) CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  best("empty kernels, 10,000 on 8 streams, each", LAUNCHES, [&] {
    for (int i = 0; i < LAUNCHES; i++) empty<<<1, 64, 0, streams[i % STREAMS]>>>();
    CHECK(hipDeviceSynchronize());
  });
  for (hipStream_t stream : streams) CHECK(hipStreamDestroy(stream));

  void *memory;
  best("hipMalloc and hipFree of 4 KB", MANY, [&] {
    for (int i = 0; i < MANY; i++) {
      CHECK(hipMalloc(&memory, 4096));
      CHECK(hipFree(memory));
    }
  });
  best("hipMalloc and hipFree of 64 MB", 20, [&] {
    for (int i = 0; i < 20; i++) {
      CHECK(hipMalloc(&memory, BYTES));
      CHECK(hipFree(memory));
    }
  });
  std::vector<char> host(BYTES, 1);
  CHECK(hipMalloc(&memory, BYTES));
  best("hipMemcpy of 64 MB to the device", 1, [&] { CHECK(hipMemcpy(memory, host.data(), BYTES, hipMemcpyHostToDevice)); });
  best("hipMemcpy of 64 MB to the host", 1, [&] { CHECK(hipMemcpy(host.data(), memory, BYTES, hipMemcpyDeviceToHost)); });
  best("hipMemcpy of 4 KB to the device", MANY, [&] {
    for (int i = 0; i < MANY; i++) CHECK(hipMemcpy(memory, host.data(), 4096, hipMemcpyHostToDevice));
  });
  hipEvent_t event;
  CHECK(hipEventCreate(&event));
  best("event, record and synchronize", MANY, [&] {
    for (int i = 0; i < MANY; i++) {
      CHECK(hipEventRecord(event, nullptr));
      CHECK(hipEventSynchronize(event));
    }
  });
  return 0;
}
