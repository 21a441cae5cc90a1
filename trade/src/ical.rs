//! Writes the iCalendar format of RFC 5545: escapes texts and folds long lines.

use std::fmt::Write as _;

use abide_engine::base::Timestamp;
use jiff::tz::TimeZone;

/// Maximum number of octets of a line without its end, as RFC 5545 says in section 3.1.
const LINE_OCTETS_MAX: usize = 75;
/// Who wrote the text.
const PRODUCT: &str = "-//abide//calendar//EN";

/// An event of a calendar.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// The id of the event, which is the same in each text that contains it.
    pub uid: String,
    /// When the event begins, in microseconds.
    pub starts_at: i64,
    /// When it ends, in microseconds.
    pub ends_at: i64,
    /// When it was added, in microseconds.
    pub created_at: i64,
    /// When it was last changed, in microseconds.
    pub updated_at: i64,
    /// What takes place.
    pub summary: String,
    /// More about it; empty for nothing.
    pub description: String,
    /// Where it takes place; empty for nowhere.
    pub location: String,
    /// The names or email addresses of the people who take part.
    pub attendees: Vec<String>,
}

/// Returns a calendar with these events as a text.
#[must_use]
pub fn calendar(name: &str, events: &[Event]) -> String {
    let mut text = Text::default();
    text.line("BEGIN", "VCALENDAR");
    text.line("VERSION", "2.0");
    text.line("PRODID", PRODUCT);
    text.line("CALSCALE", "GREGORIAN");
    text.line("METHOD", "PUBLISH");
    text.line("NAME", &escaped(name));
    text.line("X-WR-CALNAME", &escaped(name));
    events.iter().for_each(|event| text.event(event));
    text.line("END", "VCALENDAR");
    text.0
}

/// A text that is being written.
#[derive(Default)]
struct Text(String);

impl Text {
    fn event(&mut self, event: &Event) {
        self.line("BEGIN", "VEVENT");
        self.line("UID", &escaped(&event.uid));
        self.line("DTSTAMP", &utc(event.updated_at));
        self.line("DTSTART", &utc(event.starts_at));
        self.line("DTEND", &utc(event.ends_at));
        self.line("SUMMARY", &escaped(&event.summary));
        let optional = [("DESCRIPTION", &event.description), ("LOCATION", &event.location)];
        for (name, value) in optional.into_iter().filter(|(_, value)| !value.is_empty()) {
            self.line(name, &escaped(value));
        }
        for attendee in &event.attendees {
            match is_address(attendee) {
                true => self.line("ATTENDEE", &format!("mailto:{attendee}")),
                // An attendee is a URI, and a name is none.
                false => self.line("CONTACT", &escaped(attendee)),
            }
        }
        self.line("STATUS", "CONFIRMED");
        self.line("CREATED", &utc(event.created_at));
        self.line("LAST-MODIFIED", &utc(event.updated_at));
        self.line("END", "VEVENT");
    }

    /// Writes a line. Folds it before it has too many octets, never within a character.
    fn line(&mut self, name: &str, value: &str) {
        let mut octets = 0;
        let colon = std::iter::once(':');
        for c in name.chars().chain(colon).chain(value.chars()) {
            if octets + c.len_utf8() > LINE_OCTETS_MAX {
                self.0.push_str("\r\n ");
                octets = 1;
            }
            self.0.push(c);
            octets += c.len_utf8();
        }
        self.0.push_str("\r\n");
    }
}

/// Escapes a text value. Drops the control characters that the format does not allow.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.replace("\r\n", "\n").chars() {
        match c {
            '\\' | ';' | ',' => _ = write!(escaped, "\\{c}"),
            '\n' | '\r' => escaped.push_str("\\n"),
            c if c.is_control() && c != '\t' => {}
            c => escaped.push(c),
        }
    }
    escaped
}

fn utc(micros: i64) -> String {
    let at = Timestamp::from_micros(micros).to_jiff().to_zoned(TimeZone::UTC);
    at.strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// Whether a text can be written as it is in a `mailto:` URI.
fn is_address(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || ".-_+@".contains(c);
    let both =
        |(name, host): (&str, &str)| !name.is_empty() && !host.is_empty() && !host.contains('@');
    text.chars().all(allowed) && text.split_once('@').is_some_and(both)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Undoes the folding.
    fn unfolded(text: &str) -> String {
        text.replace("\r\n ", "")
    }

    #[test]
    fn a_calendar_is_written_as_the_standard_says() {
        let event = Event {
            uid: "event_1".to_owned(),
            starts_at: 1_759_672_800_000_000,
            ends_at: 1_759_676_400_999_999,
            created_at: 0,
            updated_at: 1_000_000,
            summary: "Roof; ridge, valley".to_owned(),
            description: "a\\b\r\nc\nd\u{7}".to_owned(),
            location: String::new(),
            attendees: vec!["ana@example.org".to_owned(), "Bo, the roofer".to_owned()],
        };
        let expected = "BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//abide//calendar//EN
CALSCALE:GREGORIAN
METHOD:PUBLISH
NAME:Ana's roofs
X-WR-CALNAME:Ana's roofs
BEGIN:VEVENT
UID:event_1
DTSTAMP:19700101T000001Z
DTSTART:20251005T140000Z
DTEND:20251005T150000Z
SUMMARY:Roof\\; ridge\\, valley
DESCRIPTION:a\\\\b\\nc\\nd
ATTENDEE:mailto:ana@example.org
CONTACT:Bo\\, the roofer
STATUS:CONFIRMED
CREATED:19700101T000000Z
LAST-MODIFIED:19700101T000001Z
END:VEVENT
END:VCALENDAR
";
        assert_eq!(calendar("Ana's roofs", &[event]), expected.replace('\n', "\r\n"));
    }

    #[test]
    fn no_line_has_too_many_octets_and_no_character_is_cut() {
        for summary in ["x".repeat(500), "ü".repeat(200), "屋根🏠".repeat(60), "x".repeat(67)]
        {
            let event = Event { summary: summary.clone(), ..Event::default() };
            let text = calendar("Roofs", &[event]);
            assert!(text.ends_with("\r\n"));
            for line in text.split("\r\n") {
                assert!(line.len() <= LINE_OCTETS_MAX, "{line}");
                assert!(!line.contains(['\r', '\n']), "{line}");
            }
            assert!(unfolded(&text).contains(&format!("SUMMARY:{summary}\r\n")));
        }
    }

    #[test]
    fn only_plain_addresses_become_links() {
        for address in ["ana@example.org", "a.b+c_d@x-y.org"] {
            assert!(is_address(address), "{address}");
        }
        for name in
            ["Ana", "@", "a@", "@b", "a@b@c", "ana@example.org\r\nX:1", "ana @b.org", "ü@b.org"]
        {
            assert!(!is_address(name), "{name}");
        }
    }
}
