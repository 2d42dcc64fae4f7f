/* From hsa_init to hsa_shut_down, many times: as many as the first argument says, with a queue, signals and memory that
 * the program leaves behind in each. Prints what the process has when it has warmed up, and at the end. */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "agents.h"

static hsa_amd_memory_pool_t pool;

static int entries(const char *folder) {
  int count = 0;
  DIR *open = opendir(folder);
  while (open != NULL && readdir(open) != NULL) count++;
  if (open != NULL) closedir(open);
  return count;
}

static int lines(const char *file) {
  int count = 0, c;
  FILE *open = fopen(file, "r");
  while ((c = fgetc(open)) != EOF) count += c == '\n';
  fclose(open);
  return count;
}

static void say(const char *when) {
  long pages = 0, resident = 0;
  FILE *open = fopen("/proc/self/statm", "r");
  fscanf(open, "%ld %ld", &pages, &resident);
  fclose(open);
  printf("%s: resident %ld KiB, virtual %ld KiB, files %d, threads %d, mappings %d\n", when, resident * 4, pages * 4,
         entries("/proc/self/fd"), entries("/proc/self/task"), lines("/proc/self/maps"));
}

static bool handler(hsa_signal_value_t value, void *data) {
  (void)value;
  (void)data;
  return false;
}

static bool once(bool leave) {
  if (hsa_init() != HSA_STATUS_SUCCESS) return false;
  if (leave) {
    find_agents();
    pool = pool_of(gpu);
    hsa_signal_t signal;
    hsa_queue_t *queue;
    void *memory;
    hsa_executable_t executable;
    if (hsa_signal_create(1, 0, NULL, &signal) != HSA_STATUS_SUCCESS) return false;
    if (hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_LT, 1, handler, NULL) != HSA_STATUS_SUCCESS) return false;
    if (hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue) != HSA_STATUS_SUCCESS) return false;
    if (hsa_amd_memory_pool_allocate(pool, 1 << 20, 0, &memory) != HSA_STATUS_SUCCESS) return false;
    if (hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, NULL, &executable) != HSA_STATUS_SUCCESS)
      return false;
  }
  return hsa_shut_down() == HSA_STATUS_SUCCESS;
}

int main(int argc, char **argv) {
  int times = argc > 1 ? atoi(argv[1]) : 100;
  bool leave = argc > 2;
  struct timespec start, end;
  for (int i = 0; i < 100; i++)
    if (!once(leave)) return 1;
  say("before");
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (int i = 0; i < times; i++)
    if (!once(leave)) return 1;
  clock_gettime(CLOCK_MONOTONIC, &end);
  say("after");
  fprintf(stderr, "%d times, %.1f us each\n", times,
          ((end.tv_sec - start.tv_sec) * 1e9 + (end.tv_nsec - start.tv_nsec)) / 1e3 / times);
  return hsa_shut_down() == HSA_STATUS_ERROR_NOT_INITIALIZED ? 0 : 2;
}
