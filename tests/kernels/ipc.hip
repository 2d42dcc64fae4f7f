// Memory of another process: a parent gives a handle to its child, and the child writes there.
//@ only-device: preload
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

constexpr int N = 1024;

__global__ void fill(int n, int* out, int with) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = with + i;
}

static int child(int input) {
  hipIpcMemHandle_t handle;
  if (read(input, &handle, sizeof handle) != sizeof handle) return 2;
  int* memory = nullptr;
  CK(hipIpcOpenMemHandle((void**)&memory, handle, hipIpcMemLazyEnablePeerAccess));
  EXPECT(to_host(memory, N)[5] == 105, "before: %d", to_host(memory, N)[5]);
  fill<<<N / 64, 64>>>(N, memory, 1000);
  CK(hipDeviceSynchronize());
  CK(hipIpcCloseMemHandle(memory));
  return check_failures;
}

int main(int argc, char** argv) {
  if (argc == 2) return child(atoi(argv[1]));
  // The child is on its way before this process opens the device, as a GPU does not go through fork.
  int ends[2];
  if (pipe(ends)) return 2;
  pid_t other = fork();
  if (other == 0) {
    char text[16];
    snprintf(text, sizeof text, "%d", ends[0]);
    close(ends[1]);
    execl("/proc/self/exe", argv[0], text, nullptr);
    _exit(3);
  }
  close(ends[0]);
  int* memory = nullptr;
  CK(hipMalloc((void**)&memory, N * sizeof(int)));
  fill<<<N / 64, 64>>>(N, memory, 100);
  CK(hipDeviceSynchronize());
  hipIpcMemHandle_t handle;
  CK(hipIpcGetMemHandle(&handle, memory));
  EXPECT(write(ends[1], &handle, sizeof handle) == sizeof handle, "the pipe");
  int status = 0;
  waitpid(other, &status, 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child: %#x", status);
  EXPECT(to_host(memory, N)[5] == 1005, "afterwards: %d", to_host(memory, N)[5]);
  int local;
  EXPECT_ERROR(hipIpcGetMemHandle(&handle, &local), hipErrorInvalidDevicePointer);
  CK(hipFree(memory));
  return verdict("ipc");
}
