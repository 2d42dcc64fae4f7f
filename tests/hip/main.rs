//! HIP programs that meet bad input, or a device that is not there: a clear error and a live process; and what a run tells
//! about itself.

mod bad_input;
mod devices;
mod observe;
