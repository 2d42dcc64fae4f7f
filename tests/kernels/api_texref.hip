// What a texture reference is set to and tells of itself, without a texture behind it; arrays by the driver's names.
//@ run-on: gfx906 gfx908 gfx90a
//@ only-opt: 3
//@ flags: -std=c++17
//@ ours: ROCr 5.2.3 tiles arrays, and the emulated GPU refuses tiled images
#include "api.h"

texture<float, hipTextureType1D, hipReadModeElementType> reference;

static void settings() {
  textureReference* r = &reference;
  float color[4] = {1, 2, 3, 4}, bias = 9, low = 9, high = 9;
  unsigned flags = 0;
  int anisotropy = 0;
  hipTextureFilterMode filter;
  hipTextureAddressMode address;
  hipArray_Format format;
  int n = 0;
  // No border has a colour but black.
  E(NotSupported, hipTexRefSetBorderColor(r, color));
  OK(hipTexRefSetMaxAnisotropy(r, 4));
  OK(hipTexRefGetMaxAnisotropy(&anisotropy, r));
  EQ(anisotropy, 4);
  OK(hipTexRefSetMipmapFilterMode(r, hipFilterModeLinear));
  OK(hipTexRefGetMipmapFilterMode(&filter, r));
  EQ(filter, hipFilterModeLinear);
  OK(hipTexRefSetMipmapLevelBias(r, 0.5f));
  OK(hipTexRefGetMipmapLevelBias(&bias, r));
  EQ(bias, 0.5f);
  OK(hipTexRefSetMipmapLevelClamp(r, 1, 3));
  OK(hipTexRefGetMipmapLevelClamp(&low, &high, r));
  EQ(low, 1);
  EQ(high, 3);
  OK(hipTexRefSetFlags(r, HIP_TRSF_NORMALIZED_COORDINATES));
  OK(hipTexRefGetFlags(&flags, r));
  EQ(flags, (unsigned)HIP_TRSF_NORMALIZED_COORDINATES);
  OK(hipTexRefSetFilterMode(r, hipFilterModePoint));
  OK(hipTexRefGetFilterMode(&filter, r));
  EQ(filter, hipFilterModePoint);
  OK(hipTexRefSetAddressMode(r, 0, hipAddressModeClamp));
  OK(hipTexRefGetAddressMode(&address, r, 0));
  EQ(address, hipAddressModeClamp);
  OK(hipTexRefSetFormat(r, HIP_AD_FORMAT_FLOAT, 1));
  OK(hipTexRefGetFormat(&format, &n, r));
  IS(format == HIP_AD_FORMAT_FLOAT && n == 1);
  E(InvalidValue, hipTexRefSetBorderColor(nullptr, color));
  E(InvalidValue, hipTexRefSetBorderColor(r, nullptr));
  E(InvalidValue, hipTexRefGetMaxAnisotropy(nullptr, r));
  E(InvalidValue, hipTexRefGetMipmapFilterMode(nullptr, r));
  E(InvalidValue, hipTexRefGetMipmapLevelBias(nullptr, r));
  E(InvalidValue, hipTexRefGetMipmapLevelClamp(nullptr, &high, r));
  E(InvalidValue, hipTexRefGetFlags(nullptr, r));
  E(InvalidValue, hipTexRefGetFilterMode(nullptr, r));
  E(InvalidValue, hipTexRefGetAddressMode(nullptr, r, 0));
  E(InvalidValue, hipTexRefGetFormat(nullptr, &n, r));
  void* memory;
  CK(hipMalloc(&memory, 1 << 16));
  HIP_ARRAY_DESCRIPTOR shape = {64, 4, HIP_AD_FORMAT_FLOAT, 1};
  // Nothing of it is on a device: the program has no kernel that reads it.
  E(NotFound, hipTexRefSetAddress2D(r, &shape, memory, 256));
  E(InvalidValue, hipTexRefSetAddress2D(nullptr, &shape, memory, 256));
  E(InvalidValue, hipTexRefSetAddress2D(r, nullptr, memory, 256));
  hipMipmappedArray_t levels = nullptr;
  hipArray_t array = nullptr;
  E(InvalidValue, hipTexRefSetMipmappedArray(r, nullptr, 1));
  E(InvalidSymbol, hipBindTextureToMipmappedArray(nullptr, levels, nullptr));
  HIP_ARRAY_DESCRIPTOR two = {16, 16, HIP_AD_FORMAT_FLOAT, 1};
  CK(hipArrayCreate(&array, &two));
  E(NotFound, hipTexRefSetArray(r, array, HIP_TRSA_OVERRIDE_FORMAT));
  OK(hipUnbindTexture(r));
  CK(hipArrayDestroy(array));
  CK(hipFree(memory));
}

int main() {
  settings();
  return api_verdict("api_texref");
}
