// The same work as the HIP programs beside it, in plain C++: what the machine does without an emulator between.
// Argument: threads. Built with -O3 -march=native -pthread; each work is run eight times, the median of seven counts.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cstring>
#include <vector>
#include <thread>
#include <chrono>
#include <algorithm>
using namespace std;
static int NT = 1;
template <class F> void par(long n, F f) {
  vector<thread> v; for (int t = 1; t < NT; t++) v.emplace_back([=] { f(n * t / NT, n * (t + 1) / NT); });
  f(0, n / NT); for (auto& t : v) t.join();
}
static double now() { return chrono::duration<double>(chrono::steady_clock::now().time_since_epoch()).count(); }
template <class F> double med(F f) { vector<double> t; f(); for (int i = 0; i < 7; i++) { double a = now(); f(); t.push_back(now() - a); } sort(t.begin(), t.end()); return t[3]; }
static void out(const char* n, double s, double w, const char* u) { printf("native%d %s kernel_seconds=%.6f %s=%.3f\n", NT, n, s, u, w / s * 1e-9); }
static inline float cnd(float d) {
  const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
  float K = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float c = 0.39894228040143267794f * expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
  return d > 0 ? 1.0f - c : c;
}
int main(int argc, char** argv) {
  NT = argc > 1 ? atoi(argv[1]) : 1;
  { long n = 16 << 20; vector<float> x(n, 1.5f), y(n, 2.f); float *X = x.data(), *Y = y.data();
    out("saxpy", med([=] { par(n, [=](long a, long b) { for (long i = a; i < b; i++) Y[i] = 2.f * X[i] + Y[i]; }); }), 12.0 * n, "GB/s"); }
  { int n = 512; vector<float> a(n * n, 1.f), b(n * n, .5f), c(n * n); float *A = a.data(), *B = b.data(), *C = c.data();
    // the same loop as the kernel: one dot product per output (k innermost)
    out("sgemm_naive_ijk", med([=] { par(n, [=](long r0, long r1) { for (long i = r0; i < r1; i++) for (int j = 0; j < n; j++) { float s = 0; for (int k = 0; k < n; k++) s += A[i * n + k] * B[k * n + j]; C[i * n + j] = s; } }); }), 2.0 * n * n * n, "GFLOP/s");
    // i-k-j, vectorises over j: what a vectorising work-item compiler amounts to
    out("sgemm_ikj", med([=] { par(n, [=](long r0, long r1) { for (long i = r0; i < r1; i++) { float* c_ = C + i * n; memset(c_, 0, n * 4); for (int k = 0; k < n; k++) { float s = A[i * n + k]; const float* b_ = B + k * n; for (int j = 0; j < n; j++) c_[j] += s * b_[j]; } } }); }), 2.0 * n * n * n, "GFLOP/s");
    // 64-lane register block: exactly "one wave" of the kernel: j block of 64 in registers
    out("sgemm_wave64", med([=] { par(n, [=](long r0, long r1) { for (long i = r0; i < r1; i++) for (int j0 = 0; j0 < n; j0 += 64) { float s[64] = {0}; for (int k = 0; k < n; k++) { float av = A[i * n + k]; const float* b_ = B + k * n + j0; for (int l = 0; l < 64; l++) s[l] += av * b_[l]; } memcpy(C + i * n + j0, s, 256); } }); }), 2.0 * n * n * n, "GFLOP/s"); }
  { int n = 8192; vector<float> v[7]; float* p[7]; unsigned s0 = 12345; for (int c = 0; c < 7; c++) { v[c].resize(n); for (int i = 0; i < n; i++) { s0 = s0 * 1664525u + 1013904223u; v[c][i] = (s0 >> 8) / 16777216.f; } p[c] = v[c].data(); }
    const float *px = p[0], *py = p[1], *pz = p[2], *m = p[3]; float *ax = p[4], *ay = p[5], *az = p[6];
    // lanes = i (64 at a time), j inner, as the wave does
    out("nbody", med([=] { par(n / 64, [=](long b0, long b1) { for (long b = b0; b < b1; b++) { float sx[64] = {0}, sy[64] = {0}, sz[64] = {0}; const float *x = px + b * 64, *y = py + b * 64, *z = pz + b * 64;
      for (int j = 0; j < n; j++) { float qx = px[j], qy = py[j], qz = pz[j], qm = m[j]; for (int l = 0; l < 64; l++) { float dx = qx - x[l], dy = qy - y[l], dz = qz - z[l]; float d2 = dx * dx + dy * dy + dz * dz + 0.01f; float inv = 1.0f / sqrtf(d2); float f = qm * inv * inv * inv; sx[l] += f * dx; sy[l] += f * dy; sz[l] += f * dz; } }
      memcpy(ax + b * 64, sx, 256); memcpy(ay + b * 64, sy, 256); memcpy(az + b * 64, sz, 256); } }); }), (double)n * n, "Ginteractions/s"); }
  { long n = 4 << 20; vector<unsigned> in(n); unsigned s0 = 1; for (auto& w : in) { s0 = s0 * 1664525u + 1013904223u; w = s0 ^ (s0 >> 13); } const unsigned* I = in.data(); static unsigned H[8][256]; 
    out("histogram", med([=] { par(n, [=](long a, long b) { unsigned h[256] = {0}; for (long i = a; i < b; i++) { unsigned w = I[i]; h[w & 255]++; h[(w >> 8) & 255]++; h[(w >> 16) & 255]++; h[w >> 24]++; } memcpy(H[a != 0], h, 1024); }); }), 4.0 * n, "Gitems/s"); }
  { long n = 4 << 20; vector<float> v[5]; float* p[5]; unsigned s0 = 777; const float lo[3] = {5, 1, 0.25f}, hi[3] = {30, 100, 10}; for (int k = 0; k < 5; k++) { v[k].resize(n); if (k < 3) for (long i = 0; i < n; i++) { s0 = s0 * 1664525u + 1013904223u; v[k][i] = lo[k] + (hi[k] - lo[k]) * ((s0 >> 8) / 16777216.f); } p[k] = v[k].data(); }
    const float *S = p[0], *X = p[1], *T = p[2]; float *C = p[3], *P = p[4];
    out("blackscholes", med([=] { par(n, [=](long a, long b) { for (long i = a; i < b; i++) { const float R = 0.02f, V = 0.30f; float s = S[i], x = X[i], t = T[i], sq = sqrtf(t); float d1 = (logf(s / x) + (R + 0.5f * V * V) * t) / (V * sq), d2 = d1 - V * sq; float c1 = cnd(d1), c2 = cnd(d2), e = expf(-R * t); C[i] = s * c1 - x * e * c2; P[i] = x * e * (1.0f - c2) - s * (1.0f - c1); } }); }), (double)n, "Goptions/s"); }
}
