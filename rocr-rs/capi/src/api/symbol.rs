//! Symbols of executables (`hsa.h` section 2.9).

use std::sync::Arc;

use hsa_sys::{
    AgentHandle, ExecutableHandle, ExecutableSymbolHandle, Status, SymbolKind as Kind, SymbolLinkage,
    VariableAllocation, VariableSegment,
};

use super::executable::{Exec, Symbol, SymbolKind, find};
use crate::ffi::{Address, In, Out, Result, Text, Value};
use crate::state::{Session, session};

/// A callback that is given each symbol of an executable.
pub type EachSymbol = Option<extern "C" fn(ExecutableHandle, ExecutableSymbolHandle, Address) -> Status>;
/// The same, with the agent.
pub type EachAgentSymbol =
    Option<extern "C" fn(ExecutableHandle, AgentHandle, ExecutableSymbolHandle, Address) -> Status>;

/// Name of a kernel's symbol: that of its descriptor.
fn kernel_name(kernel: &rocr_rs::KernelSymbol) -> &str {
    &kernel.metadata().symbol
}

/// The handle of a symbol: the same each time.
fn handle(
    session: &Session,
    executable: ExecutableHandle,
    exec: &Exec,
    kind: SymbolKind,
) -> ExecutableSymbolHandle {
    let key = match &kind {
        SymbolKind::Kernel(kernel) => (kernel.agent().node_id(), kernel_name(kernel).to_owned()),
        SymbolKind::Variable(variable) => (variable.agent.node_id(), variable.name.clone()),
    };
    let mut known = exec.symbols.lock();
    let handle = known
        .entry(key)
        .or_insert_with(|| session.symbols.add(Arc::new(Symbol { executable: executable.0, kind })));
    ExecutableSymbolHandle(*handle)
}

/// A kernel's descriptor or a variable; of `agent`, or of the first that has it.
fn search(exec: &Exec, agent: Option<&rocr_rs::Agent>, name: &str) -> Option<SymbolKind> {
    let executable = &exec.executable;
    if name.ends_with(".kd") {
        let found = match agent {
            Some(agent) => executable.kernel_on(agent, name).ok(),
            None => executable.kernel(name).ok(),
        };
        let unfrozen = || {
            let mut all = executable.kernels().into_iter();
            all.find(|kernel| {
                kernel_name(kernel) == name && agent.is_none_or(|agent| kernel.agent() == agent)
            })
        };
        return found.or_else(unfrozen).map(SymbolKind::Kernel);
    }
    let mut all = executable.variables().into_iter();
    all.find(|variable| variable.name == name && agent.is_none_or(|agent| variable.agent == *agent))
        .map(SymbolKind::Variable)
}

pub fn by_name(
    executable: ExecutableHandle,
    name: Text,
    agent: In<AgentHandle>,
    out: Out<ExecutableSymbolHandle>,
) -> Result {
    let session = session()?;
    let exec = find(&session, executable)?;
    let name = name.get()?;
    out.check()?;
    let agent = if agent.is_null() { None } else { Some(session.agent(agent.get()?)?) };
    // Without an agent, variables that the program defined for all of them are asked for.
    if agent.is_none() && !exec.globals.lock().contains(&name) {
        return Err(Status::ERROR_INVALID_SYMBOL_NAME);
    }
    let found = search(&exec, agent, &name).ok_or(Status::ERROR_INVALID_SYMBOL_NAME)?;
    out.set(handle(&session, executable, &exec, found))
}

/// `hsa_executable_get_symbol`, the older one. Modules have no names.
pub fn by_module(
    executable: ExecutableHandle,
    module: Text,
    name: Text,
    agent: AgentHandle,
    _convention: i32,
    out: Out<ExecutableSymbolHandle>,
) -> Result {
    find(&*session()?, executable)?;
    name.get()?;
    out.check()?;
    if module.get().is_ok_and(|module| !module.is_empty()) {
        return Err(Status::ERROR_INVALID_SYMBOL_NAME);
    }
    by_name(executable, name, In::new(&agent), out)
}

