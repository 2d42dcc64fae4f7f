// Memory of the host that is registered where it lies: at odd addresses, neighbours on one page, and used from kernels,
// fills and copies by the device's pointer, which must not touch what is beside it.
#include "check.h"

__global__ void add(unsigned* words, int n, unsigned more) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) words[i] += more;
}

int main() {
  const int words = 3000, gap = 5;
  // first | gap | second | gap, all of them somewhere on pages that they share.
  std::vector<unsigned> all(4 + 2 * (words + gap), 7);
  unsigned *first = &all[4], *second = first + words + gap;
  const size_t bytes = words * sizeof(unsigned);
  CK(hipHostRegister(first, bytes, 0));
  CK(hipHostRegister(second, bytes, hipHostRegisterMapped));
  unsigned *d1, *d2, *inside;
  CK(hipHostGetDevicePointer((void**)&d1, first, 0));
  CK(hipHostGetDevicePointer((void**)&d2, second, 0));
  CK(hipHostGetDevicePointer((void**)&inside, second + 100, 0));
  EXPECT(inside == d2 + 100, "%p within %p", (void*)inside, (void*)d2);
  add<<<(words + 255) / 256, 256>>>(d1, words, 1);
  SYNC();
  CK(hipMemset(d2, 0, bytes));
  // One neighbour goes; the other's page stays the device's.
  CK(hipHostUnregister(first));
  add<<<(words + 255) / 256, 256>>>(d2, words, 3);
  CK(hipMemcpy(d2 + 10, d2 + 20, 4, hipMemcpyDefault));
  SYNC();
  for (size_t i = 0; i < all.size(); i++) {
    size_t at = i - 4;
    bool in_first = i >= 4 && at < (size_t)words, in_second = i >= 4 && at - words - gap < (size_t)words;
    unsigned want = in_first ? 8 : in_second ? 3 : 7;
    EXPECT(all[i] == want, "word %zu is %u, not %u", i, all[i], want);
  }
  CK(hipHostUnregister(second));
  EXPECT_ERROR(hipHostUnregister(second), hipErrorHostMemoryNotRegistered);
  return verdict("registered");
}
