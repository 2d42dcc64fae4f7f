// Arguments of every kind that OpenCL has.
__kernel void ocl(__global int *restrict x, __local float *s, __constant int *c, read_only image2d_t im, sampler_t sm, volatile __global int *v, const int n, int4 q) 
    __attribute__((reqd_work_group_size(64,2,1))) {
  x[0]=c[1]+n+q.x; s[0]=*v;
}
