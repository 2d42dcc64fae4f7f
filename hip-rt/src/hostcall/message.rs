//! The message protocol of hostcall service 2: strings and arguments that a lane sends in packets of up to seven words.
//!
//! Answers to `ockl/src/services.cl` (`__ockl_message_*`) of ROCm-Device-Libs: word 0 of a slot is a descriptor with
//! BEGIN, END, a length and the number of a message; the first packet of a message is answered with the number that
//! the lane uses from then on.

const BEGIN: u64 = 1;
const END: u64 = 2;
const LENGTH_SHIFT: u32 = 5;
const LENGTH_MASK: u64 = 7;
const ID_SHIFT: u32 = 8;
/// 8 MiB of text in one `printf` is beyond any honest use, and a loop on the device must not eat the host's memory.
const LONGEST: usize = 1 << 20;

/// Messages under way, by number.
#[derive(Debug, Default)]
pub struct Messages {
    open: Vec<Option<Vec<u64>>>,
    free: Vec<usize>,
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
            let id = self.free.pop().unwrap_or_else(|| {
                self.open.push(None);
                self.open.len() - 1
            });
            self.open[id] = Some(Vec::with_capacity(16));
            id
        } else {
            usize::try_from(descriptor >> ID_SHIFT).unwrap_or(usize::MAX)
        };
        let Some(Some(words)) = self.open.get_mut(id) else { return Step::Unknown(descriptor >> ID_SHIFT) };
        if words.len() < LONGEST {
            words.extend_from_slice(&slot[1..=length]);
        }
        if descriptor & END != 0 {
            let words = self.open[id].take().unwrap_or_default();
            self.free.push(id);
            return Step::Complete(words);
        }
        let low = descriptor & !BEGIN & ((1 << ID_SHIFT) - 1);
        Step::More((id as u64) << ID_SHIFT | low)
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
    fn a_message_of_one_packet_and_reuse_of_numbers() {
        let mut messages = Messages::default();
        let mut slot = [9; 8];
        slot[0] = descriptor(BEGIN | END, 0, 0);
        assert_eq!(messages.take(&slot), Step::Complete(vec![]));
        slot[0] = descriptor(BEGIN, 3, 0);
        assert_eq!(messages.take(&slot), Step::More(descriptor(0, 3, 0)));
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
