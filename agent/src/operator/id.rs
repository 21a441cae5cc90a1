//! Ids in a text, and what each is the id of: "q-204", "inv_44", "job 7", "abc123".

use std::ops::Range;

use super::tag::{Tag, Tagged};
use super::token::Stop;

/// Maximum number of characters of an id.
const CHARS_MAX: usize = 60;
/// The fewest characters of an id that begins with digits and has no sign, such as "9f3e2".
const MIXED_MIN: usize = 5;

/// The kinds of records, by the letters before the number of an id.
const PREFIXES: [(&str, &[&str]); 15] = [
    ("quote", &["q", "qt", "qte", "quo", "quote", "est"]),
    ("invoice", &["inv", "invoice"]),
    ("job", &["j", "jb", "job"]),
    ("lead", &["l", "ld", "lead"]),
    ("customer", &["c", "cu", "cus", "cust", "customer", "client"]),
    ("inspection", &["insp", "ins", "inspection"]),
    ("task", &["t", "tsk", "task", "todo"]),
    ("note", &["n", "nt", "note"]),
    ("media", &["m", "med", "media", "photo", "img", "asset"]),
    ("payment", &["p", "pay", "pmt", "payment"]),
    ("message", &["msg", "sms", "email", "em", "mail"]),
    ("entity", &["ent", "entity", "sup", "supplier", "veh", "vehicle"]),
    ("event", &["ev", "evt", "event", "cal"]),
    ("line_item", &["li", "line", "item", "ln"]),
    ("comm", &["com", "comm", "comms", "cm", "log"]),
];
/// The kinds of records, by the words for them.
const NOUNS: [(&str, &[&str]); 15] = [
    ("quote", &["quote", "estimate", "quotation"]),
    ("invoice", &["invoice", "bill"]),
    ("job", &["job"]),
    ("lead", &["lead", "enquiry", "prospect"]),
    ("customer", &["customer", "client"]),
    ("inspection", &["inspection"]),
    ("task", &["task", "todo", "to-do", "reminder"]),
    ("note", &["note"]),
    ("media", &["media", "photo", "asset", "picture", "image", "pic"]),
    ("payment", &["payment"]),
    ("message", &["message", "sms", "text", "email"]),
    ("entity", &["entity", "supplier", "vehicle", "subbie", "subcontractor"]),
    ("event", &["event", "appointment"]),
    ("line_item", &["line", "item"]),
    ("comm", &["comm", "comms", "draft", "entry"]),
];
/// Letters after digits that make a quantity, a time or an ordinal of them.
const UNITS: &[&str] = &[
    "am", "pm", "st", "nd", "rd", "th", "k", "m", "kg", "mm", "cm", "km", "sqm", "m2", "lm", "x",
    "h", "hr", "hrs", "min", "mins", "d", "yo", "ish", "days", "metres",
];
/// Words between a noun and the number of its id.
const NUMBER_WORDS: &[&str] = &["number", "no", "num", "id", "#"];

/// An id in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SaidId {
    pub(super) tokens: Range<usize>,
    pub(super) id: String,
    /// The kind of the record, if the id or a word beside it says so.
    pub(super) kind: Option<&'static str>,
}

/// Finds the ids.
pub(super) fn find(text: &Tagged<'_>) -> Vec<SaidId> {
    let mut found = Vec::new();
    for at in 0..text.tokens.len() {
        if text.tags.get(at) == Some(&Tag::Word)
            && let Some(id) = at_token(text, at)
        {
            found.push(id);
        }
    }
    found
}

fn at_token(text: &Tagged<'_>, at: usize) -> Option<SaidId> {
    let word = text.word(at);
    if word.len() > CHARS_MAX {
        return None;
    }
    let (noun, told) = noun_before(text, at);
    let marked = word.starts_with('#');
    let plain = word.trim_start_matches('#');
    let kind = kind_of(plain);
    let is_number = !plain.is_empty() && plain.bytes().all(|byte| byte.is_ascii_digit());
    let is_id = match kind {
        _ if is_number => marked || noun.is_some() && !counts(text, at),
        Some(_) => true,
        None => is_code(plain) || (told && is_plain_code(plain)),
    };
    let noun_after = || noun_of(text.word(at + 1)).filter(|_| text.tokens[at].stop == Stop::None);
    let said = text.text.get(text.tokens[at].bytes.clone())?.trim_start_matches('#').to_owned();
    let own = if is_number { None } else { kind };
    // "lead 5521" and "quote abc123" say it beside the id; "job t_12" is a task of the job.
    let kind = own.or(noun).or_else(noun_after);
    is_id.then_some(SaidId { tokens: at..at + 1, id: said, kind })
}

/// Whether a number after a noun counts something: "invoice 3 days overdue".
fn counts(text: &Tagged<'_>, at: usize) -> bool {
    let after = text.word(at + 1);
    let units = [
        "days", "day", "weeks", "times", "hours", "metres", "dollars", "plus", "percent", "am",
        "pm", "x",
    ];
    text.tokens.get(at).is_some_and(|it| it.stop == Stop::None) && units.contains(&after)
}

