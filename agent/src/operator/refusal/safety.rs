//! What could harm people, tells others of them, or gets around the rules.

use abide_language::contract::Risk;

use super::super::id::noun_of;
use super::super::tag::{Tag, Tagged};
use super::super::terms::Directive;
use super::super::wordlist::words;
use super::{Reach, Refusal, Spoken, refusal};
use crate::text::has;

/// Finds what is not safe.
pub(super) fn safety(spoken: &Spoken, text: &Tagged<'_>, records: bool) -> Option<Refusal> {
    orders(spoken, text)
        .or_else(|| recipients(spoken, text))
        .or_else(|| if records { None } else { harm(spoken) })
        .or_else(|| if records { None } else { outsiders(spoken, text) })
        .or_else(|| untruth(spoken, text, records))
}

/// Finds orders to leave the rules, or to get around an approval.
fn orders(spoken: &Spoken, text: &Tagged<'_>) -> Option<Refusal> {
    let phrases = &words().refusal;
    let told = text.tokens.first().is_some_and(|it| it.word == "system") && text.tokens.len() > 3;
    let injected = told && spoken.has(&["bypass", "authorised", "admin", "ignore", "override"]);
    if spoken.asks(&phrases.injections) || injected {
        let reach = if acts_on_one(text) { Reach::One } else { Reach::Many };
        return unsafe_text(
            "the text orders the operator to leave its rules",
            lowest(spoken),
            reach,
        );
    }
    let reason = "the text asks to get around an approval or a rule";
    bypasses(spoken).then(|| unsafe_text(reason, Risk::T2, Reach::One)).flatten()
}

/// Finds messages to people who do not want them, or to very many.
fn recipients(spoken: &Spoken, text: &Tagged<'_>) -> Option<Refusal> {
    let phrases = &words().refusal;
    let sends = spoken.asks(&phrases.sends) || spoken.asks(&["again", "anyway"]);
    if sends && spoken.asks(&phrases.opted_out) {
        return unsafe_text("a recipient has opted out", Risk::T3, Reach::One);
    }
    let all = spoken.asks(&phrases.reaches) && spoken.asks(&phrases.everybody);
    let reason = "it reaches very many people, whose consent is unknown";
    (all && !asks_to_read(text)).then(|| unsafe_text(reason, Risk::T3, Reach::Many)).flatten()
}

/// Finds what could harm people, or uses what is theirs.
fn harm(spoken: &Spoken) -> Option<Refusal> {
    let phrases = &words().refusal;
    if spoken.has(&phrases.harm) {
        let risk = if spoken.asks(&phrases.sends) { Risk::T3 } else { Risk::T1 };
        return unsafe_text("it could harm or threaten people", risk, Reach::Many);
    }
    let risk = if spoken.has(&["card", "account", "bank"]) { Risk::T3 } else { Risk::T0 };
    let reason = "it uses what belongs to somebody without their consent";
    spoken.has(&phrases.prying).then(|| unsafe_text(reason, risk, Reach::One)).flatten()
}

/// Kinds of records whose papers are between us and the customer.
const PAPERS: &[&str] = &["quote", "invoice", "inspection", "payment", "customer", "lead"];

/// Finds what tells others about people.
fn outsiders(spoken: &Spoken, text: &Tagged<'_>) -> Option<Refusal> {
    let phrases = &words().refusal;
    let strange = spoken.asks(&["the bloke", "a bloke", "this bloke"]);
    let outsider = spoken.says(&phrases.outsiders) || strange;
    let told = spoken.asks(&phrases.sends) || spoken.asks(&["wants", "whats", "post", "use"]);
    if outsider && told && spoken.has(&phrases.personal) {
        let reason = "it gives personal data to somebody who has no right to it";
        return unsafe_text(reason, Risk::T3, Reach::One);
    }
    let handed_on = spoken.asks(&[
        "send", "email", "forward", "share", "give", "flick", "shoot", "show", "pass", "mail",
    ]);
    let paper = text.ids.iter().any(|it| it.kind.is_some_and(|kind| PAPERS.contains(&kind)));
    let reason = "it shows a customer's papers to somebody else";
    let shown = paper && handed_on && spoken.says(&phrases.strangers);
    shown.then(|| unsafe_text(reason, Risk::T3, Reach::One)).flatten()
}

