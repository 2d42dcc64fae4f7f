// Devices and contexts: what they tell of themselves, what can be set, and which questions are refused.
//@ only-opt: 3
//@ flags: -std=c++17
#include "api.h"

static const int WRONG[] = {-1, 1, 99};

static void which() {
  int count = 0, device = -1;
  DIFFERS(InvalidValue, Success, "the flags must be 0", hipInit(1));
  OK(hipInit(0));
  OK(hipGetDeviceCount(&count));
  EQ(count, 1);
  E(InvalidValue, hipGetDeviceCount(nullptr));
  OK(hipSetDevice(0));
  OK(hipGetDevice(&device));
  EQ(device, 0);
  E(InvalidValue, hipGetDevice(nullptr));
  for (int ordinal : WRONG) E(InvalidDevice, hipSetDevice(ordinal));
  OK(hipGetDevice(&device));
  EQ(device, 0);
  hipDevice_t handle = -1;
  OK(hipDeviceGet(&handle, 0));
  EQ(handle, 0);
  DIFFERS(InvalidValue, InvalidDevice, "the device is good", hipDeviceGet(nullptr, 0));
  for (int ordinal : WRONG) E(InvalidDevice, hipDeviceGet(&handle, ordinal));
  int driver = 0, runtime = 0;
  OK(hipDriverGetVersion(&driver));
  OK(hipRuntimeGetVersion(&runtime));
  IS(runtime > 0 && driver > 0);
  E(InvalidValue, hipDriverGetVersion(nullptr));
  E(InvalidValue, hipRuntimeGetVersion(nullptr));
  OK(hipDeviceSynchronize());
}

static void names(const hipDeviceProp_t& prop) {
  char name[256] = "", small[4] = "xyz", bus[64] = "";
  OK(hipDeviceGetName(name, sizeof name, 0));
  EQ(strcmp(name, prop.name), 0);
  ONLY_OURS("HIP 5 refuses a place that is too small, later ones cut the name") {
    OK(hipDeviceGetName(small, sizeof small, 0));
    IS(small[3] == 0 && strncmp(small, name, 3) == 0);
  }
  E(InvalidValue, hipDeviceGetName(nullptr, 16, 0));
  E(InvalidValue, hipDeviceGetName(name, 0, 0));
  E(InvalidValue, hipDeviceGetName(name, -1, 0));
  for (int ordinal : WRONG) E(InvalidDevice, hipDeviceGetName(name, sizeof name, ordinal));

  hipUUID uuid = {}, zero = {};
  OK(hipDeviceGetUuid(&uuid, 0));
  IS(memcmp(&uuid, &zero, sizeof uuid) != 0);
  E(InvalidValue, hipDeviceGetUuid(nullptr, 0));
  for (int ordinal : WRONG) E(InvalidDevice, hipDeviceGetUuid(&uuid, ordinal));

  size_t bytes = 0;
  OK(hipDeviceTotalMem(&bytes, 0));
  EQ(bytes, prop.totalGlobalMem);
  E(InvalidValue, hipDeviceTotalMem(nullptr, 0));
  for (int ordinal : WRONG) E(InvalidDevice, hipDeviceTotalMem(&bytes, ordinal));

  int major = 0, minor = 0;
  OK(hipDeviceComputeCapability(&major, &minor, 0));
  EQ(major, prop.major);
  EQ(minor, prop.minor);
  E(InvalidValue, hipDeviceComputeCapability(nullptr, &minor, 0));
  E(InvalidValue, hipDeviceComputeCapability(&major, nullptr, 0));
  for (int ordinal : WRONG) E(InvalidDevice, hipDeviceComputeCapability(&major, &minor, ordinal));

  int device = -1;
  OK(hipDeviceGetPCIBusId(bus, sizeof bus, 0));
  char expected[32];
  snprintf(expected, sizeof expected, "%04x:%02x:%02x.0", prop.pciDomainID, prop.pciBusID, prop.pciDeviceID);
  EQ(strcmp(bus, expected), 0);
  OK(hipDeviceGetByPCIBusId(&device, bus));
  EQ(device, 0);
  E(InvalidValue, hipDeviceGetPCIBusId(nullptr, sizeof bus, 0));
  E(InvalidValue, hipDeviceGetPCIBusId(bus, 0, 0));
  E(InvalidValue, hipDeviceGetPCIBusId(bus, -1, 0));
  for (int ordinal : WRONG) E(InvalidDevice, hipDeviceGetPCIBusId(bus, sizeof bus, ordinal));
  E(InvalidValue, hipDeviceGetByPCIBusId(nullptr, expected));
  E(InvalidValue, hipDeviceGetByPCIBusId(&device, nullptr));
  E(InvalidValue, hipDeviceGetByPCIBusId(&device, "ffff:ff:1f.0"));
}

