// Calls a libhsakmt as many ways as there are to do it right and wrong, and prints what it answers: the same program on
// the vendor's library and on ours must print the same. Addresses are printed as relations.

#define _GNU_SOURCE
#include <hsakmt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAY(call) printf("%s: %d\n", #call, (int)(call))

static void hex(const char *what, const void *bytes, size_t size) {
  printf("%s:", what);
  for (size_t i = 0; i < size; i++) printf("%s%02x", i % 4 ? "" : " ", ((const unsigned char *)bytes)[i]);
  printf("\n");
}

static void closed(void) {
  HsaVersionInfo version;
  HsaSystemProperties system;
  HsaNodeProperties node;
  HsaMemoryProperties bank;
  HsaCacheProperties cache;
  HsaIoLinkProperties link;
  HsaClockCounters clocks;
  HsaMemFlags flags = {.Value = 0};
  HsaEventDescriptor descriptor = {0};
  HsaQueueResource resource = {0};
  HsaQueueInfo queue;
  HsaSharedMemoryHandle handle;
  HsaCounterProperties *counters;
  HSA_SVM_ATTRIBUTE attribute = {0, 0};
  HsaEvent *event = NULL;
  HSAuint64 size, va;
  HSAint32 xnack = 5;
  void *address = NULL;
  char memory[64];
  SAY(hsaKmtCloseKFD());
  SAY(hsaKmtGetVersion(&version));
  SAY(hsaKmtAcquireSystemProperties(&system));
  SAY(hsaKmtGetNodeProperties(0, &node));
  SAY(hsaKmtGetNodeProperties(0, NULL));
  SAY(hsaKmtGetNodeMemoryProperties(0, 1, &bank));
  SAY(hsaKmtGetNodeMemoryProperties(0, 1, NULL));
  SAY(hsaKmtGetNodeCacheProperties(0, 0, 1, &cache));
  SAY(hsaKmtGetNodeIoLinkProperties(0, 1, &link));
  SAY(hsaKmtCreateEvent(&descriptor, true, false, &event));
  SAY(hsaKmtDestroyEvent(event));
  SAY(hsaKmtSetEvent(event));
  SAY(hsaKmtResetEvent(event));
  SAY(hsaKmtQueryEventState(event));
  SAY(hsaKmtWaitOnEvent(event, 0));
  SAY(hsaKmtWaitOnMultipleEvents(NULL, 1, true, 0));
  SAY(hsaKmtCreateQueue(1, HSA_QUEUE_COMPUTE_AQL, 100, 0, memory, 1024, NULL, &resource));
  SAY(hsaKmtUpdateQueue(0, 100, 0, memory, 1024, NULL));
  SAY(hsaKmtDestroyQueue(0));
  SAY(hsaKmtGetQueueInfo(0, &queue));
  SAY(hsaKmtSetMemoryPolicy(1, 0, 0, NULL, 0));
  SAY(hsaKmtAllocMemory(1, 4096, flags, &address));
  SAY(hsaKmtFreeMemory(memory, 64));
  SAY(hsaKmtRegisterMemory(memory, 64));
  SAY(hsaKmtRegisterMemoryWithFlags(memory, 64, flags));
  SAY(hsaKmtDeregisterMemory(memory));
  SAY(hsaKmtMapMemoryToGPU(memory, 64, &va));
  SAY(hsaKmtUnmapMemoryToGPU(memory));
  SAY(hsaKmtShareMemory(memory, 64, &handle));
  SAY(hsaKmtRegisterSharedHandle(&handle, &address, &size));
  SAY(hsaKmtSetTrapHandler(1, memory, 64, memory, 64));
  SAY(hsaKmtGetClockCounters(0, &clocks));
  SAY(hsaKmtGetXNACKMode(&xnack));
  SAY(hsaKmtSetXNACKMode(0));
  SAY(hsaKmtSVMSetAttr((void *)0x10000, 4096, 1, &attribute));
  SAY(hsaKmtSVMGetAttr((void *)0x10000, 4096, 1, &attribute));
  SAY(hsaKmtDbgRegister(1));
  SAY(hsaKmtDbgUnregister(1));
  SAY(hsaKmtQueryPointerInfo(memory, NULL));
  SAY(hsaKmtPmcGetCounterProperties(1, &counters));
  SAY(hsaKmtRuntimeEnable(NULL, false));
  SAY(hsaKmtRuntimeDisable());
  SAY(hsaKmtMapGraphicHandle(1, 0, 0, 0, 0, &va));
  SAY(hsaKmtReleaseSystemProperties());
}

static int by_content(const void *a, const void *b) { return memcmp(a, b, sizeof(HsaCacheProperties)); }

