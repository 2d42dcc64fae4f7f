//! A file that holds fat binaries: each of them with a number, whatever its kind, and opened when asked.
//!
//! What stands apart in a file but belongs together is one bundle here: the sections with one entry each in an object of
//! `-fgpu-rdc`, and the code objects of one program in a `.kpack` archive.

use std::borrow::Cow;
use std::path::Path;

use amd_codeobj::{CodeObject, TargetId};
use offload_bundle::kpack::{Archive, Kernel, Reference, Scheme};
use offload_bundle::{
    Bundle, Compressed, Container, Entry, EntryId, Image, ImageKind, Images, Located, code_id,
};

use crate::{Error, File};

/// A file that holds fat binaries.
pub(crate) struct Input {
    file: File,
}

/// A fat binary of a file, not yet unpacked.
pub(crate) struct Found<'a> {
    /// How many stand before it in the file.
    pub index: usize,
    /// The archive member that it is in.
    pub member: Option<&'a str>,
    /// The section that it is in.
    pub section: Option<&'a str>,
    /// Where it starts in the file.
    pub offset: u64,
    /// How many bytes it takes.
    pub size: u64,
    /// The bytes, packed if they are.
    pub bytes: &'a [u8],
    /// "raw", "ccob2", …
    pub kind: ImageKind,
    /// It.
    pub what: What<'a>,
}

/// What a fat binary is.
pub(crate) enum What<'a> {
    Raw(Bundle<'a>),
    Compressed(Compressed<'a>),
    /// Without a bundle.
    CodeObject(Box<CodeObject<'a>>),
    /// Entries in sections of their own.
    Sections(Vec<InSection<'a>>),
    /// The code of one program in a `.kpack` archive.
    Kpack(Program<'a>),
    /// The code stands in other files.
    Reference(Reference<'a>),
}

/// See [`What::Sections`].
pub(crate) struct InSection<'a> {
    /// Where its bytes start in the file.
    pub offset: u64,
    pub section: Option<&'a str>,
    pub entry: Entry<'a>,
}

/// See [`What::Kpack`].
pub(crate) struct Program<'a> {
    pub name: &'a str,
    pub scheme: Scheme,
    pub kernels: Vec<Kernel<'a>>,
}

impl Input {
    /// Maps a file.
    pub fn open(path: &Path) -> Result<Input, Error> {
        Ok(Input { file: File::open(path)? })
    }

    /// The file's name, as it was given.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// For `map_err`: an error of the library about this file.
    pub fn error(&self, source: offload_bundle::Error) -> Error {
        Error::Bundle { path: self.path().to_owned(), source }
    }

    /// For `map_err`: an error about what was unpacked from a bundle, whose offsets count from the start of that.
    pub fn error_in(&self, found: &Found<'_>, error: offload_bundle::Error) -> Error {
        match found.what {
            What::Compressed(_) => Error::Other(format!(
                "{}: in what {} unpacks to: {error}",
                self.path().display(),
                found.place()
            )),
            _ => self.error(error),
        }
    }

    /// What the file is: the headers of sections and archive members.
    pub fn container(&self) -> Result<Container<'_>, Error> {
        Container::parse(&self.file).map_err(|error| self.error(error))
    }

    /// What a fat binary takes of the file; that it is there has been checked.
    fn bytes(&self, offset: u64, size: u64) -> &[u8] {
        match (usize::try_from(offset), usize::try_from(offset.saturating_add(size))) {
            (Ok(start), Ok(end)) => self.file.get(start..end).unwrap_or_default(),
            _ => &[],
        }
    }

    /// The file's fat binaries one by one. Stops after the first error; a file without any has that for an error.
    pub fn images(&self) -> Finds<'_> {
        let (images, queue) = match self.container() {
            Ok(container) => (Some(container.images()), Vec::new()),
            Err(error) => (None, vec![Err(error)]),
        };
        Finds { input: self, images, ahead: None, queue, index: 0 }
    }
}

/// The fat binaries of a file.
pub(crate) struct Finds<'a> {
    input: &'a Input,
    /// None: at the end.
    images: Option<Images<'a>>,
    /// Read one too many.
    ahead: Option<Located<'a>>,
    /// To be handed out, the last first.
    queue: Vec<Result<Found<'a>, Error>>,
    index: usize,
}

