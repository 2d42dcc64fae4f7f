// Arrays and what copies to and from them, texture objects and references as the API tells of them: what is given back,
// what is refused. One row a check.
//@ run-on: gfx906 gfx908 gfx90a
//@ ours: ROCr 5.2.3 tiles arrays, and the emulated GPU refuses tiled images; AMD's HIP passes on our ROCr
#include "check.h"

using std::vector;

static int checks = 0;

#define OK(call) gives(#call, (call), hipSuccess, __LINE__)
#define REFUSED(call, code) gives(#call, (call), code, __LINE__)
#define IS(cond) do { checks++; EXPECT(cond, "%s", #cond); } while (0)

static void gives(const char* what, hipError_t found, hipError_t code, int line) {
  checks++;
  EXPECT(found == code, "line %d: %s gave %d (%s), not %d", line, what, (int)found, hipGetErrorName(found), (int)code);
  (void)hipGetLastError();
}

static hipChannelFormatDesc channels(int bits, int n, hipChannelFormatKind kind) {
  return hipCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0, kind);
}

// Each format and number of channels, in each geometry: made, filled, read back in parts, given back.
static void formats() {
  struct Format { int bits; hipChannelFormatKind kind; hipArray_Format format; };
  const Format formats[] = {
      {8, hipChannelFormatKindUnsigned, HIP_AD_FORMAT_UNSIGNED_INT8}, {16, hipChannelFormatKindUnsigned, HIP_AD_FORMAT_UNSIGNED_INT16},
      {32, hipChannelFormatKindUnsigned, HIP_AD_FORMAT_UNSIGNED_INT32}, {8, hipChannelFormatKindSigned, HIP_AD_FORMAT_SIGNED_INT8},
      {16, hipChannelFormatKindSigned, HIP_AD_FORMAT_SIGNED_INT16}, {32, hipChannelFormatKindSigned, HIP_AD_FORMAT_SIGNED_INT32},
      {16, hipChannelFormatKindFloat, HIP_AD_FORMAT_HALF}, {32, hipChannelFormatKindFloat, HIP_AD_FORMAT_FLOAT}};
  struct Shape { size_t width, height, depth; unsigned flags; };
  const Shape shapes[] = {{37, 0, 0, hipArrayDefault}, {19, 5, 0, hipArrayDefault}, {9, 4, 3, hipArrayDefault}, {9, 4, 3, hipArrayLayered}};
  for (const Format& f : formats)
    for (int n : {1, 2, 4})
      for (const Shape& s : shapes) {
        hipChannelFormatDesc desc = channels(f.bits, n, f.kind), found = {};
        hipArray_t array = nullptr;
        hipExtent extent = make_hipExtent(s.width, s.height, s.depth);
        OK(hipMalloc3DArray(&array, &desc, extent, s.flags));
        OK(hipGetChannelDesc(&found, array));
        IS(memcmp(&found, &desc, sizeof desc) == 0);
        IS(array->width == s.width && array->height == s.height && array->depth == s.depth);
        IS(array->Format == f.format && array->NumChannels == (unsigned)n);
        size_t element = f.bits / 8 * n, rows = s.height ? s.height : 1, planes = s.depth ? s.depth : 1;
        size_t row = s.width * element;
        vector<unsigned char> given(row * rows * planes), back(given.size());
        Lcg random(f.bits + n);
        for (auto& byte : given) byte = random.next() >> 13;
        hipMemcpy3DParms copy = {};
        copy.srcPtr = make_hipPitchedPtr(given.data(), row, s.width, rows);
        copy.dstArray = array;
        copy.extent = make_hipExtent(s.width, rows, planes);
        copy.kind = hipMemcpyHostToDevice;
        OK(hipMemcpy3D(&copy));
        hipMemcpy3DParms out = {};
        out.srcArray = array;
        out.dstPtr = make_hipPitchedPtr(back.data(), row, s.width, rows);
        out.extent = copy.extent;
        out.kind = hipMemcpyDeviceToHost;
        OK(hipMemcpy3D(&out));
        IS(back == given);
        // A part, by elements: all but the first column, row and plane.
        std::fill(back.begin(), back.end(), 0);
        size_t y = rows > 1, z = planes > 1;
        out.srcPos = make_hipPos(1, y, z);
        out.extent = make_hipExtent(s.width - 1, rows - y, planes - z);
        OK(hipMemcpy3DAsync(&out, nullptr));
        OK(hipStreamSynchronize(nullptr));
        bool equal = true;
        for (size_t p = 0; p < planes - z; p++)
          for (size_t r = 0; r < rows - y; r++)
            equal &= memcmp(&back[(p * rows + r) * row], &given[((p + z) * rows + r + y) * row + element], row - element) == 0;
        IS(equal);
        out.extent.width++;
        REFUSED(hipMemcpy3D(&out), hipErrorInvalidValue);
        OK(hipFreeArray(array));
      }
}

