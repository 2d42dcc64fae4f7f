//! Loading: one block of executable memory holds all `PT_LOAD` segments of a code object at their distances.

use amd_codeobj::{CodeObject, Metadata, Symbol};

use super::{
    Loaded, LoadedCodeObject, State,
    relocation::Target,
    symbol::{Kernel, KernelSymbol, Variable},
};
use crate::{Agent, Error, MemoryOrigin};

/// Link addresses keep their place in a page; kernels need 256 bytes, segments may ask for a page.
const ALIGN: u64 = 4096;
/// No code object is that large; a file that says so is broken, and must not cost memory.
const MAX_BYTES: u64 = 16 << 30;

pub(super) struct Load {
    pub(super) code: LoadedCodeObject,
    pub(super) kernels: Vec<KernelSymbol>,
    pub(super) variables: Vec<Variable>,
}

pub(super) fn load(state: &State, agent: &Agent, bytes: &[u8]) -> Result<Load, Error> {
    let object = CodeObject::parse(bytes)?;
    check_target(&object, agent)?;
    let metadata = object.metadata()?;
    let size = object.load_size();
    if size == 0 || size > MAX_BYTES {
        return Err(Error::CodeObjectLayout { why: format!("its segments take {size:#x} bytes") });
    }
    let link_base = object.load_base() & !(ALIGN - 1);
    let lead = object.load_base() - link_base;
    let total =
        size.checked_add(lead).ok_or_else(|| Error::CodeObjectLayout { why: "size overflow".into() })?;
    let total_bytes = usize::try_from(total)
        .map_err(|_| Error::CodeObjectLayout { why: format!("{total:#x} bytes do not fit this host") })?;
    let outside =
        object.segments().iter().find(|s| s.data.len() as u64 > s.memsz || s.end() - link_base > total);
    if let Some(segment) = outside {
        return Err(Error::CodeObjectLayout {
            why: format!("segment at {:#x} overlaps the others", segment.vaddr),
        });
    }
    let core = &agent.runtime().core;
    let block = core.allocate_code(agent, total_bytes)?;
    for segment in object.segments() {
        let at = (segment.vaddr - link_base) as usize;
        block.write_bytes(at, segment.data);
        block.zero(at + segment.data.len(), segment.memsz as usize - segment.data.len());
    }
    let delta = block.va().wrapping_sub(link_base);
    let target = Target {
        state,
        node: agent.node_id(),
        object: &object,
        block: &block,
        link_base,
        size: total,
        delta,
    };
    let relocations = target.apply_all()?;
    core.allocations.insert(&block, agent.node_id(), MemoryOrigin::Code, false);

    tracing::info!(
        target: "story",
        step = "codeobject.loaded",
        version = object.version(),
        target = %object.target_id()?,
        bytes = bytes.len(),
        load_base = block.va(),
        load_bytes = size,
        segments = object.segments().len(),
        relocations,
    );
    let code = LoadedCodeObject {
        inner: std::sync::Arc::new(Loaded {
            agent: agent.clone(),
            version: object.version().into(),
            target: object.target_id()?.to_string(),
            load_base: block.va(),
            load_size: total,
            load_delta: delta,
            printf: metadata.printf.clone(),
            block,
        }),
    };
    let mut load = Load { code, kernels: Vec::new(), variables: Vec::new() };
    for symbol in object.symbols()? {
        let symbol = symbol?;
        if symbol.binding == amd_codeobj::Binding::LOCAL || !symbol.is_defined() {
            continue;
        }
        let end = symbol.value.checked_add(symbol.size);
        if !symbol.is_absolute()
            && (symbol.value < link_base || end.is_none_or(|end| end - link_base > total))
        {
            let (value, size) = (symbol.value, symbol.size);
            return Err(Error::CodeObjectLayout {
                why: format!(
                    "symbol `{}`, {size:#x} bytes at {value:#x}, lies outside its segments",
                    symbol.name
                ),
            });
        }
        if symbol.kernel_name().is_some() {
            load.kernels.push(kernel(&load.code, &object, &metadata, &symbol)?);
        } else if symbol.is_variable() {
            let key = (agent.node_id(), symbol.name.to_owned());
            if state.variables.contains_key(&key) {
                return Err(Error::DuplicateSymbol { name: key.1 });
            }
            load.variables.push(Variable {
                name: key.1,
                va: symbol.value.wrapping_add(delta),
                size: symbol.size,
                agent: agent.clone(),
                external: false,
            });
        }
    }
    for kernel in &load.kernels {
        if state.kernels.contains_key(&(agent.node_id(), kernel.name().to_owned())) {
            return Err(Error::DuplicateSymbol { name: kernel.name().to_owned() });
        }
        tell(kernel);
    }
    Ok(load)
}

fn check_target(object: &CodeObject<'_>, agent: &Agent) -> Result<(), Error> {
    let code = object.target_id()?;
    let incompatible = |why: String| Error::IncompatibleTarget {
        code: code.to_string(),
        agent: agent.target_id().map_or_else(|| agent.name().to_owned(), ToString::to_string),
        why,
    };
    let wanted = agent.target_id().ok_or_else(|| incompatible("the host does not run GPU code".into()))?;
    code.fits(wanted).map(drop).map_err(|why| incompatible(why.to_string()))
}

fn kernel(
    code: &LoadedCodeObject,
    object: &CodeObject<'_>,
    metadata: &Metadata,
    symbol: &Symbol<'_>,
) -> Result<KernelSymbol, Error> {
    let descriptor = object.kernel_descriptor(symbol)?;
    descriptor.check(object.isa()?.generation)?;
    let kernel_object = symbol.value.wrapping_add(code.load_delta());
    let bad =
        |why: String| Error::CodeObjectLayout { why: format!("kernel descriptor `{}`: {why}", symbol.name) };
    let entry =
        descriptor.entry(kernel_object).ok_or_else(|| bad("entry overflows the address space".into()))?;
    if !(code.load_base()..code.load_base() + code.load_size()).contains(&entry) {
        return Err(bad(format!("its entry {entry:#x} lies outside the code object")));
    }
    let metadata = metadata
        .kernels
        .iter()
        .find(|kernel| kernel.symbol == symbol.name)
        .cloned()
        .ok_or_else(|| bad("the metadata does not name this kernel".into()))?;
    let kernel = Kernel { code: code.clone(), kernel_object, entry, descriptor, metadata };
    Ok(KernelSymbol { inner: std::sync::Arc::new(kernel) })
}

/// The kernel's line in the story.
fn tell(kernel: &KernelSymbol) {
    if !tracing::enabled!(target: "story", tracing::Level::INFO) {
        return;
    }
    let metadata = kernel.metadata();
    tracing::info!(
        target: "story",
        step = "kernel.descriptor",
        kernel = kernel.name(),
        sgprs = metadata.sgpr_count,
        vgprs = metadata.vgpr_count,
        agprs = metadata.agpr_count,
        lds = kernel.group_segment_size(),
        scratch = kernel.private_segment_size(),
        kernarg = kernel.kernarg_segment_size(),
        entry = kernel.entry(),
    );
}
