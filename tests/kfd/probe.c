/* A program that meets KFD as system calls and files, with nothing of ROCm: what `amdgpu-emu run` must serve. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK(cond)                                                                            \
  do {                                                                                         \
    if (!(cond)) {                                                                             \
      fprintf(stderr, "line %d: not so: %s (errno %s)\n", __LINE__, #cond, strerror(errno));   \
      exit(1);                                                                                 \
    }                                                                                          \
  } while (0)

#define K(nr, size) (3u << 30 | (unsigned)(size) << 16 | 'K' << 8 | (nr))
#define TOPOLOGY "/sys/devices/virtual/kfd/kfd/topology"
#define PAGE 4096ul

static int call(int file, unsigned nr, void* arg, unsigned size) { return ioctl(file, K(nr, size), arg); }

static int open_kfd(void) {
  int kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
  CHECK(kfd >= 0);
  return kfd;
}

static int version(int kfd) {
  uint32_t v[2] = {0, 0};
  return call(kfd, 1, v, 8) ? -errno : (int)v[0];
}

static uint32_t gpu_id(void) {
  uint32_t id = 0;
  FILE* f = fopen(TOPOLOGY "/nodes/1/gpu_id", "r");
  CHECK(f && fscanf(f, "%u", &id) == 1 && id != 0);
  fclose(f);
  return id;
}

static int files(void) {
  struct stat s;
  CHECK(stat("/dev/kfd", &s) == 0 && S_ISCHR(s.st_mode));
  CHECK(stat("/dev/dri/renderD128", &s) == 0 && S_ISCHR(s.st_mode) && s.st_rdev == makedev(226, 128));
  CHECK(stat("/dev/dri/renderD999", &s) == -1 && errno == ENOENT);
  CHECK(open("/dev/dri/renderD999", O_RDWR) == -1 && errno == ENOENT);
  CHECK(access("/dev/kfd", R_OK | W_OK) == 0);
  int render = open("/dev/dri/renderD128", O_RDWR);
  CHECK(render >= 0 && fstat(render, &s) == 0 && s.st_rdev == makedev(226, 128));
  struct { int major, minor, patch; size_t nl; char* name; size_t dl; char* date; size_t el; char* desc; } v = {0};
  char name[16] = "";
  v.nl = sizeof name, v.name = name;
  CHECK(ioctl(render, 0xc0406400, &v) == 0 && v.nl == 6 && strcmp(name, "amdgpu") == 0 && v.major == 3);
  int nodes = 0;
  DIR* dir = opendir(TOPOLOGY "/nodes");
  CHECK(dir != NULL);
  for (struct dirent* e; (e = readdir(dir));) nodes += e->d_name[0] != '.';
  closedir(dir);
  char path[PATH_MAX];
  CHECK(realpath("/sys/dev/char/226:128/device", path) != NULL);
  CHECK(strcmp(path, "/sys/devices/pci0000:00/0000:01:00.0") == 0);
  ssize_t n = readlink("/sys/dev/char/226:128/device/subsystem", path, sizeof path - 1);
  CHECK(n > 0 && (path[n] = 0, strcmp(strrchr(path, '/'), "/pci") == 0));
  /* Numbers of the other kind of node. */
  CHECK(open("/dev/dri/renderD0", O_RDWR) == -1 && errno == ENOENT);
  CHECK(open("/dev/dri/card128", O_RDWR) == -1 && errno == ENOENT);
  CHECK(realpath("/dev/dri/../dri/renderD128", path) && strcmp(path, "/dev/dri/renderD128") == 0);
  /* The folder of the tree is the host's where it is asked for by its own name. */
  const char* root = getenv("ROCRS_EMU_ROOT");
  if (root) {
    char whole[PATH_MAX], below[PATH_MAX + 8];
    CHECK(realpath(root, whole) != NULL && strlen(whole) > 1);
    snprintf(below, sizeof below, "%s/dev", whole);
    CHECK(realpath(below, path) && strcmp(path, below) == 0);
  }
  printf("nodes %d\n", nodes);
  return 0;
}