/// `hsa_executable_symbol_info_t`
pub fn info(symbol: ExecutableSymbolHandle, attribute: u32, value: Value) -> Result {
    let session = session()?;
    let symbol = session.symbols.get(symbol.0).ok_or(Status::ERROR_INVALID_EXECUTABLE_SYMBOL)?;
    value.check()?;
    match &symbol.kind {
        SymbolKind::Kernel(kernel) => match attribute {
            0 => value.set(Kind::KERNEL),
            1 => value.set(kernel_name(kernel).len() as u32),
            2 => value.bytes(kernel_name(kernel).as_bytes()),
            20 => value.set(session.handle(kernel.agent())),
            22 => value.set(kernel.kernel_object()),
            11 => value.set(kernel.kernarg_segment_size()),
            12 => value.set(kernel.kernarg_segment_align()),
            13 => value.set(kernel.group_segment_size()),
            14 => value.set(kernel.private_segment_size()),
            15 => value.set(kernel.uses_dynamic_stack()),
            18 => value.set(0u32),
            _ => common(attribute, value, true),
        },
        SymbolKind::Variable(variable) => match attribute {
            0 => value.set(Kind::VARIABLE),
            1 => value.set(variable.name.len() as u32),
            2 => value.bytes(variable.name.as_bytes()),
            20 => value.set(session.handle(&variable.agent)),
            21 => value.set(variable.va),
            6 => value.set(VariableAllocation::AGENT),
            7 => value.set(VariableSegment::GLOBAL),
            // What the address has; code objects do not say.
            8 => value.set(1u32 << variable.va.trailing_zeros().min(12)),
            9 => value.set(u32::try_from(variable.size).unwrap_or(u32::MAX)),
            10 => value.set(false),
            _ => common(attribute, value, !variable.external),
        },
    }
}

/// Module name, its length, linkage, definition.
fn common(attribute: u32, value: Value, defined: bool) -> Result {
    match attribute {
        3 => value.set(0u32),
        4 => Ok(()),
        5 => value.set(SymbolLinkage::PROGRAM),
        17 => value.set(defined),
        _ => Err(Status::ERROR_INVALID_ARGUMENT),
    }
}

fn all(
    session: &Session,
    executable: ExecutableHandle,
    exec: &Exec,
) -> Vec<(AgentHandle, ExecutableSymbolHandle)> {
    let kernels = exec.executable.kernels().into_iter().map(SymbolKind::Kernel);
    let variables = exec.executable.variables().into_iter().map(SymbolKind::Variable);
    kernels
        .chain(variables)
        .map(|kind| {
            let agent = match &kind {
                SymbolKind::Kernel(kernel) => session.handle(kernel.agent()),
                SymbolKind::Variable(variable) => session.handle(&variable.agent),
            };
            (agent, handle(session, executable, exec, kind))
        })
        .collect()
}

fn until_break(calls: impl Iterator<Item = Status>) -> Result {
    for status in calls {
        if status != Status::SUCCESS {
            return Err(status);
        }
    }
    Ok(())
}

pub fn iterate(executable: ExecutableHandle, each: EachSymbol, data: Address) -> Result {
    let session = session()?;
    let exec = find(&session, executable)?;
    let each = each.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    until_break(
        all(&session, executable, &exec).into_iter().map(|(_, symbol)| each(executable, symbol, data)),
    )
}

pub fn iterate_of_agent(
    executable: ExecutableHandle,
    agent: AgentHandle,
    each: EachAgentSymbol,
    data: Address,
) -> Result {
    let session = session()?;
    let exec = find(&session, executable)?;
    session.agent(agent)?;
    let each = each.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    let symbols = all(&session, executable, &exec).into_iter().filter(|(owner, _)| *owner == agent);
    until_break(symbols.map(|(_, symbol)| each(executable, agent, symbol, data)))
}

/// Variables that all agents share: there are none, a GPU has its own copies.
pub fn iterate_of_program(executable: ExecutableHandle, each: EachSymbol, _data: Address) -> Result {
    find(&*session()?, executable)?;
    each.map(drop).ok_or(Status::ERROR_INVALID_ARGUMENT)
}
