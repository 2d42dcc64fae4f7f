//! The listener: one thread that sleeps on a signal, which waves ring, and serves the packets of every buffer.

use crate::device::Device;
use crate::error::report;
use crate::ffi;
use crate::hostcall::buffer::{Buffer, Taken};
use crate::hostcall::heap::Heap;
use crate::hostcall::message::{Messages, Step};
use crate::hostcall::{printf, stdio};
use parking_lot::{Mutex, RwLock};
use rocr_rs::{Error, Runtime, Signal, SignalCondition, SignalKind, WaitState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

/// The numbers of services. `ockl/src/services.cl`.
const FUNCTION: u32 = 1;
const MESSAGE: u32 = 2;
const MEMORY: u32 = 3;

/// How long the thread sleeps when nobody rings. A ring that gets lost costs this, not the program's life.
const NAP: Duration = Duration::from_millis(20);

/// The hostcalls of one device.
pub struct Hostcalls {
    device: Weak<Device>,
    buffer: Buffer,
    heap: Heap,
    messages: Mutex<Messages>,
    unknown: AtomicBool,
}

/// The thread, its signal, and the buffers that it looks after.
pub struct Listener {
    doorbell: Signal,
    served: RwLock<Vec<Arc<Hostcalls>>>,
    running: OnceLock<()>,
}

impl Listener {
    /// A listener whose thread starts with the first buffer.
    pub fn new(runtime: &Arc<Runtime>) -> Result<Arc<Self>, Error> {
        let doorbell = Signal::new(runtime, 1, SignalKind::Interrupt)?;
        Ok(Arc::new(Self { doorbell, served: RwLock::default(), running: OnceLock::new() }))
    }

    fn add(self: &Arc<Self>, hostcalls: Arc<Hostcalls>) {
        self.served.write().push(hostcalls);
        self.running.get_or_init(|| {
            let listener = self.clone();
            let thread = std::thread::Builder::new().name("hip-hostcall".to_owned());
            if let Err(error) = thread.spawn(move || listener.run()) {
                report(format_args!("thread for printf of device code: {error}"));
            }
        });
    }

    fn run(&self) {
        let mut seen = self.doorbell.load(Ordering::Acquire);
        loop {
            // What goes wrong with one packet is caught there. Should all else fail, the thread still lives: waves wait for
            // it.
            if !caught(|| self.serve()).unwrap_or(false) {
                seen = self.doorbell.wait(SignalCondition::NE, seen, Some(NAP), WaitState::BLOCKED);
            }
        }
    }

    /// Serves what is ready; false when nothing was.
    fn serve(&self) -> bool {
        let mut any = false;
        for hostcalls in self.served.read().iter() {
            any |= hostcalls.serve();
        }
        any
    }

    /// Serves what waves that ended without an answer left behind.
    pub fn drain(&self) {
        while self.serve() {}
    }
}

impl Hostcalls {
    /// A device's buffer, looked after by `listener`.
    pub fn new(device: &Arc<Device>, listener: &Arc<Listener>) -> Result<Arc<Self>, Error> {
        let hostcalls = Arc::new(Self {
            device: Arc::downgrade(device),
            buffer: Buffer::new(&device.agent, listener.doorbell.handle())?,
            heap: Heap::default(),
            messages: Mutex::default(),
            unknown: AtomicBool::new(false),
        });
        listener.add(hostcalls.clone());
        Ok(hostcalls)
    }

    /// What kernels are given.
    pub fn address(&self) -> u64 {
        self.buffer.address()
    }

    fn serve(&self) -> bool {
        // One thread at a time: messages of a lane come in order.
        let mut messages = self.messages.lock();
        let taken = self.buffer.take();
        // The packet that came last is first in the list: the order of their coming reads better.
        for packet in taken.iter().rev() {
            for lane in (0..64).filter(|lane| packet.active >> lane & 1 != 0) {
                let words = self.buffer.read(packet, lane);
                let answer = caught(|| self.answer(packet, &words, &mut messages)).unwrap_or_else(|| {
                    self.complain(format_args!("a bug in hostcall service {}", packet.service));
                    [u64::MAX, 0]
                });
                self.buffer.answer(packet, lane, answer);
            }
            self.buffer.release(packet);
        }
        if messages.take_dropped() {
            self.complain(format_args!("device code began messages without end; the oldest are dropped"));
        }
        !taken.is_empty()
    }

    fn answer(&self, packet: &Taken, words: &[u64; 8], messages: &mut Messages) -> [u64; 2] {
        match packet.service {
            FUNCTION => {
                let arguments = std::array::from_fn(|at| words[at + 1]);
                tell("function", 0);
                ffi::call_hostcall_function(words[0], &arguments)
            }
            MESSAGE => match messages.take(words) {
                Step::More(descriptor) => [descriptor, words[1]],
                Step::Complete(message) => [self.print(&message), 0],
                Step::Unknown(id) => {
                    self.complain(format_args!(
                        "device code went on with message {id}, which it never began"
                    ));
                    [u64::MAX, 0]
                }
            },
            MEMORY => {
                let Some(device) = self.device.upgrade() else { return [0; 2] };
                match words[0] {
                    0 => {
                        tell("allocate", words[1]);
                        [self.heap.allocate(&device.agent, words[1]), 0]
                    }
                    address => {
                        tell("free", 0);
                        self.heap.free(address);
                        [0; 2]
                    }
                }
            }
            service => {
                self.complain(format_args!(
                    "device code asked for hostcall service {service}, which is not known"
                ));
                [0; 2]
            }
        }
    }

    fn print(&self, message: &[u64]) -> u64 {
        let Some(printed) = printf::decode(message) else { return u64::MAX };
        tell(if printed.to_stderr { "fprintf(stderr)" } else { "printf" }, printed.text.len() as u64);
        if printed.to_stderr
            && printed.text.windows(ASSERTION.len()).any(|text| text == ASSERTION)
            && let Some(device) = self.device.upgrade()
        {
            device.asserted();
        }
        stdio::write(&printed.text, printed.to_stderr);
        printed.text.len() as u64
    }

    fn complain(&self, what: std::fmt::Arguments<'_>) {
        if !self.unknown.swap(true, Ordering::Relaxed) {
            report(what);
        }
    }
}

/// Does some work; none if it panics, which is on stderr then.
fn caught<R>(work: impl FnOnce() -> R) -> Option<R> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// What `__assert_fail` of the device headers prints.
const ASSERTION: &[u8] = b"Device-side assertion";

fn tell(service: &'static str, bytes: u64) {
    tracing::info!(target: "story", step = "hostcall", service, bytes);
}

#[cfg(test)]
mod tests {
    use super::caught;

    #[test]
    fn a_panic_in_a_service_is_no_answer_and_no_more() {
        assert_eq!(caught(|| [1, 2]), Some([1, 2]));
        assert_eq!(caught(|| -> [u64; 2] { panic!("in a service") }), None);
    }
}
