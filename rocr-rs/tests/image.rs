//! Images and samplers: descriptors, parts in and out, and kernels whose image instructions go by the descriptors.

mod common;

use std::sync::Arc;

use common::{compile, emulated};
use rocr_rs::image::{
    Geometry, Image, ImageAccess, ImageDescriptor, ImageFormat, Region, Sampler, SamplerDescriptor,
};
use rocr_rs::{
    Agent, Executable, Memory, PoolKind, Queue, QueueKind, Runtime, Signal, SignalCondition, SignalKind,
    Status, Transfer,
};

const FLOATS: ImageFormat = ImageFormat { channel: 15, order: 8 };
const BYTES: ImageFormat = ImageFormat { channel: 2, order: 8 };
const SRGB: ImageFormat = ImageFormat { channel: 2, order: 14 };
const SHORTS: ImageFormat = ImageFormat { channel: 9, order: 3 };

fn descriptor(geometry: Geometry, [width, height, layers]: [u64; 3], format: ImageFormat) -> ImageDescriptor {
    ImageDescriptor { geometry, width, height, depth: layers, layers, format }
}

/// An image in memory of its own.
fn image(agent: &Agent, descriptor: &ImageDescriptor) -> (Image, Memory) {
    let layout = agent.image_layout(descriptor, ImageAccess::ReadWrite, 0, 0).unwrap();
    let memory = agent.pool(PoolKind::CoarseGrained).allocate(layout.size as usize).unwrap();
    let image = Image::new(agent, descriptor, memory.va(), ImageAccess::ReadWrite, 0, 0).unwrap();
    (image, memory)
}

/// By an engine: a test has no way to copy by address.
fn transfer(runtime: &Arc<Runtime>, transfer: Transfer) {
    runtime.set_engine_policy(rocr_rs::EnginePolicy::Always);
    let done = Signal::new(runtime, 1, SignalKind::Interrupt).unwrap();
    let choice = rocr_rs::EngineChoice::Any;
    runtime.transfer(transfer, choice, vec![], Some(done.clone()), false, || panic!("the host's")).unwrap();
    done.wait(SignalCondition::LT, 1, None, Default::default());
}

#[test]
fn parts_go_in_and_out_and_stay_apart() {
    let (runtime, gpu) = emulated("gfx90a");
    let of = descriptor(Geometry::D3, [20, 6, 4], SHORTS);
    let (image, memory) = image(&gpu, &of);
    let layout = image.layout();
    assert_eq!((layout.row_pitch, layout.slice_pitch, layout.size, layout.alignment), (256, 1536, 6144, 256));
    let beside = gpu.pool(PoolKind::CoarseGrained).allocate(1 << 16).unwrap();
    let bytes: Vec<u8> = (0..20 * 6 * 4 * 4u32).map(|at| (at * 7) as u8).collect();
    beside.write(0, &bytes).unwrap();
    let whole = Region { offset: [0; 3], range: [20, 6, 4] };
    transfer(&runtime, image.import(beside.va(), 0, 0, &whole).unwrap());
    let mut row = [0; 80];
    memory.read(2 * 1536 + 3 * 256, &mut row).unwrap();
    assert_eq!(row, bytes[(2 * 6 + 3) * 80..][..80]);
    // A part, with pitches of its own.
    let part = Region { offset: [3, 2, 1], range: [5, 3, 2] };
    transfer(&runtime, image.export(beside.va() + 4096, 64, 512, &part).unwrap());
    let mut seen = [0; 20];
    beside.read(4096 + 512 + 2 * 64, &mut seen).unwrap();
    assert_eq!(seen, bytes[((2 * 6 + 4) * 20 + 3) * 4..][..20]);
    let (clear, kept) = image.clear(&runtime, [1, (-2i32).cast_unsigned(), 0, 0], &part).unwrap();
    transfer(&runtime, clear);
    drop(kept);
    memory.read(2 * 1536 + 3 * 256, &mut row).unwrap();
    assert_eq!(row[12..32], [1, 0, 0xfe, 0xff].repeat(5));
    assert_eq!((&row[..12], &row[32..]), (&bytes[15 * 80..][..12], &bytes[15 * 80..][32..80]));

    let beyond = Region { offset: [16, 0, 0], range: [5, 1, 1] };
    assert!(image.export(beside.va(), 0, 0, &beyond).is_err());
    assert!(image.export(0, 0, 0, &whole).is_err());
    assert!(image.import(beside.va(), 79, 0, &whole).is_err());
    assert!(image.import(beside.va(), 80, 479, &whole).is_err());
}

