// What every generated program stands on: types, and operations whose result C++ or the processors leave open,
// narrowed to where host and device must agree. The host models of device builtins are written from their
// documentation, not from the emulator.
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long i64;
typedef unsigned long u64;
typedef _Float16 f16;
typedef float f32;
typedef double f64;
typedef f16 f16x2 __attribute__((ext_vector_type(2)));
typedef f32 f32x2 __attribute__((ext_vector_type(2)));
typedef i16 i16x2 __attribute__((ext_vector_type(2)));
typedef u16 u16x2 __attribute__((ext_vector_type(2)));
typedef u8 u8x4 __attribute__((ext_vector_type(4)));
typedef u32 u32x4 __attribute__((ext_vector_type(4)));

#ifdef __AMDGCN__
#define DEVICE 1
#define DEV static __attribute__((device))
#define TABLE static __attribute__((constant)) const
#define LDS static __attribute__((shared))
#else
#define DEVICE 0
#define DEV static
#define TABLE static const
#endif
#define INL DEV inline __attribute__((always_inline))
#define NOINL DEV __attribute__((noinline))

template <class To, class From> INL To bits(From x) {
  static_assert(sizeof(To) == sizeof(From));
  To y;
  __builtin_memcpy(&y, &x, sizeof y);
  return y;
}

// Words in and out. Every NaN leaves as the same NaN: payloads are not compared.
template <class T> INL T in(u64 w) { return (T)w; }
template <> INL f16 in<f16>(u64 w) { return bits<f16>((u16)w); }
template <> INL f32 in<f32>(u64 w) { return bits<f32>((u32)w); }
template <> INL f64 in<f64>(u64 w) { return bits<f64>(w); }
template <class T> INL u64 out(T x) { return (u64)x; }
template <> INL u64 out(f16 x) { return x != x ? 0x7e00 : bits<u16>(x); }
template <> INL u64 out(f32 x) { return x != x ? 0x7fc00000 : bits<u32>(x); }
template <> INL u64 out(f64 x) { return x != x ? 0x7ff8000000000000 : bits<u64>(x); }

template <class T> INL T pick(bool c, T a, T b) { return c ? a : b; }

// Integers.
template <class T> struct Unsigned;
template <> struct Unsigned<i8> { typedef u8 type; };
template <> struct Unsigned<u8> { typedef u8 type; };
template <> struct Unsigned<i16> { typedef u16 type; };
template <> struct Unsigned<u16> { typedef u16 type; };
template <> struct Unsigned<i32> { typedef u32 type; };
template <> struct Unsigned<u32> { typedef u32 type; };
template <> struct Unsigned<i64> { typedef u64 type; };
template <> struct Unsigned<u64> { typedef u64 type; };
#define U typename Unsigned<T>::type
#define N ((int)(8 * sizeof(T)))

