// Forks while other threads use the library: each child finds it usable, and that it has forked. Ends with status 0; a
// child that hangs is ended by its alarm.

#include <hsakmt.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int over;

static void *use(void *unused) {
  (void)unused;
  while (!over) {
    HsaVersionInfo version;
    hsaKmtGetVersion(&version);
    void *memory = NULL;
    HsaMemFlags flags = {.Value = 0};
    flags.ui32.HostAccess = 1;
    if (hsaKmtAllocMemory(0, 4096, flags, &memory) == HSAKMT_STATUS_SUCCESS) hsaKmtFreeMemory(memory, 4096);
  }
  return NULL;
}

int main(void) {
  enum { THREADS = 4, FORKS = 100 };
  if (hsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS) return puts("no KFD"), 2;
  HsaSystemProperties system;
  hsaKmtAcquireSystemProperties(&system);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, use, NULL);
  int failures = 0;
  for (int i = 0; i < FORKS; i++) {
    pid_t child = fork();
    if (child == 0) {
      alarm(10);
      HsaVersionInfo version;
      _exit(hsaKmtGetVersion(&version) == HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED ? 0 : 3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) printf("child %d ended with %#x\n", i, status), failures++;
  }
  over = 1;
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  return failures != 0;
}
