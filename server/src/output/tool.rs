//! Tools, their coverage, calls and receipts, as text.

use std::fmt::Write as _;

use serde_json::Value;

use super::members::{member, text};
use super::run::effects;
use super::table;
use super::times::TimeFormat;

/// Formats a list of tools. A tool that is not configured is marked.
#[must_use]
pub(crate) fn list(tools: &[Value]) -> String {
    let rows = tools.iter().map(|tool| {
        let mark = if tool["implemented"] == true { "" } else { "not configured: " };
        [
            text(tool, "name").to_owned(),
            text(tool, "risk").to_owned(),
            text(tool, "effect").to_owned(),
            format!("{mark}{}", first_sentence(text(tool, "description"))),
        ]
    });
    table(["tool", "risk", "effect", "does"], rows)
}

fn first_sentence(about: &str) -> &str {
    about.split_once(". ").map_or(about, |(first, _)| first).trim_end_matches('.')
}

/// Formats the page of one tool.
#[must_use]
pub(crate) fn page(tool: &Value) -> String {
    let mut page = format!("{}  {}\n", text(tool, "name"), text(tool, "risk"));
    let _ = writeln!(page, "  {}\n", text(tool, "description"));
    for (label, shown) in facts(tool) {
        let _ = writeln!(page, "  {label:<12} {shown}");
    }
    for (title, schema) in [("Input", "input_schema"), ("Result", "output_schema")] {
        let _ = writeln!(page, "\n{title}\n{}", members(&tool[schema]));
    }
    page.trim_end().to_owned()
}

fn facts(tool: &Value) -> Vec<(&'static str, String)> {
    let mut facts = vec![("effect", text(tool, "effect").to_owned())];
    let idempotency = &tool["idempotency"];
    let key = member(idempotency, "key_field").and_then(Value::as_str);
    let key = key.map(|key| format!(", by `{key}`")).unwrap_or_default();
    facts.push(("idempotency", format!("{}{key}", text(idempotency, "mode"))));
    facts.push(("time limit", format!("{} ms", tool["timeout_ms"])));
    for (label, name) in [("permissions", "permissions"), ("receipt", "receipt_fields")] {
        let words = words(&tool[name]);
        if !words.is_empty() {
            facts.push((label, words));
        }
    }
    if let Some(why) = member(tool, "not_configured") {
        facts.push(("missing", text(why, "reason").to_owned()));
        facts.push(("needs", words(&why["required_env"])));
        facts.push(("next", words(&why["next_steps"])));
    }
    facts.retain(|(_, shown)| !shown.is_empty());
    facts
}

fn words(list: &Value) -> String {
    let words = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    words.collect::<Vec<_>>().join(", ")
}

/// Formats the members of an object's schema, one per line.
fn members(schema: &Value) -> String {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut lines = String::new();
    let members = schema["properties"].as_object();
    let width = members.into_iter().flatten().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, member) in members.into_iter().flatten() {
        let needed = if required.contains(&name.as_str()) { "required" } else { "" };
        let about = text(member, "description");
        let line = format!("  {name:<width$}  {:<16}  {needed:<8}  {about}", kind(member));
        let _ = writeln!(lines, "{}", line.trim_end());
    }
    if lines.is_empty() { "  nothing".to_owned() } else { lines.trim_end().to_owned() }
}

fn kind(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        let values = values.iter().map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned));
        return values.collect::<Vec<_>>().join("|");
    }
    match &schema["type"] {
        Value::String(one) => one.clone(),
        Value::Array(_) => words(&schema["type"]).replace(", ", "|"),
        _ => "any".to_owned(),
    }
}

