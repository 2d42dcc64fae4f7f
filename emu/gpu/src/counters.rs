//! What one dispatch did: counted by the waves ([`amdgpu_isa::run_counted`]), named by the code object in memory, told as
//! a `tracing` event.
//!
//! A dispatch is counted if, when it starts, the device was made with [`crate::Options::counters`] or a subscriber listens
//! to `story` events; otherwise its waves run as if there were no counters.

use std::time::Duration;

use amdgpu_isa::{Class, Counts};

use crate::vm::{Fault, PageTable};

/// Most dispatches that are kept for who asks.
pub(crate) const MOST_KEPT: usize = 4096;

/// One dispatch, counted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DispatchCounters {
    /// The kernel's name: its symbol in the code object that holds it. `None` where that is not to be found in memory.
    pub kernel: Option<String>,
    /// Address of the kernel descriptor.
    pub kernel_object: u64,
    /// Number of the packet in its queue.
    pub packet: u64,
    /// Work-groups.
    pub workgroups: u64,
    /// Waves.
    pub waves: u64,
    /// Instructions by class, active lanes, bytes.
    pub counts: Counts,
    /// When the dispatch began, by the host's monotonic clock.
    pub begun: Duration,
    /// How long it took on the host, with all that ran beside it. Counting makes it longer.
    pub time: Duration,
}

/// Whether anybody hears what [`DispatchCounters::tell`] says.
pub(crate) fn somebody_listens() -> bool {
    tracing::enabled!(target: "story", tracing::Level::INFO)
}

impl DispatchCounters {
    /// Tells the counts: an event `dispatch.done` with a field for each. Times are in nanoseconds.
    pub(crate) fn tell(&self) {
        let counts = &self.counts;
        tracing::info!(
            target: "story",
            step = "dispatch.done",
            kernel = self.kernel.as_deref(),
            kernel_object = self.kernel_object,
            packet = self.packet,
            workgroups = self.workgroups,
            waves = self.waves,
            instructions = counts.total(),
            scalar_alu = counts.of(Class::ScalarAlu),
            scalar_memory = counts.of(Class::ScalarMemory),
            vector_alu = counts.of(Class::VectorAlu),
            matrix = counts.of(Class::Matrix),
            lds = counts.of(Class::Lds),
            vector_load = counts.of(Class::VectorLoad),
            vector_store = counts.of(Class::VectorStore),
            vector_atomic = counts.of(Class::VectorAtomic),
            branch = counts.of(Class::Branch),
            other = counts.of(Class::Other),
            vector = counts.vector(),
            lanes = counts.lanes,
            global_read = counts.global.read,
            global_written = counts.global.written,
            lds_read = counts.lds.read,
            lds_written = counts.lds.written,
            scratch_read = counts.scratch.read,
            scratch_written = counts.scratch.written,
            scalar_read = counts.scalar.read,
            scalar_written = counts.scalar.written,
            begun_nanos = self.begun.as_nanos() as u64,
            nanos = self.time.as_nanos() as u64,
        );
    }
}

/// Name of the kernel whose descriptor is at `kernel_object`. Loaders put a code object's first segment into memory as it
/// is in the file: the ELF header, then dynamic symbols, then descriptors. So the header is looked for below the descriptor,
/// at page boundaries, as far as memory is mapped in one piece.
pub(crate) fn kernel_name(table: &PageTable, kernel_object: u64) -> Option<String> {
    /// Most pages to look at.
    const MOST_PAGES: u64 = 1 << 16;
    const PAGE: u64 = 4096;
    let lowest = table.find(kernel_object)?.va;
    let mut base = kernel_object & !(PAGE - 1);
    for _ in 0..MOST_PAGES {
        if base < lowest {
            return None;
        }
        if table.load_u32(base) == Ok(u32::from_le_bytes(*b"\x7fELF"))
            && let Ok(Some(name)) = (Image { table, base }).symbol_at(kernel_object - base)
        {
            return Some(name.strip_suffix(".kd").map(str::to_owned).unwrap_or(name));
        }
        base -= PAGE;
    }
    None
}

/// A code object in GPU memory, 64-bit ELF ("ELF-64 Object File Format", the generic ABI's dynamic section).
struct Image<'a> {
    table: &'a PageTable,
    base: u64,
}

const PT_DYNAMIC: u32 = 2;
const DT_NULL: u64 = 0;
const DT_HASH: u64 = 4;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
/// More symbols than this are not believed.
const MOST_SYMBOLS: u32 = 1 << 20;

