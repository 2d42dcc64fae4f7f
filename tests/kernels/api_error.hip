// Errors: their names and texts, and which of them a thread remembers.
//@ only-opt: 3
//@ flags: -std=c++17
#include "api.h"
#include <thread>

#define NAMED(name) {hipError##name, "hipError" #name}

static void names() {
  const struct { hipError_t error; const char* name; } all[] = {
      {hipSuccess, "hipSuccess"}, NAMED(InvalidValue), NAMED(OutOfMemory), NAMED(NotInitialized), NAMED(Deinitialized),
      NAMED(ProfilerDisabled), NAMED(ProfilerNotInitialized), NAMED(ProfilerAlreadyStarted), NAMED(ProfilerAlreadyStopped),
      NAMED(InvalidConfiguration), NAMED(InvalidPitchValue), NAMED(InvalidSymbol), NAMED(InvalidDevicePointer),
      NAMED(InvalidMemcpyDirection), NAMED(InsufficientDriver), NAMED(MissingConfiguration), NAMED(PriorLaunchFailure),
      NAMED(InvalidDeviceFunction), NAMED(NoDevice), NAMED(InvalidDevice), NAMED(InvalidImage), NAMED(InvalidContext),
      NAMED(ContextAlreadyCurrent), NAMED(MapFailed), NAMED(UnmapFailed), NAMED(ArrayIsMapped), NAMED(AlreadyMapped),
      NAMED(NoBinaryForGpu), NAMED(AlreadyAcquired), NAMED(NotMapped), NAMED(NotMappedAsArray), NAMED(NotMappedAsPointer),
      NAMED(ECCNotCorrectable), NAMED(UnsupportedLimit), NAMED(ContextAlreadyInUse), NAMED(PeerAccessUnsupported),
      NAMED(InvalidKernelFile), NAMED(InvalidGraphicsContext), NAMED(InvalidSource), NAMED(FileNotFound),
      NAMED(SharedObjectSymbolNotFound), NAMED(SharedObjectInitFailed), NAMED(OperatingSystem), NAMED(InvalidHandle),
      NAMED(NotFound), NAMED(NotReady), NAMED(IllegalAddress), NAMED(LaunchOutOfResources), NAMED(LaunchTimeOut),
      NAMED(PeerAccessAlreadyEnabled), NAMED(PeerAccessNotEnabled), NAMED(SetOnActiveProcess), NAMED(Assert),
      NAMED(HostMemoryAlreadyRegistered), NAMED(HostMemoryNotRegistered), NAMED(LaunchFailure),
      NAMED(CooperativeLaunchTooLarge), NAMED(NotSupported), NAMED(StreamCaptureUnsupported),
      NAMED(StreamCaptureInvalidated), NAMED(StreamCaptureMerge), NAMED(StreamCaptureUnmatched), NAMED(StreamCaptureUnjoined),
      NAMED(StreamCaptureIsolation), NAMED(StreamCaptureImplicit), NAMED(CapturedEvent), NAMED(StreamCaptureWrongThread),
      NAMED(GraphExecUpdateFailure), NAMED(IllegalState), NAMED(ContextIsDestroyed), NAMED(Unknown), NAMED(RuntimeMemory), NAMED(RuntimeOther)};
  for (auto& row : all) {
    EQ(strcmp(hipGetErrorName(row.error), row.name) == 0 ? row.error : -row.error - 1, row.error);
    IS(strlen(hipGetErrorString(row.error)) > 0);
  }
  for (int none : {-1, 4242, 100000}) {
    IS(hipGetErrorName((hipError_t)none) != nullptr);
    IS(hipGetErrorString((hipError_t)none) != nullptr);
  }
}

static void remembered() {
  (void)hipGetLastError();
  EQ(hipPeekAtLastError(), hipSuccess);
  EQ(hipMalloc(nullptr, 16), hipErrorInvalidValue);
  EQ(hipPeekAtLastError(), hipErrorInvalidValue);
  EQ(hipPeekAtLastError(), hipErrorInvalidValue);
  EQ(hipGetLastError(), hipErrorInvalidValue);
  EQ(hipGetLastError(), hipSuccess);
  EQ(hipSetDevice(99), hipErrorInvalidDevice);
  EQ(hipPeekAtLastError(), hipErrorInvalidDevice);
  EQ(hipMalloc(nullptr, 16), hipErrorInvalidValue);
  EQ(hipGetLastError(), hipErrorInvalidValue);
  // Until HIP 7 a success takes an error's place.
  EQ(hipSetDevice(99), hipErrorInvalidDevice);
  EQ(hipSetDevice(0), hipSuccess);
  EQ(hipPeekAtLastError(), hipSuccess);
  // What only reads the names says nothing.
  EQ(hipSetDevice(99), hipErrorInvalidDevice);
  (void)hipGetErrorName(hipErrorNotFound);
  (void)hipGetErrorString(hipErrorNotFound);
  EQ(hipGetLastError(), hipErrorInvalidDevice);
  // An error is its thread's.
  EQ(hipSetDevice(99), hipErrorInvalidDevice);
  hipError_t other = hipErrorUnknown, own = hipErrorUnknown;
  std::thread([&] {
    other = hipPeekAtLastError();
    (void)hipMalloc(nullptr, 16);
    own = hipGetLastError();
  }).join();
  EQ(other, hipSuccess);
  EQ(own, hipErrorInvalidValue);
  EQ(hipGetLastError(), hipErrorInvalidDevice);
}

int main() {
  names();
  remembered();
  return api_verdict("api_error");
}
