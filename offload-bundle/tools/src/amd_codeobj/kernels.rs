//! `amd-codeobj kernels`: one line a kernel. Rows are written as they are read, so columns have fixed widths that hold
//! what compilers produce.

use std::process::ExitCode;

use amd_codeobj::Kernel;
use serde::Serialize;

use super::args::Kernels;
use super::names::{Names, fit, terminal_width};
use super::objects::{Object, Origin, each};
use super::report::Resources;
use crate::{Error, JsonArray, Output, printable};

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    origin: Origin<'a>,
    #[serde(flatten)]
    resources: Resources,
}

pub(super) fn run(args: &Kernels) -> Result<ExitCode, Error> {
    let (mut out, mut names) = (Output::default(), Names::default());
    if args.json {
        let mut list = JsonArray::default();
        let code = each(&args.pick, &mut out, |object, out| {
            for kernel in object.code.metadata().map_err(|error| object.error(error))?.kernels {
                let resources = Resources::new(object, &kernel, &mut names);
                list.push(out, &Line { origin: object.origin(), resources })?;
            }
            Ok(())
        })?;
        list.end(&mut out)?;
        out.flush()?;
        return Ok(code);
    }
    let width = terminal_width();
    let mut file = None;
    let code = each(&args.pick, &mut out, |object, out| {
        let metadata = object.code.metadata().map_err(|error| object.error(error))?;
        if file.as_deref() != Some(object.path) {
            head(args, object, file.is_some(), out)?;
            file = Some(object.path.to_owned());
        }
        let target = object.target_text();
        for kernel in &metadata.kernels {
            let row = row(object, kernel, &target, args.mangled, &mut names);
            out.line(fit(&row, width))?;
        }
        Ok(())
    })?;
    out.flush()?;
    Ok(code)
}

fn row(object: &Object<'_>, kernel: &Kernel, target: &str, mangled: bool, names: &mut Names) -> String {
    let occupancy = object.code.isa().map_or_else(
        |_| "?".to_owned(),
        |isa| isa.generation.occupancy(&kernel.resources()).waves.to_string(),
    );
    let name =
        if mangled { printable(&kernel.name).into_owned() } else { names.demangle(&kernel.name).to_owned() };
    let spills = format!("{}+{}", kernel.sgpr_spill_count.unwrap_or(0), kernel.vgpr_spill_count.unwrap_or(0));
    format!(
        "{:>6}  {target:<22}  {:>4}  {:>4}  {:>4}  {:>6}  {:>7}  {:>7}  {:>4}  {:>5}  {occupancy:>3}  {spills:>7}  {name}",
        object.bundle,
        kernel.vgpr_count,
        kernel.agpr_count,
        kernel.sgpr_count,
        kernel.group_segment_fixed_size,
        kernel.private_segment_fixed_size,
        kernel.kernarg_segment_size,
        kernel.wavefront_size,
        kernel.max_flat_workgroup_size,
    )
}

fn head(args: &Kernels, object: &Object<'_>, follows: bool, out: &mut Output) -> Result<(), Error> {
    if args.pick.files.len() > 1 {
        if follows {
            out.line("")?;
        }
        out.line(format_args!("{}:", printable(&object.path.display().to_string())))?;
    }
    out.line(format_args!(
        "{:>6}  {:<22}  {:>4}  {:>4}  {:>4}  {:>6}  {:>7}  {:>7}  {:>4}  {:>5}  {:>3}  {:>7}  KERNEL",
        "BUNDLE",
        "TARGET",
        "VGPR",
        "AGPR",
        "SGPR",
        "LDS",
        "SCRATCH",
        "KERNARG",
        "WAVE",
        "GROUP",
        "OCC",
        "SPILL"
    ))
}
