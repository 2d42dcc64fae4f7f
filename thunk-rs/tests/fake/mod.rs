//! A KFD that only keeps books: what was called, what is allocated, mapped, created; and that fails when told to.

#![allow(unsafe_code, reason = "answers mmap, and pointers in arguments, as a kernel would")]
#![allow(dead_code, reason = "each test file uses a part")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kfd_sys::aperture::{GetProcessAperturesNewArgs, ProcessDeviceApertures, SetMemoryPolicyArgs};
use kfd_sys::event::{CreateEventArgs, EventData, WaitEventsArgs, WaitResult};
use kfd_sys::ioctl::{self, number};
use kfd_sys::memory::{AllocFlags, AllocMemoryOfGpuArgs, FreeMemoryOfGpuArgs, MapMemoryToGpuArgs};
use kfd_sys::queue::CreateQueueArgs;
use kfd_sys::version::GetVersionArgs;
use kfd_sys::{DeviceFile, Errno, Kfd, Prot, mmap, read_arg, write_arg};
use parking_lot::Mutex;

pub const GPU_IDS: [u32; 2] = [51110, 40001];

#[derive(Default)]
pub struct State {
    /// Names of the ioctls, in order; the test may clear it.
    pub log: Vec<&'static str>,
    /// Last arguments of each ioctl.
    pub last: BTreeMap<&'static str, Vec<u8>>,
    /// Fail the ioctl of this name when it is called for the n-th time from now (1 is the next).
    pub fail: Vec<(&'static str, u32, Errno)>,
    /// Live allocations by handle.
    pub blocks: BTreeMap<u64, AllocMemoryOfGpuArgs>,
    /// Handle and GPU of what is mapped.
    pub mapped: BTreeSet<(u64, u32)>,
    /// Event and type.
    pub events: BTreeMap<u32, u32>,
    /// Queues that live.
    pub queues: BTreeSet<u32>,
    /// Handle of the event page.
    pub event_page: Option<u64>,
    /// Calls of mmap: file, offset, address, length.
    pub mmaps: Vec<(DeviceFile, u64, u64, u64)>,
    /// What waits answer: result, and what to write to the events' unions.
    pub wait: Option<(WaitResult, Vec<EventData>)>,
    /// GPUs whose doorbell was hinted at.
    pub hints: Vec<u32>,
    /// MAP and UNMAP stop after so many GPUs.
    pub map_at_most: Option<u32>,
    next: u64,
}

pub struct Fake {
    pub state: Mutex<State>,
    pub files: Mutex<BTreeMap<String, String>>,
    pub version: (u32, u32),
}

impl Fake {
    /// A machine with a host node and `gpus` MI250X.
    pub fn new(gpus: usize) -> Arc<Fake> {
        Fake::with(gpus, (1, 14))
    }

    pub fn with(gpus: usize, version: (u32, u32)) -> Arc<Fake> {
        let files = Mutex::new(tree(gpus).into_iter().collect());
        Arc::new(Fake { state: Mutex::default(), files, version })
    }

    /// The arguments that an ioctl was last called with, as they came back.
    pub fn last<A: kfd_sys::Ioctl>(&self) -> A {
        read_arg(&self.state.lock().last[A::NAME])
    }

    /// The names of the ioctls since the last call of this.
    pub fn take_log(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.state.lock().log)
    }

    pub fn fail(&self, name: &'static str, nth: u32, errno: Errno) {
        self.state.lock().fail.push((name, nth, errno));
    }

    /// Nothing is allocated, mapped or created.
    pub fn assert_empty(&self) {
        let state = self.state.lock();
        assert!(state.blocks.is_empty(), "allocations left: {:x?}", state.blocks);
        assert!(state.mapped.is_empty(), "mappings left: {:x?}", state.mapped);
        assert!(state.events.is_empty(), "events left: {:?}", state.events);
        assert!(state.queues.is_empty(), "queues left: {:?}", state.queues);
    }
}

