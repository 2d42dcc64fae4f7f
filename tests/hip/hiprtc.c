// hiprtc as a C program uses it: from the library that it is linked with, to a kernel that has run.
// Declares what it calls: hip/hiprtc.h, hip/hip_runtime_api.h.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *Program, *Linker;
int hiprtcVersion(int *, int *), hiprtcCreateProgram(Program *, const char *, const char *, int, const char **, const char **);
int hiprtcDestroyProgram(Program *), hiprtcCompileProgram(Program, int, const char **), hiprtcAddNameExpression(Program, const char *);
int hiprtcGetCodeSize(Program, size_t *), hiprtcGetCode(Program, char *), hiprtcGetLoweredName(Program, const char *, const char **);
int hiprtcGetProgramLogSize(Program, size_t *), hiprtcGetProgramLog(Program, char *);
int hiprtcGetBitcodeSize(Program, size_t *), hiprtcGetBitcode(Program, char *);
int hiprtcLinkCreate(unsigned, const int *, void **, Linker *), hiprtcLinkDestroy(Linker), hiprtcLinkComplete(Linker, void **, size_t *);
int hiprtcLinkAddData(Linker, int, void *, size_t, const char *, unsigned, const int *, void **);
int hiprtcLinkAddFile(Linker, int, const char *, unsigned, const int *, void **);
const char *hiprtcGetErrorString(int);
int hipMalloc(void **, size_t), hipFree(void *), hipMemcpy(void *, const void *, size_t, int);
int hipModuleLoadData(void **, const void *), hipModuleUnload(void *), hipModuleGetFunction(void **, void *, const char *);
int hipModuleGetGlobal(void **, size_t *, void *, const char *);
int hipModuleLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);

// The runtime's own linker, of HIP 6.4, which takes the same.
int hipLinkCreate(unsigned, const int *, void **, Linker *), hipLinkDestroy(Linker), hipLinkComplete(Linker, void **, size_t *);
int hipLinkAddData(Linker, int, void *, size_t, const char *, unsigned, const int *, void **);
int hipLinkAddFile(Linker, int, const char *, unsigned, const int *, void **);

