//! An emulated AMD GPU behind the KFD boundary
