//! Calls that need a device and no kernel, on whatever device `ROCRS_DEVICE` chooses: the emulated one by default.

use hip_rt::ffi::{In, Out, Text};
use hip_sys::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

const OK: hipError_t = hipError_t::SUCCESS;

fn malloc(size: usize) -> *mut c_void {
    let mut pointer = null_mut();
    assert_eq!(hip_rt::hipMalloc(Out::new(&mut pointer), size), OK);
    pointer
}

fn at(pointer: *mut c_void, offset: usize) -> *mut c_void {
    pointer.wrapping_byte_add(offset)
}

fn to_host(from: *const c_void, len: usize) -> Vec<u8> {
    let mut bytes = vec![0u8; len];
    assert_eq!(hip_rt::hipMemcpy(bytes.as_mut_ptr().cast(), from, len, hipMemcpyKind::DEVICE_TO_HOST), OK);
    bytes
}

fn to_device(bytes: &[u8]) -> *mut c_void {
    let pointer = malloc(bytes.len());
    assert_eq!(
        hip_rt::hipMemcpy(pointer, bytes.as_ptr().cast(), bytes.len(), hipMemcpyKind::HOST_TO_DEVICE),
        OK
    );
    pointer
}

#[test]
fn a_device_has_properties_in_both_layouts() {
    let (mut count, mut old, mut new) = (0, None, None);
    assert_eq!(hip_rt::hipGetDeviceCount(Out::new(&mut count)), OK);
    assert!(count >= 1);
    let mut r0000 = std::mem::MaybeUninit::<hipDeviceProp_tR0000>::zeroed();
    let mut r0600 = std::mem::MaybeUninit::<hipDeviceProp_tR0600>::zeroed();
    #[allow(unsafe_code, reason = "all-zero bytes are a value of these structs")]
    // SAFETY: integers, arrays of integers and pointers only.
    unsafe {
        let place = r0000.assume_init_mut();
        assert_eq!(hip_rt::hipGetDeviceProperties(Out::new(place), 0), OK);
        old.replace(*place);
        let place = r0600.assume_init_mut();
        assert_eq!(hip_rt::hipGetDevicePropertiesR0600(Out::new(place), 0), OK);
        new.replace(*place);
    }
    let (old, new) = (old.unwrap(), new.unwrap());
    assert_eq!(old.gcnArchName, new.gcnArchName);
    assert!(old.gcnArchName.starts_with(b"gfx"));
    assert_eq!((old.warpSize, old.totalGlobalMem), (new.warpSize, new.totalGlobalMem));
    for (attribute, want) in [
        (hipDeviceAttribute_t::WARP_SIZE, old.warpSize),
        (hipDeviceAttribute_t::MULTIPROCESSOR_COUNT, old.multiProcessorCount),
        (hipDeviceAttribute_t::MAX_THREADS_PER_BLOCK, old.maxThreadsPerBlock),
    ] {
        let mut value = -1;
        assert_eq!(hip_rt::hipDeviceGetAttribute(Out::new(&mut value), attribute, 0), OK);
        assert_eq!(value, want, "{attribute:?}");
    }
    let mut value = 0;
    let unknown = hip_rt::hipDeviceGetAttribute(Out::new(&mut value), hipDeviceAttribute_t(5000), 0);
    assert_eq!(unknown, hipError_t::INVALID_VALUE);
    assert_eq!(hip_rt::hipSetDevice(99), hipError_t::INVALID_DEVICE);

    let mut text = [0; 64];
    assert_eq!(hip_rt::hipDeviceGetPCIBusId(Out::new(&mut text[0]), 64, 0), OK);
    let text: Vec<u8> = text.iter().map(|byte| *byte as u8).take_while(|byte| *byte != 0).collect();
    assert_eq!(String::from_utf8(text).unwrap().len(), "0000:00:00.0".len());
    assert_eq!(
        hip_rt::hipDeviceGetByPCIBusId(Out::new(&mut value), Text::new(c"nonsense")),
        hipError_t::INVALID_VALUE
    );
}

