//! Formatting messages of the staff inbox: a table of many messages, or a page for one message.

use serde_json::Value;

use super::members::text;
use super::message::one_line;
use super::times::TimeFormat;
use super::{fact_lines, table};

/// Formats the table of `inbox list`.
#[must_use]
pub(crate) fn list(items: &[Value], times: &TimeFormat) -> String {
    table(
        ["id", "received", "who", "reason", "state", "text"],
        items.iter().map(|item| {
            [
                text(item, "id").to_owned(),
                times.local(text(item, "received_at")),
                who(item),
                text(item, "reason").to_owned(),
                text(item, "state").to_owned(),
                one_line(text(item, "text")),
            ]
        }),
    )
}

/// Formats the page of `inbox show`.
#[must_use]
pub(crate) fn page(item: &Value, times: &TimeFormat) -> String {
    let page = format!("{}  {}", text(item, "id"), text(item, "state"));
    let received = text(item, "received_at");
    let facts = [
        ("who", who(item)),
        ("from", text(item, "from").to_owned()),
        ("to", text(item, "to").to_owned()),
        ("received", format!("{}, {}", times.local(received), times.since(received))),
        ("why", text(item, "why").to_owned()),
        ("assigned to", text(&item["assigned_to"], "name").to_owned()),
        ("taken over", taken_over(item, times)),
        ("run", text(item, "run_id").to_owned()),
        ("request", text(item, "request_id").to_owned()),
        ("text", text(item, "text").to_owned()),
    ];
    page + &fact_lines(&facts)
}

/// Returns who has taken over the thread of a message, and when; empty if nobody has.
fn taken_over(item: &Value, times: &TimeFormat) -> String {
    let takeover = &item["taken_over"];
    match text(takeover, "by") {
        "" => String::new(),
        by => format!("by {by}, {}", times.since(text(takeover, "at"))),
    }
}

/// Returns the name of the person whom the message concerns, or else the phone number.
fn who(item: &Value) -> String {
    let name = text(&item["person"], "name");
    let number = [text(item, "from"), text(item, "to")].concat();
    if name.is_empty() { number } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_is_a_line_or_a_page() {
        let times =
            TimeFormat::new("2025-09-30T20:20:00Z".parse().expect("an instant"), TimeZone::UTC);
        let item = json!({"id": "msg_1", "state": "open", "reason": "unmatched", "why": "Told.",
            "person": {"id": "per_1", "name": "Ana"}, "from": "+15125550101",
            "text": "who won?", "received_at": "2025-09-30T19:20:00Z"});
        let table = list(std::slice::from_ref(&item), &times);
        assert!(table.starts_with("ID     RECEIVED"), "{table}");
        assert!(table.ends_with("Ana  unmatched  open   who won?"), "{table}");
        assert_eq!(
            page(&item, &times),
            "msg_1  open\n  who       Ana\n  from      +15125550101\n\
             \x20 received  Tue 30 Sep 19:20, 1h ago\n  why       Told.\n  text      who won?"
        );
        let stranger = json!({"from": "+15125559999"});
        assert_eq!(who(&stranger), "+15125559999");
    }
}
