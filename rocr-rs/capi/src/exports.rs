//! The exported C functions: one list, name and arguments as in the headers, and the body that does it. Panics do not
//! leave the library.
//!
//! The rows of [`exports!`] stand in the order of `hsa_api_trace.h`: each is a slot of the table of functions that tools
//! intercept, and the exported function calls what is in it. A body of `stub` is none: see
//! [`not_implemented`](crate::not_implemented), which says why.

#![allow(unsafe_code, reason = "exports C symbols by name")]

use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

use hsa_sys::{
    AgentHandle, CodeObjectReaderHandle, DispatchTime, ExecutableHandle, ExecutableSymbolHandle, IsaHandle,
    LoadedCodeObjectHandle, MemoryPoolHandle, QueueHandle, RegionHandle, SignalCondition, SignalHandle,
    Status, SystemInfo, WaitState,
};

use crate::abi::{
    AccessDescription, CImageDescriptor, CImageFormat, CImageInfo, CImageRegion, CSampler, CSamplerV2, Dim3,
    MemoryFaultEvent, PitchedPtr, PointerInfo, SegmentDescriptor, SvmAttribute,
};
use crate::api::code_object::{Allocate, EachCodeSymbol};
use crate::api::queue::{OnError, OnPackets};
use crate::api::symbol::{EachAgentSymbol, EachSymbol};
use crate::api::{
    agent, code_object, copy, event, executable, extension, image, isa, loader, memory, pool, profiling,
    queue, share, signal, svm, symbol, system, virtual_memory,
};
use crate::api_table::{Root, Slot, ToolsApiTable, Version};
use crate::ffi::{Address, Each, In, Out, Result, Text, Value};
use crate::not_implemented::{self as stub, NotImplemented};
use crate::state::{state, tell};

/// What a body's result becomes, and what stands in when it fails by a defect of ours.
trait Answer<T> {
    fn answer(self, name: &'static str) -> T;
    fn defect() -> T;
}

impl Answer<Status> for Result {
    fn answer(self, _name: &'static str) -> Status {
        self.err().unwrap_or(Status::SUCCESS)
    }
    fn defect() -> Status {
        Status::ERROR
    }
}

impl Answer<Status> for NotImplemented {
    fn answer(self, name: &'static str) -> Status {
        self.tell(name)
    }
    fn defect() -> Status {
        Status::ERROR
    }
}

macro_rules! plain {
    ($($ty:ty: $defect:expr),*) => {$(
        impl Answer<$ty> for $ty {
            fn answer(self, _name: &'static str) -> $ty {
                self
            }
            fn defect() -> $ty {
                $defect
            }
        }
    )*};
}
plain!((): (), i64: 0, u64: 0, u32: u32::MAX);

/// Runs a body. A defect of ours does not end the program that calls us.
fn call<T, A: Answer<T>>(name: &'static str, body: impl FnOnce() -> A) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(answer) => answer.answer(name),
        Err(panic) => {
            let text = panic
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
                .unwrap_or("no message");
            tell(format_args!("{name}: a defect of this library: {text}"));
            A::defect()
        }
    }
}

/// `Status`, where a row does not say what it returns.
macro_rules! result {
    () => {
        Status
    };
    ($result:ty) => {
        $result
    };
}

/// Declares the functions that have slots: the tables, the functions that they hold at first, and the exported ones, which
/// call what the tables hold.
macro_rules! exports {
    ($( $field:ident: $table:ident version $major:literal { $( fn $name:ident($($arg:ident: $ty:ty),*) $(-> $result:ty)? = $noun:ident::$body:ident($($pass:expr),*); )* } )*) => {
        /// What the library does itself.
        mod own {
            use super::*;
            $( $(
                #[allow(clippy::too_many_arguments, reason = "as C has it")]
                pub extern "C" fn $name($($arg: $ty),*) -> result!($($result)?) {
                    call(stringify!($name), move || $noun::$body($($pass),*))
                }
            )* )*
        }

        $(
            #[doc = concat!("`", stringify!($table), "`")]
            #[repr(C)]
            pub struct $table {
                version: Version,
                $( $name: Slot<extern "C" fn($($ty),*) -> result!($($result)?)>, )*
            }

            impl $table {
                /// With the library's own functions.
                const fn new() -> Self {
                    Self { version: Version::new($major, size_of::<Self>()), $( $name: Slot::new(own::$name as *const ()) ),* }
                }

                /// Puts the library's own functions back.
                fn reset(&self) {
                    self.version.reset($major, size_of::<Self>());
                    $( self.$name.set(own::$name as *const ()); )*
                }

                /// Each function with the offset of its slot.
                pub fn offsets() -> Vec<(&'static str, usize)> {
                    vec![$( (stringify!($name), std::mem::offset_of!(Self, $name)) ),*]
                }
            }
        )*

        /// All tables, and the root that points at them.
        pub struct Tables {
            /// What tools are given.
            pub root: Root,
            /// Newer than 5.2.3.
            pub tools: ToolsApiTable,
            $(
                #[doc = concat!("`", stringify!($table), "`")]
                pub $field: $table,
            )*
        }

        impl Tables {
            /// With the library's own functions.
            pub(crate) const fn new() -> Self {
                Self { root: Root::new(), tools: ToolsApiTable::new(), $( $field: $table::new() ),* }
            }

            /// As before any tool.
            pub fn reset(&'static self) {
                self.root.reset(self);
                $( self.$field.reset(); )*
            }
        }

        $( $(
            #[doc = concat!("`", stringify!($name), "`")]
            #[unsafe(no_mangle)]
            #[allow(clippy::too_many_arguments, reason = "as C has it")]
            pub extern "C" fn $name($($arg: $ty),*) -> result!($($result)?) {
                match state().tables.$field.$name.get() {
                    Some(function) => function($($arg),*),
                    None => own::$name($($arg),*),
                }
            }
        )* )*

        /// Name and noun of each.
        const SLOTS: &[(&str, &str)] = &[$( $( (stringify!($name), stringify!($noun)) ),* ),*];
    };
}

