//! The findings of an inspection in a text: what was looked at, and its condition.

use std::ops::Range;

use serde_json::{Value, json};

use super::super::tag::Tag;
use super::super::token::Stop;
use super::Filling;
use super::span::trimmed;

/// Most findings of one text.
const ITEMS_MAX: usize = 50;
/// Words for a condition.
const CONDITIONS: [(&str, &[&str]); 4] = [
    ("good", &["good", "fine", "sound"]),
    ("fair", &["fair", "okay", "worn", "weathered", "faded", "moss", "mossy", "lichen"]),
    (
        "failed",
        &[
            "failed",
            "failing",
            "collapsed",
            "missing",
            "gone",
            "through",
            "rotten",
            "leaking",
            "shot",
            "buggered",
            "stuffed",
            "seized",
            "asbestos",
        ],
    ),
    (
        "poor",
        &[
            "poor",
            "cracked",
            "cracking",
            "broken",
            "rusted",
            "rust",
            "rusty",
            "slipped",
            "lifted",
            "loose",
            "torn",
            "blocked",
            "perished",
            "damaged",
            "split",
            "bad",
            "crumbling",
            "water",
            "stain",
            "holes",
            "dented",
            "corroded",
            "sagging",
            "chipped",
            "nest",
            "worn",
        ],
    ),
];
/// Words that say how much a finding matters.
const SEVERITIES: [(&str, &[&str]); 3] = [
    ("high", &["high", "urgent", "severe", "dangerous"]),
    ("medium", &["medium", "moderate"]),
    ("low", &["low", "minor"]),
];

/// Returns the findings, each with the words as a comment. A part without a condition is none.
pub(super) fn find(filling: &Filling<'_>) -> Option<Value> {
    let text = filling.text;
    let range =
        if filling.content.is_empty() { filling.tokens.clone() } else { filling.content.clone() };
    let mut found: Vec<Value> = Vec::new();
    let mut from = range.start;
    for at in range.clone() {
        let joint = text.word(at) == "and"
            && condition(filling, from..at).is_some()
            && condition(filling, at..range.end).is_some();
        let end = if joint { at } else { at + 1 };
        if joint || text.tokens[at].stop >= Stop::Comma || at + 1 == range.end {
            let part = from..end;
            match item(filling, part.clone()) {
                Some(item) if found.len() < ITEMS_MAX => found.push(item),
                _ => {}
            }
            from = at + 1;
        }
    }
    (!found.is_empty()).then_some(Value::Array(found))
}

fn item(filling: &Filling<'_>, range: Range<usize>) -> Option<Value> {
    let text = filling.text;
    let condition = condition(filling, range.clone())?;
    let whole = trimmed(text, without_order(filling, range.clone()), false);
    let comment = filling.said(whole.clone())?;
    let area: Vec<&str> =
        whole.clone().filter(|&at| plain(filling, at)).map(|at| text.word(at)).collect();
    let area = if area.is_empty() { comment.clone() } else { area.join(" ") };
    let area: String = area.chars().take(200).collect();
    let mut item = json!({ "area": area, "condition": condition, "comment": comment });
    if let Some(severity) = one_of(filling, range, &SEVERITIES) {
        item["severity"] = severity.into();
    }
    Some(item)
}

/// Whether a word may name what was looked at.
fn plain(filling: &Filling<'_>, at: usize) -> bool {
    let word = filling.text.word(at);
    let listed = |table: &[(&str, &[&str])]| table.iter().any(|(_, words)| words.contains(&word));
    let small = matches!(
        word,
        "the"
            | "a"
            | "an"
            | "is"
            | "are"
            | "on"
            | "in"
            | "that"
            | "it"
            | "and"
            | "there"
            | "has"
            | "have"
            | "of"
    );
    filling.text.tags[at] != Tag::Id
        && !listed(&CONDITIONS)
        && !listed(&SEVERITIES)
        && !small
        && !filling.text.tokens[at].is_number()
}

/// Returns a part without the order to add it: "add to the inspection that the valley is rusted".
fn without_order(filling: &Filling<'_>, range: Range<usize>) -> Range<usize> {
    let order = |at: usize| {
        matches!(
            filling.text.word(at),
            "add"
                | "put"
                | "record"
                | "include"
                | "to"
                | "on"
                | "in"
                | "into"
                | "the"
                | "inspection"
                | "that"
                | "log"
                | "a"
                | "finding"
                | "defect"
                | "item"
                | "items"
                | "found"
                | "roof"
                | "these"
                | "also"
                | "note"
                | "write"
                | "this"
                | "defects"
                | "measurement"
        ) || filling.text.tags[at] == Tag::Id
    };
    let start = range.clone().find(|&at| !order(at)).unwrap_or(range.end);
    let end = (start..range.end).rev().find(|&at| !order(at)).map_or(start, |at| at + 1);
    start..end
}

fn condition(filling: &Filling<'_>, range: Range<usize>) -> Option<&'static str> {
    one_of(filling, range, &CONDITIONS)
}

fn one_of(
    filling: &Filling<'_>,
    range: Range<usize>,
    table: &[(&'static str, &[&str])],
) -> Option<&'static str> {
    let mut words = range.map(|at| filling.text.word(at));
    words
        .find_map(|word| table.iter().find(|(_, words)| words.contains(&word)))
        .map(|(value, _)| *value)
}
