//! What the library exports and does not do, with the answer that a call gets; each names itself once on stderr.
//!
//! - Finalizer (`hsa_ext_program_…`): compiles HSAIL, which no compiler makes any more. The vendor's library looks for a
//!   finalizer in another library, which is not shipped, and then answers `ERROR_NOT_INITIALIZED`; so does this one.
//! - Images of graphics drivers (`hsa_amd_image_create`): they are tiled, as metadata of the driver says; all images here are
//!   linear.
//! - Counters and samples of the hardware (`hsa_amd_spm_…`, `hsa_ven_amd_pcs_…`): only AMD's own kernel driver has them.
//! - `hsa_amd_enable_logging`: the library has `tracing` events instead.
//! - Callbacks of tools that want to know of scratch memory (`ToolsApiTable` of newer headers).
//!
//! The rows of [`exports`](crate::exports) whose body is one of the functions below are the complete list.

use hsa_sys::Status;

use crate::state::tell_once_of;

/// What a function answers that does nothing else.
pub struct NotImplemented(Status);

impl NotImplemented {
    /// Says so on stderr, once for each function.
    pub fn tell(self, name: &'static str) -> Status {
        let known = Status::NAMES.iter().find(|(_, value)| *value == self.0.0);
        let status = known.map_or("ERROR", |(status, _)| status);
        tell_once_of(name, format_args!("{name} is not implemented: HSA_STATUS_{status}"));
        self.0
    }
}

macro_rules! answers {
    ($( $name:ident: $status:ident; )*) => {$(
        #[doc = concat!("`HSA_STATUS_", stringify!($status), "`")]
        pub fn $name() -> NotImplemented {
            NotImplemented(Status::$status)
        }
    )*};
}

answers! {
    error: ERROR;
    not_initialized: ERROR_NOT_INITIALIZED;
    no_image_format: ERROR_IMAGE_FORMAT_UNSUPPORTED;
}
