/* Prints what an HSA runtime answers: every attribute of system, agents, pools, regions, ISAs and caches, and the status
 * of calls with wrong arguments. Handles and addresses are left out, so that two runtimes can be compared. */
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_image.h>
#include <hsa/hsa_ven_amd_loader.h>

enum { ROOM = 512, FILL = 0xEE, MOST = 8 };

static hsa_agent_t agents[MOST];
static int agent_count;
static hsa_amd_memory_pool_t pools[MOST * 8];
static int pool_count;
static hsa_region_t regions[MOST * 8];
static int region_count;
static hsa_isa_t isas[MOST];
static int isa_count;
static hsa_wavefront_t waves[MOST];
static int wave_count;
static hsa_cache_t caches[MOST];
static int cache_count;

static unsigned char value[ROOM];

static void *fresh(void) {
  memset(value, FILL, ROOM);
  return value;
}

static void say(const char *what, int index, unsigned attribute, hsa_status_t status) {
  printf("%s %d %#x: %#x", what, index, attribute, status);
  if (status == HSA_STATUS_SUCCESS) {
    int end = ROOM;
    while (end > 0 && value[end - 1] == FILL) end--;
    while (end > 0 && end % 8 == 0 && value[end - 1] == 0 && end > 8) end--;
    printf(" [");
    for (int i = 0; i < end; i++) printf("%02x", value[i]);
    printf("]");
    bool text = end > 3;
    for (int i = 0; i < 3 && text; i++) text = value[i] >= 32 && value[i] < 127;
    if (text) printf(" \"%.*s\"", end, value);
  }
  printf("\n");
}

static hsa_status_t take_agent(hsa_agent_t agent, void *data) {
  (void)data;
  agents[agent_count++] = agent;
  return HSA_STATUS_SUCCESS;
}
static hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void *data) {
  (void)data;
  pools[pool_count++] = pool;
  return HSA_STATUS_SUCCESS;
}
static hsa_status_t take_region(hsa_region_t region, void *data) {
  (void)data;
  regions[region_count++] = region;
  return HSA_STATUS_SUCCESS;
}
static hsa_status_t take_isa(hsa_isa_t isa, void *data) {
  (void)data;
  isas[isa_count++] = isa;
  return HSA_STATUS_SUCCESS;
}
static hsa_status_t take_wave(hsa_wavefront_t wave, void *data) {
  (void)data;
  waves[wave_count++] = wave;
  return HSA_STATUS_SUCCESS;
}
static hsa_status_t take_cache(hsa_cache_t cache, void *data) {
  (void)data;
  caches[cache_count++] = cache;
  return HSA_STATUS_SUCCESS;
}
static hsa_status_t stop_agent(hsa_agent_t agent, void *data) {
  (void)agent;
  ++*(int *)data;
  return HSA_STATUS_INFO_BREAK;
}
static hsa_status_t fail_agent(hsa_agent_t agent, void *data) {
  (void)agent;
  ++*(int *)data;
  return HSA_STATUS_ERROR_INVALID_INDEX;
}

/* A runtime that crashes of a wrong argument is still asked the rest. */
static sigjmp_buf before;
static volatile sig_atomic_t armed;

static void crashed(int number) {
  if (!armed) _exit(100 + number);
  siglongjmp(before, 1);
}

