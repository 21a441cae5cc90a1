//! Finds what a text names for an intent of a home.

use std::collections::BTreeMap;

use abide_language::base::Value;
use jiff::Zoned;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::super::slots::{NamedSlots, slots};
use super::{OwnIntent, Slot, SlotKind};
use crate::church::ChurchWords;
use crate::phone;
use crate::text::{has, padded, words};

/// What a text asks for, if that is an intent of a home.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OwnRequest {
    /// The name of the intent.
    pub intent: String,
    /// What the text names, by slot.
    #[serde(default)]
    pub slots: BTreeMap<String, Value>,
}

/// The fewest and the most digits of a phone number.
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 7..=15;
/// Words after an amount of money.
const MONEY: [&str; 6] = ["dollars", "dollar", "bucks", "usd", "aud", "pesos"];
/// Maximum number of characters that a slot of words keeps.
const TEXT_MAX: usize = 1_000;

impl OwnIntent {
    /// Returns what a text names for this intent.
    #[must_use]
    pub fn named(&self, text: &str, now: &Zoned, church: &ChurchWords) -> BTreeMap<String, Value> {
        let rest = Rest::of(text, self);
        let named = slots(&rest.words, now, church);
        let found = self.slots.iter().filter_map(|slot| {
            let value = match slot.kind {
                SlotKind::Phone => rest.phone.clone().map(Value::String),
                SlotKind::Money => rest.money.clone(),
                SlotKind::Choice => chosen(text, slot).map(Value::from),
                SlotKind::Text => spoken(text).map(Value::from),
                SlotKind::Role | SlotKind::Count | SlotKind::Time | SlotKind::Date => {
                    of_staff(slot.kind, &named)
                }
            };
            Some((slot.name.clone(), value?))
        });
        found.collect()
    }

    /// Returns the slots without which nothing starts and that a text did not name.
    #[must_use]
    pub fn missing(&self, named: &BTreeMap<String, Value>) -> Vec<String> {
        let lacks = |slot: &&Slot| slot.required && !named.contains_key(&slot.name);
        self.slots.iter().filter(lacks).map(|slot| slot.name.clone()).collect()
    }

    /// Returns a text in which the words for its choices are one word, so that the examples with one value teach
    /// all of them.
    #[must_use]
    pub fn masked(&self, text: &str) -> String {
        let mut shown = padded(text);
        let mut all: Vec<&String> = self.slots.iter().flat_map(Slot::words).collect();
        all.sort_by_key(|words| std::cmp::Reverse(words.len()));
        for words in all {
            shown = shown.replace(&padded(words), " xvalue ");
        }
        shown.trim().to_owned()
    }
}

fn of_staff(kind: SlotKind, named: &NamedSlots) -> Option<Value> {
    match kind {
        SlotKind::Role => named.roles.first().cloned().map(Value::String),
        SlotKind::Count => named.count.map(Value::from),
        SlotKind::Time => named.time.clone().map(Value::String),
        _ => {
            let day = named.time.as_deref().and_then(|time| time.get(..10));
            named.date.as_deref().or(day).map(Value::from)
        }
    }
}

/// Returns the value that a text chooses: the one with the longest words in it.
fn chosen<'s>(text: &str, slot: &'s Slot) -> Option<&'s str> {
    let spoken = padded(&words(text).join(" "));
    let named = slot.choices.iter().flat_map(|choice| {
        let words = choice.words.iter().filter(|words| has(&spoken, words));
        words.map(|words| (words.len(), choice.value.as_str()))
    });
    named.max_by_key(|(length, _)| *length).map(|(_, value)| value)
}

/// Returns the words that a text hands on: those in quotes, else those after a colon, else all.
fn spoken(text: &str) -> Option<&str> {
    let quote = |c: char| matches!(c, '"' | '“' | '”');
    let quoted = text.split(quote).nth(1).filter(|_| text.matches(quote).count() >= 2);
    let after = || text.split_once(": ").map(|(_, after)| after);
    let words = quoted.or_else(after).unwrap_or(text).trim();
    let end = words.char_indices().nth(TEXT_MAX).map_or(words.len(), |(at, _)| at);
    words.get(..end).filter(|words| !words.is_empty())
}

/// A text without its phone number and its money, whose digits are neither people nor hours.
struct Rest {
    words: String,
    phone: Option<String>,
    money: Option<Value>,
}

impl Rest {
    fn of(text: &str, intent: &OwnIntent) -> Self {
        let wants = |kind| intent.slots.iter().any(|slot| slot.kind == kind);
        let mut rest = Self { words: text.to_owned(), phone: None, money: None };
        if wants(SlotKind::Phone) {
            rest.cut_phone();
        }
        if wants(SlotKind::Money) {
            rest.cut_money();
        }
        rest
    }

    fn cut_phone(&mut self) {
        let found = phone::runs(&self.words).find(|run| PHONE_DIGITS.contains(&run.digits));
        let Some(run) = found else { return };
        self.phone = self.words.get(run.range.clone()).map(ToOwned::to_owned);
        self.words.replace_range(run.range, " ");
    }

    fn cut_money(&mut self) {
        let parts: Vec<&str> = self.words.split_whitespace().collect();
        let amount = |at: usize| {
            let marked = parts[at].trim_start_matches('(').strip_prefix('$');
            let unit = parts.get(at + 1).map(|next| next.trim_matches(['.', ',', '!', '?']));
            let named = unit.is_some_and(|unit| MONEY.contains(&unit.to_lowercase().as_str()));
            let figure = marked.or_else(|| named.then_some(parts[at]))?;
            let plain = figure.trim_end_matches(['.', ',', '!', '?', ')']).replace(',', "");
            let value = match plain.parse::<i64>() {
                Ok(whole) => json!(whole),
                Err(_) => json!(plain.parse::<f64>().ok().filter(|value| value.is_finite())?),
            };
            Some((at, if marked.is_some() { 1 } else { 2 }, value))
        };
        let Some((at, length, value)) = (0..parts.len()).find_map(amount) else { return };
        self.money = Some(value);
        self.words = [&parts[..at], &parts[at + length..]].concat().join(" ");
    }
}
