//! HIP runtime: a drop-in libamdhip64.so
