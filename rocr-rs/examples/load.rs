//! Loads and freezes code objects, as a check of the loader: `cargo run -p rocr-rs --example load -- CHIP FILE…`, or the
//! names of files on stdin, one a line.

use std::collections::BTreeMap;
use std::io::BufRead as _;

use rocr_rs::{Executable, OpenOptions, Runtime};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let chip = args.next().ok_or("usage: load CHIP FILE…")?;
    let mut files: Vec<String> = args.collect();
    if files.is_empty() {
        files = std::io::stdin().lock().lines().collect::<Result<_, _>>()?;
    }
    let runtime = Runtime::open(&OpenOptions { device: Some(format!("emu:{chip}")), ..Default::default() })?;
    let agent = runtime.gpu_agents().first().cloned().ok_or("no GPU")?;
    let (mut loaded, mut kernels) = (0, 0);
    let mut refused: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for file in &files {
        let code = std::fs::read(file)?;
        let executable = Executable::new(&runtime);
        match executable.load(&agent, &code).and_then(|_| executable.freeze()) {
            Ok(()) => {
                loaded += 1;
                kernels += executable.kernels().len();
            }
            Err(error) => refused.entry(error.to_string()).or_default().push(file),
        }
    }
    println!("{loaded} of {} loaded and frozen on {}, {kernels} kernels", files.len(), agent.isa_name());
    for (error, files) in &refused {
        println!("{} refused, {} the first: {error}", files.len(), files[0]);
    }
    if refused.is_empty() { Ok(()) } else { Err("not all were loaded".into()) }
}
