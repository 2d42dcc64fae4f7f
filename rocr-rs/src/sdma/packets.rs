//! SDMA packets as dwords (`vega10_sdma_pkt_open.h`): what the engines of gfx9 understand.

/// Bytes that one packet moves at most: 22 bits of count, and a multiple of what the engine moves at a time.
pub(super) const MOST_BYTES: u64 = 0x3f_ffe0;

const NOP: u32 = 0;
const COPY: u32 = 1;
const FENCE: u32 = 5;
const TRAP: u32 = 6;
const ATOMIC: u32 = 10;
const FILL: u32 = 11;
const TIMESTAMP: u32 = 13;

/// Sub-operations.
const RECTANGLE: u32 = 4;
const GLOBAL: u32 = 2;
/// `TC_OP_ATOMIC_ADD_RTN_64`
const ADD_64: u32 = 47;
/// A fill of words.
const WORDS: u32 = 2;

fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

/// Packets in a row.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) dwords: Vec<u32>,
}

/// One side of a box, in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plane {
    pub(super) base: u64,
    /// Elements from row to row, and from layer to layer.
    pub(super) pitch: u64,
    pub(super) slice: u64,
}

impl Program {
    fn add(&mut self, packet: &[u32]) {
        self.dwords.extend_from_slice(packet);
    }

    /// Copies bytes that do not overlap, or of which the destination comes first, as many as a packet can; returns how many.
    pub(super) fn copy(&mut self, dst: u64, src: u64, bytes: u64) -> u64 {
        let part = bytes.min(MOST_BYTES);
        let ([a, b], [c, d]) = (halves(src), halves(dst));
        self.add(&[COPY, part as u32 - 1, 0, a, b, c, d]);
        part
    }

    /// Copies a box of elements of `1 << element` bytes; `false` when a number does not fit its field.
    pub(super) fn copy_rectangle(
        &mut self,
        element: u32,
        dst: Plane,
        src: Plane,
        [width, height, depth]: [u64; 3],
    ) -> bool {
        let fits = |plane: &Plane| {
            plane.base.is_multiple_of(4)
                && (1..=1 << 19).contains(&plane.pitch)
                && (1..=1 << 28).contains(&plane.slice)
        };
        let sizes = [width, height].iter().all(|size| (1..=1 << 14).contains(size));
        if element > 4 || !sizes || !(1..=1 << 11).contains(&depth) || !fits(&dst) || !fits(&src) {
            return false;
        }
        let side = |plane: &Plane| {
            let [low, high] = halves(plane.base);
            [low, high, 0, ((plane.pitch - 1) as u32) << 13, (plane.slice - 1) as u32]
        };
        let mut packet = vec![COPY | RECTANGLE << 8 | element << 29];
        packet.extend(side(&src));
        packet.extend(side(&dst));
        packet.extend([(width - 1) as u32 | ((height - 1) as u32) << 16, (depth - 1) as u32]);
        self.add(&packet);
        true
    }

    /// Fills bytes, whole words from a multiple of 4 on, as many as a packet can; returns how many.
    pub(super) fn fill(&mut self, dst: u64, value: u32, bytes: u64) -> u64 {
        let part = bytes.min(MOST_BYTES);
        let [low, high] = halves(dst);
        self.add(&[FILL | WORDS << 30, low, high, value, part as u32 - 4]);
        part
    }

    /// The GPU's clock to a word of 64 bits.
    pub(super) fn timestamp(&mut self, va: u64) {
        let [low, high] = halves(va);
        self.add(&[TIMESTAMP | GLOBAL << 8, low, high]);
    }

    /// Adds to a word of 64 bits.
    pub(super) fn add_to(&mut self, va: u64, value: i64) {
        let ([a, b], [c, d]) = (halves(va), halves(value.cast_unsigned()));
        self.add(&[ATOMIC | ADD_64 << 25, a, b, c, d, 0, 0, 0]);
    }

    /// Tells who sleeps on an event.
    pub(super) fn interrupt(&mut self, mailbox: u64, event: u32) {
        let [low, high] = halves(mailbox);
        self.add(&[FENCE, low, high, event]);
        self.add(&[TRAP, event]);
    }
}

/// Nothing, of so many dwords; each is a packet of its own.
pub(super) fn padding(dwords: usize) -> Vec<u32> {
    vec![NOP; dwords]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_moves_so_much_and_no_more() {
        let mut program = Program::default();
        assert_eq!(program.copy(0x1_0000_0000, 0x2_0000_0000, MOST_BYTES + 5), MOST_BYTES);
        assert_eq!(program.dwords, [1, 0x3f_ffdf, 0, 0, 2, 0, 1]);
        assert_eq!(program.copy(0, 0, 5), 5);
        assert_eq!(program.dwords[7..], [1, 4, 0, 0, 0, 0, 0]);
        assert_eq!(program.fill(0, 7, !3), MOST_BYTES);
    }

    #[test]
    fn boxes_that_do_not_fit_are_refused() {
        let plane = Plane { base: 4096, pitch: 64, slice: 4096 };
        let mut program = Program::default();
        assert!(program.copy_rectangle(2, plane, plane, [16, 4, 2]));
        assert_eq!(program.dwords.len(), 13);
        for wrong in [
            Plane { base: 4097, ..plane },
            Plane { pitch: 1 << 20, ..plane },
            Plane { slice: 1 << 29, ..plane },
            Plane { pitch: 0, ..plane },
        ] {
            assert!(!program.copy_rectangle(2, plane, wrong, [16, 4, 2]), "{wrong:?}");
        }
        assert!(!program.copy_rectangle(2, plane, plane, [1 << 15, 4, 2]));
        assert!(!program.copy_rectangle(2, plane, plane, [16, 4, 0]));
    }
}
