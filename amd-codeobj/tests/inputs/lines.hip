// Functions that are inlined into one another, in two files' worth of lines. Needs no HIP headers.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
static __device__ inline float inner(float x) {
  float y = x * x;
  return y > 4.0f ? y - 1.0f : y + 2.0f;
}
static __device__ inline float outer(float x, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++) sum += inner(x + i);
  return sum;
}
__device__ __attribute__((noinline)) float apart(float x) { return inner(x) / 3.0f; }
extern "C" __global__ void inlined(float *x, int n) {
  int i = __builtin_amdgcn_workitem_id_x();
  x[i] = outer(x[i], n) + apart(x[i + 1]);
}
#line 1000 "generated/elsewhere.inc"
extern "C" __global__ void elsewhere(float *x) {
  *x = inner(*x);
}
