//! Metadata as YAML text, to the byte as `llvm-readelf --notes` prints it.
//! Answers to LLVM's `MsgPackDocumentYAML.cpp` for what is printed, to the class `Output` of `YAMLTraits.cpp` for where.
//!
//! LLVM prints nothing for MessagePack that it does not read: binary and extension values, a key that stands twice, keys
//! that are arrays or maps. Here these are errors.

mod scalar;
mod tape;

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::path::Path;
use super::reader::{Reader, Token};
use crate::{CodeObject, Error};
use scalar::Scalar;
use tape::{Item, Tape};

/// The metadata of a note as YAML, from `---` to `...`; `offset` is the note's place in the file, for errors.
pub fn yaml(desc: &[u8], offset: u64) -> Result<String, Error> {
    let tape = Tape::read(Reader::new(desc, offset))?;
    let path = Path::Root(offset);
    if let Item::Scalar(root) = tape.item(0) {
        return Err(path.bad(root.describe(), "a map or an array"));
    }
    let limit = desc.len().saturating_mul(MOST_RATIO).saturating_add(LEAST_LIMIT);
    let mut text = String::with_capacity(desc.len().saturating_mul(USUAL_RATIO));
    text.push_str("---");
    let mut writer = Writer { tape: &tape, text, padding: Padding::Line, levels: Vec::new(), limit };
    writer.node(0, &path)?;
    writer.text.push_str("\n...\n");
    Ok(writer.text)
}

impl CodeObject<'_> {
    /// The metadata as YAML, to the byte as `llvm-readelf --notes` prints it; that of code objects v2 is YAML already.
    pub fn metadata_yaml(&self) -> Result<String, Error> {
        if let Some(text) = self.metadata_text()? {
            return Ok(format!("{}\n", text.trim_end_matches('\n')));
        }
        let note = self.metadata_note()?;
        yaml(note.desc, note.desc_offset)
    }
}

/// What goes before the next piece of text.
enum Padding {
    /// A new line, indented and dashed as the levels say.
    Line,
    /// Spaces: a value behind its key.
    Spaces(usize),
}

/// Where we are in a container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    FirstElement,
    OtherElement,
    FirstKey,
    OtherKey,
}

/// Values start at least this far right of their key.
const VALUE_COLUMN: usize = 16;

/// A byte of MessagePack becomes at most so many of YAML, apart from the first [`LEAST_LIMIT`]. That of compilers becomes
/// two or three; nothing but crafted metadata has many short values far to the right.
const MOST_RATIO: usize = 8;
/// What is set aside at first, so that the text of most metadata is never moved.
const USUAL_RATIO: usize = 2;
const LEAST_LIMIT: usize = 1 << 16;

struct Writer<'t> {
    tape: &'t Tape<'t>,
    text: String,
    /// The most bytes of text.
    limit: usize,
    padding: Padding,
    levels: Vec<Level>,
}

impl<'t> Writer<'t> {
    /// Writes what stands at `at` of the tape.
    fn node(&mut self, at: usize, path: &Path<'_>) -> Result<(), Error> {
        if self.text.len() > self.limit {
            return Err(path.bad(
                "so deep that most of it is indentation",
                "metadata whose YAML is eight times as long at most",
            ));
        }
        match self.tape.item(at) {
            Item::Map { count, .. } => self.map(at, count, path),
            Item::Array { count, .. } => self.array(at, count, path),
            Item::Scalar(token) => {
                let scalar = Scalar::new(token, path)?;
                self.start(false);
                if let Some(tag) = scalar.tag() {
                    self.text.push_str(tag);
                    self.text.push(' ');
                }
                scalar.write(&mut self.text, scalar.quotes());
                self.padding = Padding::Line;
                Ok(())
            }
        }
    }

    fn map(&mut self, at: usize, count: usize, path: &Path<'_>) -> Result<(), Error> {
        self.levels.push(Level::FirstKey);
        if count == 0 {
            self.start(false);
            self.text.push_str("{}");
        } else {
            self.padding = Padding::Line;
            if self.is_sorted(at, count, path)? {
                let mut key = at + 1;
                for _ in 0..count {
                    self.pair(key, path)?;
                    key = self.tape.after(key + 1);
                }
            } else {
                for key in self.sorted_keys(at, count, path)? {
                    self.pair(key, path)?;
                }
            }
        }
        self.levels.pop();
        self.padding = Padding::Line;
        Ok(())
    }

