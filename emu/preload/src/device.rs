//! The emulated GPUs of one process, and the folder with their files.

use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use amdgpu_emu::tree::Host;
use amdgpu_emu::{EmulatedGpu, Options};

use crate::say::say;

/// The devices, as the environment describes them.
pub struct Device {
    /// KFD's side.
    pub gpu: Arc<EmulatedGpu>,
    /// How many there are.
    pub gpus: usize,
    /// The folder that stands for `/`.
    pub root: PathBuf,
    /// The same without links on the way, as bytes.
    pub canonical: Vec<u8>,
    /// The process that made the folder and removes it; none if it was there.
    maker: Option<u32>,
    /// Names of the chips, for messages.
    names: String,
    announced: AtomicBool,
    /// Files written anew so far.
    renewed: AtomicU32,
}

impl Device {
    /// Makes the devices. Threads and memory are taken when they are first needed.
    pub fn new(host: &Host) -> Result<Device, String> {
        let chips = Options::gpus_from_env().map_err(|error| error.to_string())?;
        let options = Options::from_env().map_err(|error| error.to_string())?;
        let gpu = EmulatedGpu::new(&chips, options);
        let given =
            std::env::var_os(Options::ROOT).map(PathBuf::from).filter(|root| root.join("dev/kfd").exists());
        let (root, maker) = match given {
            Some(root) if root.canonicalize().is_ok_and(|whole| whole == Path::new("/")) => {
                return Err(format!("{}: `{}` is the host's own root", Options::ROOT, root.display()));
            }
            Some(root) => (root, None),
            None => {
                // A name of its own: several threads may be here, and other processes have had this one's number.
                let folder = tempfile::Builder::new().prefix("amdgpu-emu-").tempdir();
                let folder =
                    folder.map_err(|error| format!("{}: {error}", std::env::temp_dir().display()))?;
                let written = gpu.tree(host).write(folder.path());
                written.map_err(|error| format!("{}: {error}", folder.path().display()))?;
                (folder.keep(), Some(std::process::id()))
            }
        };
        let canonical = root.canonicalize().unwrap_or_else(|_| root.clone()).into_os_string().into_vec();
        let names = chips.iter().map(|chip| chip.name).collect::<Vec<_>>().join(", ");
        let announced = AtomicBool::new(false);
        let renewed = AtomicU32::new(0);
        Ok(Device { gpu, gpus: chips.len(), root, canonical, maker, names, announced, renewed })
    }

    /// Says once that there is no hardware: nobody may mistake an emulated run for one.
    pub fn announce(&self) {
        let quiet = std::env::var_os("ROCRS_QUIET").is_some_and(|value| value == "1");
        if !self.announced.swap(true, Ordering::Relaxed) && !quiet {
            say(format_args!("/dev/kfd is emulated: {}", self.names));
        }
    }

    /// Removes the folder, if this process made it.
    pub fn remove_root(&self) {
        if self.maker == Some(std::process::id()) {
            // At the end of the process nobody is left to tell.
            let _ = fs::remove_dir_all(&self.root);
        }
    }

    /// Writes the file at `path` anew, if it is one whose text changes while the device runs.
    pub fn refresh(&self, path: &[u8]) {
        let Ok(path) = std::str::from_utf8(path) else { return };
        if let Some(text) = self.gpu.changing_file(path) {
            // Written aside and put in its place, so that a reader never finds half of it. A file that cannot be written
            // keeps what it said before.
            let number = self.renewed.fetch_add(1, Ordering::Relaxed);
            let aside = self.root.join(format!(".new-{}-{number}", std::process::id()));
            let put = fs::write(&aside, text).and_then(|()| fs::rename(&aside, self.file(Path::new(path))));
            if put.is_err() {
                let _ = fs::remove_file(&aside);
            }
        }
    }

    fn file(&self, path: &Path) -> PathBuf {
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }
}
