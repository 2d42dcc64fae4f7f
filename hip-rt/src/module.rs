//! Code on a device: images recognised, the entry for the device chosen, loaded; and the modules that a program loads
//! itself (`hipModuleLoad`).

use crate::device::Device;
use crate::error::{Result, of_runtime, report};
use crate::ffi;
use crate::launch::Kernel;
use amd_codeobj::TargetId;
use hip_sys::{hipError_t, hipFunction_t, hipModule_t};
use offload_bundle::{Bundle, DEFAULT_LIMIT, Entry, Image, select};
use parking_lot::{Mutex, RwLock};
use rocr_rs::{Agent, Executable, Memory, PoolKind};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Code in a device's memory.
pub struct LoadedCode {
    agent: Agent,
    executable: Executable,
    kernels: Mutex<BTreeMap<String, Arc<Kernel>>>,
}

impl LoadedCode {
    /// The agent that it is on.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// A kernel by name; `hipErrorNotFound` when there is none.
    pub fn kernel(&self, name: &str) -> Result<Arc<Kernel>> {
        let mut kernels = self.kernels.lock();
        if let Some(kernel) = kernels.get(name) {
            return Ok(kernel.clone());
        }
        let symbol = self.executable.kernel(name).map_err(|error| of_runtime(&error))?;
        let kernel = Kernel::new(symbol)?;
        kernels.insert(name.to_owned(), kernel.clone());
        Ok(kernel)
    }

    /// A variable's address and size; `hipErrorNotFound` when there is none.
    pub fn variable(&self, name: &str) -> Result<(u64, u64)> {
        let (address, size) = self.executable.variable(name).map_err(|error| of_runtime(&error))?;
        if let Some(hip) = crate::state::hip_if_open() {
            hip.allocations.note_variable(address, size);
        }
        Ok((address, size))
    }
}

/// The target ID of a device.
pub fn target_id(device: &Device) -> Result<TargetId> {
    let name = device.agent.isa_name();
    let text = name.rsplit_once("--").map_or(name.as_str(), |(_, target)| target);
    text.parse().map_err(|error| {
        report(format_args!("device {}: {error}", device.ordinal));
        hipError_t::INVALID_DEVICE
    })
}

/// Loads what an image has for a device. `origin` names the image in messages.
pub fn load_image(device: &Arc<Device>, bytes: &[u8], origin: &str) -> Result<Arc<LoadedCode>> {
    let invalid = |error: &dyn std::fmt::Display| {
        report(format_args!("{origin}: {error}"));
        hipError_t::INVALID_IMAGE
    };
    let image = Image::recognise(bytes).map_err(|error| match error {
        offload_bundle::Error::CodeObject { .. } => {
            report(format_args!("{origin}: {error}"));
            hipError_t::INVALID_KERNEL_FILE
        }
        error => invalid(&error),
    })?;
    let kind = image.kind();
    let unpacked;
    let bundle = match image {
        Image::Raw(bundle) => bundle,
        Image::Compressed(compressed) => {
            unpacked = compressed.decompress(DEFAULT_LIMIT).map_err(|error| invalid(&error))?;
            Bundle::parse(&unpacked).map_err(|error| invalid(&error))?
        }
        Image::CodeObject(object) => {
            let size = usize::try_from(object.file_size()).unwrap_or(usize::MAX).min(bytes.len());
            tracing::info!(
                target: "story", step = "bundle.recognised",
                kind = %kind, bytes = size, entries = %object.target_id().map(|id| id.to_string()).unwrap_or_default(),
            );
            return load_code(device, &bytes[..size], origin);
        }
        other => return Err(invalid(&format_args!("{} cannot be loaded", other.kind()))),
    };
    tell_bundle(&kind, &bundle);
    let agent = target_id(device)?;
    let choice = select(bundle.entries(), &agent).map_err(|no_match| {
        let details: String = no_match.details().map(|line| format!("\n    {line}")).collect();
        report(format_args!(
            "hipErrorNoBinaryForGpu: {no_match}\n  in {origin}{details}\n  \
             compile with --offload-arch={}, or choose a device that the program has code for (ROCRS_DEVICE)",
            no_match.wanted.processor
        ));
        hipError_t::NO_BINARY_FOR_GPU
    })?;
    let Entry { id, offset, size, data, .. } = &choice.entry;
    tracing::info!(
        target: "story", step = "bundle.chosen",
        agent = %agent, entry = %id, offset, size, why = %choice.why,
        rejected = %choice.rejected.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
    );
    load_code(device, data, origin)
}

