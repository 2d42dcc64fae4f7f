// Graphs: built by hand, captured from streams, copied, updated, with graphs within; and what is refused.
#include <algorithm>

#include "check.h"

__global__ void affine(int n, int* values, int multiply, int add) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = values[i] * multiply + add;
}

__global__ void sum(int n, const int* a, const int* b, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}

__device__ int in_device[64];

constexpr int N = 64;
static int called = 0;

static void count(void* by) { called += *(int*)by; }

static hipKernelNodeParams kernel(void* function, void** arguments) {
  hipKernelNodeParams params = {};
  params.func = function;
  params.gridDim = dim3(1);
  params.blockDim = dim3(N);
  params.kernelParams = arguments;
  return params;
}

static void by_hand() {
  int *device = to_device(std::vector<int>(N, 77)), host[N], by = 3, n = N, multiply = 2, add = 5;
  hipGraph_t graph;
  CK(hipGraphCreate(&graph, 0));

  hipGraphNode_t fill, launch, copy, call;
  hipMemsetParams zero = {};
  zero.dst = device;
  zero.elementSize = 4;
  zero.width = N;
  zero.height = 1;
  zero.value = 4;
  CK(hipGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
  void* arguments[] = {&n, &device, &multiply, &add};
  hipKernelNodeParams params = kernel((void*)affine, arguments);
  CK(hipGraphAddKernelNode(&launch, graph, &fill, 1, &params));
  CK(hipGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, host, device, sizeof host, hipMemcpyDeviceToHost));
  CK(hipGraphAddDependencies(graph, &launch, &copy, 1));
  hipHostNodeParams function = {};
  function.fn = count;
  function.userData = &by;
  CK(hipGraphAddHostNode(&call, graph, &copy, 1, &function));

  size_t many = 0, roots = 0, edges = 0;
  CK(hipGraphGetNodes(graph, nullptr, &many));
  CK(hipGraphGetRootNodes(graph, nullptr, &roots));
  CK(hipGraphGetEdges(graph, nullptr, nullptr, &edges));
  EXPECT(many == 4 && roots == 1 && edges == 3, "%zu nodes, %zu roots, %zu edges", many, roots, edges);
  hipGraphNode_t first = nullptr;
  CK(hipGraphGetRootNodes(graph, &first, &roots));
  EXPECT(first == fill, "the root");
  hipGraphNodeType type;
  CK(hipGraphNodeGetType(launch, &type));
  EXPECT(type == hipGraphNodeTypeKernel, "%d", type);
  hipKernelNodeParams got = {};
  CK(hipGraphKernelNodeGetParams(launch, &got));
  EXPECT(got.func == params.func && got.blockDim.x == N && got.gridDim.x == 1, "parameters of a kernel");
  hipMemsetParams got_fill = {};
  CK(hipGraphMemsetNodeGetParams(fill, &got_fill));
  EXPECT(got_fill.dst == device && got_fill.value == 4 && got_fill.width == N, "parameters of a fill");

  // The arguments were taken when the node was added.
  multiply = add = 1000;
  hipGraphExec_t exec;
  CK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  hipStream_t stream;
  CK(hipStreamCreate(&stream));
  for (int round = 1; round <= 3; round++) {
    CK(hipGraphLaunch(exec, stream));
    CK(hipStreamSynchronize(stream));
    EXPECT(host[0] == 13 && host[N - 1] == 13, "%d", host[0]);
    EXPECT(called == 3 * round, "%d calls", called);
  }

  // New parameters for the executable graph alone, then for all of it by an update.
  multiply = 1, add = 1;
  CK(hipGraphExecKernelNodeSetParams(exec, launch, &params));
  CK(hipGraphLaunch(exec, stream));
  CK(hipStreamSynchronize(stream));
  EXPECT(host[0] == 5, "%d", host[0]);
  zero.value = 10;
  CK(hipGraphMemsetNodeSetParams(fill, &zero));
  hipGraphNode_t where = nullptr;
  hipGraphExecUpdateResult result;
  CK(hipGraphExecUpdate(exec, graph, &where, &result));
  EXPECT(result == hipGraphExecUpdateSuccess, "%d", result);
  CK(hipGraphLaunch(exec, stream));
  CK(hipStreamSynchronize(stream));
  EXPECT(host[0] == 25, "%d", host[0]);

  // A copy of the graph, and the graph within another.
  hipGraph_t twin, outer;
  CK(hipGraphClone(&twin, graph));
  hipGraphNode_t found = nullptr, within, after;
  CK(hipGraphNodeFindInClone(&found, launch, twin));
  EXPECT(found != nullptr && found != launch, "the copy of a node");
  CK(hipGraphCreate(&outer, 0));
  CK(hipGraphAddChildGraphNode(&within, outer, nullptr, 0, graph));
  CK(hipGraphAddHostNode(&after, outer, &within, 1, &function));
  hipGraphExec_t nested;
  CK(hipGraphInstantiate(&nested, outer, nullptr, nullptr, 0));
  called = 0;
  CK(hipGraphLaunch(nested, stream));
  CK(hipStreamSynchronize(stream));
  EXPECT(called == 6, "%d calls", called);

  CK(hipGraphExecDestroy(nested));
  CK(hipGraphExecDestroy(exec));
  CK(hipGraphDestroy(outer));
  CK(hipGraphDestroy(twin));
  CK(hipGraphDestroy(graph));
  CK(hipStreamDestroy(stream));
  CK(hipFree(device));
}