static HSAuint32 topology(void) {
  HsaSystemProperties system;
  HsaNodeProperties node;
  HsaMemFlags flags = {.Value = 0};
  void *address = NULL;
  SAY(hsaKmtGetNodeProperties(0, &node));
  SAY(hsaKmtAllocMemory(0, 4096, flags, &address));
  SAY(hsaKmtAcquireSystemProperties(NULL));
  SAY(hsaKmtAcquireSystemProperties(&system));
  hex("system", &system, sizeof system);
  SAY(hsaKmtGetNodeProperties(0, NULL));
  for (HSAuint32 n = 0; n <= system.NumNodes; n++) {
    printf("node %u: %d\n", n, hsaKmtGetNodeProperties(n, &node));
    if (n == system.NumNodes) break;
    // Later versions use the reserved bytes.
    hex("properties", &node, sizeof node - sizeof node.Reserved);
    HSAuint32 banks = node.NumMemoryBanks, caches = node.NumCaches, links = node.NumIOLinks;
    HsaMemoryProperties *bank = calloc(banks + 1, sizeof *bank);
    HsaCacheProperties *cache = calloc(caches + 1, sizeof *cache);
    HsaIoLinkProperties *link = calloc(links + 1, sizeof *link);
    printf("banks: %d\n", hsaKmtGetNodeMemoryProperties(n, banks + 1, bank));
    for (HSAuint32 i = 0; i <= banks; i++) {
      // The MMIO page lies anywhere.
      if (bank[i].HeapType == HSA_HEAPTYPE_MMIO_REMAP) bank[i].VirtualBaseAddress = !!bank[i].VirtualBaseAddress;
      hex("bank", &bank[i], sizeof *bank);
    }
    printf("caches: %d\n", hsaKmtGetNodeCacheProperties(n, node.CComputeIdLo, caches, cache));
    qsort(cache, caches, sizeof *cache, by_content);
    for (HSAuint32 i = 0; i < caches; i++) hex("cache", &cache[i], sizeof *cache);
    printf("too many caches: %d\n", hsaKmtGetNodeCacheProperties(n, 0, caches + 1, cache));
    printf("links: %d\n", hsaKmtGetNodeIoLinkProperties(n, links, link));
    for (HSAuint32 i = 0; i < links; i++) hex("link", &link[i], sizeof *link);
    printf("too many links: %d\n", hsaKmtGetNodeIoLinkProperties(n, links + 1, link));
    free(bank), free(cache), free(link);
  }
  return system.NumNodes;
}

static void info_of(const char *what, void *pointer, void *start) {
  HsaPointerInfo info;
  memset(&info, 0x5a, sizeof info);
  HSAKMT_STATUS status = hsaKmtQueryPointerInfo(pointer, &info);
  printf("%s: info %d type %d", what, status, info.Type);
  if (status == HSAKMT_STATUS_SUCCESS) {
    printf(" node %u flags %#x size %#lx cpu %s gpu %s user %p registered", info.Node, info.MemFlags.Value,
           (long)info.SizeInBytes, info.CPUAddress == start ? "same" : info.CPUAddress ? "other" : "none",
           info.GPUAddress == (HSAuint64)start ? "same" : "other", info.UserData);
    for (HSAuint32 i = 0; i < info.NRegisteredNodes; i++) printf(" %u", info.RegisteredNodes[i]);
    printf(" mapped");
    for (HSAuint32 i = 0; i < info.NMappedNodes; i++) printf(" %u", info.MappedNodes[i]);
  }
  printf("\n");
}

static void allocation(HSAuint32 node, HSAuint64 size, HSAuint32 value, const char *what) {
  HsaMemFlags flags = {.Value = value};
  HsaMemMapFlags map = {.Value = 0};
  HSAuint32 all[2] = {1, 2}, cpu[1] = {0}, wrong[1] = {99};
  HSAuint64 va = 77;
  void *address = (void *)0x1234;
  HSAKMT_STATUS status = hsaKmtAllocMemory(node, size, flags, &address);
  printf("== %s, node %u, size %#lx, flags %#x: %d %s\n", what, node, (long)size, value, status,
         address ? "address" : "null");
  if (status != HSAKMT_STATUS_SUCCESS) return;
  info_of("start", address, address);
  info_of("inside", (char *)address + size / 2, address);
  SAY(hsaKmtSetMemoryUserData(address, (void *)0x42));
  SAY(hsaKmtMapMemoryToGPU(address, size, &va));
  printf("alternate %s\n", va == 0 ? "none" : va == (HSAuint64)address ? "same" : "other");
  info_of("mapped", address, address);
  SAY(hsaKmtMapMemoryToGPU(address, size, &va));
  SAY(hsaKmtFreeMemory(address, size));
  SAY(hsaKmtUnmapMemoryToGPU(address));
  SAY(hsaKmtUnmapMemoryToGPU(address));
  SAY(hsaKmtMapMemoryToGPUNodes(address, size, &va, map, 1, all));
  SAY(hsaKmtMapMemoryToGPUNodes(address, size, &va, map, 1, cpu));
  SAY(hsaKmtMapMemoryToGPUNodes(address, size, &va, map, 1, wrong));
  SAY(hsaKmtMapMemoryToGPUNodes(address, size, &va, map, 0, all));
  SAY(hsaKmtMapMemoryToGPUNodes(address, size, &va, map, 1, NULL));
  info_of("mapped", address, address);
  SAY(hsaKmtRegisterMemoryToNodes(address, size, 1, all));
  SAY(hsaKmtRegisterMemoryToNodes(address, size, 1, all));
  SAY(hsaKmtRegisterMemoryToNodes(address, size, 1, cpu));
  SAY(hsaKmtRegisterMemory(address, size));
  info_of("registered", address, address);
  SAY(hsaKmtDeregisterMemory(address));
  SAY(hsaKmtDeregisterMemory(address));
  SAY(hsaKmtUnmapMemoryToGPU(address));
  if (flags.ui32.HostAccess) memset(address, 0x11, size);
  SAY(hsaKmtFreeMemory(address, size));
  SAY(hsaKmtFreeMemory(address, size));
  info_of("freed", address, address);
}

