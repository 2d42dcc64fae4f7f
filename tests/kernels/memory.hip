// Copies and fills: offsets and odd sizes, pitched 2-D, device to device, peeks at pointers, free memory.
#include "check.h"

int main() {
  const size_t n = 100000;
  std::vector<unsigned char> bytes(n), back(n);
  Lcg lcg(5);
  for (size_t i = 0; i < n; i++) bytes[i] = lcg.next() >> 24;
  unsigned char *a, *b;
  CK(hipMalloc((void**)&a, n));
  CK(hipMalloc((void**)&b, n));
  CK(hipMemcpy(a, bytes.data(), n, hipMemcpyHostToDevice));
  CK(hipMemset(b, 0xa5, n));
  CK(hipMemcpy(b + 13, a + 7, 54321, hipMemcpyDeviceToDevice));
  CK(hipMemcpy(back.data(), b, n, hipMemcpyDefault));
  for (size_t i = 0; i < n; i++) {
    unsigned want = i >= 13 && i < 13 + 54321 ? bytes[i - 13 + 7] : 0xa5;
    EXPECT(back[i] == want, "device to device: [%zu] %02x, not %02x", i, back[i], want);
  }
  CK(hipMemsetD32((hipDeviceptr_t)b, 0x12345678, 1000));
  CK(hipMemcpy(back.data(), b, 4004, hipMemcpyDeviceToHost));
  unsigned word;
  memcpy(&word, &back[3996], 4);
  EXPECT(word == 0x12345678, "hipMemsetD32: %x", word);

  // A 37×11 rectangle through a pitched allocation.
  const size_t width = 37, height = 11;
  unsigned char* pitched;
  size_t pitch = 0;
  CK(hipMallocPitch((void**)&pitched, &pitch, width, height));
  EXPECT(pitch >= width, "pitch %zu", pitch);
  CK(hipMemset2D(pitched, pitch, 0xee, width, height));
  CK(hipMemcpy2D(pitched, pitch, bytes.data(), 50, width - 1, height, hipMemcpyHostToDevice));
  CK(hipMemcpy2D(back.data(), 40, pitched, pitch, width, height, hipMemcpyDeviceToHost));
  for (size_t y = 0; y < height; y++)
    for (size_t x = 0; x < width; x++) {
      unsigned want = x < width - 1 ? bytes[y * 50 + x] : 0xee;
      EXPECT(back[y * 40 + x] == want, "2-D: [%zu][%zu] %02x, not %02x", y, x, back[y * 40 + x], want);
    }

  size_t available = 0, total = 0;
  CK(hipMemGetInfo(&available, &total));
  EXPECT(available > 0 && available <= total, "%zu of %zu", available, total);
  CK(hipFree(nullptr));
  EXPECT_ERROR(hipMemcpy(a, nullptr, 8, hipMemcpyHostToDevice), hipErrorInvalidValue);
  CK(hipMemcpy(a, bytes.data(), 0, hipMemcpyHostToDevice));
  // No device knows this memory: it is not filled, and no copy of it goes to a device.
  EXPECT_ERROR(hipMemset(back.data(), 1, 8), hipErrorInvalidValue);
  EXPECT_ERROR(hipMemset2D(back.data(), 64, 1, 8, 2), hipErrorInvalidValue);
  EXPECT_ERROR(hipMemcpy(back.data(), bytes.data(), 8, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_ERROR(hipMemcpy(back.data(), bytes.data(), 8, hipMemcpyDeviceToDevice), hipErrorInvalidValue);
  CK(hipMemcpy(back.data(), bytes.data(), 8, hipMemcpyHostToHost));
  CK(hipMemcpy(back.data(), bytes.data(), 8, hipMemcpyDefault));
  void* too_much = nullptr;
  EXPECT_ERROR(hipMalloc(&too_much, (size_t)1 << 60), hipErrorOutOfMemory);
  (void)hipGetLastError();
  CK(hipFree(a));
  CK(hipFree(b));
  CK(hipFree(pitched));
  return verdict("memory");
}
