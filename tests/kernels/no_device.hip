// The program hides all devices before its first call: every call says that there is none.
#include "check.h"

int main() {
  setenv("HIP_VISIBLE_DEVICES", "-1", 1);
  int value = 7;
  EXPECT_ERROR(hipGetDeviceCount(&value), hipErrorNoDevice);
  EXPECT(value == 0, "%d devices", value);
  EXPECT_ERROR(hipGetDevice(&value), hipErrorNoDevice);
  EXPECT(hipSetDevice(0) != hipSuccess, "a device was set");
  return verdict("no_device");
}
