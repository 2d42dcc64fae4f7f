//@ package: librocrand1 librocrand-dev
//@ flags: -lrocrand
//@ ours: it takes long on AMD's libraries, where it passes too
//@ run-on: gfx90a
//@ only-cc: hipcc
//@ only-opt: 3
// Debian's rocRAND, a binary that nobody here compiled: what its generators make on the device is compared with the
// generators as their papers define them, computed here. The engines of a leapfrogging generator start 2^67 or 2^76
// numbers apart; the jump is a power of the transition, found by squaring.
#include "check.h"

#include <rocrand/rocrand.h>

#include <array>

typedef unsigned long long u64;
typedef unsigned __int128 u128;

#define RK(call)                                                                          \
  do {                                                                                    \
    rocrand_status check_s = (call);                                                      \
    if (check_s != ROCRAND_STATUS_SUCCESS) {                                              \
      fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, (int)check_s);    \
      exit(2);                                                                            \
    }                                                                                     \
  } while (0)

// The engines of XORWOW and MRG32k3a, which take turns.
const unsigned ENGINES = 512 * 256;
const u64 SEED = 0x89abcdef;

// Marsaglia's xorwow: 160 bits of xorshift and a Weyl sequence.
struct Xorwow {
  std::array<unsigned, 5> x;
  unsigned d;

  explicit Xorwow(u64 seed) : x{123456789, 362436069, 521288629, 88675123, 5783321}, d(6615241) {
    unsigned t0 = 1228688033u * ((unsigned)seed ^ 0x2c7f967fu);
    unsigned t1 = 2073658381u * ((unsigned)(seed >> 32) ^ 0xa03697cbu);
    x[0] += t0, x[1] ^= t0, x[2] += t1, x[3] ^= t1, x[4] += t0, d += t0 + t1;
  }
  static std::array<unsigned, 5> step(std::array<unsigned, 5> x) {
    unsigned t = x[0] ^ x[0] >> 2;
    return {x[1], x[2], x[3], x[4], x[4] ^ x[4] << 4 ^ t ^ t << 1};
  }
  unsigned next() { return x = step(x), d += 362437, d + x[4]; }

  // A linear map of the 160 bits: the image of each.
  typedef std::vector<std::array<unsigned, 5>> Map;
  static std::array<unsigned, 5> apply(const Map& map, const std::array<unsigned, 5>& x) {
    std::array<unsigned, 5> image{};
    for (int bit = 0; bit < 160; bit++)
      if (x[bit / 32] >> bit % 32 & 1)
        for (int k = 0; k < 5; k++) image[k] ^= map[bit][k];
    return image;
  }
  // That of 2^67 steps, which leave the Weyl sequence where it is.
  static Map subsequence() {
    Map map(160);
    for (int bit = 0; bit < 160; bit++) {
      std::array<unsigned, 5> one{};
      one[bit / 32] = 1u << bit % 32;
      map[bit] = step(one);
    }
    for (int n = 0; n < 67; n++) {
      Map square(160);
      for (int bit = 0; bit < 160; bit++) square[bit] = apply(map, map[bit]);
      map = square;
    }
    return map;
  }
};

// L'Ecuyer's MRG32k3a: two recurrences of order three.
struct Mrg32k3a {
  static const u64 M1 = 4294967087ull, M2 = 4294944443ull;
  std::array<u64, 3> a, b;

  explicit Mrg32k3a(u64 seed) {
    u64 x = (unsigned)seed ^ 0x55555555u, y = (unsigned)((seed >> 32) ^ 0xaaaaaaaau);
    auto mul = [&](u64 v, u64 m) { return (u64)((u128)v * (seed % m) % m); };
    a = {mul(x, M1), mul(y, M1), mul(x, M1)};
    b = {mul(y, M2), mul(x, M2), mul(y, M2)};
  }
  unsigned next() {
    u64 p = (1403580 * a[1] + (u64)((u128)810728 * (M1 - a[0]) % M1)) % M1;
    u64 q = (527612 * b[2] + (u64)((u128)1370589 * (M2 - b[0]) % M2)) % M2;
    a = {a[1], a[2], p}, b = {b[1], b[2], q};
    return (unsigned)(p > q ? p - q : p + M1 - q);
  }

  typedef std::array<u64, 9> Matrix;
  static Matrix squared(const Matrix& m, u64 modulus) {
    Matrix out;
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) {
        u128 sum = 0;
        for (int k = 0; k < 3; k++) sum += (u128)m[r * 3 + k] * m[k * 3 + c];
        out[r * 3 + c] = (u64)(sum % modulus);
      }
    return out;
  }
  static std::array<u64, 3> apply(const Matrix& m, const std::array<u64, 3>& v, u64 modulus) {
    std::array<u64, 3> out;
    for (int r = 0; r < 3; r++)
      out[r] = (u64)(((u128)m[r * 3] * v[0] + (u128)m[r * 3 + 1] * v[1] + (u128)m[r * 3 + 2] * v[2]) % modulus);
    return out;
  }
};

