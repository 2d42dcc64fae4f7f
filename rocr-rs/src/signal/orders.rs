//! Memory orders: those that a load, or a store, does not have count as the next stronger or the part that applies.

use std::sync::atomic::Ordering;

/// For loads.
pub(crate) fn load(order: Ordering) -> Ordering {
    match order {
        Ordering::Release => Ordering::Relaxed,
        Ordering::AcqRel => Ordering::Acquire,
        order => order,
    }
}

/// For stores.
pub(crate) fn store(order: Ordering) -> Ordering {
    match order {
        Ordering::Acquire => Ordering::Relaxed,
        Ordering::AcqRel => Ordering::Release,
        order => order,
    }
}
