/* A tool as HSA_TOOLS_LIB loads them: puts functions of its own into the tables, which count and say what a program
 * calls. With -DREFUSES it does not want to run. */
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <hsa/hsa_api_trace.h>

static CoreApiTable core;
static AmdExtTable amd;
static int signals, queues, stores, loads, allocations;

static hsa_status_t signal_create(hsa_signal_value_t initial, uint32_t count, const hsa_agent_t *consumers,
                                  hsa_signal_t *signal) {
  signals++;
  return core.hsa_signal_create_fn(initial + 1000, count, consumers, signal);
}

static void store_release(hsa_signal_t signal, hsa_signal_value_t value) {
  stores++;
  core.hsa_signal_store_screlease_fn(signal, value);
}

static hsa_signal_value_t load_acquire(hsa_signal_t signal) {
  loads++;
  return core.hsa_signal_load_scacquire_fn(signal);
}

static hsa_status_t queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                 void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
                                 uint32_t private_bytes, uint32_t group_bytes, hsa_queue_t **queue) {
  queues++;
  printf("tool: a queue of %u packets\n", size);
  return core.hsa_queue_create_fn(agent, 2 * size, type, callback, data, private_bytes, group_bytes, queue);
}

static hsa_status_t pool_allocate(hsa_amd_memory_pool_t pool, size_t bytes, uint32_t flags, void **memory) {
  allocations++;
  return amd.hsa_amd_memory_pool_allocate_fn(pool, bytes, flags, memory);
}

/* Slots that are null, of a table as large as this header's. */
static int empty(const ApiTableVersion *table, size_t bytes) {
  int count = 0;
  void *const *slots = reinterpret_cast<void *const *>(table + 1);
  for (size_t i = 0; i < (bytes - sizeof *table) / sizeof *slots; i++) count += slots[i] == nullptr;
  return count;
}

static void say(const char *name, const ApiTableVersion &version, size_t bytes) {
  printf("tool: %s version %u step %u, %s\n", name, version.major_id, version.step_id,
         version.minor_id >= bytes ? "as large as known" : "too small");
}

extern "C" __attribute__((visibility("default"))) bool OnLoad(HsaApiTable *table, uint64_t version, uint64_t failed,
                                                               const char *const *names) {
  printf("tool: OnLoad version %d, %d failed before\n", (int)version, (int)failed);
  for (uint64_t i = 0; i < failed; i++) printf("tool: failed: %s\n", strrchr(names[i], '/') + 1);
#ifdef REFUSES
  return false;
#endif
  say("root", table->version, sizeof *table);
  say("core", table->core_->version, sizeof core);
  say("amd", table->amd_ext_->version, sizeof amd);
  say("finalizer", table->finalizer_ext_->version, sizeof *table->finalizer_ext_);
  say("image", table->image_ext_->version, sizeof *table->image_ext_);
  printf("tool: empty slots: core %d, finalizer %d, image %d\n", empty(&table->core_->version, sizeof core),
         empty(&table->finalizer_ext_->version, sizeof *table->finalizer_ext_),
         empty(&table->image_ext_->version, sizeof *table->image_ext_));
  core = *table->core_;
  amd = *table->amd_ext_;
  uint16_t major = 0;
  hsa_status_t status = core.hsa_system_get_info_fn(HSA_SYSTEM_INFO_VERSION_MAJOR, &major);
  printf("tool: the runtime is there: %#x %d\n", status, major);
  table->core_->hsa_signal_create_fn = signal_create;
  table->core_->hsa_signal_store_screlease_fn = store_release;
  table->core_->hsa_signal_load_scacquire_fn = load_acquire;
  table->core_->hsa_queue_create_fn = queue_create;
  table->amd_ext_->hsa_amd_memory_pool_allocate_fn = pool_allocate;
  return true;
}

extern "C" __attribute__((visibility("default"))) void OnUnload() {
  uint16_t major = 0;
  hsa_status_t status = hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &major);
  printf("tool: OnUnload %#x: %d signals, %d queues, %d stores, %d loads, %d allocations\n", status, signals, queues,
         stores, loads, allocations);
}
