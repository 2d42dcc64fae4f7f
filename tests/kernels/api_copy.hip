// Copies of linear and pitched memory, symbols, and between devices' numbers: every function, direction and stream; and what
// is refused. Those of arrays stand in arrays.hip.
//@ only-opt: 3
//@ flags: -std=c++17
#include "api.h"

constexpr int N = 64;
constexpr size_t BYTES = N * sizeof(int);
__device__ int symbol[N];
static __constant__ int constant[N];
static int not_a_symbol;

static int *a, *b, host[N], back[N];
static hipStream_t stream;

// New numbers in `host`, none in `back`, `a` and `b`.
static void fresh() {
  static int next = 0;
  for (int& value : host) value = ++next * 2654435761u;
  memset(back, 0, BYTES);
  CK(hipMemset(a, 0, BYTES));
  CK(hipMemset(b, 0, BYTES));
  CK(hipDeviceSynchronize());
}

static bool arrived() {
  CK(hipStreamSynchronize(stream));
  CK(hipDeviceSynchronize());
  return memcmp(host, back, BYTES) == 0;
}

// Host to `a` to `b` to host.
#define ROUND(to, across, from) \
  do {                          \
    fresh();                    \
    OK(to);                     \
    OK(across);                 \
    OK(from);                   \
    IS(arrived());              \
  } while (0)

static void forms() {
  const auto H = hipMemcpyHostToDevice, D = hipMemcpyDeviceToDevice, F = hipMemcpyDeviceToHost, X = hipMemcpyDefault;
  ROUND(hipMemcpy(a, host, BYTES, H), hipMemcpy(b, a, BYTES, D), hipMemcpy(back, b, BYTES, F));
  ROUND(hipMemcpy(a, host, BYTES, X), hipMemcpy(b, a, BYTES, X), hipMemcpy(back, b, BYTES, X));
  for (hipStream_t s : {stream, (hipStream_t) nullptr, hipStreamPerThread}) {
    ROUND(hipMemcpyAsync(a, host, BYTES, H, s), hipMemcpyAsync(b, a, BYTES, D, s), hipMemcpyAsync(back, b, BYTES, F, s));
    ROUND(hipMemcpyAsync(a, host, BYTES, X, s), hipMemcpyAsync(b, a, BYTES, X, s), hipMemcpyAsync(back, b, BYTES, X, s));
    ROUND(hipMemcpyWithStream(a, host, BYTES, H, s), hipMemcpyWithStream(b, a, BYTES, D, s), hipMemcpyWithStream(back, b, BYTES, F, s));
    ROUND(hipMemcpyHtoDAsync(a, host, BYTES, s), hipMemcpyDtoDAsync(b, a, BYTES, s), hipMemcpyDtoHAsync(back, b, BYTES, s));
    ROUND(hipMemcpyAsync(a, host, BYTES, H, s), hipMemcpyPeerAsync(b, 0, a, 0, BYTES, s), hipMemcpyAsync(back, b, BYTES, F, s));
    ROUND(hipMemcpyToSymbolAsync(HIP_SYMBOL(symbol), host, BYTES, 0, H, s), hipMemcpyFromSymbolAsync(a, HIP_SYMBOL(symbol), BYTES, 0, D, s),
          hipMemcpyAsync(back, a, BYTES, F, s));
    ROUND(hipMemcpy2DAsync(a, 32, host, 32, 32, N / 8, H, s), hipMemcpy2DAsync(b, 64, a, 64, 64, N / 16, D, s),
          hipMemcpy2DAsync(back, 16, b, 16, 16, N / 4, F, s));
  }
  ROUND(hipMemcpyHtoD(a, host, BYTES), hipMemcpyDtoD(b, a, BYTES), hipMemcpyDtoH(back, b, BYTES));
  ROUND(hipMemcpyHtoD(a, host, BYTES), hipMemcpyPeer(b, 0, a, 0, BYTES), hipMemcpyDtoH(back, b, BYTES));
  ROUND(hipMemcpy2D(a, 32, host, 32, 32, N / 8, H), hipMemcpy2D(b, 64, a, 64, 64, N / 16, D), hipMemcpy2D(back, 16, b, 16, 16, N / 4, F));
  ROUND(hipMemcpyToSymbol(HIP_SYMBOL(symbol), host, BYTES), hipMemcpyFromSymbol(a, HIP_SYMBOL(symbol), BYTES, 0, D), hipMemcpy(back, a, BYTES, F));
  ROUND(hipMemcpyToSymbol(HIP_SYMBOL(constant), host, BYTES), hipMemcpyFromSymbol(back, HIP_SYMBOL(constant), BYTES), hipDeviceSynchronize());
  // As programs have them that were compiled for a default stream a thread.
  ROUND(hipMemcpy_spt(a, host, BYTES, H), hipMemcpy_spt(b, a, BYTES, D), hipMemcpy_spt(back, b, BYTES, F));
  ROUND(hipMemcpyAsync_spt(a, host, BYTES, H, nullptr), hipMemcpyAsync_spt(b, a, BYTES, D, nullptr), hipMemcpyAsync_spt(back, b, BYTES, F, nullptr));
  ROUND(hipMemcpy2D_spt(a, 32, host, 32, 32, N / 8, H), hipMemcpy2D_spt(b, 64, a, 64, 64, N / 16, D), hipMemcpy2D_spt(back, 16, b, 16, 16, N / 4, F));
  ROUND(hipMemcpyToSymbol_spt(HIP_SYMBOL(symbol), host, BYTES, 0, H), hipMemcpyFromSymbol_spt(a, HIP_SYMBOL(symbol), BYTES, 0, D), hipMemcpy_spt(back, a, BYTES, F));
  ROUND(hipMemset_spt(a, 0, BYTES), hipMemcpy_spt(b, host, BYTES, H), hipMemcpy_spt(back, b, BYTES, F));
  OK(hipMemset_spt(a, 5, BYTES));
  OK(hipMemset2D_spt(b, 64, 6, 64, 4));
  OK(hipMemset3D_spt(make_hipPitchedPtr(b, 64, 64, 2), 7, make_hipExtent(4, 1, 1)));
  OK(hipDeviceSynchronize());
  EQ(api_read<int>(a), 0x05050505);
  EQ(api_read<int>(b), 0x07070707);
  EQ(api_read<int>(b + 1), 0x06060606);
}

