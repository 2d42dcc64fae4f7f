//! The C ABI of `hsakmttypes.h`: structs and values.
//!
//! Structs have the layout of 5.2.3, which later versions kept; fields that those made of reserved bytes have their
//! names. Pointers are addresses (`u64`). The header packs everything to 4 bytes, and so does this.

pub mod counter;
pub mod event;
pub mod memory;
pub mod node;
pub mod queue;
pub mod status;

pub use kfd_sys::{AbiStruct, FieldLayout, StructLayout};
pub use status::Status;

/// Declares a struct as the header packs it, and asserts its size and the offset of each field.
macro_rules! abi_struct {
    (
        $(#[$meta:meta])*
        pub struct $name:ident = $c_name:literal, $size:literal bytes {
            $( $offset:literal => $field:ident : $type:ty = $doc:literal; )*
        }
    ) => {
        $(#[$meta])*
        #[doc = concat!("\n\n`", $c_name, "`, ", $size, " bytes.")]
        #[repr(C, packed(4))]
        #[derive(Clone, Copy, zerocopy::FromBytes, zerocopy::Immutable, zerocopy::KnownLayout)]
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

        impl $crate::abi::AbiStruct for $name {
            const LAYOUT: $crate::abi::StructLayout = $crate::abi::StructLayout {
                c_name: $c_name,
                size: $size,
                fields: &[$( $crate::abi::FieldLayout {
                    name: stringify!($field),
                    offset: $offset,
                    size: core::mem::size_of::<$type>(),
                } ),*],
            };
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str($c_name)
            }
        }
    };
}
pub(crate) use abi_struct;

/// The layout of every struct, for whoever compares it with a header.
pub const STRUCTS: &[StructLayout] = &[
    counter::Counter::LAYOUT,
    counter::CounterBlockProperties::LAYOUT,
    counter::CounterProperties::LAYOUT,
    counter::PmcTraceRoot::LAYOUT,
    event::AccessAttributeFailure::LAYOUT,
    event::ClockCounters::LAYOUT,
    event::Event::LAYOUT,
    event::EventData::LAYOUT,
    event::EventDescriptor::LAYOUT,
    event::MemoryAccessFault::LAYOUT,
    event::SyncVar::LAYOUT,
    memory::GpuTileConfig::LAYOUT,
    memory::GraphicsResourceInfo::LAYOUT,
    memory::MemoryRange::LAYOUT,
    memory::PointerInfo::LAYOUT,
    memory::SvmAttribute::LAYOUT,
    node::CacheProperties::LAYOUT,
    node::IoLinkProperties::LAYOUT,
    node::MemoryProperties::LAYOUT,
    node::NodeProperties::LAYOUT,
    node::SystemProperties::LAYOUT,
    node::VersionInfo::LAYOUT,
    queue::DbgWaveMessage::LAYOUT,
    queue::QueueInfo::LAYOUT,
    queue::QueueResource::LAYOUT,
    queue::UserContextSaveAreaHeader::LAYOUT,
];
