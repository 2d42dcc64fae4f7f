/* Memory and signals of two processes, and a dma-buf: prints what an HSA runtime answers, so that two can be compared. The
 * program starts itself again, as "child", with CHILD_LIBRARY_PATH for the loader if it is set. Handles and addresses are
 * left out. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agents.h"

enum { BYTES = 8192, WORDS = BYTES / 4 };

#define STATUS(call) printf("%s: %#x\n", #call, call)

struct message {
  hsa_amd_ipc_memory_t memory;
  hsa_amd_ipc_signal_t to_child, to_parent;
};

static hsa_amd_memory_pool_t vram, shared;

static void start(void) {
  if (hsa_init() != HSA_STATUS_SUCCESS) exit(3);
  find_agents();
  vram = pool_of(gpu);
  shared = pool_of(cpu);
}

static void tell(const char *what, const void *pointer) {
  hsa_amd_pointer_info_t info;
  memset(&info, 0, sizeof info);
  info.size = sizeof info;
  uint32_t accessible = 0;
  hsa_agent_t *list = NULL;
  hsa_status_t status = hsa_amd_pointer_info(pointer, &info, malloc, &accessible, &list);
  printf("%s: %#x type %d, %zu bytes, base %d, owner %d, %u agents\n", what, status, info.type, info.sizeInBytes,
         info.agentBaseAddress == pointer, info.agentOwner.handle == gpu.handle, accessible);
  free(list);
}

/* How many of the words are that value. */
static int count(const void *pointer, uint32_t value) {
  static uint32_t words[WORDS];
  memset(words, 0xee, sizeof words);
  if (hsa_memory_copy(words, pointer, sizeof words) != HSA_STATUS_SUCCESS) return -1;
  int found = 0;
  for (int i = 0; i < WORDS; i++) found += words[i] == value;
  return found;
}

static int child(void) {
  struct message message;
  if (read(0, &message, sizeof message) != sizeof message) return 4;
  start();
  void *memory = NULL;
  hsa_signal_t to_child, to_parent;
  STATUS(hsa_amd_ipc_memory_attach(&message.memory, BYTES, 0, NULL, NULL));
  STATUS(hsa_amd_ipc_memory_attach(&message.memory, BYTES, 1, NULL, &memory));
  STATUS(hsa_amd_ipc_memory_attach(&message.memory, BYTES, 1, &gpu, &memory));
  tell("attached", memory);
  printf("first words: %d\n", count(memory, 0x11111111));
  STATUS(hsa_amd_ipc_signal_attach(&message.to_child, NULL));
  STATUS(hsa_amd_ipc_signal_attach(&message.to_child, &to_child));
  STATUS(hsa_amd_ipc_signal_attach(&message.to_parent, &to_parent));
  hsa_amd_ipc_signal_t again;
  STATUS(hsa_amd_ipc_signal_create(to_parent, &again));
  printf("signal: %d\n", (int)hsa_signal_wait_scacquire(to_child, HSA_SIGNAL_CONDITION_EQ, 7, -1, HSA_WAIT_STATE_BLOCKED));
  STATUS(hsa_amd_memory_fill(memory, 0x22222222, WORDS));
  fflush(stdout);
  hsa_signal_subtract_screlease(to_parent, 3);
  hsa_signal_wait_scacquire(to_child, HSA_SIGNAL_CONDITION_EQ, 8, -1, HSA_WAIT_STATE_ACTIVE);
  printf("after the giver freed it: %d\n", count(memory, 0x22222222));
  void *other = NULL;
  STATUS(hsa_amd_ipc_memory_attach(&message.memory, BYTES, 0, NULL, &other));
  STATUS(hsa_amd_ipc_memory_detach(NULL));
  STATUS(hsa_amd_ipc_memory_detach((char *)memory + 4096));
  STATUS(hsa_amd_ipc_memory_detach(memory));
  tell("detached", memory);
  STATUS(hsa_signal_destroy(to_child));
  STATUS(hsa_signal_destroy(to_parent));
  STATUS(hsa_shut_down());
  return 0;
}

/* Of <drm/amdgpu_drm.h>, which need not be installed. */
struct gem_create {
  uint64_t bytes, alignment, domains, flags;
};
struct prime {
  uint32_t handle, flags;
  int32_t fd;
};

static int graphics_buffer(void) {
  int node = open("/dev/dri/renderD128", O_RDWR);
  struct gem_create create = {65536, 4096, 4, 1};
  if (node < 0 || ioctl(node, _IOWR('d', 0x40, struct gem_create), &create) != 0) return -1;
  struct prime prime = {(uint32_t)create.bytes, O_CLOEXEC | O_RDWR, -1};
  if (ioctl(node, _IOWR('d', 0x2d, struct prime), &prime) != 0) return -1;
  return prime.fd;
}

