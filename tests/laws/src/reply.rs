//! Checks the laws of the readers of inbound messages, which find carrier keywords, answers
//! to asks and requests by staff. Also checks the laws of counting the segments of a message.

use std::sync::LazyLock;

use abide_engine::base::{Timestamp, limits};
use abide_engine::policy::CarrierWord;
use abide_engine::template::{Encoding, segments};
use abide_verbs::reader::when::Service;
use abide_verbs::reader::{
    Calendar, Intent, Interpreter as _, Label, PhraseReader, Reading, ReplyContext, StaffReading,
    mentions,
};
use jiff::civil::{Weekday, time};
use jiff::tz::TimeZone;

/// The weekly services of the demo church.
static CALENDAR: LazyLock<Calendar> = LazyLock::new(|| {
    let service = |name: &str, weekday, (hour, minute)| Service {
        name: name.to_owned(),
        weekday,
        at: time(hour, minute, 0, 0),
    };
    Calendar {
        zone: TimeZone::get("America/Chicago").expect("a known time zone"),
        services: vec![
            service("first", Weekday::Sunday, (9, 0)),
            service("second", Weekday::Sunday, (11, 0)),
            service("midweek", Weekday::Wednesday, (18, 30)),
        ],
    }
});

/// Maximum number of people for whom one message of staff can ask.
const COUNT_MAX: i64 = 500;
/// Number of units that fit into one segment: septets of GSM-7, and UTF-16 code units of UCS-2.
const SINGLE: (usize, usize) = (160, 70);

pub(crate) fn hold(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // The program cuts a longer message before it stores and reads the message. So the readers are
    // checked only on messages up to this length.
    let text: String = text.chars().take(limits::INBOUND_CHARS_MAX).collect();
    is_read(&text);
    is_heard_by_staff(&text);
    is_a_carrier_word_alone(&text);
    is_counted(&text);
}

fn is_read(text: &str) {
    for context in [ReplyContext::Invite, ReplyContext::Place, ReplyContext::Nothing] {
        let reading = PhraseReader.reply(text, context);
        assert_eq!(PhraseReader.reply(text, context), reading, "read twice");
        assert!((0.0..=1.0).contains(&reading.confidence), "{reading:?}");
        let unclear = reading.label == Label::Unclear;
        assert_eq!(unclear, reading.confidence == 0.0, "{reading:?}");
        assert_eq!(Reading::from_value(&reading.to_value()), reading, "stored and read back");
        let framed = format!(" {text}\r\n");
        assert_eq!(PhraseReader.reply(&framed, context), reading, "blanks around are ignored");
    }
}

fn is_heard_by_staff(text: &str) {
    let now = Timestamp::from_micros(1_759_270_800_000_000); // a Tuesday afternoon
    let reading = PhraseReader.staff(text, now, &CALENDAR);
    assert_eq!(PhraseReader.staff(text, now, &CALENDAR), reading, "read twice");
    assert!((0.0..=1.0).contains(&reading.confidence), "{reading:?}");
    assert_eq!(StaffReading::from_value(&reading.to_value()), reading, "stored and read back");
    assert!(reading.count.is_none_or(|count| (1..=COUNT_MAX).contains(&count)), "{reading:?}");
    assert!(reading.time.is_none_or(|time| time > now), "a service in the past: {reading:?}");
    let missing = reading.missing();
    assert!(reading.intent != Intent::FillRole || missing.is_empty(), "{reading:?}: {missing:?}");
    assert_eq!(mentions(text, now, &CALENDAR), mentions(text, now, &CALENDAR));
}

/// Checks that a carrier keyword such as STOP counts only if it is the only word of the message,
/// and that it counts in upper and lower case.
fn is_a_carrier_word_alone(text: &str) {
    if CarrierWord::of(text).is_some() {
        assert_eq!(text.split_whitespace().filter(|word| letters(word)).count(), 1, "{text:?}");
        let louder = text.to_ascii_uppercase();
        assert_eq!(CarrierWord::of(&louder), CarrierWord::of(text), "case is ignored");
    }
    assert_eq!(CarrierWord::of(&format!("{text} me")), None, "{text:?} and more");
}

fn letters(word: &str) -> bool {
    word.chars().any(char::is_alphanumeric)
}

fn is_counted(text: &str) {
    let counted = segments(text);
    let (single, units) = match counted.encoding {
        Encoding::Gsm7 => (SINGLE.0, text.chars().count()),
        Encoding::Ucs2 => (SINGLE.1, text.encode_utf16().count()),
    };
    assert!(counted.units >= units, "{counted:?} for {units}");
    assert_eq!(counted.segments == 1, counted.units <= single, "{counted:?}");
    assert!(counted.units <= counted.segments * single, "{counted:?}");
    let more = segments(&format!("{text}a"));
    assert_eq!((more.encoding, more.units), (counted.encoding, counted.units + 1), "one more");
    assert!(
        (counted.segments..=counted.segments + 1).contains(&more.segments) || counted.segments == 1
    );
    let wide = segments(&format!("{text}\u{4e2d}"));
    assert!(wide.encoding == Encoding::Ucs2 && wide.segments >= counted.segments, "{wide:?}");
}
