//! What no tool does, and what is paid or promised.

use abide_language::contract::Risk;

use super::super::id::noun_of;
use super::super::tag::{Tag, Tagged};
use super::super::terms::Directive;
use super::super::urgency::asked_risk;
use super::super::wordlist::words;
use super::{Reach, Refusal, Spoken, refusal};

/// Finds changes of the system itself: its database, its code, its records.
pub(super) fn machine(spoken: &Spoken) -> Option<Refusal> {
    let phrases = &words().refusal;
    let named = spoken.asks(&phrases.machine) && spoken.asks(&phrases.changes);
    if !named || spoken.asks(&["queue up", "table it", "production line", "in the queue for"]) {
        return None;
    }
    let destroys = spoken.asks(&[
        "drop",
        "delete",
        "wipe",
        "truncate",
        "purge",
        "erase",
        "rm",
        "reset",
        "clear",
        "flush",
        "nuke",
        "go into the database",
        "sql",
        "receipt",
        "receipts",
        "database",
        "restart",
    ]);
    let adds = spoken.asks(&[
        "code",
        "deploy",
        "redeploy",
        "repo",
        "branch",
        "commit",
        "registry",
        "migration",
        "schema",
    ]) && !spoken.asks(&["drop", "delete", "wipe", "truncate"]);
    let reads = spoken.asks(&["show", "give"]) && !destroys;
    let risk = if adds {
        Risk::T2
    } else if destroys {
        Risk::T4
    } else if reads {
        Risk::T0
    } else {
        Risk::T2
    };
    refusal(
        Directive::ContractCorrectness,
        "no tool changes the system itself or its records",
        risk,
        Reach::Many,
    )
}

/// Finds what takes back what is paid or promised.
pub(super) fn revenue(spoken: &Spoken, text: &Tagged<'_>) -> Option<Refusal> {
    let phrases = &words().refusal;
    let promised = spoken.asks(&phrases.promised) && !spoken.asks(&phrases.not_promised);
    let every = spoken.asks(&[
        "every job",
        "all the invoices",
        "all invoices",
        "every invoice",
        "all the jobs",
        "all jobs",
        "all the payments",
        "every quote",
        "all payments",
    ]);
    if spoken.asks(&phrases.undoes) && (promised || every) {
        let lasts = spoken
            .asks(&["job", "jobs", "invoice", "invoices", "payment", "payments", "void", "cancel"])
            || text.ids.iter().any(|it| matches!(it.kind, Some("job" | "invoice" | "payment")));
        let risk = if lasts { Risk::T4 } else { Risk::T2 };
        return refusal(
            Directive::RevenueFlow,
            "it takes back what is paid or promised",
            risk,
            if every { Reach::Many } else { Reach::One },
        );
    }
    None
}

/// Finds what is not the work of the business, unless it is to be noted or a record is named.
pub(super) fn out_of_scope(spoken: &Spoken, text: &Tagged<'_>, records: bool) -> Option<Refusal> {
    let phrases = &words().refusal;
    let named = text.tags.contains(&Tag::Id)
        || text.tags.contains(&Tag::Phone)
        || text.tokens.iter().any(|it| noun_of(&it.word).is_some_and(|kind| kind != "message"));
    if named || records || !spoken.asks(&phrases.other_work) {
        return None;
    }
    let risk = asked_risk(spoken);
    refusal(
        Directive::ContractCorrectness,
        "it is not the work of the business, and no tool does it",
        risk,
        Reach::Many,
    )
}