// Attributes that say the same as a field of the struct.
static void attributes(const hipDeviceProp_t& p) {
  const struct { hipDeviceAttribute_t attribute; long long want; } same[] = {
      {hipDeviceAttributeEccEnabled, p.ECCEnabled}, {hipDeviceAttributeCanMapHostMemory, p.canMapHostMemory},
      {hipDeviceAttributeClockRate, p.clockRate}, {hipDeviceAttributeComputeMode, p.computeMode},
      {hipDeviceAttributeConcurrentKernels, p.concurrentKernels},
      {hipDeviceAttributeConcurrentManagedAccess, p.concurrentManagedAccess},
      {hipDeviceAttributeCooperativeLaunch, p.cooperativeLaunch},
      {hipDeviceAttributeCooperativeMultiDeviceLaunch, p.cooperativeMultiDeviceLaunch},
      {hipDeviceAttributeDirectManagedMemAccessFromHost, p.directManagedMemAccessFromHost},
      {hipDeviceAttributeIntegrated, p.integrated}, {hipDeviceAttributeIsMultiGpuBoard, p.isMultiGpuBoard},
      {hipDeviceAttributeKernelExecTimeout, p.kernelExecTimeoutEnabled}, {hipDeviceAttributeL2CacheSize, p.l2CacheSize},
      {hipDeviceAttributeComputeCapabilityMajor, p.major}, {hipDeviceAttributeManagedMemory, p.managedMemory},
      {hipDeviceAttributeMaxBlockDimX, p.maxThreadsDim[0]}, {hipDeviceAttributeMaxBlockDimY, p.maxThreadsDim[1]},
      {hipDeviceAttributeMaxBlockDimZ, p.maxThreadsDim[2]}, {hipDeviceAttributeMaxGridDimX, p.maxGridSize[0]},
      {hipDeviceAttributeMaxGridDimY, p.maxGridSize[1]}, {hipDeviceAttributeMaxGridDimZ, p.maxGridSize[2]},
      {hipDeviceAttributeMaxTexture1DWidth, p.maxTexture1D}, {hipDeviceAttributeMaxTexture2DWidth, p.maxTexture2D[0]},
      {hipDeviceAttributeMaxTexture2DHeight, p.maxTexture2D[1]}, {hipDeviceAttributeMaxTexture3DWidth, p.maxTexture3D[0]},
      {hipDeviceAttributeMaxTexture3DHeight, p.maxTexture3D[1]}, {hipDeviceAttributeMaxTexture3DDepth, p.maxTexture3D[2]},
      {hipDeviceAttributeMaxThreadsPerBlock, p.maxThreadsPerBlock},
      {hipDeviceAttributeMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
      {hipDeviceAttributeMemoryBusWidth, p.memoryBusWidth}, {hipDeviceAttributeMemoryClockRate, p.memoryClockRate},
      {hipDeviceAttributeComputeCapabilityMinor, p.minor}, {hipDeviceAttributeMultiprocessorCount, p.multiProcessorCount},
      {hipDeviceAttributePageableMemoryAccess, p.pageableMemoryAccess},
      {hipDeviceAttributePageableMemoryAccessUsesHostPageTables, p.pageableMemoryAccessUsesHostPageTables},
      {hipDeviceAttributePciBusId, p.pciBusID}, {hipDeviceAttributePciDeviceId, p.pciDeviceID},
      {hipDeviceAttributeMaxRegistersPerBlock, p.regsPerBlock},
      {hipDeviceAttributeMaxSharedMemoryPerBlock, (long long)p.sharedMemPerBlock},
      {hipDeviceAttributeTextureAlignment, (long long)p.textureAlignment},
      {hipDeviceAttributeTexturePitchAlignment, (long long)p.texturePitchAlignment},
      {hipDeviceAttributeWarpSize, p.warpSize},
      {hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, (long long)p.maxSharedMemoryPerMultiProcessor},
      {hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc, p.cooperativeMultiDeviceUnmatchedFunc},
      {hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim, p.cooperativeMultiDeviceUnmatchedGridDim},
      {hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim, p.cooperativeMultiDeviceUnmatchedBlockDim},
      {hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem, p.cooperativeMultiDeviceUnmatchedSharedMem},
      {hipDeviceAttributeAsicRevision, p.asicRevision},
      {hipDeviceAttributePhysicalMultiProcessorCount, p.multiProcessorCount}};
  for (auto& row : same) {
    int value = -77;
    OK(hipDeviceGetAttribute(&value, row.attribute, 0));
    EQ(value == (int)row.want ? row.attribute : -(int)row.attribute, (int)row.attribute);
    for (int ordinal : {-1, 99}) E(InvalidDevice, hipDeviceGetAttribute(&value, row.attribute, ordinal));
  }
  int value = 0;
  ONLY_OURS("AMD's waits for values on newer chips alone") {
    OK(hipDeviceGetAttribute(&value, hipDeviceAttributeCanUseStreamWaitValue, 0));
    EQ(value, 1);
  }
  ONLY_OURS("HIP 5.2.3 forgot them") {
    OK(hipDeviceGetAttribute(&value, hipDeviceAttributeIsLargeBar, 0));
    EQ(value, p.isLargeBar);
    OK(hipDeviceGetAttribute(&value, hipDeviceAttributeClockInstructionRate, 0));
    EQ(value, p.clockInstructionRate);
  }
  E(InvalidValue, hipDeviceGetAttribute(nullptr, hipDeviceAttributeWarpSize, 0));
  for (int none : {-1, 5000, 9999, 15000, 25000}) E(InvalidValue, hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)none, 0));
  hipDeviceProp_t other;
  E(InvalidValue, hipGetDeviceProperties(nullptr, 0));
  for (int ordinal : WRONG) E(InvalidDevice, hipGetDeviceProperties(&other, ordinal));
}

