//! Bad input, a row each: what is spoilt in a good code object, and the very error that it gives. No row may panic, and
//! none may be read as if it were good.

mod header;
mod lines;
mod metadata;
mod notes;
mod sections;
mod symbols;

use amd_codeobj::{CodeObject, Error};
use parser_samples::{check, row};

type Row = parser_samples::Row<Error>;

/// Everything that can be read from a code object, to the first error: how many things there were.
fn read(data: &[u8]) -> Result<usize, Error> {
    let object = CodeObject::parse(data)?;
    object.target_id()?;
    let mut count = object.metadata()?.kernels.len();
    for symbol in object.symbols()? {
        let symbol = symbol?;
        count += 1;
        object.symbol(symbol.name)?;
        if symbol.kernel_name().is_some() {
            object.kernel_descriptor(&symbol)?;
        }
    }
    for relocation in object.relocations()? {
        object.symbol_by_index(relocation?.symbol)?;
        count += 1;
    }
    for section in object.sections() {
        section?;
        count += 1;
    }
    object.lines()?;
    Ok(count)
}

/// A code object with two kernels, two variables, an external, both hash tables, and a section table.
fn good() -> Vec<u8> {
    let mut object = parser_samples::CodeObject::new(5, 0x54c, "gfx942", &["first", "second"]);
    object.externals = vec!["elsewhere".to_owned()];
    let data = object.build();
    assert_eq!(read(&data), Ok(2 + 7 + 1 + 12));
    data
}

const HUGE: [u8; 8] = (1u64 << 60).to_le_bytes();
const MOST: [u8; 8] = u64::MAX.to_le_bytes();
