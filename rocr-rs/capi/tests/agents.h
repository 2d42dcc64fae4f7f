/* What the programs of this folder begin with: the first agent of each kind, and an agent's first pool of global memory.
   Both are asked for anew after each `hsa_init`: handles of the time before are void. */
#pragma once
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

static hsa_agent_t cpu, gpu;

static hsa_status_t take_agent(hsa_agent_t agent, void *data) {
  (void)data;
  hsa_device_type_t type;
  hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
  hsa_agent_t *to = type == HSA_DEVICE_TYPE_GPU ? &gpu : &cpu;
  if (to->handle == 0) *to = agent;
  return HSA_STATUS_SUCCESS;
}

static void find_agents(void) {
  cpu.handle = gpu.handle = 0;
  hsa_iterate_agents(take_agent, NULL);
}

static hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void *data) {
  hsa_amd_memory_pool_t *to = data;
  hsa_amd_segment_t segment;
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
  if (segment == HSA_AMD_SEGMENT_GLOBAL && to->handle == 0) *to = pool;
  return HSA_STATUS_SUCCESS;
}

static hsa_amd_memory_pool_t pool_of(hsa_agent_t agent) {
  hsa_amd_memory_pool_t pool = {0};
  hsa_amd_agent_iterate_memory_pools(agent, take_pool, &pool);
  return pool;
}