static int descriptors(void) {
  int kfd = open_kfd();
  CHECK(version(kfd) == 1);
  int copy = dup(kfd), more = fcntl(kfd, F_DUPFD_CLOEXEC, 100);
  CHECK(copy >= 0 && more >= 100 && version(copy) == 1 && version(more) == 1);
  CHECK(dup2(kfd, 77) == 77 && version(77) == 1);
  CHECK(close(kfd) == 0 && version(kfd) == -EBADF && version(copy) == 1);
  int other = open("/dev/zero", O_RDONLY);
  CHECK(other == kfd && version(other) == -ENOTTY);
  CHECK(dup2(other, 77) == 77 && version(77) == -ENOTTY);
  /* Closed in a way that nobody sees: the number is what the kernel says it is. */
  FILE* stream = fdopen(copy, "r+");
  CHECK(stream && fclose(stream) == 0);
  CHECK(open("/dev/zero", O_RDONLY) == copy && version(copy) == -ENOTTY);
  puts("descriptors");
  return 0;
}

static int children(void) {
  int kfd = open_kfd();
  CHECK(version(kfd) == 1);
  pid_t child = fork();
  if (child == 0) {
    CHECK(version(kfd) == -EBADF);
    int own = open_kfd();
    CHECK(version(own) == 1);
    uint64_t available[2] = {0, gpu_id()};
    CHECK(call(own, 0x23, available, 16) == 0 && available[0] > 0);
    _exit(7);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
  CHECK(version(kfd) == 1);
  FILE* p = popen("cat " TOPOLOGY "/nodes/1/gpu_id", "r");
  uint32_t id = 0;
  CHECK(p && fscanf(p, "%u", &id) == 1 && id == gpu_id());
  pclose(p);
  /* A child that shares our memory until it starts something else, and closes what is open in it. */
  child = vfork();
  if (child == 0) {
    close(kfd);
    execlp("true", "true", NULL);
    _exit(1);
  }
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK(version(kfd) == 1);
  puts("children");
  return 0;
}

/* A device with its page table. */
static int acquire(int kfd, uint32_t gpu) {
  int render = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
  uint32_t arg[2] = {(uint32_t)render, gpu};
  CHECK(render >= 0 && call(kfd, 0x15, arg, 8) == 0);
  return render;
}

struct alloc { uint64_t va, size, handle, offset; uint32_t gpu, flags; };
struct map { uint64_t handle, ids; uint32_t n, done; };

static uint64_t available(int kfd, uint32_t gpu) {
  uint64_t arg[2] = {0, gpu};
  CHECK(call(kfd, 0x23, arg, 16) == 0);
  return arg[0];
}

static int memory(void) {
  int kfd = open_kfd();
  uint32_t gpu = gpu_id();
  struct alloc a = {.size = PAGE, .va = 0x10000000000, .gpu = gpu, .flags = 0xf0000001};
  CHECK(call(kfd, 0x16, &a, sizeof a) == -1 && errno == ENODEV);
  int render = acquire(kfd, gpu);
  CHECK(call(kfd, 0x16, (void*)16, sizeof a) == -1 && errno == EFAULT);
  CHECK(call(kfd, 0x7e, &a, sizeof a) == -1 && errno == ENOTTY);
  uint64_t before = available(kfd, gpu);
  /* Longer and shorter arguments than the device knows. */
  struct { struct alloc a; char more[32]; } longer = {a, "untouched"};
  CHECK(call(kfd, 0x16, &longer, sizeof longer) == 0 && strcmp(longer.more, "untouched") == 0);
  CHECK(available(kfd, gpu) == before - PAGE);
  uint64_t handle = longer.a.handle;
  struct map m = {handle, (uint64_t)(uintptr_t)&gpu, 1, 0};
  CHECK(call(kfd, 0x18, &m, sizeof m) == 0 && m.done == 1);
  char* p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, render, (off_t)longer.a.offset);
  CHECK(p != MAP_FAILED);
  strcpy(p, "in VRAM");
  char* q = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, render, (off_t)longer.a.offset);
  CHECK(q != MAP_FAILED && strcmp(q, "in VRAM") == 0);
  CHECK(mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, render, (off_t)longer.a.offset) == MAP_FAILED);
  /* What the host refuses, with its errno. */
  CHECK(mmap(NULL, 0, PROT_READ, MAP_SHARED, render, (off_t)longer.a.offset) == MAP_FAILED && errno == EINVAL);
  CHECK(mmap(p, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED_NOREPLACE, render, (off_t)longer.a.offset) == MAP_FAILED);
  CHECK(errno == EEXIST && strcmp(p, "in VRAM") == 0);
  CHECK(call(kfd, 0x17, &handle, 8) == -1 && errno == EBUSY);
  m.done = 0;
  CHECK(call(kfd, 0x19, &m, sizeof m) == 0 && m.done == 1);
  CHECK(call(kfd, 0x17, &handle, 8) == 0);
  CHECK(call(kfd, 0x17, &handle, 8) == -1 && errno == EINVAL);
  CHECK(munmap(p, PAGE) == 0 && munmap(q, PAGE) == 0);
  /* All of it, and one page more. */
  static uint64_t handles[4096];
  int n = 0;
  for (uint64_t size = (uint64_t)1 << 34; size >= PAGE && n < 4096; n++) {
    struct alloc big = {.va = 0x20000000000 + ((uint64_t)n << 34), .size = size, .gpu = gpu, .flags = 0xf0000001};
    if (call(kfd, 0x16, &big, sizeof big)) {
      CHECK(errno == ENOMEM);
      size /= 2, n--;
    } else {
      handles[n] = big.handle;
    }
  }
  CHECK(available(kfd, gpu) < before / 64);
  for (int i = 0; i < n; i++) CHECK(call(kfd, 0x17, &handles[i], 8) == 0);
  CHECK(available(kfd, gpu) == before);
  puts("memory");
  return 0;
}

