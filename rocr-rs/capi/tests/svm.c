/* Shared virtual memory: prints what an HSA runtime answers, so that two can be compared. Handles are left out. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "agents.h"

#define STATUS(call) printf("%s: %#x\n", #call, call)

enum { BYTES = 64 << 10 };

static hsa_status_t set(void *at, size_t bytes, uint64_t attribute, uint64_t value) {
  hsa_amd_svm_attribute_pair_t pair = {attribute, value};
  return hsa_amd_svm_attributes_set(at, bytes, &pair, 1);
}

static void tell(const char *what, void *at, size_t bytes) {
  static const uint64_t asked[] = {0, 1, 2, 3, 4, 5, 6, 7, 0x200, 0x203, 0x203};
  printf("%s:", what);
  for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
    hsa_amd_svm_attribute_pair_t pair = {asked[i], i == 9 ? gpu.handle : i == 10 ? cpu.handle : 77};
    if (i == 8) pair.value = gpu.handle;
    hsa_status_t status = hsa_amd_svm_attributes_get(at, bytes, &pair, 1);
    const char *name = pair.value == gpu.handle ? "gpu" : pair.value == cpu.handle ? "cpu" : NULL;
    printf(" %d=%#x", i, status);
    if (status != HSA_STATUS_SUCCESS) continue;
    if (i >= 9) printf("(%#x)", (unsigned)pair.attribute);
    else if (name != NULL) printf("(%s)", name);
    else printf("(%#llx)", (unsigned long long)pair.value);
  }
  printf("\n");
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (hsa_init() != HSA_STATUS_SUCCESS) return 3;
  find_agents();
  char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(memory, 1, BYTES);
  tell("nothing said", memory, BYTES);
  STATUS(set(memory, BYTES, 0, 0));
  tell("fine", memory, BYTES);
  STATUS(set(memory, BYTES / 2, 0, 1));
  tell("half coarse", memory, BYTES);
  tell("the coarse half", memory, BYTES / 2);
  STATUS(set(memory, BYTES, 0, 2));
  STATUS(set(memory, BYTES, 1, 1));
  STATUS(set(memory, BYTES, 2, 1));
  STATUS(set(memory, BYTES, 6, 1));
  tell("flags", memory, BYTES);
  STATUS(set(memory, BYTES, 1, 0));
  STATUS(set(memory, BYTES, 2, 0));
  STATUS(set(memory, BYTES, 3, 5));
  tell("granularity", memory, BYTES);
  STATUS(set(memory, BYTES, 3, 99));
  tell("too much of it", memory, BYTES);
  STATUS(set(memory, BYTES, 4, gpu.handle));
  tell("preferred", memory, BYTES);
  STATUS(set(memory, BYTES, 4, cpu.handle));
  tell("preferred", memory, BYTES);
  STATUS(set(memory, BYTES, 4, 0));
  tell("preferred", memory, BYTES);
  STATUS(set(memory, BYTES, 5, gpu.handle));
  STATUS(set(memory, BYTES, 0x203, gpu.handle));
  STATUS(set(memory, BYTES, 99, 0));
  STATUS(set(memory, BYTES, 0x200, 0));
  STATUS(set(memory, BYTES, 0x200, gpu.handle));
  tell("accessible", memory, BYTES);
  STATUS(set(memory, BYTES, 0x201, gpu.handle));
  tell("in place", memory, BYTES);
  STATUS(set(memory, BYTES, 0x202, gpu.handle));
  tell("not accessible", memory, BYTES);
  STATUS(set(memory, BYTES, 0x202, cpu.handle));
  tell("nor for the host", memory, BYTES);
  STATUS(set(memory, BYTES, 0x200, cpu.handle));
  tell("but for the host", memory, BYTES);
  hsa_amd_svm_attribute_pair_t twice[2] = {{0, 0}, {0, 1}};
  STATUS(hsa_amd_svm_attributes_set(memory, BYTES, twice, 2));
  hsa_amd_svm_attribute_pair_t same[2] = {{0x200, gpu.handle}, {0x201, gpu.handle}};
  STATUS(hsa_amd_svm_attributes_set(memory, BYTES, same, 2));
  STATUS(set(memory + 5000, 100, 6, 0));
  tell("a page", memory + 4096, 4096);
  tell("the next", memory + 8192, 4096);

  hsa_signal_t before, after;
  hsa_signal_create(1, 0, NULL, &before);
  hsa_signal_create(1, 0, NULL, &after);
  STATUS(hsa_amd_svm_prefetch_async(memory, BYTES, gpu, 1, &before, after));
  tell("asked to move", memory, BYTES);
  printf("moved: %d\n", (int)hsa_signal_load_scacquire(after));
  hsa_signal_store_screlease(before, 0);
  printf("moved: %d\n", (int)hsa_signal_wait_scacquire(after, HSA_SIGNAL_CONDITION_LT, 1, -1, HSA_WAIT_STATE_BLOCKED));
  tell("moved", memory, BYTES);
  hsa_signal_store_screlease(after, 1);
  STATUS(hsa_amd_svm_prefetch_async(memory, BYTES / 2, cpu, 0, NULL, after));
  printf("moved: %d\n", (int)hsa_signal_wait_scacquire(after, HSA_SIGNAL_CONDITION_LT, 1, -1, HSA_WAIT_STATE_BLOCKED));
  tell("half moved back", memory, BYTES);
  tell("that half", memory, BYTES / 2);
  hsa_signal_destroy(before);
  hsa_signal_destroy(after);
  STATUS(hsa_shut_down());
  return 0;
}
