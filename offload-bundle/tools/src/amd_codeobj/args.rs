//! The command line.

use std::path::PathBuf;

use amd_codeobj::TargetId;
use clap::{Parser, Subcommand};
use offload_bundle::DEFAULT_LIMIT;

use super::lines::Address;

const FILES: &str = "FILE is a code object (.co, .hsaco, .o) or anything that holds some: a fat binary (.hipfb), a program, \
library, object or static archive of the host. All code objects in it are read, one after another; --bundle, --entry and \
--agent choose.";

const EXIT: &str =
    "Exit status: 0 fine; 1 something is wrong with a file, or nothing was found; 2 wrong usage.";

const EXAMPLES: &str = "Examples:
  amd-codeobj inspect kernels.co
  amd-codeobj kernels --agent gfx90a:sramecc+:xnack- librocsparse.so.0
  amd-codeobj kernels --json program | jq -r '.[] | select(.vgpr_spill_count > 0) | .demangled'
  amd-codeobj metadata --entry gfx942 program
  amd-codeobj symbols kernels.co
  amd-codeobj relocs kernels.co
  amd-codeobj lines kernels.co 0x1a40";

/// Show what AMDGPU code objects hold: kernels and their resources, arguments, metadata, symbols, relocations, lines.
#[derive(Debug, Parser)]
#[command(name = "amd-codeobj", version, after_help = format!("{EXAMPLES}\n\n{FILES}\n\n{EXIT}"))]
pub(super) struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Inspect(Inspect),
    Kernels(Kernels),
    Metadata(Metadata),
    Symbols(Symbols),
    Relocs(Relocs),
    Lines(Lines),
}

/// Which code objects.
#[derive(Debug, clap::Args)]
pub(crate) struct Pick {
    /// Code objects, fat binaries, programs, libraries, objects, archives
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub choice: Choice,
}

/// Which code objects of a file.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Choice {
    /// Of this bundle only, counted from 0 in file order
    #[arg(long, value_name = "N")]
    pub bundle: Option<usize>,
    /// Only entries with this ID, whole (hipv4-amdgcn-amd-amdhsa--gfx942) or by its target ID (gfx942)
    #[arg(long, visible_alias = "id", value_name = "ID", conflicts_with = "agent")]
    pub entry: Option<String>,
    /// Only what a HIP runtime takes on this GPU, one entry a bundle; features that are left out are sramecc+ and xnack-
    #[arg(long, value_name = "TARGETID")]
    pub agent: Option<TargetId>,
    /// Refuse compressed bundles that unpack to more than so many bytes
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_LIMIT)]
    pub limit: u64,
}

/// Describe code objects: header, segments, kernels, arguments.
///
/// Register counts are those of the metadata; what the hardware sets aside for a wave, by the kernel descriptor, stands
/// behind them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: an array with one object a code object: file, member, section, bundle, kind, id, size, version, target, type,
generic_version, flags, load_base, load_size, segments, kernels, error (why kernels are missing, or null). Keys of kernels
and arguments are those of LLVM's metadata without the dot; allocated_vgprs, allocated_agprs and allocated_sgprs are the
descriptor's. All numbers are bytes or counts.

Examples:
  amd-codeobj inspect kernels.co
  amd-codeobj inspect --entry gfx90a program
  amd-codeobj inspect --json kernels.co | jq '.[].kernels[] | {name, args: [.args[] | {name, offset, size}]}'")]
pub(super) struct Inspect {
    #[command(flatten)]
    pub pick: Pick,
    /// Only kernels whose name, mangled or not, contains this
    #[arg(long, value_name = "TEXT")]
    pub kernel: Option<String>,
    /// List hidden arguments one by one
    #[arg(long)]
    pub hidden: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// List kernels, one line each.
///
/// VGPR, AGPR and SGPR are registers, LDS bytes a work-group, SCRATCH bytes a work-item, KERNARG bytes of arguments, WAVE
/// lanes, GROUP the largest work-group, OCC how many waves fit on a SIMD, SPILL registers spilled (scalar+vector). VGPR
/// includes AGPR where both share one register file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: an array with one object a kernel: file, bundle, id, target, name, demangled, the metadata's numbers under their own
names, occupancy, max_occupancy (waves on a SIMD) and occupancy_limit (what keeps more away), or null.

Examples:
  amd-codeobj kernels program
  amd-codeobj kernels libthings.so | sort -k3n
  amd-codeobj kernels --json *.co | jq -r 'group_by(.target)[] | \"\\(.[0].target) \\(length)\"'")]
pub(super) struct Kernels {
    #[command(flatten)]
    pub pick: Pick,
    /// Print names as they are in the file
    #[arg(long)]
    pub mangled: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Print the metadata as YAML, to the byte as llvm-readelf --notes does.
///
/// One YAML document a code object, with nothing between them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  amd-codeobj metadata kernels.co
  amd-codeobj metadata --agent gfx1100 program | yq '.[\"amdhsa.kernels\"][].[\".name\"]'")]
pub(super) struct Metadata {
    #[command(flatten)]
    pub pick: Pick,
}

/// List symbols.
///
/// Those of the dynamic symbol table, which the loader uses; of a relocatable object, all.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: an array with one object a symbol: file, bundle, id, target, index, name, demangled, value, size, type, binding,
visibility, section (an index).

Examples:
  amd-codeobj symbols kernels.co
  amd-codeobj symbols --json kernels.co | jq -r '.[] | select(.type == \"OBJECT\") | .name'")]
pub(super) struct Symbols {
    #[command(flatten)]
    pub pick: Pick,
    /// Print names as they are in the file
    #[arg(long)]
    pub mangled: bool,
    /// All symbols, local ones and sections included
    #[arg(long)]
    pub all: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// List the relocations that a loader applies; of a relocatable object, those that a linker does.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: an array with one object a relocation: file, bundle, id, target, section (null for those of the loader), offset (a
virtual address; in a relocatable object an offset in the section), type, symbol (a name or null), addend.

Examples:
  amd-codeobj relocs kernels.co")]
pub(super) struct Relocs {
    #[command(flatten)]
    pub pick: Pick,
    /// Those of every section, whoever applies them
    #[arg(long)]
    pub all: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Tell which lines of the source addresses come from.
///
/// The code has to be compiled with -g. An inlined function stands before the one that it is inlined into. The exit status
/// is 1 if no line is known for one of the addresses.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: an array with one object an address of each code object: file, bundle, id, target, address, symbol and
symbol_offset (or null), frames (innermost first: function, demangled, file, line, column).

Examples:
  amd-codeobj lines kernels.co 0x1a40 0x1a58
  amd-codeobj lines --agent gfx90a program _Z5saxpyfPKfPfi+0x1c")]
pub(super) struct Lines {
    /// A code object, or a file that holds some
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Virtual addresses in the code object, hexadecimal, or a symbol's name and a distance: SYMBOL+NUMBER
    #[arg(required = true, value_name = "ADDRESS")]
    pub addresses: Vec<Address>,
    #[command(flatten)]
    pub choice: Choice,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl Lines {
    pub fn pick(&self) -> Pick {
        Pick { files: vec![self.file.clone()], choice: self.choice.clone() }
    }
}
