//! A thunk of a few lines: what the tests need to drive the device through `Kfd` alone.

#![allow(unsafe_code, reason = "reserves address space and reads memory that it shares with the device")]
#![allow(dead_code, reason = "each test file uses a part")]

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use amdgpu_emu::{Chip, EmulatedGpu, Options};
use hsa_sys::{AmdQueue, KernelDispatchPacket, PacketType};
use kfd_sys::aperture::AcquireVmArgs;
use kfd_sys::event::{CreateEventArgs, EventData, EventType, WaitEventsArgs, WaitResult};
use kfd_sys::memory::{
    AllocFlags, AllocMemoryOfGpuArgs, FreeMemoryOfGpuArgs, MapMemoryToGpuArgs, UnmapMemoryFromGpuArgs,
};
use kfd_sys::queue::{CreateQueueArgs, DestroyQueueArgs, QueueType};
use kfd_sys::{DeviceFile, Errno, Kfd, KfdExt as _, Prot};
use nix::sys::mman::{MapFlags, ProtFlags, mmap_anonymous};
use zerocopy::IntoBytes;

pub const VRAM: AllocFlags = AllocFlags::VRAM
    .union(AllocFlags::PUBLIC)
    .union(AllocFlags::WRITABLE)
    .union(AllocFlags::EXECUTABLE)
    .union(AllocFlags::NO_SUBSTITUTE);
pub const GTT: AllocFlags = AllocFlags::GTT
    .union(AllocFlags::WRITABLE)
    .union(AllocFlags::EXECUTABLE)
    .union(AllocFlags::NO_SUBSTITUTE)
    .union(AllocFlags::COHERENT);

/// What the device logged, printed as it comes.
pub static LOG: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());

struct Log;

impl tracing::Subscriber for Log {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() == "amdgpu_emu" && *metadata.level() == tracing::Level::ERROR
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        struct Text(String);
        impl tracing::field::Visit for Text {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                self.0 += &format!("{}={value:?} ", field.name());
            }
        }
        let mut text = Text(String::new());
        event.record(&mut text);
        println!("{}", text.0);
        LOG.lock().unwrap().push(text.0);
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

pub fn addr_of<T: ?Sized>(value: &T) -> u64 {
    std::ptr::from_ref(value).expose_provenance() as u64
}

/// Address space of that many bytes; leaked.
pub fn reserve(bytes: u64, prot: ProtFlags) -> u64 {
    let flags = MapFlags::MAP_PRIVATE | MapFlags::MAP_NORESERVE;
    // SAFETY: a new anonymous mapping at an address of the kernel's choice.
    let at = unsafe { mmap_anonymous(None, NonZeroUsize::new(bytes as usize).unwrap(), prot, flags) };
    at.unwrap().addr().get() as u64
}

/// Memory at an address that nobody gets by chance when it is free again: tests of one process run side by side.
pub fn reserve_apart(bytes: u64) -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0x2000_0000_0000);
    let at = NEXT.fetch_add(bytes.next_multiple_of(1 << 21), Ordering::Relaxed);
    let (prot, length) = (ProtFlags::PROT_READ | ProtFlags::PROT_WRITE, NonZeroUsize::new(bytes as usize));
    let flags = MapFlags::MAP_PRIVATE | MapFlags::MAP_NORESERVE | MapFlags::MAP_FIXED_NOREPLACE;
    // SAFETY: a new anonymous mapping where nothing is.
    unsafe { mmap_anonymous(NonZeroUsize::new(at as usize), length.unwrap(), prot, flags) }.unwrap();
    at
}

/// Gives address space of `reserve` back, whatever is mapped there.
pub fn release(at: u64, bytes: u64) {
    let pointer = std::ptr::with_exposed_provenance_mut(at as usize);
    // SAFETY: tests pass ranges of their own that they do not use again.
    unsafe { nix::sys::mman::munmap(std::ptr::NonNull::new(pointer).unwrap(), bytes as usize) }.unwrap();
}

/// Changes what the program may do with pages of its own.
pub fn protect(at: u64, bytes: u64, prot: ProtFlags) {
    let pointer = std::ptr::with_exposed_provenance_mut(at as usize);
    // SAFETY: tests pass ranges of their own, to which they have no references.
    unsafe { nix::sys::mman::mprotect(std::ptr::NonNull::new(pointer).unwrap(), bytes as usize, prot) }
        .unwrap();
}

