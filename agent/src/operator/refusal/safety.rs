//! What could harm people, tells others of them, or gets around the rules.

use abide_language::contract::Risk;

use super::super::id::noun_of;
use super::super::tag::{Tag, Tagged};
use super::super::terms::Directive;
use super::super::wordlist::words;
use super::{Refusal, Spoken, refusal};

pub(super) fn safety(spoken: &Spoken, text: &Tagged<'_>, records: bool) -> Option<Refusal> {
    let phrases = &words().refusal;
    let sends = spoken.asks(&phrases.sends);
    let told = text.tokens.first().is_some_and(|it| it.word == "system") && text.tokens.len() > 3;
    if spoken.asks(&phrases.injections)
        || (told && spoken.has(&["bypass", "authorised", "admin", "ignore", "override"]))
    {
        return refusal(
            Directive::Safety,
            "the text orders the operator to leave its rules",
            lowest(spoken),
            true,
        )
        .map(|it| Refusal { sweeping: !acts_on_one(text), ..it });
    }
    if bypasses(spoken) {
        return refusal(
            Directive::Safety,
            "the text asks to get around an approval or a rule",
            Risk::T2,
            false,
        );
    }
    if (sends || spoken.asks(&["again", "anyway"])) && spoken.asks(&phrases.opted_out) {
        return refusal(Directive::Safety, "a recipient has opted out", Risk::T3, false);
    }
    if spoken.asks(&phrases.reaches) && spoken.asks(&phrases.everybody) && !asks_to_read(text) {
        return refusal(
            Directive::Safety,
            "it reaches very many people, whose consent is unknown",
            Risk::T3,
            true,
        );
    }
    if !records && spoken.has(&phrases.harm) {
        return refusal(
            Directive::Safety,
            "it could harm or threaten people",
            if sends { Risk::T3 } else { Risk::T1 },
            true,
        );
    }
    if spoken.has(&phrases.prying) {
        let risk = if spoken.has(&["card", "account", "bank"]) { Risk::T3 } else { Risk::T0 };
        return refusal(
            Directive::Safety,
            "it uses what belongs to somebody without their consent",
            risk,
            false,
        );
    }
    let outsider =
        spoken.says(&phrases.outsiders) || spoken.asks(&["the bloke", "a bloke", "this bloke"]);
    let personal = spoken.has(&phrases.personal);
    if !records
        && outsider
        && personal
        && (sends || spoken.asks(&["wants", "whats", "post", "use"]))
    {
        return refusal(
            Directive::Safety,
            "it gives personal data to somebody who has no right to it",
            Risk::T3,
            false,
        );
    }
    let handed_on = spoken.asks(&[
        "send", "email", "forward", "share", "give", "flick", "shoot", "show", "pass", "mail",
    ]);
    let documents = ["quote", "invoice", "inspection", "payment", "customer", "lead"];
    let document = text.ids.iter().any(|it| it.kind.is_some_and(|kind| documents.contains(&kind)));
    if !records && document && handed_on && spoken.says(&phrases.strangers) {
        return refusal(
            Directive::Safety,
            "it shows a customer's papers to somebody else",
            Risk::T3,
            false,
        );
    }
    if spoken.asks(&phrases.secretly) {
        return refusal(
            Directive::Safety,
            "it is to be hidden from those whom it concerns",
            Risk::T1,
            false,
        );
    }
    let untrue = spoken.asks(&phrases.untrue) || (records && spoken.says(&phrases.admitted));
    if untrue && untrue_record(spoken) {
        return refusal(
            Directive::Safety,
            "it would record what is not so",
            risk_of_named(text),
            false,
        );
    }
    None
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
            phrases.controls.iter().any(|it| window.contains(&format!(" {it} ")))
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
