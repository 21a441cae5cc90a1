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

/// Words for what takes records or the system away.
const DESTROYING: &[&str] = &[
    "drop",
    "truncate",
    "factory",
    "wipe",
    "purge",
    "receipts",
    "delete",
    "erase",
    "destroy",
    "nuke",
    "shred",
    "all trace",
    "every trace",
    "any trace",
    "clear out",
    "clear the",
    "clear all",
    "void",
    "refund",
    "rm",
];
/// Words for the system itself, to which a text that reaches nobody may do anything.
const SYSTEM: &[&str] = &["database"];
/// Words for what costs money, or moves it.
const SPENDING: &[&str] = &[
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
    "get us",
    "grab us",
    "fetch us",
    "get me a",
    "grab me",
    "donate",
    "invoice",
    "payment",
    "deposit",
    "loan",
    "rent",
];
/// Words for what people outside notice, besides the verbs that reach them.
const OUTSIDE: &[&str] = &[
    "dob",
    "facebook",
    "instagram",
    "review",
    "reviews",
    "online",
    "stop",
    "offer",
    "contract",
    "sue",
    "threaten",
];
/// Words for the rules and the code of the system.
const RULES: &[&str] = &[
    "deploy",
    "redeploy",
    "code",
    "repo",
    "column",
    "commit",
    "branch",
    "approval",
    "approvals",
    "sign off",
    "sign offs",
    "gate",
    "gates",
    "source",
    "schema",
    "settings",
    "permissions",
    "limits",
    "checks",
    "config",
    "supervisor",
    "admin",
    "migration",
    "server",
    "quote",
    "job",
    "inspection",
];
/// Words for changes of our own records.
const CHANGING: &[&str] = &[
    "mark", "put", "log", "record", "note", "change", "edit", "add", "remove", "hide", "leave",
    "set", "update", "alter", "fake", "forge", "rewrite", "pretend",
];
/// Words for what is told to the writer, which reaches nobody else.
const TOLD_TO_US: &[&str] = &[
    "give me", "show me", "tell me", "read me", "give us", "show us", "tell us", "let me", "let us",
];

/// Returns the least risk of what a text asks for, if no tool says it.
pub(super) fn asked_risk(spoken: &Spoken) -> Risk {
    let sends = spoken.asks(&super::wordlist::words().refusal.sends);
    let told_to_us = spoken.asks(TOLD_TO_US);
    if spoken.asks(DESTROYING) || (spoken.asks(SYSTEM) && !sends) {
        Risk::T4
    } else if spoken.asks(SPENDING) || spoken.asks(OUTSIDE) || (sends && !told_to_us) {
        Risk::T3
    } else if spoken.asks(RULES) && !told_to_us {
        Risk::T2
    } else if spoken.asks(CHANGING) {
        Risk::T1
    } else {
        Risk::T0
    }
}
