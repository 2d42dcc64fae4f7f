// Calls that the compiler cannot inline: recursion with a different depth in each lane, and calls through pointers.
#include "check.h"

__host__ __device__ __attribute__((noinline)) static int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__host__ __device__ __attribute__((noinline)) static int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__host__ __device__ static int add_three(int x) { return x + 3; }
__host__ __device__ static int times_five(int x) { return x * 5; }
__host__ __device__ static int minus_square(int x) { return (int)((unsigned)x - (unsigned)x * x); }

typedef int (*unary)(int);
__device__ unary table[] = {add_three, times_five, minus_square};

__host__ __device__ static int apply(const unary* functions, int i) {
  int x = i;
  for (int k = 0; k < 4; k++) x = functions[(i + k) % 3](x) & 0xffff;
  return x;
}

__global__ void calls(int n, int* fib, int* ack, int* applied) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  fib[i] = fibonacci(i % 12);
  // As deep as the default stack of 1 KiB allows without optimisation on chips that cannot spill to spare registers.
  ack[i] = ackermann(i % 3, i % 4);
  applied[i] = apply(table, i);
}

int main() {
  const int n = 300;
  int* d[3];
  for (int k = 0; k < 3; k++) d[k] = to_device(std::vector<int>(n));
  calls<<<(n + 99) / 100, 100>>>(n, d[0], d[1], d[2]);
  SYNC();
  std::vector<int> fib = to_host(d[0], n), ack = to_host(d[1], n), applied = to_host(d[2], n);
  const unary host_table[] = {add_three, times_five, minus_square};
  for (int i = 0; i < n; i++) {
    EXPECT(fib[i] == fibonacci(i % 12), "fibonacci(%d) = %d", i % 12, fib[i]);
    EXPECT(ack[i] == ackermann(i % 3, i % 4), "ackermann(%d, %d) = %d", i % 3, i % 4, ack[i]);
    EXPECT(applied[i] == apply(host_table, i), "apply(%d) = %d, not %d", i, applied[i], apply(host_table, i));
  }
  return verdict("recursion");
}
