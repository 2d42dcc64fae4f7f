// Functions that HIP got after 5.2.3, or that its headers do not declare: each called with good arguments and its effect looked
// at, and with what it must refuse. Declared by hand; runs on the library of each version.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { H2D = 1, D2H = 2, D2D = 3, N = 64, BYTES = N * 4 };
enum { INVALID_VALUE = 1 };
typedef struct { size_t width, height; int format; unsigned channels; } Shape;
typedef struct { size_t width, height, depth; int format; unsigned channels, flags; } Shape3D;
typedef struct { int x, y, z, w, kind; } Channels;
typedef struct { size_t width, height, depth; } Extent;
typedef struct { void *pointer; size_t pitch, width, height; } Pitched;

int hipMalloc(void **, size_t), hipFree(void *), hipMemcpy(void *, const void *, size_t, int), hipMemset(void *, int, size_t);
int hipDeviceSynchronize(void), hipStreamCreate(void **), hipStreamDestroy(void *), hipEventCreate(void **), hipEventDestroy(void *);
int hipEventQuery(void *), hipEventSynchronize(void *), hipHostFree(void *);
int hipDrvGetErrorName(int, const char **), hipDrvGetErrorString(int, const char **);
int hipDeviceSetLimit(int, size_t), hipDeviceGetLimit(size_t *, int), hipDeviceGetTexture1DLinearMaxWidth(size_t *, const Channels *, int);
int hipGetDevicePropertiesR0000(void *, int), hipGetDevicePropertiesR0600(void *, int), hipChooseDeviceR0000(int *, const void *), hipChooseDeviceR0600(int *, const void *);
int hipExtHostAlloc(void **, size_t, unsigned), hipStreamGetDevice(void *, int *), hipEventRecordWithFlags(void *, void *, unsigned), hipEventRecord_spt(void *, void *);
int hipMemsetAsync_spt(void *, int, size_t, void *), hipMemset2DAsync_spt(void *, size_t, int, size_t, size_t, void *), hipMemset3DAsync_spt(Pitched, int, Extent, void *);
int hipMemcpy2DAsync_spt(void *, size_t, const void *, size_t, size_t, size_t, int, void *), hipMemcpy3DAsync_spt(const void *, void *);
int hipMemcpyToSymbolAsync_spt(const void *, const void *, size_t, size_t, int, void *), hipMemcpyFromSymbolAsync_spt(void *, const void *, size_t, size_t, int, void *);
int hipLaunchHostFunc_spt(void *, void (*)(void *), void *), hipStreamAddCallback_spt(void *, void (*)(void *, int, void *), void *, unsigned), hipStreamSynchronize_spt(void *);
int hipStreamBeginCapture_spt(void *, int), hipStreamEndCapture_spt(void *, void **), hipStreamIsCapturing_spt(void *, int *);
int hipStreamGetCaptureInfo_spt(void *, int *, unsigned long long *), hipStreamGetCaptureInfo_v2_spt(void *, int *, unsigned long long *, void **, const void ***, size_t *);
int hipGraphCreate(void **, unsigned), hipGraphDestroy(void *), hipGraphInstantiateWithFlags(void **, void *, unsigned long long), hipGraphExecDestroy(void *);
int hipGraphUpload(void *, void *), hipGraphLaunch_spt(void *, void *), hipGraphExecGetFlags(void *, unsigned long long *);
int hipUserObjectCreate(void **, void *, void (*)(void *), unsigned, unsigned), hipGraphRetainUserObject(void *, void *, unsigned, unsigned), hipGraphReleaseUserObject(void *, void *, unsigned);
int hipArrayCreate(void **, const Shape *), hipArrayDestroy(void *), hipArrayGetDescriptor(Shape *, void *), hipArray3DGetDescriptor(Shape3D *, void *);
int hipArrayGetInfo(Channels *, Extent *, unsigned *, void *), hipMemcpyDtoA(void *, size_t, void *, size_t), hipMemcpyAtoD(void *, void *, size_t, size_t), hipMemcpyAtoA(void *, size_t, void *, size_t, size_t);
int hipMemcpyHtoAAsync(void *, size_t, const void *, size_t, void *), hipMemcpyAtoHAsync(void *, void *, size_t, size_t, void *);
int hipMemcpy2DArrayToArray(void *, size_t, size_t, void *, size_t, size_t, size_t, size_t, int);
int hipMemcpy2DToArray_spt(void *, size_t, size_t, const void *, size_t, size_t, size_t, int), hipMemcpy2DFromArray_spt(void *, size_t, void *, size_t, size_t, size_t, size_t, int);
int hipMemcpy2DToArrayAsync_spt(void *, size_t, size_t, const void *, size_t, size_t, size_t, int, void *), hipMemcpy2DFromArrayAsync_spt(void *, size_t, void *, size_t, size_t, size_t, size_t, int, void *);
int hipMemcpyFromArray_spt(void *, void *, size_t, size_t, size_t, int);
int hipModuleLaunchCooperativeKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **);
int hipModuleLaunchCooperativeKernelMultiDevice(void *, unsigned, unsigned);
int hipTexRefSetBorderColor(void *, float *), hipTexRefGetBorderColor(float *, const void *), hipTexRefGetArray(void **, const void *), hipTexRefGetMipMappedArray(void **, const void *);

