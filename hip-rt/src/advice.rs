//! What a program advises about managed memory (`hipMemAdvise`, `hipMemPrefetchAsync`), by ranges of pages. Nothing moves:
//! host and devices reach managed memory where it lies. What was said can be asked for (`hipMemRangeGetAttribute`).

use hip_sys::{CPU_DEVICE_ID, INVALID_DEVICE_ID, hipMemoryAdvise};
use std::collections::{BTreeMap, BTreeSet};

const PAGE: u64 = 4096;

/// What holds for a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// It is read far more than written.
    pub read_mostly: bool,
    /// Where it should lie: a device, the CPU's number, or the invalid one.
    pub preferred: i32,
    /// Where it was last sent.
    pub prefetched: i32,
    /// Who will access it.
    pub accessed_by: BTreeSet<i32>,
    /// One device at a time may write it.
    pub coarse: bool,
}

impl Advice {
    fn new() -> Self {
        Self {
            read_mostly: false,
            preferred: INVALID_DEVICE_ID,
            prefetched: INVALID_DEVICE_ID,
            accessed_by: BTreeSet::new(),
            coarse: false,
        }
    }

    /// Takes one more piece of advice.
    pub fn take(&mut self, advice: hipMemoryAdvise, device: i32) {
        use hipMemoryAdvise as A;
        match advice {
            A::SET_READ_MOSTLY => self.read_mostly = true,
            A::UNSET_READ_MOSTLY => self.read_mostly = false,
            A::SET_PREFERRED_LOCATION => self.preferred = device,
            A::UNSET_PREFERRED_LOCATION => self.preferred = INVALID_DEVICE_ID,
            A::SET_ACCESSED_BY => {
                self.accessed_by.insert(device);
            }
            A::UNSET_ACCESSED_BY => {
                self.accessed_by.remove(&device);
            }
            A::SET_COARSE_GRAIN => self.coarse = true,
            A::UNSET_COARSE_GRAIN => self.coarse = false,
            _ => {}
        }
    }
}

/// The advice on all pages of an allocation.
#[derive(Debug)]
pub struct Advised {
    /// From this page on, up to the next.
    from: BTreeMap<u64, Advice>,
}

impl Default for Advised {
    fn default() -> Self {
        Self { from: BTreeMap::from([(0, Advice::new())]) }
    }
}

impl Advised {
    /// The advice on the page.
    fn of(&self, page: u64) -> Advice {
        self.from.range(..=page).next_back().map_or_else(Advice::new, |(_, advice)| advice.clone())
    }

    /// Changes it for the pages of `offset..offset + size`.
    pub fn change(&mut self, offset: u64, size: u64, change: impl Fn(&mut Advice)) {
        let (first, end) = pages(offset, size);
        for edge in [first, end] {
            let here = self.of(edge);
            self.from.entry(edge).or_insert(here);
        }
        self.from.range_mut(first..end).for_each(|(_, advice)| change(advice));
    }

    /// All that occurs on the pages of `offset..offset + size`.
    pub fn on(&self, offset: u64, size: u64) -> Vec<Advice> {
        let (first, end) = pages(offset, size);
        let inner = self.from.range(first + 1..end.max(first + 1)).map(|(_, advice)| advice.clone());
        std::iter::once(self.of(first)).chain(inner).collect()
    }
}

fn pages(offset: u64, size: u64) -> (u64, u64) {
    (offset / PAGE, offset.saturating_add(size).div_ceil(PAGE))
}

/// What all have in common: a place, or none when they differ.
pub fn common_place(on: &[Advice], place: impl Fn(&Advice) -> i32) -> i32 {
    match on {
        [first, rest @ ..] if rest.iter().all(|other| place(other) == place(first)) => place(first),
        _ => INVALID_DEVICE_ID,
    }
}

/// Who accesses all of them, the devices in order, then the CPU.
pub fn common_access(on: &[Advice]) -> Vec<i32> {
    let [first, rest @ ..] = on else { return Vec::new() };
    let everywhere = |who: &&i32| rest.iter().all(|other| other.accessed_by.contains(who));
    let mut all: Vec<i32> = first.accessed_by.iter().filter(everywhere).copied().collect();
    all.sort_by_key(|who| (*who == CPU_DEVICE_ID, *who));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use hipMemoryAdvise as A;

    #[test]
    fn advice_holds_for_its_pages() {
        let mut advised = Advised::default();
        advised.change(PAGE, 2 * PAGE, |advice| advice.take(A::SET_READ_MOSTLY, 0));
        assert!(advised.on(PAGE, 2 * PAGE).iter().all(|advice| advice.read_mostly));
        assert!(!advised.on(0, 4 * PAGE).iter().all(|advice| advice.read_mostly));
        assert!(!advised.on(3 * PAGE, PAGE)[0].read_mostly && !advised.on(0, 1)[0].read_mostly);
        // A byte is its whole page.
        advised.change(0, 1, |advice| advice.take(A::SET_PREFERRED_LOCATION, 1));
        assert_eq!(common_place(&advised.on(PAGE - 1, 1), |advice| advice.preferred), 1);
        assert_eq!(common_place(&advised.on(0, PAGE + 1), |advice| advice.preferred), INVALID_DEVICE_ID);
        advised.change(0, 8 * PAGE, |advice| advice.take(A::UNSET_READ_MOSTLY, 0));
        assert!(advised.on(0, 8 * PAGE).iter().all(|advice| !advice.read_mostly));
    }

    #[test]
    fn access_is_what_all_pages_have() {
        let mut advised = Advised::default();
        for who in [2, CPU_DEVICE_ID, 0] {
            advised.change(0, 4 * PAGE, |advice| advice.take(A::SET_ACCESSED_BY, who));
        }
        assert_eq!(common_access(&advised.on(0, 4 * PAGE)), [0, 2, CPU_DEVICE_ID]);
        advised.change(PAGE, PAGE, |advice| advice.take(A::UNSET_ACCESSED_BY, 2));
        assert_eq!(common_access(&advised.on(0, 4 * PAGE)), [0, CPU_DEVICE_ID]);
        assert_eq!(common_access(&advised.on(0, PAGE)), [0, 2, CPU_DEVICE_ID]);
    }
}