static void choose(const hipDeviceProp_t& p) {
  int device = -1;
  hipDeviceProp_t wish = {};
  OK(hipChooseDevice(&device, &wish));
  EQ(device, 0);
  wish.major = p.major;
  wish.totalGlobalMem = p.totalGlobalMem / 2;
  OK(hipChooseDevice(&device, &wish));
  EQ(device, 0);
  E(InvalidValue, hipChooseDevice(nullptr, &wish));
  E(InvalidValue, hipChooseDevice(&device, nullptr));
}

static void settings() {
  for (auto config : {hipFuncCachePreferNone, hipFuncCachePreferShared, hipFuncCachePreferL1, hipFuncCachePreferEqual})
    OK(hipDeviceSetCacheConfig(config));
  hipFuncCache_t cache;
  OK(hipDeviceGetCacheConfig(&cache));
  E(InvalidValue, hipDeviceGetCacheConfig(nullptr));
  for (auto config : {hipSharedMemBankSizeFourByte, hipSharedMemBankSizeEightByte, hipSharedMemBankSizeDefault})
    OK(hipDeviceSetSharedMemConfig(config));
  hipSharedMemConfig banks;
  OK(hipDeviceGetSharedMemConfig(&banks));
  E(InvalidValue, hipDeviceGetSharedMemConfig(nullptr));

  size_t limit = 0;
  OK(hipDeviceGetLimit(&limit, hipLimitMallocHeapSize));
  IS(limit > 0);
  E(InvalidValue, hipDeviceGetLimit(nullptr, hipLimitMallocHeapSize));
  E(UnsupportedLimit, hipDeviceGetLimit(&limit, (hipLimit_t)99));

  unsigned flags = 77;
  OK(hipGetDeviceFlags(&flags));
  EQ(flags, (unsigned)hipDeviceScheduleSpin);
  E(InvalidValue, hipGetDeviceFlags(nullptr));
  for (unsigned good : {hipDeviceScheduleSpin, hipDeviceScheduleYield, hipDeviceScheduleBlockingSync, hipDeviceScheduleAuto}) {
    OK(hipSetDeviceFlags(good));
    OK(hipGetDeviceFlags(&flags));
    EQ(flags, good);
  }
  for (unsigned bad : {0x20u, 0x100u, ~0u}) E(InvalidValue, hipSetDeviceFlags(bad));
  for (unsigned two : {3u, 5u, 6u, 7u}) DIFFERS(InvalidValue, Success, "one way to wait at most", hipSetDeviceFlags(two));

  int least = 9, greatest = 9;
  OK(hipDeviceGetStreamPriorityRange(&least, &greatest));
  IS(least > greatest);
  OK(hipDeviceGetStreamPriorityRange(nullptr, &greatest));
  OK(hipDeviceGetStreamPriorityRange(&least, nullptr));
  OK(hipDeviceGetStreamPriorityRange(nullptr, nullptr));
}

