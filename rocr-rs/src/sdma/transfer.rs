//! What an engine, or the host, is to do with memory.

/// Where rows are: the first, and bytes from row to row and from layer to layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    /// Address of the first.
    pub base: u64,
    /// Bytes from row to row.
    pub pitch: u64,
    /// Bytes from layer to layer.
    pub slice: u64,
}

impl Rows {
    /// Address of a row.
    pub fn at(&self, row: u64, layer: u64) -> u64 {
        self.base.wrapping_add(layer.wrapping_mul(self.slice)).wrapping_add(row.wrapping_mul(self.pitch))
    }
}

/// What to do with memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transfer {
    /// Copy bytes.
    Copy {
        /// To.
        dst: u64,
        /// From.
        src: u64,
        /// How many.
        bytes: u64,
    },
    /// Copy rows of bytes.
    Rows {
        /// To.
        dst: Rows,
        /// From.
        src: Rows,
        /// Bytes of a row.
        width: u64,
        /// Rows of a layer.
        rows: u64,
        /// Layers.
        layers: u64,
    },
    /// Fill with a word.
    Fill {
        /// Where: a multiple of 4.
        dst: u64,
        /// The word.
        value: u32,
        /// How many.
        words: u64,
    },
}

impl Transfer {
    /// Bytes that it moves.
    pub fn bytes(&self) -> u64 {
        match *self {
            Transfer::Copy { bytes, .. } => bytes,
            Transfer::Rows { width, rows, layers, .. } => width.saturating_mul(rows).saturating_mul(layers),
            Transfer::Fill { words, .. } => words.saturating_mul(4),
        }
    }

    /// Whether it reads what begins at an address, and writes it not.
    pub(crate) fn reads(&self, va: u64) -> bool {
        match *self {
            Transfer::Copy { dst, src, .. } => src == va && dst != va,
            Transfer::Rows { dst, src, .. } => src.base == va && dst.base != va,
            Transfer::Fill { .. } => false,
        }
    }

    /// First address, and bytes to the end, of each side; `None` for one that is beyond the address space.
    pub(crate) fn sides(&self) -> Option<Vec<(u64, u64)>> {
        Some(match *self {
            Transfer::Copy { dst, src, bytes } => vec![(dst, bytes), (src, bytes)],
            Transfer::Fill { dst, words, .. } => vec![(dst, words.checked_mul(4)?)],
            Transfer::Rows { dst, src, width, rows, layers } => {
                let extent = |side: &Rows| {
                    let layers = layers.checked_sub(1)?.checked_mul(side.slice)?;
                    let rows = rows.checked_sub(1)?.checked_mul(side.pitch)?;
                    layers.checked_add(rows)?.checked_add(width)
                };
                vec![(dst.base, extent(&dst)?), (src.base, extent(&src)?)]
            }
        })
        .filter(|sides: &Vec<(u64, u64)>| sides.iter().all(|(va, bytes)| va.checked_add(*bytes).is_some()))
    }
}
