// Fills: by bytes, by larger elements, in two and three dimensions, in a stream; what they write, and nothing beside it.
//@ only-opt: 3
//@ flags: -std=c++17
#include "api.h"

constexpr size_t SIZE = 4096;
static unsigned char* memory;

// Whether `count` bytes from `at` hold a pattern, and those around it what was there before.
static bool only(size_t at, size_t count, unsigned pattern, size_t width) {
  static std::vector<unsigned char> host(SIZE);
  if (hipMemcpy(host.data(), memory, SIZE, hipMemcpyDeviceToHost) != hipSuccess) return false;
  for (size_t i = 0; i < SIZE; i++) {
    unsigned want = i >= at && i < at + count ? pattern >> 8 * ((i - at) % width) & 0xff : 0xee;
    if (host[i] != want) return false;
  }
  return true;
}

static void fresh() { (void)hipMemset(memory, 0xee, SIZE); }

static void linear(hipStream_t stream) {
  for (size_t at : {0, 16, 1024})
    for (size_t n : {1, 3, 64, 700}) {
      fresh();
      OK(hipMemset(memory + at, 0x1ab, n));
      IS(only(at, n, 0xab, 1));
      fresh();
      OK(hipMemsetAsync(memory + at, 0x17, n, stream));
      OK(hipStreamSynchronize(stream));
      IS(only(at, n, 0x17, 1));
      fresh();
      OK(hipMemsetD8(memory + at, 0x42, n));
      IS(only(at, n, 0x42, 1));
      fresh();
      OK(hipMemsetD8Async(memory + at, 0x43, n, stream));
      OK(hipStreamSynchronize(stream));
      IS(only(at, n, 0x43, 1));
      fresh();
      OK(hipMemsetD16(memory + at, 0xbeef, n));
      IS(only(at, 2 * n, 0xbeef, 2));
      fresh();
      OK(hipMemsetD16Async(memory + at, 0xcafe, n, stream));
      OK(hipStreamSynchronize(stream));
      IS(only(at, 2 * n, 0xcafe, 2));
      fresh();
      OK(hipMemsetD32(memory + at, 0x12345678, n));
      IS(only(at, 4 * n, 0x12345678, 4));
      fresh();
      OK(hipMemsetD32Async(memory + at, 0x9abcdef0, n, stream));
      OK(hipStreamSynchronize(stream));
      IS(only(at, 4 * n, 0x9abcdef0, 4));
    }
  // Nothing is a good size.
  fresh();
  OK(hipMemset(memory, 1, 0));
  OK(hipMemsetAsync(memory, 1, 0, stream));
  OK(hipMemsetD8(memory, 1, 0));
  OK(hipMemsetD16(memory, 1, 0));
  OK(hipMemsetD32(memory, 1, 0));
  OK(hipStreamSynchronize(stream));
  IS(only(0, 0, 0, 1));
  // No memory, or not so much.
  int local = 0;
  for (void* bad : {(void*)nullptr, (void*)&local}) {
    E(InvalidValue, hipMemset(bad, 1, 4));
    E(InvalidValue, hipMemsetAsync(bad, 1, 4, stream));
    E(InvalidValue, hipMemsetD8(bad, 1, 4));
    E(InvalidValue, hipMemsetD8Async(bad, 1, 4, stream));
    E(InvalidValue, hipMemsetD16(bad, 1, 2));
    E(InvalidValue, hipMemsetD16Async(bad, 1, 2, stream));
    E(InvalidValue, hipMemsetD32(bad, 1, 1));
    E(InvalidValue, hipMemsetD32Async(bad, 1, 1, stream));
  }
  E(InvalidValue, hipMemset(memory, 1, SIZE + 1));
  E(InvalidValue, hipMemsetAsync(memory, 1, SIZE + 1, stream));
  DIFFERS(InvalidValue, Success, "beyond the end", hipMemset(memory + 1, 1, SIZE));
  E(InvalidValue, hipMemsetD8(memory, 1, SIZE + 1));
  E(InvalidValue, hipMemsetD16(memory, 1, SIZE / 2 + 1));
  E(InvalidValue, hipMemsetD32(memory, 1, SIZE / 4 + 1));
}

