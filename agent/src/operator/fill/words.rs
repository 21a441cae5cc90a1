//! Members that are words: titles, bodies, names, and what else a text says in words.

use std::ops::Range;

use serde_json::Value;

use super::super::id::noun_of;
use super::super::tag::Tag;
use super::super::token::Stop;
use super::span::{after, quoted, says_something, trimmed, until_stop};
use super::{Filling, period};

/// Words that announce a title or a name.
const CALLED: &[&str] = &["called", "titled", "named", "title", "entitled"];
/// Words between a record and what it is about.
const ABOUT: &[&str] = &["for", "to", "about", "re", "of", "on", "that", "saying"];

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

/// Returns the addresses of the command: the copies, or the others.
fn emails(filling: &Filling<'_>, copies: bool) -> Vec<String> {
    let text = filling.text;
    let copied = after(text, filling.tokens.clone(), &["cc", "copy", "ccing", "copying", "cced"]);
    let own = text.emails.iter().filter(|it| filling.tokens.contains(&it.tokens.start));
    own.filter(|it| copied.is_some_and(|at| it.tokens.start >= at) == copies)
        .map(|it| it.value.clone())
        .collect()
}

fn names(filling: &Filling<'_>) -> Vec<String> {
    let own = filling.text.names.iter().filter(|it| filling.tokens.contains(&it.tokens.start));
    own.map(|it| it.name.clone()).collect()
}

/// Returns the first person of the command.
fn person(filling: &Filling<'_>) -> Option<String> {
    names(filling).into_iter().next()
}

/// Returns the one to whom something is given: "to Dave", "for Mel", "Jess is looking after it".
fn assignee(filling: &Filling<'_>, member: &str) -> Option<String> {
    let text = filling.text;
    let mut own = text.names.iter().filter(|it| filling.tokens.contains(&it.tokens.start));
    let name = filling.contract.name.as_str();
    if filling.contract.input.requires(member)
        || name.starts_with("report.")
        || name.ends_with(".list")
    {
        return own.find(|it| !it.owns || name.starts_with("report.")).map(|it| it.name.clone());
    }
    let given = |at: usize| {
        matches!(
            text.before(at),
            "to" | "assign" | "assigned" | "give" | "inspector" | "remind" | "get" | "with"
        ) || (text.before(at) == "for" && name.starts_with("os.") && !filling.content.contains(&at))
            || text.before(at) == "by"
    };
    let staffed = |at: usize| name.starts_with("job.") && text.before(at) == "with" || given(at);
    let assigned = |at: usize| match name {
        "os.create_task" | "os.update_task" => given(at) && !filling.content.contains(&at),
        "job.create" => matches!(text.before(at), "assign" | "assigned"),
        _ => staffed(at),
    };
    own.find(|it| assigned(it.tokens.start)).map(|it| it.name.clone())
}

/// Returns a name: one that is announced, else the first.
fn name(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let call_it = filling.tokens.clone().find(|&at| {
        matches!(text.word(at), "call" | "name" | "title") && text.word(at + 1) == "it"
    });
    if let Some(at) = call_it.filter(|at| at + 2 < filling.tokens.end) {
        let range = until_stop(text, at + 2..filling.tokens.end, Stop::Comma);
        return filling.said(trimmed(text, range, false));
    }
    let stored = filling.contract.name == "os.create_snapshot";
    let words: &[&str] = if stored {
        &["called", "named", "name", "title", "as", "under"]
    } else {
        &["called", "named", "name", "as"]
    };
    if let Some(at) = after(text, filling.tokens.clone(), words) {
        let range = until_stop(text, at..filling.tokens.end, Stop::Comma);
        let end = range.clone().find(|&at| {
            matches!(text.word(at), "as" | "with" | "and" | "on")
                || text.tags[at] == Tag::Phone
                || text.tags[at] == Tag::Email
        });
        let range = trimmed(text, at..end.unwrap_or(range.end), false);
        let starts_well =
            !matches!(text.word(range.start), "a" | "an" | "the" | "supplier" | "vehicle" | "new");
        if starts_well && !range.is_empty() {
            return filling.said(range);
        }
    }
    if let Some(quoted) = quoted(text, filling.tokens.clone()) {
        return filling.said(quoted);
    }
    let own = text.names.iter().filter(|it| filling.tokens.contains(&it.tokens.start) && !it.owns);
    let longest = own.max_by_key(|it| it.tokens.len()).map(|it| it.name.clone());
    match filling.contract.domain() {
        Some("entity") => capitals(filling).or(longest).or_else(|| after_noun(filling)),
        Some("os" | "media" | "integrations") => after_noun(filling),
        _ => longest,
    }
}

