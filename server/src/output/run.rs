//! Formatting runs: a table of many runs, or a page for one run.

use std::fmt::Write as _;

use serde_json::Value;

use super::members::{member, text};
use super::times::TimeFormat;
use super::{counted, table};

/// Formats the table of `run list`.
#[must_use]
pub(crate) fn list(runs: &[Value], times: &TimeFormat) -> String {
    table(
        ["run", "method", "status", "waits for", "next", "updated"],
        runs.iter().map(|run| {
            [
                text(run, "id").to_owned(),
                text(run, "method").to_owned(),
                status(run),
                member(run, "waiting_on").map(waits_briefly).unwrap_or_default(),
                times.until(text(run, "next_timer_at")),
                times.since(text(run, "updated_at")),
            ]
        }),
    )
}

/// Formats the table of `run list --stuck`: the cause of each delay, and who must act.
#[must_use]
pub(crate) fn stuck(runs: &[Value], times: &TimeFormat) -> String {
    table(
        ["run", "method", "waits for", "late since", "cause", "who must act"],
        runs.iter().map(|run| {
            let stuck = &run["stuck"];
            [
                text(run, "id").to_owned(),
                text(run, "method").to_owned(),
                member(run, "waiting_on").map(waits_briefly).unwrap_or_default(),
                times.local(text(stuck, "since")),
                text(stuck, "cause").to_owned(),
                text(stuck, "must_act").to_owned(),
            ]
        }),
    )
}

/// Formats the status of a run with its outcome: `completed, fell short`.
/// While the kill switch is on, adds that the run is held: `waiting, held`.
#[must_use]
pub(crate) fn status(run: &Value) -> String {
    let status = text(run, "status");
    let status =
        if run["shadow"] == true { format!("shadow, {status}") } else { status.to_owned() };
    match text(run, "outcome") {
        "" if run["held"] == true => format!("{status}, held"),
        "" => status,
        outcome => format!("{status}, {}", outcome.replace('_', " ")),
    }
}

/// Formats the page of `run show`.
#[must_use]
pub(crate) fn page(
    run: &Value,
    receipts: &[Value],
    messages: &[Value],
    times: &TimeFormat,
) -> String {
    let mut page = String::new();
    let _ = writeln!(page, "{}  {}", text(run, "id"), status(run));
    for (label, shown) in facts(run, times) {
        let _ = writeln!(page, "  {label:<9} {shown}");
    }
    if let Some(Value::Object(vars)) = member(run, "vars").filter(|vars| !is_empty(vars)) {
        let _ = writeln!(page, "\nVariables");
        let width = vars.keys().map(|name| name.chars().count()).max().unwrap_or(0);
        for (name, value) in vars {
            let _ = writeln!(page, "  {name:<width$}  {}", brief(value));
        }
    }
    if !receipts.is_empty() {
        let _ = writeln!(page, "\nReceipts\n{}", indent(&receipt_table(receipts, times)));
    }
    if !messages.is_empty() {
        let _ = writeln!(page, "\nMessages\n{}", indent(&super::message::list(messages, times)));
    }
    page.trim_end().to_owned()
}

fn facts(run: &Value, times: &TimeFormat) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    let version = run.get("method_version").map(|v| format!(", version {v}")).unwrap_or_default();
    facts.push(("method", format!("{}{version}", text(run, "method"))));
    if let Some(goal) = member(run, "goal") {
        facts.push(("goal", brief(goal)));
    }
    for (label, name) in
        [("request", "request_id"), ("parent", "parent_id"), ("replaces", "replaces")]
    {
        if let Some(id) = run.get(name).and_then(Value::as_str) {
            facts.push((label, id.to_owned()));
        }
    }
    if let Some(position) = member(run, "position") {
        facts.push(("position", place(position)));
    }
    if let Some(waiting) = member(run, "waiting_on") {
        facts.push(("waits for", waits_fully(waiting, times)));
    }
    if let Some(at) = run.get("next_timer_at").and_then(Value::as_str) {
        facts.push(("next", format!("{}, {}", times.local(at), times.until(at))));
    }
    if let Some(error) = member(run, "error") {
        facts.push(("error", format!("{} ({})", text(error, "message"), text(error, "code"))));
        if !text(error, "hint").is_empty() {
            facts.push(("hint", text(error, "hint").to_owned()));
        }
    }
    facts.push(("started", times.local(text(run, "created_at"))));
    facts.push(("updated", times.local(text(run, "updated_at"))));
    facts
}

