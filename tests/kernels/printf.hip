// printf from the GPU in many formats. Each launch has one thread, so that the order of the lines is defined.
#include <hip/hip_runtime.h>

#include <cstdio>

__device__ static const char* words[] = {"zero", "one", "", "a somewhat longer string that does not fit in one packet of seven words"};

__global__ void integers() {
  printf("no arguments\n");
  printf("%d %i %5d|%-5d|%05d|%+d\n", -1, 42, 7, 7, 7, 7);
  printf("%u %x %X %#x %o %08x\n", 4000000000u, 0xbeefu, 0xbeefu, 255u, 8u, 0x1234u);
  printf("%ld %lld %lu %llx\n", -5000000000l, -9000000000000000000ll, 18000000000000000000ul, 0x123456789abcdefull);
  printf("%hd %hhd %hu\n", (short)-2, (signed char)-3, (unsigned short)65535);
  printf("%c%c%c %%\n", 'a', 'b', 'c');
  printf("%zu %p\n", sizeof(int) * 1000, (void*)0x1234abcd);
}

__global__ void floats() {
  printf("%f %.2f %8.3f|%-8.1f|\n", 1.5, 3.14159, -2.5, 9.75);
  printf("%e %E %g %G %a\n", 12345.678, 0.00012, 1e-10, 1e20, 1.0);
  printf("%.3f %f\n", 0.1f, -0.0);
  printf("%f %f\n", 1.0 / 0.0, -1.0 / 0.0);
}

__global__ void strings(int which) {
  printf("[%s] [%s]\n", words[which], "literal");
  printf("%s, %d, %s, %f\n", "first", 2, words[(which + 1) % 4], 4.0);
}

__global__ void many() {
  printf("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
  printf("%*d|%.*f\n", 6, 42, 3, 2.0);
  int n = printf("four\n");
  printf("returned %d\n", n);
}

__global__ void lanes() {
  if (threadIdx.x % 3 == 0) printf("lane %u of wave %u\n", threadIdx.x % warpSize, threadIdx.x / warpSize);
}

static int step() {
  hipError_t error = hipDeviceSynchronize();
  if (error != hipSuccess) fprintf(stderr, "hipDeviceSynchronize: %s\n", hipGetErrorString(error));
  return error != hipSuccess;
}

int main() {
  int failed = 0;
  integers<<<1, 1>>>();
  failed |= step();
  floats<<<1, 1>>>();
  failed |= step();
  for (int i = 0; i < 4; i++) {
    strings<<<1, 1>>>(i);
    failed |= step();
  }
  many<<<1, 1>>>();
  failed |= step();
  lanes<<<1, 8>>>();
  failed |= step();
  printf("host after GPU\n");
  return failed;
}
