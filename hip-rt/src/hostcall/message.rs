//! The message protocol of hostcall service 2: strings and arguments that a lane sends in packets of up to seven words.
//!
//! Answers to `ockl/src/services.cl` (`__ockl_message_*`) of ROCm-Device-Libs: word 0 of a slot is a descriptor with
//! BEGIN, END, a length and the number of a message; the first packet of a message is answered with the number that
//! the lane uses from then on.

use std::collections::BTreeMap;

const BEGIN: u64 = 1;
const END: u64 = 2;
const LENGTH_SHIFT: u32 = 5;
const LENGTH_MASK: u64 = 7;
const ID_SHIFT: u32 = 8;
/// 8 MiB of text in one `printf` is beyond any honest use, and a loop on the device must not eat the host's memory.
const LONGEST: usize = 1 << 20;

/// Most messages under way, which is more than the lanes of any GPU, and the most words in all of them together.
const MOST: Limits = Limits { messages: 1 << 20, words: 1 << 24 };

#[derive(Debug, Clone, Copy)]
struct Limits {
    messages: usize,
    words: usize,
}

/// Messages under way, by number. Numbers only grow, so that the first is the oldest.
#[derive(Debug)]
pub struct Messages {
    open: BTreeMap<u64, Vec<u64>>,
    next: u64,
    words: usize,
    dropped: bool,
    most: Limits,
}

impl Default for Messages {
    fn default() -> Messages {
        Messages { open: BTreeMap::new(), next: 0, words: 0, dropped: false, most: MOST }
    }
}

/// What one packet of a lane came to.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// The message goes on; this word is the lane's answer.
    More(u64),
    /// The message is complete.
    Complete(Vec<u64>),
    /// The descriptor names no message that was begun.
    Unknown(u64),
}

impl Messages {
    /// Takes one slot of a packet.
    pub fn take(&mut self, slot: &[u64; 8]) -> Step {
        let descriptor = slot[0];
        let length = (descriptor >> LENGTH_SHIFT & LENGTH_MASK) as usize;
        let id = if descriptor & BEGIN != 0 {
            let id = self.next;
            self.next = (self.next + 1) & (u64::MAX >> ID_SHIFT);
            self.make_room();
            self.open.insert(id, Vec::new());
            id
        } else {
            descriptor >> ID_SHIFT
        };
        let Some(words) = self.open.get_mut(&id) else { return Step::Unknown(id) };
        if words.len() < LONGEST {
            words.extend_from_slice(&slot[1..=length]);
            self.words += length;
        }
        if descriptor & END != 0 {
            let words = self.open.remove(&id).unwrap_or_default();
            self.words -= words.len();
            return Step::Complete(words);
        }
        let low = descriptor & !BEGIN & ((1 << ID_SHIFT) - 1);
        Step::More(id << ID_SHIFT | low)
    }

    /// Drops the oldest messages while there are too many, or too much in them: waves that ended, or that never mean to
    /// end a message, must not eat the host's memory.
    fn make_room(&mut self) {
        while self.open.len() >= self.most.messages || self.words >= self.most.words {
            let Some((_, words)) = self.open.pop_first() else { break };
            self.words -= words.len();
            self.dropped = true;
        }
    }

    /// Whether messages were dropped since this was last asked.
    pub fn take_dropped(&mut self) -> bool {
        std::mem::take(&mut self.dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor(flags: u64, length: u64, id: u64) -> u64 {
        flags | length << LENGTH_SHIFT | id << ID_SHIFT
    }

    #[test]
    fn packets_of_two_lanes_do_not_mix() {
        let mut messages = Messages::default();
        let mut begin = [0; 8];
        begin[0] = descriptor(BEGIN, 1, 0);
        begin[1] = 7;
        let Step::More(first) = messages.take(&begin) else { panic!() };
        begin[1] = 8;
        let Step::More(second) = messages.take(&begin) else { panic!() };
        assert_ne!(first >> ID_SHIFT, second >> ID_SHIFT);
        assert_eq!(first & BEGIN, 0);
        let mut end = [1, 2, 3, 4, 5, 6, 7, 8];
        end[0] = descriptor(END, 2, second >> ID_SHIFT);
        assert_eq!(messages.take(&end), Step::Complete(vec![8, 2, 3]));
        end[0] = descriptor(END, 7, first >> ID_SHIFT);
        assert_eq!(messages.take(&end), Step::Complete(vec![7, 2, 3, 4, 5, 6, 7, 8]));
    }

    #[test]
    fn messages_without_an_end_do_not_pile_up() {
        let mut messages = Messages { most: Limits { messages: 100, words: 1000 }, ..Messages::default() };
        let mut slot = [7; 8];
        let mut numbers = Vec::new();
        for _ in 0..250 {
            slot[0] = descriptor(BEGIN, 1, 0);
            let Step::More(answer) = messages.take(&slot) else { panic!() };
            numbers.push(answer >> ID_SHIFT);
        }
        assert_eq!((messages.open.len(), messages.words), (100, 100));
        assert!(messages.take_dropped() && !messages.take_dropped());
        // The newest are there, the oldest are not, and no number is another's.
        slot[0] = descriptor(END, 0, numbers[249]);
        assert_eq!(messages.take(&slot), Step::Complete(vec![7]));
        slot[0] = descriptor(END, 0, numbers[0]);
        assert_eq!(messages.take(&slot), Step::Unknown(numbers[0]));
        // A few that are long make room as well.
        slot[0] = descriptor(0, 7, numbers[248]);
        for _ in 0..200 {
            assert!(matches!(messages.take(&slot), Step::More(_)));
        }
        slot[0] = descriptor(BEGIN, 0, 0);
        messages.take(&slot);
        assert_eq!((messages.open.len(), messages.words), (1, 0));
    }

    #[test]
    fn a_message_of_one_packet_and_the_next_number() {
        let mut messages = Messages::default();
        let mut slot = [9; 8];
        slot[0] = descriptor(BEGIN | END, 0, 0);
        assert_eq!(messages.take(&slot), Step::Complete(vec![]));
        slot[0] = descriptor(BEGIN, 3, 0);
        assert_eq!(messages.take(&slot), Step::More(descriptor(0, 3, 1)));
    }

    #[test]
    fn a_number_that_was_never_given_is_refused() {
        let mut messages = Messages::default();
        let mut slot = [0; 8];
        slot[0] = descriptor(0, 1, 5);
        assert_eq!(messages.take(&slot), Step::Unknown(5));
        slot[0] = !BEGIN;
        assert!(matches!(messages.take(&slot), Step::Unknown(_)));
    }
}