// Keeps the compiler from knowing the range of an unsigned number of 32 bits or more (compiler-bugs.md 1).
template <class T> INL T veiled(T a) {
#if DEVICE
  if constexpr (N >= 32 && (T)-1 > 0) asm("" : "+v"(a));
#endif
  return a;
}
template <class T> INL T divide(T a, T b) {
  a = veiled(a);
  if (b == 0) return a;
  if ((T)-1 < 0 && b == (T)-1) return (T)(0 - (U)a);
  return (T)(a / b);
}
template <class T> INL T remain(T a, T b) {
  a = veiled(a);
  if (b == 0 || ((T)-1 < 0 && b == (T)-1)) return 0;
  return (T)(a % b);
}
template <class T> INL T shl(T a, T n) { return (T)((U)a << ((U)n & (N - 1))); }
template <class T> INL T shr(T a, T n) { return (T)(a >> ((U)n & (N - 1))); }
template <class T> INL T lsr(T a, T n) { return (T)((U)a >> ((U)n & (N - 1))); }
template <class T> INL T rotate(T a, T n) {
  if constexpr (N == 8) return (T)__builtin_rotateleft8((u8)a, (u8)n);
  else if constexpr (N == 16) return (T)__builtin_rotateleft16((u16)a, (u16)n);
  else if constexpr (N == 32) return (T)__builtin_rotateleft32((u32)a, (u32)n);
  else return (T)__builtin_rotateright64((u64)a, (u64)n);
}
template <class T> INL T swap(T a) {
  if constexpr (N == 16) return (T)__builtin_bswap16((u16)a);
  else if constexpr (N == 32) return (T)__builtin_bswap32((u32)a);
  else if constexpr (N == 64) return (T)__builtin_bswap64((u64)a);
  else return (T)(((u8)a << 4) | ((u8)a >> 4));
}
template <class T> INL T reverse(T a) {
  if constexpr (N == 8) return (T)__builtin_bitreverse8((u8)a);
  else if constexpr (N == 16) return (T)__builtin_bitreverse16((u16)a);
  else if constexpr (N == 32) return (T)__builtin_bitreverse32((u32)a);
  else return (T)__builtin_bitreverse64((u64)a);
}
template <class T> INL T popcount(T a) { return (T)__builtin_popcountll((u64)(U)a); }
template <class T> INL T leading(T a) {
  if (a == 0) return (T)N;
  return N == 64 ? (T)__builtin_clzll((u64)a) : (T)(__builtin_clz((u32)(U)a) - (32 - (N & 63)));
}
template <class T> INL T trailing(T a) {
  if (a == 0) return (T)N;
  return N == 64 ? (T)__builtin_ctzll((u64)a) : (T)__builtin_ctz((u32)(U)a);
}
template <class T> INL T least(T a, T b) { return a < b ? a : b; }
template <class T> INL T most(T a, T b) { return a > b ? a : b; }
template <class T> INL T absolute(T a) { return a < 0 ? (T)(0 - (U)a) : a; }
template <class T> INL T high(T a, T b) {
  if constexpr (N == 64) {
    if ((T)-1 < 0) return (T)(((__int128)a * (__int128)b) >> 64);
    return (T)(((unsigned __int128)(u64)a * (u64)b) >> 64);
  } else {
    return (T)(((i64)a * (i64)b) >> N);
  }
}
template <class T> INL T add_saturated(T a, T b) { return __builtin_elementwise_add_sat(a, b); }
template <class T> INL T sub_saturated(T a, T b) { return __builtin_elementwise_sub_sat(a, b); }
template <class T> INL T carry(T a, T b) {
  T r;
  return (T)((U)__builtin_add_overflow(a, b, &r) + (U)r * 3);
}
template <class T> INL T borrow(T a, T b) {
  T r;
  return (T)((U)__builtin_sub_overflow(a, b, &r) + (U)r * 3);
}
template <class T> INL T overflow(T a, T b) {
  T r;
  return (T)((U)__builtin_mul_overflow(a, b, &r) + (U)r * 3);
}
template <class T> INL T field(T a, T at, T len) {
  U n = (U)len & (N - 1), s = (U)at & (N - 1);
  return (T)(((U)a >> s) & (U)(((U)1 << n) - 1));
}
// Half of what is 64 bits wide must not be known (compiler-bugs.md 2).
template <class T> INL T flip(T a) {
#if DEVICE
  if constexpr (N == 64) asm("" : "+v"(a));
#endif
  return (T)~a;
}
template <class T> INL T merge(T mask, T a, T b) { return (T)((mask & a) | (flip(mask) & b)); }
// 24-bit factors: the compiler has an instruction for them.
INL u32 times24(u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }
INL i32 times24(i32 a, i32 b) { return ((i32)((u32)a << 8) >> 8) * ((i32)((u32)b << 8) >> 8); }
#undef U
#undef N