#define STATUS(call) \
  do { \
    armed = 1; \
    if (sigsetjmp(before, 1) == 0) \
      printf("%s: %#x\n", #call, call); \
    else \
      printf("%s: crashed\n", #call); \
    armed = 0; \
  } while (0)

static void system_info(void) {
  static const int attributes[] = {0, 1, 3, 4, 5, 6, 7, 0x200, 0x201, 0x202, 8, 0x203};
  for (unsigned i = 0; i < sizeof attributes / sizeof *attributes; i++) {
    /* The build's version is each library's own. */
    if (attributes[i] == 0x200) continue;
    void *to = fresh();
    say("system", 0, attributes[i], hsa_system_get_info(attributes[i], to));
  }
  for (int i = 0; i < 0x204; i++) {
    if (i == 6) i = 0x1ff;
    const char *name = NULL;
    hsa_status_t status = hsa_extension_get_name(i, &name);
    printf("extension %#x: %#x %s\n", i, status, status ? "" : name);
    for (int major = 0; major < 3; major++) {
      bool result = false;
      status = hsa_system_extension_supported(i, major, 0, &result);
      printf("extension %#x version %d.0: %#x %d\n", i, major, status, status ? 0 : result);
      uint16_t minor = 99;
      status = hsa_system_major_extension_supported(i, major, &minor, &result);
      printf("extension %#x version %d: %#x %d %d\n", i, major, status, status ? 0 : result, status || !result ? 0 : minor);
    }
  }
  for (unsigned i = 0; i < 0x1030; i++) {
    if (i == 60) i = 0x1000;
    const char *text = NULL;
    hsa_status_t status = hsa_status_string(i, &text);
    printf("status %#x: %#x%s\n", i, status, status == HSA_STATUS_SUCCESS && text == NULL ? " null" : "");
  }
}

static void one_agent(int index) {
  static const unsigned ranges[][2] = {{0, 26}, {0x3000, 0x300e}, {0xA000, 0xA017}};
  hsa_agent_t agent = agents[index];
  for (int r = 0; r < 3; r++) {
    for (unsigned attribute = ranges[r][0]; attribute < ranges[r][1]; attribute++) {
      /* Addresses and handles. */
      if (attribute == HSA_AMD_AGENT_INFO_HDP_FLUSH || attribute == HSA_AGENT_INFO_ISA) continue;
      void *to = fresh();
      say("agent", index, attribute, hsa_agent_get_info(agent, attribute, to));
    }
  }
  hsa_isa_t isa = {0};
  printf("agent %d ISA: %#x", index, hsa_agent_get_info(agent, HSA_AGENT_INFO_ISA, &isa));
  printf(" %s\n", isa.handle ? "some" : "none");
  uint16_t mask = 99;
  for (int profile = 0; profile < 3; profile++) {
    hsa_status_t status = hsa_agent_get_exception_policies(agent, profile, &mask);
    printf("agent %d exceptions of profile %d: %#x %d\n", index, profile, status, status ? 0 : mask);
  }
  for (int extension = 0; extension < 0x203; extension++) {
    if (extension == 5) extension = 0x200;
    bool result = false;
    hsa_status_t status = hsa_agent_extension_supported(extension, agent, 1, 0, &result);
    printf("agent %d extension %#x: %#x %d\n", index, extension, status, status ? 0 : result);
    uint16_t minor = 99;
    status = hsa_agent_major_extension_supported(extension, agent, 1, &minor, &result);
    printf("agent %d extension %#x major: %#x %d\n", index, extension, status, status ? 0 : result);
  }
  pool_count = region_count = isa_count = cache_count = 0;
  printf("agent %d pools: %#x", index, hsa_amd_agent_iterate_memory_pools(agent, take_pool, NULL));
  printf(" %d\n", pool_count);
  for (int i = 0; i < pool_count; i++) {
    for (unsigned attribute = 0; attribute < 18; attribute++) {
      void *to = fresh();
      say("pool", i, attribute, hsa_amd_memory_pool_get_info(pools[i], attribute, to));
    }
    for (int other = 0; other < agent_count; other++) {
      for (unsigned attribute = 0; attribute < 4; attribute++) {
        void *to = fresh();
        hsa_status_t status = hsa_amd_agent_memory_pool_get_info(agents[other], pools[i], attribute, to);
        printf("agent %d of ", other);
        say("pool", i, attribute, status);
      }
    }
  }
  printf("agent %d regions: %#x", index, hsa_agent_iterate_regions(agent, take_region, NULL));
  printf(" %d\n", region_count);
  for (int i = 0; i < region_count; i++) {
    for (unsigned attribute = 0; attribute < 10; attribute++) {
      void *to = fresh();
      say("region", i, attribute, hsa_region_get_info(regions[i], attribute, to));
    }
    for (unsigned attribute = 0xA000; attribute < 0xA005; attribute++) {
      if (attribute == HSA_AMD_REGION_INFO_BASE) continue;
      void *to = fresh();
      say("region", i, attribute, hsa_region_get_info(regions[i], attribute, to));
    }
  }
  printf("agent %d ISAs: %#x", index, hsa_agent_iterate_isas(agent, take_isa, NULL));
  printf(" %d\n", isa_count);
  for (int i = 0; i < isa_count; i++) {
    for (unsigned attribute = 0; attribute < 19; attribute++) {
      void *to = fresh();
      say("isa", i, attribute, hsa_isa_get_info_alt(isas[i], attribute, to));
      to = fresh();
      say("isa old", i, attribute, hsa_isa_get_info(isas[i], attribute, 0, to));
      to = fresh();
      say("isa old index 1", i, attribute, hsa_isa_get_info(isas[i], attribute, 1, to));
    }
    for (int profile = 0; profile < 2; profile++) {
      hsa_status_t status = hsa_isa_get_exception_policies(isas[i], profile, &mask);
      printf("isa exceptions of profile %d: %#x %d\n", profile, status, status ? 0 : mask);
    }
    for (int type = 0; type < 6; type++) {
      for (int flush = 0; flush < 4; flush++) {
        hsa_round_method_t method = 99;
        hsa_status_t status = hsa_isa_get_round_method(isas[i], type, flush, &method);
        printf("isa round method %d %d: %#x %d\n", type, flush, status, status ? 0 : (int)method);
      }
    }
    wave_count = 0;
    printf("isa wavefronts: %#x", hsa_isa_iterate_wavefronts(isas[i], take_wave, NULL));
    printf(" %d\n", wave_count);
    for (int w = 0; w < wave_count; w++) {
      void *to = fresh();
      say("wavefront", w, 0, hsa_wavefront_get_info(waves[w], HSA_WAVEFRONT_INFO_SIZE, to));
      to = fresh();
      say("wavefront", w, 1, hsa_wavefront_get_info(waves[w], 1, to));
    }
    bool result = false;
    printf("isa compatible with itself: %#x", hsa_isa_compatible(isas[i], isas[i], &result));
    printf(" %d\n", result);
  }
  printf("agent %d caches: %#x", index, hsa_agent_iterate_caches(agent, take_cache, NULL));
  printf(" %d\n", cache_count);
  for (int i = 0; i < cache_count; i++) {
    for (unsigned attribute = 0; attribute < 5; attribute++) {
      void *to = fresh();
      say("cache", i, attribute, hsa_cache_get_info(caches[i], attribute, to));
    }
  }
}

static void names_of_isas(void) {
  static const char *names[] = {
      "amdgcn-amd-amdhsa--gfx90a", "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", "amdgcn-amd-amdhsa--gfx90a:xnack-",
      "amdgcn-amd-amdhsa--gfx90a:xnack-:sramecc+", "amdgcn-amd-amdhsa--gfx906", "amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-",
      "amdgcn-amd-amdhsa--gfx906:sramecc-:xnack+", "amdgcn-amd-amdhsa--gfx908:sramecc-", "amdgcn-amd-amdhsa--gfx900:xnack+",
      "amdgcn-amd-amdhsa--gfx1030", "amdgcn-amd-amdhsa--gfx1010:xnack-", "amdgcn-amd-amdhsa--gfx1030:xnack-",
      "amdgcn-amd-amdhsa--gfx803", "amdgcn-amd-amdhsa--gfx700", "amdgcn-amd-amdhsa--gfx701", "amdgcn-amd-amdhsa--gfx90a:foo+",
      "gfx90a", "", "amdgcn-amd-amdhsa--", "amdgcn-amd-amdhsa--gfx999", "amdgcn-amd-amdhsa-gfx90a", "AMD:AMDGPU:9:0:6",
      "amdgcn-amd-amdhsa--gfx90a:sramecc+:sramecc+", "amdgcn-amd-amdhsa--gfx906:xnack",
  };
  hsa_isa_t found[sizeof names / sizeof *names];
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    found[i].handle = 0;
    hsa_status_t status = hsa_isa_from_name(names[i], &found[i]);
    printf("isa \"%s\": %#x", names[i], status);
    if (status == HSA_STATUS_SUCCESS) {
      uint32_t length = 0;
      hsa_isa_get_info_alt(found[i], HSA_ISA_INFO_NAME_LENGTH, &length);
      char *text = calloc(length + 1, 1);
      hsa_isa_get_info_alt(found[i], HSA_ISA_INFO_NAME, text);
      printf(" %u \"%s\"", length, text);
      free(text);
    } else {
      found[i].handle = 0;
    }
    printf("\n");
  }
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    if (found[i].handle == 0) continue;
    bool result = false;
    hsa_status_t status = hsa_isa_compatible(found[i], isas[0], &result);
    printf("isa \"%s\" on the agent: %#x %d\n", names[i], status, status ? 0 : result);
  }
}