// Overlaps of kinds of memory.
static void kinds() {
  int *pinned, *managed;
  CK(hipHostMalloc((void**)&pinned, BYTES, 0));
  CK(hipMallocManaged((void**)&managed, BYTES, hipMemAttachGlobal));
  ROUND(hipMemcpy(pinned, host, BYTES, hipMemcpyHostToHost), hipMemcpy(a, pinned, BYTES, hipMemcpyHostToDevice), hipMemcpy(back, a, BYTES, hipMemcpyDeviceToHost));
  ROUND(hipMemcpy(managed, host, BYTES, hipMemcpyDefault), hipMemcpy(a, managed, BYTES, hipMemcpyDefault), hipMemcpy(back, a, BYTES, hipMemcpyDefault));
  ROUND(hipMemcpyAsync(pinned, host, BYTES, hipMemcpyDefault, stream), hipMemcpyAsync(a, pinned, BYTES, hipMemcpyDefault, stream),
        hipMemcpyAsync(back, a, BYTES, hipMemcpyDefault, stream));
  ROUND(hipMemcpy(back, host, BYTES, hipMemcpyHostToHost), hipMemcpy(back, host, BYTES, hipMemcpyDefault), hipSuccess);
  CK(hipFree(managed));
  CK(hipHostFree(pinned));
}

