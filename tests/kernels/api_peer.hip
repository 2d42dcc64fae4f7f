// Two devices: what each may reach of the other, copies between them; profiler calls and names of calls.
//@ only-opt: 3
//@ flags: -std=c++17
//@ devices: 2
#include "api.h"

extern "C" const char* hipGetCmdName(unsigned);

int main() {
  int can = -1, value = -1, count = 0;
  CK(hipGetDeviceCount(&count));
  EQ(count, 2);
  for (int from : {0, 1}) {
    OK(hipDeviceCanAccessPeer(&can, from, 1 - from));
    EQ(can, 1);
    OK(hipDeviceCanAccessPeer(&can, from, from));
    EQ(can, 0);
    uint32_t type = 99, hops = 99;
    OK(hipExtGetLinkTypeAndHopCount(from, 1 - from, &type, &hops));
    IS(hops >= 1);
    for (auto which : {hipDevP2PAttrPerformanceRank, hipDevP2PAttrAccessSupported, hipDevP2PAttrNativeAtomicSupported, hipDevP2PAttrHipArrayAccessSupported}) {
      value = -77;
      OK(hipDeviceGetP2PAttribute(&value, which, from, 1 - from));
      IS(value >= 0);
    }
    OK(hipDeviceGetP2PAttribute(&value, hipDevP2PAttrAccessSupported, from, 1 - from));
    EQ(value, 1);
  }
  E(InvalidValue, hipDeviceCanAccessPeer(nullptr, 0, 1));
  E(InvalidValue, hipDeviceGetP2PAttribute(nullptr, hipDevP2PAttrAccessSupported, 0, 1));
  E(InvalidValue, hipDeviceGetP2PAttribute(&value, (hipDeviceP2PAttr)99, 0, 1));
  E(InvalidDevice, hipDeviceGetP2PAttribute(&value, hipDevP2PAttrAccessSupported, 0, 0));
  uint32_t type, hops;
  E(InvalidValue, hipExtGetLinkTypeAndHopCount(0, 1, nullptr, &hops));
  E(InvalidValue, hipExtGetLinkTypeAndHopCount(0, 1, &type, nullptr));
  DIFFERS(InvalidDevice, InvalidValue, "there is no such device", hipExtGetLinkTypeAndHopCount(-1, 0, &type, &hops));
  DIFFERS(InvalidDevice, InvalidValue, "there is no such device", hipExtGetLinkTypeAndHopCount(0, -1, &type, &hops));
  for (int bad : {-1, 2, 99}) {
    E(InvalidDevice, hipDeviceCanAccessPeer(&can, bad, 0));
    E(InvalidDevice, hipDeviceCanAccessPeer(&can, 0, bad));
    E(InvalidDevice, hipDeviceGetP2PAttribute(&value, hipDevP2PAttrAccessSupported, bad, 0));
    E(InvalidDevice, hipDeviceGetP2PAttribute(&value, hipDevP2PAttrAccessSupported, 0, bad));
    if (bad >= 0) E(InvalidDevice, hipExtGetLinkTypeAndHopCount(bad, 0, &type, &hops));
    if (bad >= 0) E(InvalidDevice, hipExtGetLinkTypeAndHopCount(0, bad, &type, &hops));
    E(InvalidDevice, hipDeviceEnablePeerAccess(bad, 0));
    E(InvalidDevice, hipDeviceDisablePeerAccess(bad));
  }
  CK(hipSetDevice(0));
  E(PeerAccessNotEnabled, hipDeviceDisablePeerAccess(1));
  OK(hipDeviceEnablePeerAccess(1, 0));
  E(PeerAccessAlreadyEnabled, hipDeviceEnablePeerAccess(1, 0));
  OK(hipDeviceDisablePeerAccess(1));
  E(PeerAccessNotEnabled, hipDeviceDisablePeerAccess(1));
  E(InvalidValue, hipDeviceEnablePeerAccess(1, 7));
  E(InvalidDevice, hipDeviceEnablePeerAccess(0, 0));
  hipCtx_t context;
  OK(hipDevicePrimaryCtxRetain(&context, 1));
  OK(hipCtxEnablePeerAccess(context, 0));
  OK(hipCtxDisablePeerAccess(context));
  // Memory goes from one to the other.
  int *here, *there, host[16], back[16] = {};
  for (int i = 0; i < 16; i++) host[i] = i * i;
  CK(hipMalloc((void**)&here, sizeof host));
  CK(hipSetDevice(1));
  CK(hipMalloc((void**)&there, sizeof host));
  OK(hipMemcpy(here, host, sizeof host, hipMemcpyHostToDevice));
  OK(hipMemcpyPeer(there, 1, here, 0, sizeof host));
  OK(hipMemcpy(back, there, sizeof host, hipMemcpyDeviceToHost));
  EQ(back[15], 225);
  OK(hipMemset(here, 0, sizeof host));
  OK(hipMemcpyPeerAsync(here, 0, there, 1, sizeof host, nullptr));
  OK(hipDeviceSynchronize());
  EQ(api_read<int>(here + 15), 225);
  hipPointerAttribute_t about;
  OK(hipPointerGetAttributes(&about, here));
  EQ(about.device, 0);
  OK(hipPointerGetAttributes(&about, there));
  EQ(about.device, 1);
  CK(hipFree(there));
  CK(hipFree(here));
  CK(hipSetDevice(0));
  DIFFERS(Success, NotSupported, "there is nothing to begin", hipProfilerStart());
  DIFFERS(Success, NotSupported, "there is nothing to end", hipProfilerStop());
  IS(hipApiName(0) != nullptr);
  IS(hipApiName(99999) != nullptr);
  IS(hipGetCmdName(0) != nullptr);
  return api_verdict("api_peer");
}