static void wrong_arguments(void) {
  hsa_agent_t cpu = agents[0], gpu = agents[agent_count - 1], no_agent = {0};
  hsa_signal_t signal;
  hsa_queue_t *queue = NULL;
  bool result;
  uint16_t minor;
  int calls = 0;
  void *table[64];
  STATUS(hsa_system_get_info(0, NULL));
  STATUS(hsa_extension_get_name(0, NULL));
  STATUS(hsa_system_extension_supported(0, 1, 0, NULL));
  STATUS(hsa_system_major_extension_supported(0, 1, NULL, &result));
  STATUS(hsa_system_major_extension_supported(0, 1, &minor, NULL));
  STATUS(hsa_system_get_extension_table(0x201, 1, 0, NULL));
  STATUS(hsa_system_get_extension_table(0x201, 1, 0, table));
  STATUS(hsa_system_get_extension_table(0x201, 1, 3, table));
  STATUS(hsa_system_get_extension_table(0x201, 2, 0, table));
  STATUS(hsa_system_get_extension_table(1, 1, 0, table));
  STATUS(hsa_system_get_extension_table(77, 1, 0, table));
  STATUS(hsa_system_get_major_extension_table(0x201, 1, 24, table));
  STATUS(hsa_system_get_major_extension_table(0x201, 1, 24, NULL));
  STATUS(hsa_system_get_major_extension_table(0x201, 1, 0, table));
  STATUS(hsa_system_get_major_extension_table(0x201, 2, 24, table));
  STATUS(hsa_system_get_major_extension_table(1, 1, 80, table));
  STATUS(hsa_system_get_major_extension_table(77, 1, 80, table));
  STATUS(hsa_status_string(HSA_STATUS_SUCCESS, NULL));
  STATUS(hsa_iterate_agents(NULL, NULL));
  STATUS(hsa_iterate_agents(stop_agent, &calls));
  STATUS(hsa_iterate_agents(fail_agent, &calls));
  printf("calls: %d\n", calls);
  STATUS(hsa_agent_get_info(no_agent, HSA_AGENT_INFO_NAME, value));
  STATUS(hsa_agent_get_info(gpu, HSA_AGENT_INFO_NAME, NULL));
  STATUS(hsa_agent_get_info(gpu, 99, value));
  STATUS(hsa_agent_get_exception_policies(no_agent, HSA_PROFILE_BASE, &minor));
  STATUS(hsa_agent_get_exception_policies(gpu, HSA_PROFILE_BASE, NULL));
  STATUS(hsa_agent_extension_supported(0, no_agent, 1, 0, &result));
  STATUS(hsa_agent_extension_supported(0, gpu, 1, 0, NULL));
  STATUS(hsa_agent_extension_supported(77, gpu, 1, 0, &result));
  STATUS(hsa_agent_major_extension_supported(0, no_agent, 1, &minor, &result));
  STATUS(hsa_agent_major_extension_supported(0, gpu, 1, NULL, &result));
  STATUS(hsa_agent_major_extension_supported(0, gpu, 1, &minor, NULL));
  STATUS(hsa_agent_iterate_caches(no_agent, take_cache, NULL));
  STATUS(hsa_agent_iterate_caches(gpu, NULL, NULL));
  STATUS(hsa_agent_iterate_regions(no_agent, take_region, NULL));
  STATUS(hsa_agent_iterate_regions(gpu, NULL, NULL));
  STATUS(hsa_agent_iterate_isas(no_agent, take_isa, NULL));
  STATUS(hsa_agent_iterate_isas(gpu, NULL, NULL));
  STATUS(hsa_amd_agent_iterate_memory_pools(no_agent, take_pool, NULL));
  STATUS(hsa_amd_agent_iterate_memory_pools(gpu, NULL, NULL));
  STATUS(hsa_isa_from_name(NULL, &isas[0]));
  STATUS(hsa_isa_from_name("amdgcn-amd-amdhsa--gfx90a", NULL));
  hsa_isa_t no_isa = {0};
  STATUS(hsa_isa_get_info_alt(no_isa, HSA_ISA_INFO_NAME, value));
  STATUS(hsa_isa_get_info_alt(isas[0], HSA_ISA_INFO_NAME, NULL));
  STATUS(hsa_isa_get_info(no_isa, HSA_ISA_INFO_NAME, 0, value));
  STATUS(hsa_isa_get_exception_policies(no_isa, HSA_PROFILE_BASE, &minor));
  STATUS(hsa_isa_get_exception_policies(isas[0], HSA_PROFILE_BASE, NULL));
  STATUS(hsa_isa_iterate_wavefronts(no_isa, take_wave, NULL));
  STATUS(hsa_isa_iterate_wavefronts(isas[0], NULL, NULL));
  STATUS(hsa_isa_compatible(no_isa, isas[0], &result));
  STATUS(hsa_isa_compatible(isas[0], no_isa, &result));
  STATUS(hsa_isa_compatible(isas[0], isas[0], NULL));
  hsa_wavefront_t no_wave = {0};
  STATUS(hsa_wavefront_get_info(no_wave, HSA_WAVEFRONT_INFO_SIZE, value));
  STATUS(hsa_wavefront_get_info(waves[0], HSA_WAVEFRONT_INFO_SIZE, NULL));
  hsa_cache_t no_cache = {0};
  STATUS(hsa_cache_get_info(no_cache, HSA_CACHE_INFO_LEVEL, value));
  STATUS(hsa_cache_get_info(caches[0], HSA_CACHE_INFO_LEVEL, NULL));
  hsa_region_t no_region = {0};
  STATUS(hsa_region_get_info(no_region, HSA_REGION_INFO_SIZE, value));
  STATUS(hsa_region_get_info(regions[0], HSA_REGION_INFO_SIZE, NULL));
  hsa_amd_memory_pool_t no_pool = {0};
  STATUS(hsa_amd_memory_pool_get_info(no_pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, value));
  STATUS(hsa_amd_memory_pool_get_info(pools[0], HSA_AMD_MEMORY_POOL_INFO_SIZE, NULL));
  STATUS(hsa_amd_agent_memory_pool_get_info(no_agent, pools[0], 0, value));
  STATUS(hsa_amd_agent_memory_pool_get_info(gpu, no_pool, 0, value));
  STATUS(hsa_amd_agent_memory_pool_get_info(gpu, pools[0], 0, NULL));

  STATUS(hsa_signal_create(1, 0, NULL, NULL));
  STATUS(hsa_signal_create(1, 1, NULL, &signal));
  STATUS(hsa_signal_create(1, 0, NULL, &signal));
  STATUS(hsa_signal_destroy(signal));
  hsa_signal_t no_signal = {0};
  STATUS(hsa_signal_destroy(no_signal));
  STATUS(hsa_amd_signal_create(1, 0, NULL, 0, NULL));
  STATUS(hsa_amd_signal_create(1, 0, NULL, HSA_AMD_SIGNAL_AMD_GPU_ONLY, &signal));
  STATUS(hsa_signal_destroy(signal));
  STATUS(hsa_amd_signal_create(1, 1, &gpu, 0, &signal));
  STATUS(hsa_signal_destroy(signal));
  hsa_agent_t twice[2] = {gpu, gpu};
  STATUS(hsa_amd_signal_create(1, 2, twice, 0, &signal));
  STATUS(hsa_signal_create(1, 2, twice, &signal));
  STATUS(hsa_amd_signal_async_handler(no_signal, HSA_SIGNAL_CONDITION_EQ, 0, NULL, NULL));
  STATUS(hsa_amd_async_function(NULL, NULL));
  volatile hsa_signal_value_t *pointer = NULL;
  STATUS(hsa_amd_signal_value_pointer(no_signal, NULL));
  hsa_signal_create(7, 0, NULL, &signal);
  STATUS(hsa_amd_signal_value_pointer(signal, NULL));
  STATUS(hsa_amd_signal_value_pointer(signal, &pointer));
  hsa_signal_destroy(signal);
  hsa_amd_signal_create(7, 0, NULL, HSA_AMD_SIGNAL_AMD_GPU_ONLY, &signal);
  STATUS(hsa_amd_signal_value_pointer(signal, NULL));
  STATUS(hsa_amd_signal_value_pointer(signal, &pointer));
  printf("pointer leads to: %d\n", pointer == NULL ? -1 : (int)*pointer);
  hsa_signal_group_t group;
  STATUS(hsa_signal_group_create(0, NULL, 0, NULL, &group));
  STATUS(hsa_signal_group_create(1, &signal, 0, NULL, NULL));
  STATUS(hsa_signal_group_create(1, &signal, 0, NULL, &group));
  hsa_signal_group_t no_group = {0};
  STATUS(hsa_signal_group_destroy(no_group));
  STATUS(hsa_signal_group_destroy(group));
  hsa_signal_destroy(signal);

  STATUS(hsa_queue_create(no_agent, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue));
  STATUS(hsa_queue_create(cpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue));
  STATUS(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, NULL));
  STATUS(hsa_queue_create(gpu, 0, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue));
  STATUS(hsa_queue_create(gpu, 65, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue));
  STATUS(hsa_queue_create(gpu, 1 << 20, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue));
  STATUS(hsa_queue_create(gpu, 64, 7, NULL, NULL, 0, 0, &queue));
  STATUS(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0, &queue));
  printf("queue: type %u, features %u, size %u\n", queue->type, queue->features, queue->size);
  printf("indices: %d %d\n", (int)hsa_queue_load_read_index_relaxed(queue), (int)hsa_queue_load_write_index_scacquire(queue));
  STATUS(hsa_amd_profiling_set_profiler_enabled(queue, 1));
  STATUS(hsa_amd_profiling_set_profiler_enabled(NULL, 1));
  STATUS(hsa_amd_queue_set_priority(queue, HSA_AMD_QUEUE_PRIORITY_HIGH));
  STATUS(hsa_amd_queue_set_priority(queue, 9));
  STATUS(hsa_amd_queue_set_priority(NULL, HSA_AMD_QUEUE_PRIORITY_HIGH));
  STATUS(hsa_queue_inactivate(NULL));
  STATUS(hsa_queue_destroy(NULL));
  // 5.2.3 waits in it for its own thread, on an event for which both wait: if that thread has looked at the signals and does
  // not wait yet, the wake-up goes to this one, and both wait for ever. (KFD's event ages, of interface 1.14, end that.)
  usleep(50000);
  STATUS(hsa_queue_destroy(queue));

  void *memory = NULL;
  STATUS(hsa_amd_memory_pool_allocate(no_pool, 4096, 0, &memory));
  STATUS(hsa_amd_memory_pool_allocate(pools[0], 0, 0, &memory));
  STATUS(hsa_amd_memory_pool_allocate(pools[0], 4096, 0, NULL));
  STATUS(hsa_amd_memory_pool_allocate(pools[0], 4096, 0, &memory));
  STATUS(hsa_amd_memory_pool_free(NULL));
  STATUS(hsa_amd_memory_fill(memory, 0x01020304, 1024));
  STATUS(hsa_amd_memory_fill(NULL, 0, 4));
  STATUS(hsa_amd_memory_fill((char *)memory + 1, 0, 4));
  STATUS(hsa_amd_memory_fill(memory, 0, 0));
  STATUS(hsa_memory_copy(NULL, memory, 4));
  STATUS(hsa_memory_copy(memory, NULL, 4));
  STATUS(hsa_memory_copy(memory, memory, 0));
  STATUS(hsa_amd_agents_allow_access(0, &gpu, NULL, memory));
  STATUS(hsa_amd_agents_allow_access(1, NULL, NULL, memory));
  STATUS(hsa_amd_agents_allow_access(1, &gpu, NULL, NULL));
  STATUS(hsa_amd_agents_allow_access(1, &no_agent, NULL, memory));
  STATUS(hsa_amd_agents_allow_access(1, &gpu, NULL, memory));
  hsa_amd_pointer_info_t info;
  memset(&info, 0, sizeof info);
  info.size = sizeof info;
  STATUS(hsa_amd_pointer_info(memory, NULL, NULL, NULL, NULL));
  STATUS(hsa_amd_pointer_info(NULL, &info, NULL, NULL, NULL));
  STATUS(hsa_amd_pointer_info(&info, &info, NULL, NULL, NULL));
  printf("pointer to the stack: type %d\n", info.type);
  info.size = sizeof info;
  uint32_t accessible = 0;
  hsa_agent_t *list = NULL;
  STATUS(hsa_amd_pointer_info((char *)memory + 5, &info, malloc, &accessible, &list));
  printf("pointer: type %d, size %zu, base %d, owner %d, flags %u, user %d, %u agents\n", info.type, info.sizeInBytes,
         info.agentBaseAddress == memory, info.agentOwner.handle == gpu.handle, info.global_flags, info.userData != NULL,
         accessible);
  STATUS(hsa_amd_pointer_info_set_userdata(memory, &info));
  STATUS(hsa_amd_pointer_info_set_userdata(&info, &info));
  STATUS(hsa_amd_pointer_info_set_userdata(NULL, &info));
  STATUS(hsa_amd_memory_pool_free(memory));
  void *locked = NULL;
  char *host = malloc(1 << 16);
  STATUS(hsa_amd_memory_lock(NULL, 4096, NULL, 0, &locked));
  STATUS(hsa_amd_memory_lock(host, 0, NULL, 0, &locked));
  STATUS(hsa_amd_memory_lock(host, 4096, NULL, 0, NULL));
  STATUS(hsa_amd_memory_lock(host, 4096, &gpu, 0, &locked));
  STATUS(hsa_amd_memory_lock(host, 4096, NULL, 0, &locked));
  memset(&info, 0, sizeof info);
  info.size = sizeof info;
  STATUS(hsa_amd_pointer_info(host, &info, malloc, &accessible, &list));
  printf("locked pointer: type %d, size %zu, host %d, flags %u\n", info.type, info.sizeInBytes, info.hostBaseAddress == host,
         info.global_flags);
  printf("agents' address: the host's %d, as far into its page %d, base %d\n", locked == (void *)host,
         ((size_t)locked & 4095) == ((size_t)host & 4095), info.agentBaseAddress == locked);
  STATUS(hsa_amd_pointer_info((char *)locked + 9, &info, malloc, &accessible, &list));
  printf("agents' pointer: type %d, size %zu, host %d, agents %d, %u\n", info.type, info.sizeInBytes,
         info.hostBaseAddress == host, info.agentBaseAddress == locked, accessible);
  STATUS(hsa_amd_pointer_info_set_userdata(host, &info));
  STATUS(hsa_amd_pointer_info(locked, &info, NULL, NULL, NULL));
  printf("user data %d\n", info.userData == &info);
  STATUS(hsa_memory_allocate(regions[0], 4096, &memory));
  memset(host, 3, 4096);
  STATUS(hsa_memory_copy(memory, locked, 4096));
  memset(host, 4, 4096);
  STATUS(hsa_memory_copy((char *)locked + 100, memory, 200));
  int moved = 0;
  for (int i = 0; i < 4096; i++) moved += host[i] == (i >= 100 && i < 300 ? 3 : 4);
  printf("moved by the agents' address: %d\n", moved);
  STATUS(hsa_memory_free(memory));
  void *again = NULL;
  STATUS(hsa_amd_memory_lock(host, 4096, NULL, 0, &again));
  printf("locked twice: the same address %d\n", again == locked);
  STATUS(hsa_amd_memory_unlock(host));
  STATUS(hsa_amd_pointer_info(host, &info, NULL, NULL, NULL));
  printf("unlocked once: type %d\n", info.type);
  STATUS(hsa_amd_memory_unlock(host));
  STATUS(hsa_amd_pointer_info(host, &info, NULL, NULL, NULL));
  printf("unlocked twice: type %d\n", info.type);
  STATUS(hsa_amd_memory_unlock(NULL));
  free(host);
  STATUS(hsa_memory_allocate(no_region, 4096, &memory));
  STATUS(hsa_memory_allocate(regions[0], 4096, NULL));
  STATUS(hsa_memory_allocate(regions[0], 0, &memory));
  STATUS(hsa_memory_allocate(regions[0], 4096, &memory));
  STATUS(hsa_memory_free(memory));
  STATUS(hsa_memory_free(NULL));
  STATUS(hsa_memory_register(NULL, 4096));
  STATUS(hsa_memory_register(value, 0));
  STATUS(hsa_memory_register(value, 64));
  STATUS(hsa_memory_deregister(value, 64));
  STATUS(hsa_amd_coherency_set_type(gpu, HSA_AMD_COHERENCY_TYPE_NONCOHERENT));
  STATUS(hsa_amd_coherency_set_type(cpu, HSA_AMD_COHERENCY_TYPE_NONCOHERENT));
  STATUS(hsa_amd_coherency_set_type(gpu, 7));
  STATUS(hsa_amd_coherency_set_type(no_agent, 0));

  hsa_code_object_reader_t reader, no_reader = {0};
  STATUS(hsa_code_object_reader_create_from_memory(NULL, 4, &reader));
  STATUS(hsa_code_object_reader_create_from_memory("abc", 0, &reader));
  STATUS(hsa_code_object_reader_create_from_memory("abc", 3, NULL));
  STATUS(hsa_code_object_reader_create_from_memory("abc", 3, &reader));
  STATUS(hsa_code_object_reader_destroy(no_reader));
  hsa_executable_t executable, no_executable = {0};
  STATUS(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, NULL));
  STATUS(hsa_executable_create_alt(9, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL, &executable));
  STATUS(hsa_executable_create_alt(HSA_PROFILE_FULL, 9, NULL, &executable));
  STATUS(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, NULL, &executable));
  STATUS(hsa_executable_load_agent_code_object(executable, gpu, reader, NULL, NULL));
  STATUS(hsa_executable_load_agent_code_object(no_executable, gpu, reader, NULL, NULL));
  STATUS(hsa_executable_load_agent_code_object(executable, no_agent, reader, NULL, NULL));
  STATUS(hsa_executable_load_agent_code_object(executable, gpu, no_reader, NULL, NULL));
  for (int attribute = 0; attribute < 5; attribute++) {
    void *to = fresh();
    say("executable", 0, attribute, hsa_executable_get_info(executable, attribute, to));
  }
  STATUS(hsa_executable_get_info(executable, HSA_EXECUTABLE_INFO_STATE, NULL));
  STATUS(hsa_executable_get_info(no_executable, HSA_EXECUTABLE_INFO_STATE, value));
  hsa_executable_symbol_t symbol, no_symbol = {0};
  STATUS(hsa_executable_get_symbol_by_name(executable, "x.kd", &gpu, &symbol));
  STATUS(hsa_executable_get_symbol_by_name(executable, NULL, &gpu, &symbol));
  STATUS(hsa_executable_get_symbol_by_name(executable, "x.kd", &gpu, NULL));
  STATUS(hsa_executable_get_symbol_by_name(no_executable, "x.kd", &gpu, &symbol));
  STATUS(hsa_executable_symbol_get_info(no_symbol, 0, value));
  STATUS(hsa_executable_agent_global_variable_define(executable, gpu, "v", value));
  STATUS(hsa_executable_agent_global_variable_define(executable, gpu, "v", value));
  STATUS(hsa_executable_agent_global_variable_define(executable, no_agent, "v", value));
  STATUS(hsa_executable_agent_global_variable_define(executable, gpu, NULL, value));
  STATUS(hsa_executable_agent_global_variable_define(no_executable, gpu, "v", value));
  STATUS(hsa_executable_global_variable_define(executable, "w", value));
  STATUS(hsa_executable_global_variable_define(executable, "w", value));
  STATUS(hsa_executable_readonly_variable_define(executable, gpu, "r", value));
  STATUS(hsa_executable_readonly_variable_define(executable, gpu, "r", value));
  uint32_t valid = 99;
  STATUS(hsa_executable_validate(executable, NULL));
  STATUS(hsa_executable_validate(no_executable, &valid));
  STATUS(hsa_executable_freeze(no_executable, NULL));
  STATUS(hsa_executable_freeze(executable, NULL));
  STATUS(hsa_executable_freeze(executable, NULL));
  STATUS(hsa_executable_validate(executable, &valid));
  printf("valid: %u\n", valid);
  STATUS(hsa_executable_load_agent_code_object(executable, gpu, reader, NULL, NULL));
  STATUS(hsa_executable_global_variable_define(executable, "z", value));
  STATUS(hsa_executable_iterate_symbols(executable, NULL, NULL));
  STATUS(hsa_executable_iterate_agent_symbols(executable, gpu, NULL, NULL));
  STATUS(hsa_executable_iterate_program_symbols(executable, NULL, NULL));
  STATUS(hsa_executable_destroy(executable));
  STATUS(hsa_executable_destroy(no_executable));
  STATUS(hsa_code_object_reader_destroy(reader));

  hsa_code_object_t code;
  STATUS(hsa_code_object_deserialize(NULL, 4, NULL, &code));
  STATUS(hsa_code_object_deserialize(value, 0, NULL, &code));
  STATUS(hsa_code_object_deserialize(value, 4, NULL, NULL));
  hsa_ext_program_t program;
  STATUS(hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, NULL, &program));
  STATUS(hsa_amd_profiling_get_dispatch_time(gpu, no_signal, NULL));
  STATUS(hsa_amd_profiling_get_async_copy_time(no_signal, NULL));
  STATUS(hsa_amd_profiling_convert_tick_to_system_domain(gpu, 1, NULL));
  STATUS(hsa_amd_profiling_convert_tick_to_system_domain(no_agent, 1, (uint64_t *)value));
  STATUS(hsa_amd_profiling_async_copy_enable(true));
  STATUS(hsa_amd_register_system_event_handler(NULL, NULL));
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  signal(SIGSEGV, crashed);
  signal(SIGABRT, crashed);
  bool result;
  printf("before hsa_init\n");
  STATUS(hsa_shut_down());
  STATUS(hsa_system_get_info(0, value));
  STATUS(hsa_iterate_agents(take_agent, NULL));
  STATUS(hsa_system_extension_supported(0, 1, 0, &result));
  hsa_signal_t signal;
  STATUS(hsa_signal_create(1, 0, NULL, &signal));
  STATUS(hsa_init());
  STATUS(hsa_init());
  STATUS(hsa_shut_down());
  STATUS(hsa_iterate_agents(take_agent, NULL));
  printf("%d agents\n", agent_count);
  system_info();
  for (int i = 0; i < agent_count; i++) one_agent(i);
  names_of_isas();
  if (argc < 2 || strcmp(argv[1], "info") != 0) wrong_arguments();
  STATUS(hsa_shut_down());
  STATUS(hsa_shut_down());
  return 0;
}
