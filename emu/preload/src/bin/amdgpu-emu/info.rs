//! `amdgpu-emu info`: the emulated GPUs, with the numbers that their topology nodes say.

use std::collections::BTreeMap;
use std::process::ExitCode;

use amdgpu_emu::{EmulatedGpu, Options, chips};
use comfy_table::{Table, presets};
use kfd_sys::Kfd as _;
use serde::Serialize;

use crate::run;

/// A GPU, as KFD's topology describes it.
#[derive(Serialize)]
struct Gpu {
    name: String,
    product: String,
    node: usize,
    gpu_id: u32,
    render_node: String,
    vram_bytes: u64,
    properties: BTreeMap<String, u64>,
}

fn properties(text: &str) -> BTreeMap<String, u64> {
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?))).collect()
}

/// Rows of the table: a title, and the property it shows.
const ROWS: &[(&str, &str)] = &[
    ("Waves per SIMD", "max_waves_per_simd"),
    ("SIMDs per compute unit", "simd_per_cu"),
    ("Shader arrays", "array_count"),
    ("Wavefront size", "wave_front_size"),
    ("LDS of a work-group (KiB)", "lds_size_in_kb"),
    ("Clock (MHz)", "max_engine_clk_fcompute"),
    ("Accelerator complexes", "num_xcc"),
    ("SDMA engines", "num_sdma_engines"),
    ("SDMA engines for XGMI", "num_sdma_xgmi_engines"),
    ("Compute queues", "num_cp_queues"),
    ("Caches", "caches_count"),
];

/// Shows the GPUs.
pub fn info(names: Option<&str>, json: bool) -> Result<ExitCode, String> {
    let chosen = run::chips(names)?;
    let options = Options::from_env().map_err(|error| error.to_string())?;
    let device = EmulatedGpu::new(&chosen, options);
    let read = |path: String| device.read_topology(&path).map_err(|error| format!("{path}: {error}"));
    let mut gpus = Vec::new();
    for ((index, chip), minor) in chosen.iter().enumerate().zip(device.render_minors()) {
        let node = index + 1;
        let bank = properties(&read(format!("nodes/{node}/mem_banks/0/properties"))?);
        gpus.push(Gpu {
            name: chip.name.to_owned(),
            product: chip.marketing.to_owned(),
            node,
            gpu_id: read(format!("nodes/{node}/gpu_id"))?.trim().parse().unwrap_or(0),
            render_node: format!("/dev/dri/renderD{minor}"),
            vram_bytes: bank.get("size_in_bytes").copied().unwrap_or(0),
            properties: properties(&read(format!("nodes/{node}/properties"))?),
        });
    }
    if json {
        let text = serde_json::to_string_pretty(&gpus).map_err(|error| error.to_string())?;
        println!("{text}");
    } else {
        print!("{}", table(&gpus));
        println!("Chips that can be emulated: {}", chips::names().collect::<Vec<_>>().join(", "));
    }
    Ok(ExitCode::SUCCESS)
}

fn table(gpus: &[Gpu]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    let mut row = |title: &str, value: &dyn Fn(&Gpu) -> String| {
        table.add_row(std::iter::once(title.to_owned()).chain(gpus.iter().map(value)));
    };
    let property = |gpu: &Gpu, name: &str| gpu.properties.get(name).copied().unwrap_or(0);
    row("Agent", &|gpu| gpu.name.clone());
    row("Product", &|gpu| gpu.product.clone());
    row("Node", &|gpu| gpu.node.to_string());
    row("GPU ID", &|gpu| gpu.gpu_id.to_string());
    row("Device file", &|gpu| gpu.render_node.clone());
    row("PCI", &|gpu| {
        format!("1002:{:04x} at bus {}", property(gpu, "device_id"), property(gpu, "location_id") >> 8)
    });
    row("VRAM (GiB)", &|gpu| format!("{:.1}", gpu.vram_bytes as f64 / f64::from(1u32 << 30)));
    row("Compute units", &|gpu| {
        (property(gpu, "simd_count") / property(gpu, "simd_per_cu").max(1)).to_string()
    });
    for (title, name) in ROWS {
        row(title, &|gpu| property(gpu, name).to_string());
    }
    format!("{table}\n")
}