static void contexts() {
  hipCtx_t none = nullptr, context = nullptr, current = nullptr, made = nullptr;
  hipDevice_t device = -1;
  OK(hipCtxGetCurrent(&current));
  ONLY_OURS("AMD's crashes") E(InvalidValue, hipCtxGetCurrent(nullptr));
  OK(hipCtxCreate(&made, 0, 0));
  IS(made != nullptr);
  ONLY_OURS("AMD's crashes") E(InvalidValue, hipCtxCreate(nullptr, 0, 0));
  for (int ordinal : {-1, 99}) E(InvalidValue, hipCtxCreate(&context, 0, ordinal));
  OK(hipCtxGetCurrent(&current));
  EQ(current, made);
  OK(hipCtxGetDevice(&device));
  EQ(device, 0);
  E(InvalidValue, hipCtxGetDevice(nullptr));
  int version = 0;
  DIFFERS(Success, NotSupported, "AMD's does not have it", hipCtxGetApiVersion(made, &version));
  ONLY_OURS("AMD's does not have it") EQ(version, 4);
  DIFFERS(InvalidValue, NotSupported, "AMD's does not have it", hipCtxGetApiVersion(made, nullptr));
  unsigned flags = 77;
  DIFFERS(Success, NotSupported, "AMD's does not have it", hipCtxGetFlags(&flags));
  DIFFERS(InvalidValue, NotSupported, "AMD's does not have it", hipCtxGetFlags(nullptr));
  DIFFERS(Success, NotSupported, "AMD's does not have it", hipCtxSynchronize());
  hipFuncCache_t cache;
  DIFFERS(Success, NotSupported, "AMD's does not have it", hipCtxSetCacheConfig(hipFuncCachePreferL1));
  DIFFERS(Success, NotSupported, "AMD's does not have it", hipCtxGetCacheConfig(&cache));
  DIFFERS(InvalidValue, NotSupported, "AMD's does not have it", hipCtxGetCacheConfig(nullptr));
  hipSharedMemConfig banks;
  DIFFERS(Success, NotSupported, "AMD's does not have it", hipCtxSetSharedMemConfig(hipSharedMemBankSizeFourByte));
  OK(hipCtxGetSharedMemConfig(&banks));
  ONLY_OURS("AMD's crashes") E(InvalidValue, hipCtxGetSharedMemConfig(nullptr));
  OK(hipCtxPushCurrent(made));
  E(InvalidContext, hipCtxPushCurrent(nullptr));
  OK(hipCtxPopCurrent(&context));
  EQ(context, made);
  OK(hipCtxPopCurrent(nullptr));
  E(InvalidContext, hipCtxPopCurrent(&context));
  OK(hipCtxSetCurrent(made));
  OK(hipCtxGetCurrent(&current));
  EQ(current, made);
  OK(hipCtxSetCurrent(none));
  OK(hipCtxDestroy(made));
  E(InvalidValue, hipCtxDestroy(nullptr));
  // The context that the runtime API has.
  OK(hipDevicePrimaryCtxRetain(&context, 0));
  IS(context != nullptr);
  E(InvalidValue, hipDevicePrimaryCtxRetain(nullptr, 0));
  unsigned primary = 77;
  int active = -1;
  OK(hipDevicePrimaryCtxGetState(0, &primary, &active));
  EQ(active, 1);
  EQ(primary, 0u);
  OK(hipDevicePrimaryCtxGetState(0, nullptr, nullptr));
  OK(hipDevicePrimaryCtxRelease(0));
  OK(hipDevicePrimaryCtxReset(0));
  E(ContextAlreadyInUse, hipDevicePrimaryCtxSetFlags(0, 0));
  for (int ordinal : WRONG) {
    E(InvalidDevice, hipDevicePrimaryCtxRetain(&context, ordinal));
    E(InvalidDevice, hipDevicePrimaryCtxRelease(ordinal));
    DIFFERS(InvalidDevice, Success, "there is no such device", hipDevicePrimaryCtxReset(ordinal));
    E(InvalidDevice, hipDevicePrimaryCtxGetState(ordinal, &primary, &active));
    E(InvalidDevice, hipDevicePrimaryCtxSetFlags(ordinal, 0));
  }
}

// A device that is reset gives memory back, and goes on.
static void reset() {
  OK(hipDeviceReset());
  int* memory = nullptr;
  OK(hipMalloc((void**)&memory, 64));
  OK(hipMemset(memory, 0x11, 64));
  EQ(api_read<int>(memory), 0x11111111);
  OK(hipFree(memory));
}

static void while_capturing() {
  // HIP 7 refuses them.
  Capturing stream;
  OK(hipDeviceSynchronize());
  OK(hipDeviceSetCacheConfig(hipFuncCachePreferL1));
  OK(hipDeviceSetSharedMemConfig(hipSharedMemBankSizeDefault));
}

int main() {
  which();
  hipDeviceProp_t prop;
  OK(hipGetDeviceProperties(&prop, 0));
  names(prop);
  attributes(prop);
  choose(prop);
  settings();
  while_capturing();
  contexts();
  reset();
  return api_verdict("api_device");
}