/* A program's own faults are its own, whatever the device does of those of user pointers. */
static sigjmp_buf back;
static volatile int handled;
static struct sigaction before_third;

static void first(int s, siginfo_t* i, void* c) {
  (void)s, (void)c;
  handled = i->si_addr == (void*)16 ? 1 : -1;
  siglongjmp(back, 1);
}

static void second(int s) {
  (void)s;
  handled = 2;
  siglongjmp(back, 1);
}

static void third(int s, siginfo_t* i, void* c) {
  handled = 3;
  before_third.sa_sigaction(s, i, c);
}

static void own_fault(void) {
  handled = 0;
  if (sigsetjmp(back, 1) == 0) *(volatile int*)16;
}

static void register_user(int kfd, uint32_t gpu) {
  /* The device looks who handles signals once a tick of the coarse clock. */
  usleep(20000);
  void* p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(p != MAP_FAILED);
  struct alloc a = {.va = (uintptr_t)p, .size = PAGE, .offset = (uintptr_t)p, .gpu = gpu, .flags = 0x80000004};
  CHECK(call(kfd, 0x16, &a, sizeof a) == 0);
}

static int signals(void) {
  int kfd = open_kfd();
  uint32_t gpu = gpu_id();
  acquire(kfd, gpu);
  struct sigaction a = {.sa_sigaction = first, .sa_flags = SA_SIGINFO};
  CHECK(sigaction(SIGSEGV, &a, NULL) == 0);
  register_user(kfd, gpu);
  for (int i = 0; i < 3; i++) {
    own_fault();
    CHECK(handled == 1);
  }
  /* Handlers that were set later. */
  CHECK(signal(SIGSEGV, second) != SIG_ERR);
  register_user(kfd, gpu);
  for (int i = 0; i < 3; i++) {
    own_fault();
    CHECK(handled == 2);
  }
  /* One that passes on to the one before it, in a circle: the program ends, and does not hang. */
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    int own = open_kfd();
    acquire(own, gpu);
    a.sa_sigaction = third;
    sigaction(SIGSEGV, &a, &before_third);
    if (before_third.sa_sigaction == (void*)second) _exit(3);
    signal(SIGSEGV, SIG_DFL);
    register_user(own, gpu);
    sigaction(SIGSEGV, &a, &before_third);
    register_user(own, gpu);
    own_fault();
    _exit(4);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  puts("signals");
  return 0;
}

/* A stderr that nobody reads, in a program that does not mind: Python's do not. */
static int deaf(void) {
  int ends[2];
  CHECK(signal(SIGPIPE, SIG_IGN) != SIG_ERR && pipe(ends) == 0);
  close(ends[0]);
  CHECK(dup2(ends[1], 2) == 2);
  int kfd = open("/dev/kfd", O_RDWR);
  if (kfd < 0 || version(kfd) != 1) return 1;
  puts("deaf");
  return 0;
}

/* Many threads that open the device first. */
static pthread_barrier_t start_together;

static void* opener(void* unused) {
  (void)unused;
  pthread_barrier_wait(&start_together);
  int kfd = open_kfd();
  CHECK(version(kfd) == 1 && gpu_id() != 0);
  return NULL;
}

static int race(void) {
  pthread_t id[16];
  CHECK(pthread_barrier_init(&start_together, NULL, 16) == 0);
  for (int i = 0; i < 16; i++) CHECK(pthread_create(&id[i], NULL, opener, NULL) == 0);
  for (int i = 0; i < 16; i++) pthread_join(id[i], NULL);
  puts("race");
  return 0;
}