static void boxes(hipStream_t stream) {
  constexpr size_t PITCH = 128;
  struct { size_t width, height; } flat[] = {{1, 1}, {5, 3}, {100, 7}, {128, 32}};
  std::vector<unsigned char> host(SIZE);
  auto holds = [&](size_t width, size_t height, size_t depth, size_t rows, unsigned value) {
    if (hipMemcpy(host.data(), memory, SIZE, hipMemcpyDeviceToHost) != hipSuccess) return false;
    for (size_t i = 0; i < SIZE; i++) {
      size_t x = i % PITCH, y = i / PITCH % rows, z = i / PITCH / rows;
      if (host[i] != (x < width && y < height && z < depth ? value : 0xee)) return false;
    }
    return true;
  };
  for (auto [width, height] : flat) {
    fresh();
    OK(hipMemset2D(memory, PITCH, 0x61, width, height));
    IS(holds(width, height, 1, 32, 0x61));
    fresh();
    OK(hipMemset2DAsync(memory, PITCH, 0x62, width, height, stream));
    OK(hipStreamSynchronize(stream));
    IS(holds(width, height, 1, 32, 0x62));
  }
  int local = 0;
  OK(hipMemset2D(memory, PITCH, 1, 0, 4));
  OK(hipMemset2D(memory, PITCH, 1, 4, 0));
  E(InvalidValue, hipMemset2D(nullptr, PITCH, 1, 4, 4));
  E(InvalidValue, hipMemset2D(&local, PITCH, 1, 4, 4));
  E(InvalidValue, hipMemset2D(memory, PITCH, 1, PITCH + 1, 4));
  E(InvalidValue, hipMemset2D(memory, PITCH, 1, 4, SIZE));
  E(InvalidValue, hipMemset2DAsync(nullptr, PITCH, 1, 4, 4, stream));
  E(InvalidValue, hipMemset2DAsync(memory, PITCH, 1, PITCH + 1, 4, stream));
  E(InvalidValue, hipMemset2DAsync(memory, PITCH, 1, 4, SIZE, stream));

  hipPitchedPtr box = make_hipPitchedPtr(memory, PITCH, PITCH, 8);
  struct { size_t width, height, depth; } deep[] = {{1, 1, 1}, {9, 3, 2}, {128, 8, 4}, {77, 8, 3}};
  for (auto [width, height, depth] : deep) {
    fresh();
    OK(hipMemset3D(box, 0x71, make_hipExtent(width, height, depth)));
    IS(holds(width, height, depth, 8, 0x71));
    fresh();
    OK(hipMemset3DAsync(box, 0x72, make_hipExtent(width, height, depth), stream));
    OK(hipStreamSynchronize(stream));
    IS(holds(width, height, depth, 8, 0x72));
  }
  for (hipExtent empty : {make_hipExtent(0, 1, 1), make_hipExtent(1, 0, 1), make_hipExtent(1, 1, 0)}) {
    OK(hipMemset3D(box, 1, empty));
    OK(hipMemset3DAsync(box, 1, empty, stream));
  }
  OK(hipMemset3D(box, 1, make_hipExtent(PITCH + 1, 1, 1)));
  ONLY_OURS("AMD's writes beyond the end") E(InvalidValue, hipMemset3D(box, 1, make_hipExtent(1, SIZE, 1)));
  for (hipExtent large : {make_hipExtent(1, 8, SIZE), make_hipExtent(PITCH, 8, 5)}) {
    E(InvalidValue, hipMemset3D(box, 1, large));
    E(InvalidValue, hipMemset3DAsync(box, 1, large, stream));
  }
  box.ptr = nullptr;
  E(InvalidValue, hipMemset3D(box, 1, make_hipExtent(1, 1, 1)));
  E(InvalidValue, hipMemset3DAsync(box, 1, make_hipExtent(1, 1, 1), stream));
}

// A stream that is gone is no stream.
static void streams() {
  hipStream_t gone;
  CK(hipStreamCreate(&gone));
  CK(hipStreamDestroy(gone));
  hipPitchedPtr box = make_hipPitchedPtr(memory, 128, 128, 8);
  ONLY_OURS("AMD's crashes") {
    E(ContextIsDestroyed, hipMemsetAsync(memory, 1, 4, gone));
    E(ContextIsDestroyed, hipMemsetD8Async(memory, 1, 4, gone));
    E(ContextIsDestroyed, hipMemsetD16Async(memory, 1, 4, gone));
    E(ContextIsDestroyed, hipMemsetD32Async(memory, 1, 4, gone));
    E(ContextIsDestroyed, hipMemset2DAsync(memory, 128, 1, 4, 4, gone));
    E(ContextIsDestroyed, hipMemset3DAsync(box, 1, make_hipExtent(1, 1, 1), gone));
  }
  OK(hipMemsetAsync(memory, 0x31, 4, nullptr));
  OK(hipMemsetAsync(memory + 4, 0x32, 4, hipStreamPerThread));
  OK(hipStreamSynchronize(hipStreamPerThread));
  EQ(api_read<int>(memory), 0x31313131);
  EQ(api_read<int>(memory + 4), 0x32323232);
}

static void other_memory(hipStream_t stream) {
  int *host = nullptr, *managed = nullptr;
  CK(hipHostMalloc((void**)&host, 64, 0));
  CK(hipMallocManaged((void**)&managed, 64, hipMemAttachGlobal));
  OK(hipMemset(host, 0x21, 64));
  OK(hipDeviceSynchronize());
  EQ(host[15], 0x21212121);
  OK(hipMemsetD32Async(host, 7, 16, stream));
  OK(hipStreamSynchronize(stream));
  EQ(host[15], 7);
  OK(hipMemset(managed, 0x22, 64));
  OK(hipDeviceSynchronize());
  EQ(managed[15], 0x22222222);
  CK(hipFree(managed));
  CK(hipHostFree(host));
}

int main() {
  CK(hipMalloc((void**)&memory, SIZE));
  hipStream_t stream;
  CK(hipStreamCreate(&stream));
  linear(stream);
  boxes(stream);
  streams();
  other_memory(stream);
  CK(hipStreamDestroy(stream));
  CK(hipFree(memory));
  return api_verdict("api_fill");
}