/// Formats the position of a run: `wait_for_replies (steps/2), item 3`.
fn place(position: &Value) -> String {
    let mut place = text(position, "step_id").to_owned();
    if !text(position, "path").is_empty() {
        let _ = write!(place, " ({})", text(position, "path"));
    }
    if let Some(ix) = position.get("foreach_index").and_then(Value::as_u64) {
        let _ = write!(place, ", item {}", ix + 1);
    }
    place
}

/// Formats a wait in short: `replies, 3 of 5`.
fn waits_briefly(waiting: &Value) -> String {
    let kind = text(waiting, "kind").replace('_', " ");
    match (waiting.get("have").and_then(Value::as_i64), waiting.get("need").and_then(Value::as_i64))
    {
        (Some(have), Some(need)) => format!("{kind}, {have} of {need}"),
        _ => kind,
    }
}

/// Formats a wait in full: the condition, its start and deadline, who has not answered, and the reason.
fn waits_fully(waiting: &Value, times: &TimeFormat) -> String {
    let mut said = waits_briefly(waiting);
    if let Some(since) = waiting.get("since").and_then(Value::as_str) {
        let _ = write!(said, ", since {}", times.local(since));
    }
    if let Some(until) = waiting.get("until").and_then(Value::as_str) {
        let _ = write!(said, ", until {}", times.local(until));
    }
    let silent: Vec<&str> = waiting["from"]
        .as_array()
        .map(|from| from.iter().map(|person| text(person, "name")).collect())
        .unwrap_or_default();
    match silent.as_slice() {
        [] => {}
        few if few.len() <= 12 => {
            let _ = write!(said, "\n            silent: {}", few.join(", "));
        }
        many => {
            let _ = write!(
                said,
                "\n            silent: {} and {} more",
                many[..12].join(", "),
                many.len() - 12
            );
        }
    }
    if !text(waiting, "why").is_empty() {
        let _ = write!(said, "\n            {}", text(waiting, "why"));
    }
    said
}

fn receipt_table(receipts: &[Value], times: &TimeFormat) -> String {
    table(
        ["finished", "step", "tool", "status", "attempt", "did"],
        receipts.iter().map(|receipt| {
            [
                times.local(text(receipt, "finished_at")),
                text(receipt, "step_id").to_owned(),
                text(receipt, "tool").to_owned(),
                text(receipt, "status").to_owned(),
                receipt["attempt"].to_string(),
                effects(receipt),
            ]
        }),
    )
}

/// Describes what a call changed, or why it failed.
pub(super) fn effects(receipt: &Value) -> String {
    if let Some(error) = member(receipt, "error") {
        return format!("{} ({})", text(error, "message"), text(error, "code"));
    }
    let count = |name| receipt["effects"][name].as_array().map_or(0, Vec::len);
    let counts = [
        (count("db_writes"), "row"),
        (count("messages_sent"), "message"),
        (count("files_written"), "file"),
    ];
    let shown: Vec<String> =
        counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| counted(*n, what)).collect();
    shown.join(", ")
}

