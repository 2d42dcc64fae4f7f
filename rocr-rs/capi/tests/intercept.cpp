/* A tool that sees the packets of each queue: it makes intercept queues of a program's, counts packets, puts one of its
 * own behind each third, and holds back those that the program marks. */
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <hsa/hsa_api_trace.h>

static CoreApiTable core;
static AmdExtTable amd;
static std::atomic<int> seen{0}, outer{0};
static hsa_signal_t mine;
static uint64_t last = ~0ull;
static bool ordered = true;

/* Registered first: nearer to the hardware. */
static void near_handler(const void *packets, uint64_t count, uint64_t index, void *data,
                         hsa_amd_queue_intercept_packet_writer writer) {
  seen += (int)count;
  (void)index;
  if (data != &seen) printf("tool: wrong data\n");
  writer(packets, count);
}

static void far_handler(const void *packets, uint64_t count, uint64_t index, void *data,
                        hsa_amd_queue_intercept_packet_writer writer) {
  const hsa_barrier_and_packet_t *packet = (const hsa_barrier_and_packet_t *)packets;
  (void)data;
  outer += (int)count;
  ordered = ordered && index == last + 1;
  last = index;
  if (packet->reserved1 == 7) return;
  hsa_barrier_and_packet_t more[2] = {*packet, *packet};
  more[1].completion_signal = mine;
  writer(more, index % 3 == 0 ? 2 : 1);
}

static hsa_status_t queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                 void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
                                 uint32_t private_bytes, uint32_t group_bytes, hsa_queue_t **queue) {
  hsa_status_t status = amd.hsa_amd_queue_intercept_create_fn(agent, size, type, callback, data, private_bytes,
                                                              group_bytes, queue);
  printf("tool: intercept %#x\n", status);
  if (status != HSA_STATUS_SUCCESS) return status;
  printf("tool: register %#x\n", amd.hsa_amd_queue_intercept_register_fn(*queue, near_handler, &seen));
  printf("tool: register %#x\n", amd.hsa_amd_queue_intercept_register_fn(*queue, far_handler, nullptr));
  printf("tool: register nothing %#x\n", amd.hsa_amd_queue_intercept_register_fn(*queue, nullptr, nullptr));
  hsa_queue_t *plain = nullptr;
  core.hsa_queue_create_fn(agent, 64, type, nullptr, nullptr, 0, 0, &plain);
  printf("tool: register with a plain queue %#x\n",
         amd.hsa_amd_queue_intercept_register_fn(plain, near_handler, nullptr));
  core.hsa_queue_destroy_fn(plain);
  core.hsa_signal_create_fn(1000, 0, nullptr, &mine);
  return status;
}

static hsa_status_t queue_destroy(hsa_queue_t *queue) {
  printf("tool: %d packets in order %d, %d to the hardware, own signal %ld\n", outer.load(), ordered, seen.load(),
         (long)core.hsa_signal_load_scacquire_fn(mine));
  return core.hsa_queue_destroy_fn(queue);
}

extern "C" __attribute__((visibility("default"))) bool OnLoad(HsaApiTable *table, uint64_t, uint64_t,
                                                               const char *const *) {
  core = *table->core_;
  amd = *table->amd_ext_;
  auto notify = [](const hsa_queue_t *, hsa_agent_t, void *) {};
  printf("tool: notifier %#x\n", amd.hsa_amd_runtime_queue_create_register_fn(nullptr, nullptr));
  printf("tool: notifier %#x\n", amd.hsa_amd_runtime_queue_create_register_fn(notify, nullptr));
  printf("tool: notifier %#x\n", amd.hsa_amd_runtime_queue_create_register_fn(notify, nullptr));
  table->core_->hsa_queue_create_fn = queue_create;
  table->core_->hsa_queue_destroy_fn = queue_destroy;
  return true;
}
