//! Rows of the generations' tables, as tests look for them.

use amdgpu_isa::{Gen, Op};

/// The vector instruction of a name.
pub fn op(generation: &'static Gen, name: &str) -> &'static Op {
    let t = generation.tables;
    (t.vop1.rows())
        .chain(t.vop2.rows())
        .chain(t.vopc.rows())
        .chain(t.vop3.rows())
        .chain(t.vop3p.rows())
        .map(|(_, op)| op)
        .find(|op| op.name == name)
        .unwrap_or_else(|| panic!("{} has no {name}", generation.name))
}

/// The rows of a memory format, by its name.
pub type Rows = (&'static str, Vec<(u32, &'static Op)>);

/// The formats of memory instructions on vectors.
pub fn memory_formats(generation: &'static Gen) -> [Rows; 5] {
    let t = generation.tables;
    [
        ("ds", t.ds.rows().collect()),
        ("flat", t.flat.rows().collect()),
        ("global", t.global.rows().collect()),
        ("scratch", t.scratch.rows().collect()),
        ("buffer", t.mubuf.rows().collect()),
    ]
}
