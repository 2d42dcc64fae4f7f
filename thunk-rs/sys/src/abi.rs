//! `abi_struct!`: a C struct of the kernel's header, with its layout asserted where it stands, and `abi_value!`: a C
//! value as a newtype with named constants.

/// A field of a C struct: where it is and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldLayout {
    /// Name in Rust; that of C in snake case.
    pub name: &'static str,
    /// Bytes from the start of the struct.
    pub offset: usize,
    /// Bytes that it takes.
    pub size: usize,
}

/// A C struct: its name in the header, size and fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StructLayout {
    /// Name in its header.
    pub c_name: &'static str,
    /// Size in bytes.
    pub size: usize,
    /// Fields in order.
    pub fields: &'static [FieldLayout],
}

/// A struct of the uapi header whose layout is known at compile time.
pub trait AbiStruct {
    /// The layout, as asserted.
    const LAYOUT: StructLayout;
}

/// Declares a `#[repr(C)]` struct without hidden padding, and asserts its size and the offset of each field.
macro_rules! abi_struct {
    (
        $(#[$meta:meta])*
        pub struct $name:ident = $c_name:literal, $size:literal bytes {
            $( $offset:literal => $field:ident : $type:ty = $doc:literal; )*
        }
    ) => {
        $(#[$meta])*
        #[doc = concat!("\n\n`struct ", $c_name, "`, ", $size, " bytes.")]
        #[repr(C)]
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Default,
            zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable, zerocopy::KnownLayout,
        )]
        pub struct $name {
            $( #[doc = $doc] pub $field: $type, )*
        }

        const _: () = {
            assert!(core::mem::size_of::<$name>() == $size, concat!("size of ", $c_name));
            $( assert!(
                core::mem::offset_of!($name, $field) == $offset,
                concat!("offset of ", $c_name, "::", stringify!($field)),
            ); )*
        };

        impl $crate::AbiStruct for $name {
            const LAYOUT: $crate::StructLayout = $crate::StructLayout {
                c_name: $c_name,
                size: $size,
                fields: &[$( $crate::FieldLayout {
                    name: stringify!($field),
                    offset: $offset,
                    size: core::mem::size_of::<$type>(),
                } ),*],
            };
        }
    };
}

/// Declares a newtype over `u32` for a value that C names with `#define` or `enum`. A value without a name is legal.
macro_rules! abi_value {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $( $constant:ident = $value:expr, $doc:literal; )*
        }
    ) => {
        $(#[$meta])*
        #[repr(transparent)]
        #[derive(
            Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default,
            zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable, zerocopy::KnownLayout,
        )]
        pub struct $name(pub u32);

        impl $name {
            $( #[doc = $doc] pub const $constant: $name = $name($value); )*

            /// The header's name for this value, if it has one.
            pub fn symbol(self) -> Option<&'static str> {
                match self { $( $name::$constant => Some(stringify!($constant)), )* _ => None }
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self.symbol() {
                    Some(symbol) => f.write_str(symbol),
                    None => write!(f, concat!(stringify!($name), "({:#x})"), self.0),
                }
            }
        }
    };
}
