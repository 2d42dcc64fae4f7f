/* Functions that came after 5.2.3, and that no installed library has: each answer is compared with what the manual of
 * ROCm 7 and its library's source say. Ends with 0 when all is as it should be. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agents.h"

/* Of the headers of ROCm 7. */
typedef struct { uint64_t handle; } vmem_handle;
typedef struct { uint32_t permissions; hsa_agent_t agent; } access_desc;
enum { NONE, RO, WO, RW };
enum { NOT_PINNED, PINNED };
hsa_status_t hsa_amd_portable_export_dmabuf(const void *, size_t, int *, uint64_t *);
hsa_status_t hsa_amd_portable_export_dmabuf_v2(const void *, size_t, int *, uint64_t *, uint64_t);
hsa_status_t hsa_amd_portable_close_dmabuf(int);
hsa_status_t hsa_amd_vmem_address_reserve(void **, size_t, uint64_t, uint64_t);
hsa_status_t hsa_amd_vmem_address_reserve_align(void **, size_t, uint64_t, uint64_t, uint64_t);
hsa_status_t hsa_amd_vmem_address_free(void *, size_t);
hsa_status_t hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t, size_t, uint32_t, uint64_t, vmem_handle *);
hsa_status_t hsa_amd_vmem_handle_release(vmem_handle);
hsa_status_t hsa_amd_vmem_map(void *, size_t, size_t, vmem_handle, uint64_t);
hsa_status_t hsa_amd_vmem_unmap(void *, size_t);
hsa_status_t hsa_amd_vmem_set_access(void *, size_t, const access_desc *, size_t);
hsa_status_t hsa_amd_vmem_get_access(void *, uint32_t *, hsa_agent_t);
hsa_status_t hsa_amd_vmem_export_shareable_handle(int *, vmem_handle, uint64_t);
hsa_status_t hsa_amd_vmem_import_shareable_handle(int, vmem_handle *);
hsa_status_t hsa_amd_vmem_retain_alloc_handle(vmem_handle *, void *);
hsa_status_t hsa_amd_vmem_get_alloc_properties_from_handle(vmem_handle, hsa_amd_memory_pool_t *, uint32_t *);

enum { OK = 0, ARGUMENT = 0x1001, ALLOCATION = 0x1003, AGENT = 0x1004, RESOURCES = 0x1008, BUSY = 0x100a,
       INCOMPATIBLE = 0x100d };
#define PAGE 4096ul
#define SIZE (2ul << 20)

static int failures;

static void expect(int line, const char *what, long got, long wanted) {
  if (got == wanted) return;
  printf("line %d: %s: %#lx, not %#lx\n", line, what, got, wanted);
  failures++;
}
#define EXPECT(what, wanted) expect(__LINE__, #what, (long)(what), (long)(wanted))

static hsa_amd_memory_pool_t vram, lds, host;

static hsa_status_t take_lds(hsa_amd_memory_pool_t pool, void *data) {
  (void)data;
  hsa_amd_segment_t segment;
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
  if (segment == HSA_AMD_SEGMENT_GROUP) lds = pool;
  return HSA_STATUS_SUCCESS;
}

static bool system_info(int attribute) {
  bool value = false;
  return hsa_system_get_info(attribute, &value) == HSA_STATUS_SUCCESS && value;
}

static int type_of(void *pointer) {
  hsa_amd_pointer_info_t info;
  memset(&info, 0, sizeof info);
  info.size = sizeof info;
  return hsa_amd_pointer_info(pointer, &info, NULL, NULL, NULL) == HSA_STATUS_SUCCESS ? (int)info.type : -1;
}

