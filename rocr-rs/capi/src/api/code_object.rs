//! Code objects of HSA 1.0 (`hsa.h` section 2.9, deprecated since 1.1 in favour of readers): bytes that the library keeps,
//! and the symbols in them.
//!
//! A kernel is found by its descriptor, which code objects since version 3 have as a variable: what a kernel needs is
//! known of executables' symbols. The library that AMD ships answers so, too.

use std::collections::BTreeMap;
use std::sync::Arc;

use hsa_sys::{
    AgentHandle, ExecutableHandle, Status, SymbolKind, SymbolLinkage, VariableAllocation, VariableSegment,
};
use parking_lot::Mutex;
use rocr_rs::amd_codeobj::{self, CodeObject};

use super::system::MACHINE_MODEL_LARGE;
use super::{executable, isa};
use crate::ffi::{self, Address, Out, Result, Text, Value};
use crate::state::{Session, session};

/// Bytes of the text that says a code object's version.
const VERSION: usize = 64;
/// `HSA_PROFILE_BASE`, `HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR`, `HSA_CODE_OBJECT_TYPE_PROGRAM`
const PROFILE_BASE: u32 = 0;
const ROUND_NEAR: u32 = 2;
const TYPE_PROGRAM: u32 = 0;
/// `SHF_WRITE`
const WRITABLE: u64 = 1;

/// A code object that the library keeps.
pub struct Code {
    bytes: Arc<Vec<u8>>,
    /// Handles of its symbols by name.
    symbols: Mutex<BTreeMap<String, u64>>,
}

/// A symbol of a code object.
pub struct CodeSymbol {
    code: u64,
    name: String,
    size: u64,
    align: u64,
    is_const: bool,
    is_local: bool,
    is_defined: bool,
}

fn find(session: &Session, handle: u64) -> Result<Arc<Code>> {
    session.codes.get(handle).ok_or(Status::ERROR_INVALID_CODE_OBJECT)
}

fn parse(code: &Code) -> Result<CodeObject<'_>> {
    CodeObject::parse(&code.bytes).map_err(|_| Status::ERROR_INVALID_CODE_OBJECT)
}

pub fn deserialize(address: Address, len: usize, _options: Text, out: Out<u64>) -> Result {
    let session = session()?;
    let possible = isize::try_from(len).is_ok() && address.checked_add(len as u64).is_some();
    if address == 0 || out.is_null() || len == 0 || !possible {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len).map_err(|_| Status::ERROR_OUT_OF_RESOURCES)?;
    bytes.extend_from_slice(ffi::program_bytes(address, len));
    out.set(session.codes.add(Arc::new(Code { bytes: Arc::new(bytes), symbols: Mutex::default() })))
}

/// What a program gives memory with: bytes, its data, where the address goes.
pub type Allocate = Option<extern "C" fn(usize, Address, Out<u64>) -> Status>;

pub fn serialize(
    code: u64,
    allocate: Allocate,
    data: Address,
    _options: Text,
    out: Out<u64>,
    len: Out<usize>,
) -> Result {
    let session = session()?;
    let allocate = allocate.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    out.check()?;
    len.check()?;
    let code = find(&session, code)?;
    parse(&code)?;
    match allocate(code.bytes.len(), data, out) {
        Status::SUCCESS => {}
        other => return Err(other),
    }
    let to: u64 = out.as_in().get()?;
    if to == 0 {
        return Err(Status::ERROR_OUT_OF_RESOURCES);
    }
    ffi::copy(to, code.bytes.as_ptr().expose_provenance() as u64, code.bytes.len());
    len.set(code.bytes.len())
}

pub fn destroy(code: u64) -> Result {
    let session = session()?;
    session.codes.remove(code).ok_or(Status::ERROR_INVALID_CODE_OBJECT)?;
    session.code_symbols.remove_if(|symbol| symbol.code == code);
    Ok(())
}

/// `hsa_code_object_info_t`
pub fn info(code: u64, attribute: u32, value: Value) -> Result {
    let session = session()?;
    value.check()?;
    let code = find(&session, code)?;
    let object = parse(&code)?;
    match attribute {
        0 => value.text(&format!("{}.0", object.version()), VERSION),
        1 => value.set(TYPE_PROGRAM),
        2 => {
            let target = object.target_id().map_err(|_| Status::ERROR_INVALID_CODE_OBJECT)?;
            value.set(isa::intern(&session, format!("amdgcn-amd-amdhsa--{target}")))
        }
        3 => value.set(MACHINE_MODEL_LARGE),
        4 => value.set(PROFILE_BASE),
        5 => value.set(ROUND_NEAR),
        _ => Err(Status::ERROR_INVALID_ARGUMENT),
    }
}

