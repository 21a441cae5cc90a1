//! Formatting approvals: a table of many, or a page for one.

use serde_json::Value;

use super::members::text;
use super::message::one_line;
use super::times::TimeFormat;
use super::{fact_lines, table};

/// Formats the table of `approvals list`.
#[must_use]
pub(crate) fn list(items: &[Value], times: &TimeFormat) -> String {
    table(
        ["id", "state", "risk", "what", "expires"],
        items.iter().map(|item| {
            [
                text(item, "id").to_owned(),
                text(item, "state").to_owned(),
                text(item, "risk").to_owned(),
                one_line(what(item)),
                times.local(text(item, "expires_at")),
            ]
        }),
    )
}

/// Formats the page of `approvals show`.
#[must_use]
pub(crate) fn page(item: &Value, times: &TimeFormat) -> String {
    let page = format!("{}  {}  {}", text(item, "id"), text(item, "state"), text(item, "risk"));
    let (asked, expires) = (text(item, "asked_at"), text(item, "expires_at"));
    let segments = item["shows"]["segments"].as_u64().map(|n| n.to_string()).unwrap_or_default();
    let cost = item["shows"]["cost"].as_f64().map(|cost| cost.to_string()).unwrap_or_default();
    let decided = text(item, "decided_at");
    let decided = if decided.is_empty() { String::new() } else { times.local(decided) };
    let facts = [
        ("what", what(item).to_owned()),
        ("why", text(item, "reason").to_owned()),
        ("text", text(&item["shows"], "text").to_owned()),
        ("segments", segments),
        ("cost", cost),
        ("approvers", approvers(item)),
        ("tool", text(item, "tool").to_owned()),
        ("run", text(item, "run_id").to_owned()),
        ("asked", format!("{}, {}", times.local(asked), times.since(asked))),
        ("expires", times.local(expires)),
        ("decided", decided),
        ("by", text(item, "decided_by").to_owned()),
        ("note", text(item, "note").to_owned()),
    ];
    page + &fact_lines(&facts)
}

/// Formats who must approve and who has: `2 supervisor, 1 pastor; yes so far: Ruth`. Returns an empty text if one
/// supervisor decides alone.
fn approvers(item: &Value) -> String {
    let list = |name: &str| item[name].as_array().cloned().unwrap_or_default();
    let chain = list("approvers");
    let number = |link: &Value| link["n"].as_u64().unwrap_or(1);
    if chain.iter().map(number).sum::<u64>() <= 1 {
        return String::new();
    }
    let links: Vec<String> =
        chain.iter().map(|link| format!("{} {}", number(link), text(link, "role"))).collect();
    let votes = list("votes");
    let names: Vec<&str> = votes.iter().map(|vote| text(vote, "name")).collect();
    let so_far = if names.is_empty() {
        String::new()
    } else {
        format!("; yes so far: {}", names.join(", "))
    };
    links.join(", ") + &so_far
}

/// Returns what the call would do, in words.
fn what(item: &Value) -> &str {
    match text(&item["shows"], "what") {
        "" => text(item, "tool"),
        what => what,
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_approval_shows_what_would_be_done() {
        let item = json!({
            "id": "apr_1", "state": "pending", "risk": "T3", "tool": "broadcast", "run_id": "run_1",
            "reason": "26 people are many", "asked_at": "2025-09-30T20:00:00Z",
            "expires_at": "2025-10-01T00:00:00Z",
            "shows": { "what": "text 26 people", "text": "Can you help?", "segments": 26 },
            "approvers": [{ "role": "supervisor", "n": 2 }, { "role": "pastor", "n": 1 }],
            "votes": [{ "name": "Ruth" }],
        });
        let now = "2025-09-30T21:00:00Z".parse().expect("an instant");
        let times = TimeFormat::new(now, TimeZone::UTC);
        let shown = page(&item, &times);
        let chain = "approvers 2 supervisor, 1 pastor; yes so far: Ruth";
        for line in ["what      text 26 people", "segments  26", chain] {
            assert!(shown.contains(line), "{shown}");
        }
        assert!(!shown.contains("decided"), "{shown}");
        assert!(list(&[item], &times).contains("text 26 people"));
    }
}
