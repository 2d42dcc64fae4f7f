/* Copies by agents and engines: prints what an HSA runtime answers and what arrived, so that two can be compared. Handles,
 * addresses and times are left out. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "agents.h"

#define STATUS(call) printf("%s: %#x\n", #call, call)

enum { SIZE = 6 << 20 };

static hsa_amd_memory_pool_t vram, host;

static int wait(hsa_signal_t signal) {
  return (int)hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, -1, HSA_WAIT_STATE_BLOCKED);
}

static void times(const char *what, hsa_signal_t signal) {
  hsa_amd_profiling_async_copy_time_t time = {0, 0};
  uint64_t now = 0;
  hsa_status_t status = hsa_amd_profiling_get_async_copy_time(signal, &time);
  hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &now);
  printf("%s: times %#x, some %d, in order %d, over %d\n", what, status, time.start != 0, time.start < time.end,
         time.end <= now + 1000000);
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (hsa_init() != HSA_STATUS_SUCCESS) return 3;
  find_agents();
  vram = pool_of(gpu);
  host = pool_of(cpu);
  unsigned char *from, *device, *other, *to;
  hsa_amd_memory_pool_allocate(host, SIZE, 0, (void **)&from);
  hsa_amd_memory_pool_allocate(host, SIZE, 0, (void **)&to);
  hsa_amd_memory_pool_allocate(vram, SIZE, 0, (void **)&device);
  hsa_amd_memory_pool_allocate(vram, SIZE, 0, (void **)&other);
  hsa_amd_agents_allow_access(1, &gpu, NULL, from);
  hsa_amd_agents_allow_access(1, &gpu, NULL, to);
  for (int i = 0; i < SIZE; i++) from[i] = i * 31 + i / 251;

  hsa_signal_t up, across, down, none = {0}, start;
  hsa_agent_t nobody = {0};
  hsa_signal_create(1, 0, NULL, &start);
  hsa_signal_create(1, 0, NULL, &up);
  hsa_signal_create(1, 0, NULL, &across);
  hsa_amd_signal_create(1, 0, NULL, HSA_AMD_SIGNAL_AMD_GPU_ONLY, &down);
  STATUS(hsa_amd_profiling_async_copy_enable(true));
  STATUS(hsa_amd_memory_async_copy(NULL, gpu, from, cpu, 16, 0, NULL, up));
  STATUS(hsa_amd_memory_async_copy(device, gpu, NULL, cpu, 16, 0, NULL, up));
  STATUS(hsa_amd_memory_async_copy(device, nobody, from, cpu, 16, 0, NULL, up));
  STATUS(hsa_amd_memory_async_copy(device, gpu, from, nobody, 16, 0, NULL, up));
  STATUS(hsa_amd_memory_async_copy(device, gpu, from, cpu, 16, 1, NULL, up));
  STATUS(hsa_amd_memory_async_copy(device, gpu, from, cpu, 16, 0, &start, up));
  static const size_t sizes[] = {1, 3, 64, 4096, 100001, 1 << 20, SIZE};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    size_t size = sizes[i];
    memset(to, 0, SIZE);
    hsa_signal_store_relaxed(start, 1);
    hsa_signal_store_relaxed(up, 1);
    hsa_signal_store_relaxed(across, 1);
    hsa_signal_store_relaxed(down, 1);
    STATUS(hsa_amd_memory_async_copy(device, gpu, from, cpu, size, 1, &start, up));
    STATUS(hsa_amd_memory_async_copy(other, gpu, device, gpu, size, 1, &up, across));
    hsa_signal_t both[2] = {across, up};
    STATUS(hsa_amd_memory_async_copy(to, cpu, other, gpu, size, 2, both, down));
    printf("before: %d\n", (int)hsa_signal_load_scacquire(up));
    hsa_signal_store_screlease(start, 0);
    printf("after: %d %d %d\n", wait(up), wait(across), wait(down));
    printf("%zu bytes: same %d, clean %d\n", size, memcmp(from, to, size) == 0, size == SIZE || to[size] == 0);
    times("up", up);
    times("down", down);
  }

  hsa_pitched_ptr_t dst = {other, 1024, 65536}, src = {device, 512, 32768}, null_base = {NULL, 512, 32768};
  hsa_dim3_t dst_at = {64, 1, 0}, src_at = {16, 2, 1}, range = {256, 20, 2}, nothing = {0, 0, 0};
  hsa_signal_store_relaxed(across, 1);
  STATUS(hsa_amd_memory_async_copy_rect(NULL, &dst_at, &src, &src_at, &range, gpu, hsaDeviceToDevice, 0, NULL, across));
  STATUS(hsa_amd_memory_async_copy_rect(&dst, NULL, &src, &src_at, &range, gpu, hsaDeviceToDevice, 0, NULL, across));
  STATUS(hsa_amd_memory_async_copy_rect(&dst, &dst_at, &src, &src_at, NULL, gpu, hsaDeviceToDevice, 0, NULL, across));
  STATUS(hsa_amd_memory_async_copy_rect(&dst, &dst_at, &src, &src_at, &range, cpu, hsaDeviceToDevice, 0, NULL, across));
  STATUS(hsa_amd_memory_async_copy_rect(&dst, &dst_at, &src, &src_at, &range, gpu, hsaHostToHost, 0, NULL, across));
  STATUS(hsa_amd_memory_async_copy_rect(&dst, &dst_at, &src, &src_at, &range, gpu, hsaDeviceToDevice, 1, NULL, across));
  STATUS(hsa_amd_memory_async_copy_rect(&dst, &dst_at, &src, &src_at, &range, gpu, hsaDeviceToDevice, 0, NULL, across));
  printf("rectangle: %d\n", wait(across));
  hsa_memory_copy(to, other, SIZE);
  int wrong = 0;
  for (int z = 0; z < 2; z++)
    for (int y = 0; y < 20; y++)
      wrong += memcmp(to + z * 65536 + (y + 1) * 1024 + 64, from + (z + 1) * 32768 + (y + 2) * 512 + 16, 256) != 0;
  printf("wrong rows: %d\n", wrong);

  STATUS(hsa_amd_memory_fill(device, 0x01020304, SIZE / 4));
  STATUS(hsa_memory_copy(to, device, SIZE));
  for (int i = wrong = 0; i < SIZE; i++) wrong += to[i] != 4 - i % 4;
  printf("wrong bytes: %d\n", wrong);
  unsigned char *mine = malloc(3 << 20);
  STATUS(hsa_memory_copy(device + 100, from, 2 << 20));
  STATUS(hsa_memory_copy(mine, device + 100, 2 << 20));
  printf("program's memory: %d\n", memcmp(mine, from, 2 << 20));
  free(mine);
  STATUS(hsa_shut_down());
  return 0;
}