/// The variables and kernel descriptors, each with its handle, which is the same each time.
fn symbols(session: &Session, handle: u64, code: &Code) -> Result<Vec<(String, u64)>> {
    let object = parse(code)?;
    let all = object.all_symbols().map_err(|_| Status::ERROR_INVALID_CODE_OBJECT)?;
    let mut known = code.symbols.lock();
    let mut found = Vec::new();
    for symbol in all {
        let symbol = symbol.map_err(|_| Status::ERROR_INVALID_CODE_OBJECT)?;
        if symbol.kind != amd_codeobj::SymbolKind::OBJECT || symbol.name.is_empty() {
            continue;
        }
        let handle = *known.entry(symbol.name.to_owned()).or_insert_with(|| {
            let section = object.section_by_index(symbol.section.into()).ok();
            session.code_symbols.add(Arc::new(CodeSymbol {
                code: handle,
                name: symbol.name.to_owned(),
                size: symbol.size,
                align: section.as_ref().map_or(1, |section| section.align),
                is_const: section.is_some_and(|section| section.flags.0 & WRITABLE == 0),
                is_local: symbol.binding == amd_codeobj::Binding::LOCAL,
                is_defined: symbol.is_defined(),
            }))
        });
        found.push((symbol.name.to_owned(), handle));
    }
    Ok(found)
}

pub fn symbol(code: u64, name: Text, out: Out<u64>) -> Result {
    let session = session()?;
    let name = name.get()?;
    out.check()?;
    let found = symbols(&session, code, &*find(&session, code)?)?;
    let found = found.into_iter().find(|(known, _)| *known == name);
    out.set(found.ok_or(Status::ERROR_INVALID_SYMBOL_NAME)?.1)
}

/// `hsa_code_object_get_symbol_from_name`: modules have no names.
pub fn symbol_of_module(code: u64, module: Text, name: Text, out: Out<u64>) -> Result {
    let session = session()?;
    name.get()?;
    out.check()?;
    find(&session, code)?;
    if module.get().is_ok_and(|module| !module.is_empty()) {
        return Err(Status::ERROR_INVALID_SYMBOL_NAME);
    }
    symbol(code, name, out)
}

/// A callback that is given each symbol of a code object.
pub type EachCodeSymbol = Option<extern "C" fn(u64, u64, Address) -> Status>;

pub fn iterate(code: u64, each: EachCodeSymbol, data: Address) -> Result {
    let session = session()?;
    let each = each.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    for (_, symbol) in symbols(&session, code, &*find(&session, code)?)? {
        match each(code, symbol, data) {
            Status::SUCCESS => {}
            other => return Err(other),
        }
    }
    Ok(())
}

/// `hsa_code_symbol_info_t`
pub fn symbol_info(symbol: u64, attribute: u32, value: Value) -> Result {
    let session = session()?;
    value.check()?;
    let symbol = session.code_symbols.get(symbol).ok_or(Status::ERROR_INVALID_CODE_SYMBOL)?;
    match attribute {
        0 => value.set(SymbolKind::VARIABLE),
        1 => value.set(symbol.name.len() as u32),
        2 => value.bytes(symbol.name.as_bytes()),
        3 => value.set(0u32),
        4 => Ok(()),
        5 => value.set(if symbol.is_local { SymbolLinkage::MODULE } else { SymbolLinkage::PROGRAM }),
        // Until it is loaded for an agent.
        6 => value.set(VariableAllocation::PROGRAM),
        7 => value.set(VariableSegment::GLOBAL),
        8 => value.set(u32::try_from(symbol.align).unwrap_or(u32::MAX)),
        9 => value.set(u32::try_from(symbol.size).unwrap_or(u32::MAX)),
        10 => value.set(symbol.is_const),
        17 => value.set(symbol.is_defined),
        _ => Err(Status::ERROR_INVALID_ARGUMENT),
    }
}

/// `hsa_executable_load_code_object`
pub fn load(executable: ExecutableHandle, agent: AgentHandle, code: u64, _options: Text) -> Result {
    let session = session()?;
    executable::find(&session, executable)?;
    let code = find(&session, code)?;
    executable::load_kept(&session, executable, agent, code.bytes.clone())
}
