//! `printf` decoding against the C library itself.

use super::*;
use proptest::prelude::*;

/// A message as device code builds it.
struct Message(Vec<u64>);

impl Message {
    fn new(format: &str) -> Self {
        Self(vec![0]).text(format.as_bytes())
    }

    fn text(mut self, text: &[u8]) -> Self {
        let mut bytes = text.to_vec();
        bytes.push(0);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        self.0.extend(bytes.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())));
        self
    }

    fn word(mut self, word: u64) -> Self {
        self.0.push(word);
        self
    }

    fn float(self, value: f64) -> Self {
        self.word(value.to_bits())
    }

    fn printed(&self) -> String {
        String::from_utf8(decode(&self.0).unwrap().text).unwrap()
    }
}

#[test]
fn plain_text_and_percent_signs() {
    assert_eq!(Message::new("hello\n").printed(), "hello\n");
    assert_eq!(Message::new("100%% %%d").printed(), "100% %d");
    assert_eq!(Message::new("").printed(), "");
    assert_eq!(Message::new("8 bytes!").printed(), "8 bytes!");
}

#[test]
fn integers_follow_their_length_modifiers() {
    let all = u64::MAX;
    let printed = |format: &str, word| Message::new(format).word(word).printed();
    assert_eq!(printed("%d", all), "-1");
    assert_eq!(printed("%u", all), "4294967295");
    assert_eq!(printed("%hhu", all), "255");
    assert_eq!(printed("%hhd", 0x80), "-128");
    assert_eq!(printed("%hu", all), "65535");
    assert_eq!(printed("%hd", 0x8000), "-32768");
    assert_eq!(printed("%lu", all), "18446744073709551615");
    assert_eq!(printed("%lld", all), "-1");
    assert_eq!(printed("%zx", all), "ffffffffffffffff");
    assert_eq!(printed("%#010x", 0xbeef), "0x0000beef");
    assert_eq!(printed("%+-6d|", 42), "+42   |");
    assert_eq!(printed("%o", 8), "10");
    assert_eq!(printed("%c", u64::from(b'A')), "A");
    assert_eq!(printed("%p", 0x7f00_1234), "0x7f001234");
}

#[test]
fn floats_and_strings() {
    assert_eq!(
        Message::new("%f %.2e %g").float(1.5).float(1234.5).float(1e-9).printed(),
        "1.500000 1.23e+03 1e-09"
    );
    assert_eq!(Message::new("%Lf").float(2.0).printed(), "2.000000");
    assert_eq!(Message::new("%F %a").float(f64::INFINITY).float(1.0).printed(), "INF 0x1p+0");
    assert_eq!(
        Message::new("%s, %s %d!").text(b"hello").text(b"world of GPUs").word(3).printed(),
        "hello, world of GPUs 3!"
    );
    // Neither width nor precision moves the argument that follows.
    assert_eq!(
        Message::new("[%12s|%.2s] %d").text(b"abc").text(b"defghijklm").word(7).printed(),
        "[         abc|de] 7"
    );
    // A null string arrives as one word of zeroes.
    assert_eq!(Message::new("<%s> %d").word(0).word(5).printed(), "<> 5");
}

#[test]
fn stars_take_words() {
    assert_eq!(Message::new("%*d|").word(6).word(42).printed(), "    42|");
    assert_eq!(Message::new("%-*.*f|").word(8).word(2).float(1.0).printed(), "1.00    |");
    assert_eq!(Message::new("%*d|").word(-6i32 as u32 as u64).word(42).printed(), "42    |");
    assert_eq!(Message::new("%.*f").word(-1i32 as u32 as u64).float(1.0).printed(), "1.000000");
}

#[test]
fn what_is_missing_or_odd_ends_quietly() {
    assert_eq!(Message::new("a %d b %d").word(1).printed(), "a 1 b ");
    assert_eq!(Message::new("a %s").printed(), "a ");
    assert_eq!(Message::new("50% yes").printed(), "50% yes");
    assert_eq!(Message::new("%y %d").word(1).printed(), "%y 1");
    assert_eq!(Message::new("%").printed(), "%");
    assert_eq!(Message::new("%n%d").word(0xdead).word(1).printed(), "1");
    assert_eq!(decode(&[]), None);
    assert_eq!(decode(&[2, 0]), None);
    assert!(decode(&[1, 0]).unwrap().to_stderr);
    assert!(Message::new("%2000000000d").word(1).printed().len() <= cformat::WIDEST as usize);
}

/// What the C library prints for the whole format at once.
fn c_prints(format: &str, word: u64) -> String {
    let format = std::ffi::CString::new(format).unwrap();
    let mut buffer = vec![0u8; 4096];
    #[allow(unsafe_code, reason = "the oracle is the C library's own snprintf")]
    // SAFETY: the buffer is as long as said and the format has one integer conversion.
    let len = unsafe { libc::snprintf(buffer.as_mut_ptr().cast(), buffer.len(), format.as_ptr(), word) };
    String::from_utf8_lossy(&buffer[..len as usize]).into_owned()
}

fn c_prints_float(format: &str, value: f64) -> String {
    let format = std::ffi::CString::new(format).unwrap();
    let mut buffer = vec![0u8; 4096];
    #[allow(unsafe_code, reason = "the oracle is the C library's own snprintf")]
    // SAFETY: the buffer is as long as said and the format has one floating-point conversion.
    let len = unsafe { libc::snprintf(buffer.as_mut_ptr().cast(), buffer.len(), format.as_ptr(), value) };
    String::from_utf8_lossy(&buffer[..len as usize]).into_owned()
}

proptest! {
    #[test]
    fn integers_print_as_in_c(
        before in "[a-z ]{0,12}",
        flags in "[-+ #0]{0,3}",
        width in prop::option::of(0u32..40),
        precision in prop::option::of(0u32..30),
        length in prop::sample::select(vec!["", "hh", "h", "l", "ll", "z", "j", "t"]),
        conversion in prop::sample::select(vec!["d", "i", "u", "x", "X", "o"]),
        word: u64,
    ) {
        let width = width.map_or(String::new(), |width| width.to_string());
        let precision = precision.map_or(String::new(), |precision| format!(".{precision}"));
        let format = format!("{before}%{flags}{width}{precision}{length}{conversion}!");
        prop_assert_eq!(Message::new(&format).word(word).printed(), c_prints(&format, word));
    }

    #[test]
    fn floats_print_as_in_c(
        flags in "[-+ #0]{0,3}",
        width in prop::option::of(0u32..60),
        precision in prop::option::of(0u32..30),
        conversion in prop::sample::select(vec!["f", "F", "e", "E", "g", "G", "a", "A"]),
        bits: u64,
    ) {
        let width = width.map_or(String::new(), |width| width.to_string());
        let precision = precision.map_or(String::new(), |precision| format!(".{precision}"));
        let format = format!("%{flags}{width}{precision}{conversion}");
        let value = f64::from_bits(bits);
        prop_assert_eq!(Message::new(&format).float(value).printed(), c_prints_float(&format, value));
    }

    #[test]
    fn any_words_and_any_format_give_text_and_no_panic(words in prop::collection::vec(any::<u64>(), 0..40)) {
        let _ = decode(&words);
    }

    #[test]
    fn any_format_gives_text_and_no_panic(format in "[%*.0-9a-zA-Z#+ -]{0,40}", words in prop::collection::vec(0u64..2000, 0..10)) {
        let mut message = Message::new(&format);
        message.0.extend(words);
        let _ = decode(&message.0);
    }
}
