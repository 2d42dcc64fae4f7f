// Double precision: +, −, ×, ÷, sqrt, fma, conversions and comparisons are correctly rounded on the GPU as on the host.
#include "check.h"

enum { OPS = 10 };

__global__ void doubles(int n, const double* a, const double* b, double* r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = a[i], y = b[i];
  double* out = r + (size_t)i * OPS;
  out[0] = x + y;
  out[1] = x - y;
  out[2] = x * y;
  out[3] = x / y;
  out[4] = sqrt(fabs(x));
  out[5] = fma(x, y, 1.0);
  out[6] = (double)(float)x;
  out[7] = (double)(int)(fmod(x, 1e6));
  out[8] = x < y ? floor(x) : ceil(y);
  out[9] = ldexp(rint(fmod(x, 1e5)), 3);
}

static bool same(double p, double q) { return (p != p && q != q) || memcmp(&p, &q, 8) == 0; }

int main() {
  std::vector<double> a, b;
  Lcg lcg(42);
  for (int i = 0; i < 2000; i++) {
    a.push_back((lcg.unit() - 0.5) * pow(2.0, (int)(lcg.next() >> 24) % 120 - 60));
    b.push_back((lcg.unit() + 1e-3) * pow(2.0, (int)(lcg.next() >> 24) % 120 - 60));
  }
  const double edges[] = {0.0, -0.0, 1.0, -1.0, 1e308, -1e308, 1e-308, 5e-324, 3.0, 1.0 / 3.0, HUGE_VAL, -HUGE_VAL};
  const int m = sizeof edges / sizeof *edges;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) a.push_back(edges[i]), b.push_back(edges[j]);
  int n = (int)a.size();
  double *da = to_device(a), *db = to_device(b), *dr = to_device(std::vector<double>(n * OPS));
  doubles<<<(n + 127) / 128, 128>>>(n, da, db, dr);
  SYNC();
  std::vector<double> r = to_host(dr, n * OPS);
  for (int i = 0; i < n; i++) {
    volatile double x = a[i], y = b[i];
    volatile float narrow = (float)x;
    double fx = fmod(x, 1e6), gx = fmod(x, 1e5);
    bool finite = std::isfinite(x);  // converting NaN to int is not defined
    double want[OPS] = {x + y, x - y, x * y, x / y, sqrt(fabs(x)), fma(x, y, 1.0), (double)narrow,
                        finite ? (double)(int)fx : r[i * OPS + 7], x < y ? floor(x) : ceil(y), ldexp(rint(gx), 3)};
    for (int op = 0; op < OPS; op++)
      EXPECT(same(r[i * OPS + op], want[op]), "op %d of %a and %a: %a, not %a", op, a[i], b[i], r[i * OPS + op],
             want[op]);
  }
  return verdict("double");
}
