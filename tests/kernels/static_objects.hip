// Objects with static life: what a destructor launches after `main` runs, with its output; a constructor that runs before
// the kernels of its file are registered gets an error.
//@ stderr: is no kernel that the program has registered: hipErrorInvalidDeviceFunction
//@ ours: HIP 5.2.3 does not wait at its end for what a destructor launched, and what that prints is lost now and then
#include "check.h"

__global__ void say(int what) { printf("kernel %d\n", what); }

struct Early {
  hipError_t error;
  Early() {
    say<<<1, 1>>>(0);
    error = hipGetLastError();
  }
};

static Early early;

struct Late {
  int what;
  ~Late() {
    say<<<1, 1>>>(what);
    if (hipGetLastError() != hipSuccess) printf("FAIL: launch in a destructor\n");
  }
};

int main() {
  printf("early: %s\n", hipGetErrorName(early.error));
  static Late before{1};
  say<<<1, 1>>>(2);
  SYNC();
  static Late after{3};
  return 0;
}
