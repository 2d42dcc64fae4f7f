//! `Format`: the encodings. A name and the suffix that LLVM prints; bits belong to a generation.

/// An instruction encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the manuals' encoding names")]
pub enum Format {
    Sop1,
    Sop2,
    Sopk,
    Sopc,
    Sopp,
    Smem,
    Vop1,
    Vop2,
    Vopc,
    /// VOP3A and VOP3B, native or a VOP1/VOP2/VOPC instruction in the long form.
    Vop3,
    Vop3p,
    Ds,
    Flat,
    Mubuf,
    Mtbuf,
    Vintrp,
    Exp,
    Mimg,
}

impl Format {
    /// Whether instructions of the encoding work on vector registers, in arithmetic or memory.
    pub const fn is_vector(self) -> bool {
        !matches!(
            self,
            Format::Sop1 | Format::Sop2 | Format::Sopk | Format::Sopc | Format::Sopp | Format::Smem
        )
    }
}
