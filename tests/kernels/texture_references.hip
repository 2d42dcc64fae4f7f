// Texture references: variables of device code, bound to plain memory, to pitched memory and to arrays.
//@ only-opt: 3
//@ run-on: gfx906 gfx908 gfx90a
//@ ours: ROCr 5.2.3 tiles arrays, and the emulated GPU refuses tiled images; AMD's HIP passes on our ROCr
#include "check.h"

using std::vector;

constexpr int W = 16, H = 4;

texture<float, hipTextureType1D, hipReadModeElementType> line;
texture<float, hipTextureType2D, hipReadModeElementType> flat;
texture<unsigned char, hipTextureType2D, hipReadModeNormalizedFloat> bytes;

__global__ void read_line(float* out) { out[threadIdx.x] = tex1Dfetch(line, threadIdx.x); }
__global__ void read_flat(float* out) {
  out[blockIdx.x * W + threadIdx.x] = tex2D(flat, threadIdx.x + 0.25f, blockIdx.x + 0.75f);
}
__global__ void read_bytes(float* out) {
  out[blockIdx.x * W + threadIdx.x] = tex2D(bytes, (threadIdx.x + 0.5f) / W, (blockIdx.x + 0.5f) / H);
}

int main() {
  vector<float> given(W * H);
  for (int i = 0; i < W * H; i++) given[i] = i * 1.5f - 7;
  float* device = to_device(given);
  float* out = to_device(vector<float>(W * H));
  hipChannelFormatDesc desc = hipCreateChannelDesc<float>();

  size_t offset = 77;
  CK(hipBindTexture(&offset, &line, device, &desc, sizeof(float) * W * H));
  EXPECT(offset == 0, "%zu", offset);
  read_line<<<1, W * H>>>(out);
  SYNC();
  EXPECT(to_host(out, W * H) == given, "a line");
  CK(hipUnbindTexture(&line));

  void* pitched;
  size_t pitch;
  CK(hipMallocPitch(&pitched, &pitch, W * sizeof(float), H));
  CK(hipMemcpy2D(pitched, pitch, device, W * sizeof(float), W * sizeof(float), H, hipMemcpyDeviceToDevice));
  CK(hipBindTexture2D(&offset, &flat, pitched, &desc, W, H, pitch));
  read_flat<<<H, W>>>(out);
  SYNC();
  EXPECT(to_host(out, W * H) == given, "pitched memory");

  // A second binding takes the place of the first.
  hipArray_t array;
  CK(hipMallocArray(&array, &desc, W, H, hipArrayDefault));
  vector<float> others(given.rbegin(), given.rend());
  CK(hipMemcpy2DToArray(array, 0, 0, others.data(), W * sizeof(float), W * sizeof(float), H, hipMemcpyHostToDevice));
  CK(hipBindTextureToArray(&flat, array, &desc));
  read_flat<<<H, W>>>(out);
  SYNC();
  EXPECT(to_host(out, W * H) == others, "an array");
  const textureReference* reference = nullptr;
  CK(hipGetTextureReference(&reference, &flat));
  EXPECT(reference == &flat, "%p", (const void*)reference);
  CK(hipUnbindTexture(&flat));
  CK(hipFreeArray(array));

  vector<unsigned char> stored(W * H);
  for (int i = 0; i < W * H; i++) stored[i] = i * 4;
  hipChannelFormatDesc small = hipCreateChannelDesc<unsigned char>();
  CK(hipMallocArray(&array, &small, W, H, hipArrayDefault));
  CK(hipMemcpy2DToArray(array, 0, 0, stored.data(), W, W, H, hipMemcpyHostToDevice));
  bytes.normalized = 1;
  bytes.filterMode = hipFilterModePoint;
  CK(hipBindTextureToArray(&bytes, array, &small));
  read_bytes<<<H, W>>>(out);
  SYNC();
  vector<float> found = to_host(out, W * H);
  for (int i = 0; i < W * H; i++) EXPECT(std::fabs(found[i] - stored[i] / 255.0f) < 1e-6, "byte %d: %g", i, found[i]);
  CK(hipUnbindTexture(&bytes));
  CK(hipFreeArray(array));
  return verdict("texture_references");
}
