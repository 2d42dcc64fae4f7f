//! The bodies of the C surface, one file a noun. Each function is named by `lib.rs`, where its C name and its types
//! stand.

pub mod advice;
pub mod array;
pub mod array_copy;
pub mod capture;
pub mod context;
pub mod cooperative;
pub mod copy;
pub mod device;
pub mod error;
pub mod event;
pub mod fill;
pub mod graph;
pub mod half;
pub mod ipc;
pub mod launch;
pub mod link;
pub mod memory;
pub mod module;
pub mod node;
pub mod occupancy;
pub mod odds;
pub mod peer;
pub mod pool;
pub mod properties;
pub mod register;
pub mod stream;
pub mod symbol;
pub mod texture;
pub mod texture_reference;
pub mod vmm;
