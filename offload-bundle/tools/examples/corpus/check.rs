//! Reading everything: containers, sections, images, hashes, entries, and the code objects in them.

use std::path::{Path, PathBuf};
use std::time::Instant;

use amd_codeobj::TargetId;
use offload_bundle::{
    Bundle, Container, ContainerKind, DEFAULT_LIMIT, EntryId, FatBinaryWrapper, Image, Level, Located,
    OffloadKind, SectionKind, Table, kpack,
};

use crate::objects;
use crate::progress::Progress;
use crate::sample::Sample;
use crate::sources::{self, Source};
use crate::tally::Tally;

/// What is compared with LLVM's tools.
pub struct Samples {
    pub objects: Sample,
    pub bundles: Sample,
    /// Programs, libraries, objects and archives that hold fat binaries, where they are files of their own.
    pub hosts: Vec<PathBuf>,
    /// Sections of several bundles.
    pub sections: Vec<(String, PathBuf)>,
}

pub struct Checker {
    tallies: Vec<Tally>,
    samples: Samples,
    scratch: PathBuf,
}

impl Checker {
    /// Sections that are compared are kept in `scratch` until then.
    pub fn new(samples: usize, scratch: &Path) -> Checker {
        let samples = Samples {
            objects: Sample::new(samples),
            bundles: Sample::new(samples),
            hosts: Vec::new(),
            sections: Vec::new(),
        };
        Checker { tallies: Vec::new(), samples, scratch: scratch.to_owned() }
    }

    pub fn finish(self) -> (Vec<Tally>, Samples) {
        (self.tallies, self.samples)
    }

    /// Reads a source; an error is one of the system, not of a file's content.
    pub fn source(&mut self, source: &Source, progress: &Progress) -> Result<(), String> {
        let mut tally = Tally { source: source.name.clone(), ..Tally::default() };
        let began = Instant::now();
        progress.begin("reading", source.paths.len());
        for path in &source.paths {
            progress.step(path.display().to_string());
            sources::open(path, |name, content| {
                tally.files += 1;
                let (samples, scratch) = (&mut self.samples, &self.scratch);
                let mut file = FileCheck { name, tally: &mut tally, samples, scratch };
                file.check(content);
            })?;
        }
        tally.seconds = began.elapsed().as_secs_f64();
        self.tallies.push(tally);
        Ok(())
    }
}

struct FileCheck<'a> {
    name: &'a str,
    tally: &'a mut Tally,
    samples: &'a mut Samples,
    scratch: &'a Path,
}

/// Files that can hold code for GPUs, by their first bytes.
fn may_hold_code(content: &[u8]) -> bool {
    let starts: [&[u8]; 5] = [b"\x7fELF", b"!<arch>\n", Bundle::MAGIC, b"CCOB", kpack::Archive::MAGIC];
    starts.iter().any(|start| content.starts_with(start))
}