fn tell_bundle(kind: &offload_bundle::ImageKind, bundle: &Bundle<'_>) {
    if tracing::enabled!(target: "story", tracing::Level::INFO) {
        let ids: Vec<_> = bundle.entries().map(|entry| entry.id.to_string()).collect();
        tracing::info!(
            target: "story", step = "bundle.recognised",
            kind = %kind, bytes = bundle.total_size(), entries = %ids.join(", "),
        );
    }
}

fn load_code(device: &Arc<Device>, code: &[u8], origin: &str) -> Result<Arc<LoadedCode>> {
    let executable = Executable::new(device.agent.runtime());
    let loaded = executable.load(&device.agent, code).and_then(|_| executable.freeze());
    loaded.map_err(|error| {
        report(format_args!("{origin}: {error}"));
        of_runtime(&error)
    })?;
    Ok(Arc::new(LoadedCode { agent: device.agent.clone(), executable, kernels: Mutex::default() }))
}

/// A module that the program loaded.
pub struct Module {
    /// The code.
    pub code: Arc<LoadedCode>,
    /// Ordinal of its device.
    pub device: usize,
    functions: Mutex<Vec<usize>>,
    /// Storage of managed variables, by name.
    managed: BTreeMap<String, (Memory, usize)>,
}

impl Module {
    /// A variable: for a managed one, what it points at.
    pub fn variable(&self, name: &str) -> Result<(u64, u64)> {
        match self.managed.get(name) {
            Some((memory, size)) => Ok((memory.va(), *size as u64)),
            None => self.code.variable(name),
        }
    }
}

/// The modules and functions that the program holds, by handle.
#[derive(Default)]
pub struct Modules {
    modules: RwLock<BTreeMap<usize, Arc<Module>>>,
    functions: RwLock<BTreeMap<usize, Arc<Kernel>>>,
}

impl Modules {
    /// Loads an image on a device.
    pub fn load(&self, device: &Arc<Device>, bytes: &[u8], origin: &str) -> Result<hipModule_t> {
        let code = load_image(device, bytes, origin)?;
        let managed = managed_of(device, &code)?;
        let module = Arc::new(Module { code, device: device.ordinal, functions: Mutex::default(), managed });
        let handle = Arc::as_ptr(&module).addr();
        self.modules.write().insert(handle, module);
        Ok(hipModule_t::from_bits(handle))
    }

    /// The module of a handle.
    pub fn get(&self, handle: hipModule_t) -> Result<Arc<Module>> {
        if handle == hipModule_t::NULL {
            return Err(hipError_t::INVALID_RESOURCE_HANDLE);
        }
        self.modules.read().get(&handle.bits()).cloned().ok_or(hipError_t::NOT_FOUND)
    }

    /// Forgets a module and its functions.
    pub fn unload(&self, handle: hipModule_t) -> Result<Arc<Module>> {
        let module = self.get(handle)?;
        self.modules.write().remove(&handle.bits());
        let mut functions = self.functions.write();
        for function in module.functions.lock().drain(..) {
            functions.remove(&function);
        }
        Ok(module)
    }

    /// A kernel of a module, as a handle.
    pub fn function(&self, module: &Module, name: &str) -> Result<hipFunction_t> {
        let kernel = module.code.kernel(name)?;
        let handle = Arc::as_ptr(&kernel).addr();
        if self.functions.write().insert(handle, kernel).is_none() {
            module.functions.lock().push(handle);
        }
        Ok(hipFunction_t::from_bits(handle))
    }

    /// The kernel of a handle.
    pub fn kernel(&self, handle: hipFunction_t) -> Result<Arc<Kernel>> {
        if handle == hipFunction_t::NULL {
            return Err(hipError_t::INVALID_RESOURCE_HANDLE);
        }
        self.functions.read().get(&handle.bits()).cloned().ok_or(hipError_t::INVALID_RESOURCE_HANDLE)
    }
}

/// A module tells of its managed variables by symbols alone: `x.managed` has the initial bytes, `x` wants a pointer.
fn managed_of(device: &Arc<Device>, code: &LoadedCode) -> Result<BTreeMap<String, (Memory, usize)>> {
    let mut found = BTreeMap::new();
    for variable in code.executable.variables() {
        let Some(name) = variable.name.strip_suffix(".managed") else { continue };
        let Ok((pointer, 8..)) = code.variable(name) else { continue };
        let size = usize::try_from(variable.size).map_err(|_| hipError_t::INVALID_KERNEL_FILE)?;
        let memory = device
            .agent
            .runtime()
            .cpu_agent()
            .pool(PoolKind::FineGrained)
            .allocate(size.max(1))
            .map_err(|error| crate::error::reported(format_args!("managed variable `{name}`"), &error))?;
        ffi::copy(memory.va(), variable.va, size);
        ffi::write_bytes(pointer, &memory.va().to_le_bytes());
        found.insert(name.to_owned(), (memory, size));
    }
    Ok(found)
}
