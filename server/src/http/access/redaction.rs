//! Removes the personal data from the answer of a route: phone numbers, addresses, and what people wrote.

use axum::body::{Body, to_bytes};
use axum::extract::Query;
use axum::http::{HeaderMap, Uri, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};

use crate::problem::ProblemDocument;

/// What stands in place of removed data.
const REDACTED: &str = "[redacted]";
/// Maximum size of an answer in bytes. The largest answer is a page of receipts with all their data.
const ANSWER_BYTES_MAX: usize = 64 << 20;

/// Members that say how a person can be reached, or where the person lives.
const REACHED_BY: [&str; 10] = [
    "address",
    "bcc",
    "cc",
    "contact",
    "email",
    "guardian_phone",
    "mobile",
    "phone",
    "recipient",
    "sender",
];
/// Members that contain what a person wrote, or what was written to a person.
const WRITTEN: [&str; 8] =
    ["answer", "body", "note", "notes", "question", "reply", "said", "subject"];
/// Members that name a sender or a recipient in messages, but other things elsewhere, such as a step.
const SENT_BETWEEN: [&str; 2] = ["from", "to"];
/// Members beside which `text` is written by the tenant: the topic of a fact, the explanation of a run, and
/// the digest of a method.
const BESIDE_OWN_TEXT: [&str; 3] = ["topic", "must_act", "digest"];
/// Minimum number of digits after a plus sign that make a phone number. The shortest numbers in use have
/// seven; the offset of a time zone has four.
const PHONE_DIGITS_MIN: usize = 7;
/// Minimum number of digits of a sender or recipient without a plus sign, such as a short code.
const SHORT_CODE_DIGITS_MIN: usize = 3;

/// Removes the personal data from a JSON answer. The other answers that viewers get have none: they are
/// drawings of step graphs.
pub(in crate::http) async fn redact_answer(response: Response) -> Response {
    if !is_json(response.headers()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let bytes = match to_bytes(body, ANSWER_BYTES_MAX).await {
        Ok(bytes) => bytes,
        Err(e) => return ProblemDocument::internal_in_route(e).into_response(),
    };
    if bytes.is_empty() {
        return Response::from_parts(parts, Body::empty());
    }
    match serde_json::from_slice::<Value>(&bytes) {
        Ok(mut answer) => {
            redact(&mut answer);
            parts.headers.remove(header::CONTENT_LENGTH);
            Response::from_parts(parts, Body::from(answer.to_string()))
        }
        Err(e) => ProblemDocument::internal_in_route(e).into_response(),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.contains("json"))
}

/// Removes the personal data from a value, by the names of its members. In all other texts, removes what
/// looks like a phone number in international form.
pub(in crate::http) fn redact(value: &mut Value) {
    match value {
        Value::Object(members) => redact_members(members),
        Value::Array(items) => items.iter_mut().for_each(redact),
        Value::String(text) => redact_phones(text),
        _ => {}
    }
}

fn redact_members(members: &mut Map<String, Value>) {
    let own_text = BESIDE_OWN_TEXT.iter().any(|name| members.contains_key(*name));
    let is_problem = members.contains_key("code");
    for (name, member) in members.iter_mut() {
        let name = name.as_str();
        let is_personal = REACHED_BY.contains(&name)
            || WRITTEN.contains(&name)
            || (name == "text" && !own_text)
            || (name == "message" && !is_problem)
            || (SENT_BETWEEN.contains(&name) && is_reached_by(member));
        if is_personal { hide(member) } else { redact(member) }
    }
}

/// Replaces a personal value. Ids stay, and so does the structure of objects, whose members are judged by
/// their own names: an event, for example, has its details in `body`.
fn hide(value: &mut Value) {
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::Object(members) => redact_members(members),
        Value::Array(items) => items.iter_mut().for_each(hide),
        Value::String(text) if is_id(text) => {}
        Value::String(_) | Value::Number(_) => *value = REDACTED.into(),
    }
}

/// Whether a sender or recipient is a phone number, a short code or an email address.
fn is_reached_by(value: &Value) -> bool {
    let Value::String(text) = value else { return false };
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_number = text.chars().all(|c| c.is_ascii_digit() || "+-.() ".contains(c));
    (is_number && digits >= SHORT_CODE_DIGITS_MIN) || text.contains('@')
}