// Copies of rectangles and rows, with and without streams, between each two kinds of memory.
static void copies() {
  constexpr size_t W = 24, H = 10, ROW = W * sizeof(int);
  hipChannelFormatDesc desc = hipCreateChannelDesc<int>();
  hipArray_t a, b;
  OK(hipMallocArray(&a, &desc, W, H, hipArrayDefault));
  HIP_ARRAY_DESCRIPTOR shape = {W, H, HIP_AD_FORMAT_SIGNED_INT32, 1};
  OK(hipArrayCreate(&b, &shape));
  vector<int> given(W * H), back(W * H);
  for (size_t i = 0; i < given.size(); i++) given[i] = i * 7 + 1;
  int* device = to_device(given);
  hipStream_t stream;
  CK(hipStreamCreate(&stream));
  auto equal = [&](const char* what) {
    checks++;
    EXPECT(back == given, "%s", what);
    std::fill(back.begin(), back.end(), 0);
  };
  for (auto kind : {hipMemcpyHostToDevice, hipMemcpyDeviceToDevice, hipMemcpyDefault})
    for (bool async : {false, true}) {
      bool host = kind == hipMemcpyHostToDevice;
      const void* from = host ? (void*)given.data() : (void*)device;
      vector<int> zeros(W * H);
      OK(hipMemcpy2DToArray(a, 0, 0, zeros.data(), ROW, ROW, H, hipMemcpyHostToDevice));
      if (async) OK(hipMemcpy2DToArrayAsync(a, 0, 0, from, ROW, ROW, H, kind, stream));
      else OK(hipMemcpy2DToArray(a, 0, 0, from, ROW, ROW, H, kind));
      if (async) OK(hipMemcpy2DFromArrayAsync(back.data(), ROW, a, 0, 0, ROW, H, hipMemcpyDeviceToHost, stream));
      else OK(hipMemcpy2DFromArray(back.data(), ROW, a, 0, 0, ROW, H, hipMemcpyDeviceToHost));
      OK(hipStreamSynchronize(stream));
      equal("2D there and back");
    }
  OK(hipMemcpyToArray(b, 0, 0, given.data(), ROW * H, hipMemcpyHostToDevice));
  OK(hipMemcpyFromArray(back.data(), b, 0, 0, ROW * H, hipMemcpyDeviceToHost));
  equal("whole arrays");
  // A part in the middle.
  vector<int> part(5 * 3);
  OK(hipMemcpy2DFromArray(part.data(), 5 * sizeof(int), b, 4 * sizeof(int), 2, 5 * sizeof(int), 3, hipMemcpyDeviceToHost));
  for (int i = 0; i < 15; i++) IS(part[i] == given[(2 + i / 5) * W + 4 + i % 5]);
  // The first row, by the driver's names.
  vector<int> row(W);
  OK(hipMemcpyAtoH(row.data(), b, 0, ROW));
  IS(memcmp(row.data(), given.data(), ROW) == 0);
  OK(hipMemcpyHtoA(b, 4, &given[100], 8));
  OK(hipMemcpyAtoH(row.data(), b, 4, 8));
  IS(row[0] == given[100] && row[1] == given[101]);
  OK(hipMemcpyHtoA(b, 4, &given[1], 8));
  // The driver's form with two arrays, an array and a pointer.
  hip_Memcpy2D p = {};
  p.srcMemoryType = p.dstMemoryType = hipMemoryTypeArray;
  p.srcArray = b;
  p.dstArray = a;
  p.srcXInBytes = 8;
  p.srcY = 1;
  p.dstXInBytes = 4;
  p.WidthInBytes = 40;
  p.Height = 6;
  OK(hipMemcpyParam2D(&p));
  p.srcArray = a;
  p.dstMemoryType = hipMemoryTypeHost;
  p.dstArray = nullptr;
  p.dstHost = back.data();
  p.dstXInBytes = 0;
  p.dstPitch = 40;
  p.srcXInBytes = 4;
  p.srcY = 0;
  OK(hipMemcpyParam2DAsync(&p, stream));
  OK(hipStreamSynchronize(stream));
  for (int i = 0; i < 60; i++) IS(back[i] == given[(1 + i / 10) * W + 2 + i % 10]);
  p.srcXInBytes = ROW - 36;
  REFUSED(hipMemcpyParam2D(&p), hipErrorInvalidValue);
  p.WidthInBytes = 0;
  OK(hipMemcpyParam2D(&p));
  HIP_MEMCPY3D box = {};
  box.srcMemoryType = hipMemoryTypeDevice;
  box.srcDevice = device;
  box.srcPitch = ROW;
  box.dstMemoryType = hipMemoryTypeArray;
  box.dstArray = a;
  box.WidthInBytes = ROW;
  box.Height = H;
  box.Depth = 1;
  OK(hipDrvMemcpy3D(&box));
  OK(hipDrvMemcpy3DAsync(&box, stream));
  OK(hipMemcpy2DFromArray(back.data(), ROW, a, 0, 0, ROW, H, hipMemcpyDeviceToHost));
  equal("hipDrvMemcpy3D");

  const auto HtoD = hipMemcpyHostToDevice, DtoH = hipMemcpyDeviceToHost;
  REFUSED(hipMemcpy2DToArray(nullptr, 0, 0, given.data(), ROW, ROW, H, HtoD), hipErrorInvalidResourceHandle);
  REFUSED(hipMemcpy2DToArray(a, 0, 0, given.data(), 0, ROW, H, HtoD), hipErrorInvalidPitchValue);
  REFUSED(hipMemcpy2DToArray(a, 0, 0, given.data(), ROW - 4, ROW, H, HtoD), hipErrorInvalidValue);
  REFUSED(hipMemcpy2DToArray(a, 4, 0, given.data(), ROW, ROW, H, HtoD), hipErrorInvalidValue);
  REFUSED(hipMemcpy2DToArray(a, 0, 1, given.data(), ROW, ROW, H, HtoD), hipErrorInvalidValue);
  REFUSED(hipMemcpy2DToArray(a, 0, 0, given.data(), ROW, ROW, H + 1, HtoD), hipErrorInvalidValue);
  OK(hipMemcpy2DToArray(a, 0, 0, given.data(), ROW, 0, H, HtoD));
  OK(hipMemcpy2DToArray(a, 0, 0, given.data(), ROW, ROW, 0, HtoD));
  REFUSED(hipMemcpy2DFromArray(back.data(), ROW, nullptr, 0, 0, ROW, H, DtoH), hipErrorInvalidResourceHandle);
  REFUSED(hipMemcpy2DFromArray(back.data(), 0, a, 0, 0, ROW, H, DtoH), hipErrorInvalidPitchValue);
  REFUSED(hipMemcpy2DFromArray(back.data(), ROW - 4, a, 0, 0, ROW, H, DtoH), hipErrorInvalidValue);
  REFUSED(hipMemcpy2DFromArray(back.data(), ROW, a, 4, 0, ROW, H, DtoH), hipErrorInvalidValue);
  REFUSED(hipMemcpy2DFromArray(back.data(), ROW, a, 0, 0, ROW, H + 1, DtoH), hipErrorInvalidValue);
  REFUSED(hipMemcpy2DToArrayAsync(nullptr, 0, 0, given.data(), ROW, ROW, H, HtoD, stream), hipErrorInvalidResourceHandle);
  REFUSED(hipMemcpy2DToArrayAsync(a, 0, 0, given.data(), 0, ROW, H, HtoD, stream), hipErrorInvalidPitchValue);
  REFUSED(hipMemcpy2DFromArrayAsync(back.data(), 0, a, 0, 0, ROW, H, DtoH, stream), hipErrorInvalidPitchValue);
  REFUSED(hipMemcpyToArray(nullptr, 0, 0, given.data(), ROW, HtoD), hipErrorInvalidValue);
  REFUSED(hipMemcpyFromArray(back.data(), nullptr, 0, 0, ROW, DtoH), hipErrorInvalidValue);
  REFUSED(hipMemcpyHtoA(nullptr, 0, given.data(), 4), hipErrorInvalidValue);
  REFUSED(hipMemcpyHtoA(a, ROW, given.data(), 4), hipErrorInvalidValue);
  REFUSED(hipMemcpyHtoA(a, 0, nullptr, 4), hipErrorInvalidValue);
  REFUSED(hipMemcpyAtoH(back.data(), nullptr, 0, 4), hipErrorInvalidValue);
  REFUSED(hipMemcpyAtoH(back.data(), a, ROW - 4, 8), hipErrorInvalidValue);
  REFUSED(hipMemcpyAtoH(nullptr, a, 0, 4), hipErrorInvalidValue);
  hipMemcpy3DParms bad = {};
  REFUSED(hipMemcpy3D(nullptr), hipErrorInvalidValue);
  REFUSED(hipMemcpy3D(&bad), hipErrorInvalidValue);
  bad.srcArray = a;
  bad.srcPtr.ptr = device;
  bad.dstArray = b;
  REFUSED(hipMemcpy3D(&bad), hipErrorInvalidValue);
  bad.srcPtr.ptr = nullptr;
  bad.dstPtr.ptr = device;
  REFUSED(hipMemcpy3D(&bad), hipErrorInvalidValue);
  bad.dstPtr.ptr = nullptr;
  bad.kind = hipMemcpyDeviceToDevice;
  OK(hipMemcpy3D(&bad));
  bad.extent = make_hipExtent(W, H, 1);
  OK(hipMemcpy3D(&bad));
  bad.extent = make_hipExtent(W, H, 2);
  REFUSED(hipMemcpy3D(&bad), hipErrorInvalidValue);
  OK(hipArrayDestroy(a));
  OK(hipArrayDestroy(b));
  REFUSED(hipFreeArray(nullptr), hipErrorInvalidValue);
  REFUSED(hipArrayDestroy(nullptr), hipErrorInvalidValue);
  CK(hipStreamDestroy(stream));
}