/// Finds what is to be hidden, or is not so.
fn untruth(spoken: &Spoken, text: &Tagged<'_>, records: bool) -> Option<Refusal> {
    let phrases = &words().refusal;
    if spoken.asks(&phrases.secretly) {
        let reason = "it is to be hidden from those whom it concerns";
        return unsafe_text(reason, Risk::T1, Reach::One);
    }
    let untrue = spoken.asks(&phrases.untrue) || (records && spoken.says(&phrases.admitted));
    let sends =
        spoken.asks(&["email", "sms", "message"]) && !spoken.asks(&["log", "record", "note"]);
    let risk = risk_of_named(text).max(if sends { Risk::T3 } else { Risk::T0 });
    let found = untrue && untrue_record(spoken);
    found.then(|| unsafe_text("it would record what is not so", risk, Reach::One)).flatten()
}

fn unsafe_text(reason: &str, risk: Risk, reach: Reach) -> Option<Refusal> {
    refusal(Directive::Safety, reason, risk, reach)
}

/// Returns the risk of a change of what a text names.
fn risk_of_named(text: &Tagged<'_>) -> Risk {
    let of = |kind: &str| match kind {
        "invoice" | "payment" => Risk::T3,
        "quote" | "job" => Risk::T2,
        _ => Risk::T1,
    };
    let ids = text.ids.iter().filter_map(|it| it.kind).map(of).max();
    let nouns = || text.tokens.iter().filter_map(|it| noun_of(&it.word)).map(of).max();
    ids.or_else(nouns).unwrap_or(Risk::T1)
}

/// Whether a text asks to get around an approval or another rule.
fn bypasses(spoken: &Spoken) -> bool {
    let phrases = &words().refusal;
    let at = |list: &[String]| -> Option<usize> {
        list.iter().filter_map(|it| spoken.own.find(&format!(" {it} "))).min()
    };
    let (Some(_), Some(_)) = (at(&phrases.bypasses), at(&phrases.controls)) else { return false };
    let near = phrases.bypasses.iter().any(|verb| {
        let verb = format!(" {verb} ");
        spoken.own.match_indices(&verb).any(|(start, _)| {
            let end = (start + verb.len() + 24).min(spoken.own.len());
            let end =
                (start..=end).rev().find(|at| spoken.own.is_char_boundary(*at)).unwrap_or(start);
            let window = format!("{} ", &spoken.own[start..end]);
            phrases.controls.iter().any(|it| has(&window, it))
        })
    });
    near || spoken.asks(&["need sign off", "so it doesnt need", "arent needed"])
}

/// Whether a text is a question about records, which reaches nobody.
fn asks_to_read(text: &Tagged<'_>) -> bool {
    let mut words = text.tokens.iter().take(3).map(|it| it.word.as_str());
    words.any(|it| matches!(it, "show" | "list" | "which" | "who" | "how" | "what" | "whats"))
        && !text.tokens.iter().any(|it| it.is(&["to", "send", "email"]))
}

/// Whether something untrue is to be recorded, rather than told of.
fn untrue_record(spoken: &Spoken) -> bool {
    let records = spoken.asks(&[
        "log",
        "record",
        "mark",
        "change",
        "put",
        "write",
        "make",
        "back-date",
        "backdate",
        "back date",
        "forge",
        "fake",
        "add",
        "edit",
        "alter",
        "set",
        "send",
        "text",
        "complete",
        "submit",
        "create",
        "invoice",
        "say",
        "pretend",
        "date",
        "finalise",
        "sign",
    ]);
    let strong = spoken.asks(&[
        "fake",
        "forge",
        "back-date",
        "backdate",
        "back date",
        "make it look like",
        "never happened",
        "pretend",
        "put their name to it",
        "make up",
        "false",
        "isnt there",
        "pretending",
        "never looked at",
        "backdated",
        "back-dated",
        "doctor the",
    ]);
    let unfinished = spoken.asks(&[
        "mark",
        "complete",
        "accepted",
        "log",
        "record",
        "submit",
        "invoice",
        "put in that",
        "bill it",
    ]);
    strong || records && unfinished
}

/// Whether a text is about one record.
fn acts_on_one(text: &Tagged<'_>) -> bool {
    text.tags.iter().any(|tag| matches!(tag, Tag::Id))
}

fn lowest(spoken: &Spoken) -> Risk {
    if spoken.has(&["refund", "delete", "void", "wipe", "drop"]) { Risk::T4 } else { Risk::T3 }
}
