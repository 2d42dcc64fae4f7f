//! The wrapper that a HIP program registers: `__CudaFatBinaryWrapper` as clang emits it into `.hipFatBinSegment`
//! (`clang/lib/CodeGen/CGCUDANV.cpp`).

use core::mem::{offset_of, size_of};

use crate::Error;
use crate::bytes::Bytes;

/// Points at a fat binary; there is one for each translation unit, and its constructor registers it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FatBinaryWrapper {
    /// [`FatBinaryWrapper::HIPF`] or [`FatBinaryWrapper::HIPK`].
    pub magic: u32,
    /// 1.
    pub version: u32,
    /// Address of the fat binary. Its length stands nowhere.
    pub binary: u64,
    /// Not used by HIPF; index of the bundle for HIPK.
    pub reserved: u64,
}

const _: () = {
    assert!(size_of::<FatBinaryWrapper>() == 24);
    assert!(offset_of!(FatBinaryWrapper, magic) == 0);
    assert!(offset_of!(FatBinaryWrapper, version) == 4);
    assert!(offset_of!(FatBinaryWrapper, binary) == 8);
    assert!(offset_of!(FatBinaryWrapper, reserved) == 16);
};

impl FatBinaryWrapper {
    /// The binary is a bundle, a compressed bundle or a code object.
    pub const HIPF: u32 = 0x4849_5046;
    /// The binary is a MessagePack reference to a `.kpack` archive.
    pub const HIPK: u32 = 0x4b50_4948;
    /// The only version there is.
    pub const VERSION: u32 = 1;
    /// Its size.
    pub const SIZE: usize = size_of::<FatBinaryWrapper>();

    /// Reads a wrapper from its 24 bytes, as they stand in a loaded program.
    pub fn parse(data: &[u8]) -> Result<FatBinaryWrapper, Error> {
        const WHAT: &str = "fat binary wrapper";
        let data = Bytes::new(data, 0);
        data.slice(WHAT, 0, FatBinaryWrapper::SIZE as u64)?;
        let wrapper = FatBinaryWrapper {
            magic: data.u32(WHAT, 0)?,
            version: data.u32(WHAT, 4)?,
            binary: data.u64(WHAT, 8)?,
            reserved: data.u64(WHAT, 16)?,
        };
        wrapper.check()?;
        Ok(wrapper)
    }

    /// Checks magic and version.
    pub fn check(&self) -> Result<(), Error> {
        if self.magic != FatBinaryWrapper::HIPF && self.magic != FatBinaryWrapper::HIPK {
            return Err(Error::BadWrapper { what: "magic", offset: 0, found: self.magic.into() });
        }
        if self.version != FatBinaryWrapper::VERSION {
            return Err(Error::BadWrapper { what: "version", offset: 4, found: self.version.into() });
        }
        Ok(())
    }
}
