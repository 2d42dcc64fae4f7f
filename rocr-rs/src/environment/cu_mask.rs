//! `HSA_CU_MASK`: which compute units queues may use.
//!
//! `GPUs:units[;GPUs:units…]`, where GPUs are indices among those that the program sees and units either indices or, with
//! `0x`, a mask: `0,2-3:0-15,32;1:0xff`. White space does not count. A part that is malformed, names a GPU again or no unit
//! at all ends the list: it and all that follows is ignored, as in the vendor's runtime.

/// No GPU has more compute units.
const MOST_UNITS: u32 = 4096;
/// No machine has more GPUs.
const MOST_GPUS: u32 = 1024;

/// The masks by GPU.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CuMasks(Vec<(u32, Vec<u32>)>);

impl CuMasks {
    /// What a text says.
    pub fn parse(text: &str) -> Self {
        let text: String = text.chars().filter(|character| !character.is_whitespace()).collect();
        let mut masks = Self::default();
        for part in text.split(';') {
            let Some((gpus, units)) = part.split_once(':') else { break };
            let (Some(gpus), Some(mask)) = (indices(gpus, MOST_GPUS), mask(units)) else { break };
            if gpus.iter().any(|gpu| masks.of(*gpu).is_some()) {
                break;
            }
            masks.0.extend(gpus.into_iter().map(|gpu| (gpu, mask.clone())));
        }
        masks
    }

    /// The mask of a GPU: a bit for each compute unit, 32 a word; none when all may be used.
    pub fn of(&self, gpu: u32) -> Option<&[u32]> {
        self.0.iter().find(|(other, _)| *other == gpu).map(|(_, mask)| mask.as_slice())
    }
}

/// The words of a mask, which has a bit at least.
fn mask(text: &str) -> Option<Vec<u32>> {
    let mut words = vec![0u32; MOST_UNITS as usize / 32];
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => {
            for (at, digit) in digits.chars().rev().enumerate() {
                let bits = digit.to_digit(16)?;
                if let Some(word) = words.get_mut(at / 8) {
                    *word |= bits << (at % 8 * 4);
                }
            }
        }
        None => {
            for unit in indices(text, MOST_UNITS)? {
                words[unit as usize / 32] |= 1 << (unit % 32);
            }
        }
    }
    let used = words.iter().rposition(|word| *word != 0)?;
    words.truncate(used + 1);
    Some(words)
}

/// The indices of a list like `0,2-4`, those below `end`; none of an empty one, and of one that names an index twice.
fn indices(text: &str, end: u32) -> Option<Vec<u32>> {
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse::<u32>().unwrap_or(u32::MAX))
    };
    let mut found = Vec::new();
    for item in text.split(',') {
        let (first, last) = match item.split_once('-') {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(item)?, number(item)?),
        };
        if last < first {
            return None;
        }
        for index in first..last.saturating_add(1).min(end) {
            if found.contains(&index) {
                return None;
            }
            found.push(index);
        }
    }
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::CuMasks;

    #[test]
    fn lists_and_masks_are_read_as_the_vendor_documents_them() {
        let masks = CuMasks::parse("0, 2-3 : 0-15,32 ; 1:0xF0000000f");
        assert_eq!(masks.of(0), Some(&[0xffff, 1][..]));
        assert_eq!(masks.of(3), masks.of(2));
        assert_eq!(masks.of(1), Some(&[0xf, 0xf][..]));
        assert_eq!(masks.of(4), None);
    }

    #[test]
    fn a_malformed_part_ends_the_list() {
        for (text, known) in [
            ("", 0),
            ("0", 0),
            ("0:", 0),
            ("0:0x0", 0),
            ("0:0xg", 0),
            ("0:3-1", 0),
            ("0:1,1", 0),
            ("0:1;0:2", 1),
            ("0:1;1:x;2:1", 1),
            ("0:1;1:4294967295", 1),
            ("0:+1", 0),
            ("0-4294967295:1", 1024),
        ] {
            let masks = CuMasks::parse(text);
            assert_eq!((0..2000).filter(|gpu| masks.of(*gpu).is_some()).count(), known, "{text}");
        }
    }
}
