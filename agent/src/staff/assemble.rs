//! Puts the reading of a text together: the intent, then the slots that belong to it, then what is missing.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use jiff::Zoned;

use super::amount::{Amount, amounts};
use super::role::{self, RoleMention};
use super::when::{self, When};
use super::{StaffIntent, StaffText, as_classified, classify, mask};
use crate::church::ChurchWords;

/// The words of a comparison: "3 instead of 5", "6 not 4".
const INSTEAD: &[&str] = &["instead", "not", "rather", "no"];

/// Words that move people between roles, or change the totals of several.
const MOVES: &[&str] = &[
    "reb",
    "rebalance",
    "move",
    "moving",
    "shift",
    "switch",
    "swap",
    "redistribute",
    "split",
    "instead",
    "change",
    "make",
    "pon",
    "transfer",
    "pull",
    "slide",
    "send",
    "borrow",
    "reshuffle",
    "balance",
    "even",
    "trade",
    "put",
    "take",
];
/// Words after which the last number counts: a correction.
const CORRECTS: &[&str] =
    &["no", "sorry", "make", "actually", "wait", "scratch", "mean", "meant", "rather", "too"];
/// Words before a number that is the least that would do.
const LEAST: &[&str] = &["than", "least", "minimum", "min"];
/// Words that stand for some people, without a number.
const SOME: &[&str] = &["few", "some", "handful", "several", "usual", "bunch"];

/// What a text names.
struct Slots {
    roles: Vec<RoleMention>,
    amounts: Vec<Amount>,
    when: When,
}

pub(super) fn read(text: &str, now: &Zoned, church: &ChurchWords) -> StaffText {
    let (when, all) = when::read(text, now, church);
    let spoken: Vec<&str> = all.iter().map(String::as_str).collect();
    let roles = role::mentions(&spoken, church);
    let mut taken: Vec<Range<usize>> = roles.iter().map(|mention| mention.at.clone()).collect();
    taken.extend(mask::services(&spoken, church));
    let amounts = amounts(&spoken, &taken);
    let slots = Slots { roles, amounts, when };
    let (intent, confidence) = intent(&spoken, &as_classified(text, church), &slots);
    filled(intent, confidence, &spoken, &slots)
}

/// Returns what the text asks for: as an old token says, or as the classifier finds, corrected by its numbers.
fn intent(words: &[&str], masked: &str, slots: &Slots) -> (StaffIntent, f32) {
    let (found, confidence) = classify(masked);
    let first = words.first().copied().unwrap_or_default();
    let token = match first {
        "reb" => Some(StaffIntent::Rebalance),
        "status" if words.len() <= 4 => Some(StaffIntent::Status),
        "cancel" if words.len() > 1 && !slots.roles.is_empty() => Some(StaffIntent::CancelEvent),
        _ => None,
    };
    if let Some(token) = token {
        return (token, 0.99);
    }
    let totals = totals(slots);
    let asks = matches!(
        found,
        StaffIntent::FillRole | StaffIntent::IncreaseTarget | StaffIntent::ReduceTarget
    );
    if let (true, Some((from, to))) = (asks, change(words, slots)) {
        let wanted =
            if to > from { StaffIntent::IncreaseTarget } else { StaffIntent::ReduceTarget };
        return (wanted, confidence);
    }
    let relative = slots.amounts.iter().any(|amount| amount.relative);
    let moves = words.iter().any(|word| MOVES.contains(word));
    match found {
        StaffIntent::FillRole | StaffIntent::IncreaseTarget | StaffIntent::ReduceTarget
            if totals.len() >= 2 && moves =>
        {
            (StaffIntent::Rebalance, confidence)
        }
        StaffIntent::Unrelated if !totals.is_empty() && slots.when.time.is_some() => {
            (StaffIntent::FillRole, confidence)
        }
        StaffIntent::Rebalance if !moves && !totals.is_empty() => {
            (StaffIntent::FillRole, confidence)
        }
        StaffIntent::FillRole if relative => (StaffIntent::IncreaseTarget, confidence),
        _ => (found, confidence),
    }
}

/// Returns the old and the new number of "from 6 to 4" or "6 not 4".
fn change(words: &[&str], slots: &Slots) -> Option<(i64, i64)> {
    let [one, other] = &slots.amounts[..] else { return None };
    let between = &words[one.at.end..other.at.start];
    let before = one.at.start.checked_sub(1).map(|at| words[at]);
    if before == Some("from") && between.contains(&"to") {
        return Some((one.n, other.n));
    }
    let instead = between.iter().any(|word| INSTEAD.contains(word));
    let nearby = between.len() <= 3;
    (instead && nearby).then_some((other.n, one.n))
}

