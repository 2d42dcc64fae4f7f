// Modules and their functions: loaded from a file and from memory, looked into, launched; and what is refused.
//@ only-opt: 3
//@ flags: -std=c++17
#include "api.h"
#include <elf.h>
#include <hip/hip_ext.h>
#include <unistd.h>

extern "C" __global__ void scale(int* values, int factor) { values[blockIdx.x * blockDim.x + threadIdx.x] *= factor; }
extern "C" __global__ void shared(int* values) {
  extern __shared__ int lds[];
  lds[threadIdx.x] = threadIdx.x;
  __syncthreads();
  values[threadIdx.x] = lds[blockDim.x - 1 - threadIdx.x];
}
extern "C" __device__ int numbers[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__global__ void keep(int* out) { out[0] = numbers[threadIdx.x]; }

// The fat binary of this program.
static std::vector<char> fat_binary() {
  std::vector<char> file;
  FILE* f = fopen("/proc/self/exe", "rb");
  for (int c; (c = fgetc(f)) != EOF;) file.push_back(c);
  fclose(f);
  auto* header = (Elf64_Ehdr*)file.data();
  auto* sections = (Elf64_Shdr*)(file.data() + header->e_shoff);
  const char* names = file.data() + sections[header->e_shstrndx].sh_offset;
  for (int i = 0; i < header->e_shnum; i++)
    if (!strcmp(names + sections[i].sh_name, ".hip_fatbin"))
      return std::vector<char>(file.data() + sections[i].sh_offset, file.data() + sections[i].sh_offset + sections[i].sh_size);
  exit(3);
}

static void loaded(hipModule_t m) {
  hipFunction_t f = nullptr;
  OK(hipModuleGetFunction(&f, m, "scale"));
  IS(f != nullptr);
  hipDeviceptr_t p = nullptr;
  size_t size = 0;
  OK(hipModuleGetGlobal(&p, &size, m, "numbers"));
  EQ(size, 32u);
  EQ(api_read<int>((int*)p + 5), 9);
  OK(hipModuleUnload(m));
}

static void load(const std::vector<char>& image) {
  hipModule_t m = nullptr;
  char path[] = "/tmp/api_module_XXXXXX";
  int fd = mkstemp(path);
  if (write(fd, image.data(), image.size()) != (ssize_t)image.size()) exit(3);
  close(fd);
  OK(hipModuleLoad(&m, path));
  loaded(m);
  unlink(path);
  OK(hipModuleLoadData(&m, image.data()));
  loaded(m);
  OK(hipModuleLoadDataEx(&m, image.data(), 0, nullptr, nullptr));
  loaded(m);
  E(FileNotFound, hipModuleLoad(&m, "/no/such/file"));
  E(FileNotFound, hipModuleLoad(&m, path));
  E(InvalidValue, hipModuleLoad(&m, nullptr));
  E(InvalidValue, hipModuleLoad(&m, ""));
  E(InvalidValue, hipModuleLoad(nullptr, path));
  E(InvalidValue, hipModuleLoadData(nullptr, image.data()));
  E(InvalidValue, hipModuleLoadData(&m, nullptr));
  E(InvalidValue, hipModuleLoadDataEx(nullptr, image.data(), 0, nullptr, nullptr));
  E(InvalidValue, hipModuleLoadDataEx(&m, nullptr, 0, nullptr, nullptr));
  std::vector<char> rubbish(4096, 'x');
  DIFFERS(InvalidImage, InvalidKernelFile, "no code at all", hipModuleLoadData(&m, rubbish.data()));
  DIFFERS(InvalidHandle, NotFound, "no handle", hipModuleUnload(nullptr));
}

static void look(hipModule_t m) {
  hipFunction_t f = nullptr;
  hipDeviceptr_t p = nullptr;
  size_t size = 0;
  textureReference* texture = nullptr;
  E(NotFound, hipModuleGetFunction(&f, m, "none"));
  E(InvalidValue, hipModuleGetFunction(&f, m, nullptr));
  DIFFERS(InvalidValue, NotFound, "no name", hipModuleGetFunction(&f, m, ""));
  E(InvalidValue, hipModuleGetFunction(nullptr, m, "scale"));
  DIFFERS(InvalidHandle, NotFound, "no handle", hipModuleGetFunction(&f, nullptr, "scale"));
  E(NotFound, hipModuleGetGlobal(&p, &size, m, "none"));
  E(InvalidValue, hipModuleGetGlobal(&p, &size, m, nullptr));
  DIFFERS(InvalidValue, NotFound, "no name", hipModuleGetGlobal(&p, &size, m, ""));
  DIFFERS(InvalidHandle, NotFound, "no handle", hipModuleGetGlobal(&p, &size, nullptr, "numbers"));
  hipDeviceProp_t prop;
  CK(hipGetDeviceProperties(&prop, 0));
  // Chips of that generation have no textures.
  if (!strncmp(prop.gcnArchName, "gfx94", 5)) {
    E(NotSupported, hipModuleGetTexRef(&texture, m, "none"));
    return;
  }
  E(NotFound, hipModuleGetTexRef(&texture, m, "none"));
  E(InvalidValue, hipModuleGetTexRef(nullptr, m, "none"));
  E(InvalidValue, hipModuleGetTexRef(&texture, m, nullptr));
  E(NotFound, hipModuleGetTexRef(&texture, nullptr, "none"));
}

static void attributes(hipFunction_t f) {
  int value = -1;
  const hipFunction_attribute all[] = {
      HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
      HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,      HIP_FUNC_ATTRIBUTE_NUM_REGS,          HIP_FUNC_ATTRIBUTE_PTX_VERSION,
      HIP_FUNC_ATTRIBUTE_BINARY_VERSION,        HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA,     HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
      HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT};
  for (auto which : all) {
    value = -77;
    OK(hipFuncGetAttribute(&value, which, f));
    IS(value >= 0);
    E(InvalidValue, hipFuncGetAttribute(nullptr, which, f));
  }
  OK(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
  EQ(value, 1024);
  OK(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f));
  EQ(value, 0);
  for (int bad : {-1, 50, 999}) E(InvalidValue, hipFuncGetAttribute(&value, (hipFunction_attribute)bad, f));
  DIFFERS(InvalidHandle, InvalidValue, "no handle", hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, nullptr));
  EQ(strcmp(hipKernelNameRef(f), "scale"), 0);
}

