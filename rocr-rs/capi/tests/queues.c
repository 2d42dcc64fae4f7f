/* Barrier packets through a queue, more than it holds; a queue that the host serves; and how queues end. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

enum { PACKETS = 300, SIZE = 64 };

static hsa_agent_t gpu, cpu;
static hsa_region_t region;

static hsa_status_t take(hsa_agent_t agent, void *data) {
  hsa_device_type_t type;
  (void)data;
  hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
  if (type == HSA_DEVICE_TYPE_GPU) gpu = agent;
  else cpu = agent;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t take_region(hsa_region_t found, void *data) {
  (void)data;
  region = found;
  return HSA_STATUS_INFO_BREAK;
}

static void stopped(hsa_status_t status, hsa_queue_t *queue, void *data) {
  printf("stopped %#x, the queue of the program: %d\n", status, queue == *(hsa_queue_t **)data);
}

static void barriers(void) {
  hsa_queue_t *queue = NULL;
  printf("queue %#x\n", hsa_queue_create(gpu, SIZE, HSA_QUEUE_TYPE_MULTI, stopped, &queue, 0, 0, &queue));
  hsa_signal_t done, gate;
  hsa_signal_create(PACKETS, 0, NULL, &done);
  hsa_signal_create(1, 0, NULL, &gate);
  hsa_barrier_and_packet_t *ring = queue->base_address;
  int held = 0;
  for (int i = 0; i < PACKETS; i++) {
    uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
    while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size) {}
    hsa_barrier_and_packet_t *packet = &ring[index % queue->size];
    memset((char *)packet + 2, 0, sizeof *packet - 2);
    packet->completion_signal = done;
    /* The first holds up all until the others are written, as far as there is room. */
    if (i == 0) packet->dep_signal[0] = gate;
    if (i % 10 == 9 && getenv("HSA_TOOLS_LIB") != NULL) {
      packet->reserved1 = 7;
      held++;
    }
    uint16_t header = HSA_PACKET_TYPE_BARRIER_AND | 1 << HSA_PACKET_HEADER_BARRIER |
                      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
    __atomic_store_n(&packet->header, header, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, index);
    /* With a tool, the queue below holds more packets than this one: what has no room there ends the vendor's process. */
    if (getenv("FLOOD") != NULL ? i == SIZE - 1 : i == 15) hsa_signal_store_screlease(gate, 0);
    if (getenv("FLOOD") == NULL && i >= 15)
      hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, PACKETS - i + held, -1, HSA_WAIT_STATE_ACTIVE);
  }
  long left = hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, held + 1, 20000000000ull, HSA_WAIT_STATE_BLOCKED);
  printf("left %ld of %d, held %d, write %ld\n", left, PACKETS, held, (long)hsa_queue_load_write_index_relaxed(queue));
  printf("priority %#x, profiling %#x\n", hsa_amd_queue_set_priority(queue, HSA_AMD_QUEUE_PRIORITY_HIGH),
         hsa_amd_profiling_set_profiler_enabled(queue, 1));
  printf("inactivate %#x\n", hsa_queue_inactivate(queue));
  printf("destroy %#x\n", hsa_queue_destroy(queue));
  hsa_signal_destroy(done);
  hsa_signal_destroy(gate);
}

