//! The command line.

use std::path::PathBuf;

use amd_codeobj::TargetId;
use clap::{Parser, Subcommand};
use offload_bundle::{DEFAULT_LIMIT, WriteError};

use super::form::Form;
use super::pack::NewEntry;

const FILES: &str = "FILE is anything that holds fat binaries: a program, library, object or static archive of the host, \
a fat binary (.hipfb), or a code object (.co, .hsaco). Bundles are counted from 0 in file order.";

const EXIT: &str = "Exit status: 0 fine; 1 something is wrong with a file, or nothing fits; 2 wrong usage.";

const EXAMPLES: &str = "Examples:
  offload-bundle ls librocsparse.so.0
  offload-bundle ls --json program | jq '.[].target'
  offload-bundle extract program --agent gfx90a:xnack- -o kernels.co
  offload-bundle unpack program -d kernels
  offload-bundle pack -o all.hipfb --compress gfx90a=a.co gfx942=b.co
  offload-bundle repack program -o program.hipfb --compress --remove gfx803
  offload-bundle why --agent gfx942 program
  offload-bundle verify program";

/// List, take apart, make and check fat binaries: Clang offload bundles, raw and compressed.
#[derive(Debug, Parser)]
#[command(name = "offload-bundle", version, after_help = format!("{EXAMPLES}\n\n{FILES}\n{EXIT}"))]
pub(super) struct Args {
    #[command(subcommand)]
    pub command: Command,
}

