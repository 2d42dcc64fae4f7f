//! System-management events: one descriptor an asker, a mask in, lines out.

mod common;

use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};

use amdgpu_emu::chips;
use common::{Queue, Rig, barrier};
use hsa_sys::PacketType;
use kfd_sys::event::EventType;
use kfd_sys::smi::{SMI_EVENT_MSG_SIZE, SmiEvent, SmiEventsArgs};
use kfd_sys::{Errno, KfdExt as _};

fn open(rig: &Rig) -> File {
    let mut args = SmiEventsArgs { gpuid: rig.gpu_id, anon_fd: 0 };
    rig.gpu.call(&mut args).unwrap();
    common::adopt(args.anon_fd.cast_signed())
}

fn read(file: &mut File) -> Result<String, ErrorKind> {
    let mut line = [0; SMI_EVENT_MSG_SIZE];
    let length = file.read(&mut line).map_err(|error| error.kind())?;
    Ok(String::from_utf8(line[..length].to_vec()).unwrap())
}

fn mask(events: &[SmiEvent]) -> [u8; 8] {
    events.iter().fold(0u64, |mask, event| mask | 1 << (event.0 - 1)).to_ne_bytes()
}

/// A signal that nobody has mapped.
fn fault(rig: &Rig) {
    let event = rig.create_event(EventType::MEMORY, 0);
    let queue = Queue::new(rig);
    let mut packet = barrier(PacketType::BARRIER_AND, &[], None);
    packet[56..].copy_from_slice(&0x1234_5678_9000u64.to_le_bytes());
    queue.submit(&packet);
    rig.wait_event(event, 10_000);
}

#[test]
fn lines_tell_faults_and_resets_to_who_asked() {
    let rig = Rig::new(&chips::GFX90A);
    let mut wrong = SmiEventsArgs { gpuid: 1, anon_fd: 0 };
    assert_eq!(rig.gpu.call(&mut wrong), Err(Errno::EINVAL));
    let (mut faults, mut resets, mut nothing) = (open(&rig), open(&rig), open(&rig));
    drop(open(&rig));
    faults.write_all(&mask(&[SmiEvent::VMFAULT])).unwrap();
    resets.write_all(&mask(&[SmiEvent::GPU_PRE_RESET, SmiEvent::GPU_POST_RESET])).unwrap();
    assert_eq!(read(&mut faults), Err(ErrorKind::WouldBlock), "nothing yet, and no wait");
    fault(&rig);
    let name = std::fs::read_to_string("/proc/self/comm").unwrap();
    assert_eq!(read(&mut faults), Ok(format!("1 {:x}:{name}", std::process::id())));
    assert_eq!(read(&mut faults), Err(ErrorKind::WouldBlock), "told once");
    // A mask may change.
    faults.write_all(&mask(&[])).unwrap();
    fault(&rig);
    assert_eq!(read(&mut faults), Err(ErrorKind::WouldBlock));
    // A queue that cannot tell of its error in another way: no inactive signal.
    let queue = Queue::new(&rig);
    queue.amd_queue.set64(192 / 8, 0);
    let hardware = rig.create_event(EventType::HW_EXCEPTION, 0);
    let mut unknown = [0; 64];
    unknown[0] = 99;
    queue.submit(&unknown);
    rig.wait_event(hardware, 10_000);
    assert_eq!(read(&mut resets), Ok("3 1 queue error\n4 1 \n".to_owned()), "as much as there is");
    assert_eq!(read(&mut nothing), Err(ErrorKind::WouldBlock));
}

#[test]
fn closed_descriptors_leave_nothing() {
    let rig = Rig::new(&chips::GFX90A);
    let sockets = || {
        let files = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
        files
            .filter(|file| {
                std::fs::read_link(file.path())
                    .is_ok_and(|link| link.to_string_lossy().starts_with("socket:"))
            })
            .count()
    };
    let _one = open(&rig);
    (0..2000).for_each(|_| drop(open(&rig)));
    // Other tests of this process have a few.
    assert!(sockets() < 100, "{} sockets", sockets());
}
