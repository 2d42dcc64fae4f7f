/* Prints what environment variables change: the agents and their names, the most queues, masks of compute units, the kind
 * of signals. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

static hsa_agent_t gpus[8];
static int count;

static hsa_status_t take(hsa_agent_t agent, void *data) {
  hsa_device_type_t type;
  (void)data;
  hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
  if (type == HSA_DEVICE_TYPE_GPU) gpus[count++] = agent;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t say_isa(hsa_isa_t isa, void *data) {
  char name[128] = "";
  (void)data;
  hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name);
  printf("isa %s\n", name);
  return HSA_STATUS_SUCCESS;
}

static void say_mask(hsa_queue_t *queue) {
  uint32_t mask[4] = {0};
  hsa_status_t status = hsa_amd_queue_cu_get_mask(queue, 128, mask);
  printf("mask %#x: %x %x %x %x\n", status, mask[0], mask[1], mask[2], mask[3]);
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  hsa_status_t status = hsa_init();
  printf("init %d\n", status == HSA_STATUS_SUCCESS);
  if (status != HSA_STATUS_SUCCESS) return 0;
  hsa_iterate_agents(take, NULL);
  printf("%d GPUs\n", count);
  for (int i = 0; i < count; i++) {
    char name[64] = "";
    uint32_t most = 0, node = 0;
    hsa_agent_get_info(gpus[i], HSA_AGENT_INFO_NAME, name);
    hsa_agent_get_info(gpus[i], HSA_AGENT_INFO_QUEUES_MAX, &most);
    hsa_agent_get_info(gpus[i], HSA_AGENT_INFO_NODE, &node);
    printf("%s node %u, %u queues\n", name, node, most);
    hsa_agent_iterate_isas(gpus[i], say_isa, NULL);
    hsa_queue_t *queue;
    printf("queue %#x\n", hsa_queue_create(gpus[i], 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue));
    /* The vendor's library ends the process when it is asked for the mask of a queue that has none. */
    if (getenv("HSA_CU_MASK_SKIP_INIT") == NULL) say_mask(queue);
    uint32_t wanted[8] = {0xff00ff00, 0xf, ~0u, ~0u, 1, 0, 0, 0};
    for (int bits = 0; bits <= 256; bits += 32) {
      status = hsa_amd_queue_cu_set_mask(queue, bits, bits ? wanted : NULL);
      printf("set %d: %#x, ", bits, status);
      say_mask(queue);
    }
    printf("%#x\n", hsa_amd_queue_cu_set_mask(queue, 33, wanted));
    printf("%#x\n", hsa_amd_queue_cu_set_mask(queue, 32, NULL));
    printf("%#x\n", hsa_amd_queue_cu_get_mask(queue, 0, wanted));
    printf("%#x\n", hsa_amd_queue_cu_get_mask(queue, 33, wanted));
    hsa_queue_destroy(queue);
  }
  hsa_signal_t signal;
  volatile hsa_signal_value_t *value;
  hsa_signal_create(1, 0, NULL, &signal);
  printf("value pointer %#x\n", hsa_amd_signal_value_pointer(signal, &value));
  hsa_signal_store_relaxed(signal, 0);
  printf("waited %ld\n", (long)hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, -1, HSA_WAIT_STATE_BLOCKED));
  hsa_signal_destroy(signal);
  hsa_shut_down();
  return 0;
}