impl Kfd for Fake {
    fn name(&self) -> String {
        "a fake".to_owned()
    }

    fn ioctl(&self, request: u32, arg: &mut [u8]) -> Result<(), Errno> {
        let name = ioctl::name_of(request).ok_or(Errno::ENOTTY)?;
        assert_eq!(ioctl::size(request), arg.len(), "{name}");
        let mut state = self.state.lock();
        state.log.push(name);
        let mut failed = None;
        for (which, nth, errno) in &mut state.fail {
            if *which == name {
                *nth = nth.saturating_sub(1);
                if *nth == 0 {
                    failed = Some(*errno);
                }
            }
        }
        state.fail.retain(|(_, nth, _)| *nth != 0);
        let result = match failed {
            Some(errno) => Err(errno),
            None => answer(self, &mut state, request, arg),
        };
        state.last.insert(name, arg.to_vec());
        result
    }

    fn open_render_node(&self, minor: u32) -> Result<i32, Errno> {
        if minor >= 128 { Ok(minor as i32) } else { Err(Errno::ENOENT) }
    }

    unsafe fn mmap(
        &self,
        file: DeviceFile,
        addr: u64,
        length: u64,
        prot: Prot,
        offset: u64,
    ) -> Result<(), Errno> {
        self.state.lock().mmaps.push((file, offset, addr, length));
        // SAFETY: the caller owns the range.
        let at = unsafe {
            libc::mmap(
                addr as *mut libc::c_void,
                length as usize,
                prot.bits() as i32,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
                -1,
                0,
            )
        };
        if at == libc::MAP_FAILED { Err(Errno::ENOMEM) } else { Ok(()) }
    }

    fn read_topology(&self, path: &str) -> Result<String, Errno> {
        self.files.lock().get(path).cloned().ok_or(Errno::ENOENT)
    }

    fn doorbell_hint(&self, gpu_id: u32) {
        self.state.lock().hints.push(gpu_id);
    }
}