/* A file that changes, read while others have it written anew. */
static volatile int reading;

static void* reader(void* unused) {
  (void)unused;
  char text[256];
  while (reading) {
    FILE* f = fopen(TOPOLOGY "/nodes/1/mem_banks/0/used_memory", "r");
    CHECK(f && fgets(text, sizeof text, f) && strchr(text, '\n'));
    fclose(f);
  }
  return NULL;
}

static int changes(void) {
  pthread_t id[4];
  reading = 1;
  open_kfd();
  for (int i = 0; i < 4; i++) CHECK(pthread_create(&id[i], NULL, reader, NULL) == 0);
  sleep(1);
  reading = 0;
  for (int i = 0; i < 4; i++) pthread_join(id[i], NULL);
  puts("changes");
  return 0;
}

static uint8_t arena[256 * PAGE] __attribute__((aligned(4096)));
static int storm_kfd;
static uint32_t storm_gpu;
static time_t storm_end;
/* Memory that the device has mapped: for rings of queues, their indices, and what else may be valid. */
static uint64_t storm_ring;
#define RING_PAGES 64

static uint64_t lcg(uint64_t* x) {
  *x = *x * 6364136223846793005u + 1442695040888963407u;
  return *x >> 33;
}

/* Calls of every number with arguments that are now and then right. Nothing may crash, and no call may hang. */
static void* storm_thread(void* seed) {
  uint64_t x = (uintptr_t)seed * 77 + 1, kept[16] = {0};
  unsigned char arg[512];
  static const unsigned char sizes[] = {8, 88, 8, 32, 40, 0, 24, 32, 8, 8, 8, 24, 8, 8, 16, 16, 16, 40, 24, 16,
                                        8, 40, 8, 24, 24, 16, 24, 32, 24, 16, 8, 24, 4, 56, 16, 16, 16, 32};
  while (time(NULL) < storm_end)
    for (int turn = 0; turn < 200; turn++) {
      unsigned nr = lcg(&x) % 40 + 1, size = nr <= sizeof sizes ? sizes[nr - 1] : lcg(&x) % 64;
      if (lcg(&x) % 16 == 0) size = lcg(&x) % sizeof arg;
      for (unsigned i = 0; i + 8 <= sizeof arg; i += 8) {
        uint64_t w = lcg(&x) << 32 | lcg(&x);
        switch (lcg(&x) % 8) {
          case 0: w = 0; break;
          case 1: w = (uintptr_t)arena + (lcg(&x) % 256) * PAGE; break;
          case 2: w = storm_gpu; break;
          case 3: w = kept[lcg(&x) % 16]; break;
          case 4: w = (lcg(&x) % 16 + 1) * PAGE; break;
          case 5: w = lcg(&x) % 256; break;
          case 6: w = storm_gpu | (uint64_t)(0xf0000000 | 1u << lcg(&x) % 5) << 32; break;
          default: break;
        }
        memcpy(arg + i, &w, 8);
      }
      if (nr == 0x16) {
        /* User pointers lie in the arena, for what the device writes there is lost. */
        uint64_t in = (uintptr_t)arena + (lcg(&x) % 200) * PAGE;
        memcpy(arg + 24, &in, 8);
        uint64_t length = (lcg(&x) % 16 + 1) * PAGE;
        memcpy(arg + 8, &length, 8);
      }
      if (nr == 0x0c) memset(arg + 16, 0, 4);
      if (nr == 0x02 && lcg(&x) % 2) {
        /* A queue that may be made: what stands in its ring is whatever others wrote. */
        uint64_t at[3] = {storm_ring + lcg(&x) % RING_PAGES * PAGE, storm_ring + lcg(&x) % 512 * 8,
                          storm_ring + PAGE + lcg(&x) % 512 * 8};
        uint32_t rest[5] = {1024u << lcg(&x) % 4, storm_gpu, lcg(&x) % 5, 100, lcg(&x) % 16};
        memcpy(arg, at, sizeof at);
        memcpy(arg + 32, rest, sizeof rest);
        ((volatile uint64_t*)storm_ring)[lcg(&x) % (RING_PAGES * 512)] = lcg(&x) % 4 ? lcg(&x) % 64 : lcg(&x) << 20;
      }
      if (nr == 0x03 && lcg(&x) % 2) {
        uint32_t queue = lcg(&x) % 16;
        memcpy(arg, &queue, 4);
      }
      void* at = lcg(&x) % 64 == 0 ? (void*)(uintptr_t)lcg(&x) : (void*)arg;
      if (ioctl(storm_kfd, K(nr, size), at) || at != arg) continue;
      if (nr == 0x16) memcpy(&kept[lcg(&x) % 16], arg + 16, 8);
      /* Descriptors: of a dma-buf, and of a stream of events. */
      int given;
      memcpy(&given, arg + (nr == 0x24 ? 12 : 4), 4);
      if ((nr == 0x24 && size >= 16) || (nr == 0x1f && size >= 8)) close(given);
    }
  return NULL;
}