#[test]
fn copies_keep_to_their_allocations() {
    let bytes: Vec<u8> = (0..=255).collect();
    let a = to_device(&bytes);
    let b = malloc(256);
    assert_eq!(hip_rt::hipMemset(b, 0xee, 256), OK);
    assert_eq!(hip_rt::hipMemcpyDtoD(hipDeviceptr_t(at(b, 3)), hipDeviceptr_t(at(a, 5)), 100), OK);
    let back = to_host(b, 256);
    assert_eq!(back[..3], [0xee; 3]);
    assert_eq!(back[3..103], bytes[5..105]);
    assert_eq!(back[103..], [0xee; 153]);

    let beyond = hip_rt::hipMemcpy(at(b, 200), bytes.as_ptr().cast(), 57, hipMemcpyKind::HOST_TO_DEVICE);
    assert_eq!(beyond, hipError_t::INVALID_VALUE);
    assert_eq!(hip_rt::hipMemset(at(b, 1), 0, 256), hipError_t::INVALID_VALUE);
    assert_eq!(
        hip_rt::hipMemcpy(b, a, 8, hipMemcpyKind(17)),
        hipError_t::INVALID_MEMCPY_DIRECTION,
        "a direction that is none"
    );
    assert_eq!(hip_rt::hipFree(at(a, 1)), hipError_t::INVALID_VALUE);
    assert_eq!(hip_rt::hipFree(a), OK);
    assert_eq!(hip_rt::hipFree(a), hipError_t::INVALID_VALUE, "freed twice");
    assert_eq!(hip_rt::hipFree(b), OK);
}

#[test]
fn pitched_copies_and_fills() {
    let (mut pointer, mut pitch) = (null_mut(), 0);
    assert_eq!(hip_rt::hipMallocPitch(Out::new(&mut pointer), Out::new(&mut pitch), 10, 4), OK);
    assert!(pitch >= 10);
    assert_eq!(hip_rt::hipMemset2D(pointer, pitch, 7, 10, 4), OK);
    let source: Vec<u8> = (0..32).collect();
    let kind = hipMemcpyKind::HOST_TO_DEVICE;
    assert_eq!(hip_rt::hipMemcpy2D(at(pointer, pitch), pitch, source.as_ptr().cast(), 8, 8, 2, kind), OK);
    let mut back = [0u8; 40];
    let kind = hipMemcpyKind::DEVICE_TO_HOST;
    assert_eq!(hip_rt::hipMemcpy2D(back.as_mut_ptr().cast(), 10, pointer, pitch, 10, 4, kind), OK);
    assert_eq!(back[..10], [7; 10]);
    assert_eq!(back[10..20], [0, 1, 2, 3, 4, 5, 6, 7, 7, 7]);
    assert_eq!(back[20..30], [8, 9, 10, 11, 12, 13, 14, 15, 7, 7]);
    assert_eq!(back[30..], [7; 10]);
    let narrow = hip_rt::hipMemcpy2D(back.as_mut_ptr().cast(), 9, pointer, pitch, 10, 4, kind);
    assert_eq!(narrow, hipError_t::INVALID_PITCH_VALUE);
    assert_eq!(hip_rt::hipFree(pointer), OK);

    let words = malloc(16);
    assert_eq!(hip_rt::hipMemsetD32(hipDeviceptr_t(words), 0x0102_0304, 2), OK);
    assert_eq!(hip_rt::hipMemsetD16(hipDeviceptr_t(at(words, 8)), 0x0506, 2), OK);
    assert_eq!(hip_rt::hipMemsetD8(hipDeviceptr_t(at(words, 12)), 9, 4), OK);
    assert_eq!(to_host(words, 16), [4, 3, 2, 1, 4, 3, 2, 1, 6, 5, 6, 5, 9, 9, 9, 9]);
    assert_eq!(hip_rt::hipFree(words), OK);
}