fn answer(fake: &Fake, state: &mut State, request: u32, arg: &mut [u8]) -> Result<(), Errno> {
    match ioctl::nr(request) {
        number::GET_VERSION => {
            let (major_version, minor_version) = fake.version;
            write_arg(&GetVersionArgs { major_version, minor_version }, arg);
        }
        number::GET_PROCESS_APERTURES_NEW => {
            let mut args: GetProcessAperturesNewArgs = read_arg(arg);
            let gpus =
                fake.files.lock().keys().filter(|path| path.ends_with("mem_banks/0/used_memory")).count();
            let filled = gpus.min(args.num_of_nodes as usize);
            for (index, gpu_id) in GPU_IDS.iter().take(filled).enumerate() {
                let windows = ProcessDeviceApertures {
                    lds_base: 0x1_0000_0000_0000,
                    lds_limit: 0x1_0000_ffff_ffff,
                    scratch_base: 0x2_0000_0000_0000,
                    scratch_limit: 0x2_0000_ffff_ffff,
                    gpuvm_base: 0x100_0000,
                    gpuvm_limit: 0x7fff_ffff_ffff,
                    gpu_id: *gpu_id,
                    pad: 0,
                };
                let at = args.kfd_process_device_apertures_ptr as *mut ProcessDeviceApertures;
                // SAFETY: the caller says that there is room for `num_of_nodes`.
                unsafe { at.add(index).write(windows) };
            }
            args.num_of_nodes = filled as u32;
            write_arg(&args, arg);
        }
        number::SET_MEMORY_POLICY => {
            let args: SetMemoryPolicyArgs = read_arg(arg);
            assert!(GPU_IDS.contains(&args.gpu_id));
        }
        number::ALLOC_MEMORY_OF_GPU => {
            let mut args: AllocMemoryOfGpuArgs = read_arg(arg);
            assert!(GPU_IDS.contains(&args.gpu_id));
            assert_eq!(args.va_addr % 4096, 0);
            assert_eq!(args.size % 4096, 0);
            assert_eq!(args.mmap_offset != 0, args.alloc_flags().contains(AllocFlags::USERPTR));
            state.next += 1;
            args.handle = (u64::from(args.gpu_id) << 32) | state.next;
            args.mmap_offset = state.next << 32;
            state.blocks.insert(args.handle, args);
            write_arg(&args, arg);
        }
        number::FREE_MEMORY_OF_GPU => {
            let args: FreeMemoryOfGpuArgs = read_arg(arg);
            assert!(state.mapped.iter().all(|(handle, _)| *handle != args.handle), "freed while mapped");
            state.blocks.remove(&args.handle).ok_or(Errno::EINVAL)?;
        }
        number::MAP_MEMORY_TO_GPU | number::UNMAP_MEMORY_FROM_GPU => {
            let mut args: MapMemoryToGpuArgs = read_arg(arg);
            assert!(state.blocks.contains_key(&args.handle));
            while args.n_success < args.n_devices {
                if state.map_at_most.is_some_and(|most| args.n_success >= most) {
                    write_arg(&args, arg);
                    return Err(Errno::ENOMEM);
                }
                // SAFETY: the caller says that `n_devices` IDs are there.
                let gpu = unsafe { *(args.device_ids_array_ptr as *const u32).add(args.n_success as usize) };
                let changed = if ioctl::nr(request) == number::MAP_MEMORY_TO_GPU {
                    state.mapped.insert((args.handle, gpu))
                } else {
                    state.mapped.remove(&(args.handle, gpu))
                };
                assert!(changed, "mapped or unmapped twice");
                args.n_success += 1;
            }
            write_arg(&args, arg);
        }
        number::CREATE_EVENT => {
            let mut args: CreateEventArgs = read_arg(arg);
            match (state.event_page, args.event_page_offset) {
                (None, handle) if state.blocks.contains_key(&handle) => state.event_page = Some(handle),
                (Some(_), 0) => {}
                _ => return Err(Errno::EINVAL),
            }
            args.event_id = (1..).find(|id| !state.events.contains_key(id)).unwrap();
            args.event_slot_index = args.event_id;
            args.event_trigger_data = args.event_id;
            state.events.insert(args.event_id, args.event_type.0);
            write_arg(&args, arg);
        }
        number::DESTROY_EVENT => {
            state.events.remove(&read_arg::<u32>(arg)).ok_or(Errno::EINVAL)?;
        }
        number::WAIT_EVENTS => {
            let mut args: WaitEventsArgs = read_arg(arg);
            let (result, data) = state.wait.take().unwrap_or((WaitResult::TIMEOUT, Vec::new()));
            for (index, data) in data.iter().enumerate().take(args.num_events as usize) {
                // SAFETY: the caller says that `num_events` entries are there.
                unsafe { (*(args.events_ptr as *mut EventData).add(index)).data = data.data };
            }
            args.wait_result = result;
            write_arg(&args, arg);
        }
        number::CREATE_QUEUE => {
            let mut args: CreateQueueArgs = read_arg(arg);
            args.queue_id = (0..).find(|id| !state.queues.contains(id)).unwrap();
            let within = 8 * u64::from(args.queue_id + 3);
            args.doorbell_offset = mmap::offset(mmap::MmapType::DOORBELL, args.gpu_id, within);
            state.queues.insert(args.queue_id);
            write_arg(&args, arg);
        }
        number::DESTROY_QUEUE => {
            assert!(state.queues.remove(&read_arg::<u32>(arg)));
        }
        _ => {}
    }
    Ok(())
}