/// Returns the kind of record that the word before a token names, and whether a word such as "id" or "number"
/// announces an id.
fn noun_before(text: &Tagged<'_>, at: usize) -> (Option<&'static str>, bool) {
    let Some(before) = at.checked_sub(1) else { return (None, false) };
    let ends = |at: usize| text.tokens.get(at).is_none_or(|it| it.stop >= Stop::Comma);
    if ends(before) {
        return (None, false);
    }
    let told = NUMBER_WORDS.contains(&text.word(before));
    if !told {
        return (noun_of(text.word(before)), false);
    }
    let noun = before.checked_sub(1).filter(|at| !ends(*at)).and_then(|at| noun_of(text.word(at)));
    (noun, noun.is_some())
}

/// Returns the record that a context names, if it names exactly one.
pub(super) fn given(context: &serde_json::Map<String, serde_json::Value>) -> Option<SaidId> {
    let mut ids = context.iter().filter_map(|(member, value)| {
        let kind = member.strip_suffix("_id")?;
        let kind = NOUNS.iter().find(|(known, _)| *known == kind)?.0;
        Some(SaidId { tokens: 0..0, id: value.as_str()?.to_owned(), kind: Some(kind) })
    });
    let first = ids.next()?;
    ids.next().is_none().then_some(first)
}

/// Whether records are of this kind.
pub(super) fn is_record(kind: &str) -> bool {
    NOUNS.iter().any(|(known, _)| *known == kind)
}

/// Returns the kind of record that a tool works on.
pub(super) fn kind_of_tool(tool: &str) -> Option<&'static str> {
    let (domain, act) = tool.split_once('.')?;
    let named = |kind: &str| match domain {
        "leads" => kind == "lead",
        "os" => act.split('_').any(|part| part == kind),
        "email" => {
            act.strip_prefix("send_").is_some_and(|sent| sent == kind)
                || (act == "send" && kind == "message")
        }
        "sms" => kind == "message",
        "calendar" => kind == "event",
        "comms" => kind == "comm",
        _ => kind == domain,
    };
    NOUNS.iter().find(|(kind, _)| named(kind)).map(|(kind, _)| *kind)
}

/// Returns the kind of record that a word names.
pub(super) fn noun_of(word: &str) -> Option<&'static str> {
    NOUNS.iter().find(|(_, nouns)| nouns.contains(&word)).map(|(kind, _)| *kind)
}

/// Returns the kind that the letters before the number of an id say.
fn kind_of(word: &str) -> Option<&'static str> {
    let letters = word.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (prefix, rest) = word.split_at(letters);
    let number = rest.strip_prefix(['-', '_']).unwrap_or(rest);
    let signed = number.len() < rest.len();
    let is_number = number.bytes().any(|byte| byte.is_ascii_digit())
        && number.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let kind = PREFIXES.iter().find(|(_, prefixes)| prefixes.contains(&prefix))?;
    // "t4" is a tier, "m2" a unit: one letter needs a sign or three digits.
    let enough = signed || prefix.len() >= 3 || number.len() >= 3;
    (is_number && enough).then_some(kind.0)
}

/// Whether a word has letters and digits as only an id has.
fn is_code(word: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    if digits == 0 || letters == 0 || !word.bytes().all(allowed) {
        return false;
    }
    let number = word.bytes().take_while(u8::is_ascii_digit).count();
    if number == 0 {
        // "abc123", "i-88"; not "covid-19".
        return letters <= 12 && digits + letters >= 3 && !word.starts_with("covid");
    }
    let unit = &word[number..];
    let clock = unit.starts_with("am")
        || unit.starts_with("pm")
        || word.ends_with("am")
        || word.ends_with("pm");
    !clock && word.len() >= MIXED_MIN && !UNITS.contains(&unit) && !unit.starts_with('-')
}

/// Whether a word after "id" may be an id.
fn is_plain_code(word: &str) -> bool {
    word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::super::testing::tagged;

    #[test]
    fn ids_say_what_they_are_of() {
        let cases = [
            ("finalise abc123 and email it", "abc123"),
            ("email Q-204", "Q-204 quote"),
            ("void inv_44", "inv_44 invoice"),
            ("start job 7, please", "7 job"),
            ("quote number 17 for cust_9", "17 quote, cust_9 customer"),
            ("quote abc123", "abc123 quote"),
            ("show 5 quotes", ""),
            ("3rd of may at 9am, 7am-3pm, 12m2, T4", ""),
            ("the invoice 3 days late", ""),
        ];
        for (text, expected) in cases {
            let found = tagged(text).ids;
            let shown = found.iter().map(|it| format!("{} {}", it.id, it.kind.unwrap_or_default()));
            let shown: Vec<String> = shown.map(|it| it.trim().to_owned()).collect();
            assert_eq!(shown.join(", "), expected, "{text}");
        }
    }
}
