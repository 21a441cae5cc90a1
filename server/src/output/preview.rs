//! Formatting what a shadow run would do.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::members::text;
use super::run::status;
use super::times::TimeFormat;
use super::{counted, table};

/// What a shadow run would do, as the API tells it.
pub(crate) struct Preview {
    /// The run.
    pub(crate) run: Value,
    /// The events of the run, oldest first.
    pub(crate) events: Vec<Value>,
    /// The messages of the run, oldest first.
    pub(crate) messages: Vec<Value>,
    /// The receipts of the run, oldest first.
    pub(crate) receipts: Vec<Value>,
}

impl Preview {
    fn bodies<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        let of_kind = self.events.iter().filter(move |event| text(event, "kind") == kind);
        of_kind.map(|event| &event["body"])
    }

    fn summary(&self) -> Value {
        self.bodies("shadow.played").last().cloned().unwrap_or(Value::Null)
    }

    /// Returns the calls to outside systems: the name of the tool, and whom it would call.
    fn calls(&self) -> Vec<[String; 2]> {
        let mut calls = Vec::new();
        for receipt in &self.receipts {
            let outside = receipt["effects"]["external_calls"].as_array().into_iter().flatten();
            calls.extend(
                outside.map(|call| {
                    [text(receipt, "tool").to_owned(), text(call, "target").to_owned()]
                }),
            );
        }
        calls
    }

    /// Returns the preview as one JSON object.
    #[must_use]
    pub(crate) fn to_json(&self) -> Value {
        let approvals: Vec<&Value> = self.bodies("approval.would_ask").collect();
        serde_json::json!({
            "run": self.run,
            "summary": self.summary(),
            "messages": self.messages,
            "approvals": approvals,
            "receipts": self.receipts,
        })
    }

    /// Formats the preview for people.
    #[must_use]
    pub(crate) fn page(&self, times: &TimeFormat) -> String {
        let (run, summary) = (&self.run, self.summary());
        let mut page = String::new();
        let _ = writeln!(page, "{}  {}", text(run, "id"), status(run));
        let _ = writeln!(page, "  {}, version {}", text(run, "method"), run["method_version"]);
        if let Some(real) = run["beside"].as_str() {
            let _ = writeln!(page, "  beside the real run {real}");
        }
        if run["error"].is_object() {
            let error = &run["error"];
            let _ = writeln!(
                page,
                "  it would fail: {} ({})",
                text(error, "message"),
                text(error, "code")
            );
        }
        if summary.is_null() {
            let _ = writeln!(page, "  not played yet");
            return page.trim_end().to_owned();
        }
        let count = |name: &str| summary[name].as_i64().unwrap_or(0);
        let _ = writeln!(
            page,
            "  if nobody answers, it would send {} ({}) to {}, ask for {}, and end {}",
            counted(count("messages"), "text"),
            counted(count("segments"), "segment"),
            people(count("people")),
            counted(count("approvals"), "approval"),
            times.local(text(&summary, "ends_at")),
        );
        self.add_messages(&mut page, times);
        self.add_approvals(&mut page, times);
        let calls = self.calls();
        if !calls.is_empty() {
            let _ =
                writeln!(page, "\nCalls to outside systems (not made; their answers are assumed)");
            let _ = writeln!(page, "{}", table(["tool", "to"], calls.into_iter()));
        }
        page.trim_end().to_owned()
    }

    fn add_messages(&self, page: &mut String, times: &TimeFormat) {
        if self.messages.is_empty() {
            return;
        }
        let planned: BTreeMap<&str, &str> = self
            .bodies("message.would_send")
            .map(|body| (text(body, "message"), text(body, "at")))
            .collect();
        let _ = writeln!(page, "\nTexts (not sent)");
        let rows = self.messages.iter().map(|message| {
            [
                times.local(planned.get(text(message, "id")).copied().unwrap_or_default()),
                text(message, "to").to_owned(),
                text(message, "kind").to_owned(),
                message["segments"].to_string(),
                super::message::one_line(text(message, "body")),
            ]
        });
        let _ = writeln!(page, "{}", table(["at", "to", "kind", "segments", "text"], rows));
    }

    fn add_approvals(&self, page: &mut String, times: &TimeFormat) {
        let rows: Vec<[String; 4]> = self
            .bodies("approval.would_ask")
            .map(|asked| {
                let what = match text(&asked["shows"], "what") {
                    "" => text(asked, "tool").to_owned(),
                    what => what.to_owned(),
                };
                let (risk, reason) =
                    (text(asked, "risk").to_owned(), text(asked, "reason").to_owned());
                [times.local(text(asked, "at")), risk, what, reason]
            })
            .collect();
        if !rows.is_empty() {
            let _ = writeln!(page, "\nApprovals (not asked; counted as given)");
            let _ =
                writeln!(page, "{}", table(["at", "risk", "to do", "reason"], rows.into_iter()));
        }
    }
}

fn people(count: i64) -> String {
    if count == 1 { "1 person".to_owned() } else { format!("{count} people") }
}

#[cfg(test)]
mod tests {
    use abide_engine::base::Timestamp;
    use jiff::tz::TimeZone;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_preview_says_what_would_be_sent_asked_and_called() {
        let event = |kind: &str, body: Value| json!({"kind": kind, "body": body});
        let preview = Preview {
            run: json!({"id": "run_1", "shadow": true, "method": "fill_roles", "method_version": 2, "status": "completed", "outcome": "fell_short"}),
            events: vec![
                event(
                    "message.would_send",
                    json!({"message": "msg_1", "at": "2025-09-30T15:00:00Z"}),
                ),
                event(
                    "approval.would_ask",
                    json!({"at": "2025-09-30T21:00:00Z", "risk": "T3", "reason": "12 people", "tool": "broadcast", "shows": {"what": "text 12 people"}}),
                ),
                event(
                    "shadow.played",
                    json!({"messages": 1, "segments": 2, "people": 1, "approvals": 1, "ends_at": "2025-10-01T00:00:00Z"}),
                ),
            ],
            messages: vec![
                json!({"id": "msg_1", "to": "+15125550101", "kind": "invite", "segments": 2, "body": "Hi Ana"}),
            ],
            receipts: vec![
                json!({"tool": "email.send", "effects": {"external_calls": [{"target": "ana@example.org"}]}}),
            ],
        };
        let now: Timestamp = "2025-09-30T14:00:00Z".parse().expect("an instant");
        let page = preview.page(&TimeFormat::new(now, TimeZone::UTC));
        for part in [
            "run_1  shadow, completed, fell short",
            "would send 1 text (2 segments) to 1 person, ask for 1 approval, and end Wed 1 Oct 00:00",
            "Hi Ana",
            "text 12 people",
            "ana@example.org",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert_eq!(preview.to_json()["approvals"][0]["tool"], "broadcast");
    }
}
