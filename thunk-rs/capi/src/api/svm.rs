//! Shared virtual memory and XNACK (libhsakmt's `svm.c`).

use kfd_sys::Errno;
use kfd_sys::svm::{LOCATION_UNDEFINED, SvmAttrType, SvmAttribute as KfdAttribute, SvmOp};

use crate::abi::memory::SvmAttribute;
use crate::abi::status::{Result, Status};
use crate::api::topology::Snapshot;
use crate::ffi::Ptr;
use crate::state::library;

const PAGE: u64 = 4096;
/// `INVALID_NODEID`: no node in particular.
const NO_NODE: u32 = u32::MAX;

fn is_location(kind: SvmAttrType) -> bool {
    [SvmAttrType::PREFERRED_LOC, SvmAttrType::PREFETCH_LOC].contains(&kind)
}

fn is_access(kind: SvmAttrType) -> bool {
    [SvmAttrType::ACCESS, SvmAttrType::ACCESS_IN_PLACE, SvmAttrType::NO_ACCESS].contains(&kind)
}

/// KFD's attribute of a caller's: nodes become GPUs.
fn to_kfd(snapshot: &Snapshot, from: SvmAttribute, set: bool) -> Result<KfdAttribute> {
    let kind = SvmAttrType(from.r#type);
    let value = match from.value {
        NO_NODE if kind == SvmAttrType::PREFERRED_LOC && set => LOCATION_UNDEFINED,
        number if is_access(kind) || (set && is_location(kind)) => {
            let gpu_id = snapshot.node(number)?.gpu_id;
            if gpu_id == 0 && is_access(kind) {
                return Err(Status::INVALID_NODE_UNIT);
            }
            gpu_id
        }
        value => value,
    };
    Ok(KfdAttribute { r#type: kind, value })
}

/// A caller's attribute of KFD's: GPUs become nodes.
fn from_kfd(snapshot: &Snapshot, from: KfdAttribute) -> Result<SvmAttribute> {
    let value = match from.value {
        LOCATION_UNDEFINED if is_location(from.r#type) || is_access(from.r#type) => NO_NODE,
        0 if is_location(from.r#type) || is_access(from.r#type) => 0,
        gpu_id if is_location(from.r#type) || is_access(from.r#type) => {
            let node = snapshot.gpus().find(|node| node.gpu_id == gpu_id);
            snapshot.number(node.ok_or(Status::INVALID_NODE_UNIT)?.id)?
        }
        value => value,
    };
    Ok(SvmAttribute { r#type: from.r#type.0, value })
}

fn call(op: SvmOp, address: u64, size: u64, count: u32, attributes: Ptr<SvmAttribute>) -> Result<()> {
    let mut library = library();
    let opened = library.opened()?;
    if opened.thunk.version().1 < 5 {
        return Err(Status::NOT_SUPPORTED);
    }
    if address == 0 || size == 0 || !address.is_multiple_of(PAGE) || !size.is_multiple_of(PAGE) {
        return Err(Status::INVALID_PARAMETER);
    }
    let (opened, snapshot) = library.both()?;
    let theirs = attributes.array(count as usize)?;
    let set = op == SvmOp::SET_ATTR;
    let mut raw = theirs.into_iter().map(|a| to_kfd(snapshot, a, set)).collect::<Result<Vec<_>>>()?;
    opened.thunk.raw_range_attributes(op, address, size, &mut raw).map_err(|_| Status::ERROR)?;
    if set {
        return Ok(());
    }
    let told = raw.into_iter().map(|a| from_kfd(snapshot, a)).collect::<Result<Vec<_>>>()?;
    attributes.set_array(&told)
}

pub fn set(address: u64, size: u64, count: u32, attributes: Ptr<SvmAttribute>) -> Result<()> {
    call(SvmOp::SET_ATTR, address, size, count, attributes)
}

pub fn get(address: u64, size: u64, count: u32, attributes: Ptr<SvmAttribute>) -> Result<()> {
    call(SvmOp::GET_ATTR, address, size, count, attributes)
}

pub fn set_xnack(enable: i32) -> Result<()> {
    xnack(enable).map(drop)
}

pub fn get_xnack(enable: Ptr<i32>) -> Result<()> {
    enable.set(-1)?;
    enable.set(xnack(-1)?)
}

fn xnack(enable: i32) -> Result<i32> {
    let mut library = library();
    let opened = library.opened()?;
    if opened.thunk.version().1 < 5 {
        return Err(Status::NOT_SUPPORTED);
    }
    let result = match enable {
        ..0 => opened.thunk.xnack_mode(),
        0 => opened.thunk.set_xnack_mode(false).map(|()| false),
        _ => opened.thunk.set_xnack_mode(true).map(|()| true),
    };
    result.map(i32::from).map_err(|error| match error.errno() {
        Some(Errno::EPERM) => Status::NOT_SUPPORTED,
        _ => Status::ERROR,
    })
}