impl FileCheck<'_> {
    fn error(&mut self, place: &str, error: impl std::fmt::Display) {
        let name = self.name;
        self.tally.errors.push(format!("{name}{place}: {error}"));
    }

    fn check(&mut self, content: &[u8]) {
        if !may_hold_code(content) {
            return;
        }
        let container = match Container::parse(content) {
            Ok(container) => container,
            Err(error) => return self.error("", error),
        };
        self.sections(&container);
        let mut images = 0usize;
        for located in container.images() {
            match located {
                Ok(located) => {
                    images += 1;
                    self.image(content, &located);
                }
                Err(error) => self.error("", error),
            }
        }
        if images > 0 {
            self.tally.files_with_code += 1;
            self.tally.bytes += content.len() as u64;
        }
        if images > 0 && container.kind() != ContainerKind::Bare && Path::new(self.name).is_file() {
            self.samples.hosts.push(PathBuf::from(self.name));
        }
        if images == 0 && container.kind() == ContainerKind::Bare {
            self.error("", "a bare file without an image");
        }
    }

    fn sections(&mut self, container: &Container<'_>) {
        for section in container.sections() {
            let section = match section {
                Ok(section) => section,
                Err(error) => return self.error("", error),
            };
            match section.kind {
                SectionKind::FatBinaries => {
                    let images = Image::walk(section.data).filter(Result::is_ok).take(2).count();
                    if images > 1 {
                        let path = self.scratch.join(format!("section.{}", self.samples.sections.len()));
                        match std::fs::write(&path, section.data) {
                            Ok(()) => {
                                let name = format!("{} {}", self.name, section.name);
                                self.samples.sections.push((name, path));
                            }
                            Err(error) => self.error("", error),
                        }
                    }
                }
                // Pointers of shared objects are filled in by relocations; the magic is not.
                SectionKind::Wrappers => {
                    for wrapper in section.data.chunks(FatBinaryWrapper::SIZE) {
                        if let Err(error) = FatBinaryWrapper::parse(wrapper) {
                            self.error(" wrapper", error);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn image(&mut self, content: &[u8], located: &Located<'_>) {
        let kind = located.image.kind().to_string();
        let place = format!(" {kind} at {:#x}", located.offset);
        *self.tally.images.entry(kind).or_default() += 1;
        let range = (located.offset as usize)..(located.offset + located.size) as usize;
        let Some(bytes) = content.get(range) else {
            return self.error(&place, "the image is not inside of the file");
        };
        match &located.image {
            Image::Raw(bundle) => {
                self.bundle(&place, bundle);
                let name = self.name;
                self.samples.bundles.offer(bytes, || format!("{name}{place}"));
            }
            Image::Compressed(compressed) => {
                let listed = compressed.table(DEFAULT_LIMIT);
                let unpacked = compressed.decompress(DEFAULT_LIMIT);
                let (listed, unpacked) = match (listed, unpacked) {
                    (Ok(listed), Ok(unpacked)) => (listed, unpacked),
                    (Err(error), _) | (_, Err(error)) => return self.error(&place, error),
                };
                if let Err(error) = compressed.check_hash(&unpacked) {
                    self.error(&place, error);
                }
                match (Table::parse(&listed), Bundle::parse(&unpacked)) {
                    (Ok(table), Ok(bundle)) => {
                        if !table
                            .records()
                            .map(|record| record.id.text)
                            .eq(bundle.entries().map(|entry| entry.id.text))
                        {
                            self.error(
                                &place,
                                "the table alone lists other entries than the unpacked bundle",
                            );
                        }
                        self.bundle(&place, &bundle);
                    }
                    (Err(error), _) | (_, Err(error)) => self.error(&place, error),
                }
                let name = self.name;
                self.samples.bundles.offer(bytes, || format!("{name}{place}"));
            }
            Image::CodeObject(_) => self.object(&place, bytes, None),
            Image::Kpack(archive) => {
                for kernel in archive.kernels() {
                    match kernel.and_then(|kernel| Ok(kernel.extract(DEFAULT_LIMIT)?.into_owned())) {
                        Ok(bytes) => self.object(&place, &bytes, None),
                        Err(error) => self.error(&place, error),
                    }
                }
            }
            // The code stands in other files, or is bitcode yet.
            Image::KpackReference(_) | Image::Entry(_) => {}
            _ => self.error(&place, "an image of a kind that this check does not know"),
        }
    }

    fn bundle(&mut self, place: &str, bundle: &Bundle<'_>) {
        for finding in bundle.check() {
            match finding.fault.level() {
                Level::Error => self.error(place, finding),
                level => self.tally.odd(&format!("{level}: {:?}", finding.fault)),
            }
        }
        for entry in bundle.entries() {
            self.tally.entries += 1;
            let place = format!("{place}, {}", entry.id);
            let is_device = entry.id.kind != OffloadKind::Host && entry.id.is_amdgcn();
            if is_device && !entry.data.is_empty() {
                self.object(&place, entry.data, Some(&entry.id));
            }
            if is_device && entry.id.target.is_none() {
                self.error(&place, "no target ID");
            }
        }
    }

    fn object(&mut self, place: &str, bytes: &[u8], id: Option<&EntryId<'_>>) {
        let mut faults = Vec::new();
        let target = objects::check(bytes, self.tally, &mut faults);
        if let (Some(target), Some(said)) = (&target, id.and_then(|id| id.target.as_ref()))
            && !agrees(said, target)
        {
            faults.push(format!("the ID says {said}, the code object {target}"));
        }
        for fault in faults {
            self.error(place, fault);
        }
        let name = self.name;
        self.samples.objects.offer(bytes, || format!("{name}{place}"));
    }
}

/// Code objects before v4 say less than IDs do, so that only the processor is held against the ID.
fn agrees(said: &TargetId, found: &TargetId) -> bool {
    said.processor == found.processor
}
