//! Corrections within a text: "5, no wait, 6", "greeters, I mean ushers", "at 9, sorry, 11".

use std::mem::discriminant;

use super::said::{Said, service_hour};
use super::token::{Kind, Token};
use crate::church::ChurchWords;

/// Wordings that take back what was said, the longest first.
const MARKERS: &[&str] = &[
    "no thats too many",
    "no thats not enough",
    "no thats too few",
    "let me rephrase",
    "on second thought",
    "actually make that",
    "actually make it",
    "i should say",
    "no wait",
    "wait no",
    "no sorry",
    "sorry no",
    "i mean",
    "i meant",
    "make that",
    "make it",
    "scratch that",
    "strike that",
    "or rather",
    "no actually",
    "actually no",
    "my bad",
    "better yet",
    "hang on",
    "hold on",
    "no just",
    "just kidding",
    "kidding",
    "correction",
    "oops",
    "whoops",
    "wait",
    "sorry",
    "actually",
    "perdon",
    "digo",
    "mejor",
    "nvm",
    "no",
];
/// Words between markers.
const FILLERS: &[&str] =
    &["|", "!", "um", "uh", "oh", "er", "hmm", "and", "so", "but", "meant", "its"];
/// Words of a number that is too low, and not taken back.
const TOO_FEW: &[&str] = &["enough", "cut", "few"];
/// How far after a marker the correction stands.
const REACH: usize = 7;

/// Takes out of a text what it takes back.
pub(super) fn apply(tokens: &mut Vec<Token>, church: &ChurchWords) {
    let mut at = 1;
    while at < tokens.len() {
        let end = marker_end(tokens, at);
        if end > at && correct(tokens, at..end, church) {
            at = 1;
        } else {
            at = at.max(end) + 1;
        }
    }
}

/// Words between two numbers of which the second is meant: "3 uh 4 ushers".
const STUMBLES: &[&str] = &["uh", "um", "er", "eh"];

/// Returns the end of the markers that start at a token; its own place if none do.
fn marker_end(tokens: &[Token], start: usize) -> usize {
    let mut end = start;
    loop {
        let mut at = end;
        while at > start && tokens.get(at).is_some_and(|it| it.is_any(FILLERS)) {
            at += 1;
        }
        let stumbles = at > 0
            && tokens.get(at).is_some_and(|it| it.is_any(STUMBLES))
            && tokens[at - 1].amount().is_some()
            && tokens.get(at + 1).is_some_and(|it| it.amount().is_some());
        if stumbles {
            return at + 1;
        }
        let marker = MARKERS.iter().find(|marker| {
            let mut said = tokens[at.min(tokens.len())..].iter();
            marker.split(' ').all(|word| said.next().is_some_and(|it| it.is_any(&[word])))
        });
        let Some(marker) = marker else { return end };
        let next = at + marker.split(' ').count();
        // "3 ushers, no parking" takes nothing back.
        // "5 isn't enough, make it 7" takes nothing back.
        let raises =
            marker.starts_with("make") && tokens[..start].iter().any(|it| it.is_any(TOO_FEW));
        let refuses = raises
            || *marker == "no"
                && (tokens.get(next).is_some_and(|it| {
                    it.role().is_some() || it.is_any(&["need", "more", "longer", "one"])
                }) || !tokens[start - 1].is_any(&["|", "!", "?"]));
        if refuses {
            return end;
        }
        end = next;
    }
}

/// Applies the correction after a marker. Returns whether there was one.
fn correct(tokens: &mut Vec<Token>, marker: std::ops::Range<usize>, church: &ChurchWords) -> bool {
    let nearest = tokens[..marker.start].iter().rposition(is_item);
    let Some(nearest) = nearest else { return false };
    let after = (marker.end..tokens.len()).find(|at| !tokens[*at].is_any(FILLERS));
    hour(tokens, nearest, after.unwrap_or(marker.end), church);
    let reach = marker.end..(marker.end + REACH).min(tokens.len());
    let mut dropped: Vec<usize> = Vec::new();
    let mut seen = Vec::new();
    for at in reach {
        let kind = discriminant(&tokens[at].kind);
        if !is_item(&tokens[at]) || seen.contains(&kind) {
            continue;
        }
        seen.push(kind);
        let old = tokens[..marker.start].iter().rposition(|it| discriminant(&it.kind) == kind);
        let Some(old) = old else { continue };
        if tokens[old].time().is_some() {
            keep_day(tokens, old, at);
        }
        dropped.push(old);
        let more = tokens.get(old + 1).is_some_and(|it| it.is_any(&["more", "less", "fewer"]));
        if tokens[old].amount().is_some() && more {
            dropped.push(old + 1);
        }
    }
    if dropped.is_empty() {
        return false;
    }
    let mut at = 0;
    tokens.retain(|_| {
        at += 1;
        !dropped.contains(&(at - 1)) && !marker.contains(&(at - 1))
    });
    true
}

fn is_item(token: &Token) -> bool {
    !matches!(token.kind, Kind::Word | Kind::Mark)
}

/// Makes a time of a number that corrects one: "at 9, sorry, 11".
fn hour(tokens: &mut [Token], nearest: usize, after: usize, church: &ChurchWords) {
    let is_time = tokens[nearest].time().is_some_and(Said::is_service);
    let counted = tokens.get(after + 1).is_some_and(|it| it.role().is_some());
    let Some(amount) = tokens.get(after).and_then(Token::amount) else { return };
    let clock = i8::try_from(amount.n).ok().and_then(|hour| service_hour(hour, church));
    if let (true, false, Some(clock)) = (is_time, counted, clock) {
        tokens[after].kind = Kind::Time(Said::hour(clock));
    }
}

/// Leaves the day of a time that is taken back to the one that corrects it, if that says none.
fn keep_day(tokens: &mut [Token], old: usize, new: usize) {
    let Some(day) = tokens[old].time().map(|it| it.day) else { return };
    if let Kind::Time(said) = &mut tokens[new].kind
        && said.day == crate::times::SaidDay::Unsaid
    {
        said.day = day;
    }
}
