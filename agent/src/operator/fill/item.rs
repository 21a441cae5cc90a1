//! The findings of an inspection in a text: what was looked at, and its condition.

use std::ops::Range;

use serde_json::{Value, json};

use super::super::tag::Tag;
use super::super::token::Stop;
use super::Filling;
use super::span::trimmed;
use super::words::labelled;

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

/// Returns the findings, each with the words as a comment. A part without a condition belongs to the finding after it,
/// if that names no area, or else to the one before it: "ridge, failed, repoint it".
pub(super) fn find(filling: &Filling<'_>) -> Option<Value> {
    if let Some(item) = labelled_item(filling) {
        return Some(json!([item]));
    }
    let parts = parts(filling);
    let mut found: Vec<Value> = Vec::new();
    let mut pending: Option<Range<usize>> = None;
    for (ix, part) in parts.iter().enumerate() {
        let own = condition(filling, part.clone()).is_some();
        let names_area = |part: &Range<usize>| part.clone().any(|at| plain(filling, at));
        if own && found.len() < ITEMS_MAX {
            let area = pending.take().filter(|_| !names_area(part));
            let whole = area.map_or(part.start, |area| area.start)..part.end;
            found.extend(item(filling, whole));
            continue;
        }
        let next = parts.get(ix + 1);
        let opens =
            next.is_some_and(|it| condition(filling, it.clone()).is_some() && !names_area(it));
        match found.last_mut().filter(|_| !opens) {
            Some(last) => add_to(filling, last, part.clone()),
            None => pending = Some(part.clone()),
        }
    }
    (!found.is_empty()).then_some(Value::Array(found))
}

/// Returns the parts of what was seen: between marks, and between conditions.
fn parts(filling: &Filling<'_>) -> Vec<Range<usize>> {
    let text = filling.text;
    let range =
        if filling.content.is_empty() { filling.tokens.clone() } else { filling.content.clone() };
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut from = range.start;
    for at in range.clone() {
        let joint = text.word(at) == "and"
            && condition(filling, from..at).is_some()
            && condition(filling, at..range.end).is_some();
        if joint || text.tokens[at].stop >= Stop::Comma || at + 1 == range.end {
            found.push(from..if joint { at } else { at + 1 });
            from = at + 1;
        }
    }
    found
}

/// Adds what a part without a condition says to the finding before it.
fn add_to(filling: &Filling<'_>, item: &mut Value, part: Range<usize>) {
    let severity = one_of(filling, part.clone(), &SEVERITIES);
    if let Some(severity) = severity {
        item["severity"] = severity.into();
    }
    let is_said = part.clone().any(|at| plain(filling, at) && filling.text.word(at) != "severity");
    let more = filling.said(part).filter(|_| is_said && !filling.content.is_empty());
    if let (Some(more), Some(comment)) = (more, item["comment"].as_str()) {
        item["comment"] = format!("{comment}, {more}").into();
    }
}

/// Returns a finding whose members are named: "area Ridge, condition failed, severity high".
fn labelled_item(filling: &Filling<'_>) -> Option<Value> {
    let label = |name: &str| labelled(filling, name);
    let (area, said) = (label("area")?, label("condition")?);
    let words = crate::text::words(&said);
    let known = |(name, all): &&(&str, &[&str])| {
        words.iter().any(|word| word == name || all.contains(&word.as_str()))
    };
    let condition = CONDITIONS.iter().find(known)?.0;
    let mut item = json!({ "area": area, "condition": condition });
    for name in ["recommendation", "comment"] {
        if let Some(said) = label(name) {
            item[name] = said.into();
        }
    }
    let severity = label("severity").map(|said| crate::text::words(&said));
    let grade = |(_, all): &&(&str, &[&str])| {
        severity.iter().flatten().any(|word| all.contains(&word.as_str()))
    };
    if let Some((severity, _)) = SEVERITIES.iter().find(grade) {
        item["severity"] = (*severity).into();
    }
    Some(item)
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