static void interop(void) {
  int fd = graphics_buffer();
  printf("graphics buffer: %d\n", fd >= 0);
  size_t size = 0, metadata_size = 99;
  void *pointer = NULL;
  const void *metadata = NULL;
  STATUS(hsa_amd_interop_map_buffer(0, &gpu, fd, 0, &size, &pointer, &metadata_size, &metadata));
  STATUS(hsa_amd_interop_map_buffer(1, NULL, fd, 0, &size, &pointer, &metadata_size, &metadata));
  STATUS(hsa_amd_interop_map_buffer(1, &gpu, fd, 1, &size, &pointer, &metadata_size, &metadata));
  STATUS(hsa_amd_interop_map_buffer(1, &gpu, fd, 0, NULL, &pointer, &metadata_size, &metadata));
  STATUS(hsa_amd_interop_map_buffer(1, &gpu, fd, 0, &size, NULL, &metadata_size, &metadata));
  STATUS(hsa_amd_interop_map_buffer(1, &gpu, 0, 0, &size, &pointer, &metadata_size, &metadata));
  STATUS(hsa_amd_interop_map_buffer(1, &gpu, fd, 0, &size, &pointer, &metadata_size, &metadata));
  printf("%zu bytes, %zu of metadata\n", size, metadata_size);
  tell("mapped buffer", pointer);
  STATUS(hsa_amd_interop_unmap_buffer(NULL));
  STATUS(hsa_amd_interop_unmap_buffer(pointer));
  tell("unmapped buffer", pointer);
  STATUS(hsa_amd_interop_unmap_buffer(pointer));
  close(fd);
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (argc > 1) return child();
  int pipes[2];
  if (pipe(pipes) != 0) return 5;
  pid_t pid = fork();
  if (pid == 0) {
    const char *path = getenv("CHILD_LIBRARY_PATH");
    if (path != NULL && *path != 0) setenv("LD_LIBRARY_PATH", path, 1);
    if (path != NULL && *path == 0) unsetenv("LD_LIBRARY_PATH");
    dup2(pipes[0], 0);
    close(pipes[1]);
    execl(argv[0], argv[0], "child", NULL);
    _exit(6);
  }
  close(pipes[0]);
  start();
  struct message message;
  void *memory = NULL, *host = NULL;
  STATUS(hsa_amd_memory_pool_allocate(vram, BYTES, 0, &memory));
  STATUS(hsa_amd_memory_fill(memory, 0x11111111, WORDS));
  STATUS(hsa_amd_ipc_memory_create(NULL, BYTES, &message.memory));
  STATUS(hsa_amd_ipc_memory_create(memory, BYTES, NULL));
  STATUS(hsa_amd_ipc_memory_create((char *)memory + 4096, 4096, &message.memory));
  STATUS(hsa_amd_ipc_memory_create(memory, 4096, &message.memory));
  STATUS(hsa_amd_memory_pool_allocate(shared, BYTES, 0, &host));
  STATUS(hsa_amd_ipc_memory_create(host, BYTES, &message.memory));
  STATUS(hsa_amd_ipc_memory_create(memory, BYTES, &message.memory));
  hsa_signal_t to_child, to_parent, ordinary;
  STATUS(hsa_signal_create(1, 0, NULL, &ordinary));
  STATUS(hsa_amd_ipc_signal_create(ordinary, &message.to_child));
  STATUS(hsa_amd_signal_create(1, 0, NULL, HSA_AMD_SIGNAL_IPC, &to_child));
  STATUS(hsa_amd_signal_create(4, 0, NULL, HSA_AMD_SIGNAL_IPC, &to_parent));
  STATUS(hsa_amd_ipc_signal_create(to_child, NULL));
  STATUS(hsa_amd_ipc_signal_create(to_child, &message.to_child));
  STATUS(hsa_amd_ipc_signal_create(to_parent, &message.to_parent));
  fflush(stdout);
  if (write(pipes[1], &message, sizeof message) != sizeof message) return 7;
  hsa_signal_store_screlease(to_child, 7);
  int value = hsa_signal_wait_scacquire(to_parent, HSA_SIGNAL_CONDITION_LT, 4, -1, HSA_WAIT_STATE_BLOCKED);
  printf("answer: %d, words %d\n", value, count(memory, 0x22222222));
  STATUS(hsa_amd_memory_pool_free(memory));
  fflush(stdout);
  hsa_signal_store_screlease(to_child, 8);
  int result = 0;
  waitpid(pid, &result, 0);
  printf("child: %d\n", result);
  STATUS(hsa_signal_destroy(to_child));
  STATUS(hsa_signal_destroy(to_parent));
  STATUS(hsa_signal_destroy(ordinary));
  STATUS(hsa_amd_memory_pool_free(host));
  interop();
  STATUS(hsa_shut_down());
  return 0;
}