static void refused() {
  const hipMemcpyKind h2d = hipMemcpyHostToDevice, d2h = hipMemcpyDeviceToHost, d2d = hipMemcpyDeviceToDevice;
  // Nothing to copy.
  OK(hipMemcpy(a, host, 0, h2d));
  OK(hipMemcpyAsync(a, host, 0, h2d, stream));
  OK(hipMemcpyHtoD(a, host, 0));
  OK(hipMemcpyDtoH(host, a, 0));
  OK(hipMemcpyDtoD(b, a, 0));
  OK(hipMemcpyPeer(b, 0, a, 0, 0));
  OK(hipMemcpy(a, a, BYTES, d2d));
  // No memory.
  for (auto kind : {h2d, d2h, d2d, hipMemcpyDefault}) {
    E(InvalidValue, hipMemcpy(nullptr, host, 4, kind));
    E(InvalidValue, hipMemcpy(a, nullptr, 4, kind));
    E(InvalidValue, hipMemcpyAsync(nullptr, host, 4, kind, stream));
    E(InvalidValue, hipMemcpyAsync(a, nullptr, 4, kind, stream));
    E(InvalidValue, hipMemcpyWithStream(nullptr, host, 4, kind, stream));
    E(InvalidValue, hipMemcpyWithStream(a, nullptr, 4, kind, stream));
    E(InvalidValue, hipMemcpy2D(nullptr, 16, host, 16, 16, 1, kind));
    E(InvalidValue, hipMemcpy2D(a, 16, nullptr, 16, 16, 1, kind));
  }
  E(InvalidValue, hipMemcpyHtoD(nullptr, host, 4));
  E(InvalidValue, hipMemcpyHtoD(a, nullptr, 4));
  E(InvalidValue, hipMemcpyDtoH(nullptr, a, 4));
  E(InvalidValue, hipMemcpyDtoH(back, nullptr, 4));
  E(InvalidValue, hipMemcpyDtoD(nullptr, a, 4));
  E(InvalidValue, hipMemcpyDtoD(b, nullptr, 4));
  E(InvalidValue, hipMemcpyHtoDAsync(nullptr, host, 4, stream));
  E(InvalidValue, hipMemcpyHtoDAsync(a, nullptr, 4, stream));
  E(InvalidValue, hipMemcpyDtoHAsync(nullptr, a, 4, stream));
  E(InvalidValue, hipMemcpyDtoHAsync(back, nullptr, 4, stream));
  E(InvalidValue, hipMemcpyDtoDAsync(nullptr, a, 4, stream));
  E(InvalidValue, hipMemcpyDtoDAsync(b, nullptr, 4, stream));
  E(InvalidValue, hipMemcpyPeer(nullptr, 0, a, 0, 4));
  E(InvalidValue, hipMemcpyPeer(b, 0, nullptr, 0, 4));
  E(InvalidValue, hipMemcpyPeerAsync(nullptr, 0, a, 0, 4, stream));
  E(InvalidValue, hipMemcpyPeerAsync(b, 0, nullptr, 0, 4, stream));
  // No such direction.
  for (int bad : {-1, 5, 99}) {
    DIFFERS(InvalidMemcpyDirection, Success, "no such direction", hipMemcpy(a, host, 4, (hipMemcpyKind)bad));
    DIFFERS(InvalidMemcpyDirection, Success, "no such direction", hipMemcpyAsync(a, host, 4, (hipMemcpyKind)bad, stream));
    DIFFERS(InvalidMemcpyDirection, Success, "no such direction", hipMemcpyWithStream(a, host, 4, (hipMemcpyKind)bad, stream));
    DIFFERS(InvalidMemcpyDirection, Success, "no such direction", hipMemcpy2D(a, 16, host, 16, 16, 1, (hipMemcpyKind)bad));
    DIFFERS(InvalidMemcpyDirection, Success, "no such direction", hipMemcpy2DAsync(a, 16, host, 16, 16, 1, (hipMemcpyKind)bad, stream));
  }
  // More than there is.
  E(InvalidValue, hipMemcpy(a, host, BYTES + 1, h2d));
  E(InvalidValue, hipMemcpy(back, a, BYTES + 1, d2h));
  E(InvalidValue, hipMemcpy(b, a, BYTES + 1, d2d));
  E(InvalidValue, hipMemcpyDtoD(b, a, BYTES + 1));
  E(InvalidValue, hipMemcpyAsync(a, host, BYTES + 1, h2d, stream));
  E(InvalidValue, hipMemcpy(a + N - 1, host, 8, h2d));
  // Devices that are not there.
  for (int bad : {-1, 1, 99}) {
    E(InvalidDevice, hipMemcpyPeer(b, bad, a, 0, 4));
    E(InvalidDevice, hipMemcpyPeer(b, 0, a, bad, 4));
    E(InvalidDevice, hipMemcpyPeerAsync(b, bad, a, 0, 4, stream));
    E(InvalidDevice, hipMemcpyPeerAsync(b, 0, a, bad, 4, stream));
  }
  // Rows that are longer than the pitch.
  OK(hipMemcpy2D(a, 16, host, 16, 0, 4, h2d));
  OK(hipMemcpy2D(a, 16, host, 16, 16, 0, h2d));
  E(InvalidPitchValue, hipMemcpy2D(a, 15, host, 16, 16, 2, h2d));
  E(InvalidPitchValue, hipMemcpy2D(a, 16, host, 15, 16, 2, h2d));
  E(InvalidPitchValue, hipMemcpy2D(a, 0, host, 16, 16, 2, h2d));
  E(InvalidPitchValue, hipMemcpy2DAsync(a, 15, host, 16, 16, 2, h2d, stream));
  E(InvalidPitchValue, hipMemcpy2DAsync(a, 16, host, 15, 16, 2, h2d, stream));
  E(InvalidValue, hipMemcpy2D(a, 16, host, 16, 16, N, h2d));
  E(InvalidValue, hipMemcpy2DAsync(nullptr, 16, host, 16, 16, 1, h2d, stream));
  E(InvalidValue, hipMemcpy2DAsync(a, 16, nullptr, 16, 16, 1, h2d, stream));
}

