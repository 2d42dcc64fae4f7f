//! The publish protocol of an AQL ring (`hsa.h` section 2.6, "Queue operations"), for any number of producers.
//!
//! 1. A producer reserves a slot: it adds one to the write index.
//! 2. It waits until the slot is free: `index - read index < size`. The packet processor has then set the slot's header
//!    to INVALID.
//! 3. It writes all words but the first, then the first (header and setup) with release order.
//! 4. It rings the doorbell with the index. Values of several producers may arrive in any order: a doorbell is a hint
//!    to look again from the read index.
//!
//! The ring lies in memory that the device reads and writes too, so every word is an atomic. The protocol names the
//! orders; where the atomics are is the business of [`RingMemory`], so that loom can run all interleavings of it (the
//! test `every_interleaving`).

use std::sync::atomic::Ordering;

use crate::backoff::Backoff;

/// Words of a packet.
pub(crate) const WORDS: usize = 16;

/// A ring's atomics.
pub(crate) trait RingMemory {
    /// Adds to `write_dispatch_id`; returns the value from before.
    fn add_write_index(&self, count: u64, order: Ordering) -> u64;
    /// `read_dispatch_id`
    fn load_read_index(&self, order: Ordering) -> u64;
    /// Word `word` of slot `slot`.
    fn load_word(&self, slot: u32, word: usize, order: Ordering) -> u32;
    /// Sets word `word` of slot `slot`.
    fn store_word(&self, slot: u32, word: usize, value: u32, order: Ordering);
    /// Slots, a power of two.
    fn size(&self) -> u32;
    /// Waits a little.
    fn pause(&self, backoff: &mut Backoff) {
        backoff.pause();
    }
}

/// The queue stopped while a producer waited for room.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

/// Appends `packet` and returns its index; the doorbell is the caller's. `stopped` is asked while the ring is full.
///
/// A packet has [`WORDS`] words; fewer serve to model the protocol.
pub(crate) fn publish<const N: usize>(
    ring: &impl RingMemory,
    packet: &[u32; N],
    mut stopped: impl FnMut() -> bool,
) -> Result<u64, Stopped> {
    let index = ring.add_write_index(1, Ordering::Relaxed);
    let mut backoff = Backoff::default();
    // Acquire: the processor has finished with the slot's former packet, and marked it INVALID, before it moved on.
    while index.wrapping_sub(ring.load_read_index(Ordering::Acquire)) >= u64::from(ring.size()) {
        if stopped() {
            return Err(Stopped);
        }
        ring.pause(&mut backoff);
    }
    let slot = slot_of(index, ring.size());
    for (word, value) in packet.iter().enumerate().skip(1) {
        ring.store_word(slot, word, *value, Ordering::Relaxed);
    }
    ring.store_word(slot, 0, packet[0], Ordering::Release);
    Ok(index)
}

/// The packet at `index` as it stands.
pub(crate) fn peek<const N: usize>(ring: &impl RingMemory, index: u64) -> [u32; N] {
    let slot = slot_of(index, ring.size());
    let head = ring.load_word(slot, 0, Ordering::Acquire);
    std::array::from_fn(|word| if word == 0 { head } else { ring.load_word(slot, word, Ordering::Relaxed) })
}