static void launch(hipModule_t m) {
  hipFunction_t f, g;
  int *device, factor = 3, host[64];
  CK(hipModuleGetFunction(&f, m, "scale"));
  CK(hipModuleGetFunction(&g, m, "shared"));
  CK(hipMalloc((void**)&device, sizeof host));
  CK(hipMemsetD32(device, 5, 64));
  void* arguments[] = {&device, &factor};
  struct { int* values; int factor; } packed = {device, factor};
  size_t size = sizeof packed;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  hipStream_t s;
  hipEvent_t start, stop;
  CK(hipStreamCreate(&s));
  CK(hipEventCreate(&start));
  CK(hipEventCreate(&stop));
  int want = 5;
  for (hipStream_t in : {s, (hipStream_t) nullptr, hipStreamPerThread}) {
    // AMD's crashes when events of such a launch are waited for in another stream.
    if (in != s && !api_ours()) continue;
    OK(hipModuleLaunchKernel(f, 2, 1, 1, 32, 1, 1, 0, in, arguments, nullptr));
    OK(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, in, nullptr, extra));
    OK(hipExtModuleLaunchKernel(f, 64, 1, 1, 32, 1, 1, 0, in, arguments, nullptr, start, stop, 0));
    OK(hipHccModuleLaunchKernel(f, 64, 1, 1, 64, 1, 1, 0, in, nullptr, extra, nullptr, nullptr));
    OK(hipDeviceSynchronize());
    want *= 81;
    EQ(api_read<int>(device + 63), want);
    float ms = -1;
    OK(hipEventElapsedTime(&ms, start, stop));
    IS(ms >= 0);
  }
  void* one[] = {&device};
  OK(hipModuleLaunchKernel(g, 1, 1, 1, 64, 1, 1, 256, s, one, nullptr));
  OK(hipStreamSynchronize(s));
  EQ(api_read<int>(device), 63);
  // What is refused.
  DIFFERS(InvalidHandle, InvalidImage, "no handle", hipModuleLaunchKernel(nullptr, 1, 1, 1, 64, 1, 1, 0, s, arguments, nullptr));
  const unsigned none[][6] = {{0, 1, 1, 64, 1, 1}, {1, 0, 1, 64, 1, 1}, {1, 1, 0, 64, 1, 1}, {1, 1, 1, 0, 1, 1}, {1, 1, 1, 64, 0, 1}, {1, 1, 1, 64, 1, 0}};
  for (auto& n : none) E(InvalidValue, hipModuleLaunchKernel(f, n[0], n[1], n[2], n[3], n[4], n[5], 0, s, arguments, nullptr));
  const unsigned large[][3] = {{1025, 1, 1}, {1, 1025, 1}, {1, 1, 1025}, {64, 64, 1}, {2048, 1, 1}};
  for (auto& n : large) E(InvalidConfiguration, hipModuleLaunchKernel(f, 1, 1, 1, n[0], n[1], n[2], 0, s, arguments, nullptr));
  E(InvalidValue, hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, s, arguments, extra));
  E(OutOfMemory, hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 1 << 20, s, arguments, nullptr));
  void* wrong[] = {HIP_LAUNCH_PARAM_BUFFER_SIZE, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  DIFFERS(InvalidValue, NotInitialized, "a wrong tag", hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, s, nullptr, wrong));
  DIFFERS(InvalidHandle, InvalidImage, "no handle", hipExtModuleLaunchKernel(nullptr, 64, 1, 1, 64, 1, 1, 0, s, arguments, nullptr, nullptr, nullptr, 0));
  E(InvalidValue, hipExtModuleLaunchKernel(f, 0, 1, 1, 64, 1, 1, 0, s, arguments, nullptr, nullptr, nullptr, 0));
  CK(hipEventDestroy(stop));
  CK(hipEventDestroy(start));
  CK(hipStreamDestroy(s));
  CK(hipFree(device));
}