impl<'a> Finds<'a> {
    /// The next thing in the file; an error or the end closes it.
    fn read(&mut self) -> Result<Option<Located<'a>>, offload_bundle::Error> {
        if let Some(located) = self.ahead.take() {
            return Ok(Some(located));
        }
        self.input.file.release();
        let located = self.images.as_mut().and_then(Images::next).transpose();
        if !matches!(located, Ok(Some(_))) {
            self.images = None;
        }
        located
    }

    /// The sections with one entry that follow in the same object.
    fn sections(&mut self, first: InSection<'a>, member: Option<&'a str>) -> What<'a> {
        let mut entries = vec![first];
        loop {
            match self.read() {
                Ok(Some(Located { image: Image::Entry(entry), member: other, section, offset, .. }))
                    if other == member =>
                {
                    entries.push(InSection { offset, section, entry });
                }
                Ok(other) => {
                    self.ahead = other;
                    break;
                }
                Err(error) => {
                    self.queue.push(Err(self.input.error(error)));
                    break;
                }
            }
        }
        What::Sections(entries)
    }

    fn found(&mut self, located: Located<'a>) -> Option<Result<Found<'a>, Error>> {
        let Located { member, section, offset, size, image } = located;
        let (kind, bytes) = (image.kind(), self.input.bytes(offset, size));
        let what = match image {
            Image::Raw(bundle) => What::Raw(bundle),
            Image::Compressed(compressed) => What::Compressed(compressed),
            Image::CodeObject(object) => What::CodeObject(object),
            Image::KpackReference(reference) => What::Reference(reference),
            Image::Entry(entry) => self.sections(InSection { offset, section, entry }, member),
            Image::Kpack(archive) => {
                let (programs, error) = programs(&archive);
                self.queue.extend(error.map(|error| Err(self.input.error(error))));
                for program in programs.into_iter().rev() {
                    let (index, what) = (0, What::Kpack(program));
                    self.queue.push(Ok(Found { index, member, section, offset, size, bytes, kind, what }));
                }
                return None;
            }
            _ => {
                let (path, kind) = (self.input.path().display(), image.kind());
                return Some(Err(Error::Other(format!("{path}: cannot read a {kind}"))));
            }
        };
        Some(Ok(Found { index: 0, member, section, offset, size, bytes, kind, what }))
    }
}

/// The code objects of an archive by program, which stand together; and the error that reading ended with.
fn programs<'a>(archive: &Archive<'a>) -> (Vec<Program<'a>>, Option<offload_bundle::Error>) {
    let mut programs: Vec<Program<'_>> = Vec::new();
    for kernel in archive.kernels() {
        let kernel = match kernel {
            Ok(kernel) => kernel,
            Err(error) => return (programs, Some(error)),
        };
        match programs.last_mut() {
            Some(program) if program.name == kernel.binary => program.kernels.push(kernel),
            _ => programs.push(Program {
                name: kernel.binary,
                scheme: archive.scheme(),
                kernels: vec![kernel],
            }),
        }
    }
    (programs, None)
}

impl<'a> Iterator for Finds<'a> {
    type Item = Result<Found<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = loop {
            if let Some(found) = self.queue.pop() {
                break found;
            }
            match self.read() {
                Ok(Some(located)) => {
                    if let Some(found) = self.found(located) {
                        break found;
                    }
                }
                Ok(None) if self.index == 0 => {
                    self.index = 1;
                    let path = self.input.path().display();
                    break Err(Error::Other(format!("{path}: there is no fat binary in it")));
                }
                Ok(None) => return None,
                Err(error) => break Err(self.input.error(error)),
            }
        };
        let index = self.index;
        self.index += 1;
        Some(found.map(|found| Found { index, ..found }))
    }
}

/// The entries of a fat binary, in order.
pub(crate) struct Opened<'a>(Content<'a>);

enum Content<'a> {
    Raw(Bundle<'a>),
    Unpacked(Vec<u8>),
    /// What has no table: IDs and bytes, which may still be packed.
    Loose(Vec<(Cow<'a, str>, Loose<'a>)>),
}

