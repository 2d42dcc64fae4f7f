/* What calls of an HSA runtime take, in microseconds: one line each, `NAME: MICROSECONDS`. The best of several rounds
 * counts, since whatever else the machine does only adds. Arguments: a code object with a kernel `empty`, and a big one. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <fcntl.h>
#include <unistd.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

enum { ROUNDS = 5, MANY = 2000, RING = 1024 };

#define CHECK(call)                                                      \
  do {                                                                   \
    hsa_status_t status = (call);                                        \
    if (status != HSA_STATUS_SUCCESS && status != HSA_STATUS_INFO_BREAK) { \
      fprintf(stderr, "%s:%d: %s: %#x\n", __FILE__, __LINE__, #call, status); \
      exit(1);                                                           \
    }                                                                    \
  } while (0)

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static hsa_status_t take_gpu(hsa_agent_t agent, void *data) {
  hsa_device_type_t kind;
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &kind));
  if (kind != HSA_DEVICE_TYPE_GPU) return HSA_STATUS_SUCCESS;
  *(hsa_agent_t *)data = agent;
  return HSA_STATUS_INFO_BREAK;
}

static hsa_executable_t load(hsa_agent_t agent, const char *path) {
  int file = open(path, O_RDONLY);
  hsa_code_object_reader_t reader;
  hsa_executable_t executable;
  CHECK(hsa_code_object_reader_create_from_file(file, &reader));
  CHECK(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &executable));
  CHECK(hsa_executable_load_agent_code_object(executable, agent, reader, NULL, NULL));
  CHECK(hsa_executable_freeze(executable, NULL));
  CHECK(hsa_code_object_reader_destroy(reader));
  close(file);
  return executable;
}

static void dispatch(hsa_queue_t *queue, uint64_t object, hsa_signal_t done) {
  uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
  while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size) {}
  hsa_kernel_dispatch_packet_t *packet = (hsa_kernel_dispatch_packet_t *)queue->base_address + index % queue->size;
  memset((char *)packet + 4, 0, sizeof *packet - 4);
  packet->workgroup_size_x = 64;
  packet->workgroup_size_y = packet->workgroup_size_z = 1;
  packet->grid_size_x = 64;
  packet->grid_size_y = packet->grid_size_z = 1;
  packet->kernel_object = object;
  packet->completion_signal = done;
  uint32_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH | HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                    HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  __atomic_store_n((uint32_t *)packet, header | 1u << 16, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
}

static void wait_for(hsa_signal_t signal, hsa_signal_value_t value) {
  while (hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, value, UINT64_MAX, HSA_WAIT_STATE_BLOCKED) != value) {}
}

static hsa_signal_t ping, pong;

static void *answer(void *unused) {
  for (int i = 1; i <= MANY; i++) {
    wait_for(ping, i);
    hsa_signal_store_screlease(pong, i);
  }
  return unused;
}

static void say(const char *what, double best) {
  printf("%s: %.3f\n", what, best);
  fflush(stdout);
}

#define BEST(what, count, ...)                        \
  do {                                                \
    double best = 1e30;                               \
    for (int round = 0; round < ROUNDS; round++) {    \
      double began = now();                           \
      __VA_ARGS__                                     \
      double took = (now() - began) / (count);        \
      if (took < best) best = took;                   \
    }                                                 \
    say(what, best);                                  \
  } while (0)

int main(int argc, char **argv) {
  if (argc != 3) return fprintf(stderr, "usage: %s KERNEL BIG\n", argv[0]), 2;
  double began = now();
  CHECK(hsa_init());
  say("hsa_init, the first", now() - began);
  CHECK(hsa_shut_down());
  BEST("hsa_init and hsa_shut_down, again", 1, { CHECK(hsa_init()); CHECK(hsa_shut_down()); });

  CHECK(hsa_init());
  hsa_agent_t gpu = {0};
  CHECK(hsa_iterate_agents(take_gpu, &gpu));
  hsa_signal_t done;
  BEST("signal, create and destroy", MANY, for (int i = 0; i < MANY; i++) {
    CHECK(hsa_signal_create(1, 0, NULL, &done));
    CHECK(hsa_signal_destroy(done));
  });
  CHECK(hsa_signal_create(0, 0, NULL, &ping));
  CHECK(hsa_signal_create(0, 0, NULL, &pong));
  BEST("signal, to another thread and back", MANY, {
    pthread_t other;
    hsa_signal_store_relaxed(ping, 0);
    hsa_signal_store_relaxed(pong, 0);
    pthread_create(&other, NULL, answer, NULL);
    for (int i = 1; i <= MANY; i++) {
      hsa_signal_store_screlease(ping, i);
      wait_for(pong, i);
    }
    pthread_join(other, NULL);
  });

  hsa_executable_t executable = load(gpu, argv[1]);
  hsa_executable_symbol_t symbol;
  uint64_t object;
  CHECK(hsa_executable_get_symbol_by_name(executable, "empty.kd", &gpu, &symbol));
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
  hsa_queue_t *queue;
  CHECK(hsa_queue_create(gpu, RING, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX, &queue));
  CHECK(hsa_signal_create(1, 0, NULL, &done));
  BEST("empty kernel, packet to completion", MANY, for (int i = 0; i < MANY; i++) {
    hsa_signal_store_relaxed(done, 1);
    dispatch(queue, object, done);
    wait_for(done, 0);
  });
  hsa_signal_t none = {0};
  BEST("empty kernels, one after another", MANY, {
    hsa_signal_store_relaxed(done, 1);
    for (int i = 1; i < MANY; i++) dispatch(queue, object, none);
    dispatch(queue, object, done);
    wait_for(done, 0);
  });
  BEST("code object of 10 MB, load and freeze", 1, { CHECK(hsa_executable_destroy(load(gpu, argv[2]))); });
  CHECK(hsa_signal_destroy(done));
  /* AMD's 5.2.3 can wait for ever in hsa_queue_destroy when the queue was used just now. */
  usleep(50000);
  CHECK(hsa_queue_destroy(queue));
  CHECK(hsa_shut_down());
  return 0;
}
