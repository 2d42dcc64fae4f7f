//! The emulated KFD for processes we did not write (LD_PRELOAD)
