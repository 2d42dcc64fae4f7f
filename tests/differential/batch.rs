//! A translation unit of several programs: the host's results, and the comparison with a chip's.

use std::fs;
use std::path::{Path, PathBuf};

use crate::build::{self, Compiler, Error, at};
use crate::device::{Devices, Launch};
use crate::program::{self, Program, WORDS, agrees};

/// Programs with their inputs and what the host makes of them.
pub struct Batch<'a> {
    programs: Vec<Program>,
    seeds: &'a [u64],
    source: PathBuf,
    folder: PathBuf,
    /// Work-items that each program runs for.
    pub items: usize,
    inputs: Vec<u64>,
    expected: Vec<u64>,
}

/// A program that differs.
#[derive(Debug, Clone)]
pub struct Difference {
    pub seed: u64,
    pub chip: String,
    pub opt: u8,
    pub items: usize,
    /// The first difference in words.
    pub what: String,
}

impl<'a> Batch<'a> {
    pub fn new(
        compiler: &Compiler,
        folder: &Path,
        programs: Vec<Program>,
        seeds: &'a [u64],
        items: usize,
    ) -> Result<Self, Error> {
        fs::create_dir_all(folder).map_err(at(folder))?;
        // Whole work-groups of every size, but for the programs that can do without.
        let items = items.next_multiple_of(256);
        let source = folder.join("unit.cpp");
        fs::write(&source, program::source(&programs, items)).map_err(at(&source))?;
        let host = folder.join("host");
        compiler.host(&source, &host)?;
        let inputs: Vec<u64> =
            programs.iter().zip(seeds).flat_map(|(program, seed)| program.input(*seed, items)).collect();
        let expected = build::run_host(&host, &inputs, folder)?;
        Ok(Batch { programs, seeds, source, folder: folder.to_owned(), items, inputs, expected })
    }

    /// Runs all programs on a chip, but for those that the compiler is known to have spoilt; returns those that differ,
    /// and how many were run.
    pub fn compare(
        &self,
        compiler: &Compiler,
        devices: &mut Devices,
        chip: &str,
        opt: u8,
    ) -> Result<(Vec<Difference>, usize), Error> {
        let code = compiler.device(&self.source, chip, opt, &self.folder.join("device.co"))?;
        let size = self.items * WORDS;
        let long = build::long_functions(&code)?;
        let spoilt = |id: &usize| long.iter().any(|name| name.ends_with(&format!("f{id}PKmPm")));
        let ids: Vec<usize> = (0..self.programs.len()).filter(|id| !spoilt(id)).collect();
        let launches: Vec<Launch<'_>> = (ids.iter())
            .map(|&id| (id, &self.programs[id], &self.inputs[id * size..][..size]))
            .map(|(id, program, input)| Launch {
                name: format!("k{id}"),
                input,
                // A last work-group with lanes that have nothing to do.
                items: if program.whole { self.items as u32 } else { self.items as u32 - 7 },
                block: program.block,
            })
            .collect();
        let found = devices.run(chip, &code, &launches);
        let mut differences = Vec::new();
        for (n, (&id, launch)) in ids.iter().zip(&launches).enumerate() {
            let what = match &found {
                Err(error) => Some(error.clone()),
                Ok(results) => match &results[n] {
                    Err(error) => Some(error.clone()),
                    Ok(words) => self.first_difference(id, words, launch.items as usize),
                },
            };
            differences.extend(what.map(|what| Difference {
                seed: self.seeds[id],
                chip: chip.to_owned(),
                opt,
                items: self.items,
                what,
            }));
        }
        Ok((differences, ids.len()))
    }

    fn first_difference(&self, id: usize, words: &[u64], items: usize) -> Option<String> {
        let size = self.items * WORDS;
        let (expected, input) = (&self.expected[id * size..][..size], &self.inputs[id * size..][..size]);
        let wrong = |n: &usize| !agrees(self.programs[id].checks[n % WORDS], expected[*n], words[*n]);
        let mut all = (0..items * WORDS).filter(wrong);
        let n = all.next()?;
        let item = n / WORDS;
        let input: Vec<String> =
            input[item * WORDS..][..WORDS].iter().map(|word| format!("{word:#x}")).collect();
        Some(format!(
            "output {}{} of work-item {item} is {:#x}, and {:#x} on the host ({} words differ)\n  input: {}",
            n % WORDS,
            self.programs[id].notes.get(n % WORDS).map_or("", String::as_str),
            words[n],
            expected[n],
            1 + all.count(),
            input.join(" ")
        ))
    }
}
