//! Members that are words: titles, bodies, names, and what else a text says in words.

use serde_json::Value;

use super::super::token::Stop;
use super::Filling;
use super::body::{body, message};
use super::line::described;
use super::person::{assignee, emails, name, names, person};
use super::span::{after, quoted, says_something, trimmed, until_stop};
use super::tag::tags;
use super::title::title;

/// Returns the words that the text says for a member.
pub(super) fn find(filling: &Filling<'_>, member: &str, schema: &Value) -> Option<Value> {
    let text = filling.text;
    let all = filling.tokens.clone();
    match member {
        "to" | "email" => emails(filling, false).into_iter().next().map(Value::from),
        "cc" => Some(emails(filling, true)).filter(|it| !it.is_empty()).map(Value::from),
        "contact" => {
            emails(filling, false).into_iter().next().or_else(|| person(filling)).map(Value::from)
        }
        "attendees" => Some(names(filling)).filter(|it| !it.is_empty()).map(Value::from),
        "assigned_to" | "inspector" => assignee(filling, member).map(Value::from),
        "name" => name(filling).map(Value::from),
        "title" => title(filling).map(Value::from),
        "body" => body(filling).map(Value::from),
        "query" => query(filling).map(Value::from),
        "subject" => labelled(filling, "subject").map(Value::from),
        "message" => message(filling).map(Value::from),
        "description" if filling.contract.input.requires(member) => {
            described(filling).map(Value::from)
        }
        "description" | "comment" => labelled(filling, member).map(Value::from),
        "reason" => reason(filling).map(Value::from),
        "suburb" => place(filling).map(Value::from),
        "address" | "location" | "site_address" => address(filling).map(Value::from),
        "source" => source(filling).map(Value::from),
        "service" => service(filling).map(Value::from),
        "tags" => tags(filling).map(Value::from),
        "items" => super::item::find(filling),
        "type" => entity_type(filling).map(Value::from),
        "method" => method(filling).map(Value::from),
        "reference" => labelled(filling, "reference").map(Value::from),
        "url" => all
            .clone()
            .find(|&at| text.word(at).starts_with("http"))
            .and_then(|at| filling.said(at..at + 1))
            .map(Value::from),
        "event" => {
            after(text, all, &["event"]).and_then(|at| filling.said(at..at + 1)).map(Value::from)
        }
        "payload" => payload(filling),
        _ if schema.get("type").and_then(Value::as_str) == Some("string") => {
            labelled(filling, &member.replace('_', " ")).map(Value::from)
        }
        _ => None,
    }
}

/// Returns what is looked for.
fn query(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    if let Some(quoted) = quoted(text, filling.tokens.clone()) {
        return filling.said(quoted);
    }
    let announced = after(
        text,
        filling.tokens.clone(),
        &[
            "for",
            "about",
            "mentioning",
            "mention",
            "with",
            "of",
            "containing",
            "down",
            "called",
            "on",
        ],
    );
    let start = announced?;
    let start =
        if matches!(text.word(start), "that" | "the" | "a" | "our") { start + 1 } else { start };
    let range = until_stop(text, start..filling.tokens.end, Stop::Sentence);
    let end =
        range.clone().find(|&at| matches!(text.word(at), "in" | "anywhere" | "on") && at > start);
    let range = trimmed(text, start..end.unwrap_or(range.end), false);
    (!range.is_empty()).then(|| filling.said(range)).flatten()
}

/// Returns the words after a label: "subject Start date".
pub(super) fn labelled(filling: &Filling<'_>, label: &str) -> Option<String> {
    let text = filling.text;
    let parts: Vec<&str> = label.split(' ').collect();
    let is = |at: &usize| parts.iter().enumerate().all(|(ix, part)| text.word(at + ix) == *part);
    let at = filling.tokens.clone().find(is)? + parts.len();
    let at = if matches!(text.word(at), "to" | "is" | "of" | "that") { at + 1 } else { at };
    let stop = if label == "body" { Stop::Sentence } else { Stop::Comma };
    let range = until_stop(text, at..filling.tokens.end, stop);
    let end = range.clone().find(|&at| {
        matches!(text.word(at), "body" | "subject") || text.word(at) == "and" && label != "body"
    });
    let range = if label == "body" { at..filling.tokens.end } else { at..end.unwrap_or(range.end) };
    (at < filling.tokens.end && !range.is_empty()).then(|| filling.said(range)).flatten()
}

