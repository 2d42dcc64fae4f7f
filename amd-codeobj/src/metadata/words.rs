//! Words of the metadata: what an argument is, what it points at, how it is used. Answers to the columns "Value Kind",
//! "Address Space" and "Access" of "AMDHSA Code Object Kernel Argument Metadata Map" in LLVM's AMDGPU guide.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt;

use super::path::Path;
use super::reader::Reader;
use super::value::{FromMetadata, text};
use crate::Error;

/// An enum of words, each written once with its text; a word that is not known is kept.
macro_rules! words {
    ($(#[$doc:meta])* $type:ident { $($(#[$word_doc:meta])* $word:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$word_doc])* $word,)*
            /// A word that is not known here.
            Other(String),
        }

        impl $type {
            /// The text of the metadata.
            pub fn as_str(&self) -> &str {
                match self {
                    $($type::$word => $text,)*
                    $type::Other(text) => text,
                }
            }
        }

        impl From<&str> for $type {
            fn from(text: &str) -> $type {
                match text {
                    $($text => $type::$word,)*
                    other => $type::Other(other.to_owned()),
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromMetadata for $type {
            fn read(reader: &mut Reader<'_>, path: &Path<'_>) -> Result<$type, Error> {
                text(reader, path).map($type::from)
            }
        }
    };
}

words! {
    /// What an argument is, and so who fills it in.
    ValueKind {
        /// The value itself.
        ByValue = "by_value",
        /// A global address.
        GlobalBuffer = "global_buffer",
        /// LDS whose size the program passes.
        DynamicSharedPointer = "dynamic_shared_pointer",
        /// A sampler.
        Sampler = "sampler",
        /// An image.
        Image = "image",
        /// A pipe.
        Pipe = "pipe",
        /// A device queue.
        Queue = "queue",
        /// Work-groups in x (hidden).
        HiddenBlockCountX = "hidden_block_count_x",
        /// Work-groups in y (hidden).
        HiddenBlockCountY = "hidden_block_count_y",
        /// Work-groups in z (hidden).
        HiddenBlockCountZ = "hidden_block_count_z",
        /// Work-items of a work-group in x (hidden).
        HiddenGroupSizeX = "hidden_group_size_x",
        /// Work-items of a work-group in y (hidden).
        HiddenGroupSizeY = "hidden_group_size_y",
        /// Work-items of a work-group in z (hidden).
        HiddenGroupSizeZ = "hidden_group_size_z",
        /// Work-items of the last, partial work-group in x (hidden).
        HiddenRemainderX = "hidden_remainder_x",
        /// Work-items of the last, partial work-group in y (hidden).
        HiddenRemainderY = "hidden_remainder_y",
        /// Work-items of the last, partial work-group in z (hidden).
        HiddenRemainderZ = "hidden_remainder_z",
        /// Dimensions of the grid, 1 to 3 (hidden).
        HiddenGridDims = "hidden_grid_dims",
        /// Global offset in x (hidden).
        HiddenGlobalOffsetX = "hidden_global_offset_x",
        /// Global offset in y (hidden).
        HiddenGlobalOffsetY = "hidden_global_offset_y",
        /// Global offset in z (hidden).
        HiddenGlobalOffsetZ = "hidden_global_offset_z",
        /// Space that is not used (hidden).
        HiddenNone = "hidden_none",
        /// Buffer of `printf` (hidden).
        HiddenPrintfBuffer = "hidden_printf_buffer",
        /// Buffer of hostcalls (hidden).
        HiddenHostcallBuffer = "hidden_hostcall_buffer",
        /// Queue for device-side enqueue (hidden).
        HiddenDefaultQueue = "hidden_default_queue",
        /// Completion action of device-side enqueue (hidden).
        HiddenCompletionAction = "hidden_completion_action",
        /// Structure of multi-grid synchronisation (hidden).
        HiddenMultigridSyncArg = "hidden_multigrid_sync_arg",
        /// Heap of device-side `malloc` (hidden).
        HiddenHeapV1 = "hidden_heap_v1",
        /// Bytes of dynamic LDS (hidden).
        HiddenDynamicLdsSize = "hidden_dynamic_lds_size",
        /// High half of the scratch aperture's base (hidden).
        HiddenPrivateBase = "hidden_private_base",
        /// High half of the LDS aperture's base (hidden).
        HiddenSharedBase = "hidden_shared_base",
        /// Address of the queue (hidden).
        HiddenQueuePtr = "hidden_queue_ptr",
    }
}

impl ValueKind {
    /// The runtime fills it in, not the program.
    pub fn is_hidden(&self) -> bool {
        self.as_str().starts_with("hidden_")
    }
}

words! {
    /// What a pointer points at.
    AddressSpace {
        /// Memory of a work-item.
        Private = "private",
        /// Memory that all see.
        Global = "global",
        /// The same, not written while the kernel runs.
        Constant = "constant",
        /// LDS.
        Local = "local",
        /// Any of global, local and private.
        Generic = "generic",
        /// GDS.
        Region = "region",
    }
}

words! {
    /// How an argument is used.
    Access {
        /// Read.
        ReadOnly = "read_only",
        /// Written.
        WriteOnly = "write_only",
        /// Both.
        ReadWrite = "read_write",
    }
}