/// Drops the contents of pages of the program.
pub fn forget(at: u64, bytes: u64) {
    let pointer = std::ptr::with_exposed_provenance_mut(at as usize);
    let advice = nix::sys::mman::MmapAdvise::MADV_DONTNEED;
    // SAFETY: as for `protect`.
    unsafe { nix::sys::mman::madvise(std::ptr::NonNull::new(pointer).unwrap(), bytes as usize, advice) }
        .unwrap();
}

/// Moves pages of the program elsewhere.
pub fn move_away(at: u64, bytes: u64) -> u64 {
    let pointer = std::ptr::with_exposed_provenance_mut(at as usize);
    let (length, flags) = (bytes as usize, nix::sys::mman::MRemapFlags::MREMAP_MAYMOVE);
    let to = reserve(bytes, ProtFlags::PROT_NONE);
    let to = std::ptr::NonNull::new(std::ptr::with_exposed_provenance_mut(to as usize));
    let flags = flags | nix::sys::mman::MRemapFlags::MREMAP_FIXED;
    let from = std::ptr::NonNull::new(pointer).unwrap();
    // SAFETY: both ranges are the test's own.
    unsafe { nix::sys::mman::mremap(from, length, length, flags, to) }.unwrap().addr().get() as u64
}

/// A descriptor that the device gave out.
pub fn adopt(descriptor: i32) -> std::fs::File {
    // SAFETY: the device has given it away.
    unsafe { std::os::fd::FromRawFd::from_raw_fd(descriptor) }
}

/// A file, mapped whole.
pub fn map_file(file: &std::fs::File, bytes: u64) -> u64 {
    let prot = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
    let length = NonZeroUsize::new(bytes as usize).unwrap();
    // SAFETY: a new mapping at an address of the kernel's choice.
    let at = unsafe { nix::sys::mman::mmap(None, length, prot, MapFlags::MAP_SHARED, file, 0) };
    at.unwrap().addr().get() as u64
}

/// Memory at a GPU address that is a host address too.
#[derive(Debug, Clone, Copy)]
pub struct Buffer {
    pub va: u64,
    pub size: u64,
    pub handle: u64,
}

impl Buffer {
    fn word32(&self, index: u64) -> &AtomicU32 {
        assert!(index * 4 + 4 <= self.size);
        // SAFETY: mapped by `Rig::allocate`, never unmapped while a test uses it, aligned, and shared as an atomic.
        unsafe { AtomicU32::from_ptr(std::ptr::with_exposed_provenance_mut((self.va + index * 4) as usize)) }
    }

    fn word64(&self, index: u64) -> &AtomicU64 {
        assert!(index * 8 + 8 <= self.size);
        // SAFETY: as for 32 bits.
        unsafe { AtomicU64::from_ptr(std::ptr::with_exposed_provenance_mut((self.va + index * 8) as usize)) }
    }

    pub fn get(&self, index: u64) -> u32 {
        self.word32(index).load(Ordering::Acquire)
    }

    pub fn set(&self, index: u64, value: u32) {
        self.word32(index).store(value, Ordering::Release);
    }

    pub fn get64(&self, index: u64) -> u64 {
        self.word64(index).load(Ordering::Acquire)
    }

    pub fn set64(&self, index: u64, value: u64) {
        self.word64(index).store(value, Ordering::Release);
    }

    /// Writes bytes at an offset; both are multiples of four.
    pub fn write(&self, offset: u64, bytes: &[u8]) {
        for (n, word) in (0..).zip(bytes.chunks(4)) {
            let mut whole = [0; 4];
            whole[..word.len()].copy_from_slice(word);
            self.set(offset / 4 + n, u32::from_le_bytes(whole));
        }
    }
}

/// A process with one emulated GPU.
pub struct Rig {
    pub gpu: Arc<EmulatedGpu>,
    pub gpu_id: u32,
    pub minor: u32,
}

impl Rig {
    pub fn new(chip: &'static Chip) -> Rig {
        Rig::with_threads(chip, None)
    }

