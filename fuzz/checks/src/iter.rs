//! Fallible iterators: they end, and after an error nothing comes.

/// Reads an iterator to its end. At most `most` items may come, nothing after an error, and nothing after the end.
pub fn drain<T, E: std::fmt::Display>(
    what: &str,
    most: usize,
    mut items: impl Iterator<Item = Result<T, E>>,
    mut each: impl FnMut(T),
) -> bool {
    let mut good = true;
    let mut count = 0;
    for item in items.by_ref() {
        count += 1;
        assert!(count <= most, "{what}: more than {most} items");
        assert!(good, "{what}: an item after an error");
        match item {
            Ok(item) => each(item),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                good = false;
            }
        }
    }
    assert!(items.next().is_none(), "{what}: an item after the end");
    good
}
