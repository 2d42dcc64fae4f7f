// Memory: to have it in every form, to give it back, what pointers are known to be, and registered memory of the host's.
//@ only-opt: 3
//@ flags: -std=c++17
#include "api.h"
#include <sys/mman.h>

static const size_t HUGE = (size_t)1 << 50;

__global__ void triple(int n, int* values) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= 3;
}

static hipPointerAttribute_t about(const void* pointer) {
  hipPointerAttribute_t found = {};
  (void)hipPointerGetAttributes(&found, pointer);
  return found;
}

static void device() {
  void *p = nullptr, *q = nullptr;
  for (size_t size : {(size_t)1, (size_t)4, (size_t)100, (size_t)4096, (size_t)1 << 20}) {
    OK(hipMalloc(&p, size));
    IS(p != nullptr && (size_t)p % 256 == 0);
    OK(hipMemset(p, 0x5a, size));
    EQ(api_read<unsigned char>((char*)p + size - 1), 0x5a);
    size_t known = 0;
    OK(hipMemPtrGetInfo(p, &known));
    EQ(known, size);
    OK(hipFree(p));
    E(InvalidValue, hipFree(p));
  }
  p = &p;
  OK(hipMalloc(&p, 0));
  EQ(p, nullptr);
  E(InvalidValue, hipMalloc(nullptr, 16));
  E(InvalidValue, hipMalloc(nullptr, 0));
  E(OutOfMemory, hipMalloc(&p, HUGE));
  E(OutOfMemory, hipMalloc(&p, ~(size_t)0));
  OK(hipFree(nullptr));
  int local = 0;
  E(InvalidValue, hipFree(&local));
  OK(hipMalloc(&p, 4096));
  DIFFERS(InvalidValue, Success, "not what hipMalloc gave", hipFree((char*)p + 16));
  E(InvalidValue, hipHostFree(p));
  E(InvalidValue, hipFreeHost(p));
  if (api_ours()) OK(hipFree(p));

  for (unsigned flags : {hipDeviceMallocDefault, hipDeviceMallocFinegrained}) {
    // AMD's has that memory only with HSA_FORCE_FINE_GRAIN_PCIE.
    if (flags == hipDeviceMallocFinegrained && !api_ours()) continue;
    OK(hipExtMallocWithFlags(&q, 256, flags));
    IS(q != nullptr);
    OK(hipMemset(q, 1, 256));
    EQ(api_read<int>(q), 0x01010101);
    OK(hipFree(q));
  }
  OK(hipExtMallocWithFlags(&q, 8, hipMallocSignalMemory));
  OK(hipFree(q));
  E(InvalidValue, hipExtMallocWithFlags(&q, 16, hipMallocSignalMemory));
  for (unsigned bad : {4u, 0x10u, 0x80u, ~0u}) E(InvalidValue, hipExtMallocWithFlags(&q, 64, bad));
  E(InvalidValue, hipExtMallocWithFlags(nullptr, 64, hipDeviceMallocDefault));
  q = &q;
  OK(hipExtMallocWithFlags(&q, 0, hipDeviceMallocDefault));
  EQ(q, nullptr);
  E(OutOfMemory, hipExtMallocWithFlags(&q, HUGE, hipDeviceMallocDefault));
}