static void captured() {
  int *a = to_device(std::vector<int>(N, 1)), *b = to_device(std::vector<int>(N, 2)), *out = to_device(std::vector<int>(N)), host[N] = {};
  hipStream_t one, two;
  CK(hipStreamCreateWithFlags(&one, hipStreamNonBlocking));
  CK(hipStreamCreateWithFlags(&two, hipStreamNonBlocking));
  hipEvent_t fork, join;
  CK(hipEventCreate(&fork));
  CK(hipEventCreate(&join));

  hipStreamCaptureStatus status;
  CK(hipStreamBeginCapture(one, hipStreamCaptureModeGlobal));
  CK(hipStreamIsCapturing(one, &status));
  EXPECT(status == hipStreamCaptureStatusActive, "%d", status);
  CK(hipMemsetAsync(a, 0, N * sizeof(int), one));
  CK(hipEventRecord(fork, one));
  CK(hipStreamWaitEvent(two, fork, 0));
  CK(hipStreamIsCapturing(two, &status));
  EXPECT(status == hipStreamCaptureStatusActive, "the other stream: %d", status);
  affine<<<1, N, 0, one>>>(N, a, 1, 20);
  affine<<<1, N, 0, two>>>(N, b, 0, 22);
  CK(hipEventRecord(join, two));
  CK(hipStreamWaitEvent(one, join, 0));
  sum<<<1, N, 0, one>>>(N, a, b, out);
  CK(hipMemcpyAsync(host, out, sizeof host, hipMemcpyDeviceToHost, one));
  hipGraph_t graph = nullptr;
  CK(hipStreamEndCapture(one, &graph));
  EXPECT(host[0] == 0 && to_host(b, 1)[0] == 2, "nothing ran while it was captured: %d", host[0]);

  size_t many = 0, edges = 0;
  CK(hipGraphGetNodes(graph, nullptr, &many));
  CK(hipGraphGetEdges(graph, nullptr, nullptr, &edges));
  EXPECT(many == 5 && edges == 5, "%zu nodes, %zu edges", many, edges);
  hipGraphExec_t exec;
  CK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  for (int round = 0; round < 5; round++) {
    std::fill(host, host + N, 0);
    CK(hipGraphLaunch(exec, one));
    CK(hipStreamSynchronize(one));
    EXPECT(host[0] == 42 && host[N - 1] == 42, "round %d: %d", round, host[0]);
  }
  CK(hipGraphExecDestroy(exec));
  CK(hipGraphDestroy(graph));
  CK(hipStreamDestroy(one));
  CK(hipStreamDestroy(two));
}

static void symbols() {
  int ones[N], back[N] = {};
  std::fill(ones, ones + N, 9);
  hipGraph_t graph;
  hipGraphNode_t to, from;
  CK(hipGraphCreate(&graph, 0));
  CK(hipGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, HIP_SYMBOL(in_device), ones, sizeof ones, 0, hipMemcpyHostToDevice));
  CK(hipGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, back, HIP_SYMBOL(in_device), sizeof back, 0, hipMemcpyDeviceToHost));
  hipGraphExec_t exec;
  CK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  CK(hipGraphLaunch(exec, nullptr));
  CK(hipDeviceSynchronize());
  EXPECT(back[0] == 9 && back[N - 1] == 9, "%d", back[0]);
  CK(hipGraphExecDestroy(exec));
  CK(hipGraphDestroy(graph));
}

