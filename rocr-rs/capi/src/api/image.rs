//! Images (`hsa_ext_image.h`): what can be said without any. No format is supported by any geometry, which is what
//! creation answers with as well (`not_implemented.rs`).

use hsa_sys::{AgentHandle, Status};

use crate::ffi::{Address, Out, Result};
use crate::state::session;

/// Geometries, from 1D to arrays of 2D depth images.
const GEOMETRIES: u32 = 8;
/// Opaque, linear.
const LAYOUTS: u32 = 2;

pub fn capability(agent: AgentHandle, geometry: u32, format: Address, mask: Out<u32>) -> Result {
    capability_with_layout(agent, geometry, format, 0, mask)
}

/// `hsa_ext_image_capability_t`, a mask: 0 is "not supported".
pub fn capability_with_layout(
    agent: AgentHandle,
    geometry: u32,
    format: Address,
    layout: u32,
    mask: Out<u32>,
) -> Result {
    session()?.agent(agent)?;
    mask.check()?;
    if format == 0 || geometry >= GEOMETRIES || layout >= LAYOUTS {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    mask.set(0)
}