/// Formats a value as JSON, cut after 100 characters.
fn brief(value: &Value) -> String {
    const CHARS_MAX: usize = 100;
    let shown = value.to_string();
    let count = shown.chars().count();
    if count <= CHARS_MAX {
        return shown;
    }
    let cut: String = shown.chars().take(CHARS_MAX).collect();
    match value {
        Value::Array(items) => format!("{cut}… ({} items)", items.len()),
        _ => format!("{cut}… ({count} characters)"),
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_none_or(serde_json::Map::is_empty)
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn waiting() -> Value {
        json!({
            "id": "run_1", "method": "fill_roles", "method_version": 1, "status": "waiting",
            "goal": {"kind": "FillRole", "role": "nursery", "count": 5}, "request_id": "req_1",
            "position": {"step_id": "wait_for_replies", "path": "steps/2"},
            "vars": {"candidates": ["per_1", "per_2"]},
            "waiting_on": {"kind": "replies", "since": "2025-09-30T19:20:00Z",
                "until": "2025-10-01T01:20:00Z", "need": 5, "have": 3,
                "from": [{"person_id": "per_4", "name": "Dana"}, {"person_id": "per_5", "name": "Eli"}]},
            "next_timer_at": "2025-10-01T01:20:00Z",
            "created_at": "2025-09-30T19:20:00Z", "updated_at": "2025-09-30T20:00:00Z",
        })
    }

    fn times() -> TimeFormat {
        let zone = jiff::tz::TimeZone::get("America/Chicago").expect("a zone");
        TimeFormat::new("2025-09-30T22:20:00Z".parse().expect("an instant"), zone)
    }

    #[test]
    fn a_page_shows_what_is_waited_for_and_who_is_silent() {
        let receipt = json!({"finished_at": "2025-09-30T19:20:00Z", "step_id": "make_offers",
            "tool": "make_offers", "status": "succeeded", "attempt": 1,
            "effects": {"db_writes": [{}, {}], "messages_sent": ["msg_1"]}});
        let expect = "\
run_1  waiting
  method    fill_roles, version 1
  goal      {\"count\":5,\"kind\":\"FillRole\",\"role\":\"nursery\"}
  request   req_1
  position  wait_for_replies (steps/2)
  waits for replies, 3 of 5, since Tue 30 Sep 14:20, until Tue 30 Sep 20:20
            silent: Dana, Eli
  next      Tue 30 Sep 20:20, in 3h
  started   Tue 30 Sep 14:20
  updated   Tue 30 Sep 15:00

Variables
  candidates  [\"per_1\",\"per_2\"]

Receipts
  FINISHED          STEP         TOOL         STATUS     ATTEMPT  DID
  Tue 30 Sep 14:20  make_offers  make_offers  succeeded  1        2 rows, 1 message";
        assert_eq!(page(&waiting(), &[receipt], &[], &times()), expect);
    }

    #[test]
    fn a_list_has_one_line_per_run() {
        let expect = "\
RUN    METHOD      STATUS   WAITS FOR        NEXT   UPDATED
run_1  fill_roles  waiting  replies, 3 of 5  in 3h  2h 20m ago";
        assert_eq!(list(&[waiting()], &times()), expect);
    }

    #[test]
    fn stuck_runs_are_listed_with_cause_and_who_must_act() {
        let mut run = waiting();
        run["stuck"] = json!({"since": "2025-09-30T21:20:00Z", "cause": "it is due, but no process has taken it",
            "must_act": "An operator"});
        let expect = "\
RUN    METHOD      WAITS FOR        LATE SINCE        CAUSE                                   WHO MUST ACT
run_1  fill_roles  replies, 3 of 5  Tue 30 Sep 16:20  it is due, but no process has taken it  An operator";
        assert_eq!(stuck(&[run], &times()), expect);
    }

    #[test]
    fn a_failure_is_shown_with_its_hint() {
        let mut run = waiting();
        run["status"] = "failed".into();
        run["error"] = json!({"code": "approval_required", "message": "31 people are too many",
            "hint": "ask fewer", "step_id": "broadcast"});
        let page = page(&run, &[], &[], &times());
        assert!(page.contains("  error     31 people are too many (approval_required)"), "{page}");
        assert!(page.contains("  hint      ask fewer"), "{page}");
    }
}
