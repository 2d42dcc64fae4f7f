// The kernel of client.py, with no header but the compiler's own.
extern "C" __attribute__((global)) void scale(float *p, float factor, int n) {
    int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
    if (i < n) p[i] *= factor;
}
