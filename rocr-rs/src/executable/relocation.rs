//! Dynamic relocations (LLVM's AMDGPU guide, "Relocation Records"). Five kinds and `NONE` occur in loadable code
//! objects; the linker has resolved the others, so meeting one is an error.

use amd_codeobj::{CodeObject, Relocation, RelocationKind};

use super::State;
use crate::{Error, memory::Block};

/// What relocations are resolved against.
pub(super) struct Target<'a> {
    pub(super) state: &'a State,
    pub(super) node: u32,
    pub(super) object: &'a CodeObject<'a>,
    pub(super) block: &'a Block,
    /// First link address, which lies at the start of `block`.
    pub(super) link_base: u64,
    /// Bytes of `block` that the code object takes.
    pub(super) size: u64,
    /// Load address minus link address.
    pub(super) delta: u64,
}

impl Target<'_> {
    /// Applies all; returns how many.
    pub(super) fn apply_all(&self) -> Result<usize, Error> {
        let mut count = 0;
        for relocation in self.object.relocations()? {
            self.apply(&relocation?)?;
            count += 1;
        }
        Ok(count)
    }

    fn apply(&self, relocation: &Relocation) -> Result<(), Error> {
        let Some(width) = relocation.kind.width() else {
            return Err(Error::Relocation {
                kind: relocation.kind.to_string(),
                offset: relocation.offset,
                why: "does not occur in a loadable code object: link it again".to_owned(),
            });
        };
        if width == 0 {
            return Ok(());
        }
        let place = relocation
            .offset
            .checked_sub(self.link_base)
            .filter(|start| start.checked_add(width).is_some_and(|end| end <= self.size))
            .ok_or_else(|| Error::Relocation {
                kind: relocation.kind.to_string(),
                offset: relocation.offset,
                why: "patches memory outside the code object's segments".to_owned(),
            })? as usize;
        let base = if relocation.kind == RelocationKind::RELATIVE64 {
            self.delta
        } else {
            self.symbol_va(relocation)?
        };
        let value = base.wrapping_add_signed(relocation.addend);
        if width == 8 {
            self.block.write_bytes(place, &value.to_le_bytes());
        } else {
            let half =
                if relocation.kind == RelocationKind::ABS32_HI { (value >> 32) as u32 } else { value as u32 };
            self.block.write_bytes(place, &half.to_le_bytes());
        }
        Ok(())
    }

    fn symbol_va(&self, relocation: &Relocation) -> Result<u64, Error> {
        if relocation.symbol == 0 {
            return Ok(0);
        }
        let symbol = self.object.symbol_by_index(relocation.symbol)?;
        if symbol.is_defined() {
            return Ok(symbol.value.wrapping_add(self.delta));
        }
        let key = (self.node, symbol.name.to_owned());
        if let Some(variable) = self.state.variables.get(&key) {
            return Ok(variable.va);
        }
        if symbol.binding == amd_codeobj::Binding::WEAK {
            return Ok(0);
        }
        Err(Error::UndefinedSymbol { name: key.1 })
    }
}