#[test]
fn what_is_known_of_a_pointer() {
    let device = malloc(1000);
    let mut host = null_mut();
    assert_eq!(hip_rt::hipHostMalloc(Out::new(&mut host), 500, HostMallocFlags::MAPPED.0), OK);
    let mut managed = null_mut();
    assert_eq!(hip_rt::hipMallocManaged(Out::new(&mut managed), 100, MemAttachFlags::GLOBAL.0), OK);
    let of = |pointer: *mut c_void| {
        let mut attributes = hipPointerAttribute_t {
            memoryType: Numbered::new(hipMemoryType::ARRAY, Major::Five),
            device: -1,
            devicePointer: null_mut(),
            hostPointer: null_mut(),
            isManaged: -1,
            allocationFlags: 77,
        };
        let result = hip_rt::hipPointerGetAttributes(Out::new(&mut attributes), pointer);
        (result, attributes)
    };
    let (result, found) = of(at(device, 10));
    assert_eq!(
        (result, found.memoryType.get(Major::Five), found.device),
        (OK, Some(hipMemoryType::DEVICE), 0)
    );
    assert_eq!((found.devicePointer, found.hostPointer, found.isManaged), (at(device, 10), null_mut(), 0));
    let (result, found) = of(host);
    assert_eq!(
        (result, found.memoryType.get(Major::Five), found.allocationFlags),
        (OK, Some(hipMemoryType::HOST), 2)
    );
    assert_eq!(of(managed).1.isManaged, 1);
    let mut stranger = 5u32;
    assert_eq!(of((&raw mut stranger).cast()).0, hipError_t::INVALID_VALUE);

    let (mut base, mut size) = (hipDeviceptr_t::NULL, 0);
    let inside = hipDeviceptr_t(at(device, 999));
    assert_eq!(hip_rt::hipMemGetAddressRange(Out::new(&mut base), Out::new(&mut size), inside), OK);
    assert_eq!((base.0, size), (device, 1000));
    assert_eq!(hip_rt::hipFree(device), OK);
    assert_eq!(hip_rt::hipHostFree(host), OK);
    assert_eq!(hip_rt::hipFree(managed), OK);
}

static CALLED: AtomicU32 = AtomicU32::new(0);

extern "C" fn called(_: hipStream_t, status: hipError_t, data: *mut c_void) {
    assert_eq!(status, OK);
    // The number that each call expects says that they come in order.
    assert_eq!(CALLED.fetch_add(1, Ordering::SeqCst), data.addr() as u32);
}

#[test]
fn host_work_keeps_the_order_of_its_stream() {
    let mut stream = hipStream_t::NULL;
    assert_eq!(hip_rt::hipStreamCreateWithFlags(Out::new(&mut stream), StreamFlags::NON_BLOCKING.0), OK);
    for at in 0..100 {
        let data = std::ptr::without_provenance_mut(at);
        assert_eq!(hip_rt::hipStreamAddCallback(stream, Some(called), data, 0), OK);
    }
    assert_eq!(hip_rt::hipStreamSynchronize(stream), OK);
    assert_eq!(CALLED.load(Ordering::SeqCst), 100);
    assert_eq!(hip_rt::hipStreamQuery(stream), OK);
    assert_eq!(hip_rt::hipStreamDestroy(stream), OK);
    assert_eq!(hip_rt::hipStreamDestroy(stream), hipError_t::CONTEXT_IS_DESTROYED);
    assert_eq!(hip_rt::hipStreamSynchronize(stream), hipError_t::CONTEXT_IS_DESTROYED);
}