/// Returns the first words with capital letters, such as the name of a company: "High Up Hire", "Hilux 3".
fn capitals(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let opens = |at: usize| at == 0 || text.tokens[at - 1].stop == Stop::Sentence;
    let known = ["I", "GST", "SMS"];
    let capital = |at: usize| text.tokens[at].capital && !known.contains(&text.said(at..at + 1));
    let start = filling.clause.clone().find(|&at| capital(at) && !opens(at))?;
    let mut end = start + 1;
    while end < filling.tokens.end
        && text.tokens[end - 1].stop == Stop::None
        && (capital(end) || text.tokens[end].is_number())
    {
        end += 1;
    }
    filling.said(start..end)
}

/// Returns the words after the word for the record, or after a colon.
fn after_noun(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let start = if filling.content.is_empty() {
        let nouns = [
            "supplier",
            "vehicle",
            "subbie",
            "subcontractor",
            "entity",
            "snapshot",
            "scaffolder",
            "insurer",
            "competitor",
        ];
        let noun = filling.clause.clone().find(|&at| nouns.contains(&text.word(at)))?;
        noun + 1
    } else {
        filling.content.start
    };
    let range = until_stop(text, start..filling.tokens.end, Stop::Comma);
    let range = trimmed(text, range, false);
    let range = if text.word(range.start) == "the" { range.start + 1..range.end } else { range };
    (!range.is_empty() && !text.tokens[range.start].is(&["record", "list", "figures", "of"]))
        .then(|| filling.said(range))
        .flatten()
}

/// Returns a title: one that is announced or quoted, else the words that are passed on, else what remains.
fn title(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    if let Some(at) = after(text, filling.tokens.clone(), CALLED) {
        let at = if text.word(at) == "it" || text.word(at) == "to" { at + 1 } else { at };
        let range = until_stop(text, at..filling.tokens.end, Stop::Comma);
        let end = range
            .clone()
            .skip(1)
            .find(|&at| matches!(text.word(at), "and" | "for") && range.end - at <= 3);
        return filling.said(trimmed(text, range.start..end.unwrap_or(range.end), false));
    }
    // "open an inspection, call it Roof void check"
    let call_it =
        filling.tokens.clone().find(|&at| text.word(at) == "call" && text.word(at + 1) == "it");
    if let Some(at) = call_it.filter(|at| at + 2 < filling.tokens.end) {
        let range = until_stop(text, at + 2..filling.tokens.end, Stop::Comma);
        return filling.said(trimmed(text, range, false));
    }
    if let Some(quoted) = quoted(text, filling.tokens.clone()) {
        return filling.said(quoted);
    }
    let noted = filling.contract.input.members().any(|it| it == "body");
    if noted || filling.contract.name.contains("update") {
        return None;
    }
    let task = filling.contract.name.ends_with("_task");
    content_title(filling)
        .or_else(|| remaining_title(filling))
        .or_else(|| if task { told_title(filling) } else { None })
        .or_else(|| event_title(filling))
}

/// Words at the end of what is passed on that do not belong to it.
const POLITE: &[&str] =
    &["please", "pls", "thanks", "ta", "cheers", "mate", "and", "then", "heaps"];

/// Returns the words that are passed on, without the time and the priority at their end.
fn content_title(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let mut range = until_stop(text, filling.content.clone(), Stop::Sentence);
    let priority = |at: &usize| {
        text.word(*at) == "priority" || text.word(*at) == "due" && period::is_time(filling, at + 1)
    };
    if let Some(at) = range.clone().find(priority) {
        let before = (range.start..at).rev().find(|it| text.tokens[*it].stop >= Stop::Comma);
        range.end = before.map_or(at, |it| it + 1);
    }
    let mut range = without_time(filling, range);
    while range.end > range.start && POLITE.contains(&text.word(range.end - 1)) {
        range.end -= 1;
    }
    (!range.is_empty()).then(|| filling.said(range)).flatten()
}

/// Returns a range without a time at its end, and without "by" before it.
fn without_time(filling: &Filling<'_>, mut range: Range<usize>) -> Range<usize> {
    let text = filling.text;
    let full = range.clone();
    while range.end > range.start
        && (period::is_time(filling, range.end - 1)
            || range.end < full.end
                && matches!(
                    text.word(range.end - 1),
                    "by" | "on" | "due" | "before" | "for" | "from" | "at"
                ))
    {
        range.end -= 1;
    }
    if range.is_empty() { full } else { range }
}