static int storm(int threads, int seconds) {
  storm_kfd = open_kfd();
  storm_gpu = gpu_id();
  int render = acquire(storm_kfd, storm_gpu);
  uint64_t before = available(storm_kfd, storm_gpu);
  void* ring = mmap(NULL, RING_PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(ring != MAP_FAILED);
  struct alloc a = {.va = (uintptr_t)ring, .size = RING_PAGES * PAGE, .gpu = storm_gpu, .flags = 0xf0000002};
  CHECK(call(storm_kfd, 0x16, &a, sizeof a) == 0);
  struct map m = {a.handle, (uint64_t)(uintptr_t)&storm_gpu, 1, 0};
  CHECK(call(storm_kfd, 0x18, &m, sizeof m) == 0);
  CHECK(mmap(ring, a.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, render, (off_t)a.offset) == ring);
  storm_ring = (uintptr_t)ring;
  storm_end = time(NULL) + seconds;
  pthread_t id[64];
  for (int i = 0; i < threads; i++) CHECK(pthread_create(&id[i], NULL, storm_thread, (void*)(uintptr_t)(i + 1)) == 0);
  for (int i = 0; i < threads; i++) pthread_join(id[i], NULL);
  CHECK(version(storm_kfd) == 1);
  /* Whatever they left behind can be given back, and then all is as it was, but for the event page, which stays. */
  uint32_t pair[2] = {0, 0};
  for (pair[0] = 0; pair[0] < 2048; pair[0]++) call(storm_kfd, 3, pair, 8);
  for (unsigned i = 0; i < 2 * 4096; i++) {
    pair[0] = i < 4096 ? i : 0x40000000 + i - 4096;
    ioctl(storm_kfd, 1u << 30 | 8u << 16 | 'K' << 8 | 9, pair);
  }
  /* Dma-bufs whose descriptor did not fit in the argument. The device's own look at them is for reading only. */
  for (int file = 3; file < 65536; file++) {
    char path[32], name[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    ssize_t n = readlink(path, name, sizeof name - 1);
    int writes = (fcntl(file, F_GETFL) & O_ACCMODE) == O_RDWR;
    if (n > 0 && (name[n] = 0, strstr(name, "amdgpu-emu-dmabuf")) && writes) close(file);
  }
  struct alloc last = {.va = 0x30000000000, .size = PAGE, .gpu = storm_gpu, .flags = 0xf0000001};
  CHECK(call(storm_kfd, 0x16, &last, sizeof last) == 0);
  unsigned long freed = 0;
  for (uint64_t handle = (uint64_t)storm_gpu << 32 | 1; handle <= last.handle; handle++) {
    struct map m = {handle, (uint64_t)(uintptr_t)&storm_gpu, 1, 0};
    call(storm_kfd, 0x19, &m, sizeof m);
    freed += call(storm_kfd, 0x17, &handle, 8) == 0;
  }
  uint64_t after = available(storm_kfd, storm_gpu);
  CHECK(after <= before && before - after <= 16 * PAGE);
  fprintf(stderr, "%lu memory objects of %lu were left\n", freed, (unsigned long)(uint32_t)last.handle);
  puts("storm");
  return 0;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "files")) return files();
  if (!strcmp(what, "descriptors")) return descriptors();
  if (!strcmp(what, "children")) return children();
  if (!strcmp(what, "memory")) return memory();
  if (!strcmp(what, "signals")) return signals();
  if (!strcmp(what, "deaf")) return deaf();
  if (!strcmp(what, "race")) return race();
  if (!strcmp(what, "changes")) return changes();
  if (!strcmp(what, "storm") && argc > 3) return storm(atoi(argv[2]) > 64 ? 64 : atoi(argv[2]), atoi(argv[3]));
  return 2;
}
