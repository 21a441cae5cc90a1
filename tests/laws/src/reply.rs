//! Checks the laws of the readers of inbound messages, which find carrier keywords, answers
//! to asks and requests by staff. Also checks the laws of counting the segments of a message.

use std::sync::LazyLock;

use abide_agent::church::ChurchWords;
use abide_agent::mention::mentions;
use abide_agent::reply::{self, ReplyLabel, ReplyPrompt, ReplyReading};
use abide_agent::staff::{self, StaffIntent};
use abide_engine::base::limits;
use abide_engine::policy::CarrierWord;
use abide_engine::template::{Encoding, segments};
use jiff::{Timestamp, Zoned};

/// The demo church, and a Tuesday afternoon there.
static CHURCH: LazyLock<ChurchWords> = LazyLock::new(ChurchWords::demo);
static NOW: LazyLock<Zoned> = LazyLock::new(|| {
    let now = Timestamp::from_second(1_759_270_800).expect("an instant");
    now.to_zoned(CHURCH.zone.clone())
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
    for context in ReplyPrompt::ALL {
        let reading = reply::read(text, *context);
        assert_eq!(reply::read(text, *context), reading, "read twice");
        assert!((0.0..=1.0).contains(&reading.confidence), "{reading:?}");
        let stored = serde_json::to_value(&reading).expect("JSON");
        let restored: ReplyReading = serde_json::from_value(stored).expect("a reading");
        assert_eq!(restored.label, reading.label, "stored and read back");
    }
    if reply::opts_out(text) {
        let reading = reply::read(text, ReplyPrompt::Invite);
        assert_eq!(reading.label, ReplyLabel::OptOut, "an opt-out is one in every context");
    }
}

fn is_heard_by_staff(text: &str) {
    let reading = staff::read(text, &NOW, &CHURCH, staff::Intents::builtin());
    assert_eq!(staff::read(text, &NOW, &CHURCH, staff::Intents::builtin()), reading, "read twice");
    assert!((0.0..=1.0).contains(&reading.confidence), "{reading:?}");
    assert!(reading.count.is_none_or(|count| (1..=COUNT_MAX).contains(&count)), "{reading:?}");
    let time: Option<Timestamp> = reading.time.as_ref().and_then(|time| time.parse().ok());
    assert!(time.is_none_or(|time| time > NOW.timestamp()), "a service in the past: {reading:?}");
    let is_whole = reading.role.is_some() && reading.time.is_some();
    assert!(reading.intent != StaffIntent::FillRole || is_whole, "{reading:?}");
    let is_open = reading.intent == StaffIntent::Clarify && reading.of.is_some();
    assert_eq!(is_open, !reading.missing.is_empty(), "{reading:?}");
    assert_eq!(mentions(text, &NOW, &CHURCH), mentions(text, &NOW, &CHURCH));
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