impl Image<'_> {
    fn bytes<const N: usize>(&self, at: u64) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        self.table.read(self.base.wrapping_add(at), &mut bytes)?;
        Ok(bytes)
    }

    fn u32(&self, at: u64) -> Result<u32, Fault> {
        self.bytes(at).map(u32::from_le_bytes)
    }

    fn u64(&self, at: u64) -> Result<u64, Fault> {
        self.bytes(at).map(u64::from_le_bytes)
    }

    /// The name of the dynamic symbol with this value.
    fn symbol_at(&self, value: u64) -> Result<Option<String>, Fault> {
        let headers = self.u64(0x20)?;
        let [size, count] = [0x36, 0x38].map(|at| self.bytes(at).map(u16::from_le_bytes));
        let (size, count) = (u64::from(size?), u64::from(count?));
        for header in (0..count).map(|n| headers.wrapping_add(n * size)) {
            if self.u32(header)? == PT_DYNAMIC {
                return self.search(self.u64(header + 0x10)?, value);
            }
        }
        Ok(None)
    }

    fn search(&self, mut dynamic: u64, value: u64) -> Result<Option<String>, Fault> {
        let (mut hash, mut strings, mut symbols) = (None, None, None);
        loop {
            let (tag, at) = (self.u64(dynamic)?, self.u64(dynamic.wrapping_add(8))?);
            match tag {
                DT_NULL => break,
                DT_HASH => hash = Some(at),
                DT_STRTAB => strings = Some(at),
                DT_SYMTAB => symbols = Some(at),
                _ => {}
            }
            dynamic = dynamic.wrapping_add(16);
        }
        let (Some(hash), Some(strings), Some(symbols)) = (hash, strings, symbols) else { return Ok(None) };
        // The hash table's second word counts the symbols.
        let count = self.u32(hash.wrapping_add(4))?.min(MOST_SYMBOLS);
        for n in 1..u64::from(count) {
            let symbol = symbols.wrapping_add(24 * n);
            if self.u64(symbol + 8)? == value {
                return self.string(strings.wrapping_add(self.u32(symbol)?.into())).map(Some);
            }
        }
        Ok(None)
    }

    fn string(&self, at: u64) -> Result<String, Fault> {
        /// Longer names are cut: mangled ones can be very long.
        const LONGEST: u64 = 4096;
        let mut text = Vec::new();
        for n in 0..LONGEST {
            match self.bytes::<1>(at.wrapping_add(n))? {
                [0] => break,
                [byte] => text.push(byte),
            }
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;
    use std::collections::HashMap;
    use std::sync::Arc;

    /// Keeps the fields of events that are numbers.
    struct Ear(Arc<Mutex<HashMap<&'static str, u64>>>);

    impl tracing::field::Visit for Ear {
        fn record_debug(&mut self, _: &tracing::field::Field, _: &dyn std::fmt::Debug) {}
        fn record_u64(&mut self, field: &tracing::field::Field, value: u64) {
            self.0.lock().insert(field.name(), value);
        }
    }

    impl tracing::Subscriber for Ear {
        fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
            metadata.target() == "story"
        }
        fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
            tracing::span::Id::from_u64(1)
        }
        fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
        fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
        fn event(&self, event: &tracing::Event<'_>) {
            event.record(&mut Ear(Arc::clone(&self.0)));
        }
        fn enter(&self, _: &tracing::span::Id) {}
        fn exit(&self, _: &tracing::span::Id) {}
    }

    #[test]
    fn the_event_tells_every_count() {
        let mut counts = Counts { lanes: 100, ..Counts::default() };
        for (n, slot) in (1..).zip(&mut counts.instructions) {
            *slot = n;
        }
        counts.global.read = 20;
        counts.scalar.written = 21;
        let dispatch = DispatchCounters {
            kernel: None,
            kernel_object: 22,
            packet: 23,
            workgroups: 24,
            waves: 25,
            counts,
            begun: Duration::from_nanos(26),
            time: Duration::from_nanos(27),
        };
        let heard = Arc::default();
        tracing::subscriber::with_default(Ear(Arc::clone(&heard)), || {
            assert!(somebody_listens());
            dispatch.tell();
        });
        let heard = heard.lock();
        for (field, value) in [
            ("scalar_alu", 1),
            ("scalar_memory", 2),
            ("vector_alu", 3),
            ("matrix", 4),
            ("lds", 5),
            ("vector_load", 6),
            ("vector_store", 7),
            ("vector_atomic", 8),
            ("branch", 9),
            ("other", 10),
            ("instructions", 55),
            ("vector", 33),
            ("lanes", 100),
            ("global_read", 20),
            ("global_written", 0),
            ("scalar_written", 21),
            ("packet", 23),
            ("begun_nanos", 26),
            ("nanos", 27),
        ] {
            assert_eq!(heard.get(field), Some(&value), "{field}");
        }
    }
}
