//! Which descriptors are the device's: a table of atomics, so that `close` and `ioctl` look without a lock, in signal
//! handlers and between `fork` and `exec` too.

use std::sync::atomic::{AtomicU32, Ordering};

/// Descriptors that the table has room for. A device file never gets a higher one.
const MOST: usize = 1 << 16;
/// The kinds in the low byte of an entry; 0 is none. The minor stands in the next 12 bits, the generation above.
const KFD: u32 = 1;
const DRM: u32 = 2;

/// What a device file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `/dev/kfd`
    Kfd,
    /// A card or render node, by its minor number.
    Drm(u32),
}

/// An open device file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Open {
    /// What it is.
    pub kind: Kind,
    /// Generation of the process that opened it: a child of `fork` is the next one.
    pub generation: u32,
}

/// The table.
pub struct Files([AtomicU32; MOST]);

impl Files {
    /// An empty table.
    pub const fn new() -> Files {
        Files([const { AtomicU32::new(0) }; MOST])
    }

    fn slot(&self, file: i32) -> Option<&AtomicU32> {
        self.0.get(usize::try_from(file).ok()?)
    }

    /// The device file with that descriptor.
    pub fn get(&self, file: i32) -> Option<Open> {
        let entry = self.slot(file)?.load(Ordering::Acquire);
        let kind = match entry & 0xff {
            KFD => Kind::Kfd,
            DRM => Kind::Drm(entry >> 8 & 0xfff),
            _ => return None,
        };
        Some(Open { kind, generation: entry >> 20 })
    }

    /// Remembers a device file. False if its number is too high.
    #[must_use]
    pub fn set(&self, file: i32, open: Open) -> bool {
        let kind = match open.kind {
            Kind::Kfd => KFD,
            Kind::Drm(minor) => DRM | (minor & 0xfff) << 8,
        };
        let slot = self.slot(file);
        slot.inspect(|slot| slot.store(kind | open.generation << 20, Ordering::Release)).is_some()
    }

    /// Forgets a descriptor, and says what it was.
    pub fn take(&self, file: i32) -> Option<Open> {
        let was = self.get(file)?;
        self.slot(file)?.store(0, Ordering::Release);
        Some(was)
    }

    /// Descriptors of the table.
    pub fn range(first: u32, last: u32) -> impl Iterator<Item = i32> {
        (first..=last.min(MOST as u32 - 1)).map(u32::cast_signed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_keep_what_they_were_given() {
        let files = Box::new(Files::new());
        for (file, kind) in [(3, Kind::Kfd), (4, Kind::Drm(0)), (MOST as i32 - 1, Kind::Drm(131))] {
            let open = Open { kind, generation: 5 };
            assert!(files.set(file, open));
            assert_eq!(files.get(file), Some(open));
            assert_eq!(files.take(file), Some(open));
            assert_eq!(files.get(file), None);
        }
        assert!(!files.set(MOST as i32, Open { kind: Kind::Kfd, generation: 0 }));
        assert_eq!((files.get(-1), files.get(7), files.take(-100)), (None, None, None));
        assert_eq!(Files::range(65_534, u32::MAX).collect::<Vec<_>>(), [65_534, 65_535]);
    }
}
