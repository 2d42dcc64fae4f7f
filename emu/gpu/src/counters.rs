//! What one dispatch did: counted by the waves ([`amdgpu_isa::run_counted`]), named by the code object in memory, told as
//! a `tracing` event.
//!
//! A dispatch is counted if, when it starts, the device was made with [`crate::Options::counters`] or a subscriber listens
//! to `story` events; otherwise its waves run as if there were no counters.

use std::collections::HashMap;
use std::time::Duration;

use amdgpu_isa::{Class, Counts};
use parking_lot::Mutex;

use crate::vm::{Fault, PAGE, PageTable};

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
    /// The chip.
    pub chip: &'static str,
    /// The driver's number of the GPU.
    pub gpu_id: u32,
    /// The driver's number of the queue.
    pub queue: u32,
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

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
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
            chip = self.chip,
            gpu_id = self.gpu_id,
            queue = self.queue,
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
            begun_nanos = nanos(self.begun),
            nanos = nanos(self.time),
        );
    }
}

/// Names of kernels that were found, by the address of their descriptor. What a place says is looked at again each time:
/// a loader may have put other code there.
#[derive(Debug, Default)]
pub(crate) struct KernelNames(Mutex<HashMap<u64, Place>>);

/// Where a kernel's name was found.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The code object, and in it the symbol and its name.
    base: u64,
    symbol: u64,
    name: u64,
}

/// Most names that are remembered.
const MOST_NAMES: usize = 4096;

impl KernelNames {
    /// Name of the kernel whose descriptor is at `kernel_object`.
    pub(crate) fn of(&self, table: &PageTable, kernel_object: u64) -> Option<String> {
        let known = self.0.lock().get(&kernel_object).copied();
        let place = match known.filter(|place| place.is_of(table, kernel_object)) {
            Some(place) => place,
            None => {
                let found = search(table, kernel_object)?;
                let mut known = self.0.lock();
                if known.len() >= MOST_NAMES {
                    known.clear();
                }
                known.insert(kernel_object, found);
                found
            }
        };
        let name = Image { table, base: place.base }.string(place.name).ok()?;
        Some(name.strip_suffix(".kd").map(str::to_owned).unwrap_or(name))
    }
}

impl Place {
    /// Is it still the kernel's there?
    fn is_of(self, table: &PageTable, kernel_object: u64) -> bool {
        let image = Image { table, base: self.base };
        let value = self.symbol.checked_add(VALUE).map(|at| image.u64(at));
        table.load_u32(self.base) == Ok(MAGIC) && value == Some(Ok(kernel_object.wrapping_sub(self.base)))
    }
}

/// Finds a kernel's name. Loaders put a code object's first segment into memory as it is in the file: the ELF header, then
/// dynamic symbols, then descriptors. So the header is looked for below the descriptor, at page boundaries, as far as
/// memory is mapped in one piece.
fn search(table: &PageTable, kernel_object: u64) -> Option<Place> {
    /// Most pages to look at.
    const MOST_PAGES: usize = 1 << 16;
    let lowest = table.find(kernel_object)?.va;
    let highest = kernel_object & !(PAGE - 1);
    let pages = (0..MOST_PAGES as u64).map_while(|n| highest.checked_sub(n * PAGE));
    pages.take_while(|base| *base >= lowest).find_map(|base| {
        let header = table.load_u32(base) == Ok(MAGIC);
        let symbol = || (Image { table, base }).symbol_at(kernel_object - base).ok().flatten();
        if header { symbol() } else { None }
    })
}

/// A code object in GPU memory, 64-bit ELF ("ELF-64 Object File Format", the generic ABI's dynamic section). What it says
/// is not believed: addresses may be anything, and nothing goes on for ever.
struct Image<'a> {
    table: &'a PageTable,
    base: u64,
}

