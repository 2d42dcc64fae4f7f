//! Runs one kernel of a code object: `cargo run -p rocr-rs --example dispatch -- FILE.co KERNEL`.
//!
//! The kernel is given one pointer, to 64 floats. A file for it:
//! `clang-19 -x c -target amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib -fvisibility=default scale.c -o scale.co`

use rocr_rs::{
    Executable, OpenOptions, PoolKind, Queue, QueueKind, Runtime, Signal, SignalCondition, SignalKind,
    WaitState,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(file), Some(name)) = (args.next(), args.next()) else {
        return Err("usage: dispatch FILE.co KERNEL".into());
    };
    let runtime = Runtime::open(&OpenOptions::default())?;
    let agent = runtime.gpu_agents().first().cloned().ok_or("no GPU")?;
    println!("{} on {}", agent.isa_name(), runtime.device_name());

    let executable = Executable::new(&runtime);
    executable.load(&agent, &std::fs::read(file)?)?;
    executable.freeze()?;
    let kernel = executable.kernel(&name)?;

    let data = agent.pool(PoolKind::CoarseGrained).allocate(64 * 4)?;
    for i in 0..64 {
        data.write(4 * i, &(i as f32).to_le_bytes())?;
    }
    let kernarg = agent.pool(PoolKind::Kernarg).allocate((kernel.kernarg_segment_size() as usize).max(8))?;
    kernarg.write(0, &data.va().to_le_bytes())?;

    let queue = Queue::create(&agent, 64, QueueKind::Multi, |error| eprintln!("{error}"))?;
    let done = Signal::new(&runtime, 1, SignalKind::Interrupt)?;
    let mut packet = kernel.dispatch([64, 1, 1], [64, 1, 1], kernarg.va());
    packet.completion_signal = done.handle();
    queue.submit(packet)?;
    while done.wait(SignalCondition::LT, 1, Some(std::time::Duration::from_millis(100)), WaitState::BLOCKED)
        > 0
    {
        if let Some(error) = queue.error() {
            return Err(error.into());
        }
    }
    for i in 0..4 {
        let mut bytes = [0; 4];
        data.read(4 * i, &mut bytes)?;
        println!("{i}: {}", f32::from_le_bytes(bytes));
    }
    Ok(())
}
