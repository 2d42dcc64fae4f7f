//! Runs kernels of a code object through the HSA runtime.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rocr_rs::{
    Agent, Executable, Memory, OpenOptions, PoolKind, Queue, QueueKind, Runtime, Signal, SignalCondition,
    SignalKind, WaitState,
};

/// Scratch of a work-item for kernels whose need the compiler could not bound.
const STACK: u32 = 64 << 10;
/// A kernel that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(120);

/// One kernel to run.
pub struct Launch<'a> {
    pub name: String,
    pub input: &'a [u64],
    pub items: u32,
    pub block: u32,
}

/// The chips that were asked for, each opened when it is first used.
#[derive(Default)]
pub struct Devices {
    open: HashMap<String, (Arc<Runtime>, Agent)>,
}

type Outcome<T> = Result<T, String>;

fn say(what: &str) -> impl Fn(rocr_rs::Error) -> String + '_ {
    move |error| format!("{what}: {error}")
}

impl Devices {
    fn agent(&mut self, chip: &str) -> Outcome<(Arc<Runtime>, Agent)> {
        if let Some(open) = self.open.get(chip) {
            return Ok(open.clone());
        }
        let options = OpenOptions { device: Some(format!("emu:{chip}")), ..OpenOptions::default() };
        let runtime = Runtime::open(&options).map_err(say("open"))?;
        let agent = runtime.gpu_agents().first().cloned().ok_or("no GPU")?;
        self.open.insert(chip.to_owned(), (runtime.clone(), agent.clone()));
        Ok((runtime, agent))
    }

    /// Runs each kernel; its output words, or what stopped it.
    pub fn run(
        &mut self,
        chip: &str,
        code: &[u8],
        launches: &[Launch<'_>],
    ) -> Outcome<Vec<Outcome<Vec<u64>>>> {
        let (runtime, agent) = self.agent(chip)?;
        let executable = Executable::new(&runtime);
        executable.load(&agent, code).map_err(say("load"))?;
        executable.freeze().map_err(say("freeze"))?;
        let mut queue = None;
        let mut results = Vec::new();
        for launch in launches {
            let open = match queue.take() {
                Some(open) => open,
                None => Queue::create(&agent, 64, QueueKind::Multi, |_| ()).map_err(say("queue"))?,
            };
            let result = one(&runtime, &agent, &executable, &open, launch);
            if result.is_ok() {
                queue = Some(open);
            }
            results.push(result);
        }
        Ok(results)
    }
}

fn one(
    runtime: &Arc<Runtime>,
    agent: &Agent,
    executable: &Executable,
    queue: &Queue,
    launch: &Launch<'_>,
) -> Outcome<Vec<u64>> {
    let kernel = executable.kernel(&launch.name).map_err(say("kernel"))?;
    let pool = agent.pool(PoolKind::CoarseGrained);
    let bytes: Vec<u8> = launch.input.iter().flat_map(|word| word.to_le_bytes()).collect();
    let allocate = |bytes: usize| -> Outcome<Memory> {
        let memory = pool.allocate(bytes).map_err(say("allocate"))?;
        memory.write(0, &vec![0; bytes]).map_err(say("write"))?;
        Ok(memory)
    };
    let groups = launch.items.div_ceil(launch.block);
    let (from, to, cells) =
        (allocate(bytes.len())?, allocate(bytes.len())?, allocate(groups as usize * 256)?);
    from.write(0, &bytes).map_err(say("write"))?;
    let size = (kernel.kernarg_segment_size() as usize).max(32);
    let kernarg = agent.pool(PoolKind::Kernarg).allocate(size).map_err(say("allocate"))?;
    let mut args = vec![0; size];
    for (n, word) in [from.va(), to.va(), cells.va(), u64::from(launch.items)].into_iter().enumerate() {
        args[8 * n..8 * n + 8].copy_from_slice(&word.to_le_bytes());
    }
    kernarg.write(0, &args).map_err(say("write"))?;
    let done = Signal::new(runtime, 1, SignalKind::Interrupt).map_err(say("signal"))?;
    let block = u16::try_from(launch.block).map_err(|_| "work-group too large".to_owned())?;
    let mut packet = kernel.dispatch([groups * launch.block, 1, 1], [block, 1, 1], kernarg.va());
    if kernel.uses_dynamic_stack() {
        packet.private_segment_size = packet.private_segment_size.max(STACK);
    }
    packet.completion_signal = done.handle();
    queue.submit(packet).map_err(say("submit"))?;
    let began = Instant::now();
    while done.wait(SignalCondition::LT, 1, Some(Duration::from_millis(100)), WaitState::BLOCKED) > 0 {
        if let Some(error) = queue.error() {
            return Err(error.to_string());
        }
        if began.elapsed() > LIMIT {
            return Err(format!("still running after {} s", LIMIT.as_secs()));
        }
    }
    let mut bytes = vec![0; bytes.len()];
    to.read(0, &mut bytes).map_err(say("read"))?;
    Ok(bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect())
}