    pub fn with_threads(chip: &'static Chip, threads: Option<usize>) -> Rig {
        let mut options = Options::default();
        options.threads = threads;
        Rig::with_options(chip, options)
    }

    pub fn with_options(chip: &'static Chip, options: Options) -> Rig {
        // Another test may have been first.
        let _ = tracing::subscriber::set_global_default(Log);
        let gpu = EmulatedGpu::new(&[chip], options);
        let gpu_id = gpu.read_topology("nodes/1/gpu_id").unwrap().trim().parse().unwrap();
        let rig = Rig { gpu, gpu_id, minor: 128 };
        let file = rig.gpu.open_render_node(rig.minor).unwrap();
        let mut acquire = AcquireVmArgs { drm_fd: file.cast_unsigned(), gpu_id };
        rig.gpu.call(&mut acquire).unwrap();
        rig
    }

    pub fn try_alloc(&self, va: u64, size: u64, flags: AllocFlags, user: u64) -> Result<(u64, u64), Errno> {
        let mut args = AllocMemoryOfGpuArgs {
            va_addr: va,
            size,
            mmap_offset: user,
            gpu_id: self.gpu_id,
            flags: flags.bits(),
            ..Default::default()
        };
        self.gpu.call(&mut args)?;
        Ok((args.handle, args.mmap_offset))
    }

    pub fn map(&self, handle: u64) -> Result<u32, Errno> {
        let ids = [self.gpu_id];
        let mut args =
            MapMemoryToGpuArgs { handle, device_ids_array_ptr: addr_of(&ids), n_devices: 1, n_success: 0 };
        self.gpu.call(&mut args).map(|()| args.n_success)
    }

    pub fn unmap(&self, handle: u64) -> Result<u32, Errno> {
        let ids = [self.gpu_id];
        let mut args = UnmapMemoryFromGpuArgs {
            handle,
            device_ids_array_ptr: addr_of(&ids),
            n_devices: 1,
            n_success: 0,
        };
        self.gpu.call(&mut args).map(|()| args.n_success)
    }

    pub fn mmap(&self, file: DeviceFile, va: u64, size: u64, offset: u64) -> Result<(), Errno> {
        // SAFETY: all callers pass address space of `reserve`.
        unsafe { self.gpu.mmap(file, va, size, Prot::READ | Prot::WRITE, offset) }
    }

    /// Memory that host and GPU can reach.
    pub fn allocate(&self, size: u64, flags: AllocFlags) -> Buffer {
        let size = size.next_multiple_of(4096);
        let va = reserve(size, ProtFlags::PROT_NONE);
        let (handle, offset) = self.try_alloc(va, size, flags, 0).unwrap();
        self.mmap(DeviceFile::Render(self.minor), va, size, offset).unwrap();
        assert_eq!(self.map(handle), Ok(1));
        Buffer { va, size, handle }
    }

    /// Gives memory of `allocate` back.
    pub fn free(&self, buffer: &Buffer) {
        assert_eq!(self.unmap(buffer.handle), Ok(1));
        self.gpu.call(&mut FreeMemoryOfGpuArgs { handle: buffer.handle }).unwrap();
        release(buffer.va, buffer.size);
    }

    /// Memory of the program that the GPU can reach.
    pub fn register(&self, at: u64, size: u64) -> Buffer {
        let flags = AllocFlags::USERPTR | AllocFlags::WRITABLE | AllocFlags::EXECUTABLE;
        let (handle, _) = self.try_alloc(at, size, flags, at).unwrap();
        assert_eq!(self.map(handle), Ok(1));
        Buffer { va: at, size, handle }
    }

    pub fn create_event(&self, kind: EventType, page: u64) -> u32 {
        let mut args = CreateEventArgs {
            event_page_offset: page,
            event_type: kind,
            auto_reset: (kind == EventType::SIGNAL).into(),
            ..Default::default()
        };
        self.gpu.call(&mut args).unwrap();
        args.event_id
    }

    pub fn wait_event(&self, id: u32, ms: u32) -> (WaitResult, EventData) {
        let mut data = [EventData::new(id)];
        let mut args = WaitEventsArgs {
            events_ptr: std::ptr::from_mut(&mut data).expose_provenance() as u64,
            num_events: 1,
            timeout: ms,
            ..Default::default()
        };
        self.gpu.call(&mut args).unwrap();
        (args.wait_result, data[0])
    }
}