// Random123's Philox4x32-10.
static std::array<unsigned, 4> philox(u64 counter, u64 key) {
  std::array<unsigned, 4> c = {(unsigned)counter, (unsigned)(counter >> 32), 0, 0};
  unsigned k0 = (unsigned)key, k1 = (unsigned)(key >> 32);
  for (int round = 0; round < 10; round++, k0 += 0x9e3779b9u, k1 += 0xbb67ae85u) {
    u64 p = (u64)0xd2511f53u * c[0], q = (u64)0xcd9e8d57u * c[2];
    c = {(unsigned)(q >> 32) ^ c[1] ^ k0, (unsigned)q, (unsigned)(p >> 32) ^ c[3] ^ k1, (unsigned)p};
  }
  return c;
}

// The direction numbers of Joe and Kuo's first dimensions, by Bratley and Fox's recurrence.
static std::vector<unsigned> directions(int dimension) {
  const int bits = 32;
  struct { int degree; unsigned a; unsigned m[3]; } const table[] = {
      {0, 0, {}}, {1, 0, {1}}, {2, 1, {1, 3}}, {3, 1, {1, 3, 1}}, {3, 2, {1, 1, 1}}};
  const auto& row = table[dimension];
  std::vector<unsigned> v(bits);
  for (int i = 0; i < bits; i++) {
    if (row.degree == 0) {
      v[i] = 1u << (bits - 1 - i);
    } else if (i < row.degree) {
      v[i] = row.m[i] << (bits - 1 - i);
    } else {
      v[i] = v[i - row.degree] ^ v[i - row.degree] >> row.degree;
      for (int k = 1; k < row.degree; k++)
        if (row.a >> (row.degree - 1 - k) & 1) v[i] ^= v[i - k];
    }
  }
  return v;
}
static unsigned sobol(const std::vector<unsigned>& v, unsigned index) {
  unsigned x = 0, gray = index ^ index >> 1;
  for (size_t bit = 0; bit < v.size(); bit++)
    if (gray >> bit & 1) x ^= v[bit];
  return x;
}

template <class T> static void compare(const char* what, const std::vector<T>& got, const std::vector<T>& want) {
  size_t wrong = 0, first = 0;
  for (size_t i = 0; i < want.size(); i++)
    if (got[i] != want[i] && wrong++ == 0) first = i;
  EXPECT(wrong == 0, "%s: %zu of %zu values differ, first that of %zu", what, wrong, want.size(), first);
}

// What a generator makes in `calls` calls of n values each.
static std::vector<unsigned> generated(rocrand_rng_type type, u64 seed, u64 offset, size_t n, int calls) {
  rocrand_generator generator;
  RK(rocrand_create_generator(&generator, type));
  if (seed) RK(rocrand_set_seed(generator, seed));
  RK(rocrand_set_offset(generator, offset));
  std::vector<unsigned> all;
  unsigned* device;
  CK(hipMalloc((void**)&device, n * sizeof *device));
  for (int call = 0; call < calls; call++) {
    RK(rocrand_generate(generator, device, n));
    auto part = to_host(device, n);
    all.insert(all.end(), part.begin(), part.end());
  }
  CK(hipFree(device));
  RK(rocrand_destroy_generator(generator));
  return all;
}

static void leapfrog() {
  // Two calls go on where the first one ended; the second goes past the last engine, so that the first is asked again.
  const size_t n = ENGINES * 3 / 4, checked = 2048;
  auto jump = Xorwow::subsequence();
  Xorwow::Map one = jump;
  std::vector<Xorwow> engines;
  Xorwow xorwow(SEED);
  for (size_t i = 0; i < checked; i++, xorwow.x = Xorwow::apply(one, xorwow.x)) engines.push_back(xorwow);
  auto got = generated(ROCRAND_RNG_PSEUDO_XORWOW, SEED, 0, n, 2);
  std::vector<unsigned> first, second, want_first, want_second;
  for (size_t i = 0; i < checked; i++) {
    want_first.push_back(engines[i].next());
    want_second.push_back(engines[i].next());
    first.push_back(got[i]);
    second.push_back(got[ENGINES + i]);
  }
  compare("XORWOW", first, want_first);
  compare("XORWOW, second round", second, want_second);

  Mrg32k3a::Matrix a = {0, 1, 0, 0, 0, 1, Mrg32k3a::M1 - 810728, 1403580, 0};
  Mrg32k3a::Matrix b = {0, 1, 0, 0, 0, 1, Mrg32k3a::M2 - 1370589, 0, 527612};
  // L'Ecuyer's streams, although rocRAND's header says 67.
  for (int k = 0; k < 76; k++) a = Mrg32k3a::squared(a, Mrg32k3a::M1), b = Mrg32k3a::squared(b, Mrg32k3a::M2);
  got = generated(ROCRAND_RNG_PSEUDO_MRG32K3A, SEED, 0, n, 2);
  Mrg32k3a mrg(SEED);
  first.clear(), second.clear(), want_first.clear(), want_second.clear();
  for (size_t i = 0; i < checked; i++) {
    Mrg32k3a engine = mrg;
    // Stretched to all 32 bits.
    auto whole = [&] { return (unsigned)((engine.next() - 1) * 1.000000048661606966); };
    want_first.push_back(whole());
    want_second.push_back(whole());
    first.push_back(got[i]);
    second.push_back(got[ENGINES + i]);
    mrg.a = Mrg32k3a::apply(a, mrg.a, Mrg32k3a::M1), mrg.b = Mrg32k3a::apply(b, mrg.b, Mrg32k3a::M2);
  }
  compare("MRG32k3a", first, want_first);
  compare("MRG32k3a, second round", second, want_second);
}