    /// The keys of a map stand in the order in which LLVM prints them, each once: so it is in what LLVM wrote.
    fn is_sorted(&self, at: usize, count: usize, path: &Path<'_>) -> Result<bool, Error> {
        let mut key = at + 1;
        let mut last = self.key(key, path)?;
        for _ in 1..count {
            // A key that is a container is refused above, so that its value stands right behind it.
            key = self.tape.after(key + 1);
            let next = self.key(key, path)?;
            if last.cmp_as_key(&next) != Ordering::Less {
                return Ok(false);
            }
            last = next;
        }
        Ok(true)
    }

    /// The places of the keys of a map, in the order in which LLVM prints them.
    fn sorted_keys(&self, at: usize, count: usize, path: &Path<'_>) -> Result<Vec<usize>, Error> {
        let mut keys = Vec::with_capacity(count);
        let mut place = at + 1;
        for _ in 0..count {
            keys.push((self.key(place, path)?, place));
            place = self.tape.after(place + 1);
        }
        keys.sort_by(|(a, _), (b, _)| a.cmp_as_key(b));
        let twice = keys.windows(2).find(|pair| pair[0].0.cmp_as_key(&pair[1].0) == Ordering::Equal);
        match twice {
            Some(pair) => Err(path.key(&pair[0].0.to_lossy()).bad("there twice", "a key once")),
            None => Ok(keys.into_iter().map(|(_, place)| place).collect()),
        }
    }

    fn key(&self, at: usize, path: &Path<'_>) -> Result<Scalar<'t>, Error> {
        Scalar::new(self.tape.item(at).token(), path)
    }

    /// Writes the key at `at` and the value behind it.
    fn pair(&mut self, at: usize, path: &Path<'_>) -> Result<(), Error> {
        let key = self.key(at, path)?;
        let name = match self.tape.item(at) {
            Item::Scalar(Token::Str(name)) => Cow::Borrowed(name),
            _ => Cow::Owned(key.to_lossy()),
        };
        self.start(false);
        let length = key.write_key(&mut self.text);
        self.text.push(':');
        self.padding = Padding::Spaces(VALUE_COLUMN.saturating_sub(length).max(1));
        self.node(at + 1, &path.key(&name))?;
        self.set_level(Level::OtherKey);
        Ok(())
    }

    fn array(&mut self, at: usize, count: usize, path: &Path<'_>) -> Result<(), Error> {
        self.levels.push(Level::FirstElement);
        if count == 0 {
            self.start(true);
            self.text.push_str("[]");
        } else {
            self.padding = Padding::Line;
            let mut item = at + 1;
            for index in 0..count {
                self.node(item, &Path::Index(path, index))?;
                self.set_level(Level::OtherElement);
                item = self.tape.after(item);
            }
        }
        self.levels.pop();
        self.padding = Padding::Line;
        Ok(())
    }

    fn set_level(&mut self, level: Level) {
        if let Some(last) = self.levels.last_mut() {
            *last = level;
        }
    }

    /// Goes to where the next piece of text stands. An empty array that starts a line gets no indent: LLVM has it so.
    fn start(&mut self, empty_array: bool) {
        match core::mem::replace(&mut self.padding, Padding::Spaces(0)) {
            Padding::Spaces(count) => self.spaces(count),
            Padding::Line => {
                self.text.push('\n');
                if !empty_array {
                    self.indent();
                }
            }
        }
    }

    fn spaces(&mut self, mut count: usize) {
        const SPACES: &str = "                                ";
        while count != 0 {
            let some = count.min(SPACES.len());
            self.text.push_str(&SPACES[..some]);
            count -= some;
        }
    }

    /// Two columns a level, a dash before what starts an element. An array that is itself an element gets no dash of its
    /// own, so that no YAML reader could tell how deep it is: LLVM 19 has it so.
    fn indent(&mut self) {
        let depth = self.levels.len().saturating_sub(1);
        let (depth, dash) = match self.levels[..] {
            [.., Level::FirstElement | Level::OtherElement] => (depth, true),
            [.., Level::FirstElement | Level::OtherElement, Level::FirstKey] => {
                (depth.saturating_sub(1), true)
            }
            _ => (depth, false),
        };
        self.spaces(2 * depth);
        if dash {
            self.text.push_str("- ");
        }
    }
}