static void refusals() {
  hipArray_t array;
  hipChannelFormatDesc desc = hipCreateChannelDesc<float>(), three = hipCreateChannelDesc(8, 8, 8, 0, hipChannelFormatKindUnsigned);
  REFUSED(hipMallocArray(&array, &three, 8, 8, hipArrayDefault), hipErrorInvalidValue);
  REFUSED(hipMallocArray(&array, &desc, 0, 0, hipArrayDefault), hipErrorInvalidValue);
  REFUSED(hipMallocArray(&array, &desc, 0, 8, hipArrayDefault), hipErrorInvalidValue);
  REFUSED(hipMallocArray(&array, &desc, 20000, 8, hipArrayDefault), hipErrorInvalidValue);
  REFUSED(hipMallocArray(&array, &desc, 8, 20000, hipArrayDefault), hipErrorInvalidValue);
  REFUSED(hipMallocArray(&array, &desc, 8, 8, hipArrayCubemap), hipErrorNotSupported);
  REFUSED(hipMalloc3DArray(&array, &desc, make_hipExtent(8, 0, 8), hipArrayDefault), hipErrorInvalidValue);
  REFUSED(hipMalloc3DArray(&array, &desc, make_hipExtent(8, 8, 9000), hipArrayDefault), hipErrorInvalidValue);
  REFUSED(hipMalloc3DArray(&array, &desc, make_hipExtent(8, 8, 0), hipArrayLayered), hipErrorInvalidValue);
  hipMipmappedArray_t levels = nullptr;
  REFUSED(hipMallocMipmappedArray(&levels, &desc, make_hipExtent(8, 8, 0), 2, 0), hipErrorNotSupported);
  REFUSED(hipFreeMipmappedArray(nullptr), hipErrorNotSupported);
  REFUSED(hipGetMipmappedArrayLevel(&array, nullptr, 0), hipErrorNotSupported);
  HIP_ARRAY3D_DESCRIPTOR shape = {8, 8, 0, HIP_AD_FORMAT_FLOAT, 1, 0};
  REFUSED(hipMipmappedArrayCreate(&levels, &shape, 3), hipErrorInvalidValue);
  REFUSED(hipMipmappedArrayDestroy(nullptr), hipErrorInvalidValue);
  REFUSED(hipMipmappedArrayGetLevel(&array, nullptr, 0), hipErrorInvalidValue);
  REFUSED(hipGetChannelDesc(nullptr, nullptr), hipErrorInvalidValue);
  REFUSED(hipGetChannelDesc(&desc, nullptr), hipErrorInvalidValue);
  shape.NumChannels = 3;
  REFUSED(hipArray3DCreate(&array, &shape), hipErrorInvalidValue);
  shape.NumChannels = 0;
  REFUSED(hipArray3DCreate(&array, &shape), hipErrorInvalidValue);
  shape.NumChannels = 4;
  OK(hipArray3DCreate(&array, &shape));
  OK(hipArrayDestroy(array));
}

