/* A small HIP host program without headers, for the tests of bad input.
 *   probe count            prints what hipGetDeviceCount gives: error and number
 *   probe load FILE...     hipModuleLoad of each file: prints its error; a module that loads is used
 *   probe data FILE...     hipModuleLoadData of each file's bytes, followed by zeroes: the same
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int hipGetDeviceCount(int *);
int hipModuleLoad(void **, const char *);
int hipModuleLoadData(void **, const void *);
int hipModuleUnload(void *);
int hipModuleGetFunction(void **, void *, const char *);
int hipModuleLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                          void **);
int hipMalloc(void **, size_t);
int hipFree(void *);
int hipMemcpy(void *, const void *, size_t, int);
int hipDeviceSynchronize(void);

/* The file's bytes in a buffer that goes on with 64 KiB of zeroes. */
static void *contents(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f || fseek(f, 0, SEEK_END)) exit(3);
  long size = ftell(f);
  rewind(f);
  void *bytes = aligned_alloc(4096, (size + 65536 + 4095) / 4096 * 4096);
  memset(bytes, 0, (size + 65536 + 4095) / 4096 * 4096);
  if (fread(bytes, 1, size, f) != (size_t)size) exit(3);
  fclose(f);
  return bytes;
}

/* Runs the kernel `triple` of a module on one number; 0 when the number came back tripled. */
static int use(void *module) {
  void *function, *device;
  int value = 14;
  int e = hipModuleGetFunction(&function, module, "triple");
  if (e) return e;
  if ((e = hipMalloc(&device, 4)) || (e = hipMemcpy(device, &value, 4, 1))) return e;
  void *args[] = {&device};
  if ((e = hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL))) return e;
  if ((e = hipDeviceSynchronize()) || (e = hipMemcpy(&value, device, 4, 2)) || (e = hipFree(device))) return e;
  return value == 42 ? 0 : -1;
}

int main(int argc, char **argv) {
  if (argc < 2) return 3;
  if (!strcmp(argv[1], "count")) {
    int count = -1, e = hipGetDeviceCount(&count);
    printf("%d %d\n", e, count);
    return 0;
  }
  for (int i = 2; i < argc; i++) {
    void *module = NULL;
    int e = strcmp(argv[1], "load") ? hipModuleLoadData(&module, contents(argv[i])) : hipModuleLoad(&module, argv[i]);
    int used = e ? 0 : use(module);
    printf("%d %d\n", e, used);
    fflush(stdout);
    if (!e) hipModuleUnload(module);
  }
  return 0;
}