/// The slot of a packet index.
fn slot_of(index: u64, size: u32) -> u32 {
    (index & u64::from(size - 1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const INVALID: u32 = 1;

    /// A ring in ordinary memory, with a packet processor; once with the standard library's atomics, once with loom's.
    macro_rules! test_ring {
        ($name:ident, $atomics:path, $words:expr) => {
            mod $name {
                use super::*;
                use $atomics::{AtomicU32, AtomicU64};

                pub(super) struct TestRing {
                    write: AtomicU64,
                    read: AtomicU64,
                    words: Vec<AtomicU32>,
                    pause: fn(&mut Backoff),
                }

                impl TestRing {
                    pub(super) fn new(size: u32, pause: fn(&mut Backoff)) -> Self {
                        let words = (0..size as usize * $words)
                            .map(|i| AtomicU32::new(if i % $words == 0 { INVALID } else { 0 }))
                            .collect();
                        Self { write: AtomicU64::new(0), read: AtomicU64::new(0), words, pause }
                    }

                    /// Takes the next packet if it is published.
                    pub(super) fn consume(&self) -> Option<[u32; $words]> {
                        let read = self.read.load(Ordering::Relaxed);
                        let packet = peek(self, read);
                        if packet[0] & 0xff == INVALID {
                            return None;
                        }
                        self.store_word(slot_of(read, self.size()), 0, INVALID, Ordering::Relaxed);
                        self.read.store(read + 1, Ordering::Release);
                        Some(packet)
                    }
                }

                impl RingMemory for TestRing {
                    fn add_write_index(&self, count: u64, order: Ordering) -> u64 {
                        self.write.fetch_add(count, order)
                    }
                    fn load_read_index(&self, order: Ordering) -> u64 {
                        self.read.load(order)
                    }
                    fn load_word(&self, slot: u32, word: usize, order: Ordering) -> u32 {
                        self.words[slot as usize * $words + word].load(order)
                    }
                    fn store_word(&self, slot: u32, word: usize, value: u32, order: Ordering) {
                        self.words[slot as usize * $words + word].store(value, order);
                    }
                    fn size(&self) -> u32 {
                        (self.words.len() / $words) as u32
                    }
                    fn pause(&self, backoff: &mut Backoff) {
                        (self.pause)(backoff);
                    }
                }
            }
        };
    }
    test_ring!(real, std::sync::atomic, WORDS);
    test_ring!(model, loom::sync::atomic, 2);

    fn packet<const N: usize>(n: u32) -> [u32; N] {
        std::array::from_fn(|i| if i == 0 { 2 } else { n })
    }

    #[test]
    fn many_producers_lose_and_tear_nothing() {
        const EACH: u32 = 5_000;
        let ring = real::TestRing::new(64, Backoff::pause);
        std::thread::scope(|scope| {
            for producer in 0..4 {
                let ring = &ring;
                scope.spawn(move || {
                    for i in 0..EACH {
                        publish(ring, &packet::<WORDS>(producer * EACH + i), || false).unwrap();
                    }
                });
            }
            let mut seen = vec![false; 4 * EACH as usize];
            let mut taken = 0;
            while taken < seen.len() {
                let Some(packet) = ring.consume() else {
                    std::thread::yield_now();
                    continue;
                };
                assert!(packet[1..].iter().all(|word| *word == packet[1]), "torn: {packet:?}");
                assert!(!std::mem::replace(&mut seen[packet[1] as usize], true), "twice: {}", packet[1]);
                taken += 1;
            }
        });
    }

    #[test]
    fn a_full_ring_gives_up_when_the_queue_stops() {
        let ring = real::TestRing::new(2, Backoff::pause);
        assert_eq!(publish(&ring, &packet::<WORDS>(1), || false), Ok(0));
        assert_eq!(publish(&ring, &packet::<WORDS>(2), || false), Ok(1));
        assert_eq!(publish(&ring, &packet::<WORDS>(3), || true), Err(Stopped));
    }

    fn whole(packet: [u32; 2]) -> u32 {
        assert_eq!(packet[0], 2);
        packet[1]
    }

    /// Two producers, and a processor that looks while they publish: every interleaving.
    #[test]
    fn every_interleaving_of_two_producers() {
        loom::model(|| {
            let ring = loom::sync::Arc::new(model::TestRing::new(2, |_| loom::thread::yield_now()));
            let producers = [1, 2].map(|n| {
                let ring = ring.clone();
                loom::thread::spawn(move || publish(&*ring, &packet::<2>(n), || false).unwrap())
            });
            let mut sum = ring.consume().map_or(0, whole);
            let mut indices = producers.map(|producer| producer.join().unwrap());
            indices.sort_unstable();
            assert_eq!(indices, [0, 1]);
            while let Some(packet) = ring.consume() {
                sum += whole(packet);
            }
            assert_eq!(sum, 3);
        });
    }

    /// A producer that waits for the processor to free the only slot: every interleaving.
    #[test]
    fn every_interleaving_of_a_full_ring() {
        loom::model(|| {
            let ring = loom::sync::Arc::new(model::TestRing::new(1, |_| loom::thread::yield_now()));
            let producer = {
                let ring = ring.clone();
                loom::thread::spawn(move || {
                    for n in 1..3 {
                        publish(&*ring, &packet::<2>(n), || false).unwrap();
                    }
                })
            };
            for n in 1..3 {
                let packet = loop {
                    match ring.consume() {
                        Some(packet) => break packet,
                        None => loom::thread::yield_now(),
                    }
                };
                assert_eq!(whole(packet), n);
            }
            producer.join().unwrap();
        });
    }
}
