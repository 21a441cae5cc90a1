//! Says in plain words what a plan would do and what its calls have done, for people who read it on a phone.

use abide_engine::base::{Value, text};

use super::plan::RunPlan;

/// Maximum number of characters of a name in a sentence.
const NAME_CHARS_MAX: usize = 60;
/// Number of records of a list that are named.
const LISTED_MAX: usize = 5;
/// The verbs of tools whose past is not formed by the rule.
const PAST: [(&str, &str); 13] = [
    ("add", "added"),
    ("finalize", "finalised"),
    ("get", "found"),
    ("log", "logged"),
    ("submit", "submitted"),
    ("send", "sent"),
    ("void", "voided"),
    ("draft", "drafted"),
    ("tag", "tagged"),
    ("find", "found"),
    ("push", "pushed"),
    ("sync", "synced"),
    ("cancel", "cancelled"),
];
/// The members by which a record is named.
const NAMES: [&str; 12] = [
    "name",
    "title",
    "number",
    "subject",
    "body",
    "reference",
    "description",
    "area",
    "amount",
    "stage",
    "month",
    "total",
];
/// The members that hold a text that a tool has written.
const WRITTEN: [&str; 1] = ["summary"];
/// Maximum number of characters of such a text.
const WRITTEN_CHARS_MAX: usize = 300;

/// Says what a plan would do: `create the task, then send the email`.
#[must_use]
pub fn plan_in_words(plan: &RunPlan) -> String {
    let mut said: Vec<String> = Vec::new();
    for tool in &plan.tool_sequence {
        let (noun, verb) = noun_and_verb(tool);
        let words = format!("{verb} the {noun}");
        if said.last() != Some(&words) {
            said.push(words);
        }
    }
    said.join(", then ")
}

/// Says what a call has done, from its receipt: `Task created: review quotes`.
#[must_use]
pub fn receipt_in_words(receipt: &Value) -> String {
    let tool = receipt.get("tool").and_then(Value::as_str).unwrap_or_default();
    let (noun, verb) = noun_and_verb(tool);
    let result = receipt.get("result").unwrap_or(&Value::Null);
    if verb == "get" {
        return record_in_words(&noun, result);
    }
    let is_list = matches!(verb.as_str(), "list" | "search" | "find" | "report");
    if let Some(items) = listed(result).filter(|_| is_list) {
        return list_in_words(&noun, items);
    }
    let written = WRITTEN.iter().find_map(|name| result.get(*name)?.as_str());
    let written = written.map(|it| text::shortened(&it.replace('\n', " "), WRITTEN_CHARS_MAX));
    let known = |it: &Value| it.get("idempotency_hit")?.as_array().map(|keys| !keys.is_empty());
    let is_known = verb == "create" && receipt.get("effects").and_then(known) == Some(true);
    let of_input = || name_of(receipt.get("input"));
    let of_result = || name_of_result(result);
    if is_known && let Some(name) = of_result() {
        return format!("{name} is a {noun} already");
    }
    let said = format!("{} {}", capital(&noun), past(&verb));
    match written.or_else(of_input).or_else(of_result) {
        Some(name) => format!("{said}: {name}"),
        None => said,
    }
}

/// Says what a record holds that was asked for: `Quote: New roof, sent, 1375.00`.
fn record_in_words(noun: &str, result: &Value) -> String {
    let records = result.as_object().into_iter().flatten();
    let record = records.map(|(_, value)| value).find(|value| value.is_object());
    let text = |name: &str| record?.get(name)?.as_str();
    let mut said: Vec<String> = name_of(record).into_iter().collect();
    let more =
        ["status", "stage", "phone", "email", "suburb", "total", "scheduled_start", "starts_at"];
    said.extend(more.into_iter().filter_map(text).map(str::to_owned));
    said.dedup();
    match said.is_empty() {
        true => format!("{} found", capital(noun)),
        false => format!("{}: {}", capital(noun), said.join(", ")),
    }
}

/// Says why a call has failed, from its receipt.
#[must_use]
pub fn failure_in_words(receipt: &Value) -> String {
    let tool = receipt.get("tool").and_then(Value::as_str).unwrap_or_default();
    let (noun, verb) = noun_and_verb(tool);
    let why = receipt.get("error").and_then(|error| error.get("message")?.as_str());
    let why = text::shortened(why.unwrap_or("it failed").trim_end_matches('.'), 140);
    format!("{} not {}: {why}", capital(&noun), past(&verb))
}

