// Fills of a few bytes at odd addresses: those bytes, and none beside them.
//@ vendor-aborts: HIP 5.2.3 fills on from the next multiple of 8 without end when a fill does not reach it
//@ vendor-says: memory fault: write at
//@ vendor-says: Reason: Page not present or supervisor privilege.
#include "check.h"

int main() {
  const int n = 64;
  unsigned char *p = (unsigned char*)to_device(std::vector<unsigned char>(n, 0xa5)), back[n];
  for (int start = 0; start < 9; start++)
    for (int length = 1; length < 12; length++) {
      CK(hipMemset(p, 0xa5, n));
      CK(hipMemset(p + start, length, length));
      CK(hipMemcpy(back, p, n, hipMemcpyDeviceToHost));
      for (int i = 0; i < n; i++) {
        int want = i >= start && i < start + length ? length : 0xa5;
        EXPECT(back[i] == want, "%d bytes at %d: [%d] %02x", length, start, i, back[i]);
      }
    }
  return verdict("small_fill");
}
