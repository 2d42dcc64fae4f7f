//! Tables of bad input: what is spoilt in a good file, and the very error that it gives.

use std::fmt::{Debug, Display};

use crate::patch;

/// What is wrong with the input, the input, the error.
pub type Row<E> = (String, Vec<u8>, E);

/// A row whose input is a good file with other bytes at an offset.
pub fn row<E>(name: &str, good: &[u8], at: usize, bytes: &[u8], error: E) -> Row<E> {
    (name.to_owned(), patch(good, at, bytes), error)
}

/// Reads every row's input and compares the errors. Panics with all rows that differ.
pub fn check<T: Debug, E: Debug + Display + PartialEq>(
    rows: Vec<Row<E>>,
    read: impl Fn(&[u8]) -> Result<T, E>,
) {
    let mut wrong = String::new();
    for (name, input, expected) in rows {
        match read(&input) {
            Err(error) if error == expected => assert!(!error.to_string().is_empty()),
            other => wrong += &format!("{name}\n    expected {expected:?}\n    found    {other:?}\n"),
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