// Floating point.
// The compiler must not know that it subtracts from zero (compiler-bugs.md 3).
template <class F> INL F minus(F a, F b) {
#if DEVICE
  if (__builtin_constant_p(a == 0) && a == 0) asm("" : "+v"(a));
#endif
  return (F)(a - b);
}
template <class V> INL V hidden(V a) {
#if DEVICE
  asm("" : "+v"(a));
#endif
  return a;
}
INL f16x2 minus(f16x2 a, f16x2 b) { return hidden(a) - b; }
INL f32x2 minus(f32x2 a, f32x2 b) { return hidden(a) - b; }
// The host has no functions on halves; in single precision these are exact, or round as if once.
#if DEVICE
#define HALF(NAME, x) __builtin_##NAME##f16(x)
#else
#define HALF(NAME, x) (f16)__builtin_##NAME##f((f32)(x))
#endif
template <class F> INL F sqrt_(F x) {
  if constexpr (sizeof(F) == 2) return HALF(sqrt, x);
  else if constexpr (sizeof(F) == 4) return __builtin_sqrtf(x);
  else return __builtin_sqrt(x);
}
#define ROUNDING(NAME)                                                    \
  template <class F> INL F NAME##_(F x) {                                 \
    if constexpr (sizeof(F) == 2) return HALF(NAME, x);                    \
    else if constexpr (sizeof(F) == 4) return __builtin_##NAME##f(x);     \
    else return __builtin_##NAME(x);                                      \
  }
ROUNDING(floor) ROUNDING(ceil) ROUNDING(trunc) ROUNDING(rint) ROUNDING(round) ROUNDING(fabs)