/// Returns the new totals of roles: each number with the role beside it.
fn totals(slots: &Slots) -> BTreeMap<String, i64> {
    let mut totals = BTreeMap::new();
    let amounts: Vec<&Amount> = slots.amounts.iter().filter(|amount| !amount.relative).collect();
    let (Some(first), Some(role)) = (amounts.first(), slots.roles.first()) else { return totals };
    // "3 ushers, 2 greeters" or "ushers 3, greeters 2": the first pair shows which.
    let number_first = first.at.start < role.at.start;
    let mut used = BTreeSet::new();
    for mention in &slots.roles {
        let beside = if number_first {
            amounts.iter().rev().find(|amount| amount.at.end <= mention.at.start)
        } else {
            amounts.iter().find(|amount| amount.at.start >= mention.at.end)
        };
        if let Some(amount) = beside.filter(|amount| used.insert(amount.at.start)) {
            totals.entry(mention.role.clone()).or_insert(amount.n);
        }
    }
    totals
}

/// Adds the slots that belong to an intent, and says what is missing.
fn filled(intent: StaffIntent, confidence: f32, words: &[&str], slots: &Slots) -> StaffText {
    let mut reading = StaffText {
        intent,
        of: None,
        role: None,
        count: None,
        delta: None,
        time: None,
        date: None,
        targets: BTreeMap::new(),
        missing: Vec::new(),
        also: Vec::new(),
        confidence,
    };
    if matches!(intent, StaffIntent::Unrelated | StaffIntent::Pause | StaffIntent::Resume) {
        return reading;
    }
    reading.time.clone_from(&slots.when.time);
    reading.date.clone_from(&slots.when.date);
    if intent == StaffIntent::Rebalance {
        let totals = totals(slots);
        if totals.len() >= 2 {
            reading.targets = totals;
        }
    } else {
        reading.role = slots.roles.first().map(|mention| mention.role.clone());
    }
    if matches!(
        intent,
        StaffIntent::FillRole | StaffIntent::ReduceTarget | StaffIntent::IncreaseTarget
    ) {
        number(&mut reading, words, slots);
    }
    reading.missing = missing(&reading, slots);
    if !reading.missing.is_empty() {
        reading.of = Some(intent);
        reading.intent = StaffIntent::Clarify;
    }
    reading
}

/// Sets the count or the delta.
fn number(reading: &mut StaffText, words: &[&str], slots: &Slots) {
    let sign = if reading.intent == StaffIntent::ReduceTarget { -1 } else { 1 };
    if let Some((_, to)) = change(words, slots) {
        reading.count = Some(to);
        return;
    }
    let corrected = words.iter().any(|word| CORRECTS.contains(word));
    let counts = |amount: &&Amount| !is_least(words, amount);
    let mut amounts = slots.amounts.iter().filter(counts);
    let amount = if corrected { amounts.next_back() } else { amounts.next() };
    let Some(amount) = amount else {
        let vague = words.iter().any(|word| SOME.contains(word));
        let single = !vague && words.iter().any(|word| matches!(*word, "a" | "an"));
        if single && reading.intent == StaffIntent::FillRole && !slots.roles.is_empty() {
            reading.count = Some(1);
        }
        return;
    };
    if amount.relative || (reading.intent == StaffIntent::IncreaseTarget && words.contains(&"add"))
    {
        reading.delta = Some(sign * amount.n);
    } else {
        reading.count = Some(amount.n);
    }
}

/// Whether a number is the least that would do: "3 at the very minimum", "no fewer than 4".
fn is_least(words: &[&str], amount: &Amount) -> bool {
    let before = amount.at.start.checked_sub(1).map(|at| words[at]);
    let after =
        words.iter().skip(amount.at.end).take(4).any(|word| matches!(*word, "minimum" | "min"));
    before.is_some_and(|word| LEAST.contains(&word)) || after
}

/// Returns the slots that an intent needs and the text does not name.
fn missing(reading: &StaffText, slots: &Slots) -> Vec<&'static str> {
    let no_number = reading.count.is_none() && reading.delta.is_none();
    let mut missing = Vec::new();
    match reading.intent {
        StaffIntent::FillRole => {
            if reading.role.is_none() {
                missing.push("role");
            }
            if no_number {
                missing.push("count");
            }
            if reading.time.is_none() {
                missing.push("time");
            }
        }
        StaffIntent::ReduceTarget | StaffIntent::IncreaseTarget => {
            if reading.role.is_none() {
                missing.push("role");
            }
            if no_number {
                missing.push("count");
            }
        }
        StaffIntent::CancelEvent => {
            let named = reading.role.is_some() || reading.time.is_some() || reading.date.is_some();
            if !named || slots.when.unknown {
                missing.push("time");
            }
        }
        StaffIntent::Rebalance if slots.roles.len() < 2 => missing.push("targets"),
        _ => {}
    }
    missing
}