static int failures, checks, called;
#define EQ(got, want) do { long long g = (long long)(got), w = (long long)(want); checks++; \
    if (g != w) { printf("%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #got, g, w); failures++; } } while (0)
#define OK(call) EQ(call, 0)
#define REFUSED(call) EQ((call) != 0, 1)

static int numbers[N], back[N];
static void count(void *by) { called += *(int *)by; }
static void called_back(void *stream, int status, void *by) { (void)stream, called += status == 0 ? *(int *)by : 1000; }
static int same(void) { int good = memcmp(numbers, back, BYTES) == 0; memset(back, 0, BYTES); return good; }

static void devices(void) {
    const char *text = NULL;
    size_t size = 0;
    int device = -1;
    static char old[4096], new[4096];
    OK(hipDrvGetErrorName(INVALID_VALUE, &text));
    EQ(strcmp(text, "hipErrorInvalidValue"), 0);
    OK(hipDrvGetErrorString(INVALID_VALUE, &text));
    EQ(strlen(text) > 0, 1);
    EQ(hipDrvGetErrorName(INVALID_VALUE, NULL), INVALID_VALUE);
    EQ(hipDrvGetErrorString(INVALID_VALUE, NULL), INVALID_VALUE);
    EQ(hipDrvGetErrorName(4242, &text), INVALID_VALUE);
    EQ(hipDrvGetErrorString(4242, &text), INVALID_VALUE);
    OK(hipDeviceSetLimit(0, 4096));
    OK(hipDeviceGetLimit(&size, 0));
    EQ(size, 4096);
    OK(hipDeviceSetLimit(2, 16 << 20));
    OK(hipDeviceGetLimit(&size, 2));
    EQ(size, 16 << 20);
    EQ(hipDeviceSetLimit(0, (size_t)1 << 40), INVALID_VALUE);
    EQ(hipDeviceSetLimit(99, 1), 215);
    Channels one = {32, 0, 0, 0, 2};
    OK(hipDeviceGetTexture1DLinearMaxWidth(&size, &one, 0));
    EQ(size > 0, 1);
    EQ(hipDeviceGetTexture1DLinearMaxWidth(NULL, &one, 0), INVALID_VALUE);
    EQ(hipDeviceGetTexture1DLinearMaxWidth(&size, NULL, 0), INVALID_VALUE);
    EQ(hipDeviceGetTexture1DLinearMaxWidth(&size, &one, 99), 101);
    OK(hipGetDevicePropertiesR0000(old, 0));
    OK(hipGetDevicePropertiesR0600(new, 0));
    EQ(strcmp(old, new), 0);
    EQ(hipGetDevicePropertiesR0000(NULL, 0), INVALID_VALUE);
    EQ(hipGetDevicePropertiesR0000(old, 99), 101);
    memset(old, 0, sizeof old), memset(new, 0, sizeof new);
    OK(hipChooseDeviceR0000(&device, old));
    EQ(device, 0);
    device = -1;
    OK(hipChooseDeviceR0600(&device, new));
    EQ(device, 0);
    EQ(hipChooseDeviceR0000(NULL, old), INVALID_VALUE);
    EQ(hipChooseDeviceR0600(&device, NULL), INVALID_VALUE);
}

static void streams(int *memory) {
    void *stream, *event, *pinned = NULL;
    int device = -1, two = 2, three = 3;
    OK(hipStreamCreate(&stream));
    OK(hipEventCreate(&event));
    OK(hipExtHostAlloc(&pinned, 64, 0));
    EQ(pinned != NULL, 1);
    OK(hipHostFree(pinned));
    EQ(hipExtHostAlloc(NULL, 64, 0), INVALID_VALUE);
    OK(hipStreamGetDevice(stream, &device));
    EQ(device, 0);
    EQ(hipStreamGetDevice(stream, NULL), INVALID_VALUE);
    OK(hipEventRecordWithFlags(event, stream, 0));
    OK(hipEventSynchronize(event));
    REFUSED(hipEventRecordWithFlags(NULL, stream, 0));
    REFUSED(hipEventRecordWithFlags(event, stream, 77));
    OK(hipEventRecord_spt(event, NULL));
    OK(hipEventSynchronize(event));
    REFUSED(hipEventRecord_spt(NULL, NULL));
    OK(hipMemsetAsync_spt(memory, 1, BYTES, NULL));
    OK(hipMemset2DAsync_spt(memory, 16, 2, 8, 2, NULL));
    OK(hipMemset3DAsync_spt((Pitched){memory, 16, 16, 2}, 3, (Extent){4, 1, 1}, NULL));
    OK(hipLaunchHostFunc_spt(NULL, count, &two));
    OK(hipStreamAddCallback_spt(NULL, called_back, &three, 0));
    OK(hipStreamSynchronize_spt(NULL));
    EQ(called, 5);
    OK(hipMemcpy(back, memory, BYTES, D2H));
    EQ(back[0], 0x03030303);
    EQ(back[1], 0x02020202);
    EQ(back[2], 0x01010101);
    EQ(hipMemsetAsync_spt(NULL, 1, 4, NULL), INVALID_VALUE);
    EQ(hipMemset2DAsync_spt(NULL, 16, 1, 4, 1, NULL), INVALID_VALUE);
    EQ(hipMemset3DAsync_spt((Pitched){NULL, 16, 16, 2}, 3, (Extent){4, 1, 1}, NULL), INVALID_VALUE);
    EQ(hipLaunchHostFunc_spt(NULL, NULL, NULL), INVALID_VALUE);
    EQ(hipStreamAddCallback_spt(NULL, NULL, NULL, 0), INVALID_VALUE);
    OK(hipMemcpy2DAsync_spt(memory, 32, numbers, 32, 32, N / 8, H2D, NULL));
    OK(hipMemcpy2DAsync_spt(back, 32, memory, 32, 32, N / 8, D2H, NULL));
    OK(hipStreamSynchronize_spt(NULL));
    EQ(same(), 1);
    EQ(hipMemcpy2DAsync_spt(NULL, 32, numbers, 32, 32, 1, H2D, NULL), INVALID_VALUE);
    EQ(hipMemcpy3DAsync_spt(NULL, NULL), INVALID_VALUE);
    EQ(hipMemcpyToSymbolAsync_spt(&two, &three, 4, 0, H2D, NULL), 13);
    EQ(hipMemcpyFromSymbolAsync_spt(&three, &two, 4, 0, D2H, NULL), 13);
    REFUSED(hipModuleLaunchCooperativeKernel(NULL, 1, 1, 1, 64, 1, 1, 0, stream, NULL));
    REFUSED(hipModuleLaunchCooperativeKernelMultiDevice(NULL, 1, 0));
    OK(hipEventDestroy(event));
    OK(hipStreamDestroy(stream));
}

static void graphs(int *memory) {
    void *stream = NULL, *graph = NULL, *exec = NULL, *object = NULL, *within = NULL;
    int status = -1, one = 1;
    unsigned long long id = 0, flags = 99;
    size_t many = 99;
    // The calling thread's own stream: the null stream of these names.
    OK(hipStreamBeginCapture_spt(stream, 0));
    OK(hipStreamIsCapturing_spt(stream, &status));
    EQ(status, 1);
    OK(hipStreamGetCaptureInfo_spt(stream, &status, &id));
    EQ(status == 1 && id != 0, 1);
    OK(hipMemsetAsync_spt(memory, 9, BYTES, stream));
    OK(hipStreamGetCaptureInfo_v2_spt(stream, &status, &id, &within, NULL, &many));
    EQ(many, 1);
    EQ(within != NULL, 1);
    OK(hipStreamEndCapture_spt(stream, &graph));
    OK(hipStreamIsCapturing_spt(stream, &status));
    EQ(status, 0);
    REFUSED(hipStreamEndCapture_spt(stream, &within));
    EQ(hipStreamIsCapturing_spt(stream, NULL), INVALID_VALUE);
    OK(hipGraphInstantiateWithFlags(&exec, graph, 0));
    OK(hipGraphExecGetFlags(exec, &flags));
    EQ(flags, 0);
    EQ(hipGraphExecGetFlags(NULL, &flags), INVALID_VALUE);
    EQ(hipGraphExecGetFlags(exec, NULL), INVALID_VALUE);
    OK(hipGraphUpload(exec, NULL));
    EQ(hipGraphUpload(NULL, NULL), INVALID_VALUE);
    OK(hipGraphLaunch_spt(exec, NULL));
    OK(hipStreamSynchronize_spt(NULL));
    EQ(hipGraphLaunch_spt(NULL, NULL), INVALID_VALUE);
    OK(hipMemcpy(back, memory, BYTES, D2H));
    EQ(back[N - 1], 0x09090909);
    // What a graph keeps is let go once nobody holds it.
    called = 0;
    OK(hipUserObjectCreate(&object, &one, count, 1, 1));
    OK(hipGraphRetainUserObject(graph, object, 1, 1));
    OK(hipGraphReleaseUserObject(graph, object, 1));
    EQ(called, 1);
    EQ(hipGraphReleaseUserObject(NULL, object, 1), INVALID_VALUE);
    EQ(hipGraphReleaseUserObject(graph, NULL, 1), INVALID_VALUE);
    OK(hipGraphExecDestroy(exec));
    OK(hipGraphDestroy(graph));
}

static void arrays(int *memory) {
    Shape line = {N, 0, 0x20, 1}, plane = {16, 4, 0x20, 1}, found = {0};
    Shape3D found3 = {0};
    Channels channels = {0};
    Extent extent = {0};
    unsigned flags = 99;
    void *a, *b, *p, *q, *kept = &kept;
    float color[4] = {1, 2, 3, 4}, got[4] = {0};
    OK(hipArrayCreate(&a, &line));
    OK(hipArrayCreate(&b, &line));
    OK(hipArrayCreate(&p, &plane));
    OK(hipArrayCreate(&q, &plane));
    OK(hipArrayGetDescriptor(&found, p));
    EQ(found.width == 16 && found.height == 4 && found.format == 0x20 && found.channels == 1, 1);
    OK(hipArray3DGetDescriptor(&found3, p));
    EQ(found3.width == 16 && found3.height == 4 && found3.depth == 0, 1);
    OK(hipArrayGetInfo(&channels, &extent, &flags, p));
    EQ(channels.x == 32 && extent.width == 16 && extent.height == 4 && flags == 0, 1);
    REFUSED(hipArrayGetDescriptor(NULL, p));
    REFUSED(hipArrayGetDescriptor(&found, NULL));
    REFUSED(hipArray3DGetDescriptor(NULL, p));
    REFUSED(hipArray3DGetDescriptor(&found3, NULL));
    REFUSED(hipArrayGetInfo(&channels, &extent, &flags, NULL));
    OK(hipMemcpyHtoAAsync(a, 0, numbers, BYTES, NULL));
    OK(hipDeviceSynchronize());
    OK(hipMemcpyAtoA(b, 0, a, 0, BYTES));
    OK(hipMemcpyAtoD(memory, b, 0, BYTES));
    OK(hipMemset(back, 0, 0));
    OK(hipMemcpyDtoA(a, 0, memory, BYTES));
    OK(hipMemcpyAtoHAsync(back, a, 0, BYTES, NULL));
    OK(hipDeviceSynchronize());
    EQ(same(), 1);
    EQ(hipMemcpyHtoAAsync(NULL, 0, numbers, BYTES, NULL) != 0 && hipMemcpyAtoHAsync(NULL, a, 0, BYTES, NULL) != 0, 1);
    EQ(hipMemcpyAtoA(NULL, 0, a, 0, 4) != 0 && hipMemcpyAtoD(NULL, a, 0, 4) != 0 && hipMemcpyDtoA(NULL, 0, memory, 4) != 0, 1);
    REFUSED(hipMemcpyAtoA(b, 4, a, 0, BYTES));
    OK(hipMemcpy2DToArray_spt(p, 0, 0, numbers, 64, 64, 4, H2D));
    OK(hipMemcpy2DArrayToArray(q, 0, 0, p, 0, 0, 64, 4, D2D));
    OK(hipMemcpy2DFromArray_spt(back, 64, q, 0, 0, 64, 4, D2H));
    EQ(same(), 1);
    OK(hipMemcpy2DToArrayAsync_spt(q, 0, 0, numbers, 64, 64, 4, H2D, NULL));
    OK(hipMemcpy2DFromArrayAsync_spt(back, 64, q, 0, 0, 64, 4, D2H, NULL));
    OK(hipStreamSynchronize_spt(NULL));
    EQ(same(), 1);
    OK(hipMemcpyFromArray_spt(back, a, 0, 0, BYTES, D2H));
    EQ(same(), 1);
    REFUSED(hipMemcpy2DArrayToArray(NULL, 0, 0, p, 0, 0, 64, 4, D2D));
    REFUSED(hipMemcpy2DToArray_spt(NULL, 0, 0, numbers, 64, 64, 4, H2D));
    REFUSED(hipMemcpy2DFromArray_spt(NULL, 64, q, 0, 0, 64, 4, D2H));
    REFUSED(hipMemcpyFromArray_spt(NULL, a, 0, 0, BYTES, D2H));
    void *reference = calloc(1, 1024);
    // No border has a colour but black.
    EQ(hipTexRefSetBorderColor(reference, color), 801);
    EQ(hipTexRefGetBorderColor(got, reference), 801);
    EQ(hipTexRefGetMipMappedArray(NULL, reference), INVALID_VALUE);
    EQ(hipTexRefGetArray(NULL, reference), INVALID_VALUE);
    EQ(hipTexRefGetArray(&kept, NULL), INVALID_VALUE);
    free(reference);
    OK(hipArrayDestroy(a));
    OK(hipArrayDestroy(b));
    OK(hipArrayDestroy(p));
    OK(hipArrayDestroy(q));
}

int main(void) {
    int *memory;
    for (int i = 0; i < N; i++) numbers[i] = 3 * i + 1;
    OK(hipMalloc((void **)&memory, BYTES));
    devices();
    streams(memory);
    graphs(memory);
    arrays(memory);
    OK(hipFree(memory));
    if (!failures) printf("%d checks: all as it should be\n", checks);
    return failures != 0;
}