#[test]
fn what_cannot_be_an_image_is_refused_with_the_reason() {
    let (_runtime, gpu) = emulated("gfx90a");
    let good = descriptor(Geometry::D2, [64, 64, 1], FLOATS);
    let status = |descriptor: &ImageDescriptor, row, slice| {
        gpu.image_layout(descriptor, ImageAccess::ReadOnly, row, slice).map_err(|error| error.status())
    };
    assert!(status(&good, 0, 0).is_ok() && status(&good, 2048, 2048 * 64).is_ok());
    let odd = ImageDescriptor { format: ImageFormat { channel: 4, order: 8 }, ..good };
    assert_eq!(status(&odd, 0, 0), Err(Status::ERROR_IMAGE_FORMAT_UNSUPPORTED));
    for width in [0, 16385, u64::MAX] {
        let wide = ImageDescriptor { width, ..good };
        assert_eq!(status(&wide, 0, 0), Err(Status::ERROR_IMAGE_SIZE_UNSUPPORTED));
    }
    for (row, slice) in [(1000, 0), (512, 0), (1040, 0), (2048, 100), (u64::MAX - 255, 0)] {
        assert_eq!(status(&good, row, slice), Err(Status::ERROR_IMAGE_PITCH_UNSUPPORTED), "{row} {slice}");
    }
    // Chips that compute alone have none.
    let (_other, gpu) = emulated("gfx942");
    assert_eq!(gpu.image_capability(Geometry::D2, FLOATS), 0);
    let refused = gpu.image_layout(&good, ImageAccess::ReadOnly, 0, 0).unwrap_err();
    assert_eq!(refused.status(), Status::ERROR_IMAGE_FORMAT_UNSUPPORTED);
}

/// Runs a kernel of one wave of 64 whose arguments are addresses.
fn run(agent: &Agent, code: &[u8], arguments: &[u64]) {
    let runtime = agent.runtime();
    let executable = Executable::new(runtime);
    executable.load(agent, code).unwrap();
    executable.freeze().unwrap();
    let kernel = executable.kernel("test").unwrap();
    let kernarg = agent.pool(PoolKind::Kernarg).allocate(4096).unwrap();
    let bytes: Vec<u8> = arguments.iter().flat_map(|argument| argument.to_le_bytes()).collect();
    kernarg.write(0, &bytes).unwrap();
    let (told, said) = std::sync::mpsc::channel();
    let queue =
        Queue::create(agent, 64, QueueKind::Multi, move |error| told.send(error.to_string()).unwrap());
    let queue = queue.unwrap();
    let done = Signal::new(runtime, 1, SignalKind::Interrupt).unwrap();
    let mut packet = kernel.dispatch([64, 1, 1], [64, 1, 1], kernarg.va());
    packet.completion_signal = done.handle();
    queue.submit(packet).unwrap();
    let wait = std::time::Duration::from_secs(20);
    let seen = done.wait(SignalCondition::LT, 1, Some(wait), Default::default());
    assert_eq!(seen, 0, "{:?}", said.try_recv());
}

