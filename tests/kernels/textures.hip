// Textures and surfaces: what kernels read through them, of arrays, of pitched and of linear memory and of layers, in each
// format, address mode and filter; against the same computed on the host.
//@ flags: -std=c++17
//@ only-opt: 3
//@ run-on: gfx906 gfx908 gfx90a
//@ ours: ROCr 5.2.3 tiles arrays, and the emulated GPU refuses tiled images; AMD's HIP passes on our ROCr
#include <functional>

#include "check.h"

using std::vector;

constexpr int W = 13, H = 7, D = 3, N = 64;

__global__ void fetch_1d(hipTextureObject_t texture, int n, float4* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<float4>(texture, i);
}
__global__ void sample_1d(hipTextureObject_t texture, const float* x, float4* out) {
  int i = threadIdx.x;
  out[i] = tex1D<float4>(texture, x[i]);
}
__global__ void sample_2d(hipTextureObject_t texture, const float* x, const float* y, float4* out) {
  int i = threadIdx.x;
  out[i] = tex2D<float4>(texture, x[i], y[i]);
}
__global__ void sample_3d(hipTextureObject_t texture, const float* x, const float* y, const float* z, float4* out) {
  int i = threadIdx.x;
  out[i] = tex3D<float4>(texture, x[i], y[i], z[i]);
}
__global__ void sample_1d_layer(hipTextureObject_t texture, const float* x, float4* out) {
  int i = threadIdx.x;
  out[i] = tex1DLayered<float4>(texture, x[i], i % D);
}
__global__ void sample_2d_layer(hipTextureObject_t texture, const float* x, const float* y, float4* out) {
  int i = threadIdx.x;
  out[i] = tex2DLayered<float4>(texture, x[i], y[i], i % D);
}
__global__ void surface_1d(hipSurfaceObject_t from, hipSurfaceObject_t to) {
  int x = threadIdx.x;
  float4 value;
  surf1Dread(&value, from, x * (int)sizeof(float4));
  value.x += 1;
  surf1Dwrite(value, to, x * (int)sizeof(float4));
}
__global__ void surface_2d(hipSurfaceObject_t from, hipSurfaceObject_t to) {
  int x = threadIdx.x, y = blockIdx.x;
  float value;
  surf2Dread(&value, from, x * (int)sizeof(float), y);
  surf2Dwrite(value * 2, to, x * (int)sizeof(float), y);
}
__global__ void surface_3d(hipSurfaceObject_t from, hipSurfaceObject_t to) {
  int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
  float2 value;
  surf3Dread(&value, from, x * (int)sizeof(float2), y, z);
  surf3Dwrite(make_float2(value.y, value.x), to, x * (int)sizeof(float2), y, z);
}

// A format: the bits of a channel, its kind, and what a stored number means.
struct Format {
  const char* name;
  int bits;
  hipChannelFormatKind kind;
};
const Format FORMATS[] = {
    {"uchar", 8, hipChannelFormatKindUnsigned},  {"char", 8, hipChannelFormatKindSigned},
    {"ushort", 16, hipChannelFormatKindUnsigned}, {"short", 16, hipChannelFormatKindSigned},
    {"uint", 32, hipChannelFormatKindUnsigned},  {"int", 32, hipChannelFormatKindSigned},
    {"half", 16, hipChannelFormatKindFloat},     {"float", 32, hipChannelFormatKindFloat},
};

static double half_value(unsigned bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -value : value;
}
static double float_value(unsigned bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}
// What a register holds of a stored number: a float's value, or an integer's bits as a float's value.
static double meaning(const Format& f, unsigned bits, bool normalised) {
  long long number = bits;
  if (f.kind == hipChannelFormatKindSigned && f.bits < 32 && bits >> (f.bits - 1)) number -= 1ll << f.bits;
  if (f.kind == hipChannelFormatKindFloat) return f.bits == 16 ? half_value(bits) : float_value(bits);
  if (!normalised || f.bits == 32) return float_value((unsigned)number);
  if (f.kind == hipChannelFormatKindUnsigned) return (double)number / ((1 << f.bits) - 1);
  return std::max(-1.0, (double)number / ((1 << (f.bits - 1)) - 1));
}