static void occupancy(hipFunction_t f) {
  int blocks = 0, grid = 0, block = 0;
  for (int size : {1, 64, 256, 1024}) {
    OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, size, 0));
    IS(blocks > 0);
    int other = 0;
    OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&other, f, size, 0, 0));
    EQ(other, blocks);
    E(InvalidValue, hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, f, size, 0));
  }
  OK(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, f, 0, 0));
  IS(grid > 0 && block > 0 && block <= 1024);
  OK(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, f, 0, 128));
  IS(block <= 128);
  OK(hipModuleOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, f, 0, 0, 0));
  IS(grid > 0 && block > 0);
  E(InvalidValue, hipModuleOccupancyMaxPotentialBlockSize(nullptr, &block, f, 0, 0));
  E(InvalidValue, hipModuleOccupancyMaxPotentialBlockSize(&grid, nullptr, f, 0, 0));
  ONLY_OURS("AMD's crashes") E(InvalidHandle, hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, nullptr, 0, 0));
  ONLY_OURS("AMD's crashes") E(InvalidHandle, hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nullptr, 64, 0));
  // Flags are not looked at.
  for (unsigned bad : {2u, 0x80u}) {
    OK(hipModuleOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, f, 0, 0, bad));
    OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, f, 64, 0, bad));
  }
}

int main() {
  std::vector<char> image = fat_binary();
  load(image);
  hipModule_t m;
  hipFunction_t f;
  CK(hipModuleLoadData(&m, image.data()));
  look(m);
  CK(hipModuleGetFunction(&f, m, "scale"));
  attributes(f);
  launch(m);
  occupancy(f);
  CK(hipModuleUnload(m));
  return api_verdict("api_module");
}
