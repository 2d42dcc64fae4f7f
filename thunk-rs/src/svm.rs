//! Shared virtual memory: attributes of ranges of ordinary memory (libhsakmt's `svm.c`).

use kfd_sys::svm::{self, LOCATION_UNDEFINED, SvmAttribute, SvmFlags, SvmOp};

use crate::topology::NodeId;
use crate::{Error, Result, Thunk};

pub use kfd_sys::svm::SvmAttrType;

/// Where a range should live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// Memory of the host.
    Host,
    /// Memory of that GPU.
    Gpu(NodeId),
    /// It does not matter, or parts of the range differ.
    Undefined,
}

/// An attribute of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeAttribute {
    /// Where it should live.
    PreferredLocation(Location),
    /// Where it shall move now; when asked for, where it moved last.
    PrefetchLocation(Location),
    /// How a GPU may reach it.
    Access(NodeId, RangeAccess),
    /// Flags to set; when asked for, those that all of the range has.
    SetFlags(SvmFlags),
    /// Flags to clear; when asked for, those that nothing of the range has.
    ClearFlags(SvmFlags),
    /// Pages to move at once, as a power of two.
    Granularity(u32),
}

/// How a GPU may reach a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeAccess {
    /// Not.
    None,
    /// After moving it, if need be.
    Yes,
    /// Where it is.
    InPlace,
}

impl RangeAccess {
    fn raw(self) -> SvmAttrType {
        match self {
            RangeAccess::None => SvmAttrType::NO_ACCESS,
            RangeAccess::Yes => SvmAttrType::ACCESS,
            RangeAccess::InPlace => SvmAttrType::ACCESS_IN_PLACE,
        }
    }
}

impl Thunk {
    /// Sets attributes of `size` bytes at `address`, whole pages.
    pub fn set_range_attributes(&self, address: u64, size: u64, attributes: &[RangeAttribute]) -> Result<()> {
        let mut raw = attributes.iter().map(|a| self.raw_attribute(*a)).collect::<Result<Vec<_>>>()?;
        self.raw_range_attributes(SvmOp::SET_ATTR, address, size, &mut raw)
    }

    /// Asks for attributes of `size` bytes at `address`. The values of `attributes` are the questions: of an access only
    /// its GPU counts, of the others only which it is.
    pub fn range_attributes(
        &self,
        address: u64,
        size: u64,
        attributes: &[RangeAttribute],
    ) -> Result<Vec<RangeAttribute>> {
        // ACCESS asks; NO_ACCESS and ACCESS_IN_PLACE are answers to it, which KFD refuses as questions.
        let question = |attribute: &RangeAttribute| match *attribute {
            RangeAttribute::Access(node, _) => RangeAttribute::Access(node, RangeAccess::Yes),
            other => other,
        };
        let questions = attributes.iter().map(question);
        let mut raw = questions.map(|a| self.raw_attribute(a)).collect::<Result<Vec<_>>>()?;
        self.raw_range_attributes(SvmOp::GET_ATTR, address, size, &mut raw)?;
        raw.iter().map(|a| self.attribute(*a)).collect()
    }

    /// The call itself, with KFD's own attributes.
    pub fn raw_range_attributes(
        &self,
        op: SvmOp,
        address: u64,
        size: u64,
        attributes: &mut [SvmAttribute],
    ) -> Result<()> {
        if self.version().1 < 5 {
            return Err(Error::request("SVM", "needs KFD interface 1.5"));
        }
        svm::call(&**self.kfd(), address, size, op, attributes).map_err(|errno| Error::Ioctl {
            name: "SVM",
            detail: format!("{op:?}, {size:#x} bytes at {address:#x}, {} attributes", attributes.len()),
            errno,
        })
    }

    fn raw_attribute(&self, attribute: RangeAttribute) -> Result<SvmAttribute> {
        let gpu = |node| Ok::<u32, Error>(self.context.gpu(node)?.gpu_id);
        let location = |location| match location {
            Location::Host => Ok(0),
            Location::Gpu(node) => gpu(node),
            Location::Undefined => Ok(LOCATION_UNDEFINED),
        };
        let (r#type, value) = match attribute {
            RangeAttribute::PreferredLocation(at) => (SvmAttrType::PREFERRED_LOC, location(at)?),
            RangeAttribute::PrefetchLocation(at) => (SvmAttrType::PREFETCH_LOC, location(at)?),
            RangeAttribute::Access(node, access) => (access.raw(), gpu(node)?),
            RangeAttribute::SetFlags(flags) => (SvmAttrType::SET_FLAGS, flags.bits()),
            RangeAttribute::ClearFlags(flags) => (SvmAttrType::CLR_FLAGS, flags.bits()),
            RangeAttribute::Granularity(pages) => (SvmAttrType::GRANULARITY, pages),
        };
        Ok(SvmAttribute { r#type, value })
    }

    fn attribute(&self, raw: SvmAttribute) -> Result<RangeAttribute> {
        let unknown = || Error::request("SVM", format!("KFD answered {raw:?}"));
        let node = || self.context.node_of_gpu_id(raw.value).ok_or_else(unknown);
        let location = || match raw.value {
            0 => Ok(Location::Host),
            LOCATION_UNDEFINED => Ok(Location::Undefined),
            _ => node().map(Location::Gpu),
        };
        let flags = SvmFlags::from_bits_retain(raw.value);
        Ok(match raw.r#type {
            SvmAttrType::PREFERRED_LOC => RangeAttribute::PreferredLocation(location()?),
            SvmAttrType::PREFETCH_LOC => RangeAttribute::PrefetchLocation(location()?),
            SvmAttrType::NO_ACCESS => RangeAttribute::Access(node()?, RangeAccess::None),
            SvmAttrType::ACCESS => RangeAttribute::Access(node()?, RangeAccess::Yes),
            SvmAttrType::ACCESS_IN_PLACE => RangeAttribute::Access(node()?, RangeAccess::InPlace),
            SvmAttrType::SET_FLAGS => RangeAttribute::SetFlags(flags),
            SvmAttrType::CLR_FLAGS => RangeAttribute::ClearFlags(flags),
            SvmAttrType::GRANULARITY => RangeAttribute::Granularity(raw.value),
            _ => return Err(unknown()),
        })
    }
}