static void symbols() {
  void* address = nullptr;
  size_t size = 0;
  OK(hipGetSymbolAddress(&address, HIP_SYMBOL(symbol)));
  IS(address != nullptr);
  OK(hipGetSymbolSize(&size, HIP_SYMBOL(symbol)));
  EQ(size, BYTES);
  int value = 4711, found = 0;
  OK(hipMemcpyToSymbol(HIP_SYMBOL(symbol), &value, 4, 12));
  EQ(api_read<int>((int*)address + 3), 4711);
  OK(hipMemcpyFromSymbol(&found, HIP_SYMBOL(symbol), 4, 12));
  EQ(found, 4711);
  OK(hipMemcpyToSymbol(HIP_SYMBOL(symbol), a, 4, 0, hipMemcpyDeviceToDevice));
  const void* wrong[] = {nullptr, &not_a_symbol};
  for (const void* bad : wrong) {
    E(InvalidSymbol, hipGetSymbolAddress(&address, bad));
    E(InvalidSymbol, hipGetSymbolSize(&size, bad));
    E(InvalidSymbol, hipMemcpyToSymbol(bad, &value, 4));
    E(InvalidSymbol, hipMemcpyFromSymbol(&found, bad, 4));
    E(InvalidSymbol, hipMemcpyToSymbolAsync(bad, &value, 4, 0, hipMemcpyHostToDevice, stream));
    E(InvalidSymbol, hipMemcpyFromSymbolAsync(&found, bad, 4, 0, hipMemcpyDeviceToHost, stream));
  }
  ONLY_OURS("AMD's crashes") E(InvalidValue, hipGetSymbolAddress(nullptr, HIP_SYMBOL(symbol)));
  ONLY_OURS("AMD's crashes") E(InvalidValue, hipGetSymbolSize(nullptr, HIP_SYMBOL(symbol)));
  E(InvalidValue, hipMemcpyToSymbol(HIP_SYMBOL(symbol), nullptr, 4));
  E(InvalidValue, hipMemcpyFromSymbol(nullptr, HIP_SYMBOL(symbol), 4));
  E(InvalidValue, hipMemcpyToSymbolAsync(HIP_SYMBOL(symbol), nullptr, 4, 0, hipMemcpyHostToDevice, stream));
  E(InvalidValue, hipMemcpyFromSymbolAsync(nullptr, HIP_SYMBOL(symbol), 4, 0, hipMemcpyDeviceToHost, stream));
  E(InvalidValue, hipMemcpyToSymbol(HIP_SYMBOL(symbol), host, BYTES + 4));
  E(InvalidValue, hipMemcpyToSymbol(HIP_SYMBOL(symbol), host, BYTES, 4));
  E(InvalidValue, hipMemcpyFromSymbol(back, HIP_SYMBOL(symbol), BYTES + 4));
  E(InvalidValue, hipMemcpyFromSymbol(back, HIP_SYMBOL(symbol), BYTES, 4));
  E(InvalidValue, hipMemcpyToSymbolAsync(HIP_SYMBOL(symbol), host, BYTES, 4, hipMemcpyHostToDevice, stream));
  E(InvalidValue, hipMemcpyFromSymbolAsync(back, HIP_SYMBOL(symbol), BYTES, 4, hipMemcpyDeviceToHost, stream));
  DIFFERS(InvalidMemcpyDirection, Success, "the other direction", hipMemcpyToSymbol(HIP_SYMBOL(symbol), host, 4, 0, hipMemcpyDeviceToHost));
  DIFFERS(InvalidMemcpyDirection, Success, "the other direction", hipMemcpyFromSymbol(back, HIP_SYMBOL(symbol), 4, 0, hipMemcpyHostToDevice));
}

