// The math library in single and double precision, against the host's, within the bounds that HIP states (in ulp).
#include "check.h"

enum { FUNCTIONS = 21 };

// The arguments of function f, kept where that function is defined and not too steep.
template <class T> __host__ __device__ static T first(int f, T x) {
  switch (f) {
    case 3: case 12: return x / 8;
    case 4: case 13: case 14: return fabs(x) + (T)0.001;
    case 5: return fabs(x) + (T)0.5;
    case 6: return fabs(x);
    case 9: return x / 128;
    case 10: case 11: return x / 16;
    case 15: return x / 32;
    default: return x;
  }
}
template <class T> __host__ __device__ static T second(int f, T y) { return f == 5 ? y / 8 : y; }

template <class T> __host__ __device__ static T call(int f, T x, T y) {
  switch (f) {
    case 0: return sin(x);
    case 1: return cos(x);
    case 2: return tan(x);
    case 3: return exp(x);
    case 4: return log(x);
    case 5: return pow(x, y);
    case 6: return sqrt(x);
    case 7: return cbrt(x);
    case 8: return atan2(x, y);
    case 9: return asin(x);
    case 10: return sinh(x);
    case 11: return tanh(x);
    case 12: return exp2(x);
    case 13: return log2(x);
    case 14: return log10(x);
    case 15: return erf(x);
    case 16: return fmod(x, y);
    case 17: return hypot(x, y);
    case 18: return x / y;
    case 19: return floor(x) + ceil(y) + trunc(x) + round(y);
    default: return copysign(fmin(x, y), fmax(x, y));
  }
}

template <class T> __global__ void run(int n, const T* x, const T* y, T* r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int f = 0; f < FUNCTIONS; f++) r[f * n + i] = call(f, first(f, x[i]), second(f, y[i]));
}

// The distance of two numbers in units of the last place of the wanted one.
static double ulps(double got, double want, int mantissa_bits, int min_exponent) {
  if (got == want || (got != got && want != want)) return 0;
  if (!std::isfinite(got) || !std::isfinite(want)) return HUGE_VAL;
  int exponent;
  frexp(want, &exponent);
  if (exponent < min_exponent) exponent = min_exponent;
  return fabs(got - want) / ldexp(1.0, exponent - mantissa_bits);
}

template <class T> static void test(const char* type, int mantissa_bits, int min_exponent, double bound) {
  const int n = 1024;
  std::vector<T> x(n), y(n);
  Lcg lcg(11);
  for (int i = 0; i < n; i++) x[i] = (T)(lcg.unit() * 200 - 100), y[i] = (T)(lcg.unit() * 60 - 30);
  x[0] = 0, y[0] = 1, x[1] = 1, y[1] = 1, x[2] = (T)-1, y[2] = (T)0.5;
  T *dx = to_device(x), *dy = to_device(y), *dr = to_device(std::vector<T>(n * FUNCTIONS));
  run<T><<<n / 64, 64>>>(n, dx, dy, dr);
  SYNC();
  std::vector<T> r = to_host(dr, n * FUNCTIONS);
  for (int f = 0; f < FUNCTIONS; f++) {
    double worst = 0;
    int at = 0;
    for (int i = 0; i < n; i++) {
      // Single precision is judged by the host's double precision.
      T a = first(f, x[i]), b = second(f, y[i]);
      double want = mantissa_bits == 24 ? (double)(float)call<double>(f, a, b) : (double)call<T>(f, a, b);
      double d = ulps(r[f * n + i], want, mantissa_bits, min_exponent);
      if (d > worst) worst = d, at = i;
    }
    EXPECT(worst <= bound, "%s function %d at %.9g, %.9g: %.17g is %g ulp from the host's", type, f, (double)x[at],
           (double)y[at], (double)r[f * n + at], worst);
  }
}

int main() {
  test<float>("float", 24, -125, 16);
  test<double>("double", 53, -1021, 16);
  return verdict("math");
}
