//! HIP programs against our libraries: the ABIs of HIP 5, 6 and 7, kernels compiled at run time, a client in Python; bad input
//! or a device that is not there: a clear error and a live process; and what a run tells about itself.

mod abi;
mod bad_input;
mod devices;
mod hiprtc;
mod observe;
mod python;
