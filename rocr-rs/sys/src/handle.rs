//! The opaque 64-bit handles of `hsa.h` and `hsa_ext_amd.h`: a struct with one `uint64_t handle` each.

macro_rules! handles {
    ($($(#[$meta:meta])* $name:ident,)+) => {$(
        $(#[$meta])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default,
            zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable, zerocopy::KnownLayout,
        )]
        #[repr(transparent)]
        pub struct $name(pub u64);
        const _: () = assert!(size_of::<$name>() == 8);
        impl $name {
            /// The handle that names nothing.
            pub const NULL: Self = Self(0);
            /// Whether this names nothing.
            pub const fn is_null(self) -> bool {
                self.0 == 0
            }
        }
    )+};
}

handles! {
    /// `hsa_agent_t`
    AgentHandle,
    /// `hsa_signal_t`: the address of an [`AmdSignal`](crate::AmdSignal).
    SignalHandle,
    /// `hsa_queue_t *`: the address of an [`AmdQueue`](crate::AmdQueue).
    QueueHandle,
    /// `hsa_region_t`
    RegionHandle,
    /// `hsa_amd_memory_pool_t`
    MemoryPoolHandle,
    /// `hsa_isa_t`
    IsaHandle,
    /// `hsa_executable_t`
    ExecutableHandle,
    /// `hsa_executable_symbol_t`
    ExecutableSymbolHandle,
    /// `hsa_loaded_code_object_t`
    LoadedCodeObjectHandle,
    /// `hsa_code_object_reader_t`
    CodeObjectReaderHandle,
}
