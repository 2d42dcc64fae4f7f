//! HIP programs that meet bad input, or a device that is not there: a clear error and a live process.

mod bad_input;
mod devices;
