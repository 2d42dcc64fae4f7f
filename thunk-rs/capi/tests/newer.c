// Functions that libhsakmt got after 5.2.3, called through what the loader finds. Ends with status 0 if all answer as they
// should; otherwise says what does not.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <hsakmt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;

static void want(const char *what, long got, long wanted) {
  if (got == wanted) return;
  printf("%s: %ld, not %ld\n", what, got, wanted);
  failures++;
}

// Any function: all arguments of these fit in registers or are 64 bits wide.
typedef int (*function)();

static function find(const char *name) {
  function found = (function)dlsym(RTLD_DEFAULT, name);
  if (!found) printf("no %s\n", name), exit(2);
  return found;
}

#define CALL(name, ...) find(#name)(__VA_ARGS__)
#define WANT(status, name, ...) want(#name, CALL(name, __VA_ARGS__), status)

int main(void) {
  HsaSystemProperties system;
  HSAuint64 free_before = 0, free_after = 0, offset = 77, age[1] = {1}, hz = 5;
  HSAuint32 mask = 9, count = 0, size = 0, nodes[1] = {1};
  HsaMemFlags flags = {.Value = 64 | 1};
  void *memory = NULL, *data = NULL;
  int fd = -1;
  bool enabled = true;
  WANT(20, hsaKmtAvailableMemory, 1, &free_before);
  want("open", hsaKmtOpenKFD(), 0);
  WANT(5, hsaKmtAvailableMemory, 1, &free_before);
  want("acquire", hsaKmtAcquireSystemProperties(&system), 0);

  WANT(0, hsaKmtAvailableMemory, 1, &free_before);
  WANT(0, hsaKmtAllocMemoryAlign, 1, 0x4000ul, 0x100000ul, flags, &memory);
  want("aligned", (long)memory & 0xfffff, 0);
  WANT(3, hsaKmtAllocMemoryAlign, 1, 0x4000ul, 0x3000ul, flags, &data);
  WANT(0, hsaKmtAvailableMemory, 1, &free_after);
  want("bytes", free_before - free_after, 0x4000);

  // A dma-buf of a part, and in again.
  strcpy((char *)memory + 0x1000, "by dma-buf");
  WANT(0, hsaKmtExportDMABufHandle, (char *)memory + 0x1000, 0x2000ul, &fd, &offset);
  want("offset", offset, 0x1000);
  WANT(3, hsaKmtExportDMABufHandle, (char *)memory + 0x3000, 0x2000ul, &fd, &offset);
  WANT(3, hsaKmtExportDMABufHandle, (void *)0x5000, 0x2000ul, &fd, &offset);
  // Nothing is left behind where there is no place for what a call gives.
  int next = dup(0);
  close(next);
  WANT(3, hsaKmtExportDMABufHandle, memory, 0x2000ul, &fd, NULL);
  WANT(3, hsaKmtExportDMABufHandle, memory, 0x2000ul, NULL, &offset);
  WANT(3, hsaKmtOpenSMI, 1, NULL);
  int same = dup(0);
  close(same);
  want("the next descriptor", same, next);
  // libdrm's object of the GPU, the same each time; it knows the device that we know.
  void *device = NULL, *again = NULL, *drm = dlopen("libdrm_amdgpu.so.1", RTLD_NOW);
  WANT(5, hsaKmtGetAMDGPUDeviceHandle, 99, &device);
  WANT(5, hsaKmtGetAMDGPUDeviceHandle, 0, &device);
  WANT(3, hsaKmtGetAMDGPUDeviceHandle, 1, NULL);
  if (drm) {
    WANT(0, hsaKmtGetAMDGPUDeviceHandle, 1, &device);
    WANT(0, hsaKmtGetAMDGPUDeviceHandle, 1, &again);
    want("the same object", device == again, 1);
    HsaNodeProperties node;
    HSAuint32 drm_info[128] = {0};
    want("node", hsaKmtGetNodeProperties(1, &node), 0);
    want("query", ((function)dlsym(drm, "amdgpu_query_gpu_info"))(device, drm_info), 0);
    want("device ID", drm_info[0], node.DeviceId);
  } else {
    WANT(11, hsaKmtGetAMDGPUDeviceHandle, 1, &device);
  }
  HsaGraphicsResourceInfo info = {0};
  want("import", hsaKmtRegisterGraphicsHandleToNodes(fd, &info, 1, nodes), 0);
  want("imported", info.SizeInBytes, 0x4000);
  HsaPointerInfo pointer;
  want("info", hsaKmtQueryPointerInfo(info.MemoryAddress, &pointer), 0);
  want("kind", pointer.Type, HSA_POINTER_REGISTERED_GRAPHICS);
  want("map", hsaKmtMapMemoryToGPU(info.MemoryAddress, 0x4000, NULL), 0);
  want("unmap", hsaKmtUnmapMemoryToGPU(info.MemoryAddress), 0);
  want("deregister", hsaKmtDeregisterMemory(info.MemoryAddress), 0);
  want("import of nothing", hsaKmtRegisterGraphicsHandleToNodes(0, &info, 1, nodes), 1);
  close(fd);
  want("free", hsaKmtFreeMemory(memory, 0x4000), 0);

  // Ages: an event that was set since counts as set.
  HsaEventDescriptor descriptor = {.EventType = HSA_EVENTTYPE_SIGNAL};
  HsaEvent *event = NULL;
  want("event", hsaKmtCreateEvent(&descriptor, false, false, &event), 0);
  WANT(31, hsaKmtWaitOnEvent_Ext, event, 0, age);
  want("set", hsaKmtSetEvent(event), 0);
  WANT(0, hsaKmtWaitOnMultipleEvents_Ext, &event, 1, true, 10, age);
  want("age", age[0] >= 2, 1);
  want("destroy", hsaKmtDestroyEvent(event), 0);

  WANT(0, hsaKmtOpenSMI, 1, &fd);
  struct pollfd poll_for = {.fd = fd, .events = POLLIN};
  HSAuint64 all = ~0ul >> 1;
  want("mask", write(fd, &all, 8), 8);
  want("nothing happened", poll(&poll_for, 1, 0), 0);
  close(fd);

  // The topology says that waves cannot be debugged, so that a runtime does not ask; the calls are there.
  WANT(11, hsaKmtCheckRuntimeDebugSupport);
  WANT(0, hsaKmtGetRuntimeCapabilities, &mask);
  want("capabilities", mask, 0);
  WANT(0, hsaKmtDbgEnable, &data, &size);
  want("runtime info", size, 16);
  free(data);
  WANT(0, hsaKmtDbgGetDeviceData, &data, &count, &size);
  want("devices", count, system.NumNodes - 1);
  want("bytes of one", size, 120);
  free(data);
  WANT(0, hsaKmtDbgGetQueueData, &data, &count, &size, false);
  want("queues", count, 0);
  free(data);
  WANT(0, hsaKmtDbgDisable);
  WANT(1, hsaKmtDbgDisable);

  WANT(11, hsaKmtPcSamplingSupport);
  WANT(11, hsaKmtPcSamplingQueryCapabilities, 1, NULL, 0, &count);
  WANT(0, hsaKmtGetNodeWallclockFrequency, 1, &hz);
  WANT(0, hsaKmtModelEnabled, &enabled);
  want("model", enabled, false);
  WANT(11, hsaKmtReplaceAsanHeaderPage, memory);
  WANT(11, hsaKmtReturnAsanHeaderPage, memory);
  WANT(11, hsaKmtAisReadWriteFile, memory, 0ul, 0, 0ul, 0, NULL, NULL);
  WANT(11, hsaKmtSetSigbusDelay, 1, 5);

  // Ranges of ordinary memory.
  HSA_SVM_ATTRIBUTE access[2] = {{HSA_SVM_ATTR_ACCESS, 1}, {HSA_SVM_ATTR_PREFERRED_LOC, ~0u}};
  char *range = aligned_alloc(0x1000, 0x4000);
  memset(range, 0, 0x4000);
  want("set attributes", hsaKmtSVMSetAttr(range, 0x4000, 2, access), 0);
  want("get attributes", hsaKmtSVMGetAttr(range, 0x4000, 2, access), 0);
  want("access", access[0].type, HSA_SVM_ATTR_ACCESS);
  want("of node", access[0].value, 1);
  want("preferred", access[1].value, ~0u);
  want("close", hsaKmtCloseKFD(), 0);
  return failures != 0;
}
