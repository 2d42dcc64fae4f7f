// Mixed calls from many threads over all devices, in random order. Each thread keeps a copy of what its memory must hold;
// counters that all threads share lose no update; the process does not grow.
//@ devices: 2
//@ ours: where AMD's HIP copies with kernels, words on two devices differ now and then; whose fault that is, is not known
//@ flags: -pthread
//
//   soak [THREADS] [CALLS IN ALL] [SEED]
#include <atomic>
#include <random>
#include <thread>

#include "check.h"

constexpr int MOST_BUFFERS = 12, MOST_WORDS = 4096, COUNTERS = 64;

__global__ void add(unsigned n, unsigned* words, unsigned value) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) words[i] += value;
}

__global__ void mix(unsigned n, unsigned* to, const unsigned* from) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = to[i] * 3 + from[i];
}

__global__ void count(unsigned* counters, unsigned at) { atomicAdd(&counters[at], 1u); }

static std::atomic<long> calls{0}, host_calls{0}, wanted_host_calls{0}, faults{0};
static std::vector<unsigned*> counters;
static std::atomic<unsigned> expected[8][COUNTERS];

// A call that is counted, and must succeed.
#define CALL(call) \
  do {             \
    ++mine;        \
    CK(call);      \
  } while (0)

static void in_host(hipStream_t, hipError_t, void*) { ++host_calls; }

static long resident_kib() {
  long pages = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  if (file) fclose(file);
  return resident * 4;
}

// Memory of one device, a stream that everything about it goes through, and what is in it.
struct Buffer {
  int device;
  unsigned* words;
  hipStream_t stream;
  hipEvent_t event;
  std::vector<unsigned> holds, staging;
};

class Soak {
 public:
  Soak(unsigned seed, int devices, long budget) : random(seed), devices(devices), budget(budget) {}

  void run() {
    while (mine < budget) {
      long before = mine;
      step();
      calls += mine - before;
    }
    while (!buffers.empty()) drop(buffers.size() - 1);
  }

 private:
  std::mt19937 random;
  int devices;
  long budget, mine = 0;
  std::vector<Buffer> buffers;

  unsigned below(unsigned limit) { return random() % limit; }
  Buffer& any() { return buffers[below(buffers.size())]; }
  static unsigned blocks(const Buffer& b) { return (b.holds.size() + 255) / 256; }
  void on(const Buffer& b) { CALL(hipSetDevice(b.device)); }

  void take() {
    Buffer b;
    b.device = below(devices);
    b.holds.resize(1 + below(MOST_WORDS));
    on(b);
    if (below(4))
      CALL(hipStreamCreate(&b.stream));
    else
      CALL(hipStreamCreateWithFlags(&b.stream, hipStreamNonBlocking));
    CALL(hipEventCreateWithFlags(&b.event, hipEventDisableTiming));
    CALL(hipMalloc((void**)&b.words, b.holds.size() * 4));
    unsigned char byte = random();
    CALL(hipMemsetAsync(b.words, byte, b.holds.size() * 4, b.stream));
    b.holds.assign(b.holds.size(), byte * 0x01010101u);
    buffers.push_back(std::move(b));
  }

  void verify(Buffer& b) {
    on(b);
    std::vector<unsigned> seen(b.holds.size());
    CALL(hipMemcpyAsync(seen.data(), b.words, seen.size() * 4, hipMemcpyDeviceToHost, b.stream));
    CALL(hipStreamSynchronize(b.stream));
    for (size_t i = 0; i < seen.size(); ++i) {
      if (seen[i] == b.holds[i]) continue;
      if (++faults < 10) fprintf(stderr, "device %d, word %zu of %zu: %u, not %u\n", b.device, i, seen.size(), seen[i], b.holds[i]);
      break;
    }
  }

  void drop(size_t at) {
    Buffer& b = buffers[at];
    verify(b);
    CALL(hipFree(b.words));
    CALL(hipEventDestroy(b.event));
    CALL(hipStreamDestroy(b.stream));
    buffers.erase(buffers.begin() + at);
  }

  void write(Buffer& b) {
    on(b);
    unsigned from = below(b.holds.size()), n = 1 + below(b.holds.size() - from);
    CALL(hipStreamSynchronize(b.stream));
    b.staging.resize(n);
    for (unsigned i = 0; i < n; ++i) b.holds[from + i] = b.staging[i] = random();
    if (below(2))
      CALL(hipMemcpyAsync(b.words + from, b.staging.data(), n * 4, hipMemcpyHostToDevice, b.stream));
    else
      CALL(hipMemcpy(b.words + from, b.staging.data(), n * 4, hipMemcpyHostToDevice));
  }

  void change(Buffer& b) {
    on(b);
    unsigned value = random();
    ++mine;
    add<<<blocks(b), 256, 0, b.stream>>>(b.holds.size(), b.words, value);
    CALL(hipGetLastError());
    for (unsigned& word : b.holds) word += value;
  }

  // The second buffer's stream stands still until the first has read it, and goes on behind.
  void combine(Buffer& to, Buffer& from) {
    if (&to == &from) return;
    unsigned n = std::min(to.holds.size(), from.holds.size());
    on(from);
    CALL(hipEventRecord(from.event, from.stream));
    on(to);
    CALL(hipStreamWaitEvent(to.stream, from.event, 0));
    if (to.device == from.device && below(2)) {
      ++mine;
      mix<<<(n + 255) / 256, 256, 0, to.stream>>>(n, to.words, from.words);
      CALL(hipGetLastError());
      for (unsigned i = 0; i < n; ++i) to.holds[i] = to.holds[i] * 3 + from.holds[i];
    } else {
      if (to.device == from.device)
        CALL(hipMemcpyAsync(to.words, from.words, n * 4, hipMemcpyDeviceToDevice, to.stream));
      else
        CALL(hipMemcpyPeerAsync(to.words, to.device, from.words, from.device, n * 4, to.stream));
      std::copy_n(from.holds.begin(), n, to.holds.begin());
    }
    CALL(hipEventRecord(to.event, to.stream));
    on(from);
    CALL(hipStreamWaitEvent(from.stream, to.event, 0));
  }

