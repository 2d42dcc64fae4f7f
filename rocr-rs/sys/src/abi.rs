//! Two macros that every file of this crate uses: C structs whose layout is checked where it stands, and C values as
//! newtypes with named constants.

/// Declares a `#[repr(C)]` struct with its size in the head and the byte offset before each field; a wrong number
/// does not compile.
macro_rules! abi_struct {
    ($(#[$meta:meta])* $(align($align:literal))? pub struct $name:ident : $size:literal {
        $($(#[$fmeta:meta])* $offset:literal => $field:ident : $ty:ty,)+
    }) => {
        $(#[$meta])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq,
            zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable, zerocopy::KnownLayout,
        )]
        #[repr(C $(, align($align))?)]
        pub struct $name {
            $($(#[$fmeta])* pub $field: $ty,)+
        }
        const _: () = {
            assert!(size_of::<$name>() == $size, concat!("size of ", stringify!($name)));
            $(assert!(core::mem::offset_of!($name, $field) == $offset,
                concat!("offset of ", stringify!($name), ".", stringify!($field)));)+
        };
        impl Default for $name {
            /// All bytes zero.
            fn default() -> Self {
                <Self as zerocopy::FromZeros>::new_zeroed()
            }
        }
    };
}

/// Declares a newtype over a C integer with named constants. Values without a name are kept and print as numbers.
macro_rules! abi_value {
    ($(#[$meta:meta])* pub struct $name:ident($int:ty) {
        $($(#[$vmeta:meta])* $value:ident = $number:expr,)+
    }) => {
        $(#[$meta])*
        #[derive(
            Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default,
            zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable, zerocopy::KnownLayout,
        )]
        #[repr(transparent)]
        pub struct $name(pub $int);
        impl $name {
            $($(#[$vmeta])* pub const $value: Self = Self($number);)+
            /// The names this crate knows, with their values: for printing and for checks against the C header.
            pub const NAMES: &'static [(&'static str, $int)] = &[$((stringify!($value), $number)),+];
            /// The value's name, without the C prefix.
            pub fn name(self) -> Option<&'static str> {
                Self::NAMES.iter().find(|(_, v)| *v == self.0).map(|(n, _)| *n)
            }
        }
        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self.name() {
                    Some(name) => f.write_str(name),
                    None => write!(f, concat!(stringify!($name), "({:#x})"), self.0),
                }
            }
        }
        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Debug::fmt(self, f)
            }
        }
    };
}

pub(crate) use {abi_struct, abi_value};
