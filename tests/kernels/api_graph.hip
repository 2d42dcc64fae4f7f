// Graphs: each kind of node added, asked and set, in the graph and in the executable one; edges; capture; and what is refused.
//@ only-opt: 3
//@ flags: -std=c++17
#include "api.h"

constexpr int N = 16;
constexpr size_t BYTES = N * sizeof(int);
__device__ int symbol[N];
__global__ void add(int* values, int what) { values[threadIdx.x] += what; }

static int *a, *b, host[N], back[N], called;
static hipStream_t stream;
static void count(void* by) { called += *(int*)by; }

// Runs an executable graph and waits.
static void run(hipGraphExec_t exec) {
  OK(hipGraphLaunch(exec, stream));
  OK(hipStreamSynchronize(stream));
}

static hipGraphExec_t instance(hipGraph_t graph) {
  hipGraphExec_t exec = nullptr;
  OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  return exec;
}

static hipMemcpy3DParms box(void* to, const void* from, hipMemcpyKind kind) {
  hipMemcpy3DParms p = {};
  p.srcPtr = make_hipPitchedPtr((void*)from, BYTES, BYTES, 1);
  p.dstPtr = make_hipPitchedPtr(to, BYTES, BYTES, 1);
  p.extent = make_hipExtent(BYTES, 1, 1);
  p.kind = kind;
  return p;
}

static void copies() {
  hipGraph_t graph;
  hipGraphNode_t boxed, in, out, to, from;
  for (int i = 0; i < N; i++) host[i] = 100 + i;
  OK(hipGraphCreate(&graph, 0));
  hipMemcpy3DParms p = box(a, host, hipMemcpyHostToDevice), found = {};
  OK(hipGraphAddMemcpyNode(&boxed, graph, nullptr, 0, &p));
  OK(hipGraphMemcpyNodeGetParams(boxed, &found));
  IS(found.srcPtr.ptr == host && found.dstPtr.ptr == a && found.extent.width == BYTES && found.kind == hipMemcpyHostToDevice);
  OK(hipGraphMemcpyNodeSetParams(boxed, &p));
  OK(hipGraphAddMemcpyNodeToSymbol(&to, graph, &boxed, 1, HIP_SYMBOL(symbol), a, BYTES, 0, hipMemcpyDeviceToDevice));
  OK(hipGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, b, HIP_SYMBOL(symbol), BYTES, 0, hipMemcpyDeviceToDevice));
  OK(hipGraphAddMemcpyNode1D(&out, graph, &from, 1, back, b, BYTES, hipMemcpyDeviceToHost));
  hipGraphExec_t exec = instance(graph);
  run(exec);
  EQ(back[N - 1], 100 + N - 1);
  // Other numbers, for the executable graph alone.
  int other[N];
  for (int i = 0; i < N; i++) other[i] = 7 * i;
  p = box(a, other, hipMemcpyHostToDevice);
  OK(hipGraphExecMemcpyNodeSetParams(exec, boxed, &p));
  run(exec);
  EQ(back[N - 1], 7 * (N - 1));
  DIFFERS(Success, InvalidValue, "AMD's refuses what made the node", hipGraphExecMemcpyNodeSetParamsToSymbol(exec, to, HIP_SYMBOL(symbol), a, BYTES, 0, hipMemcpyDeviceToDevice));
  OK(hipGraphExecMemcpyNodeSetParamsFromSymbol(exec, from, b, HIP_SYMBOL(symbol), BYTES, 0, hipMemcpyDeviceToDevice));
  OK(hipGraphExecMemcpyNodeSetParams1D(exec, out, back, b, BYTES, hipMemcpyDeviceToHost));
  back[0] = 1;
  run(exec);
  EQ(back[N - 1], 7 * (N - 1));
  DIFFERS(Success, InvalidValue, "AMD's refuses what made the node", hipGraphMemcpyNodeSetParamsToSymbol(to, HIP_SYMBOL(symbol), a, BYTES, 0, hipMemcpyDeviceToDevice));
  OK(hipGraphMemcpyNodeSetParamsFromSymbol(from, b, HIP_SYMBOL(symbol), BYTES, 0, hipMemcpyDeviceToDevice));
  OK(hipGraphMemcpyNodeSetParams1D(out, back, b, BYTES, hipMemcpyDeviceToHost));
  // What is refused.
  E(InvalidValue, hipGraphAddMemcpyNode(nullptr, graph, nullptr, 0, &p));
  E(InvalidValue, hipGraphAddMemcpyNode(&in, nullptr, nullptr, 0, &p));
  E(InvalidValue, hipGraphAddMemcpyNode(&in, graph, nullptr, 1, &p));
  E(InvalidValue, hipGraphAddMemcpyNode(&in, graph, nullptr, 0, nullptr));
  E(InvalidValue, hipGraphMemcpyNodeGetParams(nullptr, &found));
  E(InvalidValue, hipGraphMemcpyNodeGetParams(boxed, nullptr));
  E(InvalidValue, hipGraphMemcpyNodeSetParams(nullptr, &p));
  E(InvalidValue, hipGraphMemcpyNodeSetParams(boxed, nullptr));
  E(InvalidValue, hipGraphExecMemcpyNodeSetParams(nullptr, boxed, &p));
  E(InvalidValue, hipGraphExecMemcpyNodeSetParams(exec, nullptr, &p));
  E(InvalidValue, hipGraphExecMemcpyNodeSetParams(exec, boxed, nullptr));
  E(InvalidValue, hipGraphAddMemcpyNode1D(nullptr, graph, nullptr, 0, a, b, BYTES, hipMemcpyDeviceToDevice));
  E(InvalidValue, hipGraphAddMemcpyNode1D(&in, nullptr, nullptr, 0, a, b, BYTES, hipMemcpyDeviceToDevice));
  E(InvalidValue, hipGraphAddMemcpyNode1D(&in, graph, nullptr, 0, nullptr, b, BYTES, hipMemcpyDeviceToDevice));
  E(InvalidValue, hipGraphAddMemcpyNode1D(&in, graph, nullptr, 0, a, nullptr, BYTES, hipMemcpyDeviceToDevice));
  E(InvalidValue, hipGraphMemcpyNodeSetParams1D(nullptr, a, b, BYTES, hipMemcpyDeviceToDevice));
  E(InvalidValue, hipGraphMemcpyNodeSetParams1D(out, nullptr, b, BYTES, hipMemcpyDeviceToDevice));
  E(InvalidValue, hipGraphExecMemcpyNodeSetParams1D(nullptr, out, back, b, BYTES, hipMemcpyDeviceToHost));
  E(InvalidValue, hipGraphExecMemcpyNodeSetParams1D(exec, nullptr, back, b, BYTES, hipMemcpyDeviceToHost));
  E(InvalidSymbol, hipGraphAddMemcpyNodeToSymbol(&in, graph, nullptr, 0, nullptr, a, BYTES, 0, hipMemcpyDeviceToDevice));
  DIFFERS(InvalidSymbol, InvalidValue, "as for the other direction", hipGraphAddMemcpyNodeFromSymbol(&in, graph, nullptr, 0, b, nullptr, BYTES, 0, hipMemcpyDeviceToDevice));
  E(InvalidValue, hipGraphMemcpyNodeSetParamsToSymbol(nullptr, HIP_SYMBOL(symbol), a, BYTES, 0, hipMemcpyDeviceToDevice));
  E(InvalidValue, hipGraphMemcpyNodeSetParamsFromSymbol(nullptr, b, HIP_SYMBOL(symbol), BYTES, 0, hipMemcpyDeviceToDevice));
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(graph));
}