/// Returns what remains of the part that says what to do: "a quote for gutter guard".
fn remaining_title(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let clause = filling.clause.clone();
    let nouns = title_nouns(filling);
    let noun = clause.clone().find(|&at| nouns.contains(&text.word(at)));
    let head = |range: Range<usize>| {
        let range = without_time(filling, range);
        let range = trimmed(text, range, false);
        says_something(text, range.clone()).then_some(range)
    };
    if let Some(noun) = noun {
        let mut at = noun + 1;
        while at < clause.end {
            let about = ABOUT.contains(&text.word(at)) || text.tokens[at - 1].stop >= Stop::Comma;
            if about {
                let range = until_stop(text, at..clause.end, Stop::Sentence);
                let range = until_stop(
                    text,
                    range,
                    if text.tokens[at - 1].stop >= Stop::Comma {
                        Stop::Sentence
                    } else {
                        Stop::Comma
                    },
                );
                let starts = trimmed(text, range.clone(), false).start;
                let named = matches!(
                    text.tags.get(starts),
                    Some(Tag::Name | Tag::Place | Tag::Phone | Tag::Time)
                );
                if !named && let Some(range) = head(range).filter(|it| !is_party(filling, it)) {
                    return filling.said(range);
                }
            }
            at += 1;
        }
    }
    // "put a site meeting in the calendar": between the verb and the place for it.
    let end = clause.clone().find(|&at| {
        matches!(text.word(at), "in" | "on" | "into" | "for") || period::is_time(filling, at)
    });
    let start = clause
        .clone()
        .find(|&at| matches!(text.word(at), "a" | "an" | "the" | "in" | "book" | "add"));
    let range = start? + 1..end.unwrap_or(clause.end);
    let event = filling.contract.name == "calendar.create_event"
        || filling.contract.name == "os.create_task";
    let range = trimmed(text, range, false);
    (event
        && range.start < range.end
        && text.tokens.len() > 4
        && !title_nouns(filling).contains(&text.word(range.start)))
    .then(|| filling.said(range))
    .flatten()
}

/// Words for work, which tell what a quote is for from whom it is for: "the Haig St re-roof", "the Clayton strata".
const WORK: &[&str] = &[
    "re-roof",
    "reroof",
    "roof",
    "restoration",
    "repair",
    "repairs",
    "gutter",
    "gutters",
    "guttering",
    "flashing",
    "valley",
    "ridge",
    "ridges",
    "capping",
    "caps",
    "rebed",
    "repoint",
    "pointing",
    "paint",
    "painting",
    "skylight",
    "skylights",
    "whirlybird",
    "whirlybirds",
    "fascia",
    "downpipe",
    "downpipes",
    "insulation",
    "deposit",
    "claim",
    "payment",
    "callout",
    "scaffold",
    "tiles",
    "recap",
    "replacement",
    "install",
    "clean",
    "cleaning",
    "leak",
    "check",
    "damage",
    "tarp",
    "hail",
    "storm",
    "work",
    "works",
    "guard",
    "spouting",
    "battens",
    "sarking",
    "chimney",
    "iron",
    "slate",
    "metal",
    "vent",
    "vents",
    "solar",
    "job",
    "materials",
    "labour",
];

/// Whether words after "for" say for whom something is, not for what.
fn is_party(filling: &Filling<'_>, range: &Range<usize>) -> bool {
    let text = filling.text;
    let party =
        matches!(text.word(range.start), "the" | "our" | "their" | "his" | "her" | "inspector");
    party && !range.clone().any(|at| WORK.contains(&text.word(at)))
}

/// Returns the kind of an event with the one whom it is with: "appointment with Tom Nguyen".
fn event_title(filling: &Filling<'_>) -> Option<String> {
    const EVENTS: &[&str] = &[
        "appointment",
        "meeting",
        "visit",
        "inspection",
        "catchup",
        "lunch",
        "coffee",
        "chat",
        "talk",
    ];
    let text = filling.text;
    if filling.contract.name != "calendar.create_event" {
        return None;
    }
    let at = filling.clause.clone().find(|&at| EVENTS.contains(&text.word(at)))?;
    let with = text.word(at + 1) == "with";
    let name = text.names.iter().find(|it| with && it.tokens.start == at + 2);
    filling.said(at..name.map_or(at + 1, |it| it.tokens.end))
}

/// Returns what was told before the part that says what to do.
fn told_title(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let told = filling.tokens.start..filling.clause.start;
    let told = until_stop(text, told, Stop::Sentence);
    let range = trimmed(text, told, true);
    let told = says_something(text, range.clone()).then(|| filling.said(range)).flatten();
    told.or_else(|| {
        let rest = filling.clause.end..filling.tokens.end;
        let range = trimmed(text, rest, false);
        says_something(text, range.clone()).then(|| filling.said(range)).flatten()
    })
}