static void soft(void) {
  hsa_signal_t doorbell = {0};
  hsa_signal_create(-1, 0, NULL, &doorbell);
  hsa_agent_iterate_regions(cpu, take_region, NULL);
  hsa_queue_t *queue = NULL;
  uint32_t feature = HSA_QUEUE_FEATURE_AGENT_DISPATCH;
  hsa_signal_t no_signal = {0};
  hsa_region_t no_region = {0};
  printf("%#x\n", hsa_soft_queue_create(no_region, 16, 0, feature, doorbell, &queue));
  printf("%#x\n", hsa_soft_queue_create(region, 0, 0, feature, doorbell, &queue));
  printf("%#x\n", hsa_soft_queue_create(region, 15, 0, feature, doorbell, &queue));
  printf("%#x\n", hsa_soft_queue_create(region, 16, 2, feature, doorbell, &queue));
  printf("%#x\n", hsa_soft_queue_create(region, 16, 0, 0, doorbell, &queue));
  printf("%#x\n", hsa_soft_queue_create(region, 16, 0, feature, no_signal, &queue));
  printf("%#x\n", hsa_soft_queue_create(region, 16, 0, feature, doorbell, NULL));
  for (int type = 0; type < 2; type++) {
    printf("soft %#x\n", hsa_soft_queue_create(region, 16, type, feature, doorbell, &queue));
    printf("type %d features %d size %d doorbell %d\n", queue->type, queue->features, queue->size,
           queue->doorbell_signal.handle == doorbell.handle);
    hsa_agent_dispatch_packet_t *ring = queue->base_address;
    int invalid = 0;
    for (int i = 0; i < 16; i++) invalid += ring[i].header == HSA_PACKET_TYPE_INVALID;
    printf("invalid %d\n", invalid);
    printf("add %ld, cas %ld, write %ld\n", (long)hsa_queue_add_write_index_scacq_screl(queue, 3),
           (long)hsa_queue_cas_write_index_scacq_screl(queue, 3, 8), (long)hsa_queue_load_write_index_relaxed(queue));
    hsa_queue_store_read_index_screlease(queue, 5);
    hsa_queue_store_write_index_screlease(queue, 9);
    printf("read %ld write %ld\n", (long)hsa_queue_load_read_index_scacquire(queue),
           (long)hsa_queue_load_write_index_scacquire(queue));
    hsa_signal_store_screlease(queue->doorbell_signal, 8);
    printf("doorbell %ld\n", (long)hsa_signal_load_relaxed(doorbell));
    uint32_t mask = 1;
    printf("priority %#x, mask %#x %#x, inactivate %#x\n", hsa_amd_queue_set_priority(queue, 1),
           hsa_amd_queue_cu_set_mask(queue, 32, &mask), hsa_amd_queue_cu_get_mask(queue, 32, &mask),
           hsa_queue_inactivate(queue));
    printf("destroy %#x\n", hsa_queue_destroy(queue));
  }
  hsa_signal_destroy(doorbell);
}

/* All who create a cooperative queue of an agent get the same one, until the last has destroyed it. */
static void cooperative(void) {
  hsa_queue_t *queue[3] = {NULL, NULL, NULL};
  bool has = false;
  hsa_agent_get_info(gpu, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES, &has);
  printf("cooperative queues: %d\n", has);
  for (int i = 0; i < 2; i++)
    printf("cooperative %#x\n",
           hsa_queue_create(gpu, SIZE << i, HSA_QUEUE_TYPE_COOPERATIVE, NULL, NULL, 0, 0, &queue[i]));
  printf("the same %d\n", queue[0] == queue[1]);
  printf("%#x\n", hsa_queue_create(gpu, SIZE, HSA_QUEUE_TYPE_COOPERATIVE, NULL, NULL, 0, 0, NULL));
  printf("%#x\n", hsa_queue_create(cpu, SIZE, HSA_QUEUE_TYPE_COOPERATIVE, NULL, NULL, 0, 0, &queue[2]));
  printf("destroy %#x, and once more %#x\n", hsa_queue_destroy(queue[0]), hsa_queue_destroy(queue[1]));
  printf("again %#x", hsa_queue_create(gpu, SIZE, HSA_QUEUE_TYPE_COOPERATIVE, NULL, NULL, 0, 0, &queue[2]));
  printf(", destroy %#x\n", hsa_queue_destroy(queue[2]));
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  hsa_init();
  hsa_iterate_agents(take, NULL);
  if (getenv("HSA_TOOLS_LIB") == NULL) soft();
  barriers();
  if (getenv("HSA_TOOLS_LIB") == NULL) cooperative();
  hsa_shut_down();
  return 0;
}