/// Splits the name of a tool into what it is about and what it does: `os.create_task` → task, create.
pub(super) fn noun_and_verb(tool: &str) -> (String, String) {
    let (domain, action) = tool.rsplit_once('.').unwrap_or(("", tool));
    let domain = domain.rsplit('.').next().unwrap_or(domain);
    match domain {
        "report" => return (action.replace('_', " "), "report".to_owned()),
        "sms" => return ("text".to_owned(), action.split('_').next().unwrap_or(action).to_owned()),
        _ => {}
    }
    match action.split_once('_') {
        Some((verb, rest)) if rest != "by_stage" => (rest.replace('_', " "), verb.to_owned()),
        _ => {
            let noun = domain.strip_suffix('s').filter(|it| !it.ends_with('s')).unwrap_or(domain);
            (noun.replace('_', " "), action.split('_').next().unwrap_or(action).to_owned())
        }
    }
}

fn past(verb: &str) -> String {
    if let Some((_, past)) = PAST.iter().find(|(known, _)| *known == verb) {
        return (*past).to_owned();
    }
    if verb.ends_with('e') {
        return format!("{verb}d");
    }
    format!("{verb}ed")
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}", chars.as_str())
}

/// Returns the records of a result that is a list.
fn listed(result: &Value) -> Option<&Vec<Value>> {
    result.as_object()?.values().find_map(Value::as_array)
}

fn list_in_words(noun: &str, items: &[Value]) -> String {
    let names: Vec<String> =
        items.iter().take(LISTED_MAX).filter_map(|item| name_of(Some(item))).collect();
    let more = items.len().saturating_sub(names.len());
    let count = match items.len() {
        0 => return format!("No {noun} found"),
        1 => format!("1 {noun}"),
        count => format!("{count} {}", plural(noun)),
    };
    let more =
        if more > 0 && !names.is_empty() { format!(" and {more} more") } else { String::new() };
    match names.is_empty() {
        true => count,
        false => format!("{count}: {}{more}", names.join(", ")),
    }
}

fn plural(noun: &str) -> String {
    if noun.ends_with('s') { noun.to_owned() } else { format!("{noun}s") }
}

fn name_of(record: Option<&Value>) -> Option<String> {
    let record = record?;
    let found = |name: &&str| {
        let value = record.get(*name)?;
        value.as_str().map(str::to_owned).or_else(|| value.as_f64().map(|it| it.to_string()))
    };
    let named = NAMES.iter().find_map(found)?;
    Some(text::shortened(&named.replace('\n', " "), NAME_CHARS_MAX))
}

/// Returns the name of the record that a result holds, or those of its records.
fn name_of_result(result: &Value) -> Option<String> {
    let values = result.as_object()?.values();
    let names = |value: &Value| match value.as_array() {
        Some(items) => {
            let names: Vec<String> =
                items.iter().take(LISTED_MAX).filter_map(|item| name_of(Some(item))).collect();
            (!names.is_empty()).then(|| names.join(", "))
        }
        None => name_of(Some(value)),
    };
    values.into_iter().find_map(names)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn receipts_are_said_in_plain_words() {
        let cases = [
            (
                json!({ "tool": "os.create_task", "input": { "title": "review quotes" } }),
                "Task created: review quotes",
            ),
            (
                json!({ "tool": "leads.create", "input": { "name": "Sarah" } }),
                "Lead created: Sarah",
            ),
            (
                json!({ "tool": "quote.finalize", "input": { "quote_id": "abc123" },
                "result": { "quote": { "title": "New roof" } } }),
                "Quote finalised: New roof",
            ),
            (
                json!({ "tool": "email.send_quote", "input": { "quote_id": "abc123" } }),
                "Quote sent",
            ),
            (
                json!({ "tool": "leads.list_by_stage", "result": { "leads": [{ "name": "Sarah" }, { "name": "Bo" }] } }),
                "2 leads: Sarah, Bo",
            ),
            (json!({ "tool": "invoice.list", "result": { "invoices": [] } }), "No invoice found"),
            (
                json!({ "tool": "report.follow_ups", "result": { "quotes": [] } }),
                "No follow ups found",
            ),
            (
                json!({ "tool": "inspection.add_items", "input": {},
                "result": { "items": [{ "id": "item_1", "area": "ridge" }], "count": 1 } }),
                "Items added: ridge",
            ),
            (
                json!({ "tool": "leads.create", "input": { "name": "S. Kelly" },
                "effects": { "idempotency_hit": ["+61400123456"] }, "result": { "lead": { "name": "Sarah Kelly" } } }),
                "Sarah Kelly is a lead already",
            ),
            (
                json!({ "tool": "quote.get", "result": { "quote": { "title": "New roof", "status": "sent" },
                "line_items": [{ "id": "qli_1" }] } }),
                "Quote: New roof, sent",
            ),
        ];
        for (receipt, said) in cases {
            assert_eq!(receipt_in_words(&receipt), said, "{receipt}");
        }
        let failed =
            json!({ "tool": "invoice.void", "error": { "message": "the invoice is paid" } });
        assert_eq!(failure_in_words(&failed), "Invoice not voided: the invoice is paid");
    }
}
