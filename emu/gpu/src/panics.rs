//! Faults of the emulator itself: they end what met them, with an error on the path that hardware's errors take, and
//! neither the host process nor a thread that others wait for.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Does some work; a panic in it becomes its text.
pub(crate) fn caught<R>(work: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text");
        format!("a fault of the emulator, please report it: {text}")
    })
}

#[cfg(test)]
mod tests {
    use super::caught;

    #[test]
    fn a_panic_is_an_error_with_its_text() {
        assert_eq!(caught(|| 5), Ok(5));
        let text = caught(|| panic!("register {} is not there", 600)).unwrap_err();
        assert!(text.ends_with("register 600 is not there"), "{text}");
        let text = caught(|| panic!("plain")).unwrap_err();
        assert!(text.ends_with("plain"), "{text}");
    }
}
