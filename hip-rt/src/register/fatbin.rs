//! A registered fat binary: recognised, searched and loaded when a device first needs its code.

use crate::device::Device;
use crate::error::{Result, report};
use crate::ffi;
use crate::module::{LoadedCode, load_image};
use crate::register::{Managed, Place, locate};
use hip_sys::hipError_t;
use offload_bundle::{Bundle, FatBinaryWrapper, Image};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A fat binary of the program.
pub struct FatBinary {
    wrapper: u64,
    place: OnceLock<Option<Place>>,
    loaded: Mutex<BTreeMap<usize, Result<Arc<LoadedCode>>>>,
    managed: Mutex<Vec<Managed>>,
}

impl FatBinary {
    /// Notes the wrapper at an address; `None` when it is none.
    pub fn new(wrapper: u64) -> Option<Self> {
        if wrapper == 0 {
            return None;
        }
        // The wrapper is 24 bytes in a segment of the program: the pointer inside is all that is taken from it.
        let bytes = ffi::program_bytes(wrapper, FatBinaryWrapper::SIZE);
        match FatBinaryWrapper::parse(bytes) {
            Ok(parsed) if parsed.magic == FatBinaryWrapper::HIPF => {
                let binary = Self {
                    wrapper: parsed.binary,
                    place: OnceLock::new(),
                    loaded: Mutex::default(),
                    managed: Mutex::default(),
                };
                binary.tell(parsed.magic);
                Some(binary)
            }
            Ok(_) => {
                report(
                    "the program's device code is in .kpack files (magic HIPK), which this library does not read",
                );
                None
            }
            Err(error) => {
                report(format_args!("__hipRegisterFatBinary({wrapper:#x}): {error}"));
                None
            }
        }
    }

    fn tell(&self, magic: u32) {
        if !tracing::enabled!(target: "story", tracing::Level::INFO) {
            return;
        }
        let place = self.place();
        tracing::info!(
            target: "story",
            step = "fatbin.registered",
            file = place.map_or("", |place| place.path.as_str()),
            section = place.and_then(Place::section).unwrap_or_default(),
            address = format_args!("{:#x}", self.wrapper),
            magic = format_args!("{magic:#x} \"{}\"", String::from_utf8_lossy(&magic.to_be_bytes())),
        );
    }

    fn place(&self) -> Option<&Place> {
        self.place.get_or_init(|| locate(self.wrapper)).as_ref()
    }

    /// The image, to the end of the segment that it lies in.
    fn bytes(&self) -> Option<&'static [u8]> {
        self.place().map(|place| ffi::program_bytes(place.address, place.len))
    }

    /// The target IDs that there is code for, by the table alone.
    pub fn targets(&self) -> Vec<String> {
        let of = |bundle: &Bundle<'_>| -> Vec<String> {
            bundle.entries().filter_map(|entry| entry.id.target.map(|target| target.to_string())).collect()
        };
        match self.bytes().map(Image::recognise) {
            Some(Ok(Image::Raw(bundle))) => of(&bundle),
            Some(Ok(Image::Compressed(compressed))) => {
                match compressed.decompress(offload_bundle::DEFAULT_LIMIT) {
                    Ok(content) => Bundle::parse(&content).map(|bundle| of(&bundle)).unwrap_or_default(),
                    Err(_) => Vec::new(),
                }
            }
            Some(Ok(Image::CodeObject(object))) => {
                object.target_id().map(|target| vec![target.to_string()]).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// The code of this fat binary on a device, loaded now if it was not.
    pub fn load(&self, device: &Arc<Device>) -> Result<Arc<LoadedCode>> {
        let mut loaded = self.loaded.lock();
        if let Some(result) = loaded.get(&device.ordinal) {
            return result.clone();
        }
        let result = self.load_now(device);
        loaded.insert(device.ordinal, result.clone());
        result
    }

    fn load_now(&self, device: &Arc<Device>) -> Result<Arc<LoadedCode>> {
        let Some(bytes) = self.bytes() else {
            report(format_args!("the fat binary at {:#x} lies in no mapped memory", self.wrapper));
            return Err(hipError_t::INVALID_IMAGE);
        };
        let code = load_image(device, bytes, &self.to_string())?;
        for managed in self.managed.lock().iter() {
            managed.bind(&code)?;
        }
        Ok(code)
    }

    /// Adds a managed variable; devices that have the code already learn of it now.
    pub fn add_managed(&self, managed: Managed) {
        for code in self.loaded.lock().values().flatten() {
            let _ = managed.bind(code);
        }
        self.managed.lock().push(managed);
    }
}

impl fmt::Display for FatBinary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place() {
            Some(place) if !place.path.is_empty() => {
                let section = place.section().unwrap_or_else(|| "no section".to_owned());
                write!(f, "{} ({section}, {:#x})", place.path, self.wrapper)
            }
            _ => write!(f, "the fat binary at {:#x}", self.wrapper),
        }
    }
}
