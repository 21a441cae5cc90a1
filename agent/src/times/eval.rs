//! The kind `times` of `abide eval`: a line of JSON in, a line of JSON out.

use jiff::Zoned;
use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::times::grammar::read_phrase;
use crate::times::resolve::first_instant;

/// The zone of a reference without a zone and an offset.
const ZONE_DEFAULT: &str = "America/Chicago";
/// RFC 3339 with an offset in numbers.
const FORMAT: &str = "%Y-%m-%dT%H:%M:%S%.f%:z";

#[derive(Debug, Deserialize)]
struct Input {
    reference: String,
    phrase: String,
    tz: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Output {
    Time {
        start: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        end: Option<String>,
        grain: &'static str,
    },
    None {
        none: bool,
    },
}

/// Reads `{reference, phrase, tz?}`; writes `{start, end?, grain}` or `{none:true}`.
///
/// # Errors
///
/// Says what is wrong with the line.
pub fn eval(line: &str) -> Result<String, String> {
    let input: Input = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let reference = reference(&input)?;
    let output = match read_phrase(&input.phrase, &reference) {
        None => Output::None { none: true },
        Some(reading) => Output::Time {
            start: shown(&reading.start),
            end: reading.end.as_ref().map(shown),
            grain: reading.grain.as_str(),
        },
    };
    serde_json::to_string(&output).map_err(|error| error.to_string())
}

fn shown(time: &Zoned) -> String {
    time.strftime(FORMAT).to_string()
}

/// The reference time in the zone `tz`, else in its own offset, else in the default zone.
fn reference(input: &Input) -> Result<Zoned, String> {
    let wrong = || format!("not a time in RFC 3339: `{}`", input.reference);
    let pieces = Pieces::parse(input.reference.trim()).map_err(|_| wrong())?;
    let time = pieces.date().to_datetime(pieces.time().unwrap_or_default());
    let named =
        |name: &str| TimeZone::get(name).map_err(|_| format!("unknown time zone: `{name}`"));
    let offset = pieces.to_numeric_offset();
    let own = pieces.to_time_zone().map_err(|_| wrong())?.or(offset.map(TimeZone::fixed));
    let zone = match (&input.tz, own) {
        (Some(name), _) => named(name)?,
        (None, Some(own)) => own,
        (None, None) => named(ZONE_DEFAULT)?,
    };
    match offset {
        Some(offset) => Ok(offset.to_timestamp(time).map_err(|_| wrong())?.to_zoned(zone)),
        None => {
            let clock = jiff::Timestamp::UNIX_EPOCH.to_zoned(zone);
            first_instant(time, &clock).ok_or_else(wrong)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::eval;

    #[test]
    fn lines_are_answered_with_lines() {
        let cases = [
            (
                r#"{"reference":"2026-01-13T14:20:00-06:00","phrase":"9am"}"#,
                r#"{"start":"2026-01-14T09:00:00-06:00","grain":"hour"}"#,
            ),
            // The reference's own offset counts also beyond a change of the clocks.
            (
                r#"{"reference":"2026-01-13T14:20:00-06:00","phrase":"July 4"}"#,
                r#"{"start":"2026-07-04T00:00:00-06:00","grain":"day"}"#,
            ),
            (
                r#"{"reference":"2026-01-13T14:20:00","phrase":"July 4"}"#,
                r#"{"start":"2026-07-04T00:00:00-05:00","grain":"day"}"#,
            ),
            (
                r#"{"reference":"2026-01-13T20:20:00Z","tz":"Asia/Tokyo","phrase":"today 7-9pm"}"#,
                concat!(
                    r#"{"start":"2026-01-14T19:00:00+09:00","end":"2026-01-14T21:00:00+09:00","#,
                    r#""grain":"hour"}"#
                ),
            ),
            (
                r#"{"reference":"2026-01-13T20:20:00Z","phrase":"now","more":1}"#,
                r#"{"start":"2026-01-13T20:20:00+00:00","grain":"second"}"#,
            ),
            (r#"{"reference":"2026-01-13T20:20:00Z","phrase":""}"#, r#"{"none":true}"#),
        ];
        for (line, expected) in cases {
            assert_eq!(eval(line).as_deref(), Ok(expected), "{line}");
        }
    }

    #[test]
    fn wrong_lines_say_what_is_wrong() {
        let cases = [
            (r#"{"reference":"soon","phrase":"9am"}"#, "not a time in RFC 3339: `soon`"),
            (
                r#"{"reference":"2026-01-13T20:20:00Z","phrase":"9am","tz":"Mars/Base"}"#,
                "unknown time zone: `Mars/Base`",
            ),
            (r#"{"reference":"2026-01-13T20:20:00Z"}"#, "missing field `phrase`"),
            ("", "EOF"),
        ];
        for (line, expected) in cases {
            let error = eval(line).expect_err(line);
            assert!(error.starts_with(expected), "{line}: {error}");
        }
    }
}
