//! Waves that spin: they run, and yet nothing changes until someone else writes to memory.
//!
//! A wave whose registers and place are what they were at the end of an earlier time slice has gone in a circle. It
//! may go its way the next time round, when memory has changed; until then others should have the thread.

use std::hash::{DefaultHasher, Hash, Hasher};

use amdgpu_isa::Wave;

/// Scalar registers, `VCC`, `M0` and `EXEC` among them; constants stand behind.
const SCALARS: usize = 128;

/// What a wave looked like when its last time slices were over. A loop of several blocks ends its slices in different
/// places, so more than one is remembered.
#[derive(Debug, Default)]
pub(super) struct Spin {
    scalars: [u64; 4],
    all: [u64; 4],
    next: usize,
}

impl Spin {
    /// Notes the wave at the end of a slice; tells whether it was there before. `registers`: vector registers in use.
    pub(super) fn is_back(&mut self, wave: &Wave, registers: usize) -> bool {
        let mut hasher = DefaultHasher::new();
        (wave.pc, wave.scc, wave.mode.0, &wave.s[..SCALARS]).hash(&mut hasher);
        let scalars = hasher.finish();
        // A loop that computes has changed its counter: most waves are looked at no further.
        let all = if self.scalars.contains(&scalars) {
            wave.v.iter().take(registers).for_each(|row| row.0.hash(&mut hasher));
            hasher.finish()
        } else {
            0
        };
        let back = all != 0 && self.all.contains(&all);
        let slot = self.next % self.all.len();
        (self.scalars[slot], self.all[slot]) = (scalars, all);
        self.next = slot + 1;
        back
    }
}

#[cfg(test)]
mod tests {
    use amdgpu_isa::{Operand, gens};

    use super::*;

    #[test]
    fn a_wave_that_changes_nothing_spins() {
        let mut wave = Wave::new(&gens::gfx9::GFX90A);
        let mut spin = Spin::default();
        assert!(!(0..2).any(|_| spin.is_back(&wave, 8)), "seen twice at first");
        assert!((0..10).all(|_| spin.is_back(&wave, 8)));
        wave.v[7].0[63] = 1;
        assert!(!spin.is_back(&wave, 8), "a vector register has changed");
        assert!(spin.is_back(&wave, 8));
    }

    #[test]
    fn a_wave_that_counts_does_not() {
        let mut wave = Wave::new(&gens::gfx9::GFX90A);
        let mut spin = Spin::default();
        for n in 0..100 {
            wave.set_scalar(Operand::sgpr(3), n);
            assert!(!spin.is_back(&wave, 8));
        }
        let mut spin = Spin::default();
        for n in 0..100 {
            wave.v[2].0[5] = n;
            assert!(!spin.is_back(&wave, 8), "a loop that counts in a vector register: {n}");
        }
    }

    #[test]
    fn a_loop_of_three_places_is_one() {
        let mut wave = Wave::new(&gens::gfx9::GFX90A);
        let mut spin = Spin::default();
        let found = (0..12).filter(|n| {
            wave.pc = 0x1000 + 4 * (n % 3);
            spin.is_back(&wave, 8)
        });
        assert_eq!(found.count(), 6, "from the third time round");
    }
}
