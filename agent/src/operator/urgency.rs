//! How soon a text wants to be acted on, and the least risk of what it asks for.

use abide_language::contract::Risk;

use super::refusal::Spoken;
use super::terms::Urgency;

/// Returns how soon a text wants to be acted on.
pub(super) fn of(spoken: &Spoken) -> Urgency {
    if spoken.asks(&[
        "emergency",
        "immediately",
        "right now",
        "right away",
        "critical",
        "life threatening",
        "this second",
        "water pouring",
        "pouring in",
    ]) {
        Urgency::Critical
    } else if spoken.asks(&[
        "urgent",
        "urgently",
        "asap",
        "straight away",
        "quickly",
        "today",
        "high priority",
        "top priority",
        "now",
        "quick",
        "pronto",
        "first thing",
    ]) {
        Urgency::High
    } else if spoken.asks(&[
        "no rush",
        "whenever",
        "when you get a chance",
        "low priority",
        "some time",
        "sometime",
        "eventually",
        "no hurry",
        "when youve got time",
    ]) {
        Urgency::Low
    } else {
        Urgency::Normal
    }
}

/// Returns the least risk of what a text asks for, if no tool says it.
pub(super) fn asked_risk(spoken: &Spoken) -> Risk {
    if spoken.asks(&["database", "drop", "truncate", "factory", "wipe", "purge", "receipts"]) {
        return Risk::T4;
    }
    let spends = spoken.asks(&[
        "order",
        "buy",
        "book",
        "pay",
        "charge",
        "transfer",
        "put fifty",
        "bet",
        "spend",
        "purchase",
        "hire",
        "subscribe",
        "card",
        "back-date",
        "backdate",
        "back date",
    ]);
    if spends
        || spoken.asks(&super::wordlist::words().refusal.sends)
            && !spoken.asks(&["give me", "show me", "tell me", "read me"])
    {
        return Risk::T3;
    }
    if spoken.asks(&["deploy", "code", "repo", "column", "commit", "branch"]) {
        return Risk::T2;
    }
    Risk::T0
}