static void others() {
  hipGraph_t graph, inner, got = nullptr;
  hipGraphNode_t kernel, fill, call, record, wait, child, empty, node;
  hipEvent_t event, second, found = nullptr;
  int what = 5, by = 2, by_more = 3;
  CK(hipEventCreate(&event));
  CK(hipEventCreate(&second));
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphCreate(&inner, 0));
  hipMemsetParams zero = {}, zeros = {};
  zero.dst = a, zero.elementSize = 4, zero.width = N, zero.height = 1, zero.value = 1;
  OK(hipGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
  OK(hipGraphMemsetNodeGetParams(fill, &zeros));
  IS(zeros.dst == a && zeros.value == 1 && zeros.elementSize == 4 && zeros.width == N);
  void* arguments[] = {&a, &what};
  hipKernelNodeParams launch = {}, launched = {};
  launch.func = (void*)add, launch.gridDim = dim3(1), launch.blockDim = dim3(N), launch.kernelParams = arguments;
  OK(hipGraphAddKernelNode(&kernel, graph, &fill, 1, &launch));
  OK(hipGraphKernelNodeGetParams(kernel, &launched));
  IS(launched.func == (void*)add && launched.blockDim.x == N);
  hipHostNodeParams function = {count, &by}, functions = {};
  OK(hipGraphAddHostNode(&call, graph, &kernel, 1, &function));
  OK(hipGraphHostNodeGetParams(call, &functions));
  IS(functions.fn == count && functions.userData == &by);
  OK(hipGraphAddEventRecordNode(&record, graph, &kernel, 1, event));
  OK(hipGraphEventRecordNodeGetEvent(record, &found));
  EQ(found, event);
  OK(hipGraphAddEventWaitNode(&wait, graph, &record, 1, event));
  OK(hipGraphEventWaitNodeGetEvent(wait, &found));
  EQ(found, event);
  OK(hipGraphAddHostNode(&node, inner, nullptr, 0, &function));
  OK(hipGraphAddChildGraphNode(&child, graph, &wait, 1, inner));
  OK(hipGraphChildGraphNodeGetGraph(child, &got));
  IS(got != nullptr);
  OK(hipGraphAddEmptyNode(&empty, graph, &child, 1));
  const struct { hipGraphNode_t node; hipGraphNodeType type; size_t before, after; } all[] = {
      {fill, hipGraphNodeTypeMemset, 0, 1}, {kernel, hipGraphNodeTypeKernel, 1, 2}, {call, hipGraphNodeTypeHost, 1, 0},
      {record, hipGraphNodeTypeEventRecord, 1, 1}, {wait, hipGraphNodeTypeWaitEvent, 1, 1},
      {child, hipGraphNodeTypeGraph, 1, 1}, {empty, hipGraphNodeTypeEmpty, 1, 0}};
  for (auto& row : all) {
    hipGraphNodeType type;
    size_t many = 99;
    OK(hipGraphNodeGetType(row.node, &type));
    EQ(type, row.type);
    OK(hipGraphNodeGetDependencies(row.node, nullptr, &many));
    EQ(many, row.before);
    OK(hipGraphNodeGetDependentNodes(row.node, nullptr, &many));
    EQ(many, row.after);
    E(InvalidValue, hipGraphNodeGetType(row.node, nullptr));
    E(InvalidValue, hipGraphNodeGetDependencies(row.node, nullptr, nullptr));
    E(InvalidValue, hipGraphNodeGetDependentNodes(row.node, nullptr, nullptr));
  }
  hipGraphNode_t list[4] = {};
  size_t many = 4;
  OK(hipGraphNodeGetDependencies(kernel, list, &many));
  EQ(many, 1u);
  EQ(list[0], fill);
  many = 4;
  OK(hipGraphNodeGetDependentNodes(fill, list, &many));
  EQ(many, 1u);
  EQ(list[0], kernel);
  hipGraphExec_t exec = instance(graph);
  called = 0;
  run(exec);
  EQ(called, 4);
  EQ(api_read<int>(a), 6);
  // Set anew, in the executable graph and in the graph.
  what = 50, zero.value = 100, function.userData = &by_more;
  OK(hipGraphExecKernelNodeSetParams(exec, kernel, &launch));
  OK(hipGraphExecMemsetNodeSetParams(exec, fill, &zero));
  OK(hipGraphExecHostNodeSetParams(exec, call, &function));
  OK(hipGraphExecEventRecordNodeSetEvent(exec, record, second));
  OK(hipGraphExecEventWaitNodeSetEvent(exec, wait, second));
  called = 0;
  run(exec);
  EQ(called, 5);
  EQ(api_read<int>(a), 150);
  what = 60;
  OK(hipGraphKernelNodeSetParams(kernel, &launch));
  OK(hipGraphMemsetNodeSetParams(fill, &zero));
  OK(hipGraphHostNodeSetParams(call, &function));
  OK(hipGraphEventRecordNodeSetEvent(record, second));
  OK(hipGraphEventRecordNodeGetEvent(record, &found));
  EQ(found, second);
  OK(hipGraphEventWaitNodeSetEvent(wait, second));
  OK(hipGraphEventWaitNodeGetEvent(wait, &found));
  EQ(found, second);
  hipGraph_t like;
  hipGraphNode_t within;
  OK(hipGraphCreate(&like, 0));
  OK(hipGraphAddHostNode(&within, like, nullptr, 0, &function));
  DIFFERS(Success, GraphExecUpdateFailure, "a graph of the same shape", hipGraphExecChildGraphNodeSetParams(exec, child, like));
  // What is refused.
  E(InvalidValue, hipGraphCreate(nullptr, 0));
  E(InvalidValue, hipGraphCreate(&got, 1));
  E(InvalidValue, hipGraphDestroy(nullptr));
  E(InvalidValue, hipGraphLaunch(nullptr, stream));
  E(InvalidValue, hipGraphExecDestroy(nullptr));
  E(InvalidValue, hipGraphInstantiate(nullptr, graph, nullptr, nullptr, 0));
  E(InvalidValue, hipGraphAddKernelNode(nullptr, graph, nullptr, 0, &launch));
  E(InvalidValue, hipGraphAddKernelNode(&node, nullptr, nullptr, 0, &launch));
  E(InvalidValue, hipGraphAddKernelNode(&node, graph, nullptr, 0, nullptr));
  E(InvalidValue, hipGraphKernelNodeGetParams(nullptr, &launched));
  E(InvalidValue, hipGraphKernelNodeGetParams(kernel, nullptr));
  E(InvalidValue, hipGraphKernelNodeSetParams(nullptr, &launch));
  E(InvalidValue, hipGraphKernelNodeSetParams(kernel, nullptr));
  E(InvalidValue, hipGraphExecKernelNodeSetParams(nullptr, kernel, &launch));
  E(InvalidValue, hipGraphExecKernelNodeSetParams(exec, nullptr, &launch));
  E(InvalidValue, hipGraphAddMemsetNode(nullptr, graph, nullptr, 0, &zero));
  E(InvalidValue, hipGraphAddMemsetNode(&node, nullptr, nullptr, 0, &zero));
  E(InvalidValue, hipGraphAddMemsetNode(&node, graph, nullptr, 0, nullptr));
  E(InvalidValue, hipGraphMemsetNodeGetParams(nullptr, &zeros));
  E(InvalidValue, hipGraphMemsetNodeSetParams(nullptr, &zero));
  E(InvalidValue, hipGraphMemsetNodeSetParams(fill, nullptr));
  E(InvalidValue, hipGraphExecMemsetNodeSetParams(nullptr, fill, &zero));
  E(InvalidValue, hipGraphExecMemsetNodeSetParams(exec, nullptr, &zero));
  E(InvalidValue, hipGraphAddHostNode(nullptr, graph, nullptr, 0, &function));
  E(InvalidValue, hipGraphAddHostNode(&node, nullptr, nullptr, 0, &function));
  E(InvalidValue, hipGraphAddHostNode(&node, graph, nullptr, 0, nullptr));
  E(InvalidValue, hipGraphHostNodeGetParams(nullptr, &functions));
  E(InvalidValue, hipGraphHostNodeGetParams(call, nullptr));
  E(InvalidValue, hipGraphHostNodeSetParams(nullptr, &function));
  E(InvalidValue, hipGraphHostNodeSetParams(call, nullptr));
  E(InvalidValue, hipGraphAddEventRecordNode(nullptr, graph, nullptr, 0, event));
  E(InvalidValue, hipGraphAddEventRecordNode(&node, nullptr, nullptr, 0, event));
  E(InvalidValue, hipGraphAddEventRecordNode(&node, graph, nullptr, 0, nullptr));
  E(InvalidValue, hipGraphEventRecordNodeGetEvent(nullptr, &found));
  E(InvalidValue, hipGraphEventRecordNodeGetEvent(record, nullptr));
  E(InvalidValue, hipGraphEventRecordNodeSetEvent(nullptr, event));
  E(InvalidValue, hipGraphAddEventWaitNode(nullptr, graph, nullptr, 0, event));
  E(InvalidValue, hipGraphAddEventWaitNode(&node, graph, nullptr, 0, nullptr));
  E(InvalidValue, hipGraphEventWaitNodeGetEvent(nullptr, &found));
  E(InvalidValue, hipGraphEventWaitNodeSetEvent(nullptr, event));
  E(InvalidValue, hipGraphExecEventRecordNodeSetEvent(exec, nullptr, event));
  E(InvalidValue, hipGraphExecEventWaitNodeSetEvent(exec, nullptr, event));
  E(InvalidValue, hipGraphAddChildGraphNode(nullptr, graph, nullptr, 0, inner));
  E(InvalidValue, hipGraphAddChildGraphNode(&node, graph, nullptr, 0, nullptr));
  E(InvalidValue, hipGraphChildGraphNodeGetGraph(nullptr, &got));
  E(InvalidValue, hipGraphChildGraphNodeGetGraph(child, nullptr));
  E(InvalidValue, hipGraphExecChildGraphNodeSetParams(exec, nullptr, like));
  E(InvalidValue, hipGraphAddEmptyNode(nullptr, graph, nullptr, 0));
  E(InvalidValue, hipGraphAddEmptyNode(&node, nullptr, nullptr, 0));
  E(InvalidValue, hipGraphClone(nullptr, graph));
  E(InvalidValue, hipGraphClone(&got, nullptr));
  E(InvalidValue, hipGraphDestroyNode(nullptr));
  E(InvalidValue, hipGraphNodeGetType(nullptr, nullptr));
  E(InvalidValue, hipGraphGetNodes(nullptr, nullptr, &many));
  E(InvalidValue, hipGraphGetNodes(graph, nullptr, nullptr));
  E(InvalidValue, hipGraphGetRootNodes(nullptr, nullptr, &many));
  E(InvalidValue, hipGraphGetRootNodes(graph, nullptr, nullptr));
  E(InvalidValue, hipGraphGetEdges(nullptr, nullptr, nullptr, &many));
  E(InvalidValue, hipGraphGetEdges(graph, nullptr, nullptr, nullptr));
  E(InvalidValue, hipGraphAddDependencies(nullptr, &fill, &kernel, 1));
  E(InvalidValue, hipGraphAddDependencies(graph, nullptr, &kernel, 1));
  E(InvalidValue, hipGraphRemoveDependencies(nullptr, &fill, &kernel, 1));
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(like));
  OK(hipGraphDestroy(graph));
  OK(hipGraphDestroy(inner));
  CK(hipEventDestroy(event));
  CK(hipEventDestroy(second));
}

