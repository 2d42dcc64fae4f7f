/* A program for tools to look at: a queue, signals, memory; twice from hsa_init to hsa_shut_down. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "agents.h"

static hsa_amd_memory_pool_t pool;

static void once(void) {
  printf("init %#x\n", hsa_init());
  find_agents();
  pool = pool_of(gpu);
  hsa_signal_t signal = {0};
  printf("signal %#x", hsa_signal_create(5, 0, NULL, &signal));
  printf(" %ld\n", (long)hsa_signal_load_relaxed(signal));
  hsa_signal_store_screlease(signal, 7);
  hsa_signal_store_release(signal, 8);
  hsa_signal_store_relaxed(signal, 9);
  printf("values %ld %ld\n", (long)hsa_signal_load_acquire(signal), (long)hsa_signal_load_scacquire(signal));
  hsa_queue_t *queue = NULL;
  printf("queue %#x", hsa_queue_create(gpu, 128, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue));
  printf(" %u\n", queue->size);
  void *memory = NULL;
  printf("memory %#x", hsa_amd_memory_pool_allocate(pool, 4096, 0, &memory));
  printf(" %d\n", memory != NULL);
  hsa_amd_memory_pool_free(memory);
  hsa_queue_destroy(queue);
  hsa_signal_destroy(signal);
  printf("shut down %#x\n", hsa_shut_down());
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  once();
  once();
  return 0;
}
