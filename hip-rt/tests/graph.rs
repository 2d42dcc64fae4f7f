//! Graphs and stream capture, where AMD's library of HIP 5.2 has less or answers otherwise; `tests/kernels/graph.hip` is
//! what both do.

use hip_rt::ffi::{In, Out, Text};
use hip_rt::*;
use hip_sys::*;
use std::ffi::{CString, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

const OK: hipError_t = hipError_t::SUCCESS;

/// The library has one state for the process: tests that count captures and calls take turns.
static TURN: Mutex<()> = Mutex::new(());

fn turn() -> std::sync::MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn graph() -> hipGraph_t {
    let mut graph = hipGraph_t::NULL;
    assert_eq!(hipGraphCreate(Out::new(&mut graph), 0), OK);
    graph
}

fn empty(graph: hipGraph_t, before: &[hipGraphNode_t]) -> hipGraphNode_t {
    let mut node = hipGraphNode_t::NULL;
    let first = before.first().map_or(In::null(), In::new);
    assert_eq!(hipGraphAddEmptyNode(Out::new(&mut node), graph, first, before.len()), OK);
    node
}

fn stream() -> hipStream_t {
    let mut stream = hipStream_t::NULL;
    assert_eq!(hipStreamCreateWithFlags(Out::new(&mut stream), StreamFlags::NON_BLOCKING.0), OK);
    stream
}

fn event() -> hipEvent_t {
    let mut event = hipEvent_t::NULL;
    assert_eq!(hipEventCreate(Out::new(&mut event)), OK);
    event
}

fn status(stream: hipStream_t) -> hipStreamCaptureStatus {
    let mut status = hipStreamCaptureStatus::NONE;
    assert_eq!(hipStreamIsCapturing(stream, Out::new(&mut status)), OK);
    status
}

extern "C" fn count(by: *mut c_void) {
    CALLS.fetch_add(by.addr() as u32, Ordering::SeqCst);
}

static CALLS: AtomicU32 = AtomicU32::new(0);

fn host(by: usize) -> hipHostNodeParams {
    hipHostNodeParams { fn_: Some(count), userData: std::ptr::without_provenance_mut(by) }
}

#[test]
fn a_circle_is_refused_when_the_graph_is_made_executable() {
    let graph = graph();
    let a = empty(graph, &[]);
    let b = empty(graph, &[a]);
    assert_eq!(hipGraphAddDependencies(graph, In::new(&b), In::new(&a), 1), OK);
    let mut exec = hipGraphExec_t::NULL;
    let made = hipGraphInstantiate(Out::new(&mut exec), graph, Out::null(), Out::null(), 0);
    assert_eq!(made, hipError_t::INVALID_VALUE);
    assert_eq!(hipGraphRemoveDependencies(graph, In::new(&b), In::new(&a), 1), OK);
    assert_eq!(hipGraphInstantiateWithFlags(Out::new(&mut exec), graph, 0), OK);
    assert_eq!(hipGraphExecDestroy(exec), OK);
    assert_eq!(hipGraphExecDestroy(exec), hipError_t::INVALID_VALUE);
    assert_eq!(hipGraphDestroy(graph), OK);
    assert_eq!(hipGraphDestroy(graph), hipError_t::INVALID_VALUE);
    assert_eq!(hipGraphDestroyNode(a), hipError_t::INVALID_VALUE, "it went with its graph");
}

#[test]
fn lists_are_cut_to_the_room_that_there_is() {
    let graph = graph();
    let (a, b) = (empty(graph, &[]), empty(graph, &[]));
    let mut nodes = [hipGraphNode_t::from_bits(1); 3];
    let mut room = 1;
    assert_eq!(hipGraphGetNodes(graph, Out::new(&mut nodes[0]), Out::new(&mut room)), OK);
    assert_eq!((room, nodes[0], nodes[1]), (1, a, hipGraphNode_t::from_bits(1)));
    room = 3;
    assert_eq!(hipGraphGetNodes(graph, Out::new(&mut nodes[0]), Out::new(&mut room)), OK);
    assert_eq!((room, nodes), (2, [a, b, hipGraphNode_t::NULL]));
    assert_eq!(hipGraphDestroyNode(a), OK);
    assert_eq!(hipGraphGetRootNodes(graph, Out::null(), Out::new(&mut room)), OK);
    assert_eq!(room, 1);
    assert_eq!(hipGraphGetNodes(graph, Out::null(), Out::null()), hipError_t::INVALID_VALUE);
}

#[test]
fn an_update_needs_the_same_shape_and_kinds() {
    let graph = |second: bool, host_node: bool| {
        let graph = graph();
        let first = empty(graph, &[]);
        let mut node = hipGraphNode_t::NULL;
        let params = host(1);
        if host_node {
            assert_eq!(
                hipGraphAddHostNode(Out::new(&mut node), graph, In::new(&first), 1, In::new(&params)),
                OK
            );
        } else {
            empty(graph, &[first]);
        }
        if second {
            empty(graph, &[first]);
        }
        graph
    };
    let mut exec = hipGraphExec_t::NULL;
    assert_eq!(hipGraphInstantiateWithFlags(Out::new(&mut exec), graph(false, true), 0), OK);
    let update = |graph| {
        let (mut node, mut result) = (hipGraphNode_t::NULL, hipGraphExecUpdateResult::ERROR);
        let status = hipGraphExecUpdate(exec, graph, Out::new(&mut node), Out::new(&mut result));
        (status, result)
    };
    let failure = hipError_t::GRAPH_EXEC_UPDATE_FAILURE;
    assert_eq!(update(graph(false, true)), (OK, hipGraphExecUpdateResult::SUCCESS));
    assert_eq!(update(graph(true, true)), (failure, hipGraphExecUpdateResult::TOPOLOGY_CHANGED));
    assert_eq!(update(graph(false, false)), (failure, hipGraphExecUpdateResult::NODE_TYPE_CHANGED));
}

#[test]
fn user_objects_go_with_the_last_who_holds_them() {
    let _turn = turn();
    CALLS.store(0, Ordering::SeqCst);
    let mut object = hipUserObject_t::NULL;
    let create = |object: &mut hipUserObject_t, flags| {
        hipUserObjectCreate(Out::new(object), std::ptr::without_provenance_mut(7), Some(count), 1, flags)
    };
    assert_eq!(create(&mut object, 0), hipError_t::INVALID_VALUE);
    assert_eq!(create(&mut object, 1), OK);
    let graph = graph();
    assert_eq!(hipGraphRetainUserObject(graph, object, 1, 1), OK, "moved from the program to the graph");
    assert_eq!(hipUserObjectRelease(object, 1), hipError_t::INVALID_VALUE, "the program holds it no more");
    let mut exec = hipGraphExec_t::NULL;
    assert_eq!(hipGraphInstantiateWithFlags(Out::new(&mut exec), graph, 0), OK);
    assert_eq!(hipGraphDestroy(graph), OK);
    assert_eq!(CALLS.load(Ordering::SeqCst), 0, "the executable graph holds it");
    assert_eq!(hipGraphExecDestroy(exec), OK);
    assert_eq!(CALLS.load(Ordering::SeqCst), 7);
    assert_eq!(hipUserObjectRetain(object, 1), hipError_t::INVALID_VALUE);
}

#[test]
fn a_picture_has_every_node_and_edge() {
    let graph = graph();
    let a = empty(graph, &[]);
    empty(graph, &[a]);
    let path = std::env::temp_dir().join(format!("hip-graph-{}.dot", std::process::id()));
    let text = CString::new(path.to_str().unwrap()).unwrap();
    let text: &'static std::ffi::CStr = Box::leak(text.into_boxed_c_str());
    assert_eq!(hipGraphDebugDotPrint(graph, Text::new(text), 0), OK);
    let said = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(said.contains("node_1 [label=\"1 Empty\"]") && said.contains("node_0 -> node_1"), "{said}");
}

#[test]
fn captures_end_for_all_streams_and_only_when_these_are_joined() {
    let _turn = turn();
    let (one, two, fork, join) = (stream(), stream(), event(), event());
    let mut graph = hipGraph_t::NULL;
    assert_eq!(hipStreamEndCapture(one, Out::new(&mut graph)), hipError_t::ILLEGAL_STATE);
    for joined in [true, false] {
        assert_eq!(hipStreamBeginCapture(one, hipStreamCaptureMode::THREAD_LOCAL), OK);
        assert_eq!(hipEventRecord(fork, one), OK);
        assert_eq!(hipStreamWaitEvent(two, fork, 0), OK);
        assert_eq!(hipLaunchHostFunc(two, Some(count), std::ptr::null_mut()), OK);
        if joined {
            assert_eq!(hipEventRecord(join, two), OK);
            assert_eq!(hipStreamWaitEvent(one, join, 0), OK);
        }
        let ended = hipStreamEndCapture(one, Out::new(&mut graph));
        assert_eq!(ended, if joined { OK } else { hipError_t::STREAM_CAPTURE_UNJOINED });
        assert_eq!(graph == hipGraph_t::NULL, !joined);
        assert_eq!([status(one), status(two)], [hipStreamCaptureStatus::NONE; 2]);
    }
    assert_eq!(hipEventQuery(fork), hipError_t::CAPTURED_EVENT);
    // An event of a capture that is over brings nobody into it.
    assert_eq!(hipStreamWaitEvent(two, fork, 0), hipError_t::CAPTURED_EVENT);
    assert_eq!(status(two), hipStreamCaptureStatus::NONE);
    assert_eq!(hipEventRecord(fork, one), OK);
    assert_eq!(hipStreamWaitEvent(two, fork, 0), OK);
}

#[test]
fn a_stream_that_goes_takes_its_capture_along() {
    let _turn = turn();
    let (one, two, fork) = (stream(), stream(), event());
    let begin = || {
        assert_eq!(hipStreamBeginCapture(one, hipStreamCaptureMode::RELAXED), OK);
        assert_eq!(hipEventRecord(fork, one), OK);
    };
    let mut graph = hipGraph_t::NULL;
    begin();
    assert_eq!(hipStreamWaitEvent(two, fork, 0), OK);
    assert_eq!(hipStreamDestroy(two), OK);
    assert_eq!(status(one), hipStreamCaptureStatus::INVALIDATED, "still captured: nothing runs meanwhile");
    assert_eq!(hipStreamEndCapture(one, Out::new(&mut graph)), hipError_t::STREAM_CAPTURE_INVALIDATED);

    // The one that it was begun in: the others are free again.
    let three = stream();
    begin();
    assert_eq!(hipStreamWaitEvent(three, fork, 0), OK);
    assert_eq!(hipStreamDestroy(one), OK);
    assert_eq!(status(three), hipStreamCaptureStatus::NONE);
}

#[test]
fn memory_in_a_streams_order_is_not_captured() {
    let _turn = turn();
    let stream = stream();
    let mut pointer = std::ptr::null_mut();
    let mut graph = hipGraph_t::NULL;
    assert_eq!(hipMallocAsync(Out::new(&mut pointer), 64, stream), OK);
    assert_eq!(hipStreamBeginCapture(stream, hipStreamCaptureMode::RELAXED), OK);
    // Freed at once, a graph that uses it would miss it.
    assert_eq!(hipFreeAsync(pointer, stream), hipError_t::STREAM_CAPTURE_UNSUPPORTED);
    let mut other = std::ptr::null_mut();
    let refused = hipMallocAsync(Out::new(&mut other), 64, stream);
    assert_eq!(refused, hipError_t::STREAM_CAPTURE_UNSUPPORTED);
    let ended = hipStreamEndCapture(stream, Out::new(&mut graph));
    assert_eq!(ended, hipError_t::STREAM_CAPTURE_INVALIDATED);
    assert_eq!(hipFree(pointer), OK);
}

#[test]
fn a_graph_that_was_captured_from_a_launch_keeps_its_parameters() {
    let _turn = turn();
    CALLS.store(0, Ordering::SeqCst);
    let (stream, inner) = (stream(), graph());
    let (one, thousand) = (host(1), host(1000));
    let mut node = hipGraphNode_t::NULL;
    assert_eq!(hipGraphAddHostNode(Out::new(&mut node), inner, In::null(), 0, In::new(&one)), OK);
    let (mut first, mut outer, mut second) = (hipGraphExec_t::NULL, hipGraph_t::NULL, hipGraphExec_t::NULL);
    assert_eq!(hipGraphInstantiateWithFlags(Out::new(&mut first), inner, 0), OK);
    assert_eq!(hipStreamBeginCapture(stream, hipStreamCaptureMode::RELAXED), OK);
    assert_eq!(hipGraphLaunch(first, stream), OK);
    assert_eq!(hipStreamEndCapture(stream, Out::new(&mut outer)), OK);
    assert_eq!(hipGraphExecHostNodeSetParams(first, node, In::new(&thousand)), OK);
    assert_eq!(hipGraphInstantiateWithFlags(Out::new(&mut second), outer, 0), OK);
    assert_eq!(hipGraphLaunch(second, stream), OK);
    assert_eq!(hipStreamSynchronize(stream), OK);
    assert_eq!(CALLS.load(Ordering::SeqCst), 1);
}

#[test]
fn what_a_capture_cannot_hold_invalidates_it() {
    let _turn = turn();
    let stream = stream();
    let mut graph = hipGraph_t::NULL;
    assert_eq!(hipStreamBeginCapture(stream, hipStreamCaptureMode::RELAXED), OK);
    assert_eq!(hipStreamSynchronize(stream), hipError_t::STREAM_CAPTURE_UNSUPPORTED);
    assert_eq!(status(stream), hipStreamCaptureStatus::INVALIDATED);
    let launched = hipLaunchHostFunc(stream, Some(count), std::ptr::null_mut());
    assert_eq!(launched, hipError_t::STREAM_CAPTURE_INVALIDATED);
    let ended = hipStreamEndCapture(stream, Out::new(&mut graph));
    assert_eq!((ended, graph), (hipError_t::STREAM_CAPTURE_INVALIDATED, hipGraph_t::NULL));
    assert_eq!(status(stream), hipStreamCaptureStatus::NONE);

    // An event of a stream that is not captured.
    let outside = event();
    assert_eq!(hipEventRecord(outside, hipStream_t::PER_THREAD), OK);
    assert_eq!(hipStreamBeginCapture(stream, hipStreamCaptureMode::RELAXED), OK);
    assert_eq!(hipStreamWaitEvent(stream, outside, 0), hipError_t::STREAM_CAPTURE_ISOLATION);
    assert_eq!(hipStreamEndCapture(stream, Out::new(&mut graph)), hipError_t::STREAM_CAPTURE_INVALIDATED);

    // The null stream, while a stream is captured that waits for it.
    let mut blocking = hipStream_t::NULL;
    assert_eq!(hipStreamCreate(Out::new(&mut blocking)), OK);
    assert_eq!(hipStreamBeginCapture(blocking, hipStreamCaptureMode::GLOBAL), OK);
    let launched = hipLaunchHostFunc(hipStream_t::NULL, Some(count), std::ptr::null_mut());
    assert_eq!(launched, hipError_t::STREAM_CAPTURE_IMPLICIT);
    assert_eq!(hipStreamDestroy(blocking), OK);
    assert_eq!(hipLaunchHostFunc(hipStream_t::NULL, Some(count), std::ptr::null_mut()), OK);
}

#[test]
fn what_a_stream_comes_after_can_be_seen_and_changed() {
    let _turn = turn();
    let stream = stream();
    assert_eq!(hipStreamBeginCapture(stream, hipStreamCaptureMode::GLOBAL), OK);
    for _ in 0..2 {
        assert_eq!(hipLaunchHostFunc(stream, Some(count), std::ptr::null_mut()), OK);
    }
    let (mut state, mut id, mut graph) = (hipStreamCaptureStatus::NONE, 0, hipGraph_t::NULL);
    let (mut after, mut many) = (std::ptr::null(), 0);
    let info = hipStreamGetCaptureInfo_v2(
        stream,
        Out::new(&mut state),
        Out::new(&mut id),
        Out::new(&mut graph),
        Out::new(&mut after),
        Out::new(&mut many),
    );
    assert_eq!((info, state, many), (OK, hipStreamCaptureStatus::ACTIVE, 1));
    assert!(id != 0 && !after.is_null());
    let mut nodes = [hipGraphNode_t::NULL; 2];
    let mut count_of_nodes = 2;
    assert_eq!(hipGraphGetNodes(graph, Out::new(&mut nodes[0]), Out::new(&mut count_of_nodes)), OK);
    let (add, set) = (0, 1);
    assert_eq!(hipStreamUpdateCaptureDependencies(stream, In::new(&nodes[0]), 1, add), OK);
    assert_eq!(
        hipStreamUpdateCaptureDependencies(stream, In::new(&nodes[0]), 1, 2),
        hipError_t::INVALID_VALUE
    );
    assert_eq!(hipLaunchHostFunc(stream, Some(count), std::ptr::null_mut()), OK);
    assert_eq!(hipStreamUpdateCaptureDependencies(stream, In::null(), 0, set), OK);
    assert_eq!(hipLaunchHostFunc(stream, Some(count), std::ptr::null_mut()), OK);
    let mut ended = hipGraph_t::NULL;
    assert_eq!(hipStreamEndCapture(stream, Out::new(&mut ended)), OK);
    assert_eq!(ended, graph);
    let (mut edges, mut roots) = (0, 0);
    assert_eq!(hipGraphGetEdges(graph, Out::null(), Out::null(), Out::new(&mut edges)), OK);
    assert_eq!(hipGraphGetRootNodes(graph, Out::null(), Out::new(&mut roots)), OK);
    assert_eq!((edges, roots), (3, 2), "the third came after both, the fourth after none");
}

#[test]
fn nodes_can_be_switched_off() {
    let _turn = turn();
    CALLS.store(0, Ordering::SeqCst);
    let (graph, stream) = (graph(), stream());
    let (mut memory, mut words) = (std::ptr::null_mut(), [0u32; 2]);
    assert_eq!(hipMalloc(Out::new(&mut memory), 8), OK);
    assert_eq!(hipMemset(memory, 0, 8), OK);
    let fill = |offset: usize| {
        let params = hipMemsetParams {
            dst: memory.wrapping_byte_add(offset),
            elementSize: 4,
            height: 1,
            pitch: 0,
            value: 5,
            width: 1,
        };
        let mut node = hipGraphNode_t::NULL;
        assert_eq!(hipGraphAddMemsetNode(Out::new(&mut node), graph, In::null(), 0, In::new(&params)), OK);
        node
    };
    let (first, _) = (fill(0), fill(4));
    let params = host(1);
    let mut call = hipGraphNode_t::NULL;
    assert_eq!(hipGraphAddHostNode(Out::new(&mut call), graph, In::null(), 0, In::new(&params)), OK);
    let mut exec = hipGraphExec_t::NULL;
    assert_eq!(hipGraphInstantiateWithFlags(Out::new(&mut exec), graph, 0), OK);
    assert_eq!(hipGraphNodeSetEnabled(exec, first, 0), OK);
    assert_eq!(hipGraphNodeSetEnabled(exec, call, 0), hipError_t::INVALID_VALUE);
    let mut enabled = 9;
    assert_eq!(hipGraphNodeGetEnabled(exec, first, Out::new(&mut enabled)), OK);
    assert_eq!(enabled, 0);
    assert_eq!(hipGraphLaunch(exec, stream), OK);
    assert_eq!(hipStreamSynchronize(stream), OK);
    let back = hipMemcpy((&raw mut words).cast(), memory, 8, hipMemcpyKind::DEVICE_TO_HOST);
    assert_eq!((back, hipFree(memory)), (OK, OK));
    assert_eq!((words, CALLS.load(Ordering::SeqCst)), ([0, 5], 1));
}