static void dmabufs(void) {
  char *memory = NULL, *system = NULL;
  int fd = -1;
  uint64_t offset = 99;
  EXPECT(system_info(0x204), true);
  EXPECT(hsa_amd_memory_pool_allocate(vram, SIZE, 0, (void **)&memory), OK);
  EXPECT(hsa_amd_memory_pool_allocate(host, SIZE, 0, (void **)&system), OK);
  EXPECT(hsa_amd_portable_export_dmabuf(NULL, PAGE, &fd, &offset), ARGUMENT);
  EXPECT(hsa_amd_portable_export_dmabuf(memory, 0, &fd, &offset), ARGUMENT);
  EXPECT(hsa_amd_portable_export_dmabuf(memory, PAGE, NULL, &offset), ARGUMENT);
  EXPECT(hsa_amd_portable_export_dmabuf(memory, PAGE, &fd, NULL), ARGUMENT);
  EXPECT(hsa_amd_portable_export_dmabuf(&fd, PAGE, &fd, &offset), ALLOCATION);
  EXPECT(hsa_amd_portable_export_dmabuf(memory + PAGE, SIZE, &fd, &offset), ALLOCATION);
  EXPECT(hsa_amd_portable_export_dmabuf(memory, ~0ul, &fd, &offset), ALLOCATION);
  EXPECT(hsa_amd_portable_export_dmabuf(system, PAGE, &fd, &offset), AGENT);
  EXPECT(hsa_amd_portable_export_dmabuf_v2(memory, PAGE, &fd, &offset, 6), ARGUMENT);
  EXPECT(hsa_amd_portable_export_dmabuf_v2(memory, PAGE, &fd, &offset, 1), OK);
  EXPECT(hsa_amd_portable_close_dmabuf(fd), OK);
  EXPECT(hsa_amd_portable_export_dmabuf(memory + 3 * PAGE, PAGE, &fd, &offset), OK);
  EXPECT(offset, 3 * PAGE);
  size_t size = 0;
  void *mapped = NULL;
  EXPECT(hsa_amd_interop_map_buffer(1, &gpu, fd, 0, &size, &mapped, NULL, NULL), OK);
  EXPECT(size, SIZE);
  EXPECT(type_of(mapped), 3);
  EXPECT(hsa_amd_memory_pool_free(mapped), ARGUMENT);
  EXPECT(hsa_amd_interop_unmap_buffer(mapped), OK);
  EXPECT(hsa_amd_portable_close_dmabuf(fd), OK);
  EXPECT(hsa_amd_portable_close_dmabuf(fd), BUSY);
  EXPECT(hsa_amd_memory_pool_free(memory), OK);
  EXPECT(hsa_amd_memory_pool_free(system), OK);
}

static void addresses(void) {
  void *va = NULL, *other = NULL;
  EXPECT(system_info(0x205), true);
  EXPECT(hsa_amd_vmem_address_reserve(&va, 0, 0, 0), ARGUMENT);
  EXPECT(hsa_amd_vmem_address_reserve_align(&va, SIZE, 0, 3 * PAGE, 0), ARGUMENT);
  EXPECT(hsa_amd_vmem_address_reserve_align(&va, SIZE, 0, 1 << 30, 0), OK);
  EXPECT((uintptr_t)va % (1 << 30), 0);
  EXPECT(type_of((char *)va + PAGE), 5);
  /* Taken: another place will do. */
  EXPECT(hsa_amd_vmem_address_reserve(&other, SIZE, (uintptr_t)va, 0), OK);
  EXPECT(other != va, true);
  EXPECT(hsa_amd_vmem_address_free(NULL, SIZE), ARGUMENT);
  EXPECT(hsa_amd_vmem_address_free(va, 0), ARGUMENT);
  EXPECT(hsa_amd_vmem_address_free(va, PAGE), ARGUMENT);
  EXPECT(hsa_amd_vmem_address_free((char *)va + PAGE, SIZE), ALLOCATION);
  EXPECT(hsa_amd_vmem_address_free(va, SIZE), OK);
  EXPECT(hsa_amd_vmem_address_free(va, SIZE), ALLOCATION);
  void *again = NULL;
  EXPECT(hsa_amd_vmem_address_reserve(&again, SIZE, (uintptr_t)va, 0), OK);
  EXPECT(again == va, true);
  EXPECT(hsa_amd_vmem_address_free(again, SIZE), OK);
  EXPECT(hsa_amd_vmem_address_free(other, SIZE), OK);
}