/// Declares exported functions that no table has.
macro_rules! direct {
    ($( fn $name:ident($($arg:ident: $ty:ty),*) $(-> $result:ty)? = $noun:ident::$body:ident($($pass:expr),*); )*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`")]
            #[unsafe(no_mangle)]
            pub extern "C" fn $name($($arg: $ty),*) -> result!($($result)?) {
                call(stringify!($name), move || $noun::$body($($pass),*))
            }
        )*

        const DIRECT: &[(&str, &str)] = &[$( (stringify!($name), stringify!($noun)) ),*];
    };
}

/// Declares the older names of functions.
macro_rules! aliases {
    ($( fn $name:ident($($arg:ident: $ty:ty),*) $(-> $result:ty)? = $newer:ident($($pass:ident),*); )*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`")]
            #[unsafe(no_mangle)]
            pub extern "C" fn $name($($arg: $ty),*) -> result!($($result)?) {
                $newer($($pass),*)
            }
        )*

        const ALIASES: &[(&str, &str)] = &[$( (stringify!($name), "alias") ),*];
    };
}

/// Functions that only tools have, through a table: the library exports no symbols for them.
pub const TABLE_ONLY: &[&str] = &[
    "hsa_amd_queue_intercept_create",
    "hsa_amd_queue_intercept_register",
    "hsa_amd_runtime_queue_create_register",
];

fn names(implemented: bool) -> Vec<&'static str> {
    let all = SLOTS.iter().chain(DIRECT).chain(ALIASES);
    all.filter(|(_, noun)| (*noun != "stub") == implemented).map(|(name, _)| *name).collect()
}

/// The functions that do what they say.
pub fn implemented() -> Vec<&'static str> {
    names(true)
}

/// The functions that are there and answer that they are not implemented.
pub fn not_implemented() -> Vec<&'static str> {
    names(false)
}

