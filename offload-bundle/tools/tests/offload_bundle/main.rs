//! The tool `offload-bundle` as its users meet it: the real program, its output, its exit status, the files it leaves.

#[path = "../common/mod.rs"]
mod common;
mod extract;
mod ls;
mod memory;
mod pack;
mod repack;
mod tool;
mod unpack;
mod verify;
mod why;