// Boxes of linear memory, in both APIs' structs.
static void boxes() {
  fresh();
  for (int async = 0; async < 2; async++) {
    fresh();
    hipMemcpy3DParms p = {};
    p.srcPtr = make_hipPitchedPtr(host, 16, 16, 4);
    p.dstPtr = make_hipPitchedPtr(a, 16, 16, 4);
    p.extent = make_hipExtent(16, 4, 4);
    p.kind = hipMemcpyHostToDevice;
    if (async) OK(hipMemcpy3DAsync(&p, stream));
    else OK(hipMemcpy3D(&p));
    OK(hipStreamSynchronize(stream));
    std::swap(p.srcPtr, p.dstPtr);
    p.dstPtr.ptr = back;
    p.kind = hipMemcpyDeviceToHost;
    if (async) OK(hipMemcpy3DAsync(&p, stream));
    else OK(hipMemcpy3D_spt(&p));
    IS(arrived());
    HIP_MEMCPY3D d = {};
    d.srcMemoryType = hipMemoryTypeHost;
    d.srcHost = host;
    d.srcPitch = d.dstPitch = 16;
    d.srcHeight = d.dstHeight = 4;
    d.dstMemoryType = hipMemoryTypeDevice;
    d.dstDevice = b;
    d.WidthInBytes = 16;
    d.Height = d.Depth = 4;
    if (async) OK(hipDrvMemcpy3DAsync(&d, stream));
    else OK(hipDrvMemcpy3D(&d));
    OK(hipStreamSynchronize(stream));
    memset(back, 0, BYTES);
    hip_Memcpy2D f = {};
    f.srcMemoryType = hipMemoryTypeDevice;
    f.srcDevice = b;
    f.srcPitch = f.dstPitch = 32;
    f.dstMemoryType = hipMemoryTypeHost;
    f.dstHost = back;
    f.WidthInBytes = 32;
    f.Height = 8;
    if (async) OK(hipMemcpyParam2DAsync(&f, stream));
    else OK(hipMemcpyParam2D(&f));
    IS(arrived());
    memset(back, 0, BYTES);
    OK(hipDrvMemcpy2DUnaligned(&f));
    IS(arrived());
    // A corner of it.
    memset(back, 0, BYTES);
    f.srcXInBytes = 4, f.srcY = 1, f.dstXInBytes = 8, f.dstY = 2;
    f.WidthInBytes = 12, f.Height = 3;
    OK(hipMemcpyParam2D(&f));
    EQ(back[2 * 8 + 2], host[8 + 1]);
    EQ(back[4 * 8 + 4], host[3 * 8 + 3]);
    EQ(back[2 * 8 + 1], 0);
    EQ(back[5 * 8 + 2], 0);
    // What is refused.
    E(InvalidValue, hipMemcpy3D(nullptr));
    E(InvalidValue, hipMemcpy3DAsync(nullptr, stream));
    E(InvalidValue, hipDrvMemcpy3D(nullptr));
    E(InvalidValue, hipDrvMemcpy3DAsync(nullptr, stream));
    ONLY_OURS("AMD's crashes") E(InvalidValue, hipMemcpyParam2D(nullptr));
    ONLY_OURS("AMD's crashes") E(InvalidValue, hipMemcpyParam2DAsync(nullptr, stream));
    ONLY_OURS("AMD's crashes") E(InvalidValue, hipDrvMemcpy2DUnaligned(nullptr));
    hipMemcpy3DParms bad = p;
    bad.kind = (hipMemcpyKind)9;
    DIFFERS(InvalidMemcpyDirection, Success, "no such direction", hipMemcpy3D(&bad));
    bad = p, bad.srcPtr.ptr = nullptr;
    E(InvalidValue, hipMemcpy3D(&bad));
    bad = p, bad.dstPtr.ptr = nullptr;
    E(InvalidValue, hipMemcpy3D(&bad));
    bad = p, bad.srcPtr.pitch = 8;
    DIFFERS(InvalidPitchValue, InvalidValue, "rows are longer than the pitch", hipMemcpy3D(&bad));
    bad = p, bad.dstPtr.pitch = 8;
    DIFFERS(InvalidPitchValue, InvalidValue, "rows are longer than the pitch", hipMemcpy3D(&bad));
    bad = p, bad.extent = make_hipExtent(0, 4, 4);
    OK(hipMemcpy3D(&bad));
    hip_Memcpy2D wrong = f;
    wrong.srcPitch = 4;
    DIFFERS(InvalidPitchValue, InvalidValue, "rows are longer than the pitch", hipMemcpyParam2D(&wrong));
    wrong = f, wrong.dstPitch = 4;
    DIFFERS(InvalidPitchValue, InvalidValue, "rows are longer than the pitch", hipMemcpyParam2D(&wrong));
    wrong = f, wrong.srcDevice = nullptr;
    E(InvalidValue, hipMemcpyParam2D(&wrong));
    wrong = f, wrong.dstHost = nullptr;
    E(InvalidValue, hipMemcpyParam2D(&wrong));
    HIP_MEMCPY3D odd = d;
    odd.srcPitch = 4;
    DIFFERS(InvalidPitchValue, InvalidValue, "rows are longer than the pitch", hipDrvMemcpy3D(&odd));
    odd = d, odd.srcHost = nullptr;
    E(InvalidValue, hipDrvMemcpy3D(&odd));
    odd = d, odd.dstDevice = nullptr;
    E(InvalidValue, hipDrvMemcpy3D(&odd));
  }
}