static void capture() {
  hipStreamCaptureStatus status;
  unsigned long long id = 0;
  hipGraph_t graph = nullptr;
  OK(hipStreamIsCapturing(stream, &status));
  EQ(status, hipStreamCaptureStatusNone);
  E(InvalidValue, hipStreamIsCapturing(stream, nullptr));
  for (auto mode : {hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal, hipStreamCaptureModeRelaxed}) {
    OK(hipStreamBeginCapture(stream, mode));
    E(IllegalState, hipStreamBeginCapture(stream, mode));
    OK(hipStreamGetCaptureInfo(stream, &status, &id));
    EQ(status, hipStreamCaptureStatusActive);
    IS(id != 0);
    OK(hipMemsetAsync(a, 0x11, BYTES, stream));
    add<<<1, N, 0, stream>>>(a, 1);
    OK(hipStreamIsCapturing(stream, &status));
    EQ(status, hipStreamCaptureStatusActive);
    OK(hipStreamEndCapture(stream, &graph));
    size_t many = 0;
    OK(hipGraphGetNodes(graph, nullptr, &many));
    EQ(many, 2u);
    hipGraphExec_t exec = instance(graph);
    run(exec);
    EQ(api_read<int>(a), 0x11111112);
    OK(hipGraphExecDestroy(exec));
    OK(hipGraphDestroy(graph));
  }
  E(StreamCaptureUnsupported, hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal));
  E(InvalidValue, hipStreamBeginCapture(stream, (hipStreamCaptureMode)9));
  DIFFERS(IllegalState, StreamCaptureUnmatched, "no capture was begun", hipStreamEndCapture(stream, &graph));
  DIFFERS(IllegalState, InvalidValue, "no capture was begun", hipStreamEndCapture(nullptr, &graph));
  E(InvalidValue, hipStreamGetCaptureInfo(stream, nullptr, &id));
  E(InvalidValue, hipThreadExchangeStreamCaptureMode(nullptr));
  // A fork that does not come back.
  hipStream_t other;
  hipEvent_t event;
  CK(hipStreamCreate(&other));
  CK(hipEventCreate(&event));
  OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  OK(hipEventRecord(event, stream));
  OK(hipStreamWaitEvent(other, event, 0));
  OK(hipMemsetAsync(b, 0, BYTES, other));
  DIFFERS(StreamCaptureUnjoined, Success, "the fork does not come back", hipStreamEndCapture(stream, &graph));
  // One that is ended where it was not begun.
  OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  OK(hipEventRecord(event, stream));
  OK(hipStreamWaitEvent(other, event, 0));
  E(StreamCaptureUnmatched, hipStreamEndCapture(other, &graph));
  DIFFERS(StreamCaptureInvalidated, Success, "its other stream was ended", hipStreamEndCapture(stream, &graph));
  CK(hipEventDestroy(event));
  CK(hipStreamDestroy(other));
}

int main() {
  CK(hipMalloc((void**)&a, BYTES));
  CK(hipMalloc((void**)&b, BYTES));
  CK(hipStreamCreate(&stream));
  copies();
  others();
  capture();
  CK(hipStreamDestroy(stream));
  CK(hipFree(b));
  CK(hipFree(a));
  return api_verdict("api_graph");
}
