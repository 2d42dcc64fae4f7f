//! How a body in `api/` becomes a C symbol: arguments as they come, panics caught, the thread's last error kept.

#![allow(unsafe_code, reason = "exports C symbols by name")]

use crate::{state, tls};
use hip_sys::hipError_t;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the body of a call that returns `hipError_t`. A defect of ours does not end the program that calls us.
pub fn call(name: &'static str, body: impl FnOnce() -> Result<(), hipError_t>) -> hipError_t {
    let result = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => hipError_t::SUCCESS,
        Ok(Err(error)) => error,
        Err(panic) => defect(name, &*panic),
    };
    tls::set_last_result(result);
    result
}

/// Runs the body of a call that returns something else; `T::default()` stands in when it fails by a defect of ours.
pub fn call_plain<T: Fallback>(name: &'static str, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let _ = defect(name, &*panic);
        T::fallback()
    })
}

fn defect(name: &'static str, panic: &(dyn std::any::Any + Send)) -> hipError_t {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    crate::error::report(format_args!("{name}: a defect of this library: {text}"));
    hipError_t::UNKNOWN
}

/// The body of a call that is not implemented: says so once, and gives the API's own answer.
pub fn not_supported(name: &'static str) -> hipError_t {
    if state::state().first_call_of_stub(name) {
        crate::error::report(format_args!("{name} is not implemented: hipErrorNotSupported"));
    }
    tls::set_last_result(hipError_t::NOT_SUPPORTED);
    hipError_t::NOT_SUPPORTED
}

/// What a call that returns no `hipError_t` returns when it cannot do its work.
pub trait Fallback {
    /// That value.
    fn fallback() -> Self;
}

impl Fallback for () {
    fn fallback() -> Self {}
}
impl Fallback for hipError_t {
    fn fallback() -> Self {
        Self::UNKNOWN
    }
}
impl<T> Fallback for *const T {
    fn fallback() -> Self {
        std::ptr::null()
    }
}
impl<T> Fallback for *mut T {
    fn fallback() -> Self {
        std::ptr::null_mut()
    }
}
impl Fallback for i32 {
    fn fallback() -> Self {
        -1
    }
}
impl Fallback for f32 {
    fn fallback() -> Self {
        f32::NAN
    }
}
impl Fallback for u16 {
    fn fallback() -> Self {
        0x7e00
    }
}

/// Declares the exported functions: `fn name(arguments) = body;` returns `hipError_t` and keeps the last error;
/// `fn name(arguments) -> T = body;` returns what the body returns.
macro_rules! c_surface {
    ($($noun:ident {
        $(fn $name:ident($($arg:ident: $ty:ty),*) $(-> $result:ty)? = $body:ident;)*
    })*) => {
        $($($crate::export::c_function!($noun $name($($arg: $ty),*) [$($result)?] $body);)*)*

        /// The names that this library implements.
        pub const IMPLEMENTED: &[&str] = &[$($(stringify!($name),)*)*];
    };
}

/// One row of [`c_surface`].
macro_rules! c_function {
    ($noun:ident $name:ident($($arg:ident: $ty:ty),*) [] $body:ident) => {
        #[doc = concat!("`", stringify!($name), "`")]
        #[allow(unsafe_code, reason = "a C symbol of this name, which nothing else defines")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: $ty),*) -> hipError_t {
            let heard = $crate::observe::Call::begin(stringify!($name), &[$((stringify!($arg), &$arg)),*]);
            let result = $crate::export::call(stringify!($name), move || $crate::api::$noun::$body($($arg),*));
            $crate::observe::Call::end(heard, &result);
            result
        }
    };
    ($noun:ident $name:ident($($arg:ident: $ty:ty),*) [$result:ty] $body:ident) => {
        #[doc = concat!("`", stringify!($name), "`")]
        #[allow(unsafe_code, reason = "a C symbol of this name, which nothing else defines")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: $ty),*) -> $result {
            let heard = $crate::observe::Call::begin(stringify!($name), &[$((stringify!($arg), &$arg)),*]);
            let result = $crate::export::call_plain(stringify!($name), move || $crate::api::$noun::$body($($arg),*));
            $crate::observe::Call::end(heard, &result);
            result
        }
    };
}

/// Declares the stubs.
macro_rules! stubs {
    ($($name:ident)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`")]
            #[allow(unsafe_code, reason = "a C symbol of this name, which nothing else defines")]
            #[unsafe(no_mangle)]
            pub extern "C" fn $name() -> hip_sys::hipError_t {
                $crate::export::not_supported(stringify!($name))
            }
        )*

        /// The names that are exported and not implemented.
        pub const NOT_IMPLEMENTED: &[&str] = &[$(stringify!($name)),*];
    };
}

pub(crate) use {c_function, c_surface, stubs};