static void refused() {
  hipGraph_t graph, other;
  hipGraphNode_t a, b, stranger;
  EXPECT_ERROR(hipGraphCreate(nullptr, 0), hipErrorInvalidValue);
  CK(hipGraphCreate(&graph, 0));
  CK(hipGraphCreate(&other, 0));
  CK(hipGraphAddEmptyNode(&a, graph, nullptr, 0));
  CK(hipGraphAddEmptyNode(&b, graph, &a, 1));
  CK(hipGraphAddEmptyNode(&stranger, other, nullptr, 0));
  EXPECT_ERROR(hipGraphAddEmptyNode(nullptr, graph, nullptr, 0), hipErrorInvalidValue);
  EXPECT_ERROR(hipGraphAddEmptyNode(&a, nullptr, nullptr, 0), hipErrorInvalidValue);
  EXPECT_ERROR(hipGraphAddEmptyNode(&a, graph, nullptr, 1), hipErrorInvalidValue);
  EXPECT_ERROR(hipGraphAddDependencies(graph, &a, &a, 1), hipErrorInvalidValue);
  EXPECT_ERROR(hipGraphAddDependencies(graph, &a, &b, 1), hipErrorInvalidValue);
  EXPECT_ERROR(hipGraphRemoveDependencies(graph, &b, &a, 1), hipErrorInvalidValue);
  EXPECT_ERROR(hipGraphNodeGetType(a, nullptr), hipErrorInvalidValue);
  EXPECT_ERROR(hipGraphInstantiate(nullptr, graph, nullptr, nullptr, 0), hipErrorInvalidValue);

  // A graph within itself is a copy of what it was.
  hipGraph_t within;
  size_t nodes = 0;
  CK(hipGraphAddChildGraphNode(&a, graph, nullptr, 0, graph));
  CK(hipGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 3, "%zu nodes", nodes);
  CK(hipGraphChildGraphNodeGetGraph(a, &within));
  CK(hipGraphGetNodes(within, nullptr, &nodes));
  EXPECT(nodes == 2, "%zu nodes within", nodes);

  // The parameters of a copy: not onto itself, and the direction is that of its sides.
  int* device = to_device(std::vector<int>(N));
  std::vector<int> host(N);
  const size_t bytes = N * sizeof(int);
  hipGraphExec_t exec;
  CK(hipGraphAddMemcpyNode1D(&b, other, nullptr, 0, device, host.data(), bytes, hipMemcpyHostToDevice));
  CK(hipGraphInstantiate(&exec, other, nullptr, nullptr, 0));
  EXPECT_ERROR(hipGraphMemcpyNodeSetParams1D(b, device, device, bytes, hipMemcpyDeviceToDevice), hipErrorInvalidValue);
  EXPECT_ERROR(hipGraphMemcpyNodeSetParams1D(b, device, host.data(), bytes, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  EXPECT_ERROR(hipGraphMemcpyNodeSetParams1D(b, host.data(), device, bytes, hipMemcpyHostToDevice), hipErrorInvalidValue);
  CK(hipGraphMemcpyNodeSetParams1D(b, host.data(), device, bytes, hipMemcpyDeviceToHost));
  EXPECT_ERROR(hipGraphExecMemcpyNodeSetParams1D(exec, b, device, device, bytes, hipMemcpyDeviceToDevice),
               hipErrorInvalidValue);
  EXPECT_ERROR(hipGraphExecMemcpyNodeSetParams1D(exec, b, device, host.data(), bytes, hipMemcpyDeviceToDevice),
               hipErrorInvalidValue);
  CK(hipGraphExecMemcpyNodeSetParams1D(exec, b, device, host.data(), bytes, hipMemcpyHostToDevice));
  CK(hipGraphExecDestroy(exec));
  CK(hipFree(device));

  hipStream_t stream;
  CK(hipStreamCreate(&stream));
  EXPECT_ERROR(hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal), hipErrorStreamCaptureUnsupported);
  CK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
  EXPECT_ERROR(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), hipErrorIllegalState);
  hipGraph_t empty = nullptr;
  CK(hipStreamEndCapture(stream, &empty));
  CK(hipStreamDestroy(stream));
  CK(hipGraphDestroy(graph));
}

int main() {
  by_hand();
  captured();
  symbols();
  refused();
  return verdict("graph");
}