/// An AQL queue with 64 packets and an inactive signal.
pub struct Queue<'a> {
    pub rig: &'a Rig,
    pub id: u32,
    pub amd_queue: Buffer,
    pub ring: Buffer,
    pub inactive: Buffer,
    pub doorbell_offset: u64,
}

pub const PACKETS: u64 = 64;

/// Offsets in 8-byte words.
const WRITE_INDEX: u64 = 56 / 8;
const READ_INDEX: u64 = 128 / 8;
const INACTIVE: u64 = 192 / 8;
/// The value of a signal, in 8-byte words.
const VALUE: u64 = 1;

impl<'a> Queue<'a> {
    pub fn new(rig: &'a Rig) -> Queue<'a> {
        let amd_queue = rig.allocate(size_of::<AmdQueue>() as u64, GTT);
        let ring = rig.allocate(PACKETS * 64, GTT);
        for slot in 0..PACKETS {
            ring.set(slot * 16, 1);
        }
        let inactive = rig.allocate(64, GTT);
        amd_queue.set64(INACTIVE, inactive.va);
        let mut args = CreateQueueArgs {
            ring_base_address: ring.va,
            write_pointer_address: amd_queue.va + 56,
            read_pointer_address: amd_queue.va + 128,
            ring_size: (PACKETS * 64) as u32,
            gpu_id: rig.gpu_id,
            queue_type: QueueType::COMPUTE_AQL,
            queue_percentage: 100,
            queue_priority: 7,
            ..Default::default()
        };
        rig.gpu.call(&mut args).unwrap();
        Queue { rig, id: args.queue_id, amd_queue, ring, inactive, doorbell_offset: args.doorbell_offset }
    }

    /// Publishes a packet and rings.
    pub fn submit(&self, packet: &[u8; 64]) {
        self.submit_quietly(packet);
        self.rig.gpu.doorbell_hint(self.rig.gpu_id);
    }

    /// Publishes a packet; the device has to find it by looking.
    pub fn submit_quietly(&self, packet: &[u8; 64]) {
        let index = self.amd_queue.get64(WRITE_INDEX);
        wait_for("room in the ring", || index - self.amd_queue.get64(READ_INDEX) < PACKETS);
        self.amd_queue.set64(WRITE_INDEX, index + 1);
        let at = index % PACKETS * 64;
        self.ring.write(at + 4, &packet[4..]);
        self.ring.write(at, &packet[..4]);
    }

    pub fn read_index(&self) -> u64 {
        self.amd_queue.get64(READ_INDEX)
    }

    pub fn inactive_value(&self) -> u64 {
        self.inactive.get64(VALUE)
    }

    pub fn signal(&self, value: i64) -> Buffer {
        let signal = self.rig.allocate(64, GTT);
        signal.set64(0, 1);
        signal.set64(VALUE, value.cast_unsigned());
        signal
    }

    /// Submits a packet and waits until its signal, which starts at 1, is 0.
    pub fn run(&self, what: &str, packet: &[u8; 64], done: &Buffer) {
        self.submit(packet);
        wait_for(what, || signal_value(done) == 0 || self.inactive_value() != 0);
        assert_eq!(self.inactive_value(), 0, "{what}: the queue stopped");
    }

    /// Gives the queue scratch memory for kernels that want so many bytes a lane, as a runtime does.
    pub fn give_scratch(&self, private: u32) {
        let lane_bytes = private.next_multiple_of(16);
        let (wave_bytes, slots) = (u64::from(lane_bytes) * 64, 64);
        let scratch = self.rig.allocate(wave_bytes * slots, VRAM);
        let amd_queue = &self.amd_queue;
        amd_queue.set(140 / 4, ((wave_bytes / 1024) << 12 | slots) as u32);
        amd_queue.set(144 / 4, scratch.va as u32);
        amd_queue.set(148 / 4, (scratch.va >> 32) as u32 | 0x8000_0000);
        amd_queue.set(152 / 4, scratch.size as u32);
        amd_queue.set(156 / 4, 0x00ea_4fac);
        amd_queue.set64(160 / 8, scratch.va);
        amd_queue.set64(168 / 8, scratch.size);
        amd_queue.set(176 / 4, lane_bytes);
    }

    pub fn destroy(&self) {
        let mut args = DestroyQueueArgs { queue_id: self.id, pad: 0 };
        self.rig.gpu.call(&mut args).unwrap();
    }
}

pub fn signal_value(signal: &Buffer) -> i64 {
    signal.get64(VALUE).cast_signed()
}

pub fn set_signal(signal: &Buffer, value: i64) {
    signal.set64(VALUE, value.cast_unsigned());
}

pub fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < deadline, "waited too long for {what}");
        std::thread::yield_now();
    }
}