static void mappings(void) {
  vmem_handle first, second, no_handle = {5};
  hsa_amd_memory_pool_t no_pool = {0};
  hsa_agent_t no_agent = {0};
  EXPECT(hsa_amd_vmem_handle_create(no_pool, SIZE, NOT_PINNED, 0, &first), ARGUMENT);
  EXPECT(hsa_amd_vmem_handle_create(vram, 0, NOT_PINNED, 0, &first), ARGUMENT);
  EXPECT(hsa_amd_vmem_handle_create(vram, 100, NOT_PINNED, 0, &first), ARGUMENT);
  EXPECT(hsa_amd_vmem_handle_create(vram, SIZE, 2, 0, &first), ARGUMENT);
  EXPECT(hsa_amd_vmem_handle_create(vram, SIZE, NOT_PINNED, 0, NULL), ARGUMENT);
  EXPECT(hsa_amd_vmem_handle_create(lds, SIZE, NOT_PINNED, 0, &first), ALLOCATION);
  EXPECT(hsa_amd_vmem_handle_create(vram, SIZE, PINNED, 0, &first), OK);
  EXPECT(hsa_amd_vmem_handle_create(vram, 2 * SIZE, NOT_PINNED, 0, &second), OK);
  char *va = NULL;
  EXPECT(hsa_amd_vmem_address_reserve((void **)&va, 4 * SIZE, 0, 0), OK);
  EXPECT(hsa_amd_vmem_map(NULL, SIZE, 0, first, 0), ARGUMENT);
  EXPECT(hsa_amd_vmem_map(va, 0, 0, first, 0), ARGUMENT);
  EXPECT(hsa_amd_vmem_map(va, SIZE, 0, no_handle, 0), ARGUMENT);
  EXPECT(hsa_amd_vmem_map(va + 4 * SIZE, SIZE, 0, first, 0), ARGUMENT);
  EXPECT(hsa_amd_vmem_map(va + 4 * SIZE - PAGE, SIZE, 0, first, 0), ARGUMENT);
  EXPECT(hsa_amd_vmem_map(va, 2 * SIZE, 0, first, 0), ARGUMENT);
  EXPECT(hsa_amd_vmem_map(va, SIZE, 0, first, 0), OK);
  EXPECT(hsa_amd_vmem_map(va, SIZE, 0, first, 0), ARGUMENT);
  EXPECT(hsa_amd_vmem_map(va + SIZE - PAGE, SIZE, 0, first, 0), ARGUMENT);
  EXPECT(hsa_amd_vmem_map(va + SIZE, 2 * SIZE, 0, second, 0), OK);
  /* The same memory once more: what is written here is seen there. */
  EXPECT(hsa_amd_vmem_map(va + 3 * SIZE, SIZE, 0, first, 0), OK);

  uint32_t access = 99;
  EXPECT(hsa_amd_vmem_get_access(va, NULL, gpu), ARGUMENT);
  EXPECT(hsa_amd_vmem_get_access(NULL, &access, gpu), ARGUMENT);
  EXPECT(hsa_amd_vmem_get_access(&access, &access, gpu), ALLOCATION);
  EXPECT(hsa_amd_vmem_get_access(va, &access, cpu), AGENT);
  EXPECT(hsa_amd_vmem_get_access(va, &access, gpu), OK);
  EXPECT(access, NONE);
  access_desc both[2] = {{RW, cpu}, {RW, gpu}}, nobody = {RW, no_agent}, odd = {7, gpu}, reading = {RO, gpu}, off = {NONE, gpu};
  EXPECT(hsa_amd_vmem_set_access(NULL, SIZE, both, 2), ARGUMENT);
  EXPECT(hsa_amd_vmem_set_access(va, 0, both, 2), ARGUMENT);
  EXPECT(hsa_amd_vmem_set_access(va, SIZE, NULL, 2), ARGUMENT);
  EXPECT(hsa_amd_vmem_set_access(va, SIZE, both, 0), ARGUMENT);
  EXPECT(hsa_amd_vmem_set_access(va, SIZE, &nobody, 1), AGENT);
  EXPECT(hsa_amd_vmem_set_access(va, SIZE, &odd, 1), ARGUMENT);
  EXPECT(hsa_amd_vmem_set_access(va + 4 * SIZE, SIZE, both, 2), ARGUMENT);
  EXPECT(hsa_amd_vmem_set_access(va + PAGE, SIZE, both, 2), ALLOCATION);
  EXPECT(hsa_amd_vmem_set_access(va, 4 * SIZE, both, 2), OK);
  EXPECT(hsa_amd_vmem_get_access(va + 2 * SIZE, &access, gpu), OK);
  EXPECT(access, RW);
  EXPECT(type_of(va), 5);
  memset(va, 0x5a, SIZE);
  EXPECT(va[3 * SIZE + 77], 0x5a);
  EXPECT(hsa_amd_memory_fill(va + SIZE, 0x01020304, 2 * SIZE / 4), OK);
  EXPECT(va[3 * SIZE - 4], 4);
  EXPECT(hsa_amd_vmem_set_access(va + SIZE, 2 * SIZE, &reading, 1), OK);
  EXPECT(hsa_amd_vmem_get_access(va + SIZE, &access, gpu), OK);
  EXPECT(access, RO);
  EXPECT(hsa_amd_vmem_set_access(va + SIZE, 2 * SIZE, &off, 1), OK);
  EXPECT(hsa_amd_vmem_get_access(va + SIZE, &access, gpu), OK);
  EXPECT(access, NONE);
  EXPECT(hsa_amd_agents_allow_access(1, &gpu, NULL, va + SIZE), OK);
  EXPECT(hsa_amd_vmem_get_access(va + SIZE, &access, gpu), OK);
  EXPECT(access, RW);

  vmem_handle same;
  hsa_amd_memory_pool_t pool;
  uint32_t type = 99;
  EXPECT(hsa_amd_vmem_retain_alloc_handle(&same, NULL), ARGUMENT);
  EXPECT(hsa_amd_vmem_retain_alloc_handle(&same, va + PAGE), ALLOCATION);
  EXPECT(hsa_amd_vmem_retain_alloc_handle(&same, va), OK);
  EXPECT(same.handle, first.handle);
  EXPECT(hsa_amd_vmem_get_alloc_properties_from_handle(first, &pool, &type), OK);
  EXPECT(type, PINNED);
  EXPECT(pool.handle, vram.handle);
  EXPECT(hsa_amd_vmem_get_alloc_properties_from_handle(no_handle, &pool, &type), ALLOCATION);
  EXPECT(hsa_amd_vmem_get_alloc_properties_from_handle(first, NULL, &type), ARGUMENT);
  EXPECT(hsa_amd_vmem_handle_release(first), OK);
  EXPECT(hsa_amd_vmem_handle_release(first), OK);
  EXPECT(hsa_amd_vmem_handle_release(first), ALLOCATION);
  /* It stays while it is mapped. */
  EXPECT(va[5], 0x5a);

  EXPECT(hsa_amd_vmem_address_free(va, 4 * SIZE), BUSY);
  EXPECT(hsa_amd_vmem_unmap(NULL, SIZE), ARGUMENT);
  EXPECT(hsa_amd_vmem_unmap(va, 0), ARGUMENT);
  EXPECT(hsa_amd_vmem_unmap(va, PAGE), ARGUMENT);
  EXPECT(hsa_amd_vmem_unmap(va + PAGE, SIZE), ALLOCATION);
  EXPECT(hsa_amd_vmem_unmap(va, SIZE), OK);
  EXPECT(hsa_amd_vmem_unmap(va, SIZE), ALLOCATION);
  EXPECT(hsa_amd_vmem_unmap(va + SIZE, 2 * SIZE), OK);
  EXPECT(va[3 * SIZE + 5], 0x5a);
  EXPECT(hsa_amd_vmem_unmap(va + 3 * SIZE, SIZE), OK);
  EXPECT(hsa_amd_vmem_handle_release(second), OK);
  EXPECT(hsa_amd_vmem_address_free(va, 4 * SIZE), OK);
}

