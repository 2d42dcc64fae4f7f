// Memory and an event of another process: a parent gives handles to its child, and the child writes there once the event
// is reached.
//@ only-device: preload
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

constexpr int N = 1024;

__global__ void fill(int n, int* out, int with) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = with + i;
}

// Long enough that the child waits for it.
__global__ void later(int n, int* out, int with) {
  for (int i = 0; i < 200; i++) __builtin_amdgcn_s_sleep(100);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = with + i;
}

static int child(int input) {
  hipIpcMemHandle_t handle;
  hipIpcEventHandle_t event_handle;
  if (read(input, &handle, sizeof handle) != sizeof handle) return 2;
  if (read(input, &event_handle, sizeof event_handle) != sizeof event_handle) return 2;
  int* memory = nullptr;
  CK(hipIpcOpenMemHandle((void**)&memory, handle, hipIpcMemLazyEnablePeerAccess));
  hipEvent_t event;
  hipStream_t stream;
  CK(hipIpcOpenEventHandle(&event, event_handle));
  CK(hipStreamCreate(&stream));
  CK(hipStreamWaitEvent(stream, event, 0));
  CK(hipStreamSynchronize(stream));
  CK(hipEventSynchronize(event));
  CK(hipEventQuery(event));
  CK(hipEventDestroy(event));
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
  hipEvent_t event, plain, opened;
  CK(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
  CK(hipEventCreateWithFlags(&plain, hipEventDisableTiming));
  hipIpcMemHandle_t handle;
  hipIpcEventHandle_t event_handle;
  CK(hipIpcGetMemHandle(&handle, memory));
  CK(hipIpcGetEventHandle(&event_handle, event));
  EXPECT_ERROR(hipIpcGetEventHandle(&event_handle, plain), hipErrorInvalidConfiguration);
  EXPECT_ERROR(hipIpcOpenEventHandle(&opened, event_handle), hipErrorInvalidContext);
  CK(hipEventQuery(event));
  later<<<N / 64, 64>>>(N, memory, 100);
  CK(hipEventRecord(event, 0));
  EXPECT(write(ends[1], &handle, sizeof handle) == sizeof handle, "the pipe");
  EXPECT(write(ends[1], &event_handle, sizeof event_handle) == sizeof event_handle, "the pipe");
  int status = 0;
  waitpid(other, &status, 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child: %#x", status);
  EXPECT(to_host(memory, N)[5] == 1005, "afterwards: %d", to_host(memory, N)[5]);
  int local;
  EXPECT_ERROR(hipIpcGetMemHandle(&handle, &local), hipErrorInvalidDevicePointer);
  CK(hipFree(memory));
  return verdict("ipc");
}
