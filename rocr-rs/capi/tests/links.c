/* Which agent reaches which memory, and over what link: on a machine with several GPUs. */
#include <stdio.h>
#include "agents.h"

static hsa_agent_t agents[8];
static int count, owner;

static hsa_status_t each_agent(hsa_agent_t agent, void *data) {
  (void)data;
  agents[count++] = agent;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t each_pool(hsa_amd_memory_pool_t pool, void *data) {
  hsa_amd_segment_t segment;
  (void)data;
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
  for (int from = 0; from < count; from++) {
    hsa_amd_memory_pool_access_t access = -1;
    uint32_t hops = -1;
    hsa_amd_memory_pool_link_info_t link = {0};
    hsa_amd_agent_memory_pool_get_info(agents[from], pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access);
    hsa_amd_agent_memory_pool_get_info(agents[from], pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS, &hops);
    printf("agent %d to segment %d of %d: access %d, hops %u", from, segment, owner, access, hops);
    if (hops == 1) {
      hsa_amd_agent_memory_pool_get_info(agents[from], pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO, &link);
      printf(", type %d, distance %u, atomics %d %d, coherent %d, %u to %u MB/s, %u to %u ns", link.link_type, link.numa_distance,
             link.atomic_support_32bit, link.atomic_support_64bit, link.coherent_support, link.min_bandwidth,
             link.max_bandwidth, link.min_latency, link.max_latency);
    }
    printf("\n");
  }
  return HSA_STATUS_SUCCESS;
}

int main(void) {
  if (hsa_init() != HSA_STATUS_SUCCESS) return 3;
  hsa_iterate_agents(each_agent, NULL);
  find_agents();
  printf("%d agents, a pool of a GPU: %d\n", count, pool_of(gpu).handle != 0);
  for (owner = 0; owner < count; owner++) hsa_amd_agent_iterate_memory_pools(agents[owner], each_pool, NULL);
  return hsa_shut_down() != HSA_STATUS_SUCCESS;
}
