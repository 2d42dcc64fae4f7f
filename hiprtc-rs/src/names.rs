//! Lowered names: which symbol a name expression led to.
//!
//! Each expression becomes an exported variable of the program that holds its address. In a code object the loader is told
//! to fill it in (`R_AMDGPU_RELATIVE64`, with the address in the addend, or `R_AMDGPU_ABS64`, with a symbol); in a relocatable
//! object likewise. The symbol at that address is the answer. LLVM, "User Guide for AMDGPU Backend", Relocation Records.

use goblin::elf::{Elf, sym};
use std::collections::BTreeMap;

const R_AMDGPU_ABS64: u32 = 3;
const R_AMDGPU_RELATIVE64: u32 = 13;

/// The variable of an expression: `tag` keeps those of two programs apart that are linked.
pub fn variable(tag: &str, index: usize) -> String {
    format!("__hiprtc_name_{tag}_{index}")
}

/// What to append to a source for its expressions.
pub fn declarations(tag: &str, expressions: &[String]) -> String {
    let mut text = String::new();
    for (index, expression) in expressions.iter().enumerate() {
        let variable = variable(tag, index);
        let stripped = stripped(expression);
        text += &format!(
            "\n#line 1 \"name expression {expression}\"\nextern \"C\" __attribute__((device, used, visibility(\"protected\"))) \
             const void *{variable} = (const void *)&{stripped};\n",
            expression = expression.replace(['\\', '"', '\n'], " ")
        );
    }
    text
}

/// An expression without the address-of that callers may write before it, and without its brackets.
pub fn stripped(expression: &str) -> &str {
    let mut text = expression.trim();
    loop {
        let inner =
            text.strip_prefix('&').or_else(|| text.strip_prefix('(').and_then(|text| text.strip_suffix(')')));
        match inner {
            Some(inner) => text = inner.trim(),
            None => return text,
        }
    }
}

/// The symbols of the expressions, in an ELF file that has the variables. Expressions that led to none are left out.
pub fn lowered(file: &[u8], tag: &str, expressions: &[String]) -> BTreeMap<String, String> {
    let Ok(elf) = Elf::parse(file) else { return BTreeMap::new() };
    let symbols: Vec<(String, sym::Sym)> = elf
        .syms
        .iter()
        .filter_map(|symbol| Some((elf.strtab.get_at(symbol.st_name)?.to_owned(), symbol)))
        .collect();
    let at = |section: Option<usize>, address: u64| {
        let good = |symbol: &&(String, sym::Sym)| {
            let kind = sym::st_type(symbol.1.st_info);
            symbol.1.st_value == address
                && section.is_none_or(|section| section == symbol.1.st_shndx)
                && (kind == sym::STT_FUNC || kind == sym::STT_OBJECT || kind == sym::STT_NOTYPE)
                && symbol.1.st_shndx != 0
                && !symbol.0.is_empty()
        };
        let mut found: Vec<_> = symbols.iter().filter(good).collect();
        // A label of the compiler's has no type, and a variable that is a program's has a size.
        found.sort_by_key(|(_, symbol)| {
            (sym::st_type(symbol.st_info) == sym::STT_NOTYPE, symbol.st_size == 0)
        });
        found.first().map(|(name, _)| name.clone())
    };
    let mut names = BTreeMap::new();
    for (index, expression) in expressions.iter().enumerate() {
        let own = variable(tag, index);
        let Some((_, holder)) = symbols.iter().find(|(name, _)| *name == own) else { continue };
        let dynamic = elf.dynrelas.iter().find(|reloc| reloc.r_offset == holder.st_value);
        let name = if let Some(reloc) = dynamic {
            let addend = reloc.r_addend.unwrap_or(0) as u64;
            match reloc.r_type {
                R_AMDGPU_RELATIVE64 => at(None, addend),
                R_AMDGPU_ABS64 => elf
                    .dynsyms
                    .get(reloc.r_sym)
                    .and_then(|symbol| elf.dynstrtab.get_at(symbol.st_name))
                    .map(str::to_owned),
                _ => None,
            }
        } else {
            // A relocatable object: offsets are those in sections.
            let relocs = elf.shdr_relocs.iter().find(|(section, _)| {
                elf.section_headers
                    .get(*section)
                    .is_some_and(|header| header.sh_info as usize == holder.st_shndx)
            });
            let reloc = relocs.and_then(|(_, relocs)| {
                relocs
                    .iter()
                    .find(|reloc| reloc.r_offset == holder.st_value && reloc.r_type == R_AMDGPU_ABS64)
            });
            reloc.and_then(|reloc| {
                let symbol = elf.syms.get(reloc.r_sym)?;
                let name = elf.strtab.get_at(symbol.st_name).filter(|name| !name.is_empty());
                let offset = symbol.st_value.wrapping_add(reloc.r_addend.unwrap_or(0) as u64);
                name.map(str::to_owned).or_else(|| at(Some(symbol.st_shndx), offset))
            })
        };
        if let Some(name) = name {
            names.insert(expression.clone(), name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_may_be_written_as_addresses() {
        for text in ["kernel<int>", "&kernel<int>", " ( &kernel<int> )", "&(kernel<int>)"] {
            assert_eq!(stripped(text), "kernel<int>", "{text}");
        }
    }

    #[test]
    fn files_that_are_no_elf_have_no_names() {
        assert!(lowered(b"", "x", &["kernel".to_owned()]).is_empty());
        assert!(lowered(&[0x7f; 300], "x", &["kernel".to_owned()]).is_empty());
    }
}
