//! `amd-codeobj inspect`: a code object for people.

use std::process::ExitCode;

use super::args::Inspect;
use super::names::{Names, fit, terminal_width};
use super::objects::{Object, each};
use super::report::{ArgReport, CodeObjectReport, KernelReport, SegmentReport};
use crate::{Error, JsonArray, Output, bytes, printable, table};

pub(super) fn run(args: &Inspect) -> Result<ExitCode, Error> {
    let (mut out, mut names) = (Output::default(), Names::default());
    let (mut list, mut follows) = (JsonArray::default(), false);
    let mut page = Page { args, width: terminal_width() };
    let mut failed = false;
    let code = each(&args.pick, &mut out, |object, out| {
        let report = CodeObjectReport::new(object, &mut names, args.kernel.as_deref());
        failed |= report.error.is_some();
        if args.json {
            return list.push(out, &report);
        }
        if follows {
            out.line("")?;
        }
        follows = true;
        page.object(object, &report, out)
    })?;
    if args.json {
        list.end(&mut out)?;
    }
    out.flush()?;
    Ok(if failed { ExitCode::FAILURE } else { code })
}

struct Page<'a> {
    args: &'a Inspect,
    width: Option<usize>,
}

impl Page<'_> {
    fn object(
        &mut self,
        object: &Object<'_>,
        report: &CodeObjectReport<'_>,
        out: &mut Output,
    ) -> Result<(), Error> {
        out.line(printable(&object.place()))?;
        let target =
            report.target.clone().unwrap_or_else(|| format!("an unknown processor ({})", object.code.mach()));
        let generic = match report.generic_version {
            0 => String::new(),
            version => format!(" (generic version {version})"),
        };
        out.line(format_args!(
            "  code object v{} for {target}{generic}, {}, {}, e_flags {:#x}",
            report.version,
            report.r#type,
            bytes(report.size as u64),
            report.flags
        ))?;
        if !report.segments.is_empty() {
            out.line(format_args!(
                "  loads {} at {:#x} in {} segments:",
                bytes(report.load_size),
                report.load_base,
                report.segments.len()
            ))?;
            let header = ["ADDRESS", "MEMORY", "FILE OFFSET", "FILE SIZE", "ALIGN", "RIGHTS"];
            self.table(&header, &[0, 1, 2, 3, 4], report.segments.iter().map(segment), 4, out)?;
        }
        if let Some(error) = &report.error {
            out.line(format_args!("  no kernels can be told: {error}"))?;
        }
        for kernel in &report.kernels {
            out.line("")?;
            self.kernel(kernel, out)?;
        }
        Ok(())
    }

    fn kernel(&mut self, kernel: &KernelReport, out: &mut Output) -> Result<(), Error> {
        let r = &kernel.resources;
        out.line(fit(&format!("  {}", r.demangled), self.width))?;
        let mut fact = |name: &str, text: String| out.line(fit(&format!("    {name:<10}{text}"), self.width));
        if r.name != r.demangled {
            fact("name", printable(&r.name).into_owned())?;
        }
        let count = |used: u32, allocated: Option<u32>, name: &str| match allocated {
            Some(allocated) => format!("{used} {name} ({allocated} allocated)"),
            None => format!("{used} {name}"),
        };
        let mut registers = vec![count(r.vgpr_count, kernel.allocated_vgprs, "VGPRs")];
        if r.agpr_count != 0 || kernel.allocated_agprs.is_some_and(|count| count != 0) {
            registers.push(count(r.agpr_count, kernel.allocated_agprs, "AGPRs"));
        }
        registers.push(count(r.sgpr_count, kernel.allocated_sgprs, "SGPRs"));
        fact("registers", registers.join(", "))?;
        let spills = (r.sgpr_spill_count.unwrap_or(0), r.vgpr_spill_count.unwrap_or(0));
        if spills != (0, 0) {
            fact("spills", format!("{} SGPRs, {} VGPRs", spills.0, spills.1))?;
        }
        let stack = if kernel.uses_dynamic_stack { " or more (dynamic stack)" } else { "" };
        fact(
            "memory",
            format!(
                "{} bytes of LDS a work-group, {} bytes of scratch{stack} a work-item",
                r.group_segment_fixed_size, r.private_segment_fixed_size
            ),
        )?;
        let mut launch = format!(
            "waves of {} lanes, work-groups of at most {} work-items",
            r.wavefront_size, r.max_flat_workgroup_size
        );
        if let Some([x, y, z]) = kernel.reqd_workgroup_size {
            launch.push_str(&format!(", exactly {x} x {y} x {z}"));
        }
        if kernel.workgroup_processor_mode == Some(true) {
            launch.push_str(", work-group processor mode");
        }
        fact("launch", launch)?;
        if let (Some(waves), Some(most), Some(limit)) = (r.occupancy, r.max_occupancy, r.occupancy_limit) {
            let why = if waves == most { String::new() } else { format!(", limited by {limit}") };
            fact("occupancy", format!("{waves} of {most} waves on a SIMD{why}"))?;
        }
        self.arguments(kernel, out)
    }

    fn arguments(&mut self, kernel: &KernelReport, out: &mut Output) -> Result<(), Error> {
        let is_shown = |arg: &&ArgReport| self.args.hidden || !arg.hidden;
        let shown: Vec<_> = kernel.args.iter().filter(is_shown).collect();
        let size = kernel.resources.kernarg_segment_size;
        out.line(format_args!(
            "    {:<10}{size} bytes aligned to {}",
            "arguments", kernel.kernarg_segment_align
        ))?;
        if !shown.is_empty() {
            let header = ["OFFSET", "SIZE", "KIND", "TYPE", "NAME"];
            self.table(&header, &[0, 1], shown.iter().map(|arg| argument(arg)), 14, out)?;
        }
        let mut hidden = kernel.args.iter().filter(|arg| arg.hidden);
        match hidden.next() {
            Some(first) if !self.args.hidden => out.line(format_args!(
                "              and {} hidden from offset {} (--hidden lists them)",
                hidden.count() + 1,
                first.offset
            )),
            _ => Ok(()),
        }
    }

    fn table(
        &self,
        header: &[&str],
        right: &[usize],
        rows: impl Iterator<Item = Vec<String>>,
        indent: usize,
        out: &mut Output,
    ) -> Result<(), Error> {
        for line in table(header, right, rows).lines() {
            out.line(fit(&format!("{:indent$}{}", "", line.trim_end()), self.width))?;
        }
        Ok(())
    }
}

fn segment(segment: &SegmentReport) -> Vec<String> {
    vec![
        format!("{:#x}", segment.vaddr),
        format!("{:#x}", segment.memory_size),
        format!("{:#x}", segment.file_offset),
        format!("{:#x}", segment.file_size),
        format!("{:#x}", segment.align),
        segment.flags.clone(),
    ]
}

fn argument(arg: &ArgReport) -> Vec<String> {
    let kind = match &arg.address_space {
        Some(space) => format!("{} ({})", printable(&arg.value_kind), printable(space)),
        None => printable(&arg.value_kind).into_owned(),
    };
    let text = |text: &Option<String>| printable(text.as_deref().unwrap_or_default()).into_owned();
    vec![arg.offset.to_string(), arg.size.to_string(), kind, text(&arg.type_name), text(&arg.name)]
}
