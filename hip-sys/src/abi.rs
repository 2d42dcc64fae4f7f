//! Structs and values of C with their layout checked where they stand.

/// A `#[repr(C)]` struct with the size and the offset of each field that the header gives them.
macro_rules! abi_struct {
    (
        $(#[$meta:meta])*
        pub struct $name:ident [$size:literal] {
            $($(#[$fmeta:meta])* $offset:literal $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        #[allow(non_camel_case_types, non_snake_case, reason = "the names of the C struct")]
        pub struct $name {
            $(
                $(#[$fmeta])*
                #[doc = concat!("`", stringify!($field), "`, at byte ", stringify!($offset))]
                pub $field: $type,
            )*
        }
        const _: () = {
            assert!(size_of::<$name>() == $size);
            $(assert!(std::mem::offset_of!($name, $field) == $offset);)*
        };
        impl $name {
            /// Each field with its offset.
            pub const FIELDS: &[(&str, usize)] = &[$((stringify!($field), $offset)),*];
        }
    };
}

/// An `enum` or a set of flags of C: a number with names for some of its values.
macro_rules! abi_values {
    (
        $(#[$meta:meta])*
        pub struct $name:ident($repr:ty) {
            $($value:literal $konst:ident $c_name:ident;)*
        }
    ) => {
        $(#[$meta])*
        #[repr(transparent)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        #[allow(non_camel_case_types, reason = "the name of the C type")]
        pub struct $name(pub $repr);

        impl $name {
            $(
                #[doc = concat!("`", stringify!($c_name), "`")]
                pub const $konst: Self = Self($value);
            )*

            /// Every value that has a name, with it.
            pub const ALL: &[(Self, &str)] = &[$((Self::$konst, stringify!($c_name))),*];

            /// Whether all bits of `flags` are set.
            pub const fn has(self, flags: Self) -> bool {
                self.0 & flags.0 == flags.0
            }
        }
    };
}

/// A pointer to something that only the runtime looks into.
macro_rules! handle {
    ($($(#[$meta:meta])* $name:ident;)*) => {$(
        $(#[$meta])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(non_camel_case_types, reason = "the name of the C type")]
        pub struct $name(pub *mut std::ffi::c_void);

        impl $name {
            /// The null handle.
            pub const NULL: Self = Self(std::ptr::null_mut());

            /// A handle of this numeric value.
            pub const fn from_bits(bits: usize) -> Self {
                Self(std::ptr::without_provenance_mut(bits))
            }

            /// The handle's numeric value.
            pub fn bits(self) -> usize {
                self.0.addr()
            }
        }
    )*};
}

pub(crate) use {abi_struct, abi_values, handle};
