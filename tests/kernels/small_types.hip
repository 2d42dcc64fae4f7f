// 8- and 16-bit loads, stores and arithmetic, half precision, packed bytes, unaligned access.
#include "check.h"

#include <hip/hip_fp16.h>

__global__ void narrow(int n, const signed char* a, const unsigned char* b, short* sum, unsigned short* product, unsigned char* saturated) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  sum[i] = a[i] + b[i];
  product[i] = (unsigned short)(a[i] * b[i]);
  int t = a[i] * 2 + b[i];
  saturated[i] = t < 0 ? 0 : t > 255 ? 255 : t;
}

__global__ void halves(int n, const float* x, float* r) {
  int i = threadIdx.x;
  if (i >= n) return;
  __half h = __float2half(x[i]), one = __float2half(1.0f);
  r[i * 3 + 0] = __half2float(h);
  r[i * 3 + 1] = __half2float(__hadd(h, one));
  r[i * 3 + 2] = __half2float(__hmul(h, h));
}

struct __attribute__((packed)) Packed {
  char c;
  int i;
  double d;
};

__global__ void unaligned(Packed* p) {
  p[threadIdx.x].i += p[threadIdx.x].c;
  p[threadIdx.x].d *= 2;
}

int main() {
  const int n = 1000;
  std::vector<signed char> a(n);
  std::vector<unsigned char> b(n);
  Lcg lcg(13);
  for (int i = 0; i < n; i++) a[i] = (signed char)(lcg.next() >> 24), b[i] = lcg.next() >> 24;
  short* ds = to_device(std::vector<short>(n));
  unsigned short* dp = to_device(std::vector<unsigned short>(n));
  unsigned char* dt = to_device(std::vector<unsigned char>(n));
  narrow<<<(n + 255) / 256, 256>>>(n, to_device(a), to_device(b), ds, dp, dt);
  SYNC();
  std::vector<short> s = to_host(ds, n);
  std::vector<unsigned short> p = to_host(dp, n);
  std::vector<unsigned char> t = to_host(dt, n);
  for (int i = 0; i < n; i++) {
    int wide = a[i] * 2 + b[i];
    EXPECT(s[i] == a[i] + b[i], "sum [%d] %d", i, s[i]);
    EXPECT(p[i] == (unsigned short)(a[i] * b[i]), "product [%d] %u", i, p[i]);
    EXPECT(t[i] == (wide < 0 ? 0 : wide > 255 ? 255 : wide), "saturated [%d] %u", i, t[i]);
  }

  // Exactly representable in half precision, so that every result is exact too.
  std::vector<float> x(60);
  for (int i = 0; i < 60; i++) x[i] = (i - 30) * 0.25f;
  float* dr = to_device(std::vector<float>(180));
  halves<<<1, 64>>>(60, to_device(x), dr);
  SYNC();
  std::vector<float> r = to_host(dr, 180);
  for (int i = 0; i < 60; i++)
    EXPECT(r[i * 3] == x[i] && r[i * 3 + 1] == x[i] + 1 && r[i * 3 + 2] == x[i] * x[i], "half [%d] %g %g %g", i, r[i * 3],
           r[i * 3 + 1], r[i * 3 + 2]);

  std::vector<Packed> packed(64);
  for (int i = 0; i < 64; i++) packed[i].c = (char)(i - 32), packed[i].i = i * 100000, packed[i].d = i * 0.75;
  Packed* dpacked = to_device(packed);
  unaligned<<<1, 64>>>(dpacked);
  SYNC();
  std::vector<Packed> q = to_host(dpacked, 64);
  for (int i = 0; i < 64; i++) {
    int integer = q[i].i;
    double number = q[i].d;
    EXPECT(integer == i * 100000 + i - 32 && number == i * 1.5, "packed [%d] %d %g", i, integer, number);
  }
  return verdict("small_types");
}