enum Loose<'a> {
    Bytes(&'a [u8]),
    Kernel(Kernel<'a>),
}

impl<'a> Found<'a> {
    /// Opens it; a compressed one that has more than `limit` bytes is refused.
    pub fn open(&self, limit: u64) -> Result<Opened<'a>, offload_bundle::Error> {
        Ok(Opened(match &self.what {
            What::Raw(bundle) => Content::Raw(*bundle),
            What::Compressed(compressed) => Content::Unpacked(compressed.decompress(limit)?),
            What::CodeObject(object) => {
                let offset = self.offset;
                let id =
                    id_of(object).map_err(|source| offload_bundle::Error::CodeObject { offset, source })?;
                Content::Loose(vec![(id.into(), Loose::Bytes(self.bytes))])
            }
            What::Sections(entries) => {
                let loose = |InSection { entry, .. }: &InSection<'a>| {
                    (entry.id.text.into(), Loose::Bytes(entry.data))
                };
                Content::Loose(entries.iter().map(loose).collect())
            }
            What::Kpack(program) => {
                let loose = |kernel: &Kernel<'a>| (kernel_id(kernel).into(), Loose::Kernel(kernel.clone()));
                Content::Loose(program.kernels.iter().map(loose).collect())
            }
            What::Reference(_) => Content::Loose(Vec::new()),
        }))
    }

    /// "bundle 3 (raw, .hip_fatbin, at 0x1000)": for messages.
    pub fn place(&self) -> String {
        let mut place = format!("bundle {} ({}", self.index, self.kind);
        let program = match &self.what {
            What::Kpack(program) => Some(program.name),
            _ => None,
        };
        for name in [self.member, self.section, program].into_iter().flatten() {
            place.push_str(", ");
            place.push_str(name);
        }
        format!("{place}, at {:#x})", self.offset)
    }
}

/// The ID that a code object would have in a bundle.
pub(crate) fn id_of(object: &CodeObject<'_>) -> Result<String, amd_codeobj::Error> {
    Ok(code_id(&object.target_id()?))
}

/// The same for one in a `.kpack` archive.
pub(crate) fn kernel_id(kernel: &Kernel<'_>) -> String {
    match kernel.target.parse::<TargetId>() {
        Ok(target) => code_id(&target),
        Err(_) => kernel.target.to_owned(),
    }
}

impl Opened<'_> {
    /// The entries in order. Those of a `.kpack` archive have their bytes as they stand there: see [`Opened::bytes`].
    pub fn entries(&self) -> Result<Vec<Entry<'_>>, offload_bundle::Error> {
        Ok(match &self.0 {
            Content::Raw(bundle) => bundle.entries().collect(),
            Content::Unpacked(content) => Bundle::parse(content)?.entries().collect(),
            Content::Loose(entries) => {
                let place = entries.iter().enumerate();
                place
                    .map(|(index, (id, loose))| {
                        let data = match loose {
                            Loose::Bytes(bytes) => bytes,
                            Loose::Kernel(kernel) => kernel.packed,
                        };
                        Entry { index, id: EntryId::parse(id), offset: 0, size: data.len() as u64, data }
                    })
                    .collect()
            }
        })
    }

    /// An entry's bytes, unpacked; one that has more than `limit` is refused.
    pub fn bytes<'b>(
        &'b self,
        entry: &Entry<'b>,
        limit: u64,
    ) -> Result<Cow<'b, [u8]>, offload_bundle::Error> {
        match &self.0 {
            Content::Loose(entries) => match entries.get(entry.index) {
                Some((_, Loose::Kernel(kernel))) => kernel.extract(limit),
                _ => Ok(Cow::Borrowed(entry.data)),
            },
            _ => Ok(Cow::Borrowed(entry.data)),
        }
    }

    /// Checks the hash of what was unpacked.
    pub fn check_hash(&self, found: &Found<'_>) -> Result<(), offload_bundle::Error> {
        match (&self.0, &found.what) {
            (Content::Unpacked(content), What::Compressed(compressed)) => compressed.check_hash(content),
            _ => Ok(()),
        }
    }

    /// The unpacked bytes of a compressed bundle.
    pub fn content(&self) -> Option<&[u8]> {
        match &self.0 {
            Content::Unpacked(content) => Some(content),
            _ => None,
        }
    }
}
