//! The page: blocks by layer, numbered steps, aligned fields; plain text, with a little weight on a terminal.

use super::counters;
use super::step::{self, Step};
use crate::observe::Fields;
use std::fmt::Write as _;
use std::io::Write as _;

/// After this many events of one kind the page only counts them: a story is not a log.
const MOST_OF_A_KIND: u64 = 40;
const WIDTH: usize = 100;
const INDENT: &str = "      ";

/// What was printed so far.
pub struct Page {
    colour: bool,
    /// Print everything, and not only counters.
    story: bool,
    layer: &'static str,
    last: String,
    number: u32,
    counts: Vec<(String, u64)>,
    ended: bool,
}

impl Page {
    /// An empty page.
    pub fn new(colour: bool, story: bool) -> Self {
        Self { colour, story, layer: "", last: String::new(), number: 0, counts: Vec::new(), ended: false }
    }

    /// Prints an event.
    pub fn event(&mut self, fields: &Fields) {
        let text = self.render(fields);
        if !text.is_empty() {
            let _ = std::io::stderr().lock().write_all(text.as_bytes());
        }
    }

    fn render(&mut self, fields: &Fields) -> String {
        if fields.step == "end" {
            return self.end();
        }
        if !self.story {
            return self.counters_alone(fields);
        }
        let count = self.count(&fields.step);
        if count > MOST_OF_A_KIND {
            return String::new();
        }
        let known = step::of(&fields.step);
        let layer = known.map_or("", |step| step.layer);
        let mut text = String::new();
        if self.number == 0 {
            text.push_str(
                &self.heading("The story of this run: each layer tells what it does, as it does it."),
            );
        }
        if layer != self.layer || self.number == 0 {
            text.push_str(&self.block_head(layer));
            self.layer = layer;
            self.last.clear();
        }
        let one_line = known.is_some_and(|step| step.one_line);
        if !one_line || self.last != fields.step {
            self.number += 1;
            let title = known.map_or(fields.step.as_str(), |step| step.title);
            let _ = writeln!(text, "{:>4}  {}", self.number, self.strong(title));
            if fields.step == counters::STEP {
                let _ = writeln!(text, "{INDENT}{}", self.faint(&counters::head()));
            }
        }
        self.last.clone_from(&fields.step);
        match known {
            _ if fields.step == counters::STEP => {
                let _ = writeln!(text, "{INDENT}{}", counters::line(fields));
            }
            Some(step) if step.one_line => text.push_str(&self.line(step, fields)),
            _ => text.push_str(&self.table(fields)),
        }
        if count == MOST_OF_A_KIND {
            let _ = writeln!(
                text,
                "{INDENT}{}",
                self.faint("… and more of these, which are only counted from here on")
            );
        }
        text
    }

    /// Lines of dispatches under one head.
    fn counters_alone(&mut self, fields: &Fields) -> String {
        if fields.step != counters::STEP {
            return String::new();
        }
        let head = if self.last.is_empty() { self.faint(&counters::head()) + "\n" } else { String::new() };
        self.last.clone_from(&fields.step);
        format!("{head}{}\n", counters::line(fields))
    }