static void objects() {
  hipArray_t array;
  hipChannelFormatDesc desc = hipCreateChannelDesc<float>();
  OK(hipMallocArray(&array, &desc, 16, 16, hipArrayDefault));
  float* device = to_device(vector<float>(4096));
  hipResourceDesc resource = {}, linear = {}, pitched = {}, levels = {};
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  linear.resType = hipResourceTypeLinear;
  linear.res.linear.devPtr = device;
  linear.res.linear.desc = desc;
  linear.res.linear.sizeInBytes = 256;
  pitched.resType = hipResourceTypePitch2D;
  pitched.res.pitch2D.devPtr = device;
  pitched.res.pitch2D.desc = desc;
  pitched.res.pitch2D.width = 16;
  pitched.res.pitch2D.height = 4;
  pitched.res.pitch2D.pitchInBytes = 256;
  levels.resType = hipResourceTypeMipmappedArray;
  levels.res.mipmap.mipmap = (hipMipmappedArray_t)array;
  hipTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = hipAddressModeMirror;
  how.filterMode = hipFilterModeLinear;
  how.normalizedCoords = 1;
  hipTextureObject_t texture;
  for (hipResourceDesc* of : {&resource, &linear, &pitched}) {
    texture = nullptr;
    OK(hipCreateTextureObject(&texture, of, &how, nullptr));
    IS(texture != nullptr);
    hipResourceDesc resource_back;
    hipTextureDesc how_back;
    hipResourceViewDesc view_back;
    OK(hipGetTextureObjectResourceDesc(&resource_back, texture));
    OK(hipGetTextureObjectTextureDesc(&how_back, texture));
    OK(hipGetTextureObjectResourceViewDesc(&view_back, texture));
    IS(memcmp(&how_back, &how, sizeof how) == 0);
    IS(resource_back.resType == of->resType && resource_back.res.linear.devPtr == of->res.linear.devPtr);
    IS(view_back.format == hipResViewFormatNone && view_back.width == 0);
    REFUSED(hipGetTextureObjectResourceDesc(nullptr, texture), hipErrorInvalidValue);
    REFUSED(hipGetTextureObjectTextureDesc(nullptr, texture), hipErrorInvalidValue);
    REFUSED(hipGetTextureObjectResourceViewDesc(nullptr, texture), hipErrorInvalidValue);
    HIP_RESOURCE_DESC driver;
    HIP_TEXTURE_DESC driver_how;
    HIP_RESOURCE_VIEW_DESC driver_view;
    OK(hipTexObjectGetResourceDesc(&driver, texture));
    OK(hipTexObjectGetTextureDesc(&driver_how, texture));
    OK(hipTexObjectGetResourceViewDesc(&driver_view, texture));
    IS((int)driver.resType == (int)of->resType && driver.res.linear.devPtr == of->res.linear.devPtr);
    IS(driver_how.flags == (HIP_TRSF_READ_AS_INTEGER | HIP_TRSF_NORMALIZED_COORDINATES));
    IS(of == &resource || (driver.res.linear.format == HIP_AD_FORMAT_FLOAT && driver.res.linear.numChannels == 1));
    IS(of != &linear || driver.res.linear.sizeInBytes == 256);
    IS(of != &pitched || (driver.res.pitch2D.width == 16 && driver.res.pitch2D.height == 4 && driver.res.pitch2D.pitchInBytes == 256));
    REFUSED(hipTexObjectGetResourceDesc(nullptr, texture), hipErrorInvalidValue);
    REFUSED(hipTexObjectGetTextureDesc(nullptr, texture), hipErrorInvalidValue);
    REFUSED(hipTexObjectGetResourceViewDesc(nullptr, texture), hipErrorInvalidValue);
    hipTextureObject_t again = nullptr;
    driver.flags = 0;
    OK(hipTexObjectCreate(&again, &driver, &driver_how, nullptr));
    OK(hipTexObjectDestroy(again));
    OK(hipDestroyTextureObject(texture));
  }
  OK(hipDestroyTextureObject(nullptr));
  OK(hipTexObjectDestroy(nullptr));
  REFUSED(hipGetTextureObjectResourceDesc(&resource, nullptr), hipErrorInvalidValue);
  REFUSED(hipGetTextureObjectTextureDesc(&how, nullptr), hipErrorInvalidValue);
  REFUSED(hipCreateTextureObject(nullptr, &resource, &how, nullptr), hipErrorInvalidValue);
  REFUSED(hipCreateTextureObject(&texture, nullptr, &how, nullptr), hipErrorInvalidValue);
  REFUSED(hipCreateTextureObject(&texture, &resource, nullptr, nullptr), hipErrorInvalidValue);
  hipResourceViewDesc view = {};
  view.format = hipResViewFormatUnsignedInt1;
  view.width = view.height = 16;
  OK(hipCreateTextureObject(&texture, &resource, &how, &view));
  hipResourceViewDesc view_back;
  OK(hipGetTextureObjectResourceViewDesc(&view_back, texture));
  IS(memcmp(&view, &view_back, sizeof view) == 0);
  OK(hipDestroyTextureObject(texture));
  REFUSED(hipCreateTextureObject(&texture, &linear, &how, &view), hipErrorInvalidValue);
  REFUSED(hipCreateTextureObject(&texture, &pitched, &how, &view), hipErrorInvalidValue);
  REFUSED(hipCreateTextureObject(&texture, &levels, &how, nullptr), hipErrorNotSupported);
  how.normalizedCoords = 0;
  REFUSED(hipCreateTextureObject(&texture, &levels, &how, nullptr), hipErrorInvalidValue);
  levels.res.mipmap.mipmap = nullptr;
  REFUSED(hipCreateTextureObject(&texture, &levels, &how, nullptr), hipErrorInvalidValue);
  hipResourceDesc wrong = resource;
  wrong.res.array.array = nullptr;
  REFUSED(hipCreateTextureObject(&texture, &wrong, &how, nullptr), hipErrorInvalidValue);
  wrong = linear;
  wrong.res.linear.devPtr = nullptr;
  REFUSED(hipCreateTextureObject(&texture, &wrong, &how, nullptr), hipErrorInvalidValue);
  wrong.res.linear.devPtr = (char*)device + 4;
  REFUSED(hipCreateTextureObject(&texture, &wrong, &how, nullptr), hipErrorInvalidValue);
  wrong = pitched;
  wrong.res.pitch2D.devPtr = nullptr;
  REFUSED(hipCreateTextureObject(&texture, &wrong, &how, nullptr), hipErrorInvalidValue);
  wrong.res.pitch2D.devPtr = (char*)device + 128;
  REFUSED(hipCreateTextureObject(&texture, &wrong, &how, nullptr), hipErrorInvalidValue);
  wrong = pitched;
  wrong.res.pitch2D.pitchInBytes = 100;
  REFUSED(hipCreateTextureObject(&texture, &wrong, &how, nullptr), hipErrorInvalidValue);
  wrong.res.pitch2D.pitchInBytes = 256;
  wrong.res.pitch2D.width = 20000;
  REFUSED(hipCreateTextureObject(&texture, &wrong, &how, nullptr), hipErrorInvalidValue);
  for (int field = 0; field < 4; field++) {
    hipTextureDesc levelled = how;
    if (field == 0) levelled.maxAnisotropy = 4;
    if (field == 1) levelled.mipmapLevelBias = 1;
    if (field == 2) levelled.minMipmapLevelClamp = 1;
    if (field == 3) levelled.maxMipmapLevelClamp = 1;
    REFUSED(hipCreateTextureObject(&texture, &resource, &levelled, nullptr), hipErrorNotSupported);
  }
  hipSurfaceObject_t surface = nullptr;
  OK(hipCreateSurfaceObject(&surface, &resource));
  IS(surface != nullptr);
  OK(hipDestroySurfaceObject(surface));
  OK(hipDestroySurfaceObject(nullptr));
  REFUSED(hipCreateSurfaceObject(nullptr, &resource), hipErrorInvalidValue);
  REFUSED(hipCreateSurfaceObject(&surface, nullptr), hipErrorInvalidValue);
  REFUSED(hipCreateSurfaceObject(&surface, &linear), hipErrorInvalidValue);
  REFUSED(hipCreateSurfaceObject(&surface, &pitched), hipErrorInvalidValue);
  wrong = resource;
  wrong.res.array.array = nullptr;
  REFUSED(hipCreateSurfaceObject(&surface, &wrong), hipErrorInvalidValue);
  OK(hipFreeArray(array));
}

