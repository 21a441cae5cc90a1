//! Formatting events of the ledger, one line for each event.

use serde_json::Value;

use super::members::{member, text};
use super::times::TimeFormat;

/// Maximum number of characters of an event's body that are printed on its line.
const REST_CHARS_MAX: usize = 120;
/// Maximum number of characters of a field. A longer field is left out.
const MEMBER_CHARS_MAX: usize = 60;
/// Fields of a receipt's body that are left out, because the line already shows them.
const ALREADY_SHOWN: [&str; 7] =
    ["id", "call_id", "run_id", "tool", "status", "started_at", "finished_at"];

/// Formats an event: `Tue 30 Sep 14:20  run_…  receipt  make_offers succeeded  attempt=1`.
#[must_use]
pub(crate) fn line(event: &Value, times: &TimeFormat) -> String {
    let mut words = vec![times.local(text(event, "at"))];
    let whose = ["run_id", "request_id", "stream"].map(|name| text(event, name));
    words.extend(whose.into_iter().find(|id| !id.is_empty()).map(str::to_owned));
    words.push(text(event, "kind").to_owned());
    let call = [text(event, "tool"), text(event, "status")].join(" ");
    words.push(call.trim().to_owned());
    words.extend(member(event, "body").map(body_line));
    words.retain(|word| !word.is_empty());
    words.join("  ")
}

/// Formats the body of an event on one line. Omits long fields and fields that the line already shows;
/// `--json` prints all fields.
fn body_line(body: &Value) -> String {
    let Value::Object(members) = body else { return cut(&body.to_string()) };
    let is_shown = |name: &str| ALREADY_SHOWN.contains(&name);
    let shown: Vec<String> = members
        .iter()
        .filter(|(name, value)| !value.is_null() && !is_shown(name))
        .map(|(name, value)| match value {
            Value::String(text) => format!("{name}={text}"),
            other => format!("{name}={other}"),
        })
        .filter(|member| member.chars().count() <= MEMBER_CHARS_MAX)
        .collect();
    cut(&shown.join(" "))
}

fn cut(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if flat.chars().count() <= REST_CHARS_MAX {
        return flat;
    }
    format!("{}…", flat.chars().take(REST_CHARS_MAX - 1).collect::<String>())
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_is_one_line() {
        let times =
            TimeFormat::new("2025-09-30T22:20:00Z".parse().expect("an instant"), TimeZone::UTC);
        let event = json!({"id": "evt_1", "at": "2025-09-30T19:20:00Z", "run_id": "run_1",
            "kind": "receipt", "tool": "make_offers", "status": "succeeded",
            "body": {"attempt": 1, "call_id": "call_1", "effects": {"db_writes": ["x".repeat(80)]},
                "step_id": "invite", "error": null}});
        assert_eq!(
            line(&event, &times),
            "Tue 30 Sep 19:20  run_1  receipt  make_offers succeeded  attempt=1 step_id=invite"
        );
        let bare = json!({"at": "2025-09-30T19:20:00Z", "kind": "seal"});
        assert_eq!(line(&bare, &times), "Tue 30 Sep 19:20  seal");
    }
}
