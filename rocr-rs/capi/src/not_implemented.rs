//! What the library exports and does not do, with the answer that a call gets; each names itself once on stderr.
//!
//! - Finalizer (`hsa_ext_program_…`): compiles HSAIL, which no compiler makes any more. The vendor's library looks for a
//!   finalizer in another library, which is not shipped, and then answers `ERROR_NOT_INITIALIZED`; so does this one.
//! - Images and samplers (`hsa_ext_image_…`, `hsa_ext_sampler_…`, `hsa_amd_image_create`): the extension is there, and HIP
//!   takes limits for its own arithmetic from it; but capabilities say, and creation answers, that no format is supported.
//! - Code objects of HSA 1.0 (`hsa_code_object_…`, `hsa_code_symbol_…`, `hsa_executable_load_code_object`): deprecated since
//!   1.1 in favour of readers.
//! - Memory and signals of other processes (`hsa_amd_ipc_…`), buffers of graphics drivers (`hsa_amd_interop_…`), dma-bufs
//!   (`hsa_amd_portable_…`).
//! - Virtual memory (`hsa_amd_vmem_…`), shared virtual memory (`hsa_amd_svm_…`, reported as not supported).
//! - Queues that the host serves (`hsa_soft_queue_create`).
//! - Counters and samples of the hardware (`hsa_amd_spm_…`, `hsa_ven_amd_pcs_…`): only AMD's own kernel driver has them.
//! - `hsa_amd_agent_set_async_scratch_limit`: scratch memory grows and stays with its queue.
//! - `hsa_amd_enable_logging`: the library has `tracing` events instead.
//!
//! Of the data, `_amdgpu_r_debug` is there and empty (version 0): debuggers find no list of code objects. And of the
//! environment, `HSA_TOOLS_LIB` is not looked at: there are no API tables to intercept.

#![allow(unsafe_code, reason = "exports C symbols by name")]

use hsa_sys::Status;

use crate::state::tell_once;

/// Declares stubs by the status that they answer with, and the list of their names.
macro_rules! stubs {
    ($( $status:ident { $( $name:ident )* } )*) => {
        $( $(
            #[doc = concat!("`", stringify!($name), "`")]
            #[unsafe(no_mangle)]
            pub extern "C" fn $name() -> Status {
                tell_once(concat!(stringify!($name), " is not implemented: HSA_STATUS_", stringify!($status)));
                Status::$status
            }
        )* )*

        /// The names, each with its answer.
        pub const NOT_IMPLEMENTED: &[(&str, Status)] = &[$( $( (stringify!($name), Status::$status) ),* ),*];
    };
}

stubs! {
    ERROR_NOT_INITIALIZED {
        hsa_ext_program_create
        hsa_ext_program_destroy
        hsa_ext_program_add_module
        hsa_ext_program_iterate_modules
        hsa_ext_program_get_info
        hsa_ext_program_finalize
    }
    ERROR_IMAGE_FORMAT_UNSUPPORTED {
        hsa_ext_image_data_get_info
        hsa_ext_image_data_get_info_with_layout
        hsa_ext_image_create
        hsa_ext_image_create_with_layout
        hsa_amd_image_create
    }
    ERROR {
        hsa_ext_image_destroy
        hsa_ext_image_copy
        hsa_ext_image_import
        hsa_ext_image_export
        hsa_ext_image_clear
        hsa_ext_sampler_create
        hsa_ext_sampler_create_v2
        hsa_ext_sampler_destroy

        hsa_amd_ipc_memory_create
        hsa_amd_ipc_memory_attach
        hsa_amd_ipc_memory_detach
        hsa_amd_ipc_signal_create
        hsa_amd_ipc_signal_attach
        hsa_amd_interop_map_buffer
        hsa_amd_interop_unmap_buffer
        hsa_amd_portable_export_dmabuf
        hsa_amd_portable_export_dmabuf_v2
        hsa_amd_portable_close_dmabuf

        hsa_amd_svm_attributes_set
        hsa_amd_svm_attributes_get
        hsa_amd_svm_prefetch_async

        hsa_amd_vmem_address_reserve
        hsa_amd_vmem_address_reserve_align
        hsa_amd_vmem_address_free
        hsa_amd_vmem_handle_create
        hsa_amd_vmem_handle_release
        hsa_amd_vmem_map
        hsa_amd_vmem_unmap
        hsa_amd_vmem_set_access
        hsa_amd_vmem_get_access
        hsa_amd_vmem_export_shareable_handle
        hsa_amd_vmem_import_shareable_handle
        hsa_amd_vmem_retain_alloc_handle
        hsa_amd_vmem_get_alloc_properties_from_handle

        hsa_amd_spm_acquire
        hsa_amd_spm_release
        hsa_amd_spm_set_dest_buffer
        hsa_ven_amd_pcs_iterate_configuration
        hsa_ven_amd_pcs_create
        hsa_ven_amd_pcs_create_from_id
        hsa_ven_amd_pcs_destroy
        hsa_ven_amd_pcs_start
        hsa_ven_amd_pcs_stop
        hsa_ven_amd_pcs_flush

        hsa_soft_queue_create
        hsa_amd_agent_set_async_scratch_limit
        hsa_amd_enable_logging
    }
    ERROR_INVALID_CODE_OBJECT {
        hsa_code_object_serialize
        hsa_code_object_deserialize
        hsa_code_object_destroy
        hsa_code_object_get_info
        hsa_code_object_get_symbol
        hsa_code_object_get_symbol_from_name
        hsa_code_object_iterate_symbols
        hsa_executable_load_code_object
    }
    ERROR_INVALID_CODE_SYMBOL {
        hsa_code_symbol_get_info
    }
}