static void attributes() {
  int value = -1;
  OK(hipDeviceGetAttribute(&value, hipDeviceAttributeImageSupport, 0));
  IS(value == 1);
  hipDeviceProp_t properties;
  CK(hipGetDeviceProperties(&properties, 0));
  IS(properties.maxTexture1D == 16384 && properties.maxTexture2D[0] == 16384 && properties.maxTexture2D[1] == 16384);
  IS(properties.maxTexture3D[0] == 16384 && properties.maxTexture3D[1] == 16384 && properties.maxTexture3D[2] == 8192);
  IS(properties.textureAlignment == 256 && properties.texturePitchAlignment == 256);
  struct { hipDeviceAttribute_t attribute; int expected; } table[] = {
      {hipDeviceAttributeMaxTexture1DWidth, 16384}, {hipDeviceAttributeMaxTexture2DWidth, 16384},
      {hipDeviceAttributeMaxTexture2DHeight, 16384}, {hipDeviceAttributeMaxTexture3DWidth, 16384},
      {hipDeviceAttributeMaxTexture3DHeight, 16384}, {hipDeviceAttributeMaxTexture3DDepth, 8192},
      {hipDeviceAttributeTextureAlignment, 256}, {hipDeviceAttributeTexturePitchAlignment, 256}};
  for (auto& row : table) {
    OK(hipDeviceGetAttribute(&value, row.attribute, 0));
    EXPECT(value == row.expected, "attribute %d is %d, not %d", row.attribute, value, row.expected);
    checks++;
  }
}

