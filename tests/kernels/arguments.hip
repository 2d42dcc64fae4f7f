// Kernel arguments of every shape: small integers between pointers, vectors, structs by value, many of them.
#include "check.h"

struct Small {
  char c;
  short s;
};
struct Large {
  double d[5];
  Small small[3];
  int tail;
};

__global__ void mixed(char c, double* out, short s, float f, bool flag, float4 v, long long l, unsigned char u, Large large,
                      int2 pair, Small small) {
  out[0] = c;
  out[1] = s;
  out[2] = f;
  out[3] = flag;
  out[4] = v.x + 10 * v.y + 100 * v.z + 1000 * v.w;
  out[5] = (double)l;
  out[6] = u;
  out[7] = large.d[0] + large.d[4];
  out[8] = large.small[2].c * 1000 + large.small[1].s;
  out[9] = large.tail;
  out[10] = pair.x - pair.y;
  out[11] = small.c + small.s;
}

__global__ void vectors(const float4* in, const double2* in2, const uchar4* in3, float4* out) {
  int i = threadIdx.x;
  float4 v = in[i];
  double2 w = in2[i];
  uchar4 b = in3[i];
  out[i] = make_float4(v.x + b.w, v.y * (float)w.x, v.z - (float)w.y, v.w + b.x * b.y + b.z);
}

template <class F> __global__ void generic(F f, int* out) { out[threadIdx.x] = f(threadIdx.x); }

struct Affine {
  int a, b;
  __device__ int operator()(int x) const { return a * x + b; }
};

int main() {
  double* out = to_device(std::vector<double>(12, -1));
  Large large;
  memset(&large, 0, sizeof large);
  large.d[0] = 1.5, large.d[4] = 2.25, large.small[2].c = 9, large.small[1].s = -321, large.tail = 77;
  Small small;
  small.c = 4, small.s = 500;
  mixed<<<1, 1>>>(-5, out, -300, 0.5f, true, make_float4(1, 2, 3, 4), -123456789012ll, 200, large, make_int2(7, 9), small);
  SYNC();
  std::vector<double> r = to_host(out, 12);
  const double want[12] = {-5, -300, 0.5, 1, 4321, -123456789012.0, 200, 3.75, 8679, 77, -2, 504};
  for (int i = 0; i < 12; i++) EXPECT(r[i] == want[i], "[%d] %g, not %g", i, r[i], want[i]);

  const int n = 70;
  std::vector<float4> v(n);
  std::vector<double2> w(n);
  std::vector<uchar4> b(n);
  for (int i = 0; i < n; i++) {
    v[i] = make_float4(i, i + 1, i + 2, i + 3);
    w[i] = make_double2(i * 0.5, i * 0.25);
    b[i] = make_uchar4(i, 2, 3, 250);
  }
  float4* dr = to_device(std::vector<float4>(n));
  vectors<<<1, n>>>(to_device(v), to_device(w), to_device(b), dr);
  SYNC();
  std::vector<float4> rv = to_host(dr, n);
  for (int i = 0; i < n; i++)
    EXPECT(rv[i].x == i + 250 && rv[i].y == (i + 1) * (i * 0.5f) && rv[i].z == i + 2 - i * 0.25f && rv[i].w == i + 3 + i * 2 + 3,
           "[%d] %g %g %g %g", i, rv[i].x, rv[i].y, rv[i].z, rv[i].w);

  int* g = to_device(std::vector<int>(64));
  Affine affine;
  affine.a = -3, affine.b = 1000;
  generic<<<1, 64>>>(affine, g);
  SYNC();
  std::vector<int> rg = to_host(g, 64);
  for (int i = 0; i < 64; i++) EXPECT(rg[i] == 1000 - 3 * i, "[%d] %d", i, rg[i]);
  return verdict("arguments");
}
