//! Kernels, from C source to the memory they changed: dispatches, scratch, faults.

mod common;

use std::{sync::mpsc, time::Duration};

use common::{CHIPS, compile, emulated};
use rocr_rs::{
    Agent, Executable, FaultKind, FaultReason, KernelSymbol, Memory, PoolKind, Queue, QueueErrorKind,
    QueueKind, Signal, SignalCondition as Cond, SignalKind, WaitState,
};

const SOURCE: &str = r#"
#define G __attribute__((address_space(1)))
static unsigned id(void) { return __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x(); }
__attribute__((amdgpu_kernel)) void scale(G float *p, float k) { p[id()] = p[id()] * k; }
__attribute__((amdgpu_kernel)) void empty(void) {}
__attribute__((amdgpu_kernel)) void frame(G int *p, int n) {
  volatile int a[100];
  for (int i = 0; i < 100; i++) a[i] = i * n;
  int sum = 0;
  for (int i = 0; i < 100; i++) sum += a[(i + n) % 100];
  p[id()] = sum + (int)id();
}
__attribute__((amdgpu_kernel)) void trap(void) { __builtin_trap(); }
"#;

struct Run {
    agent: Agent,
    executable: Executable,
    queue: std::sync::Arc<Queue>,
    errors: mpsc::Receiver<rocr_rs::QueueError>,
}

impl Run {
    fn new(chip: &str) -> Run {
        let code = compile(chip, SOURCE, &[]);
        let (runtime, agent) = emulated(chip);
        let executable = Executable::new(&runtime);
        executable.load(&agent, &code).unwrap();
        executable.freeze().unwrap();
        let (sender, errors) = mpsc::channel();
        let queue =
            Queue::create(&agent, 64, QueueKind::Multi, move |error| sender.send(error.clone()).unwrap())
                .unwrap();
        Run { agent, executable, queue, errors }
    }
    fn kernel(&self, name: &str) -> KernelSymbol {
        self.executable.kernel(name).unwrap()
    }
    fn kernarg(&self, kernel: &KernelSymbol, args: &[&[u8]]) -> Memory {
        let bytes = (kernel.kernarg_segment_size() as usize).max(16);
        let memory = self.agent.pool(PoolKind::Kernarg).allocate(bytes).unwrap();
        for (arg, place) in args.iter().zip(&kernel.metadata().args) {
            memory.write(place.offset as usize, arg).unwrap();
        }
        memory
    }
    fn launch(&self, name: &str, grid: u32, args: &[&[u8]]) -> i64 {
        let kernel = self.kernel(name);
        let kernarg = self.kernarg(&kernel, args);
        let done = Signal::new(self.agent.runtime(), 1, SignalKind::Interrupt).unwrap();
        let mut packet = kernel.dispatch([grid, 1, 1], [64, 1, 1], kernarg.va());
        packet.completion_signal = done.handle();
        self.queue.submit(packet).unwrap();
        loop {
            let value = done.wait(Cond::LT, 1, Some(Duration::from_millis(100)), WaitState::BLOCKED);
            if value < 1 {
                return value;
            }
            if let Some(error) = self.queue.error() {
                panic!("{error}");
            }
        }
    }
}

#[test]
fn a_kernel_scales_an_array() {
    for chip in CHIPS {
        let run = Run::new(chip);
        for (kind, count) in
            [(PoolKind::CoarseGrained, 1000), (PoolKind::Kernarg, 64), (PoolKind::FineGrained, 1)]
        {
            let data = run.agent.pool(kind).allocate(4 * count).unwrap();
            let input: Vec<u8> = (0..count).flat_map(|i| (i as f32).to_le_bytes()).collect();
            data.write(0, &input).unwrap();
            let args: [&[u8]; 2] = [&data.va().to_le_bytes(), &2.5f32.to_le_bytes()];
            assert_eq!(run.launch("scale", count as u32, &args), 0);
            let mut output = vec![0; 4 * count];
            data.read(0, &mut output).unwrap();
            for (i, value) in output.chunks_exact(4).enumerate() {
                assert_eq!(f32::from_le_bytes(value.try_into().unwrap()), i as f32 * 2.5, "{chip} {i}");
            }
        }
        assert!(run.errors.try_recv().is_err());
    }
}

#[test]
fn a_kernel_with_a_frame_gets_scratch_memory() {
    for chip in CHIPS {
        let run = Run::new(chip);
        assert!(run.kernel("frame").private_segment_size() >= 400);
        assert_eq!(run.queue.scratch_lane_bytes(), 0);
        let data = run.agent.pool(PoolKind::CoarseGrained).allocate(4 * 640).unwrap();
        for n in [1_i32, 7] {
            let args: [&[u8]; 2] = [&data.va().to_le_bytes(), &n.to_le_bytes()];
            assert_eq!(run.launch("frame", 640, &args), 0);
            for i in 0..640 {
                let mut value = [0; 4];
                data.read(4 * i, &mut value).unwrap();
                assert_eq!(i32::from_le_bytes(value), 4950 * n + i as i32, "{chip} {i}");
            }
        }
        assert!(run.queue.scratch_lane_bytes() >= 400);
        assert!(run.errors.try_recv().is_err());
    }
}

#[test]
fn an_unmapped_access_is_a_fault_with_its_address_and_the_process_lives() {
    for chip in CHIPS {
        let run = Run::new(chip);
        let (sender, faults) = mpsc::channel();
        run.agent.runtime().on_fault(move |fault| sender.send(fault.clone()).unwrap());
        let kernel = run.kernel("scale");
        let bad = 0x6000_0000_0000_u64;
        let kernarg = run.kernarg(&kernel, &[&bad.to_le_bytes(), &1f32.to_le_bytes()]);
        run.queue.submit(kernel.dispatch([64, 1, 1], [64, 1, 1], kernarg.va())).unwrap();
        let error = run.errors.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!((error.kind, error.kernel_object), (QueueErrorKind::MemoryFault, kernel.kernel_object()));
        let fault = faults.recv_timeout(Duration::from_secs(20)).unwrap();
        let FaultKind::Memory { va, reason } = fault.kind else { panic!("{fault}") };
        assert_eq!((va & !0xfff, reason.contains(FaultReason::NOT_PRESENT)), (bad, true), "{fault}");
        let wave = fault.wave.as_ref().expect("the emulated device knows the wave");
        assert_eq!((wave.work_group, wave.wave, wave.lane), ([0, 0, 0], 0, Some(0)), "{fault}");
        assert_eq!(wave.kernel_object, kernel.kernel_object());
        assert!(wave.pc > wave.entry && wave.pc - wave.entry < 0x400, "{fault}");
        assert!(fault.to_string().contains("at 0x600000000000"), "{fault}");
        assert!(run.queue.submit(kernel.dispatch([64, 1, 1], [64, 1, 1], kernarg.va())).is_err());
    }
}

#[test]
fn a_trap_ends_the_queue() {
    let run = Run::new("gfx90a");
    run.queue.submit(run.kernel("trap").dispatch([64, 1, 1], [64, 1, 1], 0)).unwrap();
    let error = run.errors.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!(error.kind, QueueErrorKind::Trap, "{error}");
    assert!(error.to_string().contains("s_trap 2"), "{error}");
}

#[test]
fn too_much_scratch_is_an_error() {
    let run = Run::new("gfx90a");
    let mut packet = run.kernel("empty").dispatch([64, 1, 1], [64, 1, 1], 0);
    packet.private_segment_size = 1 << 30;
    run.queue.submit(packet).unwrap();
    let error = run.errors.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!(error.kind, QueueErrorKind::OutOfScratch, "{error}");
}