/// Whether a text is an id, such as `msg_01999c113f007000805abfb5996cafbe`.
fn is_id(text: &str) -> bool {
    let id = text.split_once('_');
    id.is_some_and(|(prefix, digits)| {
        prefix.bytes().all(|byte| byte.is_ascii_lowercase())
            && digits.len() == 32
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Whether the query of a URI selects by a phone number, or by another way to reach a person.
pub(super) fn selects_by_phone(uri: &Uri) -> bool {
    let query = Query::<Vec<(String, Value)>>::try_from_uri(uri);
    let members = query.map(|Query(members)| members).unwrap_or_default();
    members.iter().any(|(name, value)| {
        let name = name.as_str();
        REACHED_BY.contains(&name) || (SENT_BETWEEN.contains(&name) && is_reached_by(value))
    })
}

/// Replaces the phone numbers in a text: a plus sign and at least [`PHONE_DIGITS_MIN`] digits, which may be
/// grouped.
fn redact_phones(text: &mut String) {
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find('+') {
        let (before, number) = rest.split_at(at);
        out.push_str(before);
        let end = phone_end(&number[1..]).map_or(0, |end| end + 1);
        out.push_str(if end > 0 { REDACTED } else { "+" });
        rest = &number[end.max(1)..];
    }
    if !out.is_empty() {
        out.push_str(rest);
        *text = out;
    }
}

/// Returns the end of the phone number with which a text begins; `None` if it begins with none.
fn phone_end(text: &str) -> Option<usize> {
    let (mut digits, mut end) = (0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '0'..='9' => {
                digits += 1;
                end = at + 1;
            }
            ' ' | '-' | '.' | '(' | ')' if digits > 0 => {}
            _ => break,
        }
    }
    (digits >= PHONE_DIGITS_MIN).then_some(end)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(mut given: Value, expected: Value) {
        redact(&mut given);
        assert_eq!(given, expected);
    }

    #[test]
    fn what_people_wrote_and_how_they_are_reached_is_removed() {
        check(
            json!({"id": "msg_1", "to": "+15125550101", "from": "72345", "body": "sure", "state": "sent"}),
            json!({"id": "msg_1", "to": REDACTED, "from": REDACTED, "body": REDACTED, "state": "sent"}),
        );
        check(
            json!({"name": "Ana", "phone": "+15125550101", "email": null, "roles": ["nursery"]}),
            json!({"name": "Ana", "phone": REDACTED, "email": null, "roles": ["nursery"]}),
        );
        check(
            json!({"result": {"rows": [{"cc": ["a@b.c"], "subject": "Hi"}]}, "phone": 5}),
            json!({"result": {"rows": [{"cc": [REDACTED], "subject": REDACTED}]}, "phone": REDACTED}),
        );
    }

    #[test]
    fn phone_numbers_are_removed_from_every_text() {
        for (given, expected) in [
            ("call +15125550101 now", "call [redacted] now"),
            ("+1 512-555-0101, +61 (4) 0012 3456.", "[redacted], [redacted]."),
            ("2025-09-30T19:20:00+00:00", "2025-09-30T19:20:00+00:00"),
            ("2 + 2 = 4, +1 more", "2 + 2 = 4, +1 more"),
            ("+", "+"),
            ("ä+15125550101ö", "ä[redacted]ö"),
            ("", ""),
        ] {
            check(json!([given]), json!([expected]));
        }
    }

    #[test]
    fn a_query_that_selects_by_a_number_is_noticed() {
        for (query, expected) in [
            ("phone=512 555 0101", true),
            ("limit=5&to=%2B15125550101", true),
            ("from=+15125550101", true),
            ("from=2025-10-05T09:00:00-05:00&to=2025-10-06T09:00:00Z", false),
            ("from=1&to=2", false),
            ("q=ana&limit=5", false),
            ("", false),
        ] {
            let uri = format!("/v1/x?{}", query.replace(' ', "%20"));
            assert_eq!(selects_by_phone(&uri.parse().expect("a URI")), expected, "{query}");
        }
    }

    #[test]
    fn texts_of_the_tenant_and_ids_and_times_stay() {
        for stays in [
            json!({"topic": "Keys?", "text": "With Pat."}),
            json!({"text": "It waits.", "next": [], "must_act": "Nobody."}),
            json!({"digest": "ab", "text": "method: a"}),
            json!({"error": {"code": "unknown_run", "message": "there is no run"}}),
            json!({"body": {"message": "msg_01999c113f007000805abfb5996cafbe", "ord": 1}}),
            json!({"from": "ask", "to": "wait"}),
            json!({"from": [{"name": "Ana", "person_id": "per_1"}], "since": "2025-09-30T19:20:00+00:00"}),
        ] {
            check(stays.clone(), stays);
        }
        check(
            json!({"from": "+15125559999", "text": "who?"}),
            json!({"from": REDACTED, "text": REDACTED}),
        );
    }
}
