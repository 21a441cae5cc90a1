//! Words that stand for a record that was named before: "email it".

use super::command::{Command, Commands};
use super::content;
use super::id::SaidId;
use super::lexicon::{Sense, cues};
use super::segment::Segment;
use super::tag::{Tag, Tagged};

/// Makes a word that stands for a record the id of the record. Returns the kind of the record if the segment names
/// none and has no such word.
pub(super) fn resolve(
    text: &mut Tagged<'_>,
    segment: &Segment,
    before: &Commands,
    given: Option<&SaidId>,
) -> Option<&'static str> {
    let end = content::start(text, segment.tokens.clone()).unwrap_or(segment.tokens.end);
    let head = segment.tokens.start..end;
    if let Some(at) = head.clone().find(|&at| {
        text.word(at) == "one"
            && matches!(text.before(at), "new" | "another")
            && text.tags[at] == Tag::Word
    }) && let Some(kind) = antecedent(text, segment.tokens.start, before).and_then(|it| it.kind)
    {
        text.tags[at] = Tag::Id;
        text.ids.push(SaidId { tokens: at..at + 1, id: String::new(), kind: Some(kind) });
        text.ids.sort_by_key(|it| it.tokens.start);
        return None;
    }
    if head.clone().any(|at| text.tags[at] == Tag::Id) {
        return None;
    }
    let words: Vec<&str> = head.clone().map(|at| text.word(at)).collect();
    let found = cues(&words);
    let named = found.iter().any(|it| {
        it.sense == Sense::Noun && it.class != "customer" && super::id::is_record(it.class)
    });
    let meant = antecedent(text, segment.tokens.start, before).or_else(|| given.cloned())?;
    let pronoun = head.clone().find(|&at| {
        text.tags[at] == Tag::Word
            && matches!(text.word(at), "it" | "that" | "this" | "them" | "one")
    });
    match pronoun {
        Some(at) if !named => {
            text.tags[at] = Tag::Id;
            text.ids.push(SaidId { tokens: at..at + 1, ..meant });
            text.ids.sort_by_key(|it| it.tokens.start);
            None
        }
        _ if !named && !found.iter().any(|it| it.sense == Sense::Noun) => meant.kind,
        _ => None,
    }
}

/// Returns the last record that was named before a token, with the kind that its command shows.
pub(super) fn antecedent(text: &Tagged<'_>, at: usize, before: &Commands) -> Option<SaidId> {
    let last = before.all.last();
    let id = text.ids.iter().rev().find(|it| it.tokens.start < at && !it.id.is_empty());
    let of_tool =
        last.and_then(|it| it.tools.last()).and_then(|tool| super::id::kind_of_tool(tool));
    let made = of_tool.is_some_and(|kind| {
        let mut tools =
            before.all.iter().flat_map(|it| &it.tools).filter(|it| it.ends_with(".create"));
        tools.any(|it| super::id::kind_of_tool(it) == Some(kind))
    });
    match id {
        _ if made && of_tool.is_some() => {
            Some(SaidId { tokens: 0..0, id: String::new(), kind: of_tool })
        }
        Some(id) => Some(SaidId { kind: id.kind.or(of_tool), ..id.clone() }),
        None => of_tool.map(|kind| SaidId { tokens: 0..0, id: String::new(), kind: Some(kind) }),
    }
}

/// Whether a command names neither a record nor a kind of records.
pub(super) fn names_nothing(text: &Tagged<'_>, command: &Command) -> bool {
    let words: Vec<&str> = command.clause.clone().map(|at| text.word(at)).collect();
    let nouns = cues(&words).iter().any(|it| it.sense == Sense::Noun);
    !nouns && !names_another(text, command)
}

/// Whether a command names a record of its own.
pub(super) fn names_another(text: &Tagged<'_>, command: &Command) -> bool {
    let mut ids = text.ids.iter().filter(|it| command.clause.contains(&it.tokens.start));
    ids.any(|it| {
        let first = text.ids.iter().find(|other| other.id == it.id && !it.id.is_empty());
        first.is_some_and(|first| first.tokens == it.tokens)
    })
}