// An image on the host: stored numbers, a channel after the other.
struct Host {
  Format format;
  int channels, width, height, depth;
  vector<unsigned> numbers;
  vector<unsigned char> bytes;

  Host(const Format& f, int channels, int width, int height, int depth, unsigned seed)
      : format(f), channels(channels), width(width), height(height), depth(depth) {
    Lcg random(seed);
    for (int i = 0; i < channels * width * height * depth; i++) {
      unsigned bits = random.next() >> 8 ^ random.next() << 11;
      if (f.bits < 32) bits &= (1u << f.bits) - 1;
      if (f.kind == hipChannelFormatKindFloat) {
        float value = (float)(random.unit() * 8 - 4);
        memcpy(&bits, &value, 4);
        if (f.bits == 16) bits = (bits >> 16 & 0x8000) | (((bits >> 23 & 255) - 112) << 10 & 0x7c00) | (bits >> 13 & 1023);
      }
      numbers.push_back(bits);
      for (int b = 0; b < f.bits; b += 8) bytes.push_back(bits >> b);
    }
  }
  size_t element() const { return channels * format.bits / 8; }
  size_t row() const { return width * element(); }
  hipChannelFormatDesc desc() const {
    int b = format.bits, n = channels;
    return hipCreateChannelDesc(b, n > 1 ? b : 0, n > 2 ? b : 0, n > 3 ? b : 0, format.kind);
  }
  double at(int x, int y, int z, int channel, bool normalised) const {
    if (channel >= channels) return 0;
    return meaning(format, numbers[((z * height + y) * width + x) * channels + channel], normalised);
  }
};

static int bring_in(int at, int side, hipTextureAddressMode mode) {
  switch (mode) {
    case hipAddressModeWrap: return ((at % side) + side) % side;
    case hipAddressModeClamp: return std::min(std::max(at, 0), side - 1);
    case hipAddressModeMirror: {
      int m = ((at % (2 * side)) + 2 * side) % (2 * side);
      return m < side ? m : 2 * side - 1 - m;
    }
    default: return at >= 0 && at < side ? at : -1;
  }
}

struct How {
  hipTextureAddressMode mode;
  hipTextureFilterMode filter;
  bool normalised_coordinates, normalised_numbers;
};

// A sample at coordinates in elements, of `dimensions` dimensions; of a layer when `layer` is one.
static double sample(const Host& host, const How& how, int dimensions, const double* at, int layer, int channel) {
  int sides[3] = {host.width, host.height, host.depth};
  hipTextureAddressMode mode = how.mode;
  if (!how.normalised_coordinates && mode != hipAddressModeBorder) mode = hipAddressModeClamp;
  auto fetch = [&](const int* element) {
    int inside[3] = {0, 0, layer >= 0 ? layer : 0};
    for (int d = 0; d < dimensions; d++)
      if ((inside[d] = bring_in(element[d], sides[d], mode)) < 0) return 0.0;
    return host.at(inside[0], inside[1], inside[2], channel, how.normalised_numbers);
  };
  int first[3] = {0, 0, 0};
  if (how.filter == hipFilterModePoint) {
    for (int d = 0; d < dimensions; d++) first[d] = (int)std::floor(at[d]);
    return fetch(first);
  }
  double sum = 0;
  for (int corner = 0; corner < 1 << dimensions; corner++) {
    int element[3] = {0, 0, 0};
    double weight = 1;
    for (int d = 0; d < dimensions; d++) {
      double x = at[d] - 0.5, part = x - std::floor(x);
      element[d] = (int)std::floor(x) + (corner >> d & 1);
      weight *= corner >> d & 1 ? part : 1 - part;
    }
    if (weight) sum += weight * fetch(element);
  }
  return sum;
}

static int compared = 0;

static void same(const char* what, const Host& host, const How& how, double ours, float theirs, const double* at) {
  compared++;
  // Filters count in steps of 1/256 of an element, of numbers of up to 8 apart, in each dimension.
  double bound = how.filter == hipFilterModePoint ? std::fabs(ours) * 1e-6 : 0.1;
  bool equal = std::fabs(ours - theirs) <= bound || (std::isnan(ours) && std::isnan(theirs));
  EXPECT(equal, "%s of %s × %d at %g %g %g, mode %d, filter %d, coordinates %d: %.9g, not %.9g", what, host.format.name,
         host.channels, at[0], at[1], at[2], how.mode, how.filter, how.normalised_coordinates, theirs, ours);
}