static void pitched() {
  void* p = nullptr;
  size_t pitch = 0;
  for (size_t width : {1, 37, 256, 300, 4097}) {
    OK(hipMallocPitch(&p, &pitch, width, 7));
    IS(pitch >= width && pitch % 128 == 0);
    OK(hipMemset2D(p, pitch, 0x33, width, 7));
    EQ(api_read<unsigned char>((char*)p + 6 * pitch + width - 1), 0x33);
    OK(hipFree(p));
  }
  E(InvalidValue, hipMallocPitch(nullptr, &pitch, 16, 16));
  ONLY_OURS("AMD's crashes") E(InvalidValue, hipMallocPitch(&p, nullptr, 16, 16));
  p = &p;
  OK(hipMallocPitch(&p, &pitch, 0, 16));
  EQ(p, nullptr);
  p = &p;
  OK(hipMallocPitch(&p, &pitch, 16, 0));
  EQ(p, nullptr);
  E(OutOfMemory, hipMallocPitch(&p, &pitch, 1 << 20, HUGE >> 20));
  DIFFERS(InvalidValue, OutOfMemory, "no pitch is so large", hipMallocPitch(&p, &pitch, ~(size_t)0, 1));

  hipDeviceptr_t d = nullptr;
  for (unsigned element : {4, 8, 16}) {
    OK(hipMemAllocPitch(&d, &pitch, 64, 4, element));
    IS(d != nullptr && pitch >= 64);
    OK(hipFree(d));
  }
  for (unsigned element : {0, 1, 3, 5, 32}) DIFFERS(InvalidValue, Success, "elements have 4, 8 or 16 bytes", hipMemAllocPitch(&d, &pitch, 64, 4, element));
  DIFFERS(InvalidValue, Success, "no memory at all", hipMemAllocPitch(&d, &pitch, 0, 4, 4));
  DIFFERS(InvalidValue, Success, "no memory at all", hipMemAllocPitch(&d, &pitch, 64, 0, 4));
  E(InvalidValue, hipMemAllocPitch(nullptr, &pitch, 64, 4, 4));
  ONLY_OURS("AMD's crashes") E(InvalidValue, hipMemAllocPitch(&d, nullptr, 64, 4, 4));

  hipPitchedPtr box = {};
  OK(hipMalloc3D(&box, make_hipExtent(40, 5, 3)));
  IS(box.ptr != nullptr && box.pitch >= 40);
  EQ(box.xsize, 40u);
  EQ(box.ysize, 5u);
  OK(hipMemset3D(box, 0x44, make_hipExtent(40, 5, 3)));
  EQ(api_read<unsigned char>((char*)box.ptr + 14 * box.pitch + 39), 0x44);
  OK(hipFree(box.ptr));
  E(InvalidValue, hipMalloc3D(nullptr, make_hipExtent(40, 5, 3)));
  for (hipExtent empty : {make_hipExtent(0, 5, 3), make_hipExtent(40, 0, 3), make_hipExtent(40, 5, 0)}) {
    OK(hipMalloc3D(&box, empty));
    EQ(box.ptr, nullptr);
  }
  E(OutOfMemory, hipMalloc3D(&box, make_hipExtent(1 << 20, 1 << 20, 1 << 10)));
}

static void host() {
  const unsigned good[] = {hipHostMallocDefault,       hipHostMallocPortable, hipHostMallocMapped, hipHostMallocWriteCombined,
                           hipHostMallocNumaUser,      hipHostMallocCoherent, hipHostMallocNonCoherent,
                           hipHostMallocPortable | hipHostMallocMapped};
  for (unsigned flags : good) {
    int* p = nullptr;
    void* on_device = nullptr;
    unsigned found = ~0u;
    OK(hipHostMalloc((void**)&p, 64 * sizeof(int), flags));
    IS(p != nullptr);
    if (!p) continue;
    OK(hipHostGetDevicePointer(&on_device, p, 0));
    EQ(on_device, (void*)p);
    OK(hipHostGetFlags(&found, p));
    // AMD's forgets the flags that say which memory it is.
    if (api_ours() || flags < hipHostMallocNumaUser) EQ(found, flags);
    for (int i = 0; i < 64; i++) p[i] = i;
    triple<<<1, 64>>>(64, p);
    OK(hipDeviceSynchronize());
    EQ(p[63], 189);
    OK(hipHostFree(p));
    E(InvalidValue, hipHostFree(p));
  }
  void* p = nullptr;
  E(InvalidValue, hipHostMalloc(nullptr, 64, 0));
  E(InvalidValue, hipHostMalloc(&p, 64, hipHostMallocCoherent | hipHostMallocNonCoherent));
  E(InvalidValue, hipHostMalloc(&p, 64, ~0u));
  for (unsigned bad : {0x8u, 0x10u, 0x100u}) DIFFERS(InvalidValue, Success, "no such flag", hipHostMalloc(&p, 64, bad));
  p = &p;
  OK(hipHostMalloc(&p, 0, 0));
  EQ(p, nullptr);
  E(OutOfMemory, hipHostMalloc(&p, HUGE, 0));
  OK(hipHostFree(nullptr));
  OK(hipFreeHost(nullptr));
  int local = 0;
  E(InvalidValue, hipHostFree(&local));
  // The older names.
  OK(hipMallocHost(&p, 64));
  IS(about(p).memoryType == hipMemoryTypeHost);
  OK(hipFreeHost(p));
  OK(hipMemAllocHost(&p, 64));
  IS(about(p).memoryType == hipMemoryTypeHost);
  OK(hipFreeHost(p));
  OK(hipHostAlloc(&p, 64, hipHostMallocDefault));
  ONLY_OURS("AMD's forgets whose memory it is") IS(about(p).memoryType == hipMemoryTypeHost);
  E(InvalidValue, hipMallocHost(nullptr, 64));
  E(InvalidValue, hipMemAllocHost(nullptr, 64));
  E(InvalidValue, hipHostAlloc(nullptr, 64, 0));
  // Questions about it.
  unsigned flags = 0;
  void* on_device = nullptr;
  E(InvalidValue, hipHostGetFlags(nullptr, p));
  E(InvalidValue, hipHostGetFlags(&flags, nullptr));
  E(InvalidValue, hipHostGetFlags(&flags, &local));
  E(InvalidValue, hipHostGetDevicePointer(nullptr, p, 0));
  E(InvalidValue, hipHostGetDevicePointer(&on_device, nullptr, 0));
  E(InvalidValue, hipHostGetDevicePointer(&on_device, &local, 0));
  OK(hipHostFree(p));
}