/* Memory of the host in the same way, and a handle that another process takes in. */
static void processes(const char *program) {
  vmem_handle handle, taken;
  char *va = NULL;
  int fd = -1;
  access_desc both[2] = {{RW, cpu}, {RW, gpu}};
  for (int round = 0; round < 2; round++) {
    EXPECT(hsa_amd_vmem_handle_create(round ? host : vram, SIZE, NOT_PINNED, 0, &handle), OK);
    EXPECT(hsa_amd_vmem_address_reserve((void **)&va, SIZE, 0, 0), OK);
    EXPECT(hsa_amd_vmem_map(va, SIZE, 0, handle, 0), OK);
    EXPECT(hsa_amd_vmem_set_access(va, SIZE, both, 2), OK);
    va[100] = 17;
    vmem_handle none = {1};
    EXPECT(hsa_amd_vmem_export_shareable_handle(NULL, handle, 0), ARGUMENT);
    EXPECT(hsa_amd_vmem_export_shareable_handle(&fd, none, 0), ALLOCATION);
    EXPECT(hsa_amd_vmem_export_shareable_handle(&fd, handle, 0), OK);
    EXPECT(hsa_amd_vmem_import_shareable_handle(fd, NULL), ARGUMENT);
    EXPECT(hsa_amd_vmem_import_shareable_handle(-1, &taken), ARGUMENT);
    EXPECT(hsa_amd_vmem_import_shareable_handle(0, &taken), INCOMPATIBLE);
    fcntl(fd, F_SETFD, 0);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
      char number[16];
      snprintf(number, sizeof number, "%d", fd);
      execl(program, program, number, NULL);
      _exit(9);
    }
    int result = 0;
    waitpid(pid, &result, 0);
    EXPECT(result, 0);
    EXPECT(va[200], 18);
    close(fd);
    EXPECT(hsa_amd_vmem_unmap(va, SIZE), OK);
    EXPECT(hsa_amd_vmem_handle_release(handle), OK);
    EXPECT(hsa_amd_vmem_address_free(va, SIZE), OK);
  }
}