static hipTextureDesc description(const How& how) {
  hipTextureDesc desc = {};
  for (auto& mode : desc.addressMode) mode = how.mode;
  desc.filterMode = how.filter;
  desc.readMode = how.normalised_numbers ? hipReadModeNormalizedFloat : hipReadModeElementType;
  desc.normalizedCoords = how.normalised_coordinates;
  return desc;
}

static hipTextureObject_t texture_of(const hipResourceDesc& resource, const How& how) {
  hipTextureObject_t texture;
  hipTextureDesc desc = description(how);
  CK(hipCreateTextureObject(&texture, &resource, &desc, nullptr));
  return texture;
}

static hipResourceDesc array_resource(hipArray_t array) {
  hipResourceDesc resource = {};
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

static hipArray_t array_of(const Host& host, int dimensions, bool layered) {
  hipArray_t array;
  hipChannelFormatDesc desc = host.desc();
  hipExtent extent = make_hipExtent(host.width, dimensions > 1 ? host.height : 0,
                                    dimensions == 3 || layered ? host.depth : 0);
  CK(hipMalloc3DArray(&array, &desc, extent, layered ? hipArrayLayered : hipArrayDefault));
  hipMemcpy3DParms copy = {};
  copy.srcPtr = make_hipPitchedPtr((void*)host.bytes.data(), host.row(), host.width, host.height);
  copy.dstArray = array;
  copy.extent = make_hipExtent(host.width, host.height, host.depth);
  if (layered && dimensions == 1) copy.extent = make_hipExtent(host.width, host.depth, 1);
  copy.kind = hipMemcpyHostToDevice;
  CK(hipMemcpy3D(&copy));
  return array;
}

static void sampled(const Host& host, const How& how, int dimensions, bool layered, hipTextureObject_t texture,
                    const char* what) {
  vector<float> at[3];
  double elements[N][3] = {};
  int sides[3] = {host.width, host.height, host.depth};
  Lcg random(host.channels * 31 + dimensions);
  for (int d = 0; d < 3; d++)
    for (int i = 0; i < N; i++) {
      // From well before the image to well behind it, in 64ths that no address mode brings onto an edge.
      int side = d < dimensions ? sides[d] : 1;
      double x = std::floor(random.unit() * side * 3 * 64 - side * 64) / 64 + 1 / 128.0;
      if (how.normalised_coordinates) x = (float)(x / side), elements[i][d] = x * side;
      else elements[i][d] = x;
      at[d].push_back((float)x);
    }
  float *x = to_device(at[0]), *y = to_device(at[1]), *z = to_device(at[2]);
  float4* out = to_device(vector<float4>(N));
  if (layered && dimensions == 1) sample_1d_layer<<<1, N>>>(texture, x, out);
  else if (layered) sample_2d_layer<<<1, N>>>(texture, x, y, out);
  else if (dimensions == 1) sample_1d<<<1, N>>>(texture, x, out);
  else if (dimensions == 2) sample_2d<<<1, N>>>(texture, x, y, out);
  else sample_3d<<<1, N>>>(texture, x, y, z, out);
  SYNC();
  vector<float4> found = to_host(out, N);
  for (int i = 0; i < N; i++) {
    float theirs[4] = {found[i].x, found[i].y, found[i].z, found[i].w};
    for (int c = 0; c < host.channels; c++)
      same(what, host, how, sample(host, how, dimensions, elements[i], layered ? i % D : -1, c), theirs[c], elements[i]);
  }
  for (void* pointer : {(void*)x, (void*)y, (void*)z, (void*)out}) CK(hipFree(pointer));
}

static bool filterable(const Format& f, bool normalised) {
  return f.kind == hipChannelFormatKindFloat || (normalised && f.bits < 32);
}

static void arrays() {
  const hipTextureAddressMode modes[] = {hipAddressModeWrap, hipAddressModeClamp, hipAddressModeMirror, hipAddressModeBorder};
  for (const Format& f : FORMATS)
    for (int channels : {1, 2, 4})
      for (bool normalised_numbers : {false, true}) {
        Host flat(f, channels, W, H, 1, 7 + channels);
        hipArray_t array = array_of(flat, 2, false);
        hipResourceDesc resource = array_resource(array);
        // Each mode with either filter, with whole and with normalised coordinates; not all of them for all formats.
        for (int turn = 0; turn < (f.bits == 32 ? 4 : 16); turn++) {
          How how = {modes[turn & 3], turn & 4 ? hipFilterModeLinear : hipFilterModePoint, turn < 8, normalised_numbers};
          if (f.bits == 32) how.normalised_coordinates = channels != 2;
          if (how.filter == hipFilterModeLinear && !filterable(f, normalised_numbers)) continue;
          hipTextureObject_t texture = texture_of(resource, how);
          sampled(flat, how, 2, false, texture, "tex2D");
          CK(hipDestroyTextureObject(texture));
        }
        CK(hipFreeArray(array));
      }
}

static void dimensions() {
  for (const Format* f : {&FORMATS[0], &FORMATS[3], &FORMATS[6], &FORMATS[7]})
    for (auto filter : {hipFilterModePoint, hipFilterModeLinear})
      for (bool layered : {false, true})
        for (int n : {1, 2, 3}) {
          if (n == 3 && layered) continue;
          How how = {hipAddressModeMirror, filter, true, true};
          bool deep = n == 3 || layered;
          Host host(*f, 4, W, n > 1 ? H : 1, deep ? D : 1, n);
          hipArray_t array = array_of(host, n, layered);
          hipTextureObject_t texture = texture_of(array_resource(array), how);
          sampled(host, how, n, layered, texture, layered ? "a layer" : "an image");
          CK(hipDestroyTextureObject(texture));
          CK(hipFreeArray(array));
        }
}

static void memory() {
  for (const Format& f : FORMATS)
    for (int channels : {1, 2, 4})
      for (bool normalised : {false, true}) {
        How how = {hipAddressModeClamp, hipFilterModePoint, false, normalised};
        Host line(f, channels, 40, 1, 1, 3);
        unsigned char* device = to_device(line.bytes);
        hipResourceDesc resource = {};
        resource.resType = hipResourceTypeLinear;
        resource.res.linear.devPtr = device;
        resource.res.linear.desc = line.desc();
        resource.res.linear.sizeInBytes = line.bytes.size();
        hipTextureObject_t texture = texture_of(resource, how);
        float4* out = to_device(vector<float4>(N));
        fetch_1d<<<1, N>>>(texture, line.width, out);
        SYNC();
        vector<float4> found = to_host(out, N);
        for (int i = 0; i < line.width; i++) {
          float theirs[4] = {found[i].x, found[i].y, found[i].z, found[i].w};
          double at[3] = {(double)i, 0, 0};
          for (int c = 0; c < channels; c++)
            same("tex1Dfetch", line, how, line.at(i, 0, 0, c, normalised), theirs[c], at);
        }
        CK(hipDestroyTextureObject(texture));
        CK(hipFree(out));
        CK(hipFree(device));

        Host flat(f, channels, W, H, 1, 5);
        void* pitched;
        size_t pitch;
        CK(hipMallocPitch(&pitched, &pitch, flat.row(), H));
        CK(hipMemcpy2D(pitched, pitch, flat.bytes.data(), flat.row(), flat.row(), H, hipMemcpyHostToDevice));
        resource = {};
        resource.resType = hipResourceTypePitch2D;
        resource.res.pitch2D.devPtr = pitched;
        resource.res.pitch2D.desc = flat.desc();
        resource.res.pitch2D.width = W;
        resource.res.pitch2D.height = H;
        resource.res.pitch2D.pitchInBytes = pitch;
        if (filterable(f, normalised)) how.filter = hipFilterModeLinear;
        texture = texture_of(resource, how);
        sampled(flat, how, 2, false, texture, "pitched memory");
        CK(hipDestroyTextureObject(texture));
        CK(hipFree(pitched));
      }
}

// sRGB numbers become linear ones, alpha stays.
static void srgb() {
  vector<uchar4> texels;
  for (int i = 0; i < N; i++) texels.push_back(make_uchar4(i * 4, 255 - i, i, i * 3));
  hipArray_t array;
  hipChannelFormatDesc desc = hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned);
  CK(hipMallocArray(&array, &desc, N, 0, hipArrayDefault));
  CK(hipMemcpyHtoA(array, 0, texels.data(), N * sizeof(uchar4)));
  hipTextureDesc how = description({hipAddressModeClamp, hipFilterModePoint, false, true});
  how.sRGB = 1;
  hipResourceDesc resource = array_resource(array);
  hipTextureObject_t texture;
  CK(hipCreateTextureObject(&texture, &resource, &how, nullptr));
  vector<float> at;
  for (int i = 0; i < N; i++) at.push_back(i + 0.5f);
  float* x = to_device(at);
  float4* out = to_device(vector<float4>(N));
  sample_1d<<<1, N>>>(texture, x, out);
  SYNC();
  vector<float4> found = to_host(out, N);
  auto linear = [](int stored) {
    double v = stored / 255.0;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  for (int i = 0; i < N; i++) {
    compared++;
    bool equal = std::fabs(found[i].x - linear(texels[i].x)) < 1e-5 && std::fabs(found[i].y - linear(texels[i].y)) < 1e-5 &&
                 std::fabs(found[i].z - linear(texels[i].z)) < 1e-5 && std::fabs(found[i].w - texels[i].w / 255.0) < 1e-6;
    EXPECT(equal, "sRGB %d: %g %g %g %g", i, found[i].x, found[i].y, found[i].z, found[i].w);
  }
  CK(hipDestroyTextureObject(texture));
  CK(hipFreeArray(array));
}

template <class T, class Launch>
static void surface(int channels, int dimensions, Launch launch, std::function<T(T)> expected) {
  Host host(FORMATS[7], channels, W, dimensions > 1 ? H : 1, dimensions > 2 ? D : 1, 9);
  Host zero = host;
  std::fill(zero.bytes.begin(), zero.bytes.end(), 0);
  hipArray_t from = array_of(host, dimensions, false), to = array_of(zero, dimensions, false);
  hipResourceDesc a = array_resource(from), b = array_resource(to);
  hipSurfaceObject_t source, destination;
  CK(hipCreateSurfaceObject(&source, &a));
  CK(hipCreateSurfaceObject(&destination, &b));
  launch(source, destination);
  SYNC();
  vector<T> found(host.bytes.size() / sizeof(T));
  hipMemcpy3DParms copy = {};
  copy.srcArray = to;
  copy.dstPtr = make_hipPitchedPtr(found.data(), host.row(), host.width, host.height);
  copy.extent = make_hipExtent(host.width, host.height, host.depth);
  copy.kind = hipMemcpyDeviceToHost;
  CK(hipMemcpy3D(&copy));
  const T* given = (const T*)host.bytes.data();
  for (size_t i = 0; i < found.size(); i++) {
    compared++;
    T wanted = expected(given[i]);
    EXPECT(memcmp(&wanted, &found[i], sizeof(T)) == 0, "element %zu of a surface of %d dimensions", i, dimensions);
  }
  CK(hipDestroySurfaceObject(source));
  CK(hipDestroySurfaceObject(destination));
  CK(hipFreeArray(from));
  CK(hipFreeArray(to));
}

static void surfaces() {
  surface<float4>(4, 1, [](auto a, auto b) { surface_1d<<<1, W>>>(a, b); },
                  [](float4 v) { return make_float4(v.x + 1, v.y, v.z, v.w); });
  surface<float>(1, 2, [](auto a, auto b) { surface_2d<<<H, W>>>(a, b); }, [](float v) { return v * 2; });
  surface<float2>(2, 3, [](auto a, auto b) { surface_3d<<<dim3(H, D), W>>>(a, b); },
                  [](float2 v) { return make_float2(v.y, v.x); });
}

int main() {
  arrays();
  dimensions();
  memory();
  srgb();
  surfaces();
  EXPECT(compared > 50000, "%d numbers", compared);
  return verdict("textures");
}