static void registered() {
  char* pages = (char*)mmap(nullptr, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (unsigned flags : {hipHostRegisterDefault, hipHostRegisterPortable, hipHostRegisterMapped, hipExtHostRegisterCoarseGrained}) {
    void* on_device = nullptr;
    OK(hipHostRegister(pages, 8192, flags));
    OK(hipHostGetDevicePointer(&on_device, pages, 0));
    IS(on_device != nullptr);
    int* numbers = (int*)pages;
    for (int i = 0; i < 64; i++) numbers[i] = i + 1;
    triple<<<1, 64>>>(64, (int*)on_device);
    OK(hipDeviceSynchronize());
    EQ(numbers[63], 192);
    DIFFERS(HostMemoryAlreadyRegistered, Success, "it is registered", hipHostRegister(pages, 8192, flags));
    OK(hipHostUnregister(pages));
    E(HostMemoryNotRegistered, hipHostUnregister(pages));
  }
  E(InvalidValue, hipHostRegister(nullptr, 8192, 0));
  DIFFERS(InvalidValue, OutOfMemory, "no memory at all", hipHostRegister(pages, 0, 0));
  for (unsigned bad : {0x10u, 0x80u, ~0u}) DIFFERS(InvalidValue, Success, "no such flag", hipHostRegister(pages, 8192, bad));
  DIFFERS(InvalidValue, HostMemoryNotRegistered, "no pointer at all", hipHostUnregister(nullptr));
  ONLY_OURS("AMD's registered it above") E(HostMemoryNotRegistered, hipHostUnregister(pages));
  void* p = nullptr;
  OK(hipHostMalloc(&p, 64, 0));
  DIFFERS(HostMemoryAlreadyRegistered, Success, "it is known", hipHostRegister(p, 64, 0));
  OK(hipHostFree(p));
  munmap(pages, 1 << 16);
}

static void pointers() {
  char *d = nullptr, *h = nullptr, *m = nullptr, *r = (char*)aligned_alloc(4096, 8192);
  CK(hipMalloc((void**)&d, 4096));
  CK(hipHostMalloc((void**)&h, 4096, hipHostMallocPortable));
  CK(hipMallocManaged((void**)&m, 4096, hipMemAttachGlobal));
  CK(hipHostRegister(r, 8192, 0));
  hipPointerAttribute_t found;
  OK(hipPointerGetAttributes(&found, d));
  EQ(found.memoryType, hipMemoryTypeDevice);
  EQ(found.device, 0);
  EQ(found.devicePointer, (void*)d);
  EQ(found.isManaged, 0);
  OK(hipPointerGetAttributes(&found, d + 100));
  EQ(found.devicePointer, (void*)(d + 100));
  OK(hipPointerGetAttributes(&found, h));
  EQ(found.memoryType, hipMemoryTypeHost);
  EQ(found.hostPointer, (void*)h);
  EQ(found.devicePointer, (void*)h);
  EQ(found.allocationFlags, hipHostMallocPortable);
  OK(hipPointerGetAttributes(&found, m));
  EQ(found.isManaged, 1);
  OK(hipPointerGetAttributes(&found, r));
  EQ(found.memoryType, hipMemoryTypeHost);
  EQ(found.hostPointer, (void*)r);
  int local = 0;
  E(InvalidValue, hipPointerGetAttributes(&found, &local));
  E(InvalidValue, hipPointerGetAttributes(&found, nullptr));
  E(InvalidValue, hipPointerGetAttributes(nullptr, d));

  unsigned type = 99;
  void* pointer = nullptr;
  size_t size = 0;
  bool managed = true;
  int ordinal = -1;
  OK(hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, d));
  EQ(type, (unsigned)hipMemoryTypeDevice);
  OK(hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, h));
  EQ(type, (unsigned)hipMemoryTypeHost);
  OK(hipPointerGetAttribute(&pointer, HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, d));
  EQ(pointer, (void*)d);
  OK(hipPointerGetAttribute(&pointer, HIP_POINTER_ATTRIBUTE_HOST_POINTER, h));
  EQ(pointer, (void*)h);
  E(InvalidValue, hipPointerGetAttribute(&pointer, HIP_POINTER_ATTRIBUTE_HOST_POINTER, d));
  OK(hipPointerGetAttribute(&pointer, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, d + 77));
  EQ(pointer, (void*)d);
  OK(hipPointerGetAttribute(&size, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, d + 77));
  EQ(size, 4096u);
  OK(hipPointerGetAttribute(&managed, HIP_POINTER_ATTRIBUTE_IS_MANAGED, d));
  EQ(managed, false);
  OK(hipPointerGetAttribute(&managed, HIP_POINTER_ATTRIBUTE_IS_MANAGED, m));
  EQ(managed, true);
  OK(hipPointerGetAttribute(&ordinal, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, d));
  EQ(ordinal, 0);
  unsigned long long a = 0, b = 0;
  OK(hipPointerGetAttribute(&a, HIP_POINTER_ATTRIBUTE_BUFFER_ID, d));
  OK(hipPointerGetAttribute(&b, HIP_POINTER_ATTRIBUTE_BUFFER_ID, h));
  IS(a != b);
  managed = false;
  OK(hipPointerGetAttribute(&managed, HIP_POINTER_ATTRIBUTE_MAPPED, d));
  EQ(managed, true);
  for (int none : {0, 50, 999}) E(InvalidValue, hipPointerGetAttribute(&pointer, (hipPointer_attribute)none, d));
  E(InvalidValue, hipPointerGetAttribute(nullptr, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, d));
  E(InvalidValue, hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, nullptr));
  ONLY_OURS("AMD's crashes now and then") E(InvalidValue, hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, &local));

  hipPointer_attribute wanted[] = {HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void* places[] = {&type, &size, &ordinal};
  type = 99, size = 0, ordinal = -1;
  OK(hipDrvPointerGetAttributes(3, wanted, places, d));
  EQ(type, (unsigned)hipMemoryTypeDevice);
  EQ(size, 4096u);
  EQ(ordinal, 0);
  E(InvalidValue, hipDrvPointerGetAttributes(0, wanted, places, d));
  E(InvalidValue, hipDrvPointerGetAttributes(3, nullptr, places, d));
  E(InvalidValue, hipDrvPointerGetAttributes(3, wanted, nullptr, d));

  hipDeviceptr_t base = nullptr;
  OK(hipMemGetAddressRange(&base, &size, d + 100));
  EQ(base, (void*)d);
  EQ(size, 4096u);
  OK(hipMemGetAddressRange(&base, &size, h + 100));
  EQ(base, (void*)h);
  DIFFERS(NotFound, InvalidDevicePointer, "HIP's conformance tests", hipMemGetAddressRange(&base, &size, &local));
  DIFFERS(NotFound, InvalidDevicePointer, "HIP's conformance tests", hipMemGetAddressRange(&base, &size, nullptr));
  OK(hipMemPtrGetInfo(h, &size));
  EQ(size, 4096u);
  E(InvalidValue, hipMemPtrGetInfo(&local, &size));
  E(InvalidValue, hipMemPtrGetInfo(nullptr, &size));
  ONLY_OURS("AMD's crashes") E(InvalidValue, hipMemPtrGetInfo(d, nullptr));
  size_t available = 0, total = 0;
  OK(hipMemGetInfo(&available, &total));
  IS(available > 0 && available < total);
  ONLY_OURS("AMD's crashes") {
    E(InvalidValue, hipMemGetInfo(nullptr, &total));
    E(InvalidValue, hipMemGetInfo(&available, nullptr));
  }
  CK(hipHostUnregister(r));
  CK(hipFree(m));
  CK(hipHostFree(h));
  CK(hipFree(d));
  free(r);
}

int main() {
  device();
  pitched();
  host();
  registered();
  pointers();
  return api_verdict("api_memory");
}
