// What differs between the ABIs of HIP 5, 6 and 7, as a program sees it that was compiled for version MAJOR.
// It declares what it calls, with the layouts of hip/hip_runtime_api.h of that version.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { unsigned type; int device; void *devicePointer, *hostPointer; int isManaged; unsigned flags; } Attributes;
typedef struct { void *dst; unsigned elementSize; size_t height, pitch; unsigned value; size_t width; } Memset;
typedef struct {
    size_t srcX, srcY; unsigned srcType; const void *srcHost; void *srcDevice, *srcArray; size_t srcPitch;
    size_t dstX, dstY; unsigned dstType; void *dstHost; void *dstDevice, *dstArray; size_t dstPitch;
    size_t width, height;
} Copy2D;
#if MAJOR == 5
enum { HOST = 0, DEVICE = 1, MANAGED = 1, MEMSET = 3, EMPTY = 6 };
typedef struct { unsigned char compression; int locationType, id; int handles, type; unsigned short usage; void *meta; } Prop;
#else
enum { HOST = 1, DEVICE = 2, MANAGED = 3, MEMSET = 2, EMPTY = 5 };
typedef struct { int type, handles, locationType, id; void *meta; unsigned char flags[8]; } Prop;
#endif
_Static_assert(sizeof(Attributes) == 32 && sizeof(Memset) == 48 && sizeof(Copy2D) == 128 && sizeof(Prop) == 32, "layouts");

int hipRuntimeGetVersion(int *), hipGetDeviceProperties(void *, int), hipGetDevicePropertiesR0600(void *, int);
int hipDeviceGetAttribute(int *, int, int), hipMalloc(void **, size_t), hipFree(void *);
int hipHostMalloc(void **, size_t, unsigned), hipHostFree(void *), hipMallocManaged(void **, size_t, unsigned);
int hipPointerGetAttributes(Attributes *, const void *), hipPointerGetAttribute(void *, int, void *);
int hipMemcpyParam2D(const Copy2D *), hipMemcpy(void *, const void *, size_t, int);
int hipGraphCreate(void **, unsigned), hipGraphDestroy(void *), hipGraphNodeGetType(void *, unsigned *);
int hipGraphAddMemsetNode(void **, void *, void *const *, size_t, const Memset *);
int hipGraphAddEmptyNode(void **, void *, void *const *, size_t);
int hipMemGetAllocationGranularity(size_t *, const Prop *, int), hipMemCreate(void **, size_t, const Prop *, unsigned long long);
int hipMemGetAllocationPropertiesFromHandle(Prop *, void *), hipMemRelease(void *);
int hipGetLastError(void), hipPeekAtLastError(void), hipExtGetLastError(void), hipSetDevice(int);
int hipMallocAsync(void **, size_t, void *), hipFreeAsync(void *, void *), hipModuleLoad(void **, const char *);
int hipDeviceSynchronize(void);

int hipStreamCreate(void **), hipStreamDestroy(void *), hipStreamBeginCapture(void *, int), hipStreamEndCapture(void *, void **);
int hipThreadExchangeStreamCaptureMode(int *), hipDeviceSetCacheConfig(int), hipEventCreate(void **), hipEventQuery(void *), hipEventDestroy(void *);

