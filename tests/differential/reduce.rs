//! Makes a program that differs smaller, as long as it still differs, and leaves its source behind.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::Options;
use crate::batch::{Batch, Difference};
use crate::build::Compiler;
use crate::device::Devices;
use crate::program::Program;
use crate::tree::{self, EXPR_EDITS, Edit, Nodes, STMT_EDITS};

/// How long to try.
const TIME: Duration = Duration::from_secs(120);

/// Reduces by greedy edits, and prints the smallest source.
pub fn reduce(
    found: &Difference,
    compiler: &Compiler,
    devices: &mut Devices,
    folder: &Path,
    options: &Options,
) {
    let seeds = [found.seed];
    let room = folder.join("reduce");
    let mut differs = |program: &Program| -> Option<String> {
        let unit = Batch::new(compiler, &room, vec![program.clone()], &seeds, found.items).ok()?;
        let (differences, _) = unit.compare(compiler, devices, &found.chip, found.opt).ok()?;
        differences.into_iter().next().map(|difference| difference.what)
    };
    // Under the number 0, which it has alone.
    let mut best = crate::program::program(found.seed, 0);
    let Some(mut what) = differs(&best) else {
        println!("  alone it does not differ: it takes the whole translation unit");
        return;
    };
    let began = Instant::now();
    let kinds: [(Nodes, &[Edit]); 2] = [(Nodes::Stmts, STMT_EDITS), (Nodes::Exprs, EXPR_EDITS)];
    for (kind, edits) in kinds.into_iter().chain(kinds) {
        let mut n = 0;
        while n < tree::count(&best.pieces, kind) && began.elapsed() < TIME {
            let smaller = edits.iter().find_map(|edit| {
                let pieces = tree::edit(&best.pieces, kind, n, *edit)?;
                let program = Program { pieces, ..best.clone() };
                Some((differs(&program)?, program))
            });
            match smaller {
                Some((words, program)) => (what, best) = (words, program),
                None => n += 1,
            }
        }
    }
    let path = options.folder.join(format!("{:016x}-{}-O{}.cpp", found.seed, found.chip, found.opt));
    let mut text = String::new();
    tree::print(&best.pieces, 0, &mut text);
    match fs::write(&path, crate::program::source(&[best], found.items)) {
        Ok(()) => println!("  reduced: {}\n  {what}\n{text}", path.display()),
        Err(error) => println!("  {}: {error}\n{text}", path.display()),
    }
}