static int failures;
#define EQ(got, want) do { long long g = (long long)(got), w = (long long)(want); \
    if (g != w) { printf("%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #got, g, w); failures++; } } while (0)
#define SAYS(log, words) do { if (!strstr(log, words)) { printf("%s:%d: no '%s' in: %s\n", __FILE__, __LINE__, words, log); failures++; } } while (0)

static char *log_of(Program program) {
    size_t size = 0;
    EQ(hiprtcGetProgramLogSize(program, &size), 0);
    char *text = calloc(1, size + 1);
    EQ(hiprtcGetProgramLog(program, text), 0);
    return text;
}

// Runs `name` of a code object on 64 numbers and one factor, and checks that each is the factor times itself.
static void run(const void *code, const char *name, const char *constant) {
    void *module, *kernel, *memory, *address;
    float numbers[64], factor = 3, offset = 0.5f;
    for (int i = 0; i < 64; i++) numbers[i] = i;
    EQ(hipMalloc(&memory, sizeof numbers), 0);
    EQ(hipMemcpy(memory, numbers, sizeof numbers, 1), 0);
    EQ(hipModuleLoadData(&module, code), 0);
    EQ(hipModuleGetFunction(&kernel, module, name), 0);
    size_t size = 0;
    EQ(hipModuleGetGlobal(&address, &size, module, constant), 0);
    EQ(size, 4);
    EQ(hipMemcpy(address, &offset, 4, 1), 0);
    void *arguments[] = { &memory, &factor };
    EQ(hipModuleLaunchKernel(kernel, 2, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL), 0);
    EQ(hipMemcpy(numbers, memory, sizeof numbers, 2), 0);
    for (int i = 0; i < 64; i++) EQ(numbers[i] * 2, (3 * i + 0.5f) * 2);
    EQ(hipModuleUnload(module), 0);
    EQ(hipFree(memory), 0);
}

static void compile(void) {
    const char *source = "#include \"my/factor.h\"\n"
        "__constant__ float offset;\n"
        "template <class T> __global__ void scale(T *p, T f) {\n"
        "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  p[i] = fmaf(p[i], times(f), offset);\n"
        "}\n";
    const char *headers[] = { "#define times(x) (x)\n" }, *names[] = { "my/factor.h" };
    Program program;
    EQ(hiprtcCreateProgram(&program, source, "scale.cu", 1, headers, names), 0);
    EQ(hiprtcAddNameExpression(program, "scale<float>"), 0);
    EQ(hiprtcAddNameExpression(program, "&offset"), 0);
    const char *lowered = "", *constant = "";
    EQ(hiprtcGetLoweredName(program, "scale<float>", &lowered) == 0, 0);
    const char *options[] = { "-DUNUSED", "-O2" };
    // The architecture is that of the device.
    int result = hiprtcCompileProgram(program, 2, options);
    EQ(result, 0);
    if (result) {
        printf("%s\n", log_of(program));
        return;
    }
    EQ(hiprtcGetLoweredName(program, "scale<float>", &lowered), 0);
    EQ(hiprtcGetLoweredName(program, "&offset", &constant), 0);
    EQ(strcmp(lowered, "_Z5scaleIfEvPT_S0_"), 0);
    EQ(hiprtcGetLoweredName(program, "other", &constant), 10);
    EQ(hiprtcGetLoweredName(program, "&offset", &constant), 0);
    size_t size = 7;
    EQ(hiprtcGetProgramLogSize(program, &size), 0);
    EQ(size, 0);
    EQ(hiprtcGetCodeSize(program, &size), 0);
    char *code = malloc(size);
    EQ(hiprtcGetCode(program, code), 0);
    EQ(hiprtcGetBitcodeSize(program, &size), 4);
    run(code, lowered, constant);
    EQ(hiprtcDestroyProgram(&program), 0);
    free(code);
}

static void faults(void) {
    Program program, none = NULL;
    int major = 0, minor = 0;
    EQ(hiprtcVersion(&major, &minor), 0);
    EQ(major, 9);
    EQ(hiprtcVersion(NULL, &minor), 3);
    EQ(strcmp(hiprtcGetErrorString(6), "HIPRTC_ERROR_COMPILATION"), 0);
    EQ(hiprtcCreateProgram(NULL, "int x;", "n", 0, NULL, NULL), 4);
    EQ(hiprtcCreateProgram(&program, "", "empty", 0, NULL, NULL), 3);
    EQ(hiprtcCreateProgram(&program, "int x;", "n", -1, NULL, NULL), 3);
    EQ(hiprtcCreateProgram(&program, "int x;", "n", 1, NULL, NULL), 3);
    EQ(hiprtcCompileProgram(none, 0, NULL), 4);
    EQ(hiprtcDestroyProgram(&none), 4);
    EQ(hiprtcCreateProgram(&program, "__global__ void broken() {\n  undeclared = 1;\n}\n", "broken.hip", 0, NULL, NULL), 0);
    EQ(hiprtcCompileProgram(program, 0, NULL), 6);
    SAYS(log_of(program), "broken.hip:2:3: error: use of undeclared identifier 'undeclared'");
    const char *elsewhere[] = { "-oelsewhere" };
    EQ(hiprtcCompileProgram(program, 1, elsewhere), 5);
    SAYS(log_of(program), "-oelsewhere");
    size_t size = 1;
    EQ(hiprtcGetCodeSize(program, &size), 0);
    EQ(size, 0);
    EQ(hiprtcAddNameExpression(program, NULL), 3);
    EQ(hiprtcDestroyProgram(&program), 0);
}

static void *bitcode(const char *source, const char *name, size_t *size) {
    Program program;
    const char *options[] = { "-fgpu-rdc" };
    EQ(hiprtcCreateProgram(&program, source, name, 0, NULL, NULL), 0);
    EQ(hiprtcCompileProgram(program, 1, options), 0);
    EQ(hiprtcGetBitcodeSize(program, size), 0);
    char *code = malloc(*size);
    EQ(hiprtcGetBitcode(program, code), 0);
    EQ(hiprtcDestroyProgram(&program), 0);
    return code;
}

static void link_bitcode(const char *path) {
    size_t size, other, linked = 0;
    void *one = bitcode("extern \"C\" __device__ float times(float, float);\n__constant__ float offset;\n"
        "extern \"C\" __global__ void scale(float *p, float f) {\n"
        "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n  p[i] = times(p[i], f) + offset;\n}\n", "one.hip", &size);
    void *two = bitcode("extern \"C\" __device__ float times(float a, float b) { return a * b; }\n", "two.hip", &other);
    FILE *file = fopen(path, "wb");
    EQ(fwrite(two, 1, other, file), other);
    fclose(file);
    Linker linker;
    void *code;
    EQ(hiprtcLinkCreate(0, NULL, NULL, &linker), 0);
    EQ(hiprtcLinkAddData(linker, 100, one, size, "one", 0, NULL, NULL), 0);
    EQ(hiprtcLinkAddData(linker, 0, one, size, "cubin", 0, NULL, NULL), 3);
    EQ(hiprtcLinkAddFile(linker, 100, path, 0, NULL, NULL), 0);
    EQ(hiprtcLinkComplete(linker, &code, &linked), 0);
    EQ(linked > 1000, 1);
    run(code, "scale", "offset");
    EQ(hiprtcLinkDestroy(linker), 0);
    EQ(hiprtcLinkDestroy(linker), 3);
    EQ(hipLinkCreate(0, NULL, NULL, &linker), 0);
    EQ(hipLinkAddData(linker, 100, one, size, "one", 0, NULL, NULL), 0);
    EQ(hipLinkAddData(linker, 100, "no bitcode", 10, "text", 0, NULL, NULL), 200);
    EQ(hipLinkComplete(linker, &code, &linked), 200); // times is missing.
    EQ(hipLinkAddFile(linker, 100, path, 0, NULL, NULL), 0);
    EQ(hipLinkComplete(linker, &code, &linked), 0);
    run(code, "scale", "offset");
    EQ(hipLinkDestroy(linker), 0);
    EQ(hipLinkDestroy(linker), 1);
}

int main(int count, char **arguments) {
    compile();
    if (failures) return 1; // The rest would have nothing to work with.
    faults();
    link_bitcode(count > 1 ? arguments[1] : "two.bc");
    if (failures == 0) printf("hiprtc: all as it should be\n");
    return failures != 0;
}
