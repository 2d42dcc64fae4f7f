// Kernels for every processor that a compiler knows: arguments, LDS, scratch, a variable with a relocation. Needs no HIP
// headers; the host half declares what the compiler calls.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
struct dim3 { unsigned x, y, z; };
typedef struct ihipStream_t *hipStream_t;
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, hipStream_t);
extern "C" int __hipPopCallConfiguration(dim3 *, dim3 *, unsigned long *, hipStream_t *);
struct Pair { long a; short b; };
__device__ int counter; __device__ int *where = &counter;
template <class T> __global__ void scale(T *x, const T *__restrict y, T a, Pair pair, char last) {
  __shared__ T tile[300]; T local[20];
  unsigned i = __builtin_amdgcn_workitem_id_x();
  tile[i] = y[i]; __builtin_amdgcn_s_barrier();
  for (int n = 0; n < 20; n++) local[n] = tile[n];
  x[i] *= a + (T)(unsigned long)where + local[last] + pair.b;
}
template __global__ void scale<float>(float *, const float *, float, Pair, char);
template __global__ void scale<double>(double *, const double *, double, Pair, char);
