//! Metadata as YAML text, to the byte as `llvm-readelf --notes` prints it.
//! Answers to LLVM's `MsgPackDocumentYAML.cpp` for what is printed, to the class `Output` of `YAMLTraits.cpp` for where.
//!
//! LLVM prints nothing for MessagePack that it does not read: binary and extension values, a key that stands twice, keys
//! that are arrays or maps. Here these are errors.

mod scalar;

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::path::Path;
use super::reader::{Build, Reader, Token};
use crate::{CodeObject, Error};
use scalar::Scalar;

/// The metadata of a note as YAML, from `---` to `...`; `offset` is the note's place in the file, for errors.
pub fn yaml(desc: &[u8], offset: u64) -> Result<String, Error> {
    let root: Node<'_> = Reader::new(desc, offset).value()?;
    let path = Path::Root(offset);
    if let Node::Scalar(_) = root {
        return Err(path.bad(root.token().describe(), "a map or an array"));
    }
    let limit = desc.len().saturating_mul(MOST_RATIO).saturating_add(LEAST_LIMIT);
    let mut text = String::with_capacity(desc.len().saturating_mul(USUAL_RATIO));
    text.push_str("---");
    let mut writer = Writer { text, padding: Padding::Line, levels: Vec::new(), limit };
    writer.node(&root, &path)?;
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

/// A value that borrows its text: metadata is printed without a copy of each of its strings.
enum Node<'a> {
    Scalar(Token<'a>),
    Array(Vec<Node<'a>>),
    Map(Vec<(Node<'a>, Node<'a>)>),
}

impl<'a> Node<'a> {
    /// It, or its head.
    fn token(&self) -> Token<'a> {
        match self {
            Node::Scalar(token) => *token,
            Node::Array(items) => Token::Array(items.len()),
            Node::Map(pairs) => Token::Map(pairs.len()),
        }
    }
}

impl<'a> Build<'a> for Node<'a> {
    fn scalar(token: Token<'a>) -> Node<'a> {
        Node::Scalar(token)
    }

    fn array(items: Vec<Node<'a>>) -> Node<'a> {
        Node::Array(items)
    }

    fn map(pairs: Vec<(Node<'a>, Node<'a>)>) -> Node<'a> {
        Node::Map(pairs)
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

struct Writer {
    text: String,
    /// The most bytes of text.
    limit: usize,
    padding: Padding,
    levels: Vec<Level>,
}

impl Writer {
    fn node(&mut self, value: &Node<'_>, path: &Path<'_>) -> Result<(), Error> {
        if self.text.len() > self.limit {
            return Err(path.bad(
                "so deep that most of it is indentation",
                "metadata whose YAML is eight times as long at most",
            ));
        }
        match value {
            Node::Map(pairs) => self.map(pairs, path),
            Node::Array(items) => self.array(items, path),
            Node::Scalar(token) => {
                let scalar = Scalar::new(*token, path)?;
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

    fn map<'n>(&mut self, pairs: &'n [(Node<'n>, Node<'n>)], path: &Path<'_>) -> Result<(), Error> {
        let keyed = |(key, value): &'n (Node<'n>, Node<'n>)| {
            let scalar = Scalar::new(key.token(), path)?;
            let name = match key.token() {
                Token::Str(name) => Cow::Borrowed(name),
                _ => Cow::Owned(scalar.to_lossy()),
            };
            Ok((scalar, name, value))
        };
        let mut pairs = pairs.iter().map(keyed).collect::<Result<Vec<_>, Error>>()?;
        pairs.sort_by(|(a, ..), (b, ..)| a.cmp_as_key(b));
        let twice = pairs.windows(2).find(|pair| pair[0].0.cmp_as_key(&pair[1].0) == Ordering::Equal);
        if let Some(pair) = twice {
            return Err(path.key(&pair[0].1).bad("there twice", "a key once"));
        }
        if pairs.is_empty() {
            self.levels.push(Level::FirstKey);
            self.start(false);
            self.text.push_str("{}");
        } else {
            self.padding = Padding::Line;
            self.levels.push(Level::FirstKey);
            for (key, name, value) in &pairs {
                self.start(false);
                let length = key.write_key(&mut self.text);
                self.text.push(':');
                self.padding = Padding::Spaces(VALUE_COLUMN.saturating_sub(length).max(1));
                self.node(value, &path.key(name))?;
                self.set_level(Level::OtherKey);
            }
        }
        self.levels.pop();
        self.padding = Padding::Line;
        Ok(())
    }

    fn array(&mut self, items: &[Node<'_>], path: &Path<'_>) -> Result<(), Error> {
        self.levels.push(Level::FirstElement);
        if items.is_empty() {
            self.start(true);
            self.text.push_str("[]");
        } else {
            self.padding = Padding::Line;
            for (index, item) in items.iter().enumerate() {
                self.node(item, &Path::Index(path, index))?;
                self.set_level(Level::OtherElement);
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