impl Args {
    /// Checks what clap cannot: values that depend on each other.
    pub fn check(&self) -> Result<(), WriteError> {
        match &self.command {
            Command::Pack(args) => args.form.check(),
            Command::Repack(args) => args.form.check(),
            _ => Ok(()),
        }
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Ls(Ls),
    Extract(Extract),
    Unpack(Unpack),
    Pack(Pack),
    Repack(Repack),
    Why(Why),
    Verify(Verify),
}

/// List the entries of all bundles.
///
/// Reads headers only: of a compressed bundle no more is unpacked than its table. Everything that can be read is listed
/// before an error is reported.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: an array with one object an entry.
  file             the file, as it was named
  member, section  where in it, for archives and ELF files of the host; null otherwise
  bundle           index of the bundle in the file
  kind             \"raw\", \"ccob1\", \"ccob2\", \"ccob3\"; \"code object\" for one without a bundle; \"kpack\"; \"entry\" for
                   one in a section of its own (-fgpu-rdc); \"kpack reference\" where the code is in other files
  bundle_offset    where the bundle starts in the file
  id, target       entry ID, and the target ID in it or null; a code object without a bundle gets the ID that it would
                   have in one
  offset           where the entry's bytes start: in the file if raw, in the unpacked bundle if compressed
  size             how many there are (unpacked)
  compressed_size  size of the whole compressed bundle (kpack: of the code object); null if raw
All numbers are bytes.

Examples:
  offload-bundle ls program
  offload-bundle ls --json *.so | jq -r '.[] | select(.target == \"gfx90a\") | .file'")]
pub(super) struct Ls {
    /// Programs, libraries, objects, archives, fat binaries, code objects
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Take one code object out.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  offload-bundle extract program --agent gfx90a:sramecc+:xnack- -o kernels.co
  offload-bundle extract libthings.so --bundle 3 --id gfx942 | llvm-readelf --notes -")]
pub(super) struct Extract {
    /// A file that holds fat binaries
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// From this bundle only
    #[arg(long, value_name = "N")]
    pub bundle: Option<usize>,
    /// The entry with this ID, whole (hipv4-amdgcn-amd-amdhsa--gfx942) or by its target ID (gfx942)
    #[arg(long, value_name = "ID", conflicts_with = "agent")]
    pub id: Option<String>,
    /// The entry that a HIP runtime takes on this GPU
    #[arg(long, value_name = "TARGETID")]
    pub agent: Option<TargetId>,
    /// Where to [default: standard output]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub limit: Limit,
}

/// Take all entries out, each to a file of its own.
///
/// Names are made of the bundle's index and the entry's ID, as 0-hipv4-amdgcn-amd-amdhsa--gfx90a@xnack-.co: ":" becomes
/// "@", what is no letter, digit or one of "-_.+" becomes "_", long IDs are cut, and repeated names are numbered (~2).
/// Whatever an ID says, files are written to DIR only. Empty entries are left out. The names are printed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  offload-bundle unpack program -d kernels
  offload-bundle unpack libthings.so --bundle 3 -d kernels")]
pub(super) struct Unpack {
    /// A file that holds fat binaries
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The directory to write to; made if it is missing
    #[arg(short, long, value_name = "DIR")]
    pub directory: PathBuf,
    /// From this bundle only
    #[arg(long, value_name = "N")]
    pub bundle: Option<usize>,
    #[command(flatten)]
    pub limit: Limit,
}

/// Make a bundle of code objects.
///
/// An empty host entry is put first, as HIP's compilers do it. ID is a whole entry ID or a target ID: gfx90a stands for
/// hipv4-amdgcn-amd-amdhsa--gfx90a.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  offload-bundle pack -o all.hipfb gfx90a:xnack-=a.co gfx942=b.co
  offload-bundle pack -o small.hipfb --compress --level 19 gfx1100=c.co
  offload-bundle pack -o old.hipfb --compress=zlib host-x86_64-unknown-linux--=/dev/null hip-amdgcn-amd-amdhsa-gfx906=d.co")]
pub(super) struct Pack {
    /// The entries, in order
    #[arg(required = true, value_name = "ID=FILE")]
    pub entries: Vec<NewEntry>,
    /// Where to ("-": standard output)
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub form: Form,
    /// Do not add a host entry
    #[arg(long)]
    pub no_host: bool,
}

/// Write the bundles of a file anew: compressed or not, with entries added or removed.
///
/// The result is a fat binary (.hipfb): the bundles one after another, each at a multiple of 4096 bytes. Without
/// --compress or --raw each keeps its form, and one of which nothing is changed is copied as it is.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  offload-bundle repack program -o program.hipfb
  offload-bundle repack libthings.so -o things.hipfb --compress --remove gfx803 --remove gfx900
  offload-bundle repack a.hipfb -o b.hipfb --raw --add gfx942=kernels.co")]
pub(super) struct Repack {
    /// A file that holds fat binaries
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Where to ("-": standard output); may be FILE
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// Only this bundle
    #[arg(long, value_name = "N")]
    pub bundle: Option<usize>,
    #[command(flatten)]
    pub form: Form,
    /// Unpack compressed bundles
    #[arg(long, conflicts_with_all = ["compress", "ccob", "level"])]
    pub raw: bool,
    /// Add an entry, or replace the one of that ID; with several bundles, say which with --bundle
    #[arg(long, value_name = "ID=FILE")]
    pub add: Vec<NewEntry>,
    /// Remove an entry from every bundle that has it
    #[arg(long, value_name = "ID")]
    pub remove: Vec<String>,
    #[command(flatten)]
    pub limit: Limit,
}

/// Say which entry a HIP runtime takes on a GPU, and why not the others.
///
/// Features that TARGETID leaves out are taken as the driver sets them by default: sramecc+, xnack-. The exit status is
/// 1 if a bundle has no entry that fits.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  offload-bundle why --agent gfx90a program
  offload-bundle why --agent gfx90a:sramecc+:xnack+ libthings.so")]
pub(super) struct Why {
    /// A file that holds fat binaries
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The GPU, as rocminfo or hipDeviceProp_t::gcnArchName names it
    #[arg(long, value_name = "TARGETID")]
    pub agent: TargetId,
    #[command(flatten)]
    pub limit: Limit,
}

/// Check every header, entry, hash and code object.
///
/// Findings are printed with their offset: in the file, or where it says so in what a bundle unpacks to or in the code
/// object. Notes tell of what is unusual and no reader minds; they do not make a file a bad one.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  offload-bundle verify program
  find . -name '*.co' -exec offload-bundle verify {} +")]
pub(super) struct Verify {
    /// Programs, libraries, objects, archives, fat binaries, code objects
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub limit: Limit,
}

/// A bound on memory.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct Limit {
    /// Refuse compressed bundles that unpack to more than so many bytes
    #[arg(long = "limit", value_name = "BYTES", default_value_t = DEFAULT_LIMIT)]
    pub bytes: u64,
}