/// Formats the numbers of tools, all together and by domain.
#[must_use]
pub(crate) fn coverage(answer: &Value) -> String {
    let row = |name: &str, counts: &Value| {
        let count = |member: &str| counts[member].to_string();
        [name.to_owned(), count("total"), count("implemented"), count("not_configured")]
    };
    let domains = answer["domains"].as_object();
    let rows = domains.into_iter().flatten().map(|(name, counts)| row(name, counts));
    table(["domain", "tools", "implemented", "not configured"], rows.chain([row("all", answer)]))
}

/// Formats the answer to a call: its receipt, or how far it has got.
#[must_use]
pub(crate) fn answer(answer: &Value) -> String {
    let mut page = format!("{}  {}\n", text(answer, "call_id"), text(answer, "status"));
    if let Some(approval) = answer["approval_id"].as_str()
        && text(answer, "status") == "waiting"
    {
        let _ = writeln!(page, "  waits    for a supervisor: `abide approvals show {approval}`");
    }
    if let Some(error) = member(answer, "error") {
        let _ = writeln!(page, "  error    {} ({})", text(error, "message"), text(error, "code"));
        if !text(error, "hint").is_empty() {
            let _ = writeln!(page, "  hint     {}", text(error, "hint"));
        }
    }
    if let Some(result) = member(answer, "result").filter(|result| !result.is_null()) {
        let shown = serde_json::to_string_pretty(result).unwrap_or_default();
        let _ = writeln!(page, "  result   {}", shown.replace('\n', "\n           "));
    }
    let did = effects(answer);
    if text(answer, "status") == "succeeded" && !did.is_empty() {
        let _ = writeln!(page, "  effects  {did}");
    }
    if let Some(key) = answer["effects"]["idempotency_hit"][0].as_str() {
        let _ = writeln!(page, "           an earlier call with the key `{key}` did the work");
    }
    page.trim_end().to_owned()
}

/// Formats a list of receipts.
#[must_use]
pub(crate) fn receipts(receipts: &[Value], times: &TimeFormat) -> String {
    let rows = receipts.iter().map(|receipt| {
        [
            times.local(text(receipt, "finished_at")),
            text(receipt, "call_id").to_owned(),
            text(receipt, "tool").to_owned(),
            text(receipt, "status").to_owned(),
            effects(receipt),
        ]
    });
    table(["finished", "call", "tool", "status", "did"], rows)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_page_of_a_tool_says_what_a_caller_needs() {
        let tool = json!({
            "name": "leads.create", "risk": "T1", "description": "Adds a lead.", "effect": "write",
            "idempotency": {"mode": "keyed", "key_field": "phone"}, "timeout_ms": 10000,
            "permissions": ["write:db"], "receipt_fields": ["result.lead_id"],
            "input_schema": {"required": ["phone"], "properties": {
                "name": {"type": "string"},
                "phone": {"type": "string", "description": "Mobile phone."}}},
            "output_schema": {"properties": {}},
        });
        let expect = "\
leads.create  T1
  Adds a lead.

  effect       write
  idempotency  keyed, by `phone`
  time limit   10000 ms
  permissions  write:db
  receipt      result.lead_id

Input
  name   string
  phone  string            required  Mobile phone.

Result
  nothing";
        assert_eq!(page(&tool), expect);
    }

    #[test]
    fn the_answer_to_a_call_says_what_happened() {
        let failed = json!({"call_id": "call_1", "status": "failed", "result": null,
            "error": {"code": "approval_required", "message": "a person must approve", "hint": "ask"}});
        let expect = "\
call_1  failed
  error    a person must approve (approval_required)
  hint     ask";
        assert_eq!(answer(&failed), expect);
        let hit = json!({"call_id": "call_2", "status": "succeeded", "result": {"lead_id": "lead_1"},
            "effects": {"db_writes": [], "messages_sent": [], "idempotency_hit": ["+61400000001"]}});
        let expect = "\
call_2  succeeded
  result   {
             \"lead_id\": \"lead_1\"
           }
           an earlier call with the key `+61400000001` did the work";
        assert_eq!(answer(&hit), expect);
    }
}