const MAGIC: u32 = u32::from_le_bytes(*b"\x7fELF");
const PT_DYNAMIC: u32 = 2;
const DT_NULL: u64 = 0;
const DT_HASH: u64 = 4;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
/// Bytes of a symbol, and where its value stands.
const SYMBOL_BYTES: u64 = 24;
const VALUE: u64 = 8;
/// More symbols than this, and more entries of the dynamic section, are not believed.
const MOST_SYMBOLS: u32 = 1 << 20;
const MOST_ENTRIES: usize = 1 << 10;

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

    /// The dynamic symbol with this value.
    fn symbol_at(&self, value: u64) -> Result<Option<Place>, Fault> {
        let headers = self.u64(0x20)?;
        let [size, count] = [0x36, 0x38].map(|at| self.bytes(at).map(u16::from_le_bytes));
        let (size, count) = (u64::from(size?), u64::from(count?));
        for header in (0..count).map(|n| headers.wrapping_add(n * size)) {
            if self.u32(header)? == PT_DYNAMIC {
                return self.look_in(self.u64(header.wrapping_add(0x10))?, value);
            }
        }
        Ok(None)
    }

    fn look_in(&self, dynamic: u64, value: u64) -> Result<Option<Place>, Fault> {
        let (mut hash, mut strings, mut symbols) = (None, None, None);
        for entry in (0..MOST_ENTRIES as u64).map(|n| dynamic.wrapping_add(16 * n)) {
            let (tag, at) = (self.u64(entry)?, self.u64(entry.wrapping_add(8))?);
            match tag {
                DT_NULL => break,
                DT_HASH => hash = Some(at),
                DT_STRTAB => strings = Some(at),
                DT_SYMTAB => symbols = Some(at),
                _ => {}
            }
        }
        let (Some(hash), Some(strings), Some(symbols)) = (hash, strings, symbols) else { return Ok(None) };
        // The hash table's second word counts the symbols.
        let count = self.u32(hash.wrapping_add(4))?.min(MOST_SYMBOLS);
        for symbol in (1..u64::from(count)).map(|n| symbols.wrapping_add(SYMBOL_BYTES * n)) {
            if self.u64(symbol.wrapping_add(VALUE))? == value {
                let name = strings.wrapping_add(self.u32(symbol)?.into());
                return Ok(Some(Place { base: self.base, symbol, name }));
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
    use std::sync::Arc;

    use crate::vm::{Backing, Mapping, MemoryObject, Pool, Rights, Vm};

    /// A code object of one symbol in memory, with its descriptor at offset 0x800.
    fn write_image(table: &PageTable, base: u64, name: &[u8]) {
        for (at, value) in [
            (0x20, 0x40),
            // One program header: the dynamic section at 0x100.
            (0x38, 1 << 0),
            (0x50, 0x100),
            (0x100, DT_HASH),
            (0x108, 0x200),
            (0x110, DT_STRTAB),
            (0x118, 0x300),
            (0x120, DT_SYMTAB),
            (0x128, 0x400),
            (0x200, 2 << 32),
            (0x418, 1),
            (0x420, 0x800),
        ] {
            table.store_u64(base + at, value).unwrap();
        }
        table.store_u32(base, MAGIC).unwrap();
        table.store_u32(base + 0x34, 56 << 16).unwrap();
        table.store_u32(base + 0x40, PT_DYNAMIC).unwrap();
        for (at, word) in (0u64..).step_by(4).zip([b"\0", name, b"\0\0\0"].concat().chunks(4)) {
            let mut whole = [0; 4];
            whole[..word.len()].copy_from_slice(word);
            table.store_u32(base + 0x300 + at, u32::from_le_bytes(whole)).unwrap();
        }
    }

    #[test]
    fn names_are_found_remembered_and_checked() {
        const BASE: u64 = 0x100_0000;
        let pool = Pool::new(c"test", 1 << 20, 1 << 20).unwrap();
        let extent = pool.allocate(1 << 20).unwrap();
        let host = extent.host();
        let rights = Rights { write: true, execute: true, ..Rights::default() };
        let backing = Backing::Extent(extent);
        let object = MemoryObject { handle: 1, va: BASE, size: 1 << 20, rights, backing, mmap_offset: 0 };
        let vm = Vm::default();
        assert!(vm.map(Mapping { va: BASE, len: 1 << 20, host, rights, object: Arc::new(object) }));
        let (table, names) = (vm.table(), KernelNames::default());
        let image = BASE + 0x4000;
        assert_eq!(names.of(&table, image + 0x800), None);
        write_image(&table, image, b"first.kd");
        assert_eq!(names.of(&table, image + 0x800).as_deref(), Some("first"));
        assert!(names.0.lock().contains_key(&(image + 0x800)));
        // Other code at the same place, and none.
        write_image(&table, image, b"second.kd");
        assert_eq!(names.of(&table, image + 0x800).as_deref(), Some("second"));
        table.store_u32(image, 0).unwrap();
        assert_eq!(names.of(&table, image + 0x800), None);
        // Nonsense: addresses that wrap, a dynamic section without end, many symbols.
        write_image(&table, image, b"third.kd");
        for (at, value) in [(0x20, u64::MAX - 7), (0x50, u64::MAX - 15), (0x128, u64::MAX - 23)] {
            let before = table.load_u64(image + at).unwrap();
            table.store_u64(image + at, value).unwrap();
            assert_eq!(search(&table, image + 0x800).map(|place| place.name), None, "{at:#x}");
            table.store_u64(image + at, before).unwrap();
        }
        table.fill(image + 0x100, (1 << 20) - 0x4100, [1, 0, 0, 0]).unwrap();
        assert_eq!(search(&table, image + 0x800).map(|place| place.name), None);
        // What is remembered has its limit.
        for n in 0..2 * MOST_NAMES as u64 {
            names.0.lock().insert(n, Place { base: 0, symbol: 0, name: 0 });
            if n % 512 == 0 {
                write_image(&table, image, b"fourth.kd");
                names.0.lock().remove(&(image + 0x800));
                assert_eq!(names.of(&table, image + 0x800).as_deref(), Some("fourth"));
                assert!(names.0.lock().len() <= MOST_NAMES + 512);
            }
        }
    }

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
            chip: "gfx90a",
            gpu_id: 1,
            queue: 28,
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
            ("gpu_id", 1),
            ("queue", 28),
            ("packet", 23),
            ("begun_nanos", 26),
            ("nanos", 27),
        ] {
            assert_eq!(heard.get(field), Some(&value), "{field}");
        }
    }
}