/// What kernels have in common: an image's descriptor, a sampler's, and four floats of each lane.
const KERNEL: &str = "
typedef int words8 __attribute__((ext_vector_type(8)));
typedef int words4 __attribute__((ext_vector_type(4)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef int int3 __attribute__((ext_vector_type(3)));
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float3 __attribute__((ext_vector_type(3)));
typedef float float4 __attribute__((ext_vector_type(4)));
#define GLOBAL __attribute__((address_space(1)))
#define CONSTANT __attribute__((address_space(4)))
__attribute__((amdgpu_kernel)) void test(CONSTANT words8 *image, CONSTANT words4 *sampler, GLOBAL float4 *out, GLOBAL float4 *in) {
  int lane = __builtin_amdgcn_workitem_id_x();
  words8 t = *image;
  words4 s = *sampler;
  float4 data = in[lane];
  BODY
  out[lane] = data;
}
";

fn kernel(body: &str) -> Vec<u8> {
    compile("gfx90a", &KERNEL.replace("BODY", body), &[])
}

fn floats(memory: &Memory, count: usize) -> Vec<[f32; 4]> {
    let mut bytes = vec![0; count * 16];
    memory.read(0, &mut bytes).unwrap();
    let words: Vec<f32> =
        bytes.chunks_exact(4).map(|word| f32::from_le_bytes(word.try_into().unwrap())).collect();
    words.chunks_exact(4).map(|four| four.try_into().unwrap()).collect()
}

struct Rig {
    gpu: Agent,
    out: Memory,
    input: Memory,
    sampler: Sampler,
}

impl Rig {
    fn new(sampler: SamplerDescriptor) -> Rig {
        let (_, gpu) = emulated("gfx90a");
        let out = gpu.pool(PoolKind::CoarseGrained).allocate(4096).unwrap();
        let input = gpu.pool(PoolKind::CoarseGrained).allocate(4096).unwrap();
        let values: Vec<u8> = (0..256).flat_map(|at| (at as f32 / 256.0).to_le_bytes()).collect();
        input.write(0, &values).unwrap();
        let sampler = Sampler::new(&gpu, &sampler).unwrap();
        Rig { gpu, out, input, sampler }
    }

    /// What each lane has at the end.
    fn run(&self, image: &Image, body: &str) -> Vec<[f32; 4]> {
        let arguments = [image.handle(), self.sampler.handle(), self.out.va(), self.input.va()];
        run(&self.gpu, &kernel(body), &arguments);
        floats(&self.out, 64)
    }
}

const NEAREST: SamplerDescriptor = SamplerDescriptor { coordinates: 1, filter: 0, addressing: [1; 3] };

#[test]
fn kernels_load_and_store_elements() {
    let rig = Rig::new(NEAREST);
    let (image, memory) = image(&rig.gpu, &descriptor(Geometry::D2, [8, 4, 1], BYTES));
    for row in 0..4 {
        for column in 0..8u8 {
            memory.write(row * 256 + usize::from(column) * 4, &[column, row as u8, 255, 51]).unwrap();
        }
    }
    // Lane by lane over the rows, and twice as many rows as there are.
    let load = "int2 at = {lane % 8, lane / 8};
      asm volatile(\"image_load %0, %1, %2 dmask:0xf unorm\\n s_waitcnt vmcnt(0)\" : \"=v\"(data) : \"v\"(at), \"s\"(t));";
    for (lane, value) in rig.run(&image, load).into_iter().enumerate() {
        let wanted = [(lane % 8) as f32 / 255.0, (lane / 8) as f32 / 255.0, 1.0, 0.2];
        assert_eq!(value, if lane < 32 { wanted } else { [0.0; 4] }, "lane {lane}");
    }
    // Only green and alpha.
    let masked = "int2 at = {lane % 8, lane / 8}; float2 two = {9, 9};
      asm volatile(\"image_load %0, %1, %2 dmask:0xa unorm\\n s_waitcnt vmcnt(0)\" : \"=v\"(two) : \"v\"(at), \"s\"(t));
      data.x = two.x; data.y = two.y;";
    let seen = rig.run(&image, masked);
    assert_eq!(seen[9][..2], [1.0 / 255.0, 0.2]);
    let store = "int2 at = {lane % 8, lane / 8};
      asm volatile(\"image_store %0, %1, %2 dmask:0xf unorm\\n s_waitcnt vmcnt(0)\" :: \"v\"(data), \"v\"(at), \"s\"(t));";
    rig.run(&image, store);
    for lane in 0..32usize {
        let mut element = [0; 4];
        memory.read(lane / 8 * 256 + lane % 8 * 4, &mut element).unwrap();
        let wanted = [0, 1, 2, 3].map(|k| ((lane * 4 + k) as f64 / 256.0 * 255.0).round_ties_even() as u8);
        assert_eq!(element, wanted, "lane {lane}");
    }
    let info = "int4: ; int x, y; asm volatile(\"image_get_resinfo %0, %2, %3 dmask:0x1 unorm\\n image_get_resinfo %1, %2, %3 dmask:0x2 unorm\\n s_waitcnt vmcnt(0)\" : \"=&v\"(x), \"=&v\"(y) : \"v\"(0), \"s\"(t)); data.x = x; data.y = y;";
    assert_eq!(rig.run(&image, &info.replace("int4: ; ", ""))[5][..2], [8.0, 4.0]);
}

#[test]
fn layers_and_depths_are_found() {
    let rig = Rig::new(NEAREST);
    for geometry in [Geometry::D3, Geometry::D2Array] {
        let (image, memory) = image(&rig.gpu, &descriptor(geometry, [4, 4, 4], FLOATS));
        for at in 0..64u32 {
            let place = (at / 16 * 4 + at / 4 % 4) * 256 + at % 4 * 16;
            memory.write(place as usize, &(at as f32).to_le_bytes()).unwrap();
        }
        let da = if geometry == Geometry::D3 { "" } else { " da" };
        let load = "int3 at = {lane % 4, lane / 4 % 4, lane / 16};
          asm volatile(\"image_load %0, %1, %2 dmask:0xf unormDA\\n s_waitcnt vmcnt(0)\" : \"=v\"(data) : \"v\"(at), \"s\"(t));";
        let seen = rig.run(&image, &load.replace("DA", da));
        assert!(
            seen.iter().enumerate().all(|(lane, value)| value[0] == lane as f32),
            "{geometry:?}: {seen:?}"
        );
    }
}

#[test]
fn samplers_filter_and_bring_coordinates_in() {
    // Of a row of four elements 0, 1, 2, 3 at coordinates from -1 on, in eighths.
    let sample = "float x = (lane - 32) / SCALE;
      asm volatile(\"image_sample %0, %1, %2, %3 dmask:0xfUNORM\\n s_waitcnt vmcnt(0)\" : \"=v\"(data) : \"v\"(x), \"s\"(t), \"s\"(s));";
    let value = |element: i64, mode: u32| -> f64 {
        (match mode {
            1 => element.clamp(0, 3),
            2 => return if (0..4).contains(&element) { element as f64 } else { 0.0 },
            3 => element.rem_euclid(4),
            _ => {
                let at = element.rem_euclid(8);
                if at < 4 { at } else { 7 - at }
            }
        }) as f64
    };
    for filter in 0..2 {
        for mode in 1..5 {
            for coordinates in 0..2 {
                let rig = Rig::new(SamplerDescriptor { coordinates, filter, addressing: [mode; 3] });
                let (image, memory) = image(&rig.gpu, &descriptor(Geometry::D1, [4, 1, 1], FLOATS));
                for at in 0..4u32 {
                    memory.write(at as usize * 16, &(at as f32).to_le_bytes()).unwrap();
                }
                let (scale, bit) = if coordinates == 1 { ("32.0f", "") } else { ("8.0f", " unorm") };
                let seen = rig.run(&image, &sample.replace("SCALE", scale).replace("UNORM", bit));
                for (lane, seen) in seen.iter().enumerate() {
                    let at = (lane as f64 - 32.0) / 8.0;
                    let wanted = if filter == 0 {
                        value(at.floor() as i64, mode)
                    } else {
                        let (low, part) = ((at - 0.5).floor(), (at - 0.5) - (at - 0.5).floor());
                        value(low as i64, mode) * (1.0 - part) + value(low as i64 + 1, mode) * part
                    };
                    assert_eq!(f64::from(seen[0]), wanted, "filter {filter}, mode {mode}, at {at}");
                }
            }
        }
    }
}

#[test]
fn colours_of_srgb_images_are_linear_in_registers() {
    let rig = Rig::new(NEAREST);
    let of = descriptor(Geometry::D2, [4, 4, 1], SRGB);
    let layout = rig.gpu.image_layout(&of, ImageAccess::ReadOnly, 0, 0).unwrap();
    let memory = rig.gpu.pool(PoolKind::CoarseGrained).allocate(layout.size as usize).unwrap();
    let image = Image::new(&rig.gpu, &of, memory.va(), ImageAccess::ReadOnly, 0, 0).unwrap();
    memory.write(0, &[188, 255, 0, 128]).unwrap();
    let sample = "float2 at = {0.01f, 0.01f};
      asm volatile(\"image_sample %0, %1, %2, %3 dmask:0xf\\n s_waitcnt vmcnt(0)\" : \"=v\"(data) : \"v\"(at), \"s\"(t), \"s\"(s));";
    let [red, green, blue, alpha] = rig.run(&image, sample)[0];
    assert!((red - 0.502_886).abs() < 1e-5 && green == 1.0 && blue == 0.0, "{red} {green} {blue}");
    assert_eq!(alpha, 128.0 / 255.0);
}