// The calls that change a reference and ask it, which need no code of a device behind it.
static void references() {
  textureReference reference = {};
  REFUSED(hipUnbindTexture(nullptr), hipErrorInvalidValue);
  OK(hipUnbindTexture(&reference));
  for (unsigned flags : {0u, 1u, 2u, 16u, 19u}) {
    unsigned found = 99;
    OK(hipTexRefSetFlags(&reference, flags));
    OK(hipTexRefGetFlags(&found, &reference));
    IS(found == flags);
  }
  for (auto mode : {hipFilterModePoint, hipFilterModeLinear}) {
    hipTextureFilterMode found;
    OK(hipTexRefSetFilterMode(&reference, mode));
    OK(hipTexRefGetFilterMode(&found, &reference));
    IS(found == mode);
    OK(hipTexRefSetMipmapFilterMode(&reference, mode));
    IS(reference.mipmapFilterMode == mode);
  }
  for (auto mode : {hipAddressModeWrap, hipAddressModeClamp, hipAddressModeMirror, hipAddressModeBorder})
    for (int d : {0, 1, 2}) {
      hipTextureAddressMode found;
      OK(hipTexRefSetAddressMode(&reference, d, mode));
      IS(reference.addressMode[d] == mode);
      if (d < 2) {
        OK(hipTexRefGetAddressMode(&found, &reference, d));
        IS(found == mode);
      } else {
        REFUSED(hipTexRefGetAddressMode(&found, &reference, d), hipErrorInvalidValue);
      }
    }
  REFUSED(hipTexRefSetAddressMode(&reference, 3, hipAddressModeWrap), hipErrorInvalidValue);
  REFUSED(hipTexRefSetAddressMode(&reference, -1, hipAddressModeWrap), hipErrorInvalidValue);
  REFUSED(hipTexRefSetAddressMode(nullptr, 0, hipAddressModeWrap), hipErrorInvalidValue);
  hipArray_Format format;
  int channels;
  OK(hipTexRefSetFormat(&reference, HIP_AD_FORMAT_HALF, 2));
  OK(hipTexRefGetFormat(&format, &channels, &reference));
  IS(format == HIP_AD_FORMAT_HALF && channels == 2);
  REFUSED(hipTexRefGetFormat(nullptr, &channels, &reference), hipErrorInvalidValue);
  REFUSED(hipTexRefGetFormat(&format, nullptr, &reference), hipErrorInvalidValue);
  REFUSED(hipTexRefGetFormat(&format, &channels, nullptr), hipErrorInvalidValue);
  REFUSED(hipTexRefSetFormat(nullptr, format, channels), hipErrorInvalidValue);
  REFUSED(hipTexRefSetFlags(nullptr, 0), hipErrorInvalidValue);
  REFUSED(hipTexRefGetFlags(nullptr, &reference), hipErrorInvalidValue);
  REFUSED(hipTexRefSetFilterMode(nullptr, hipFilterModePoint), hipErrorInvalidValue);
  REFUSED(hipTexRefGetFilterMode(nullptr, &reference), hipErrorInvalidValue);
  OK(hipTexRefSetMaxAnisotropy(&reference, 4));
  IS(reference.maxAnisotropy == 4);
  OK(hipTexRefSetMipmapLevelBias(&reference, 1.5f));
  IS(reference.mipmapLevelBias == 1.5f);
  OK(hipTexRefSetMipmapLevelClamp(&reference, 1, 2));
  IS(reference.minMipmapLevelClamp == 1 && reference.maxMipmapLevelClamp == 2);
  hipArray_t array;
  hipDeviceptr_t address;
  REFUSED(hipTexRefGetAddress(&address, &reference), hipErrorInvalidValue);
  REFUSED(hipTexRefGetAddress(nullptr, &reference), hipErrorInvalidValue);
  REFUSED(hipTexRefSetArray(&reference, nullptr, HIP_TRSA_OVERRIDE_FORMAT), hipErrorInvalidValue);
  REFUSED(hipTexRefSetArray(nullptr, nullptr, 0), hipErrorInvalidValue);
  float* device = to_device(vector<float>(64));
  size_t offset = 9;
  REFUSED(hipTexRefSetAddress(&offset, &reference, device, 256), hipErrorNotFound);
  REFUSED(hipTexRefSetAddress(&offset, nullptr, device, 256), hipErrorInvalidValue);
  hipChannelFormatDesc desc = hipCreateChannelDesc<float>();
  REFUSED(hipBindTexture(&offset, &reference, device, &desc, 256), hipErrorInvalidSymbol);
  REFUSED(hipBindTexture2D(&offset, &reference, device, &desc, 8, 8, 256), hipErrorInvalidSymbol);
  REFUSED(hipBindTextureToArray(&reference, nullptr, &desc), hipErrorInvalidSymbol);
  OK(hipGetTextureAlignmentOffset(&offset, &reference));
  IS(offset == 0);
  REFUSED(hipGetTextureAlignmentOffset(nullptr, &reference), hipErrorInvalidValue);
  (void)array;
}

int main() {
  formats();
  copies();
  refusals();
  objects();
  attributes();
  references();
  EXPECT(checks >= 1500, "%d checks", checks);
  printf("%d checks\n", checks);
  return verdict("arrays");
}
