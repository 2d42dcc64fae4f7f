// What leaves relocations behind: calls, externals, tables of addresses.
extern int elsewhere(int);
extern __global int shared_counter;
static int near(int x) __attribute__((noinline)) { return x * 3 + 1; }
__constant int table[4] = {1, 2, 3, 5};
__kernel void first(__global int *x) { x[0] = elsewhere(x[1]) + shared_counter + table[x[2] & 3]; }
__kernel void second(__global int *x) {
  __local int t[64];
  t[get_local_id(0)] = near(x[0]);
  barrier(CLK_LOCAL_MEM_FENCE);
  x[1] = t[63 - get_local_id(0)];
}
