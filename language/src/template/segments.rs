//! Counts the segments of messages as carriers bill them. The encoding of a message is GSM-7
//! if GSM-7 has every character of the message, and otherwise UCS-2.

use serde::Serialize;

/// Maximum number of units in a message of one segment (`SINGLE`), and in each segment of a longer
/// message (`JOINED`).
/// The segments of a longer message have less space, because each has a header that joins the segments.
const GSM7_SINGLE: usize = 160;
const GSM7_JOINED: usize = 153;
const UCS2_SINGLE: usize = 70;
const UCS2_JOINED: usize = 67;

/// Basic character set of GSM 03.38: one septet per character.
const BASIC: &str = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?\
                     ¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
/// Extension table of GSM 03.38: two septets per character, the first of which is an escape code.
const EXTENDED: &str = "^{}\\[~]|€\u{c}";

/// The encoding in which a message is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Encoding {
    /// Seven bits per character; 160 characters in one segment.
    #[serde(rename = "GSM-7")]
    Gsm7,
    /// Sixteen bits per UTF-16 unit; 70 units in one segment.
    #[serde(rename = "UCS-2")]
    Ucs2,
}

/// The number of segments that carriers bill for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Segments {
    /// Encoding of the message. A single character outside GSM-7 makes the whole message UCS-2.
    pub encoding: Encoding,
    /// Number of segments billed; an empty message is billed as one segment.
    pub segments: usize,
    /// Number of septets for GSM-7, or of UTF-16 units for UCS-2.
    pub units: usize,
}

/// Counts the segments of a message as carriers bill them.
///
/// A segment may end one unit early, because a character of two units
/// (of the extension table, or a surrogate pair) is never split between segments.
#[must_use]
pub fn segments(text: &str) -> Segments {
    let septets: Option<Vec<usize>> = text.chars().map(septets).collect();
    match septets {
        Some(widths) => count(Encoding::Gsm7, GSM7_SINGLE, GSM7_JOINED, &widths),
        None => {
            let widths: Vec<usize> = text.chars().map(char::len_utf16).collect();
            count(Encoding::Ucs2, UCS2_SINGLE, UCS2_JOINED, &widths)
        }
    }
}

/// Returns the first character that GSM-7 cannot encode.
#[must_use]
pub(super) fn outside_gsm7(text: &str) -> Option<char> {
    text.chars().find(|&c| septets(c).is_none())
}

fn septets(c: char) -> Option<usize> {
    if BASIC.contains(c) {
        Some(1)
    } else if EXTENDED.contains(c) {
        Some(2)
    } else {
        None
    }
}

fn count(encoding: Encoding, single: usize, joined: usize, widths: &[usize]) -> Segments {
    let units = widths.iter().sum();
    if units <= single {
        return Segments { encoding, segments: 1, units };
    }
    let (mut segments, mut filled) = (1, 0);
    for width in widths {
        if filled + width > joined {
            segments += 1;
            filled = 0;
        }
        filled += width;
    }
    Segments { encoding, segments, units }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carriers_count_like_this() {
        use Encoding::{Gsm7, Ucs2};
        for (text, encoding, segments, units) in [
            (String::new(), Gsm7, 1, 0),
            ("a".repeat(160), Gsm7, 1, 160),
            ("a".repeat(161), Gsm7, 2, 161),
            ("a".repeat(306), Gsm7, 2, 306),
            ("a".repeat(307), Gsm7, 3, 307),
            ("€".repeat(80), Gsm7, 1, 160),
            ("€".repeat(81), Gsm7, 2, 162),
            // 152 septets and a pair do not fit into 153 septets:
            // the whole pair goes into the next segment.
            (format!("{}€{}", "a".repeat(152), "a".repeat(152)), Gsm7, 3, 306),
            (format!("a\u{c}{}", "a".repeat(157)), Gsm7, 1, 160),
            ("é\n@".to_owned(), Gsm7, 1, 3),
            ("ç".repeat(70), Ucs2, 1, 70),
            ("’".repeat(71), Ucs2, 2, 71),
            ("😀".repeat(35), Ucs2, 1, 70),
            ("😀".repeat(36), Ucs2, 2, 72),
            // 66 units and a surrogate pair do not fit into 67 units.
            (format!("{}😀{}", "б".repeat(66), "б".repeat(66)), Ucs2, 3, 134),
            ("a`b".to_owned(), Ucs2, 1, 3),
            ("a\tb".to_owned(), Ucs2, 1, 3),
        ] {
            assert_eq!(super::segments(&text), Segments { encoding, segments, units }, "{text:?}");
        }
    }

    #[test]
    fn one_curly_apostrophe_halves_the_room() {
        let straight = format!("We'd love your help {}", "x".repeat(60));
        let curly = straight.replace('\'', "’");
        assert_eq!((super::segments(&straight).segments, super::segments(&curly).segments), (1, 2));
        assert_eq!(outside_gsm7(&curly), Some('’'));
        assert_eq!(outside_gsm7(&straight), None);
    }

    #[test]
    fn the_json_names_the_alphabet_as_carriers_do() {
        let json = serde_json::to_value(super::segments("hi")).expect("plain data");
        assert_eq!(json, serde_json::json!({"encoding": "GSM-7", "segments": 1, "units": 2}));
    }
}