    fn count(&mut self, name: &str) -> u64 {
        match self.counts.iter_mut().find(|(of, _)| of == name) {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                self.counts.push((name.to_owned(), 1));
                1
            }
        }
    }

    /// Name, detail and result, in columns.
    fn line(&self, step: &Step, fields: &Fields) -> String {
        let mut text = INDENT.to_owned();
        if step.name == "ioctl" {
            let name = fields.get("name").trim_start_matches("AMDKFD_IOC_");
            let result = fields.get("result");
            let _ = write!(text, "{name:<26}{}", fields.get("detail"));
            if !matches!(result, "" | "ok" | "Ok" | "0" | "Ok(())") {
                let _ = write!(text, "  → {result}");
            }
        } else {
            let values: Vec<_> =
                fields.values.iter().map(|(name, value)| format!("{name} {value}")).collect();
            text.push_str(&values.join(", "));
        }
        let mut cut: String = text.trim_end().chars().take(WIDTH).collect();
        cut.push('\n');
        cut
    }

    fn table(&self, fields: &Fields) -> String {
        let label = |name: &str| step::label(&fields.step, name);
        let widest = fields.values.iter().map(|(name, _)| label(name).len()).max().unwrap_or(0);
        let mut text = String::new();
        for (name, value) in &fields.values {
            if value.is_empty() {
                continue;
            }
            let label = format!("{:<widest$}", label(name));
            let lines: Vec<&str> = match *name {
                "entries" => value.split(',').map(str::trim).collect(),
                "rejected" => value.split(';').map(str::trim).collect(),
                _ => vec![value],
            };
            for (at, line) in lines.into_iter().enumerate() {
                let label = if at == 0 { self.faint(&label) } else { " ".repeat(widest) };
                let _ = writeln!(text, "{INDENT}{label}  {line}");
            }
        }
        text
    }

    fn block_head(&self, layer: &str) -> String {
        let what = step::layer(layer);
        let name = if what.is_empty() { layer.to_owned() } else { format!("{layer} · {what}") };
        let rule = "─".repeat(WIDTH.saturating_sub(name.chars().count() + 4));
        format!("\n{}\n", self.strong(&format!("── {name} {rule}")))
    }

    fn heading(&self, text: &str) -> String {
        format!("\n{}\n", self.strong(text))
    }

    fn end(&mut self) -> String {
        if self.ended || self.number == 0 {
            return String::new();
        }
        self.ended = true;
        let mut text = format!("\n{}\n", self.strong(&format!("── in all {}", "─".repeat(WIDTH - 10))));
        for step in step::STEPS {
            if let Some((_, count)) = self.counts.iter().find(|(name, _)| name == step.name) {
                let count = step::number("count", *count);
                let _ = writeln!(text, "{count:>10} × {:<12}{}", step.layer, step.title);
            }
        }
        text.push('\n');
        text
    }

    fn strong(&self, text: &str) -> String {
        if self.colour { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn faint(&self, text: &str) -> String {
        if self.colour { format!("\x1b[2m{text}\x1b[0m") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(step: &str, values: &[(&'static str, &str)]) -> Fields {
        Fields {
            step: step.to_owned(),
            values: values.iter().map(|(name, value)| (*name, (*value).to_owned())).collect(),
            numbers: Vec::new(),
        }
    }

    #[test]
    fn a_story_has_blocks_numbers_and_an_end() {
        let mut page = Page::new(false, true);
        let mut text =
            page.render(&fields("fatbin.registered", &[("section", ".hip_fatbin"), ("magic", "HIPF")]));
        text += &page.render(&fields(
            "ioctl",
            &[("name", "AMDKFD_IOC_GET_VERSION"), ("detail", "1.14"), ("result", "ok")],
        ));
        text += &page.render(&fields("ioctl", &[("name", "AMDKFD_IOC_ACQUIRE_VM"), ("result", "EINVAL")]));
        text += &page.render(&fields("bundle.recognised", &[("kind", "raw"), ("entries", "host, gfx90a")]));
        text += &page.render(&fields("end", &[]));
        for line in [
            "── hip-rt · HIP runtime ──",
            "   1  the program registers a fat binary, before main\n      section  .hip_fatbin\n      magic    HIPF\n",
            "   2  calls to the kernel driver (KFD)\n      GET_VERSION               1.14\n      ACQUIRE_VM                  → EINVAL\n",
            "   3  the fat binary is a bundle of code for several GPUs\n      kind     raw\n      entries  host\n               gfx90a\n",
            "         2 × thunk-rs    calls to the kernel driver (KFD)\n",
        ] {
            assert!(text.contains(line), "{line:?} in\n{text}");
        }
        assert!(!text.contains('\x1b'));
        assert_eq!(page.render(&fields("end", &[])), "");
    }

    #[test]
    fn many_events_of_a_kind_are_counted_and_not_printed() {
        let mut page = Page::new(false, true);
        let launches: String =
            (0..1000).map(|_| page.render(&fields("launch", &[("kernel", "k")]))).collect();
        assert_eq!(launches.matches("launches a kernel").count(), MOST_OF_A_KIND as usize);
        assert!(page.end().contains("     1,000 × hip-rt      the program launches a kernel"));
    }

    #[test]
    fn dispatches_in_a_row_stand_under_one_head() {
        let done = fields("dispatch.done", &[("kernel", "k")]);
        let mut page = Page::new(false, true);
        let told: String = (0..3).map(|_| page.render(&done)).collect();
        assert_eq!(told.matches("   1  the kernel has run\n      kernel ").count(), 1, "{told}");
        assert_eq!(told.matches("\n      k  ").count(), 3, "{told}");

        let mut page = Page::new(false, false);
        let told: String = [&fields("launch", &[]), &done, &fields("ioctl", &[]), &done, &fields("end", &[])]
            .into_iter()
            .map(|fields| page.render(fields))
            .collect();
        assert_eq!(told.lines().count(), 3, "a head and two lines:\n{told}");
    }
}