  void graph(Buffer& b) {
    on(b);
    hipStream_t stream;
    hipGraph_t graph;
    hipGraphExec_t exec;
    unsigned value = random();
    CALL(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    CALL(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
    ++mine;
    add<<<blocks(b), 256, 0, stream>>>(b.holds.size(), b.words, value);
    CALL(hipMemsetAsync(b.words, 0, 4, stream));
    CALL(hipStreamEndCapture(stream, &graph));
    CALL(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    CALL(hipGraphLaunch(exec, b.stream));
    CALL(hipStreamSynchronize(b.stream));
    CALL(hipGraphExecDestroy(exec));
    CALL(hipGraphDestroy(graph));
    CALL(hipStreamDestroy(stream));
    for (unsigned& word : b.holds) word += value;
    b.holds[0] = 0;
  }

  void shared(Buffer& b) {
    on(b);
    unsigned at = below(COUNTERS);
    ++expected[b.device][at];
    ++mine;
    count<<<1, 1, 0, b.stream>>>(counters[b.device], at);
    CALL(hipGetLastError());
  }

  void ask(Buffer& b) {
    on(b);
    size_t free_bytes = 0, all = 0;
    hipPointerAttribute_t attributes;
    int device = -1;
    ++mine;
    hipError_t state = hipStreamQuery(b.stream);
    if (state != hipSuccess && state != hipErrorNotReady) CALL(state);
    ++mine;
    state = hipEventQuery(b.event);
    if (state != hipSuccess && state != hipErrorNotReady) CALL(state);
    ++mine;
    (void)hipGetLastError();
    CALL(hipPointerGetAttributes(&attributes, b.words + below(b.holds.size())));
    CALL(hipMemGetInfo(&free_bytes, &all));
    CALL(hipGetDevice(&device));
    if (device != b.device || attributes.device != b.device || free_bytes > all) ++faults;
  }

  void pinned(Buffer& b) {
    on(b);
    unsigned* host = nullptr;
    unsigned n = b.holds.size();
    CALL(hipHostMalloc((void**)&host, n * 4, hipHostMallocDefault));
    CALL(hipMemcpyAsync(host, b.words, n * 4, hipMemcpyDeviceToHost, b.stream));
    CALL(hipEventRecord(b.event, b.stream));
    CALL(hipEventSynchronize(b.event));
    if (memcmp(host, b.holds.data(), n * 4)) ++faults;
    CALL(hipHostFree(host));
  }

  void callback(Buffer& b) {
    on(b);
    ++wanted_host_calls;
    CALL(hipStreamAddCallback(b.stream, in_host, nullptr, 0));
  }

  void step() {
    unsigned kind = below(100);
    if (buffers.empty() || (kind < 8 && buffers.size() < MOST_BUFFERS)) return take();
    if (kind < 14) return drop(below(buffers.size()));
    if (kind < 26) return write(any());
    if (kind < 36) return verify(any());
    if (kind < 56) return change(any());
    if (kind < 68) return combine(any(), any());
    if (kind < 70) return graph(any());
    if (kind < 82) return shared(any());
    if (kind < 93) return ask(any());
    if (kind < 97) return pinned(any());
    callback(any());
  }
};

int main(int argc, char** argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 8;
  long budget = argc > 2 ? atol(argv[2]) : 4000;
  unsigned seed = argc > 3 ? atoi(argv[3]) : 1;
  int devices = 0;
  CK(hipGetDeviceCount(&devices));
  devices = std::min(devices, 8);
  for (int device = 0; device < devices; ++device) {
    CK(hipSetDevice(device));
    counters.push_back(to_device(std::vector<unsigned>(COUNTERS)));
    for (int other = 0; other < devices; ++other)
      if (other != device) CK(hipDeviceEnablePeerAccess(other, 0));
  }

  std::vector<std::thread> all;
  for (int thread = 0; thread < threads; ++thread)
    all.emplace_back([=] { Soak(seed * 1000 + thread, devices, budget / threads).run(); });
  // Once everything has been used, nothing grows any more.
  std::atomic<bool> over{false};
  long settled = 0, most = 0;
  std::thread watch([&] {
    while (!over) {
      long now = resident_kib();
      if (!settled && calls > budget / 5) settled = now;
      most = std::max(most, now);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  for (std::thread& thread : all) thread.join();
  over = true;
  watch.join();

  for (int device = 0; device < devices; ++device) {
    CK(hipSetDevice(device));
    CK(hipDeviceSynchronize());
    std::vector<unsigned> seen = to_host(counters[device], COUNTERS);
    for (int at = 0; at < COUNTERS; ++at)
      EXPECT(seen[at] == expected[device][at], "device %d, counter %d: %u, not %u", device, at, seen[at], expected[device][at].load());
    CK(hipFree(counters[device]));
  }
  EXPECT(faults == 0, "%ld", faults.load());
  EXPECT(host_calls == wanted_host_calls, "%ld of %ld", host_calls.load(), wanted_host_calls.load());
  EXPECT(settled == 0 || most - settled < 64 << 10, "%ld KiB, and then %ld", settled, most);
  fprintf(stderr, "%ld calls, %d threads, %d devices, %ld KiB after a fifth, %ld at most\n", calls.load(), threads, devices, settled, most);
  return verdict("soak");
}