static int failures;
#define EQ(got, want) do { long long g = (long long)(got), w = (long long)(want); \
    if (g != w) { printf("%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #got, g, w); failures++; } } while (0)

static void properties(void) {
    int version = 0, value = 0;
    EQ(hipRuntimeGetVersion(&version), 0);
    EQ(version / 10000000, MAJOR);
    static char old[4096], new[4096];
    memset(old, 0xee, sizeof old);
    memset(new, 0xee, sizeof new);
    EQ(hipGetDeviceProperties(old, 0), 0);
    EQ(hipGetDevicePropertiesR0600(new, 0), 0);
    // The plain name keeps the first layout in every version.
    EQ((unsigned char)old[792], 0xee);
    EQ((unsigned char)old[791] == 0xee && (unsigned char)old[790] == 0xee, 0);
    EQ((unsigned char)new[1472], 0xee);
    EQ(strcmp(old + 396, new + 1160), 0);
    EQ(strncmp(new + 1160, "gfx90a", 6), 0);
    EQ(memcmp(old + 256, new + 288, 8), 0);  // totalGlobalMem
    EQ(*(int *)(old + 276), 64);             // warpSize
    EQ(*(int *)(new + 308), 64);
    EQ(*(int *)(old + 336), *(int *)(new + 388)); // multiProcessorCount
    EQ(hipDeviceGetAttribute(&value, 10003 /* GcnArch */, 0), MAJOR == 5 ? 0 : 1);
    EQ(hipDeviceGetAttribute(&value, 87 /* WarpSize */, 0), 0);
    EQ(value, 64);
}

static void pointers(void) {
    void *device, *host, *managed;
    Attributes found;
    unsigned type;
    EQ(hipMalloc(&device, 4096), 0);
    EQ(hipHostMalloc(&host, 4096, 0), 0);
    EQ(hipMallocManaged(&managed, 4096, 1), 0);
    EQ(hipPointerGetAttributes(&found, device), 0);
    EQ(found.type, DEVICE);
    EQ(hipPointerGetAttributes(&found, host), 0);
    EQ(found.type, HOST);
    EQ(hipPointerGetAttributes(&found, managed), 0);
    EQ(found.type, MANAGED);
    EQ(found.isManaged, 1);
    EQ(hipPointerGetAttribute(&type, 2, device), 0);
    EQ(type, DEVICE);
    // Memory that the runtime does not know, and none.
    int local;
    memset(&found, 0xee, sizeof found);
    EQ(hipPointerGetAttributes(&found, &local), MAJOR == 5 ? 1 : 0);
    if (MAJOR > 5) {
        EQ(found.type, 0);
        EQ(found.device, -2);
        EQ(found.devicePointer == NULL, 1);
    }
    EQ(hipPointerGetAttributes(&found, NULL), MAJOR == 7 ? 0 : 1);
    // Memory types in arguments.
    char from[16] = "twelve bytes!", to[16] = "";
    Copy2D in = { .srcType = HOST, .srcHost = from, .srcPitch = 4, .dstType = DEVICE, .dstDevice = device, .dstPitch = 64, .width = 4, .height = 3 };
    EQ(hipMemcpyParam2D(&in), 0);
    Copy2D out = { .srcType = DEVICE, .srcDevice = device, .srcPitch = 64, .dstType = HOST, .dstHost = to, .dstPitch = 4, .width = 4, .height = 3 };
    EQ(hipMemcpyParam2D(&out), 0);
    EQ(memcmp(from, to, 12), 0);
    in.srcType = 77;
    EQ(hipMemcpyParam2D(&in), 1);
    EQ(hipFree(device), 0);
    EQ(hipHostFree(host), 0);
    EQ(hipFree(managed), 0);
}

static void graphs(void) {
    void *graph, *fill, *empty, *memory;
    unsigned type;
    EQ(hipMalloc(&memory, 64), 0);
    EQ(hipGraphCreate(&graph, 0), 0);
    Memset params = { .dst = memory, .elementSize = 4, .height = 1, .pitch = 0, .value = 7, .width = 16 };
    EQ(hipGraphAddMemsetNode(&fill, graph, NULL, 0, &params), 0);
    EQ(hipGraphAddEmptyNode(&empty, graph, NULL, 0), 0);
    EQ(hipGraphNodeGetType(fill, &type), 0);
    EQ(type, MEMSET);
    EQ(hipGraphNodeGetType(empty, &type), 0);
    EQ(type, EMPTY);
    EQ(hipGraphDestroy(graph), 0);
    EQ(hipFree(memory), 0);
}

static void virtual_memory(void) {
    size_t granularity = 0;
    void *handle;
    Prop prop = { .type = 1, .locationType = 1, .id = 0 }, found;
    EQ(hipMemGetAllocationGranularity(&granularity, &prop, 0), 0);
    EQ(hipMemCreate(&handle, 2 << 20, &prop, 0), 0);
    memset(&found, 0xee, sizeof found);
    EQ(hipMemGetAllocationPropertiesFromHandle(&found, handle), 0);
    EQ(found.type, 1);
    EQ(found.locationType, 1);
    EQ(found.id, 0);
    EQ(hipMemRelease(handle), 0);
    prop.type = 0;
    EQ(hipMemGetAllocationGranularity(&granularity, &prop, 0), 1);
}

static void errors(void) {
    (void)hipGetLastError();
    EQ(hipSetDevice(99), 101);
    EQ(hipSetDevice(0), 0);
    EQ(hipPeekAtLastError(), MAJOR == 7 ? 101 : 0);
    EQ(hipGetLastError(), MAJOR == 7 ? 101 : 0);
    EQ(hipGetLastError(), 0);
    EQ(hipSetDevice(99), 101);
    EQ(hipGetLastError(), 101);
    EQ(hipSetDevice(99), 101);
    EQ(hipSetDevice(0), 0);
    EQ(hipExtGetLastError(), 0); // The last call's result, in every version.
    EQ(hipGetLastError(), MAJOR == 7 ? 101 : 0);
    EQ(hipFreeAsync(NULL, NULL), MAJOR == 7 ? 0 : 1);
    void *memory, *module;
    EQ(hipMallocAsync(&memory, 4096, NULL), 0);
    EQ(hipDeviceSynchronize(), 0);
    EQ(hipFree(memory), 0);
    EQ(hipModuleLoad(&module, "/dev/null"), MAJOR == 7 ? 200 : 1);
}

static void captures(void) {
    void *stream, *graph, *memory, *event;
    int unsupported = MAJOR == 7 ? 900 : 0, mode = 2;
    EQ(hipStreamCreate(&stream), 0);
    EQ(hipEventCreate(&event), 0);
    EQ(hipStreamBeginCapture(stream, 0 /* global */), 0);
    EQ(hipMallocManaged(&memory, 64, 1), unsupported);
    if (!unsupported) EQ(hipFree(memory), 0);
    EQ(hipDeviceSetCacheConfig(0), unsupported);
    EQ(hipEventQuery(event), unsupported);
    EQ(hipThreadExchangeStreamCaptureMode(&mode), 0);
    EQ(hipDeviceSetCacheConfig(0), 0);
    EQ(hipThreadExchangeStreamCaptureMode(&mode), 0);
    // The capture is as good as before.
    EQ(hipStreamEndCapture(stream, &graph), 0);
    EQ(hipGraphDestroy(graph), 0);
    EQ(hipStreamBeginCapture(stream, 2 /* relaxed */), 0);
    EQ(hipMallocManaged(&memory, 64, 1), 0);
    EQ(hipFree(memory), 0);
    EQ(hipStreamEndCapture(stream, &graph), 0);
    EQ(hipGraphDestroy(graph), 0);
    EQ(hipEventDestroy(event), 0);
    EQ(hipStreamDestroy(stream), 0);
}

int main(void) {
    captures();
    properties();
    pointers();
    graphs();
    virtual_memory();
    errors();
    if (failures == 0) printf("HIP %d: all as it should be\n", MAJOR);
    return failures != 0;
}
