//! The ABIs of HIP 5, 6 and 7: one set of symbols, at one set of versions, and numbers that differ.
//!
//! Two enumerations were numbered anew in HIP 6, [`hipMemoryType`](crate::hipMemoryType) and
//! [`hipGraphNodeType`](crate::hipGraphNodeType): their values are [`Renumbered`], and stand in structs and prototypes as
//! [`Numbered`], which only means something together with the [`Major`] that the caller was compiled for.
//! `hip/hip_runtime_api.h` and `hip/driver_types.h` of 5.2.3, 6.3 and 7.1.

use std::marker::PhantomData;

/// The major version of HIP that a program was compiled for: the number in the SONAME of its `libamdhip64.so`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Major {
    /// HIP 5: `libamdhip64.so.5`
    Five,
    /// HIP 6: `libamdhip64.so.6`
    Six,
    /// HIP 7 and later: `libamdhip64.so.7`
    Seven,
}

impl Major {
    /// All of them, the oldest first.
    pub const ALL: &[Self] = &[Self::Five, Self::Six, Self::Seven];

    /// The number in the SONAME.
    pub const fn number(self) -> u32 {
        match self {
            Self::Five => 5,
            Self::Six => 6,
            Self::Seven => 7,
        }
    }

    /// The version of a SONAME such as `libamdhip64.so.6`. Of one that this crate does not know, the nearest.
    pub fn of_soname(soname: &str) -> Option<Self> {
        let number: u32 = soname.rsplit_once(".so.")?.1.split('.').next()?.parse().ok()?;
        Some(match number {
            0..=5 => Self::Five,
            6 => Self::Six,
            _ => Self::Seven,
        })
    }
}

/// A value of C that has another number in HIP 5 than in HIP 6 and later.
pub trait Renumbered: Copy + PartialEq + 'static {
    /// Every value that has a name in any version, with it.
    const NAMED: &[(Self, &str)];

    /// Its number; for a value that `major` does not have, that of the value it goes by there.
    fn number(self, major: Major) -> u32;

    /// Whether `major` has this value under its own name.
    fn is_in(self, major: Major) -> bool {
        Self::of_number(self.number(major), major) == Some(self)
    }

    /// The value of a number, if it has one.
    fn of_number(number: u32, major: Major) -> Option<Self> {
        Self::NAMED.iter().map(|(value, _)| *value).find(|value| value.number(major) == number)
    }
}

/// A number of C, for a [`Renumbered`] value.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Numbered<T>(pub u32, PhantomData<T>);

impl<T: Renumbered> Numbered<T> {
    /// The number of a value.
    pub fn new(value: T, major: Major) -> Self {
        Self(value.number(major), PhantomData)
    }

    /// The value, if the number is one of `major`'s.
    pub fn get(self, major: Major) -> Option<T> {
        T::of_number(self.0, major)
    }
}

/// Declares a [`Renumbered`] type: the number in HIP 5, the one since HIP 6, the names. Where a value is new, or gone, the
/// number is that of the value which it goes by, whose row stands before its own.
macro_rules! renumbered {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($five:literal $later:literal $konst:ident $c_name:ident;)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(non_camel_case_types, reason = "the name of the C type")]
        pub struct $name {
            five: u32,
            later: u32,
        }

        impl $name {
            $(
                #[doc = concat!("`", stringify!($c_name), "`: ", stringify!($five), " in HIP 5, ", stringify!($later), " since HIP 6")]
                pub const $konst: Self = Self { five: $five, later: $later };
            )*
        }

        impl $crate::Renumbered for $name {
            const NAMED: &[(Self, &str)] = &[$((Self::$konst, stringify!($c_name))),*];

            fn number(self, major: $crate::Major) -> u32 {
                if major == $crate::Major::Five { self.five } else { self.later }
            }
        }
    };
}

pub(crate) use renumbered;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{hipGraphNodeType, hipMemoryType};

    #[test]
    fn the_soname_tells_the_version() {
        assert_eq!(Major::of_soname("libamdhip64.so.5"), Some(Major::Five));
        assert_eq!(Major::of_soname("libamdhip64.so.6"), Some(Major::Six));
        assert_eq!(Major::of_soname("libhiprtc.so.7"), Some(Major::Seven));
        assert_eq!(Major::of_soname("libamdhip64.so.7.2.70200"), Some(Major::Seven));
        assert_eq!(Major::of_soname("libhip_rt.so"), None);
        assert_eq!(Major::of_soname("libamdhip64.so.x"), None);
    }

    #[test]
    fn numbers_lead_back_to_values() {
        fn check<T: Renumbered + std::fmt::Debug>(gone_or_new: usize) {
            for major in Major::ALL {
                for (value, name) in T::NAMED.iter().filter(|(value, _)| value.is_in(*major)) {
                    assert_eq!(Numbered::new(*value, *major).get(*major), Some(*value), "{name}");
                }
            }
            let missing = |major| T::NAMED.iter().filter(|(value, _)| !value.is_in(major)).count();
            assert_eq!(missing(Major::Five) + missing(Major::Six), gone_or_new);
        }
        // Unregistered and managed memory are new; nodes of semaphores, memory and batches are, and one-dimensional copies gone.
        check::<hipMemoryType>(2);
        check::<hipGraphNodeType>(6);
        assert_eq!(hipMemoryType::of_number(4, Major::Six), None);
        assert_eq!(hipMemoryType::of_number(0, Major::Five), Some(hipMemoryType::HOST));
        assert_eq!(hipMemoryType::MANAGED.number(Major::Five), hipMemoryType::DEVICE.number(Major::Five));
        assert_eq!(hipGraphNodeType::MEMCPY_1D.number(Major::Seven), 1);
    }
}
