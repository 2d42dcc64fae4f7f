// One kernel without headers and device libraries, for the tests of bad input.
extern "C" __attribute__((global)) void triple(int* p) { *p *= 3; }
