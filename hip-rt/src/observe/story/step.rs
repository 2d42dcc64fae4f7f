//! What each story event is called and whose it is, and how its numbers are written.

/// One row: the event, its layer, the headline.
pub struct Step {
    /// `step` of the event.
    pub name: &'static str,
    /// Who tells it.
    pub layer: &'static str,
    /// What happened.
    pub title: &'static str,
    /// Many of them in a row take one line each under one number.
    pub one_line: bool,
}

/// In the order of a first run.
#[rustfmt::skip]
pub const STEPS: &[Step] = &[
    Step { name: "fatbin.registered", layer: "hip-rt",     title: "the program registers a fat binary, before main",      one_line: false },
    Step { name: "device.open",       layer: "amdgpu-emu", title: "a GPU is emulated in this process",                    one_line: false },
    Step { name: "ioctl",             layer: "thunk-rs",   title: "calls to the kernel driver (KFD)",                     one_line: true  },
    Step { name: "bundle.recognised", layer: "hip-rt",     title: "the fat binary is a bundle of code for several GPUs",  one_line: false },
    Step { name: "bundle.chosen",     layer: "hip-rt",     title: "the entry for this GPU is chosen",                     one_line: false },
    Step { name: "codeobject.loaded", layer: "rocr-rs",    title: "the code object is loaded into the GPU's memory",      one_line: false },
    Step { name: "kernel.descriptor", layer: "rocr-rs",    title: "a kernel is found by its descriptor",                  one_line: false },
    Step { name: "queue.created",     layer: "rocr-rs",    title: "a queue is made: a ring of packets, and a doorbell",   one_line: false },
    Step { name: "launch",            layer: "hip-rt",     title: "the program launches a kernel",                        one_line: false },
    Step { name: "packet",            layer: "rocr-rs",    title: "a packet is written, and the doorbell rung",           one_line: false },
    Step { name: "hostcall",          layer: "hip-rt",     title: "device code calls the host",                           one_line: true  },
    Step { name: "dispatch.done",     layer: "amdgpu-emu", title: "the kernel has run",                                   one_line: true  },
];

/// The row of an event.
pub fn of(name: &str) -> Option<&'static Step> {
    STEPS.iter().find(|step| step.name == name)
}

/// What a layer is, for the head of its block.
pub fn layer(name: &str) -> &'static str {
    match name {
        "hip-rt" => "HIP runtime",
        "rocr-rs" => "HSA runtime",
        "thunk-rs" => "thunk",
        "amdgpu-emu" => "emulated GPU, below the kernel boundary",
        _ => "",
    }
}

/// What a field is called on the page, where its own name says too little: HIP counts a grid in blocks, HSA in
/// work-items.
pub fn label(step: &str, field: &str) -> String {
    match (step, field) {
        ("launch", "grid") => "grid in blocks".to_owned(),
        ("launch", "block") => "block in threads".to_owned(),
        ("packet", "grid") => "grid in work-items".to_owned(),
        ("packet", "workgroup") => "work-group in work-items".to_owned(),
        (_, "nanos") => "time".to_owned(),
        _ => field.replace('_', " "),
    }
}

/// Addresses in hexadecimal, counts in groups of three digits.
pub fn number(field: &str, value: u64) -> String {
    const ADDRESSES: [&str; 9] =
        ["address", "load_base", "entry", "ring", "doorbell", "kernel_object", "kernarg", "signal", "offset"];
    if field == "nanos" {
        return duration(value);
    }
    if field == "header" {
        return format!("{value:#06x}");
    }
    if ADDRESSES.contains(&field) && value >= 1 << 16 {
        return format!("{value:#x}");
    }
    grouped(value)
}

fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn duration(nanos: u64) -> String {
    match nanos {
        0..10_000 => format!("{nanos} ns"),
        10_000..10_000_000 => format!("{:.1} µs", nanos as f64 / 1e3),
        10_000_000..10_000_000_000 => format!("{:.1} ms", nanos as f64 / 1e6),
        _ => format!("{:.1} s", nanos as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!(number("bytes", 1_234_567), "1,234,567");
        assert_eq!(number("bytes", 12), "12");
        assert_eq!(number("load_base", 0x7f00_0000_1000), "0x7f0000001000");
        assert_eq!(number("kernarg", 272), "272");
        assert_eq!(number("header", 0x1502), "0x1502");
        assert_eq!(number("nanos", 12_345), "12.3 µs");
        assert_eq!(number("nanos", 12_345_678), "12.3 ms");
    }

    #[test]
    fn labels_say_what_is_counted() {
        assert_eq!(label("launch", "grid"), "grid in blocks");
        assert_eq!(label("packet", "grid"), "grid in work-items");
        assert_eq!(label("dispatch.done", "nanos"), "time");
        assert_eq!(label("codeobject.loaded", "load_base"), "load base");
    }
}
