//! ISAs and wavefronts (`hsa.h` section 2.8): an ISA is a target ID with its triple.

use hsa_sys::{AgentHandle, IsaHandle, Status};
use rocr_rs::{Agent, TargetId};

use super::agent::{FBARRIERS, ROUND_NEAR};
use crate::ffi::{Address, Each, Out, Result, Text, Value, iterate};
use crate::state::{Session, session};

const TRIPLE: &str = "amdgcn-amd-amdhsa--";
/// Handles of ISAs: this, and 16 times the place in the list of names; of wavefronts: this and the size.
const ISA_BASE: u64 = 0x4953_0000;
const WAVE_BASE: u64 = 0x5753_0000;
/// Waves of a compute unit that every architecture has room for, as the vendor's library says of all.
const WAVES: u32 = 40;
const WORKGROUP: u32 = 1024;

pub fn intern(session: &Session, name: String) -> IsaHandle {
    let mut isas = session.isas.lock();
    let index = isas.iter().position(|known| *known == name).unwrap_or_else(|| {
        isas.push(name);
        isas.len() - 1
    });
    IsaHandle(ISA_BASE + 16 * index as u64)
}

fn name(session: &Session, isa: IsaHandle) -> Result<String> {
    let offset = isa.0.wrapping_sub(ISA_BASE);
    let isas = session.isas.lock();
    let found = usize::try_from(offset / 16).ok().and_then(|index| isas.get(index));
    found.filter(|_| offset.is_multiple_of(16)).cloned().ok_or(Status::ERROR_INVALID_ISA)
}

/// The ISA of a GPU.
pub fn of_agent(session: &Session, agent: &Agent) -> Option<IsaHandle> {
    agent.target_id().map(|_| intern(session, agent.isa_name()))
}

fn target(name: &str) -> Result<TargetId> {
    let bad = Status::ERROR_INVALID_ISA_NAME;
    let id = name.strip_prefix(TRIPLE).ok_or(bad)?;
    let target: TargetId = id.parse().map_err(|_| bad)?;
    // Features in another order, or twice, are another text.
    if target.isa().is_some() && target.to_string() == id { Ok(target) } else { Err(bad) }
}

pub fn from_name(text: Text, isa: Out<IsaHandle>) -> Result {
    let session = session()?;
    isa.check()?;
    let text = text.get()?;
    target(&text)?;
    isa.set(intern(&session, text))
}

pub fn iterate_of_agent(agent: AgentHandle, each: Each<IsaHandle>, data: Address) -> Result {
    let session = session()?;
    let agent = session.agent(agent)?;
    iterate(of_agent(&session, agent), each, data)
}

/// Waves have one size: that of the architecture's 64, or 32 from gfx10 on, as the vendor counts.
fn wave_size(name: &str) -> u32 {
    let generation = target(name).ok().and_then(|id| id.isa()).map(|isa| isa.generation);
    if generation.is_some_and(|generation| generation.wave32) { 32 } else { 64 }
}

pub fn info(isa: IsaHandle, attribute: u32, value: Value) -> Result {
    info_of_convention(isa, attribute, 0, value)
}

/// `hsa_isa_info_t`
pub fn info_of_convention(isa: IsaHandle, attribute: u32, convention: u32, value: Value) -> Result {
    let session = session()?;
    let name = name(&session, isa)?;
    value.check()?;
    if convention != 0 {
        return Err(Status::ERROR_INVALID_INDEX);
    }
    match attribute {
        0 => value.set(name.len() as u32 + 1),
        1 => value.bytes(format!("{name}\0").as_bytes()),
        2 => value.set(1u32),
        3 => value.set(wave_size(&name)),
        4 => value.set(WAVES),
        // By machine model: small, large. By profile: base, full. By rounding mode: default, zero, near.
        5 => value.set([false, true]),
        6 => value.set([true, false]),
        7 | 8 => value.set([false, false, ROUND_NEAR == 2]),
        9 => value.set(true),
        12 => value.set([WORKGROUP as u16; 3]),
        13 => value.set(WORKGROUP),
        14 => value.set([u32::MAX; 3]),
        16 => value.set(u64::MAX),
        17 => value.set(FBARRIERS),
        _ => Err(Status::ERROR_INVALID_ARGUMENT),
    }
}

pub fn exception_policies(isa: IsaHandle, profile: u32, mask: Out<u16>) -> Result {
    name(&*session()?, isa)?;
    mask.check()?;
    if profile > 1 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    mask.set(0)
}

/// `hsa_fp_type_t`, `hsa_flush_mode_t`, `hsa_round_method_t`: an operation rounds once.
pub fn round_method(isa: IsaHandle, kind: u32, flush: u32, method: Out<u32>) -> Result {
    name(&*session()?, isa)?;
    method.check()?;
    if ![1, 2, 4].contains(&kind) || ![1, 2].contains(&flush) {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    method.set(1)
}

pub fn iterate_wavefronts(isa: IsaHandle, each: Each<u64>, data: Address) -> Result {
    let name = name(&*session()?, isa)?;
    iterate([WAVE_BASE + u64::from(wave_size(&name))], each, data)
}

pub fn wavefront_info(wave: u64, attribute: u32, value: Value) -> Result {
    session()?;
    let size = match wave.wrapping_sub(WAVE_BASE) {
        size @ (32 | 64) => size as u32,
        _ => return Err(Status::ERROR_INVALID_WAVEFRONT),
    };
    value.check()?;
    if attribute == 0 { value.set(size) } else { Err(Status::ERROR_INVALID_ARGUMENT) }
}

pub fn compatible(code: IsaHandle, agent: IsaHandle, result: Out<bool>) -> Result {
    let session = session()?;
    let names = (name(&session, code)?, name(&session, agent)?);
    result.check()?;
    let bad = |_| Status::ERROR_INVALID_ISA;
    let (code, agent) = (target(&names.0).map_err(bad)?, target(&names.1).map_err(bad)?);
    result.set(code.fits(&agent).is_ok())
}
