// Kernels for the device's own tests, in OpenCL C without a library: what they need of it are builtins.
#define ID(d) (__builtin_amdgcn_workgroup_id_##d() * __builtin_amdgcn_workgroup_size_##d() + __builtin_amdgcn_workitem_id_##d())

kernel void nothing(void) {}

// out[i] = 3 i + add
kernel void store(global uint *out, uint add) {
  uint i = ID(x);
  out[i] = i * 3 + add;
}

// Marks each work-item of a grid with ragged edges.
kernel void grid(global uint *out, uint width, uint height) {
  uint x = ID(x), y = ID(y), z = ID(z);
  out[(z * height + y) * width + x] += x + (y << 8) + (z << 16) + 1;
}

// Each work-item stores what its neighbour, half a work-group away, put into LDS.
kernel void swap(global uint *out) {
  local uint cell[256];
  uint i = __builtin_amdgcn_workitem_id_x();
  cell[i] = ID(x);
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  __builtin_amdgcn_s_barrier();
  out[ID(x)] = cell[(i + 128) & 255];
}

// Waits until somebody else stores to the flag.
kernel void wait(global uint *flag, global uint *out) {
  while (__opencl_atomic_load((global atomic_uint *)flag, __ATOMIC_ACQUIRE, __OPENCL_MEMORY_SCOPE_ALL_SVM_DEVICES) == 0)
    __builtin_amdgcn_s_sleep(1);
  out[0] = 7;
}

// An endless loop.
kernel void forever(global volatile uint *flag) {
  while (*flag == 0) {}
}

// Every work-item counts, and goes on when all of the grid have.
kernel void meet(global uint *count, uint all) {
  if (__builtin_amdgcn_workitem_id_x() == 0) {
    __opencl_atomic_fetch_add((global atomic_uint *)count, 1, __ATOMIC_ACQ_REL, __OPENCL_MEMORY_SCOPE_DEVICE);
    while (__opencl_atomic_load((global atomic_uint *)count, __ATOMIC_ACQUIRE, __OPENCL_MEMORY_SCOPE_DEVICE) < all)
      __builtin_amdgcn_s_sleep(2);
  }
}

// An array that is indexed at run time: lives in scratch.
kernel void scratch(global uint *out, uint n) {
  volatile uint a[16];
  uint i = ID(x);
  for (uint k = 0; k < 16; ++k) a[k] = i * 16 + k;
  uint sum = 0;
  for (uint k = 0; k < n; ++k) sum += a[(k * 5 + i) & 15];
  out[i] = sum;
}

kernel void poke(global uint *where) { *where = 1; }

kernel void illegal(void) { __asm__ volatile(".long 0xffffffff"); }

kernel void trap(void) { __builtin_trap(); }

// Sets a counter of the global wave sync.
kernel void gws_init(uint more) { __builtin_amdgcn_ds_gws_init(more, 0); }

// In each round every work-group marks its place; when all have met, each counts the marks of all, which its next mark must
// not come before.
kernel void gws_meet(global volatile uint *marks, global uint *wrong, uint rounds, uint groups) {
  for (uint round = 1; round <= rounds; ++round) {
    if (__builtin_amdgcn_workitem_id_x() == 0) {
      marks[__builtin_amdgcn_workgroup_id_x()] = round;
      __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
      __builtin_amdgcn_ds_gws_barrier(groups - 1, 0);
      __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
      for (uint g = 0; g < groups; ++g)
        if (marks[g] != round)
          __opencl_atomic_fetch_add((global atomic_uint *)wrong, 1, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE);
      __builtin_amdgcn_ds_gws_barrier(groups - 1, 0);
    }
    __builtin_amdgcn_s_barrier();
  }
}