/// The words for the record of a tool.
fn title_nouns(filling: &Filling<'_>) -> &'static [&'static str] {
    match filling.contract.name.as_str() {
        name if name.starts_with("quote") => &["quote", "estimate", "quotation"],
        name if name.starts_with("job") => &["job"],
        name if name.starts_with("invoice") => &["invoice", "bill", "claim"],
        name if name.starts_with("inspection") => &["inspection"],
        name if name.ends_with("task") => &["task", "reminder", "to-do", "todo"],
        name if name.starts_with("calendar") => &["event", "appointment", "calendar"],
        _ => &["record"],
    }
}

/// Returns the words of a text, an email or a note. What a text is to be about is not yet its words.
fn body(filling: &Filling<'_>) -> Option<String> {
    let body = body_words(filling)?;
    let first = body.split_whitespace().next().unwrap_or_default().to_lowercase();
    let topic = matches!(first.as_str(), "about" | "re" | "regarding");
    (!(topic && is_message(filling))).then_some(body)
}

/// Whether the words are to be read by somebody else.
fn is_message(filling: &Filling<'_>) -> bool {
    matches!(filling.contract.domain(), Some("sms" | "email"))
        || filling.contract.name == "comms.draft"
}

fn body_words(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    if let Some(body) = labelled(filling, "body") {
        return Some(body);
    }
    if let Some(quoted) = quoted(text, filling.tokens.clone()) {
        return filling.said(quoted);
    }
    if !filling.content.is_empty() {
        let range = skip_recipient(filling, filling.content.clone());
        if !range.is_empty() {
            return filling.said(trimmed(text, range, true));
        }
    }
    // After a comma or a sentence: "note for lead_9, the ceiling leaks".
    let clause = filling.clause.clone();
    let sent = is_message(filling);
    let stop = clause.clone().find(|&at| text.tokens[at].stop >= Stop::Comma).map(|at| at + 1);
    if let Some(start) = stop.filter(|at| *at < filling.tokens.end) {
        let range = trimmed(text, start..filling.tokens.end, true);
        let again = range.len() <= 3 && !says_something(text, range.clone());
        if says_something(text, range.clone()) && !again && !(sent && range.len() < 2) {
            return filling.said(range);
        }
    }
    if sent {
        return about(filling);
    }
    let told = trimmed(text, filling.tokens.start..filling.clause.start, true);
    if says_something(text, told.clone()) {
        return filling.said(told);
    }
    let whole = trimmed(text, about_tokens(filling)?, true);
    (says_something(text, whole.clone())).then(|| filling.said(whole)).flatten()
}

/// Skips the one who is told something at the start of words: "tell him his roof is done".
fn skip_recipient(filling: &Filling<'_>, range: Range<usize>) -> Range<usize> {
    let text = filling.text;
    let mut start = range.start;
    while start < range.end
        && matches!(text.word(start), "that" | "know" | "to" | "say")
        && start < range.start + 2
    {
        start += 1;
    }
    start..range.end
}

/// Words for people who are written to, and within how many words after the verb they stand.
const RECIPIENTS: &[&str] = &[
    "customer",
    "client",
    "owner",
    "him",
    "her",
    "them",
    "builder",
    "strata",
    "crew",
    "supplier",
    "tenant",
    "neighbour",
    "boys",
    "office",
    "mum",
    "boss",
    "council",
    "insurer",
    "agent",
];
const RECIPIENT_WITHIN: usize = 5;

/// Returns the words after the recipient: "text 0400 123 456 we're running late".
fn about(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let recipient = filling.clause.clone().rfind(|&at| {
        let near = at < filling.clause.start + RECIPIENT_WITHIN;
        let person =
            matches!(text.tags[at], Tag::Name | Tag::Id) || RECIPIENTS.contains(&text.word(at));
        matches!(text.tags[at], Tag::Phone | Tag::Email) || (near && person)
    })?;
    let mut start = recipient + 1;
    while start < filling.clause.end
        && matches!(
            text.word(start),
            "to" | "that" | "saying" | "and" | "tell" | "him" | "her" | "them"
        )
    {
        start += 1;
    }
    let range = trimmed(text, start..filling.tokens.end, true);
    let scheduled = range.clone().all(|at| period::is_time(filling, at));
    (says_something(text, range.clone()) && range.len() >= 2 && !scheduled)
        .then(|| filling.said(range))
        .flatten()
}

/// Returns the tokens after the verb and its record.
fn about_tokens(filling: &Filling<'_>) -> Option<Range<usize>> {
    let text = filling.text;
    let clause = filling.clause.clone();
    let noun = clause.clone().find(|&at| {
        noun_of(text.word(at)).is_some()
            || matches!(text.word(at), "down" | "that" | "call" | "log")
    })?;
    Some(noun + 1..filling.tokens.end)
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
fn labelled(filling: &Filling<'_>, label: &str) -> Option<String> {
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

/// Returns the words that go above the figures of an email: "with a message thanks", "saying thanks".
fn message(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let at = after(text, filling.tokens.clone(), &["message", "saying", "says", "note"])?;
    let at = if matches!(text.word(at), "saying" | "that" | "to" | "says") { at + 1 } else { at };
    (at < filling.tokens.end && filling.clause.start + 1 < at)
        .then(|| filling.said(at..filling.tokens.end))
        .flatten()
}

/// Returns the description of a line: the words without its price, its quantity and its record.
fn described(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    if let Some(quoted) = quoted(text, filling.tokens.clone()) {
        return filling.said(quoted);
    }
    let plain = |at: usize| {
        text.tags[at] == Tag::Word
            && !text.tokens[at].is_number()
            && !matches!(
                text.word(at),
                "add"
                    | "put"
                    | "stick"
                    | "chuck"
                    | "bung"
                    | "another"
                    | "line"
                    | "item"
                    | "lines"
                    | "new"
                    | "quote"
                    | "invoice"
                    | "on"
                    | "to"
                    | "for"
                    | "at"
                    | "a"
                    | "an"
                    | "the"
                    | "of"
                    | "one"
                    | "it"
                    | "each"
                    | "per"
                    | "please"
                    | "ea"
                    | "first"
                    | "and"
                    | "then"
                    | "is"
                    | "price"
                    | "x"
                    | "with"
                    | "plus"
                    | "gst"
                    | "include"
                    | "throw"
                    | "in"
                    | "can"
                    | "you"
                    | "we"
                    | "need"
                    | "bucks"
                    | "dollars"
                    | "onto"
                    | "another's"
                    | "description"
                    | "up"
            )
            && !super::super::lexicon::is_unit(text.word(at))
    };
    // The longest run of plain words.
    let mut best: Option<Range<usize>> = None;
    let mut start: Option<usize> = None;
    for at in filling.tokens.clone().chain([filling.tokens.end]) {
        let inside = at < filling.tokens.end
            && (plain(at)
                || start.is_some()
                    && matches!(text.word(at), "of" | "and" | "to" | "with")
                    && at + 1 < filling.tokens.end
                    && plain(at + 1));
        let breaks = at > 0 && start.is_some() && text.tokens[at - 1].stop >= Stop::Comma;
        if inside && !breaks {
            start.get_or_insert(at);
        } else if let Some(from) = start.take() {
            if best.as_ref().is_none_or(|it| at - from > it.len()) {
                best = Some(from..at);
            }
            if inside {
                start = Some(at);
            }
        }
    }
    filling.said(best?)
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
    let own = filling.text.places.iter().filter(|it| filling.tokens.contains(&it.tokens.start));
    own.last().map(|it| it.value.clone())
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

/// Returns tags: "tag it before, ridge and gutter".
fn tags(filling: &Filling<'_>) -> Option<Vec<String>> {
    let text = filling.text;
    let tagging = filling.contract.input.requires("tags");
    let words: &[&str] = if tagging {
        &["as", "with", "tags", "tagged", "label", "labelled"]
    } else {
        &["tagged", "tags", "tag"]
    };
    let start = after(text, filling.tokens.clone(), words).or_else(|| {
        if !tagging {
            return None;
        }
        let id = filling.clause.clone().rfind(|&at| text.tags[at] == Tag::Id)?;
        (id + 1 < filling.tokens.end).then_some(id + 1)
    })?;
    let mut found: Vec<String> = Vec::new();
    let mut from = start;
    for at in start..filling.tokens.end {
        let word = text.word(at);
        if matches!(word, "and" | "please" | "as" | "with" | "tag" | "tags" | "the") {
            from = at + 1;
            continue;
        }
        let ends = text.tokens[at].stop >= Stop::Comma
            || at + 1 == filling.tokens.end
            || text.word(at + 1) == "and";
        if !tagging && !found.is_empty() {
            break;
        }
        if ends {
            found.extend(filling.said(from..at + 1));
            from = at + 1;
        }
    }
    found.retain(|it| it.len() <= 40);
    (!found.is_empty()).then_some(found)
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
