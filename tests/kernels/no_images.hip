// A GPU without instructions for images: it says so, and calls about arrays and textures are refused.
//@ run-on: gfx942
#include "check.h"

int main() {
  int images = -1;
  CK(hipDeviceGetAttribute(&images, hipDeviceAttributeImageSupport, 0));
  EXPECT(images == 0, "%d", images);
  hipArray_t array = nullptr;
  hipChannelFormatDesc desc = hipCreateChannelDesc<float>();
  EXPECT_ERROR(hipMallocArray(&array, &desc, 8, 8, 0), hipErrorNotSupported);
  EXPECT_ERROR(hipMalloc3DArray(&array, &desc, make_hipExtent(8, 8, 8), 0), hipErrorNotSupported);
  HIP_ARRAY_DESCRIPTOR flat = {8, 8, HIP_AD_FORMAT_FLOAT, 1};
  EXPECT_ERROR(hipArrayCreate(&array, &flat), hipErrorNotSupported);
  HIP_ARRAY3D_DESCRIPTOR shape = {8, 8, 0, HIP_AD_FORMAT_FLOAT, 1, 0};
  EXPECT_ERROR(hipArray3DCreate(&array, &shape), hipErrorNotSupported);
  hipResourceDesc resource = {};
  resource.resType = hipResourceTypeLinear;
  resource.res.linear.devPtr = to_device(std::vector<float>(64));
  resource.res.linear.desc = desc;
  resource.res.linear.sizeInBytes = 256;
  hipTextureDesc how = {};
  hipTextureObject_t texture = nullptr;
  EXPECT_ERROR(hipCreateTextureObject(&texture, &resource, &how, nullptr), hipErrorNotSupported);
  textureReference reference = {};
  EXPECT_ERROR(hipTexRefSetFilterMode(&reference, hipFilterModeLinear), hipErrorNotSupported);
  EXPECT_ERROR(hipUnbindTexture(&reference), hipErrorNotSupported);
  EXPECT_ERROR(hipDestroyTextureObject(nullptr), hipSuccess);
  return verdict("no_images");
}