/// Declares functions that are reached through a table only: an array of their addresses, in the order of the rows.
macro_rules! table {
    ($(#[$meta:meta])* $table:ident { $( fn $name:ident($($arg:ident: $ty:ty),*) = $noun:ident::$body:ident; )* }) => {
        $(
            extern "C" fn $name($($arg: $ty),*) -> Status {
                call(stringify!($name), move || $noun::$body($($arg),*))
            }
        )*
        $(#[$meta])*
        pub fn $table() -> Vec<usize> {
            vec![$( $name as *const () as usize ),*]
        }
    };
}

table! {
    /// `hsa_ven_amd_loader_1_03_pfn_t`
    loader_table {
        fn hsa_ven_amd_loader_query_host_address(address: Address, out: Out<u64>) = loader::host_address;
        fn hsa_ven_amd_loader_query_segment_descriptors(out: Out<SegmentDescriptor>, count: Out<usize>) = loader::segments;
        fn hsa_ven_amd_loader_query_executable(address: Address, out: Out<ExecutableHandle>) = loader::executable;
        fn hsa_ven_amd_loader_executable_iterate_loaded_code_objects(executable: ExecutableHandle, each: loader::EachLoaded, data: Address) = loader::iterate_loaded;
        fn hsa_ven_amd_loader_loaded_code_object_get_info(loaded: LoadedCodeObjectHandle, attribute: u32, value: Value) = loader::info;
        fn hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size(fd: i32, offset: usize, size: usize, out: Out<CodeObjectReaderHandle>) = executable::reader_of_file_part;
        fn hsa_ven_amd_loader_iterate_executables(each: Each<ExecutableHandle>, data: Address) = loader::iterate_executables;
    }
}

/// `hsa_ext_images_1_pfn_t`
pub fn image_table() -> Vec<usize> {
    vec![
        hsa_ext_image_get_capability as *const () as usize,
        hsa_ext_image_data_get_info as *const () as usize,
        hsa_ext_image_create as *const () as usize,
        hsa_ext_image_destroy as *const () as usize,
        hsa_ext_image_copy as *const () as usize,
        hsa_ext_image_import as *const () as usize,
        hsa_ext_image_export as *const () as usize,
        hsa_ext_image_clear as *const () as usize,
        hsa_ext_sampler_create as *const () as usize,
        hsa_ext_sampler_destroy as *const () as usize,
        hsa_ext_image_get_capability_with_layout as *const () as usize,
        hsa_ext_image_data_get_info_with_layout as *const () as usize,
        hsa_ext_image_create_with_layout as *const () as usize,
    ]
}

#[rustfmt::skip]
exports! {
    core: CoreApiTable version 1 {
        fn hsa_init() = system::init();
        fn hsa_shut_down() = system::shut_down();
        fn hsa_system_get_info(attribute: SystemInfo, value: Value) = system::info(attribute, value);
        fn hsa_system_extension_supported(number: u16, major: u16, minor: u16, result: Out<bool>) = extension::system_supports(number, major, minor, result);
        fn hsa_system_get_extension_table(number: u16, major: u16, minor: u16, functions: Out<usize>) = extension::table(number, major, minor, functions);
        fn hsa_iterate_agents(each: Each<AgentHandle>, data: Address) = system::iterate_agents(each, data);
        fn hsa_agent_get_info(agent: AgentHandle, attribute: u32, value: Value) = agent::info(agent, attribute, value);
        fn hsa_queue_create(agent: AgentHandle, packets: u32, kind: u32, on_error: OnError, data: Address, private_bytes: u32, group_bytes: u32, out: Out<QueueHandle>) = queue::create(agent, packets, kind, on_error, data, private_bytes, group_bytes, out);
        fn hsa_soft_queue_create(region: RegionHandle, packets: u32, kind: u32, features: u32, doorbell: SignalHandle, out: Out<QueueHandle>) = queue::create_soft(region, packets, kind, features, doorbell, out);
        fn hsa_queue_destroy(queue: QueueHandle) = queue::destroy(queue);
        fn hsa_queue_inactivate(queue: QueueHandle) = queue::inactivate(queue);
        fn hsa_queue_load_read_index_scacquire(queue: QueueHandle) -> u64 = queue::load_read(Ordering::Acquire, queue);
        fn hsa_queue_load_read_index_relaxed(queue: QueueHandle) -> u64 = queue::load_read(Ordering::Relaxed, queue);
        fn hsa_queue_load_write_index_scacquire(queue: QueueHandle) -> u64 = queue::load_write(Ordering::Acquire, queue);
        fn hsa_queue_load_write_index_relaxed(queue: QueueHandle) -> u64 = queue::load_write(Ordering::Relaxed, queue);
        fn hsa_queue_store_write_index_relaxed(queue: QueueHandle, value: u64) -> () = queue::store_write(Ordering::Relaxed, queue, value);
        fn hsa_queue_store_write_index_screlease(queue: QueueHandle, value: u64) -> () = queue::store_write(Ordering::Release, queue, value);
        fn hsa_queue_cas_write_index_scacq_screl(queue: QueueHandle, expected: u64, value: u64) -> u64 = queue::cas_write(Ordering::AcqRel, queue, expected, value);
        fn hsa_queue_cas_write_index_scacquire(queue: QueueHandle, expected: u64, value: u64) -> u64 = queue::cas_write(Ordering::Acquire, queue, expected, value);
        fn hsa_queue_cas_write_index_relaxed(queue: QueueHandle, expected: u64, value: u64) -> u64 = queue::cas_write(Ordering::Relaxed, queue, expected, value);
        fn hsa_queue_cas_write_index_screlease(queue: QueueHandle, expected: u64, value: u64) -> u64 = queue::cas_write(Ordering::Release, queue, expected, value);
        fn hsa_queue_add_write_index_scacq_screl(queue: QueueHandle, count: u64) -> u64 = queue::add_write(Ordering::AcqRel, queue, count);
        fn hsa_queue_add_write_index_scacquire(queue: QueueHandle, count: u64) -> u64 = queue::add_write(Ordering::Acquire, queue, count);
        fn hsa_queue_add_write_index_relaxed(queue: QueueHandle, count: u64) -> u64 = queue::add_write(Ordering::Relaxed, queue, count);
        fn hsa_queue_add_write_index_screlease(queue: QueueHandle, count: u64) -> u64 = queue::add_write(Ordering::Release, queue, count);
        fn hsa_queue_store_read_index_relaxed(queue: QueueHandle, value: u64) -> () = queue::store_read(Ordering::Relaxed, queue, value);
        fn hsa_queue_store_read_index_screlease(queue: QueueHandle, value: u64) -> () = queue::store_read(Ordering::Release, queue, value);
        fn hsa_agent_iterate_regions(agent: AgentHandle, each: Each<RegionHandle>, data: Address) = pool::iterate_regions(agent, each, data);
        fn hsa_region_get_info(region: RegionHandle, attribute: u32, value: Value) = pool::region_info(region, attribute, value);
        fn hsa_agent_get_exception_policies(agent: AgentHandle, profile: u32, mask: Out<u16>) = agent::exception_policies(agent, profile, mask);
        fn hsa_agent_extension_supported(number: u16, agent: AgentHandle, major: u16, minor: u16, result: Out<bool>) = extension::agent_supports(number, agent, major, minor, result);
        fn hsa_memory_register(address: Address, bytes: usize) = memory::register(address, bytes);
        fn hsa_memory_deregister(address: Address, bytes: usize) = memory::deregister(address, bytes);
        fn hsa_memory_allocate(region: RegionHandle, bytes: usize, out: Out<u64>) = memory::allocate_from_region(region, bytes, out);
        fn hsa_memory_free(address: Address) = memory::free(address);
        fn hsa_memory_copy(to: Address, from: Address, bytes: usize) = copy::copy(to, from, bytes);
        fn hsa_memory_assign_agent(address: Address, agent: AgentHandle, access: u32) = memory::assign(address, agent, access);
        fn hsa_signal_create(initial: i64, count: u32, consumers: In<AgentHandle>, out: Out<SignalHandle>) = signal::create(initial, count, consumers, out);
        fn hsa_signal_destroy(signal: SignalHandle) = signal::destroy(signal);
        fn hsa_signal_load_relaxed(signal: SignalHandle) -> i64 = signal::load(Ordering::Relaxed, signal);
        fn hsa_signal_load_scacquire(signal: SignalHandle) -> i64 = signal::load(Ordering::Acquire, signal);
        fn hsa_signal_store_relaxed(signal: SignalHandle, value: i64) -> () = signal::store(Ordering::Relaxed, signal, value);
        fn hsa_signal_store_screlease(signal: SignalHandle, value: i64) -> () = signal::store(Ordering::Release, signal, value);
        fn hsa_signal_wait_relaxed(signal: SignalHandle, condition: SignalCondition, compare: i64, ticks: u64, hint: WaitState) -> i64 = signal::wait(Ordering::Relaxed, signal, condition, compare, ticks, hint);
        fn hsa_signal_wait_scacquire(signal: SignalHandle, condition: SignalCondition, compare: i64, ticks: u64, hint: WaitState) -> i64 = signal::wait(Ordering::Acquire, signal, condition, compare, ticks, hint);
        fn hsa_signal_and_relaxed(signal: SignalHandle, value: i64) -> () = signal::and(Ordering::Relaxed, signal, value);
        fn hsa_signal_and_scacquire(signal: SignalHandle, value: i64) -> () = signal::and(Ordering::Acquire, signal, value);
        fn hsa_signal_and_screlease(signal: SignalHandle, value: i64) -> () = signal::and(Ordering::Release, signal, value);
        fn hsa_signal_and_scacq_screl(signal: SignalHandle, value: i64) -> () = signal::and(Ordering::AcqRel, signal, value);
        fn hsa_signal_or_relaxed(signal: SignalHandle, value: i64) -> () = signal::or(Ordering::Relaxed, signal, value);
        fn hsa_signal_or_scacquire(signal: SignalHandle, value: i64) -> () = signal::or(Ordering::Acquire, signal, value);
        fn hsa_signal_or_screlease(signal: SignalHandle, value: i64) -> () = signal::or(Ordering::Release, signal, value);
        fn hsa_signal_or_scacq_screl(signal: SignalHandle, value: i64) -> () = signal::or(Ordering::AcqRel, signal, value);
        fn hsa_signal_xor_relaxed(signal: SignalHandle, value: i64) -> () = signal::xor(Ordering::Relaxed, signal, value);
        fn hsa_signal_xor_scacquire(signal: SignalHandle, value: i64) -> () = signal::xor(Ordering::Acquire, signal, value);
        fn hsa_signal_xor_screlease(signal: SignalHandle, value: i64) -> () = signal::xor(Ordering::Release, signal, value);
        fn hsa_signal_xor_scacq_screl(signal: SignalHandle, value: i64) -> () = signal::xor(Ordering::AcqRel, signal, value);
        fn hsa_signal_exchange_relaxed(signal: SignalHandle, value: i64) -> i64 = signal::exchange(Ordering::Relaxed, signal, value);
        fn hsa_signal_exchange_scacquire(signal: SignalHandle, value: i64) -> i64 = signal::exchange(Ordering::Acquire, signal, value);
        fn hsa_signal_exchange_screlease(signal: SignalHandle, value: i64) -> i64 = signal::exchange(Ordering::Release, signal, value);
        fn hsa_signal_exchange_scacq_screl(signal: SignalHandle, value: i64) -> i64 = signal::exchange(Ordering::AcqRel, signal, value);
        fn hsa_signal_add_relaxed(signal: SignalHandle, value: i64) -> () = signal::plus(Ordering::Relaxed, signal, value);
        fn hsa_signal_add_scacquire(signal: SignalHandle, value: i64) -> () = signal::plus(Ordering::Acquire, signal, value);
        fn hsa_signal_add_screlease(signal: SignalHandle, value: i64) -> () = signal::plus(Ordering::Release, signal, value);
        fn hsa_signal_add_scacq_screl(signal: SignalHandle, value: i64) -> () = signal::plus(Ordering::AcqRel, signal, value);
        fn hsa_signal_subtract_relaxed(signal: SignalHandle, value: i64) -> () = signal::minus(Ordering::Relaxed, signal, value);
        fn hsa_signal_subtract_scacquire(signal: SignalHandle, value: i64) -> () = signal::minus(Ordering::Acquire, signal, value);
        fn hsa_signal_subtract_screlease(signal: SignalHandle, value: i64) -> () = signal::minus(Ordering::Release, signal, value);
        fn hsa_signal_subtract_scacq_screl(signal: SignalHandle, value: i64) -> () = signal::minus(Ordering::AcqRel, signal, value);
        fn hsa_signal_cas_relaxed(signal: SignalHandle, expected: i64, value: i64) -> i64 = signal::cas(Ordering::Relaxed, signal, expected, value);
        fn hsa_signal_cas_scacquire(signal: SignalHandle, expected: i64, value: i64) -> i64 = signal::cas(Ordering::Acquire, signal, expected, value);
        fn hsa_signal_cas_screlease(signal: SignalHandle, expected: i64, value: i64) -> i64 = signal::cas(Ordering::Release, signal, expected, value);
        fn hsa_signal_cas_scacq_screl(signal: SignalHandle, expected: i64, value: i64) -> i64 = signal::cas(Ordering::AcqRel, signal, expected, value);
        fn hsa_isa_from_name(text: Text, isa: Out<IsaHandle>) = isa::from_name(text, isa);
        fn hsa_isa_get_info(isa: IsaHandle, attribute: u32, convention: u32, value: Value) = isa::info_of_convention(isa, attribute, convention, value);
        fn hsa_isa_compatible(code: IsaHandle, agent: IsaHandle, result: Out<bool>) = isa::compatible(code, agent, result);
        fn hsa_code_object_serialize(code: u64, allocate: Allocate, data: Address, options: Text, out: Out<u64>, len: Out<usize>) = code_object::serialize(code, allocate, data, options, out, len);
        fn hsa_code_object_deserialize(address: Address, len: usize, options: Text, out: Out<u64>) = code_object::deserialize(address, len, options, out);
        fn hsa_code_object_destroy(code: u64) = code_object::destroy(code);
        fn hsa_code_object_get_info(code: u64, attribute: u32, value: Value) = code_object::info(code, attribute, value);
        fn hsa_code_object_get_symbol(code: u64, name: Text, out: Out<u64>) = code_object::symbol(code, name, out);
        fn hsa_code_symbol_get_info(symbol: u64, attribute: u32, value: Value) = code_object::symbol_info(symbol, attribute, value);
        fn hsa_code_object_iterate_symbols(code: u64, each: EachCodeSymbol, data: Address) = code_object::iterate(code, each, data);
        fn hsa_executable_create(profile: u32, state: u32, options: Text, out: Out<ExecutableHandle>) = executable::create_in_state(profile, state, options, out);
        fn hsa_executable_destroy(executable: ExecutableHandle) = executable::destroy(executable);
        fn hsa_executable_load_code_object(executable: ExecutableHandle, agent: AgentHandle, code: u64, options: Text) = code_object::load(executable, agent, code, options);
        fn hsa_executable_freeze(executable: ExecutableHandle, options: Text) = executable::freeze(executable, options);
        fn hsa_executable_get_info(executable: ExecutableHandle, attribute: u32, value: Value) = executable::info(executable, attribute, value);
        fn hsa_executable_global_variable_define(executable: ExecutableHandle, name: Text, address: Address) = executable::define_global(executable, name, address);
        fn hsa_executable_agent_global_variable_define(executable: ExecutableHandle, agent: AgentHandle, name: Text, address: Address) = executable::define_for_agent(executable, agent, name, address);
        fn hsa_executable_readonly_variable_define(executable: ExecutableHandle, agent: AgentHandle, name: Text, address: Address) = executable::define_for_agent(executable, agent, name, address);
        fn hsa_executable_validate(executable: ExecutableHandle, result: Out<u32>) = executable::validate(executable, result);
        fn hsa_executable_get_symbol(executable: ExecutableHandle, module: Text, name: Text, agent: AgentHandle, convention: i32, out: Out<ExecutableSymbolHandle>) = symbol::by_module(executable, module, name, agent, convention, out);
        fn hsa_executable_symbol_get_info(symbol: ExecutableSymbolHandle, attribute: u32, value: Value) = symbol::info(symbol, attribute, value);
        fn hsa_executable_iterate_symbols(executable: ExecutableHandle, each: EachSymbol, data: Address) = symbol::iterate(executable, each, data);
        fn hsa_status_string(status: Status, text: Out<*const c_char>) = system::status_string(status, text);
        fn hsa_extension_get_name(number: u16, text: Out<*const c_char>) = extension::name(number, text);
        fn hsa_system_major_extension_supported(number: u16, major: u16, minor: Out<u16>, result: Out<bool>) = extension::system_supports_major(number, major, minor, result);
        fn hsa_system_get_major_extension_table(number: u16, major: u16, bytes: usize, functions: Out<usize>) = extension::major_table(number, major, bytes, functions);
        fn hsa_agent_major_extension_supported(number: u16, agent: AgentHandle, major: u16, minor: Out<u16>, result: Out<bool>) = extension::agent_supports_major(number, agent, major, minor, result);
        fn hsa_cache_get_info(cache: u64, attribute: u32, value: Value) = agent::cache_info(cache, attribute, value);
        fn hsa_agent_iterate_caches(agent: AgentHandle, each: Each<u64>, data: Address) = agent::iterate_caches(agent, each, data);
        fn hsa_signal_silent_store_relaxed(signal: SignalHandle, value: i64) -> () = signal::silent_store(Ordering::Relaxed, signal, value);
        fn hsa_signal_silent_store_screlease(signal: SignalHandle, value: i64) -> () = signal::silent_store(Ordering::Release, signal, value);
        fn hsa_signal_group_create(count: u32, signals: In<SignalHandle>, consumers: u32, agents: In<AgentHandle>, out: Out<u64>) = signal::create_group(count, signals, consumers, agents, out);
        fn hsa_signal_group_destroy(group: u64) = signal::destroy_group(group);
        fn hsa_signal_group_wait_any_scacquire(group: u64, conditions: In<SignalCondition>, compares: In<i64>, hint: WaitState, signal: Out<SignalHandle>, value: Out<i64>) = signal::wait_group(Ordering::Acquire, group, conditions, compares, hint, signal, value);
        fn hsa_signal_group_wait_any_relaxed(group: u64, conditions: In<SignalCondition>, compares: In<i64>, hint: WaitState, signal: Out<SignalHandle>, value: Out<i64>) = signal::wait_group(Ordering::Relaxed, group, conditions, compares, hint, signal, value);
        fn hsa_agent_iterate_isas(agent: AgentHandle, each: Each<IsaHandle>, data: Address) = isa::iterate_of_agent(agent, each, data);
        fn hsa_isa_get_info_alt(isa: IsaHandle, attribute: u32, value: Value) = isa::info(isa, attribute, value);
        fn hsa_isa_get_exception_policies(isa: IsaHandle, profile: u32, mask: Out<u16>) = isa::exception_policies(isa, profile, mask);
        fn hsa_isa_get_round_method(isa: IsaHandle, kind: u32, flush: u32, method: Out<u32>) = isa::round_method(isa, kind, flush, method);
        fn hsa_wavefront_get_info(wave: u64, attribute: u32, value: Value) = isa::wavefront_info(wave, attribute, value);
        fn hsa_isa_iterate_wavefronts(isa: IsaHandle, each: Each<u64>, data: Address) = isa::iterate_wavefronts(isa, each, data);
        fn hsa_code_object_get_symbol_from_name(code: u64, module: Text, name: Text, out: Out<u64>) = code_object::symbol_of_module(code, module, name, out);
        fn hsa_code_object_reader_create_from_file(fd: i32, out: Out<CodeObjectReaderHandle>) = executable::reader_of_file(fd, out);
        fn hsa_code_object_reader_create_from_memory(address: Address, len: usize, out: Out<CodeObjectReaderHandle>) = executable::reader_of_memory(address, len, out);
        fn hsa_code_object_reader_destroy(reader: CodeObjectReaderHandle) = executable::destroy_reader(reader);
        fn hsa_executable_create_alt(profile: u32, rounding: u32, options: Text, out: Out<ExecutableHandle>) = executable::create(profile, rounding, options, out);
        fn hsa_executable_load_program_code_object(executable: ExecutableHandle, reader: CodeObjectReaderHandle, options: Text, out: Out<LoadedCodeObjectHandle>) = executable::load_for_program(executable, reader, options, out);
        fn hsa_executable_load_agent_code_object(executable: ExecutableHandle, agent: AgentHandle, reader: CodeObjectReaderHandle, options: Text, out: Out<LoadedCodeObjectHandle>) = executable::load(executable, agent, reader, options, out);
        fn hsa_executable_validate_alt(executable: ExecutableHandle, options: Text, result: Out<u32>) = executable::validate_alt(executable, options, result);
        fn hsa_executable_get_symbol_by_name(executable: ExecutableHandle, name: Text, agent: In<AgentHandle>, out: Out<ExecutableSymbolHandle>) = symbol::by_name(executable, name, agent, out);
        fn hsa_executable_iterate_agent_symbols(executable: ExecutableHandle, agent: AgentHandle, each: EachAgentSymbol, data: Address) = symbol::iterate_of_agent(executable, agent, each, data);
        fn hsa_executable_iterate_program_symbols(executable: ExecutableHandle, each: EachSymbol, data: Address) = symbol::iterate_of_program(executable, each, data);
    }
    amd_ext: AmdExtTable version 1 {
        fn hsa_amd_coherency_get_type(agent: AgentHandle, kind: Out<u32>) = profiling::coherency(agent, kind);
        fn hsa_amd_coherency_set_type(agent: AgentHandle, kind: u32) = profiling::set_coherency(agent, kind);
        fn hsa_amd_profiling_set_profiler_enabled(queue: QueueHandle, on: i32) = queue::set_profiling(queue, on);
        fn hsa_amd_profiling_async_copy_enable(on: bool) = profiling::time_copies(on);
        fn hsa_amd_profiling_get_dispatch_time(agent: AgentHandle, signal: SignalHandle, time: Out<DispatchTime>) = profiling::dispatch_time(agent, signal, time);
        fn hsa_amd_profiling_get_async_copy_time(signal: SignalHandle, time: Out<DispatchTime>) = profiling::copy_time(signal, time);
        fn hsa_amd_profiling_convert_tick_to_system_domain(agent: AgentHandle, ticks: u64, system: Out<u64>) = profiling::to_system_time(agent, ticks, system);
        fn hsa_amd_signal_async_handler(signal: SignalHandle, condition: SignalCondition, compare: i64, handler: Option<extern "C" fn(i64, Address) -> bool>, data: Address) = signal::on_change(signal, condition, compare, handler, data);
        fn hsa_amd_async_function(callback: Option<extern "C" fn(Address)>, data: Address) = signal::call_later(callback, data);
        fn hsa_amd_signal_wait_any(count: u32, signals: In<SignalHandle>, conditions: In<SignalCondition>, compares: In<i64>, ticks: u64, hint: WaitState, value: Out<i64>) -> u32 = signal::wait_any(count, signals, conditions, compares, ticks, hint, value);
        fn hsa_amd_queue_cu_set_mask(queue: QueueHandle, bits: u32, mask: In<u32>) = queue::set_cu_mask(queue, bits, mask);
        fn hsa_amd_memory_pool_get_info(pool: MemoryPoolHandle, attribute: u32, value: Value) = pool::pool_info(pool, attribute, value);
        fn hsa_amd_agent_iterate_memory_pools(agent: AgentHandle, each: Each<MemoryPoolHandle>, data: Address) = pool::iterate_pools(agent, each, data);
        fn hsa_amd_memory_pool_allocate(pool: MemoryPoolHandle, bytes: usize, flags: u32, out: Out<u64>) = memory::allocate_from_pool(pool, bytes, flags, out);
        fn hsa_amd_memory_pool_free(address: Address) = memory::free(address);
        fn hsa_amd_memory_async_copy(to: Address, to_agent: AgentHandle, from: Address, from_agent: AgentHandle, bytes: usize, count: u32, dependencies: In<SignalHandle>, completion: SignalHandle) = copy::asynchronous(to, to_agent, from, from_agent, bytes, count, dependencies, completion);
        fn hsa_amd_agent_memory_pool_get_info(agent: AgentHandle, pool: MemoryPoolHandle, attribute: u32, value: Value) = pool::agent_pool_info(agent, pool, attribute, value);
        fn hsa_amd_agents_allow_access(count: u32, agents: In<AgentHandle>, flags: In<u32>, address: Address) = memory::allow_access(count, agents, flags, address);
        fn hsa_amd_memory_pool_can_migrate(from: MemoryPoolHandle, to: MemoryPoolHandle, result: Out<bool>) = memory::can_migrate(from, to, result);
        fn hsa_amd_memory_migrate(address: Address, pool: MemoryPoolHandle, flags: u32) = memory::migrate(address, pool, flags);
        fn hsa_amd_memory_lock(host: Address, bytes: usize, agents: In<AgentHandle>, count: i32, agent_pointer: Out<u64>) = memory::lock(host, bytes, agents, count, agent_pointer);
        fn hsa_amd_memory_unlock(host: Address) = memory::unlock(host);
        fn hsa_amd_memory_fill(to: Address, value: u32, words: usize) = copy::fill(to, value, words);
        fn hsa_amd_interop_map_buffer(count: u32, agents: In<AgentHandle>, dmabuf: i32, flags: u32, size: Out<usize>, address: Out<u64>, metadata_size: Out<usize>, metadata: Out<u64>) = share::map_buffer(count, agents, dmabuf, flags, size, address, metadata_size, metadata);
        fn hsa_amd_interop_unmap_buffer(address: Address) = share::unmap_buffer(address);
        fn hsa_amd_image_create() = stub::no_image_format();
        fn hsa_amd_pointer_info(address: Address, out: Out<PointerInfo>, allocate: Option<extern "C" fn(usize) -> Out<AgentHandle>>, count: Out<u32>, accessible: Out<Out<AgentHandle>>) = memory::info(address, out, allocate, count, accessible);
        fn hsa_amd_pointer_info_set_userdata(address: Address, data: Address) = memory::set_user_data(address, data);
        fn hsa_amd_ipc_memory_create(address: Address, bytes: usize, handle: Out<share::Handle>) = share::create(address, bytes, handle);
        fn hsa_amd_ipc_memory_attach(handle: In<share::Handle>, bytes: usize, count: u32, agents: In<AgentHandle>, out: Out<u64>) = share::attach(handle, bytes, count, agents, out);
        fn hsa_amd_ipc_memory_detach(address: Address) = share::detach(address);
        fn hsa_amd_signal_create(initial: i64, count: u32, consumers: In<AgentHandle>, attributes: u64, out: Out<SignalHandle>) = signal::create_with(initial, count, consumers, attributes, out);
        fn hsa_amd_ipc_signal_create(signal: SignalHandle, handle: Out<share::Handle>) = share::create_signal(signal, handle);
        fn hsa_amd_ipc_signal_attach(handle: In<share::Handle>, out: Out<SignalHandle>) = share::attach_signal(handle, out);
        fn hsa_amd_register_system_event_handler(handler: Option<extern "C" fn(In<MemoryFaultEvent>, Address) -> Status>, data: Address) = event::register(handler, data);
        fn hsa_amd_queue_intercept_create(agent: AgentHandle, packets: u32, kind: u32, on_error: OnError, data: Address, private_bytes: u32, group_bytes: u32, out: Out<QueueHandle>) = queue::create_intercept(agent, packets, kind, on_error, data, private_bytes, group_bytes, out);
        fn hsa_amd_queue_intercept_register(queue: QueueHandle, handler: OnPackets, data: Address) = queue::intercept(queue, handler, data);
        fn hsa_amd_queue_set_priority(queue: QueueHandle, priority: u32) = queue::set_priority(queue, priority);
        fn hsa_amd_memory_async_copy_rect(to: In<PitchedPtr>, to_offset: In<Dim3>, from: In<PitchedPtr>, from_offset: In<Dim3>, range: In<Dim3>, agent: AgentHandle, direction: u32, count: u32, dependencies: In<SignalHandle>, completion: SignalHandle) = copy::rectangle(to, to_offset, from, from_offset, range, agent, direction, count, dependencies, completion);
        fn hsa_amd_runtime_queue_create_register(callback: Option<extern "C" fn(QueueHandle, AgentHandle, Address)>, _data: Address) = queue::on_internal_queue(callback);
        fn hsa_amd_memory_lock_to_pool(host: Address, bytes: usize, agents: In<AgentHandle>, count: i32, pool: MemoryPoolHandle, flags: u32, agent_pointer: Out<u64>) = memory::lock_to_pool(host, bytes, agents, count, pool, flags, agent_pointer);
        fn hsa_amd_register_deallocation_callback(address: Address, callback: Option<extern "C" fn(Address, Address)>, data: Address) = memory::on_deallocation(address, callback, data);
        fn hsa_amd_deregister_deallocation_callback(address: Address, callback: Option<extern "C" fn(Address, Address)>) = memory::remove_on_deallocation(address, callback);
        fn hsa_amd_signal_value_pointer(signal: SignalHandle, out: Out<u64>) = signal::value_pointer(signal, out);
        fn hsa_amd_svm_attributes_set(address: Address, bytes: usize, list: In<SvmAttribute>, count: usize) = svm::set(address, bytes, list, count);
        fn hsa_amd_svm_attributes_get(address: Address, bytes: usize, list: Out<SvmAttribute>, count: usize) = svm::get(address, bytes, list, count);
        fn hsa_amd_svm_prefetch_async(address: Address, bytes: usize, agent: AgentHandle, count: u32, dependencies: In<SignalHandle>, completion: SignalHandle) = svm::prefetch(address, bytes, agent, count, dependencies, completion);
        fn hsa_amd_queue_cu_get_mask(queue: QueueHandle, bits: u32, mask: Out<u32>) = queue::cu_mask(queue, bits, mask);
        // Newer than 5.2.3, in the order in which newer headers have them.
        fn hsa_amd_memory_async_copy_on_engine(to: Address, to_agent: AgentHandle, from: Address, from_agent: AgentHandle, bytes: usize, count: u32, dependencies: In<SignalHandle>, completion: SignalHandle, engine: u32, force: bool) = copy::on_engine(to, to_agent, from, from_agent, bytes, count, dependencies, completion, engine, force);
        fn hsa_amd_memory_copy_engine_status(to_agent: AgentHandle, from_agent: AgentHandle, mask: Out<u32>) = copy::engine_status(to_agent, from_agent, mask);
        fn hsa_amd_spm_acquire() = stub::error();
        fn hsa_amd_spm_release() = stub::error();
        fn hsa_amd_spm_set_dest_buffer() = stub::error();
        fn hsa_amd_portable_export_dmabuf(address: Address, bytes: usize, dmabuf: Out<i32>, offset: Out<u64>) = share::export(address, bytes, dmabuf, offset);
        fn hsa_amd_portable_close_dmabuf(dmabuf: i32) = share::close(dmabuf);
        fn hsa_amd_vmem_address_reserve(out: Out<u64>, bytes: usize, wanted: Address, flags: u64) = virtual_memory::reserve(out, bytes, wanted, flags);
        fn hsa_amd_vmem_address_free(address: Address, bytes: usize) = virtual_memory::free(address, bytes);
        fn hsa_amd_vmem_handle_create(pool: MemoryPoolHandle, bytes: usize, kind: u32, flags: u64, out: Out<u64>) = virtual_memory::create(pool, bytes, kind, flags, out);
        fn hsa_amd_vmem_handle_release(handle: u64) = virtual_memory::release(handle);
        fn hsa_amd_vmem_map(address: Address, bytes: usize, offset: usize, handle: u64, flags: u64) = virtual_memory::map(address, bytes, offset, handle, flags);
        fn hsa_amd_vmem_unmap(address: Address, bytes: usize) = virtual_memory::unmap(address, bytes);
        fn hsa_amd_vmem_set_access(address: Address, bytes: usize, wanted: In<AccessDescription>, count: usize) = virtual_memory::set_access(address, bytes, wanted, count);
        fn hsa_amd_vmem_get_access(address: Address, out: Out<u32>, agent: AgentHandle) = virtual_memory::access(address, out, agent);
        fn hsa_amd_vmem_export_shareable_handle(dmabuf: Out<i32>, handle: u64, flags: u64) = virtual_memory::export(dmabuf, handle, flags);
        fn hsa_amd_vmem_import_shareable_handle(dmabuf: i32, out: Out<u64>) = virtual_memory::import(dmabuf, out);
        fn hsa_amd_vmem_retain_alloc_handle(out: Out<u64>, address: Address) = virtual_memory::retain(out, address);
        fn hsa_amd_vmem_get_alloc_properties_from_handle(handle: u64, pool: Out<MemoryPoolHandle>, kind: Out<u32>) = virtual_memory::properties(handle, pool, kind);
        fn hsa_amd_agent_set_async_scratch_limit(agent: AgentHandle, _bytes: usize) = agent::set_scratch_limit(agent);
        fn hsa_amd_queue_get_info(queue: QueueHandle, attribute: u32, value: Value) = queue::info(queue, attribute, value);
        fn hsa_amd_vmem_address_reserve_align(out: Out<u64>, bytes: usize, wanted: Address, alignment: u64, flags: u64) = virtual_memory::reserve_aligned(out, bytes, wanted, alignment, flags);
        fn hsa_amd_enable_logging() = stub::error();
        fn hsa_amd_signal_wait_all(count: u32, signals: In<SignalHandle>, conditions: In<SignalCondition>, compares: In<i64>, ticks: u64, hint: WaitState, values: Out<i64>) -> u32 = signal::wait_all(count, signals, conditions, compares, ticks, hint, values);
        fn hsa_amd_memory_get_preferred_copy_engine(to_agent: AgentHandle, from_agent: AgentHandle, mask: Out<u32>) = copy::preferred_engines(to_agent, from_agent, mask);
        fn hsa_amd_portable_export_dmabuf_v2(address: Address, bytes: usize, dmabuf: Out<i32>, offset: Out<u64>, flags: u64) = share::export_for(address, bytes, dmabuf, offset, flags);
    }
    finalizer_ext: FinalizerExtTable version 0 {
        fn hsa_ext_program_create() = stub::not_initialized();
        fn hsa_ext_program_destroy() = stub::not_initialized();
        fn hsa_ext_program_add_module() = stub::not_initialized();
        fn hsa_ext_program_iterate_modules() = stub::not_initialized();
        fn hsa_ext_program_get_info() = stub::not_initialized();
        fn hsa_ext_program_finalize() = stub::not_initialized();
    }
    image_ext: ImageExtTable version 1 {
        fn hsa_ext_image_get_capability(agent: AgentHandle, geometry: u32, format: In<CImageFormat>, mask: Out<u32>) = image::capability(agent, geometry, format, mask);
        fn hsa_ext_image_data_get_info(agent: AgentHandle, descriptor: In<CImageDescriptor>, access: u32, out: Out<CImageInfo>) = image::data_info(agent, descriptor, access, out);
        fn hsa_ext_image_create(agent: AgentHandle, descriptor: In<CImageDescriptor>, data: Address, access: u32, out: Out<u64>) = image::create(agent, descriptor, data, access, out);
        fn hsa_ext_image_import(agent: AgentHandle, from: Address, row_pitch: usize, slice_pitch: usize, to: u64, part: In<CImageRegion>) = image::import(agent, from, row_pitch, slice_pitch, to, part);
        fn hsa_ext_image_export(agent: AgentHandle, from: u64, to: Address, row_pitch: usize, slice_pitch: usize, part: In<CImageRegion>) = image::export(agent, from, to, row_pitch, slice_pitch, part);
        fn hsa_ext_image_copy(agent: AgentHandle, from: u64, from_offset: In<Dim3>, to: u64, to_offset: In<Dim3>, range: In<Dim3>) = image::copy(agent, from, from_offset, to, to_offset, range);
        fn hsa_ext_image_clear(agent: AgentHandle, image: u64, colour: In<u32>, part: In<CImageRegion>) = image::clear(agent, image, colour, part);
        fn hsa_ext_image_destroy(agent: AgentHandle, image: u64) = image::destroy(agent, image);
        fn hsa_ext_sampler_create(agent: AgentHandle, descriptor: In<CSampler>, out: Out<u64>) = image::create_sampler(agent, descriptor, out);
        fn hsa_ext_sampler_destroy(agent: AgentHandle, sampler: u64) = image::destroy_sampler(agent, sampler);
        fn hsa_ext_image_get_capability_with_layout(agent: AgentHandle, geometry: u32, format: In<CImageFormat>, layout: u32, mask: Out<u32>) = image::capability_with_layout(agent, geometry, format, layout, mask);
        fn hsa_ext_image_data_get_info_with_layout(agent: AgentHandle, descriptor: In<CImageDescriptor>, access: u32, layout: u32, row_pitch: usize, slice_pitch: usize, out: Out<CImageInfo>) = image::data_info_with_layout(agent, descriptor, access, layout, row_pitch, slice_pitch, out);
        fn hsa_ext_image_create_with_layout(agent: AgentHandle, descriptor: In<CImageDescriptor>, data: Address, access: u32, layout: u32, row_pitch: usize, slice_pitch: usize, out: Out<u64>) = image::create_with_layout(agent, descriptor, data, access, layout, row_pitch, slice_pitch, out);
        // Newer than 5.2.3, in the order in which newer headers have them.
        fn hsa_ext_sampler_create_v2(agent: AgentHandle, descriptor: In<CSamplerV2>, out: Out<u64>) = image::create_sampler_v2(agent, descriptor, out);
    }
    pc_sampling_ext: PcSamplingExtTable version 1 {
        fn hsa_ven_amd_pcs_iterate_configuration() = stub::error();
        fn hsa_ven_amd_pcs_create() = stub::error();
        fn hsa_ven_amd_pcs_create_from_id() = stub::error();
        fn hsa_ven_amd_pcs_destroy() = stub::error();
        fn hsa_ven_amd_pcs_start() = stub::error();
        fn hsa_ven_amd_pcs_stop() = stub::error();
        fn hsa_ven_amd_pcs_flush() = stub::error();
    }
}

#[rustfmt::skip]
direct! {
    fn hsa_amd_image_get_info_max_dim(agent: AgentHandle, attribute: u32, value: Value) = agent::info(agent, attribute, value);
}

#[rustfmt::skip]
aliases! {
    fn hsa_signal_load_acquire(signal: SignalHandle) -> i64 = hsa_signal_load_scacquire(signal);
    fn hsa_signal_store_release(signal: SignalHandle, value: i64) -> () = hsa_signal_store_screlease(signal, value);
    fn hsa_signal_add_acquire(signal: SignalHandle, value: i64) -> () = hsa_signal_add_scacquire(signal, value);
    fn hsa_signal_add_release(signal: SignalHandle, value: i64) -> () = hsa_signal_add_screlease(signal, value);
    fn hsa_signal_add_acq_rel(signal: SignalHandle, value: i64) -> () = hsa_signal_add_scacq_screl(signal, value);
    fn hsa_signal_subtract_acquire(signal: SignalHandle, value: i64) -> () = hsa_signal_subtract_scacquire(signal, value);
    fn hsa_signal_subtract_release(signal: SignalHandle, value: i64) -> () = hsa_signal_subtract_screlease(signal, value);
    fn hsa_signal_subtract_acq_rel(signal: SignalHandle, value: i64) -> () = hsa_signal_subtract_scacq_screl(signal, value);
    fn hsa_signal_and_acquire(signal: SignalHandle, value: i64) -> () = hsa_signal_and_scacquire(signal, value);
    fn hsa_signal_and_release(signal: SignalHandle, value: i64) -> () = hsa_signal_and_screlease(signal, value);
    fn hsa_signal_and_acq_rel(signal: SignalHandle, value: i64) -> () = hsa_signal_and_scacq_screl(signal, value);
    fn hsa_signal_or_acquire(signal: SignalHandle, value: i64) -> () = hsa_signal_or_scacquire(signal, value);
    fn hsa_signal_or_release(signal: SignalHandle, value: i64) -> () = hsa_signal_or_screlease(signal, value);
    fn hsa_signal_or_acq_rel(signal: SignalHandle, value: i64) -> () = hsa_signal_or_scacq_screl(signal, value);
    fn hsa_signal_xor_acquire(signal: SignalHandle, value: i64) -> () = hsa_signal_xor_scacquire(signal, value);
    fn hsa_signal_xor_release(signal: SignalHandle, value: i64) -> () = hsa_signal_xor_screlease(signal, value);
    fn hsa_signal_xor_acq_rel(signal: SignalHandle, value: i64) -> () = hsa_signal_xor_scacq_screl(signal, value);
    fn hsa_signal_exchange_acquire(signal: SignalHandle, value: i64) -> i64 = hsa_signal_exchange_scacquire(signal, value);
    fn hsa_signal_exchange_release(signal: SignalHandle, value: i64) -> i64 = hsa_signal_exchange_screlease(signal, value);
    fn hsa_signal_exchange_acq_rel(signal: SignalHandle, value: i64) -> i64 = hsa_signal_exchange_scacq_screl(signal, value);
    fn hsa_signal_cas_acquire(signal: SignalHandle, expected: i64, value: i64) -> i64 = hsa_signal_cas_scacquire(signal, expected, value);
    fn hsa_signal_cas_release(signal: SignalHandle, expected: i64, value: i64) -> i64 = hsa_signal_cas_screlease(signal, expected, value);
    fn hsa_signal_cas_acq_rel(signal: SignalHandle, expected: i64, value: i64) -> i64 = hsa_signal_cas_scacq_screl(signal, expected, value);
    fn hsa_signal_wait_acquire(signal: SignalHandle, condition: SignalCondition, compare: i64, ticks: u64, hint: WaitState) -> i64 = hsa_signal_wait_scacquire(signal, condition, compare, ticks, hint);
    fn hsa_queue_load_read_index_acquire(queue: QueueHandle) -> u64 = hsa_queue_load_read_index_scacquire(queue);
    fn hsa_queue_load_write_index_acquire(queue: QueueHandle) -> u64 = hsa_queue_load_write_index_scacquire(queue);
    fn hsa_queue_store_read_index_release(queue: QueueHandle, value: u64) -> () = hsa_queue_store_read_index_screlease(queue, value);
    fn hsa_queue_store_write_index_release(queue: QueueHandle, value: u64) -> () = hsa_queue_store_write_index_screlease(queue, value);
    fn hsa_queue_add_write_index_acquire(queue: QueueHandle, count: u64) -> u64 = hsa_queue_add_write_index_scacquire(queue, count);
    fn hsa_queue_add_write_index_release(queue: QueueHandle, count: u64) -> u64 = hsa_queue_add_write_index_screlease(queue, count);
    fn hsa_queue_add_write_index_acq_rel(queue: QueueHandle, count: u64) -> u64 = hsa_queue_add_write_index_scacq_screl(queue, count);
    fn hsa_queue_cas_write_index_acquire(queue: QueueHandle, expected: u64, value: u64) -> u64 = hsa_queue_cas_write_index_scacquire(queue, expected, value);
    fn hsa_queue_cas_write_index_release(queue: QueueHandle, expected: u64, value: u64) -> u64 = hsa_queue_cas_write_index_screlease(queue, expected, value);
    fn hsa_queue_cas_write_index_acq_rel(queue: QueueHandle, expected: u64, value: u64) -> u64 = hsa_queue_cas_write_index_scacq_screl(queue, expected, value);
}
