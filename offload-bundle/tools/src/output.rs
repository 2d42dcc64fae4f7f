//! Printing: tables that line up for people, JSON for machines, and numbers as people read them.

use std::borrow::Cow;
use std::io::Write;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde::Serialize;

use crate::Error;

/// Standard output, buffered. A tool that writes through it hears of a closed pipe as an error, not as a panic.
#[derive(Debug)]
pub struct Output(std::io::BufWriter<std::io::Stdout>);

impl Default for Output {
    fn default() -> Output {
        Output(std::io::BufWriter::new(std::io::stdout()))
    }
}

impl Output {
    /// One line of text.
    pub fn line(&mut self, text: impl std::fmt::Display) -> Result<(), Error> {
        writeln!(self.0, "{text}").map_err(Error::Output)
    }

    /// A value as JSON, indented.
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), Error> {
        serde_json::to_writer_pretty(&mut self.0, value).map_err(|error| Error::Output(error.into()))?;
        self.line("")
    }

    /// Bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.0.write_all(bytes).map_err(Error::Output)
    }

    /// Hands everything to the system. What is left over at the end of a program is lost.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.0.flush().map_err(Error::Output)
    }
}

/// An array of JSON whose elements are written as they come: none of them is kept.
#[derive(Debug, Default)]
pub struct JsonArray {
    count: usize,
}

impl JsonArray {
    /// Writes an element.
    pub fn push(&mut self, out: &mut Output, value: &impl Serialize) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(value).map_err(|error| Error::Output(error.into()))?;
        out.bytes(if self.count == 0 { b"[\n" } else { b",\n" })?;
        self.count += 1;
        for (index, line) in text.lines().enumerate() {
            let start = if index == 0 { "  " } else { "\n  " };
            out.bytes(start.as_bytes())?;
            out.bytes(line.as_bytes())?;
        }
        Ok(())
    }

    /// Writes the end, of an empty array the start as well.
    pub fn end(self, out: &mut Output) -> Result<(), Error> {
        out.line(if self.count == 0 { "[]" } else { "\n]" })
    }
}

/// Rows under a header, columns two spaces apart; columns of numbers (named in `right`) stand at their right edge.
pub fn table(header: &[&str], right: &[usize], rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.iter().copied());
    table.add_rows(rows);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if right.contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Text from a file as it may go to a terminal: control characters are escaped, so that it stays one line and no command.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.contains(char::is_control) { text.escape_debug().collect() } else { Cow::Borrowed(text) }
}

/// A number of bytes for people: "512 B", "37.5 MiB".
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut value = count as f64 / 1024.0;
    if value < 1.0 {
        return format!("{count} B");
    }
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_well() {
        for (count, text) in
            [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (39_321_600, "37.5 MiB"), (1 << 30, "1.0 GiB")]
        {
            assert_eq!(bytes(count), text);
        }
    }

    #[test]
    fn columns_line_up() {
        let rows = [vec!["a".to_owned(), "7".to_owned()], vec!["long".to_owned(), "1234".to_owned()]];
        let text = table(&["name", "size"], &[1], rows).trim_fmt();
        assert_eq!(text, "name  size\na        7\nlong  1234");
    }
}
