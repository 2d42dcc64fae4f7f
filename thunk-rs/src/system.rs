//! Calls about a GPU as a whole: system-management events, tiling, memory policy, what the graphics driver says of it
//! (libhsakmt's `events.c`, `memory.c`, `topology.c`).

use std::fs::File;
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};

use kfd_sys::aperture::{CachePolicy, SetMemoryPolicyArgs};
use kfd_sys::clock::GetTileConfigArgs;
use kfd_sys::render::{IDS_FLAGS_FUSION, INFO_DEV_INFO, InfoArgs};
use kfd_sys::smi::{SmiEvent, SmiEventsArgs};

use crate::context::render_call;
use crate::topology::NodeId;
use crate::{Error, Result, Thunk};

/// The stream of a GPU's system-management events: lines of text.
#[derive(Debug)]
pub struct SmiEvents {
    file: File,
}

impl SmiEvents {
    /// Chooses what comes, instead of what was chosen before; none at first.
    pub fn choose(&self, events: &[SmiEvent]) -> Result<()> {
        use std::io::Write as _;
        let mask = events.iter().fold(0u64, |mask, event| mask | 1 << event.0.saturating_sub(1).min(63));
        (&self.file)
            .write_all(&mask.to_ne_bytes())
            .map_err(|error| Error::request("smi_events", format!("mask {mask:#x}: {error}")))
    }

    /// What has come, if anything; does not wait. (`poll` the descriptor for that.)
    pub fn read(&self) -> Result<Option<String>> {
        use std::io::Read as _;
        let mut bytes = [0; 4096];
        match (&self.file).read(&mut bytes) {
            Ok(len) => Ok((len != 0).then(|| String::from_utf8_lossy(&bytes[..len]).into_owned())),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(Error::request("smi_events", format!("read: {error}"))),
        }
    }

    /// The descriptor.
    pub fn into_fd(self) -> OwnedFd {
        self.file.into()
    }

    /// Its number.
    pub fn fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }
}

/// What the graphics driver says of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DriverFacts {
    /// Its family, `AMDGPU_FAMILY_*`.
    pub family: u32,
    /// Host and GPU are one chip.
    pub integrated: bool,
}

/// How a GPU's memory is tiled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TileConfig {
    /// Words of `GB_TILE_MODE*`.
    pub tiles: Vec<u32>,
    /// Words of `GB_MACROTILE_MODE*`.
    pub macro_tiles: Vec<u32>,
    /// Register `GB_ADDR_CONFIG`.
    pub gb_addr_config: u32,
    /// Banks.
    pub banks: u32,
    /// Ranks.
    pub ranks: u32,
}

impl Thunk {
    /// Opens the stream of a GPU's system-management events.
    pub fn smi_events(&self, node: NodeId) -> Result<SmiEvents> {
        let gpu_id = self.context.gpu(node)?.gpu_id;
        let mut args = SmiEventsArgs { gpuid: gpu_id, anon_fd: 0 };
        self.context.call(&mut args, |a| format!("gpu {gpu_id}: fd {}", a.anon_fd))?;
        Ok(SmiEvents { file: crate::memory::owned_fd(args.anon_fd as RawFd).into() })
    }

    /// What the graphics driver says of a GPU and KFD does not.
    pub fn driver_facts(&self, node: NodeId) -> Result<DriverFacts> {
        /// Words of `struct drm_amdgpu_info_device`, up to the last that is wanted, and where those are.
        const WORDS: usize = 36;
        const FAMILY: usize = 4;
        const IDS_FLAGS: usize = 34;
        let minor = self.context.gpu(node)?.render_minor;
        let mut words = [0u32; WORDS];
        let mut args = InfoArgs {
            return_pointer: words.as_mut_ptr() as u64,
            return_size: size_of_val(&words) as u32,
            query: INFO_DEV_INFO,
            details: [0; 2],
        };
        render_call(&*self.context.kfd, minor, &mut args, |a| format!("query {:#x}", a.query))?;
        let flags = u64::from(words[IDS_FLAGS]) | u64::from(words[IDS_FLAGS + 1]) << 32;
        Ok(DriverFacts { family: words[FAMILY], integrated: flags & IDS_FLAGS_FUSION != 0 })
    }

    /// How a GPU's memory is tiled, at most so many words of each sort.
    pub fn tile_config(&self, node: NodeId, tiles: usize, macro_tiles: usize) -> Result<TileConfig> {
        let gpu_id = self.context.node(node)?.gpu_id;
        let mut config =
            TileConfig { tiles: vec![0; tiles], macro_tiles: vec![0; macro_tiles], ..Default::default() };
        let mut args = GetTileConfigArgs {
            tile_config_ptr: config.tiles.as_mut_ptr() as u64,
            macro_tile_config_ptr: config.macro_tiles.as_mut_ptr() as u64,
            num_tile_configs: tiles as u32,
            num_macro_tile_configs: macro_tiles as u32,
            gpu_id,
            ..Default::default()
        };
        self.context.call(&mut args, |a| format!("gpu {gpu_id}: {:#x}", a.gb_addr_config))?;
        config.tiles.truncate(args.num_tile_configs as usize);
        config.macro_tiles.truncate(args.num_macro_tile_configs as usize);
        (config.gb_addr_config, config.banks, config.ranks) =
            (args.gb_addr_config, args.num_banks, args.num_ranks);
        Ok(config)
    }

    /// Chooses how memory is cached by default, and within one range. Of GPUs with flat scratch (gfx9 and later) only the
    /// default counts.
    pub fn set_memory_policy(
        &self,
        node: NodeId,
        default: CachePolicy,
        alternate: CachePolicy,
        range: (u64, u64),
    ) -> Result<()> {
        let gpu_id = self.context.gpu(node)?.gpu_id;
        let mut args = SetMemoryPolicyArgs {
            alternate_aperture_base: range.0,
            alternate_aperture_size: range.1,
            gpu_id,
            default_policy: default,
            alternate_policy: alternate,
            misc_process_flag: 0,
        };
        self.context
            .call(&mut args, |_| format!("gpu {gpu_id}, default {default:?}, alternate {alternate:?}"))
    }
}