#[test]
fn an_event_holds_another_stream_back() {
    let (mut first, mut second, mut event) = (hipStream_t::NULL, hipStream_t::NULL, hipEvent_t::NULL);
    assert_eq!(hip_rt::hipStreamCreate(Out::new(&mut first)), OK);
    assert_eq!(hip_rt::hipStreamCreate(Out::new(&mut second)), OK);
    assert_eq!(hip_rt::hipEventCreate(Out::new(&mut event)), OK);
    let gate = to_device(&[0; 8]);
    let copy = to_device(&[9; 8]);
    // The first stream waits for a word that only the host sets; the second, behind it, copies the word.
    assert_eq!(hip_rt::hipStreamWaitValue32(first, gate, 5, 1, u32::MAX), OK);
    assert_eq!(hip_rt::hipEventRecord(event, first), OK);
    assert_eq!(hip_rt::hipStreamWaitEvent(second, event, 0), OK);
    assert_eq!(hip_rt::hipMemcpyDtoDAsync(hipDeviceptr_t(copy), hipDeviceptr_t(gate), 4, second), OK);
    assert_eq!(hip_rt::hipEventQuery(event), hipError_t::NOT_READY);
    assert_eq!(hip_rt::hipStreamQuery(second), hipError_t::NOT_READY);
    let (mut own, mut milliseconds) = (hipStream_t::NULL, 0.0);
    assert_eq!(hip_rt::hipEventElapsedTime(Out::new(&mut milliseconds), event, event), hipError_t::NOT_READY);
    assert_eq!(hip_rt::hipStreamCreateWithFlags(Out::new(&mut own), 1), OK);
    assert_eq!(hip_rt::hipMemsetD32Async(hipDeviceptr_t(gate), 5, 1, own), OK);
    assert_eq!(hip_rt::hipStreamSynchronize(second), OK);
    assert_eq!(hip_rt::hipEventSynchronize(event), OK);
    let mut word = [0u8; 4];
    let kind = hipMemcpyKind::DEVICE_TO_HOST;
    assert_eq!(hip_rt::hipMemcpyWithStream(word.as_mut_ptr().cast(), copy, 4, kind, own), OK);
    assert_eq!(word, [5, 0, 0, 0]);
    assert_eq!(hip_rt::hipEventElapsedTime(Out::new(&mut milliseconds), event, event), OK);
    for stream in [first, second, own] {
        assert_eq!(hip_rt::hipStreamDestroy(stream), OK);
    }
    assert_eq!(hip_rt::hipEventDestroy(event), OK);
    assert_eq!(hip_rt::hipEventSynchronize(event), hipError_t::INVALID_RESOURCE_HANDLE);
}

#[test]
fn images_that_are_none_are_refused() {
    let mut module = hipModule_t::NULL;
    let load = |module: &mut hipModule_t, image: &[u8]| {
        hip_rt::hipModuleLoadData(Out::new(module), image.as_ptr().cast())
    };
    assert_eq!(load(&mut module, b"neither a bundle nor a code object"), hipError_t::INVALID_IMAGE);
    let mut bundle = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bundle.extend([0xff; 64]);
    assert_eq!(load(&mut module, &bundle), hipError_t::INVALID_IMAGE);
    let mut elf = b"\x7fELF\x02\x01\x01\x40\x02".to_vec();
    elf.resize(4096, 0);
    assert_eq!(load(&mut module, &elf), hipError_t::INVALID_KERNEL_FILE);
    assert_eq!(
        hip_rt::hipModuleLoad(Out::new(&mut module), Text::new(c"/no/such/file")),
        hipError_t::FILE_NOT_FOUND
    );
    let mut function = hipFunction_t::NULL;
    let name = Text::new(c"k");
    assert_eq!(
        hip_rt::hipModuleGetFunction(Out::new(&mut function), module, name),
        hipError_t::INVALID_RESOURCE_HANDLE
    );
    let launched = hip_rt::hipModuleLaunchKernel(
        function,
        1,
        1,
        1,
        1,
        1,
        1,
        0,
        hipStream_t::NULL,
        In::null(),
        In::null(),
    );
    assert_eq!(launched, hipError_t::INVALID_RESOURCE_HANDLE);
}

#[test]
fn memory_that_is_freed_again_and_again_is_not_lost() {
    let free = || {
        let (mut free, mut total) = (0, 0);
        assert_eq!(hip_rt::hipMemGetInfo(Out::new(&mut free), Out::new(&mut total)), OK);
        free
    };
    let before = free();
    let mut addresses = std::collections::BTreeSet::new();
    for round in 0..200 {
        let pointer = malloc(5000);
        // The last ones are pieces that were kept.
        if round >= 100 {
            addresses.insert(pointer.addr());
        }
        assert_eq!(hip_rt::hipFree(pointer), OK);
        assert_eq!(hip_rt::hipFree(pointer), hipError_t::INVALID_VALUE, "twice");
    }
    assert!(addresses.len() < 100, "{} places", addresses.len());
    // Other tests run at the same time and have megabytes.
    assert!(before.saturating_sub(free()) < 64 << 20);
}
