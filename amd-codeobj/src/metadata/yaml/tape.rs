//! A document as a tape: its items in the order of the file in one allocation, each container with the place behind it.
//! Printing reads most documents straight through, so a tree of small allocations would cost more than the printing.

use alloc::vec::Vec;

use super::super::reader::{Reader, Token};
use crate::Error;

/// A value, or the head of a container whose items follow it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Item<'a> {
    /// Never the head of a container.
    Scalar(Token<'a>),
    Array {
        count: usize,
        /// The place behind its last item.
        end: usize,
    },
    /// `count` pairs: each a key and its value.
    Map { count: usize, end: usize },
}

impl<'a> Item<'a> {
    /// As the reader had it.
    pub(super) fn token(self) -> Token<'a> {
        match self {
            Item::Scalar(token) => token,
            Item::Array { count, .. } => Token::Array(count),
            Item::Map { count, .. } => Token::Map(count),
        }
    }
}

/// The items of one document; the root stands at 0.
pub(super) struct Tape<'a>(Vec<Item<'a>>);

impl<'a> Tape<'a> {
    /// Reads a whole document.
    pub(super) fn read(mut reader: Reader<'a>) -> Result<Tape<'a>, Error> {
        let mut items = Vec::with_capacity(reader.capacity(usize::MAX, USUAL_BYTES));
        /// A container that is open: where its head stands, and how many items it still wants.
        struct Open {
            head: usize,
            left: usize,
        }
        let mut open: Vec<Open> = Vec::new();
        loop {
            let head = items.len();
            if head == items.capacity() {
                // Twice as much, but never more than there are bytes for: each item takes one at least.
                items.reserve_exact(reader.capacity(head, 1).max(1));
            }
            let left = match reader.token_within(open.len())? {
                Token::Array(count) => {
                    items.push(Item::Array { count, end: 0 });
                    count
                }
                Token::Map(count) => {
                    items.push(Item::Map { count, end: 0 });
                    // The reader has seen that there are as many bytes left.
                    2 * count
                }
                scalar => {
                    items.push(Item::Scalar(scalar));
                    0
                }
            };
            open.push(Open { head, left });
            while let Some(last) = open.last_mut() {
                if last.left != 0 {
                    last.left -= 1;
                    break;
                }
                let here = items.len();
                if let Item::Array { end, .. } | Item::Map { end, .. } = &mut items[last.head] {
                    *end = here;
                }
                open.pop();
            }
            if open.is_empty() {
                return Ok(Tape(items));
            }
        }
    }

    pub(super) fn item(&self, at: usize) -> Item<'a> {
        self.0[at]
    }

    /// The place behind the item at `at` and all that it holds.
    pub(super) fn after(&self, at: usize) -> usize {
        match self.0[at] {
            Item::Scalar(_) => at + 1,
            Item::Array { end, .. } | Item::Map { end, .. } => end,
        }
    }
}

/// An item of what compilers write takes about so many bytes in the file.
const USUAL_BYTES: usize = 8;