// What waits for the device may not be captured; what does not becomes part of the graph.
static void while_capturing() {
  fresh();
  Capturing capture;
  OK(hipMemcpyAsync(a, host, BYTES, hipMemcpyHostToDevice, capture));
  OK(hipMemsetAsync(b, 0, BYTES, capture));
  OK(hipMemcpyDtoDAsync(b, a, BYTES, capture));
  OK(hipMemcpy2DAsync(b, 16, a, 16, 16, 2, hipMemcpyDeviceToDevice, capture));
  DIFFERS(StreamCaptureUnsupported, Success, "the stream is captured", hipStreamSynchronize(capture));
  DIFFERS(StreamCaptureUnsupported, Success, "the stream is captured", hipStreamQuery(capture));
  E(StreamCaptureImplicit, hipMemset(a, 0, BYTES));
  E(StreamCaptureImplicit, hipMemsetD8(a, 0, BYTES));
  E(StreamCaptureImplicit, hipMemsetD32(a, 0, N));
  E(StreamCaptureImplicit, hipMemset2D(a, 16, 0, 16, 2));
  E(StreamCaptureImplicit, hipMemset3D(make_hipPitchedPtr(a, 16, 16, 2), 0, make_hipExtent(4, 1, 1)));
  E(StreamCaptureImplicit, hipMemcpy(a, host, BYTES, hipMemcpyHostToDevice));
  E(StreamCaptureImplicit, hipMemcpyHtoD(a, host, BYTES));
  E(StreamCaptureImplicit, hipMemcpyDtoH(back, a, BYTES));
  E(StreamCaptureImplicit, hipMemcpyDtoD(b, a, BYTES));
  E(StreamCaptureImplicit, hipMemcpy2D(a, 16, host, 16, 16, 2, hipMemcpyHostToDevice));
  E(StreamCaptureImplicit, hipMemcpyToSymbol(HIP_SYMBOL(symbol), host, BYTES));
  E(StreamCaptureImplicit, hipMemcpyFromSymbol(back, HIP_SYMBOL(symbol), BYTES));
}

int main() {
  CK(hipMalloc((void**)&a, BYTES));
  CK(hipMalloc((void**)&b, BYTES));
  CK(hipStreamCreate(&stream));
  forms();
  kinds();
  refused();
  symbols();
  boxes();
  while_capturing();
  CK(hipStreamDestroy(stream));
  CK(hipFree(b));
  CK(hipFree(a));
  return api_verdict("api_copy");
}
