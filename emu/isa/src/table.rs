//! Opcode tables: number → op, one table a format and generation, checked at compile time.

use crate::Op;

/// Number → op for the opcodes of one format in one generation.
pub struct Table<const N: usize>(pub [Option<&'static Op>; N]);

impl<const N: usize> Table<N> {
    /// The op of a number.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&'static Op> {
        self.0.get(number as usize).copied().flatten()
    }

    /// The numbers in use with their ops, ascending.
    pub fn rows(&self) -> impl Iterator<Item = (u32, &'static Op)> + '_ {
        self.0.iter().enumerate().filter_map(|(n, op)| Some((n as u32, (*op)?)))
    }
}

/// One line of a generation's opcode list.
pub type Row = (usize, &'static Op);

/// A table from its rows. A number that is listed twice, or out of range, does not compile.
pub const fn table<const N: usize>(rows: &[Row]) -> Table<N> {
    extend(&Table([None; N]), rows, &[])
}

/// Another generation's table, with the numbers in `gone` taken out and `rows` put in.
pub const fn extend<const N: usize>(base: &Table<N>, rows: &[Row], gone: &[usize]) -> Table<N> {
    let mut out = base.0;
    let mut k = 0;
    while k < gone.len() {
        assert!(out[gone[k]].is_some(), "opcode to be removed is not in the base table");
        out[gone[k]] = None;
        k += 1;
    }
    k = 0;
    while k < rows.len() {
        let (number, op) = rows[k];
        assert!(number < N, "opcode out of range");
        assert!(out[number].is_none(), "opcode listed twice");
        out[number] = Some(op);
        k += 1;
    }
    Table(out)
}

/// `rows! { 1 => path::OP; … }`: an opcode list that reads like the manual's.
#[macro_export]
#[doc(hidden)]
macro_rules! rows {
    ($($number:literal => $op:path;)*) => { &[$(($number, &$op)),*] };
}