/// A barrier packet on up to five signals.
pub fn barrier(kind: PacketType, signals: &[&Buffer], completion: Option<&Buffer>) -> [u8; 64] {
    let mut packet = [0; 64];
    packet[0] = kind.0;
    for (n, signal) in signals.iter().enumerate() {
        packet[8 + 8 * n..16 + 8 * n].copy_from_slice(&signal.va.to_le_bytes());
    }
    packet[56..].copy_from_slice(&completion.map_or(0, |signal| signal.va).to_le_bytes());
    packet
}

/// Kernels of `tests/kernels/basic.cl`, loaded into the GPU's memory.
pub struct Kernels {
    base: u64,
    symbols: Vec<(String, u64)>,
    sizes: Vec<(String, u32, u32)>,
    /// The code object.
    pub object: Vec<u8>,
}

impl Kernels {
    /// Compiles and loads them. A test that needs a compiler fails without one.
    pub fn load(rig: &Rig, chip: &str) -> Kernels {
        let folder = tempfile::tempdir().unwrap();
        let object = folder.path().join("basic.co");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/basic.cl");
        // clang 19 does not know gfx950, which runs what these kernels are made of for its forerunner.
        let processor = if chip == "gfx950" { "gfx942" } else { chip };
        let clang = std::env::var("ROCRS_TEST_CLANG").unwrap_or_else(|_| "clang-19".into());
        let status = std::process::Command::new(clang)
            .args(["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-O2"])
            .args(["-fuse-ld=lld", "-mcode-object-version=4", &format!("-mcpu={processor}"), source, "-o"])
            .arg(&object)
            .status();
        let status = status.expect("this test compiles kernels: apt-get install -y clang-19 lld-19");
        assert!(status.success(), "clang does not compile basic.cl for {chip}");
        let bytes = std::fs::read(&object).unwrap();
        let code = amd_codeobj::CodeObject::parse(&bytes).unwrap();
        let memory = rig.allocate(code.load_size(), VRAM);
        for segment in code.segments() {
            memory.write(segment.vaddr, segment.data);
        }
        let symbols =
            code.symbols().unwrap().map(|s| s.unwrap()).map(|s| (s.name.to_owned(), s.value)).collect();
        let metadata = code.metadata().unwrap();
        let sizes = metadata
            .kernels
            .iter()
            .map(|k| (k.name.clone(), k.group_segment_fixed_size, k.private_segment_fixed_size))
            .collect();
        Kernels { base: memory.va, symbols, sizes, object: bytes }
    }

    /// A dispatch packet of one dimension.
    pub fn packet(
        &self,
        name: &str,
        grid: u32,
        group: u16,
        kernarg: u64,
        signal: u64,
    ) -> KernelDispatchPacket {
        let kd = format!("{name}.kd");
        let (_, value) = self.symbols.iter().find(|(symbol, _)| *symbol == kd).unwrap();
        let (_, lds, private) = self.sizes.iter().find(|(kernel, ..)| kernel == name).unwrap();
        KernelDispatchPacket {
            header: hsa_sys::Header(0x0b02),
            setup: 1,
            workgroup_size_x: group,
            workgroup_size_y: 1,
            workgroup_size_z: 1,
            grid_size_x: grid,
            grid_size_y: 1,
            grid_size_z: 1,
            private_segment_size: *private,
            group_segment_size: *lds,
            kernel_object: self.base + value,
            kernarg_address: kernarg,
            completion_signal: hsa_sys::SignalHandle(signal),
            ..Default::default()
        }
    }
}

pub fn bytes_of(packet: &KernelDispatchPacket) -> [u8; 64] {
    packet.as_bytes().try_into().unwrap()
}
