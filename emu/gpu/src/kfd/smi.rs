//! System-management events (`kfd_smi_events.c`): a descriptor a GPU and an asker, to which a mask of events is written and
//! from which a line for each event is read; it never blocks, and can be polled.
//!
//! It is one end of a pair of sockets. What was written to it is read here when there is something to tell, and whether it
//! was closed when another asks. There are memory faults and resets; nothing migrates, throttles or is evicted here.

use std::io::{ErrorKind, Read as _, Write as _};
use std::os::fd::IntoRawFd as _;
use std::os::unix::net::UnixStream;

use kfd_sys::Errno;
use kfd_sys::smi::{SmiEvent, SmiEventsArgs};
use parking_lot::Mutex;

use super::Process;

/// One asker.
#[derive(Debug)]
struct Client {
    gpu_id: u32,
    socket: UnixStream,
    /// Bit `n - 1` is event `n`.
    mask: u64,
}

impl Client {
    /// Takes in what was written. False if there is nobody any more.
    fn listen(&mut self) -> bool {
        let mut mask = [0; 8];
        loop {
            match self.socket.read(&mut mask) {
                Ok(0) => return false,
                // KFD refuses masks of other lengths; here they change nothing.
                Ok(length) if length == mask.len() => self.mask = u64::from_ne_bytes(mask),
                Ok(_) => {}
                Err(error) => return matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
            }
        }
    }

    /// Tells a line, if the asker wants this event. False if there is nobody any more.
    fn tell(&mut self, event: SmiEvent, text: &str) -> bool {
        if !self.listen() {
            return false;
        }
        if self.mask >> (event.0 - 1) & 1 == 0 {
            return true;
        }
        let line = format!("{:x} {text}\n", event.0);
        match self.socket.write_all(line.as_bytes()) {
            Ok(()) => true,
            // Full: as in KFD the event is lost, and the asker is not.
            Err(error) => error.kind() == ErrorKind::WouldBlock,
        }
    }
}

/// All askers of a process.
#[derive(Debug, Default)]
pub struct Askers(Mutex<Vec<Client>>);

impl Askers {
    fn tell(&self, gpu_id: u32, event: SmiEvent, text: &str) {
        self.0.lock().retain_mut(|client| client.gpu_id != gpu_id || client.tell(event, text));
    }

    /// A memory fault of this process.
    pub fn memory_fault(&self, gpu_id: u32) {
        if self.0.lock().is_empty() {
            return;
        }
        let name = std::fs::read_to_string("/proc/self/comm").unwrap_or_default();
        self.tell(gpu_id, SmiEvent::VMFAULT, &format!("{:x}:{}", std::process::id(), name.trim_end()));
    }

    /// A GPU that hung and is reset, with the number of this reset.
    pub fn reset(&self, gpu_id: u32, number: u64) {
        self.tell(gpu_id, SmiEvent::GPU_PRE_RESET, &format!("{number:x} queue error"));
        self.tell(gpu_id, SmiEvent::GPU_POST_RESET, &format!("{number:x} "));
    }
}

pub(super) fn events(process: &Process, arg: &mut SmiEventsArgs) -> Result<(), Errno> {
    let gpu_id = process.device(arg.gpuid)?.gpu_id;
    let errno = |error: std::io::Error| Errno(error.raw_os_error().unwrap_or(libc::ENOMEM));
    let (socket, theirs) = UnixStream::pair().map_err(errno)?;
    for end in [&socket, &theirs] {
        end.set_nonblocking(true).map_err(errno)?;
    }
    let mut clients = process.events.smi.0.lock();
    clients.retain_mut(Client::listen);
    clients.push(Client { gpu_id, socket, mask: 0 });
    arg.anon_fd = theirs.into_raw_fd().cast_unsigned();
    Ok(())
}