static void memory(void) {
  enum { NON_PAGED = 1, READ_ONLY = 8, PAGE_64K = 16, PAGE_2M = 32, HOST = 64, SCRATCH = 512, EXEC = 4096,
         COARSE = 8192, AQL = 16384, FIXED = 32768, NO_BIND = 65536, UNCACHED = 131072 };
  HsaMemFlags flags = {.Value = HOST};
  HSAuint64 va;
  allocation(0, 4096, HOST, "host");
  allocation(0, 0x300000, HOST | COARSE, "host, coarse");
  allocation(0, 4096, HOST | READ_ONLY, "host, read only");
  allocation(1, 4096, HOST, "host, by a GPU");
  allocation(0, 4096, HOST | NON_PAGED | EXEC | UNCACHED, "of the kernel on the host");
  allocation(1, 0x200000, HOST | NON_PAGED, "of the GPU");
  allocation(1, 0x3000, NON_PAGED | COARSE, "of the GPU, not for the host");
  allocation(1, 4096, HOST | NON_PAGED | COARSE | EXEC, "of the GPU, code");
  allocation(1, 4096, HOST | NON_PAGED | PAGE_64K, "less than a page");
  allocation(1, 0x10000, HOST | NON_PAGED | PAGE_64K, "a large page");
  allocation(1, 0x200000, HOST | PAGE_2M, "a huge page");
  allocation(1, 0, HOST, "nothing");
  allocation(1, 4097, HOST, "no whole page");
  allocation(99, 4096, HOST, "no node");
  allocation(1, 1ull << 50, HOST | NON_PAGED, "too much of the GPU");
  allocation(1, 1ull << 50, HOST, "too much of the host");
  SAY(hsaKmtAllocMemory(1, 4096, flags, NULL));
  SAY(hsaKmtFreeMemory(NULL, 0));
  SAY(hsaKmtFreeMemory((void *)0x5000, 4096));
  SAY(hsaKmtMapMemoryToGPU(NULL, 4096, &va));
  SAY(hsaKmtMapMemoryToGPU((void *)0x5000, 4096, &va));
  SAY(hsaKmtUnmapMemoryToGPU(NULL));
  SAY(hsaKmtUnmapMemoryToGPU((void *)0x5000));
  SAY(hsaKmtDeregisterMemory((void *)0x5000));
  SAY(hsaKmtSetMemoryUserData((void *)0x5000, NULL));
  SAY(hsaKmtQueryPointerInfo((void *)0x5000, NULL));
  SAY(hsaKmtUnmapGraphicHandle(1, 0, 0));
  info_of("nothing", (void *)0x5000, NULL);

  flags.Value = SCRATCH;
  void *scratch = NULL, *second = (void *)1;
  SAY(hsaKmtAllocMemory(1, 0x20000, flags, &scratch));
  SAY(hsaKmtAllocMemory(1, 0x20000, flags, &second));
  SAY(hsaKmtMapMemoryToGPU(scratch, 0x10000, &va));
  SAY(hsaKmtMapMemoryToGPU((char *)scratch + 0x10000, 0x20000, &va));
  SAY(hsaKmtUnmapMemoryToGPU(scratch));
  SAY(hsaKmtUnmapMemoryToGPU((char *)scratch + 0x10000));
  SAY(hsaKmtFreeMemory(scratch, 0x20000));
  SAY(hsaKmtAllocMemory(1, 0x20000, flags, &scratch));
  SAY(hsaKmtFreeMemory(scratch, 0x20000));
}

