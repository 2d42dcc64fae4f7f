// Two kernels with a variable between them, and the host's half of a program. Needs no HIP headers.
struct dim3 { unsigned x, y, z; };
typedef struct ihipStream_t *hipStream_t;
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, hipStream_t);
extern "C" int __hipPopCallConfiguration(dim3 *, dim3 *, unsigned long *, hipStream_t *);

__attribute__((device)) int counter;
__attribute__((device)) int *where = &counter;

__attribute__((global)) void saxpy(float a, const float *x, float *y, int n) {
  int i = __builtin_amdgcn_workitem_id_x() + __builtin_amdgcn_workgroup_id_x() * 64;
  if (i < n)
    y[i] += a * x[i];
}

__attribute__((global, amdgpu_flat_work_group_size(1, 256))) void sum(int *out) {
  __attribute__((shared)) int tile[256];
  unsigned i = __builtin_amdgcn_workitem_id_x();
  tile[i] = out[i] + *where;
  __builtin_amdgcn_s_barrier();
  out[i] = tile[255 - i] + (int)__builtin_amdgcn_workgroup_size_x();
}
