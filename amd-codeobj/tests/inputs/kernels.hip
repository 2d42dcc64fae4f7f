// Kernels that differ in what their descriptors ask for. Needs no HIP headers.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
extern "C" __global__ void plain(int *x) { x[__builtin_amdgcn_workitem_id_x()] = 1; }
extern "C" __global__ void lds(int *x) {
  __shared__ int t[300];
  t[__builtin_amdgcn_workitem_id_x()] = x[__builtin_amdgcn_workitem_id_y()];
  __builtin_amdgcn_s_barrier();
  x[__builtin_amdgcn_workitem_id_x()] = t[__builtin_amdgcn_workitem_id_z()] + __builtin_amdgcn_workgroup_id_y() + __builtin_amdgcn_workgroup_id_z();
}
extern "C" __device__ int recur(int n) { return n < 2 ? n : recur(n - 1) + recur(n - 2); }
extern "C" __global__ void stack(int *x, int n) {
  int t[40];
  for (int i = 0; i < 40; i++) t[i] = x[i];
  *x = t[n] + recur(n) + *(const __attribute__((address_space(4))) int *)__builtin_amdgcn_dispatch_ptr();
}
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(1, 256))) void wide(double *x) {
  double s[60];
#pragma unroll
  for (int i = 0; i < 60; i++) s[i] = x[i * 64 + __builtin_amdgcn_workitem_id_x()];
  __builtin_amdgcn_s_barrier();
#pragma unroll
  for (int i = 0; i < 60; i++) x[i * 64] = s[i] * s[59 - i];
}

__device__ int counter;
__device__ int *where = &counter;
extern __device__ int elsewhere;
extern "C" __global__ void saxpy(float a, const float *x, float *y, int n) {
  int i = __builtin_amdgcn_workitem_id_x() + __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x();
  if (i < n) y[i] += a * x[i] + *where;
}