/// Returns why something is cancelled: what is told beside it.
fn reason(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    if let Some(at) = after(
        text,
        filling.tokens.clone(),
        &["because", "reason", "cause", "since", "as", "cos", "coz"],
    ) {
        return filling.said(at..filling.tokens.end);
    }
    let told = trimmed(text, filling.tokens.start..filling.clause.start, true);
    if says_something(text, told.clone()) {
        return filling.said(told);
    }
    let stop = filling.clause.clone().find(|&at| text.tokens[at].stop >= Stop::Comma)? + 1;
    let range = trimmed(text, stop..filling.tokens.end, true);
    says_something(text, range.clone()).then(|| filling.said(range)).flatten()
}

fn place(filling: &Filling<'_>) -> Option<String> {
    let mut own = filling.text.places.iter().filter(|it| filling.tokens.contains(&it.tokens.start));
    own.next_back().map(|it| it.value.clone())
}

/// Returns an address, with the suburb that follows it.
fn address(filling: &Filling<'_>) -> Option<String> {
    let own = |start: usize| filling.tokens.contains(&start);
    let address = filling.text.addresses.iter().find(|it| own(it.tokens.start))?;
    let suburb = filling.text.places.iter().find(|it| it.tokens.start == address.tokens.end);
    let end = match suburb {
        Some(suburb) if !filling.contract.input.members().any(|it| it == "suburb") => {
            suburb.tokens.end
        }
        _ => address.tokens.end,
    };
    filling.said(address.tokens.start..end)
}

/// Returns how somebody came to us.
fn source(filling: &Filling<'_>) -> Option<String> {
    const SOURCES: &[&str] = &[
        "google",
        "facebook",
        "referral",
        "hipages",
        "website",
        "instagram",
        "radio",
        "letterbox",
        "signage",
    ];
    let mut words = filling.tokens.clone().map(|at| filling.text.word(at));
    words.find(|it| SOURCES.contains(it)).map(ToOwned::to_owned)
}

/// Returns the work that is wanted: "needs a roof repair".
fn service(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let at = after(text, filling.tokens.clone(), &["needs", "wants", "service", "after"])?;
    let at = if matches!(text.word(at), "a" | "an" | "some" | "the" | "to" | "is") {
        at + 1
    } else {
        at
    };
    let range = trimmed(text, until_stop(text, at..filling.tokens.end, Stop::Comma), false);
    (says_something(text, range.clone()) && !text.word(range.start).ends_with("ing"))
        .then(|| filling.said(range))
        .flatten()
}

/// Returns the kind of an entity.
fn entity_type(filling: &Filling<'_>) -> Option<String> {
    const TYPES: &[(&str, &str)] = &[
        ("supplier", "supplier"),
        ("suppliers", "supplier"),
        ("vehicle", "vehicle"),
        ("vehicles", "vehicle"),
        ("ute", "vehicle"),
        ("truck", "vehicle"),
        ("subbie", "subcontractor"),
        ("subbies", "subcontractor"),
        ("subcontractor", "subcontractor"),
        ("subcontractors", "subcontractor"),
        ("scaffolder", "scaffolder"),
        ("scaffolders", "scaffolder"),
        ("insurer", "insurer"),
        ("insurers", "insurer"),
        ("equipment", "equipment"),
        ("competitor", "competitor"),
        ("competitors", "competitor"),
        ("tool", "tool"),
        ("trailer", "vehicle"),
    ];
    let text = filling.text;
    if let Some(at) = after(text, filling.tokens.clone(), &["type"]) {
        return Some(text.word(at).to_owned());
    }
    let mut words = filling.tokens.clone().map(|at| text.word(at));
    words
        .find_map(|word| TYPES.iter().find(|(known, _)| *known == word))
        .map(|(_, kind)| (*kind).to_owned())
}

/// Returns how something was paid.
fn method(filling: &Filling<'_>) -> Option<String> {
    const METHODS: &[(&str, &str)] = &[
        ("cash", "cash"),
        ("card", "card"),
        ("eftpos", "card"),
        ("transfer", "bank_transfer"),
        ("bank", "bank_transfer"),
        ("cheque", "cheque"),
        ("payid", "bank_transfer"),
        ("bpay", "bpay"),
    ];
    let mut words = filling.tokens.clone().map(|at| filling.text.word(at));
    words
        .find_map(|word| METHODS.iter().find(|(known, _)| *known == word))
        .map(|(_, kind)| (*kind).to_owned())
}

/// Returns the JSON object in a text.
fn payload(filling: &Filling<'_>) -> Option<Value> {
    let said = filling.said(filling.tokens.clone())?;
    let whole = filling.text.text;
    let from = whole.find(said.as_str()).unwrap_or(0);
    let rest = whole.get(from..)?;
    let (start, end) = (rest.find('{')?, rest.rfind('}')?);
    serde_json::from_str(rest.get(start..=end)?).ok().filter(Value::is_object)
}