INL f64 fma_(f64 a, f64 b, f64 c) { return __builtin_fma(a, b, c); }
INL f32 fma_(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
#if DEVICE
INL f16 fma_(f16 a, f16 b, f16 c) { return __builtin_fmaf16(a, b, c); }
template <class F> INL F fmin_(F a, F b) {
  if constexpr (sizeof(F) == 2) return __builtin_fminf16(a, b);
  else if constexpr (sizeof(F) == 4) return __builtin_fminf(a, b);
  else return __builtin_fmin(a, b);
}
template <class F> INL F fmax_(F a, F b) {
  if constexpr (sizeof(F) == 2) return __builtin_fmaxf16(a, b);
  else if constexpr (sizeof(F) == 4) return __builtin_fmaxf(a, b);
  else return __builtin_fmax(a, b);
}
#else
// The product of two halves is exact in double; the sum is rounded to odd there, so that the second rounding decides.
INL f16 fma_(f16 a, f16 b, f16 c) {
  f64 p = (f64)a * (f64)b, z = (f64)c, s = p + z;
  if (s - s != 0) return (f16)s;
  f64 t = s - p, e = (p - (s - t)) + (z - t);
  u64 w = bits<u64>(s);
  if (e != 0 && !(w & 1)) s = bits<f64>((e > 0) == (s > 0) ? w + 1 : w - 1);
  return (f16)s;
}
// The device takes the number when one operand is NaN, and orders the zeros.
template <class F> INL bool negative(F x) { return __builtin_signbit((f64)x); }
template <class F> INL F fmin_(F a, F b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return negative(a) ? a : b;
  return a < b ? a : b;
}
template <class F> INL F fmax_(F a, F b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return negative(a) ? b : a;
  return a > b ? a : b;
}
#endif
INL f64 sign_of(f64 a, f64 b) { return __builtin_copysign(a, b != b ? 1 : b); }
INL f32 sign_of(f32 a, f32 b) { return __builtin_copysignf(a, b != b ? 1 : b); }
INL f16 sign_of(f16 a, f16 b) { return __builtin_copysignf16(a, b != b ? (f16)1 : b); }
template <class F> INL bool finite(F x) { return x - x == 0; }
// Exponents no greater than make a difference, so that the sum of two does not wrap (compiler-bugs.md 4).
INL i32 exponent_of(i32 n) { return n < -5000 ? -5000 : n > 5000 ? 5000 : n; }
INL f64 scale(f64 x, i32 n) { n = exponent_of(n); return __builtin_ldexp(x, n); }
INL f32 scale(f32 x, i32 n) { n = exponent_of(n); return __builtin_ldexpf(x, n); }
INL f16 scale(f16 x, i32 n) {
  // A half has no ldexp on the host; in single precision powers of this size are exact.
  n = n < -60 ? -60 : n > 60 ? 60 : n;
#if DEVICE
  return __builtin_ldexpf16(x, n);
#else
  return (f16)__builtin_ldexp((f64)x, n);
#endif
}
INL f64 mantissa(f64 x) { int e = 0; return finite(x) ? __builtin_frexp(x, &e) : x; }
INL f32 mantissa(f32 x) { int e = 0; return finite(x) ? __builtin_frexpf(x, &e) : x; }
INL f16 mantissa(f16 x) { return (f16)mantissa((f32)x); }
INL i32 exponent(f64 x) { int e = 0; return finite(x) ? (__builtin_frexp(x, &e), e) : 0; }
INL i32 exponent(f32 x) { int e = 0; return finite(x) ? (__builtin_frexpf(x, &e), e) : 0; }
INL i32 exponent(f16 x) { return exponent((f32)x); }
template <class F> INL i32 kind_of(F x) {
  return (x != x) | __builtin_isinf(x) << 1 | finite(x) << 2 | __builtin_isnormal(x) << 3 | (x == 0) << 4 |
         (x < 0) << 5;
}
INL bool ordered(f64 a, f64 b) { return !__builtin_isunordered(a, b); }

// Conversions. Outside of the range the result is the alternative.
template <class T, class F> INL T to_int(F x, T alternative) {
  constexpr bool sign = (T)-1 < 0;
  constexpr int n = 8 * sizeof(T) - sign;
  constexpr f64 top = (f64)((u64)1 << (n - 1)) * 2;
  if constexpr (sizeof(F) < 8) {
    f32 y = (f32)x;
    if (sign ? (n > 24 ? y >= (f32)-top : y > (f32)(-top - 1)) && y < (f32)top : y > -1.0f && y < (f32)top)
      return (T)x;
  } else {
    if (sign ? (n > 53 ? x >= -top : x > -top - 1) && x < top : x > -1.0 && x < top) return (T)x;
  }
  return alternative;
}
// An integer to a half in one rounding: exactly to double first.
template <class T> INL f16 to_half(T x) {
  if constexpr (sizeof(T) < 8) return (f16)(f64)x;
  else return (f16)(f32)x;
}
// The compiler must not see that a product is converted (compiler-bugs.md 5).
INL f16 to_half(f32 x) {
#if DEVICE
  asm("" : "+v"(x));
#endif
  return (f16)x;
}

// Builtins that only the device has, with models for the host.
#if DEVICE
INL u32 perm(u32 a, u32 b, u32 s) { return __builtin_amdgcn_perm(a, b, s); }
INL u32 alignbit(u32 a, u32 b, u32 n) { return __builtin_amdgcn_alignbit(a, b, n); }
INL u32 alignbyte(u32 a, u32 b, u32 n) { return __builtin_amdgcn_alignbyte(a, b, n); }
INL u32 sad8(u32 a, u32 b, u32 c) { return __builtin_amdgcn_sad_u8(a, b, c); }
INL u32 sad16(u32 a, u32 b, u32 c) { return __builtin_amdgcn_sad_u16(a, b, c); }
INL u32 msad8(u32 a, u32 b, u32 c) { return __builtin_amdgcn_msad_u8(a, b, c); }
INL u32 lerp(u32 a, u32 b, u32 c) { return __builtin_amdgcn_lerp(a, b, c); }
INL u32 ubfe(u32 a, u32 b, u32 c) { return __builtin_amdgcn_ubfe(a, b, c); }
INL u32 sbfe(u32 a, u32 b, u32 c) { return __builtin_amdgcn_sbfe(a, b, c); }
// The sign of a zero is left open, and which of two numbers it is beside a NaN (compiler-bugs.md 6).
INL f32 med3(f32 a, f32 b, f32 c) {
  if (a != a || b != b || c != c) return 1;
  return __builtin_amdgcn_fmed3f(a, b, c) + 0.0f;
}
INL f32 fract(f32 x) { return __builtin_amdgcn_fractf(x); }
INL u64 qsad(u64 a, u32 b, u64 c) { return __builtin_amdgcn_qsad_pk_u16_u8(a, b, c); }
#else
INL u32 byte(u64 x, int k) { return x >> (8 * k) & 255; }
INL u32 perm(u32 a, u32 b, u32 s) {
  u64 x = (u64)a << 32 | b;
  u32 r = 0;
  for (int k = 0; k < 4; k++) {
    u32 c = byte(s, k), v;
    if (c < 8) v = byte(x, c);
    else if (c < 12) v = (x >> (16 * (c - 8) + 15) & 1) ? 255 : 0;
    else v = c == 12 ? 0 : 255;
    r |= v << (8 * k);
  }
  return r;
}
INL u32 alignbit(u32 a, u32 b, u32 n) { return (u32)(((u64)a << 32 | b) >> (n & 31)); }
INL u32 alignbyte(u32 a, u32 b, u32 n) { return (u32)(((u64)a << 32 | b) >> (8 * (n & 3))); }
INL u32 apart(u32 a, u32 b) { return a > b ? a - b : b - a; }
INL u32 sad8(u32 a, u32 b, u32 c) {
  for (int k = 0; k < 4; k++) c += apart(byte(a, k), byte(b, k));
  return c;
}
INL u32 sad16(u32 a, u32 b, u32 c) { return c + apart(a & 0xffff, b & 0xffff) + apart(a >> 16, b >> 16); }
INL u32 msad8(u32 a, u32 b, u32 c) {
  for (int k = 0; k < 4; k++) c += byte(b, k) ? apart(byte(a, k), byte(b, k)) : 0;
  return c;
}
INL u32 lerp(u32 a, u32 b, u32 c) {
  u32 r = 0;
  for (int k = 0; k < 4; k++) r |= ((byte(a, k) + byte(b, k) + (byte(c, k) & 1)) >> 1) << (8 * k);
  return r;
}
INL u32 ubfe(u32 a, u32 b, u32 c) { return (c & 31) ? (a >> (b & 31)) & (u32)(((u64)1 << (c & 31)) - 1) : 0; }
INL u32 sbfe(u32 a, u32 b, u32 c) {
  u32 n = c & 31;
  if (!n) return 0;
  u32 x = (u32)((i32)a >> (b & 31)) & (u32)(((u64)1 << n) - 1);
  return (u32)((i32)(x << (32 - n)) >> (32 - n));
}
INL f32 med3(f32 a, f32 b, f32 c) {
  if (a != a || b != b || c != c) return 1;
  f32 m = fmax_(fmax_(a, b), c);
  return (m == a ? fmax_(b, c) : m == b ? fmax_(a, c) : fmax_(a, b)) + 0.0f;
}
INL f32 fract(f32 x) {
  if (x - x != 0) return x != x ? x : bits<f32>(0x7fc00000);
  f32 r = x - __builtin_floorf(x);
  return r < bits<f32>(0x3f7fffff) ? r : bits<f32>(0x3f7fffff);
}
INL u64 qsad(u64 a, u32 b, u64 c) {
  u64 r = 0;
  for (int k = 0; k < 4; k++) {
    u32 s = sad8((u32)(a >> (8 * k)), b, 0) + (u32)(c >> (16 * k) & 0xffff);
    r |= (u64)(s & 0xffff) << (16 * k);
  }
  return r;
}
#endif