static void child(int fd) {
  vmem_handle handle;
  char *va = NULL;
  access_desc both[2] = {{RW, cpu}, {RW, gpu}};
  EXPECT(hsa_amd_vmem_import_shareable_handle(fd, &handle), OK);
  close(fd);
  EXPECT(hsa_amd_vmem_address_reserve((void **)&va, SIZE, 0, 0), OK);
  EXPECT(hsa_amd_vmem_map(va, SIZE, 0, handle, 0), OK);
  EXPECT(hsa_amd_vmem_handle_release(handle), OK);
  EXPECT(hsa_amd_vmem_set_access(va, SIZE, both, 2), OK);
  EXPECT(va[100], 17);
  va[200] = 18;
  EXPECT(hsa_amd_vmem_unmap(va, SIZE), OK);
  EXPECT(hsa_amd_vmem_address_free(va, SIZE), OK);
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  void *nothing = NULL;
  EXPECT(hsa_amd_vmem_address_reserve(&nothing, SIZE, 0, 0), 0x100b);
  EXPECT(hsa_init(), OK);
  find_agents();
  vram = pool_of(gpu);
  host = pool_of(cpu);
  hsa_amd_agent_iterate_memory_pools(gpu, take_lds, NULL);
  if (argc > 1) {
    child(atoi(argv[1]));
  } else {
    dmabufs();
    addresses();
    mappings();
    processes(argv[0]);
  }
  EXPECT(hsa_shut_down(), OK);
  return failures != 0;
}
