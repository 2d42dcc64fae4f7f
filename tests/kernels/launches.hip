// 100,000 launches of an empty kernel in one process, without growth of resident memory.
//@ only-opt: 3
//@ timeout: 300
#include "check.h"

#include <unistd.h>

__global__ void empty() {}

// Resident memory of this process in bytes.
static long resident() {
  long pages = 0, ignored = 0;
  FILE* statm = fopen("/proc/self/statm", "r");
  if (!statm || fscanf(statm, "%ld %ld", &ignored, &pages) != 2) exit(2);
  fclose(statm);
  return pages * sysconf(_SC_PAGESIZE);
}

int main() {
  const int total = 100000, warm_up = 10000;
  long before = 0;
  for (int i = 0; i < total; i++) {
    empty<<<1, 64>>>();
    if (i % 1000 == 999) SYNC();
    if (i == warm_up - 1) before = resident();
  }
  SYNC();
  long grown = resident() - before;
  EXPECT(grown < 1 << 20, "resident memory grew by %ld bytes in %d launches", grown, total - warm_up);
  return verdict("launches");
}