static void user_memory(void) {
  char *own = mmap(NULL, 0x8000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  HsaMemFlags flags = {.Value = 64};
  HSAuint64 va = 0, again = 0;
  HSAuint32 nodes[1] = {1};
  memset(own, 1, 0x8000);
  char *at = own + 0x123;
  SAY(hsaKmtRegisterMemoryWithFlags(at, 0x2000, flags));
  info_of("registered", at, at);
  info_of("inside", at + 0x1000, at);
  info_of("before", own, at);
  SAY(hsaKmtMapMemoryToGPU(at, 0x2000, &va));
  printf("alternate: offset %#lx\n", (long)(va & 4095));
  SAY(hsaKmtRegisterMemoryWithFlags(at, 0x2000, flags));
  SAY(hsaKmtMapMemoryToGPU(at, 0x2000, &again));
  printf("alternate %s\n", va == again ? "same" : "other");
  info_of("twice", at, at);
  SAY(hsaKmtDeregisterMemory(at));
  SAY(hsaKmtUnmapMemoryToGPU(at));
  info_of("once", at, at);
  SAY(hsaKmtRegisterMemory(at, 0x1000));
  SAY(hsaKmtMapMemoryToGPU(at, 0x1000, &again));
  printf("alternate %s\n", va == again ? "same" : "other");
  SAY(hsaKmtUnmapMemoryToGPU(at));
  SAY(hsaKmtMapMemoryToGPU(at, 0x3000, &again));
  SAY(hsaKmtUnmapMemoryToGPU((void *)again));
  SAY(hsaKmtRegisterMemoryToNodes(own + 0x4000, 0x1000, 1, nodes));
  SAY(hsaKmtMapMemoryToGPU(own + 0x4000, 0x1000, &va));
  info_of("to nodes", own + 0x4000, own + 0x4000);
  SAY(hsaKmtUnmapMemoryToGPU(own + 0x4000));
  SAY(hsaKmtDeregisterMemory(own + 0x4000));
  SAY(hsaKmtDeregisterMemory(own + 0x4000));
  SAY(hsaKmtRegisterMemory((void *)0x7000, 0x1000));
  flags.Value = 0;
  SAY(hsaKmtRegisterMemoryWithFlags(own, 0x1000, flags));
  flags.Value = 65;
  SAY(hsaKmtRegisterMemoryWithFlags(own, 0x1000, flags));
  SAY(hsaKmtRegisterMemoryToNodes(own, 0x1000, 0, nodes));
  SAY(hsaKmtRegisterMemoryToNodes(own, 0x1000, 1, NULL));
}

static void *set_later(void *event) {
  usleep(20000);
  hsaKmtSetEvent(event);
  return NULL;
}

static void events(void) {
  HsaEvent *event[12] = {0};
  for (HSAuint32 type = 0; type < 10; type++) {
    HsaEventDescriptor descriptor = {.EventType = type, .NodeId = 1};
    descriptor.SyncVar.SyncVar.UserData = (void *)0x1122334455667788;
    descriptor.SyncVar.SyncVarSize = 8;
    printf("event of type %u: %d\n", type, hsaKmtCreateEvent(&descriptor, type % 2, type == 5, &event[type]));
    if (type == 9) break;
    HsaEvent e = *event[type];
    printf("  id %#x data1 %#lx slot %s data3 %#x\n", e.EventId, (long)e.EventData.HWData1,
           e.EventData.HWData2 ? "yes" : "no", e.EventData.HWData3);
    hex("  says", &e.EventData.EventData, sizeof e.EventData.EventData);
    SAY(hsaKmtSetEvent(event[type]));
    SAY(hsaKmtWaitOnEvent(event[type], 0));
    SAY(hsaKmtWaitOnEvent(event[type], 1));
    SAY(hsaKmtResetEvent(event[type]));
    SAY(hsaKmtWaitOnEvent(event[type], 0));
    SAY(hsaKmtQueryEventState(event[type]));
  }
  HsaEvent *pair[2] = {event[0], event[5]};
  SAY(hsaKmtWaitOnMultipleEvents(pair, 2, false, 0));
  SAY(hsaKmtSetEvent(event[5]));
  SAY(hsaKmtWaitOnMultipleEvents(pair, 2, false, 0));
  SAY(hsaKmtWaitOnMultipleEvents(pair, 2, true, 2));
  SAY(hsaKmtSetEvent(event[0]));
  SAY(hsaKmtWaitOnMultipleEvents(pair, 2, true, 2));
  SAY(hsaKmtWaitOnMultipleEvents(pair, 2, true, 2));
  pthread_t thread;
  pthread_create(&thread, NULL, set_later, event[0]);
  SAY(hsaKmtWaitOnEvent(event[0], HSA_EVENTTIMEOUT_INFINITE));
  pthread_join(thread, NULL);
  SAY(hsaKmtWaitOnMultipleEvents(NULL, 1, true, 0));
  SAY(hsaKmtWaitOnEvent(NULL, 0));
  SAY(hsaKmtSetEvent(NULL));
  SAY(hsaKmtResetEvent(NULL));
  SAY(hsaKmtDestroyEvent(NULL));
  for (int type = 0; type < 9; type++) SAY(hsaKmtDestroyEvent(event[type]));
}

static void *buffer(HSAuint64 size) {
  HsaMemFlags flags = {.Value = 64 | 4096};
  void *address = NULL;
  if (hsaKmtAllocMemory(0, size, flags, &address) || hsaKmtMapMemoryToGPU(address, size, NULL)) exit(3);
  return address;
}

static void release(void *address, HSAuint64 size) {
  SAY(hsaKmtUnmapMemoryToGPU(address));
  SAY(hsaKmtFreeMemory(address, size));
}

static void queues(void) {
  void *ring = buffer(0x10000);
  HSAuint64 *indices = buffer(4096);
  HSA_QUEUE_TYPE types[] = {HSA_QUEUE_COMPUTE_AQL, HSA_QUEUE_SDMA, HSA_QUEUE_COMPUTE};
  HsaQueueResource r = {0};
  HsaQueueInfo info;
  HSAuint32 mask[4] = {~0u, ~0u, ~0u, ~0u}, first = 9;
  for (int i = 0; i < 3; i++) {
    printf("== queue of type %d\n", types[i]);
    memset(&r, 0, sizeof r);
    r.Queue_write_ptr_aql = indices, r.Queue_read_ptr_aql = indices + 8;
    SAY(hsaKmtCreateQueue(1, types[i], 100, HSA_QUEUE_PRIORITY_NORMAL, ring, 0x10000, NULL, &r));
    printf("doorbell %s, indices %s\n", r.QueueDoorBell ? "yes" : "no",
           r.Queue_write_ptr_aql == indices ? "the caller's" : r.QueueWptrValue ? "others" : "none");
    SAY(hsaKmtUpdateQueue(r.QueueId, 50, HSA_QUEUE_PRIORITY_HIGH, ring, 0x10000, NULL));
    SAY(hsaKmtUpdateQueue(r.QueueId, 101, HSA_QUEUE_PRIORITY_HIGH, ring, 0x10000, NULL));
    SAY(hsaKmtUpdateQueue(r.QueueId, 50, 4, ring, 0x10000, NULL));
    SAY(hsaKmtUpdateQueue(r.QueueId, 50, 0, ring, 0x10001, NULL));
    SAY(hsaKmtSetQueueCUMask(r.QueueId, 128, mask));
    SAY(hsaKmtSetQueueCUMask(r.QueueId, 0, mask));
    SAY(hsaKmtSetQueueCUMask(r.QueueId, 33, mask));
    SAY(hsaKmtSetQueueCUMask(r.QueueId, 128, NULL));
    SAY(hsaKmtGetQueueInfo(r.QueueId, &info));
    SAY(hsaKmtGetQueueInfo(r.QueueId, NULL));
    if (types[i] != HSA_QUEUE_SDMA) {
      SAY(hsaKmtUpdateQueue(r.QueueId, 0, 0, ring, 0x10000, NULL));
      HSAKMT_STATUS status = hsaKmtGetQueueInfo(r.QueueId, &info);
      printf("queue off the hardware: %d\n", status);
      if (status == HSAKMT_STATUS_SUCCESS) {
        printf("bits %u, areas apart %#lx\n", info.NumCUAssigned,
               (long)((char *)info.UserContextSaveArea - (char *)info.SaveAreaHeader));
        printf("debugger %#x + %#x\n", info.SaveAreaHeader->DebugOffset, info.SaveAreaHeader->DebugSize);
      }
      SAY(hsaKmtAllocQueueGWS(r.QueueId, 1000, &first));
      SAY(hsaKmtAllocQueueGWS(r.QueueId, 16, &first));
    }
    SAY(hsaKmtDestroyQueue(r.QueueId));
  }
  memset(&r, 0, sizeof r);
  r.Queue_write_ptr_aql = indices, r.Queue_read_ptr_aql = indices + 8;
  SAY(hsaKmtCreateQueue(1, HSA_QUEUE_COMPUTE_AQL, 100, -4, ring, 0x10000, NULL, &r));
  SAY(hsaKmtCreateQueue(1, HSA_QUEUE_COMPUTE_AQL, 100, 4, ring, 0x10000, NULL, &r));
  SAY(hsaKmtCreateQueue(1, 99, 100, 0, ring, 0x10000, NULL, &r));
  SAY(hsaKmtCreateQueue(1, HSA_QUEUE_MULTIMEDIA_DECODE, 100, 0, ring, 0x10000, NULL, &r));
  SAY(hsaKmtCreateQueue(99, HSA_QUEUE_COMPUTE_AQL, 100, 0, ring, 0x10000, NULL, &r));
  SAY(hsaKmtCreateQueue(1, HSA_QUEUE_COMPUTE_AQL, 101, 0, ring, 0x10000, NULL, &r));
  SAY(hsaKmtCreateQueue(1, HSA_QUEUE_COMPUTE_AQL, 100, 0, ring, 0x10001, NULL, &r));
  SAY(hsaKmtCreateQueue(1, HSA_QUEUE_COMPUTE_AQL, 100, 0, (void *)0x5000, 0x10000, NULL, &r));
  SAY(hsaKmtDestroyQueue(0));
  SAY(hsaKmtUpdateQueue(0, 100, 0, ring, 0x10000, NULL));
  SAY(hsaKmtGetQueueInfo(0, &info));
  release(indices, 4096);
  release(ring, 0x10000);
}

// Runs a kernel by PM4 packets: out[i] = 42 + i for one wave, then a fence with an event's interrupt.
static void kernel(void) {
  HSAuint32 *ring = buffer(0x1000), *out = buffer(4096), *code = buffer(4096);
  const HSAuint32 text[] = {0x7e040200, 0x7e060201, 0x24020082, 0x32040302, 0x38060680, 0x680200aa, 0xdc708000, 0x007f0102, 0xbf810000};
  memcpy(code, text, sizeof text);
  HsaEventDescriptor descriptor = {.EventType = HSA_EVENTTYPE_SIGNAL};
  HsaEvent *event = NULL;
  SAY(hsaKmtCreateEvent(&descriptor, false, false, &event));
  HsaQueueResource r = {0};
  SAY(hsaKmtCreateQueue(1, HSA_QUEUE_COMPUTE, 100, HSA_QUEUE_PRIORITY_NORMAL, ring, 0x1000, NULL, &r));
#define LOW(pointer) (HSAuint32)(HSAuint64)(pointer)
#define HIGH(pointer) (HSAuint32)((HSAuint64)(pointer) >> 32)
#define PACKET(opcode, body) (0xc0000000u | ((body) - 1) << 16 | (opcode) << 8)
  HSAuint64 mailbox = event->EventData.HWData2;
  const HSAuint32 packets[] = {
      PACKET(0x58, 6), 0, ~0u, 0xff, 0, 0, 10,                                           // ACQUIRE_MEM
      PACKET(0x76, 7), 0x204, 0, 0, 0, 64, 1, 1,                                         // COMPUTE_START, _NUM_THREAD
      PACKET(0x76, 3), 0x20c, LOW((HSAuint64)code >> 8), HIGH((HSAuint64)code >> 8),     // COMPUTE_PGM
      PACKET(0x76, 3), 0x212, 0xc0 << 12, 2 << 1,                                        // COMPUTE_PGM_RSRC1, 2
      PACKET(0x76, 3), 0x240, LOW(out), HIGH(out),                                       // COMPUTE_USER_DATA
      PACKET(0x15, 4), 1, 1, 1, 5,                                                       // DISPATCH_DIRECT
      PACKET(0x49, 7), 0x514, 1 << 29 | 2 << 24, LOW(mailbox), HIGH(mailbox), event->EventId, 0, event->EventId,
  };
  memcpy(ring, packets, sizeof packets);
  HSAuint64 end = sizeof packets / 4;
  __atomic_store_n(r.Queue_write_ptr_aql, end, __ATOMIC_RELEASE);
  __atomic_store_n(r.Queue_DoorBell_aql, end, __ATOMIC_RELEASE);
  SAY(hsaKmtWaitOnEvent(event, 20000));
  HSAuint32 good = 0;
  for (HSAuint32 i = 0; i < 1024; i++) good += out[i] == (i < 64 ? 42 + i : 0);
  while (__atomic_load_n(r.Queue_read_ptr, __ATOMIC_ACQUIRE) != end) usleep(100);
  printf("kernel by registers: %u of 1024 as they should be\n", good);
  SAY(hsaKmtDestroyQueue(r.QueueId));
  SAY(hsaKmtDestroyEvent(event));
  release(ring, 0x1000);
  release(out, 4096);
  release(code, 4096);
}

static void others(void) {
  HsaClockCounters clocks;
  HsaCounterProperties *counters = NULL;
  HsaPmcTraceRoot root;
  HsaCounter counter = {0};
  HsaGpuTileConfig tiles = {0};
  HSA_SVM_ATTRIBUTE attributes[2] = {{HSA_SVM_ATTR_ACCESS, 0}, {HSA_SVM_ATTR_GRANULARITY, 9}};
  HSAuint32 words[80], major = 0, minor = 0, timeout = 1, copied = 0;
  HSAint32 xnack = 7;
  HSAuint64 copied64 = 5, masks[1] = {0};
  bool lost = false;
  char here[64], there[64];
  HsaMemoryRange local = {here, 64}, remote = {there, 64};
  HsaDbgWaveMessage message = {0};
  HSA_DBG_WATCH_MODE modes[1] = {0};
  void *addresses[1] = {here};
  for (HSAuint32 node = 0; node < 2; node++) {
    printf("clocks: %d\n", hsaKmtGetClockCounters(node, &clocks));
    printf("  gpu %s, %lu Hz\n", clocks.GPUClockCounter ? "ticks" : "none", (long)clocks.SystemClockFrequencyHz);
  }
  SAY(hsaKmtGetClockCounters(99, &clocks));
  SAY(hsaKmtGetXNACKMode(&xnack));
  printf("xnack %d\n", xnack);
  SAY(hsaKmtSetXNACKMode(0));
  SAY(hsaKmtSetXNACKMode(1));
  SAY(hsaKmtSetXNACKMode(0));
  SAY(hsaKmtSetTrapHandler(1, here, 64, there, 64));
  SAY(hsaKmtSetTrapHandler(99, here, 64, there, 64));
  SAY(hsaKmtSetMemoryPolicy(1, 0, 0, NULL, 0));
  SAY(hsaKmtSetMemoryPolicy(99, 0, 0, NULL, 0));
  tiles.TileConfig = words, tiles.NumTileConfigs = 40;
  tiles.MacroTileConfig = words + 40, tiles.NumMacroTileConfigs = 40;
  SAY(hsaKmtGetTileConfig(1, &tiles));
  hex("tiles", &tiles.NumTileConfigs, 20);
  SAY(hsaKmtGetTileConfig(99, &tiles));
  SAY(hsaKmtSVMSetAttr(NULL, 4096, 1, attributes));
  SAY(hsaKmtSVMSetAttr((void *)0x10000000, 0, 1, attributes));
  SAY(hsaKmtSVMSetAttr((void *)0x10000001, 4096, 1, attributes));
  SAY(hsaKmtSVMSetAttr((void *)0x10000000, 4097, 1, attributes));
  SAY(hsaKmtSVMSetAttr((void *)0x10000000, 4096, 2, attributes));
  attributes[0].value = 99;
  SAY(hsaKmtSVMGetAttr((void *)0x10000000, 4096, 2, attributes));
  attributes[0].value = 0;
  SAY(hsaKmtSVMGetAttr((void *)0x10000000, 4096, 2, attributes));
  SAY(hsaKmtDbgRegister(1));
  SAY(hsaKmtDbgRegister(99));
  SAY(hsaKmtDbgUnregister(1));
  SAY(hsaKmtDbgWavefrontControl(1, HSA_DBG_WAVEOP_HALT, HSA_DBG_WAVEMODE_SINGLE, 0, &message));
  SAY(hsaKmtDbgAddressWatch(1, 1, modes, addresses, masks, NULL));
  SAY(hsaKmtDbgAddressWatch(1, 101, modes, addresses, masks, NULL));
  SAY(hsaKmtGetKernelDebugTrapVersionInfo(&major, &minor));
  SAY(hsaKmtRuntimeEnable(NULL, false));
  SAY(hsaKmtRuntimeDisable());
  SAY(hsaKmtSPMAcquire(1));
  SAY(hsaKmtSPMAcquire(99));
  SAY(hsaKmtSPMSetDestBuffer(1, 64, &timeout, &copied, here, &lost));
  SAY(hsaKmtSPMRelease(1));
  SAY(hsaKmtProcessVMRead(getpid(), NULL, 1, &remote, 1, &copied64));
  SAY(hsaKmtProcessVMRead(getpid(), &local, 1, &remote, 1, &copied64));
  SAY(hsaKmtProcessVMWrite(getpid(), &local, 1, &remote, 1, &copied64));
  SAY(hsaKmtMapGraphicHandle(1, 0, 0, 0, 0, masks));
  SAY(hsaKmtPmcGetCounterProperties(1, NULL));
  SAY(hsaKmtPmcGetCounterProperties(99, &counters));
  SAY(hsaKmtPmcGetCounterProperties(1, &counters));
  HsaCounterBlockProperties *block = counters->Blocks;
  printf("%u blocks, %u at once\n", counters->NumBlocks, counters->NumConcurrent);
  for (HSAuint32 b = 0; b < counters->NumBlocks; b++) {
    unsigned long sum = 0;
    for (HSAuint32 i = 0; i < block->NumCounters; i++) {
      HsaCounter *c = &block->Counters[i];
      // The vendor's library leaves bits of the flags to chance.
      sum = sum * 31 + c->CounterId * 7 + c->BlockIndex + c->CounterSizeInBits + c->CounterMask + c->Type +
            c->Flags.ui32.Global;
    }
    hex("block", &block->BlockId, 16);
    printf("  %u counters, %u at once, sum %lx\n", block->NumCounters, block->NumConcurrent, sum);
    block = (HsaCounterBlockProperties *)&block->Counters[block->NumCounters];
  }
  counter = counters->Blocks[0].Counters[0];
  SAY(hsaKmtPmcRegisterTrace(1, 0, &counter, &root));
  SAY(hsaKmtPmcRegisterTrace(1, 1, NULL, &root));
  SAY(hsaKmtPmcRegisterTrace(99, 1, &counter, &root));
  SAY(hsaKmtPmcRegisterTrace(1, 1, &counter, &root));
  SAY(hsaKmtPmcUnregisterTrace(1, 0));
  SAY(hsaKmtPmcAcquireTraceAccess(1, 0));
  SAY(hsaKmtPmcReleaseTraceAccess(1, 0));
  SAY(hsaKmtPmcStartTrace(0, here, 64));
  SAY(hsaKmtPmcQueryTrace(0));
  SAY(hsaKmtPmcStopTrace(0));
}

static void share_and_fork(void) {
  HsaMemFlags flags = {.Value = 64 | 1 | 8192};
  HsaSharedMemoryHandle handle;
  HsaSystemProperties system;
  HsaVersionInfo version;
  HSAuint64 size = 0;
  char *memory = NULL, *theirs = NULL;
  SAY(hsaKmtAllocMemory(1, 0x4000, flags, (void **)&memory));
  strcpy(memory + 0x1000, "from the parent");
  SAY(hsaKmtShareMemory(memory, 0x4000, NULL));
  SAY(hsaKmtShareMemory((void *)0x5000, 0x4000, &handle));
  SAY(hsaKmtShareMemory(memory, 0x4000, &handle));
  SAY(hsaKmtRegisterSharedHandle(NULL, (void **)&theirs, &size));
  fflush(stdout);
  if (fork() == 0) {
    SAY(hsaKmtGetVersion(&version));
    SAY(hsaKmtFreeMemory(memory, 0x4000));
    SAY(hsaKmtCloseKFD());
    SAY(hsaKmtOpenKFD());
    SAY(hsaKmtOpenKFD());
    SAY(hsaKmtAcquireSystemProperties(&system));
    info_of("the parent's", memory, memory);
    SAY(hsaKmtRegisterSharedHandle(&handle, (void **)&theirs, &size));
    printf("size %#lx: %s\n", (long)size, theirs + 0x1000);
    info_of("shared", theirs, theirs);
    SAY(hsaKmtMapMemoryToGPU(theirs, size, NULL));
    info_of("mapped", theirs, theirs);
    SAY(hsaKmtUnmapMemoryToGPU(theirs));
    strcpy(theirs + 0x2000, "from the child");
    SAY(hsaKmtDeregisterMemory(theirs));
    info_of("given back", theirs, theirs);
    events();
    SAY(hsaKmtCloseKFD());
    SAY(hsaKmtCloseKFD());
    SAY(hsaKmtCloseKFD());
    fflush(stdout);
    _exit(7);
  }
  int status = 0;
  wait(&status);
  printf("child: %d, and wrote: %s\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), memory + 0x2000);
  SAY(hsaKmtGetVersion(&version));
  SAY(hsaKmtFreeMemory(memory, 0x4000));
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  printf("# closed\n");
  closed();
  printf("# opened\n");
  HsaVersionInfo version;
  SAY(hsaKmtOpenKFD());
  SAY(hsaKmtOpenKFD());
  SAY(hsaKmtCloseKFD());
  SAY(hsaKmtGetVersion(&version));
  hex("version", &version, sizeof version);
  printf("# topology\n");
  topology();
  printf("# memory\n");
  memory();
  printf("# memory of the program\n");
  user_memory();
  printf("# events\n");
  events();
  printf("# queues\n");
  queues();
  kernel();
  printf("# others\n");
  others();
  printf("# share and fork\n");
  share_and_fork();
  printf("# closed again\n");
  SAY(hsaKmtCloseKFD());
  SAY(hsaKmtCloseKFD());
  SAY(hsaKmtGetVersion(&version));
  SAY(hsaKmtOpenKFD());
  SAY(hsaKmtGetVersion(&version));
  SAY(hsaKmtReleaseSystemProperties());
  HsaNodeProperties node;
  SAY(hsaKmtGetNodeProperties(0, &node));
  SAY(hsaKmtCloseKFD());
  return 0;
}