/// The topology tree of such a machine: path and text.
pub fn tree(gpus: usize) -> Vec<(String, String)> {
    let mut files = vec![
        ("generation_id".to_owned(), "1\n".to_owned()),
        ("system_properties".to_owned(), "platform_oem 0\nplatform_id 0\nplatform_rev 2\n".to_owned()),
        ("nodes/0/gpu_id".to_owned(), "0\n".to_owned()),
        ("nodes/0/name".to_owned(), "\n".to_owned()),
        (
            "nodes/0/properties".to_owned(),
            format!("cpu_cores_count 8\nsimd_count 0\nmem_banks_count 1\nio_links_count {gpus}\n"),
        ),
        (
            "nodes/0/mem_banks/0/properties".to_owned(),
            "heap_type 0\nsize_in_bytes 16777216000\nflags 0\nwidth 64\nmem_clk_max 3200\n".to_owned(),
        ),
    ];
    for (index, gpu_id) in GPU_IDS.iter().take(gpus).enumerate() {
        let node = index + 1;
        let link = |from: usize, to: usize| {
            format!(
                "type 2\nversion_major 0\nversion_minor 0\nnode_from {from}\nnode_to {to}\nweight 20\n\
                 min_latency 0\nmax_latency 0\nmin_bandwidth 312\nmax_bandwidth 16000\n\
                 recommended_transfer_size 0\nrecommended_sdma_engine_id_mask 0\nflags 1\n"
            )
        };
        let properties = format!(
            "cpu_cores_count 0\nsimd_count 440\nmem_banks_count 1\ncaches_count 2\nio_links_count 1\n\
             p2p_links_count 0\ncpu_core_id_base 0\nsimd_id_base 2147487744\nmax_waves_per_simd 8\n\
             lds_size_in_kb 64\ngds_size_in_kb 0\nnum_gws 64\nwave_front_size 64\narray_count 8\n\
             simd_arrays_per_engine 1\ncu_per_simd_array 14\nsimd_per_cu 4\nmax_slots_scratch_cu 32\n\
             gfx_target_version 90010\nvendor_id 4098\ndevice_id 29704\nlocation_id 768\ndomain 0\n\
             drm_render_minor {}\nhive_id 0\nnum_sdma_engines 2\nnum_sdma_xgmi_engines 3\n\
             num_sdma_queues_per_engine 8\nnum_cp_queues 24\nmax_engine_clk_fcompute 1700\n\
             local_mem_size 0\nfw_version 78\ncapability 746037888\ndebug_prop 1495\n\
             sdma_fw_version 8\nunique_id 13830554455654793216\nnum_xcc 1\n\
             max_engine_clk_ccompute 3000\n",
            128 + index
        );
        files.extend([
            (format!("nodes/{node}/gpu_id"), format!("{gpu_id}\n")),
            (format!("nodes/{node}/name"), "aldebaran\n".to_owned()),
            (format!("nodes/{node}/properties"), properties),
            (
                format!("nodes/{node}/mem_banks/0/properties"),
                "heap_type 1\nsize_in_bytes 68702699520\nflags 0\nwidth 4096\nmem_clk_max 1600\n".to_owned(),
            ),
            (format!("nodes/{node}/mem_banks/0/used_memory"), "0\n".to_owned()),
            (
                format!("nodes/{node}/caches/0/properties"),
                "processor_id_low 2147487744\nlevel 1\nsize 16\ncache_line_size 64\ncache_lines_per_tag 1\n\
                 association 64\nlatency 0\ntype 9\nsibling_map 1,0,0,0\n"
                    .to_owned(),
            ),
            (
                format!("nodes/{node}/caches/1/properties"),
                "processor_id_low 2147487744\nlevel 2\nsize 8192\ncache_line_size 128\n\
                 cache_lines_per_tag 1\nassociation 16\nlatency 0\ntype 9\nsibling_map 1,1,1,1\n"
                    .to_owned(),
            ),
            (format!("nodes/{node}/io_links/0/properties"), link(node, 0)),
            (format!("nodes/0/io_links/{index}/properties"), link(0, node)),
        ]);
    }
    files
}