static void counters() {
  // Philox's known answer for counter and key of all zeros is what Random123 ships.
  std::array<unsigned, 4> known = {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u};
  EXPECT(philox(0, 0) == known, "the reference is wrong");
  const u64 offset = 1234567;
  const size_t n = 5000;
  auto got = generated(ROCRAND_RNG_PSEUDO_PHILOX4_32_10, SEED, offset, n, 3);
  std::vector<unsigned> want;
  for (size_t i = 0; i < 3 * n; i++) want.push_back(philox((offset + i) / 4, SEED)[(offset + i) % 4]);
  compare("Philox4x32-10", got, want);
}

static void quasi() {
  const int dimensions = 5;
  const size_t n = 3000;
  const unsigned offset = 77;
  rocrand_generator generator;
  RK(rocrand_create_generator(&generator, ROCRAND_RNG_QUASI_SOBOL32));
  RK(rocrand_set_quasi_random_generator_dimensions(generator, dimensions));
  RK(rocrand_set_offset(generator, offset));
  unsigned* device;
  CK(hipMalloc((void**)&device, n * dimensions * sizeof *device));
  std::vector<unsigned> want;
  for (int d = 0; d < dimensions; d++)
    for (size_t i = 0; i < n; i++) want.push_back(sobol(directions(d), offset + i));
  RK(rocrand_generate(generator, device, n * dimensions));
  compare("Sobol", to_host(device, n * dimensions), want);
  EXPECT(rocrand_generate(generator, device, n * dimensions - 1) == ROCRAND_STATUS_LENGTH_NOT_MULTIPLE,
         "a number of values that is no multiple of the dimensions");
  CK(hipFree(device));
  RK(rocrand_destroy_generator(generator));
}

static void distributions() {
  const size_t n = 4096;
  rocrand_generator generator;
  RK(rocrand_create_generator(&generator, ROCRAND_RNG_PSEUDO_PHILOX4_32_10));
  float* device;
  double* wide;
  unsigned* count;
  CK(hipMalloc((void**)&device, n * sizeof *device));
  CK(hipMalloc((void**)&wide, n * sizeof *wide));
  CK(hipMalloc((void**)&count, n * sizeof *count));
  // Each from the start.
  auto again = [&] { RK(rocrand_set_seed(generator, SEED)); };
  auto raw = [&](size_t i) { return philox(i / 4, SEED)[i % 4]; };
  again();
  RK(rocrand_generate_uniform(generator, device, n));
  std::vector<float> want(n);
  for (size_t i = 0; i < n; i++) want[i] = 2.3283064e-10f + raw(i) * 2.3283064e-10f;
  auto got = to_host(device, n);
  for (size_t i = 0; i < n; i++)
    EXPECT(std::fabs(got[i] - want[i]) <= 1e-7f * want[i], "uniform %zu: %.9g, not %.9g", i, got[i], want[i]);
  again();
  RK(rocrand_generate_normal(generator, device, n, 3.0f, 2.0f));
  got = to_host(device, n);
  // Box and Muller, in double.
  for (size_t i = 0; i < n; i += 2) {
    double u = (raw(i) + 1.0) / 4294967296.0, angle = (raw(i + 1) + 1.0) / 4294967296.0 * 2 * M_PI;
    double radius = std::sqrt(-2 * std::log(u)), s = 3 + 2 * radius * std::sin(angle), c = 3 + 2 * radius * std::cos(angle);
    EXPECT(std::fabs(got[i] - s) < 1e-4 && std::fabs(got[i + 1] - c) < 1e-4, "normal %zu: %g and %g, not %g and %g",
           i, got[i], got[i + 1], s, c);
  }
  again();
  RK(rocrand_generate_log_normal_double(generator, wide, n, 0.0, 0.25));
  double sum = 0;
  for (double value : to_host(wide, n)) sum += value;
  EXPECT(std::fabs(sum / n - std::exp(0.03125)) < 0.02, "the mean of the log-normal values is %g", sum / n);
  again();
  RK(rocrand_generate_poisson(generator, count, n, 20.0));
  double mean = 0, variance = 0;
  auto counts = to_host(count, n);
  for (unsigned value : counts) mean += value / (double)n;
  for (unsigned value : counts) variance += (value - mean) * (value - mean) / n;
  EXPECT(std::fabs(mean - 20) < 0.5 && std::fabs(variance - 20) < 2, "Poisson: mean %g, variance %g", mean, variance);
  RK(rocrand_destroy_generator(generator));
}

int main() {
  leapfrog();
  counters();
  quasi();
  distributions();
  return verdict("rocrand");
}
