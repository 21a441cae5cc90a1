//! Tags.

use super::super::tag::Tag;
use super::super::token::Stop;
use super::Filling;
use super::span::after;

/// Returns tags: "tag it before, ridge and gutter".
pub(super) fn tags(filling: &Filling<'_>) -> Option<Vec<String>> {
    let text = filling.text;
    let tagging = filling.contract.input.requires("tags");
    let words: &[&str] = if tagging {
        &["as", "with", "tags", "tagged", "label", "labelled"]
    } else {
        &["tagged", "tags", "tag"]
    };
    let start = after(text, filling.tokens.clone(), words).or_else(|| {
        if !tagging {
            return None;
        }
        let id = filling.clause.clone().rfind(|&at| text.tags[at] == Tag::Id)?;
        (id + 1 < filling.tokens.end).then_some(id + 1)
    })?;
    let mut found: Vec<String> = Vec::new();
    let mut from = start;
    let end = before_favour(filling);
    for at in start..end {
        let word = text.word(at);
        if matches!(word, "and" | "please" | "as" | "with" | "tag" | "tags" | "the") {
            from = at + 1;
            continue;
        }
        let ends =
            text.tokens[at].stop >= Stop::Comma || at + 1 == end || text.word(at + 1) == "and";
        if !tagging && !found.is_empty() {
            break;
        }
        if ends {
            found.extend(filling.said(from..at + 1));
            from = at + 1;
        }
    }
    found.retain(|it| it.len() <= 40);
    (!found.is_empty()).then_some(found)
}

/// Returns the end of the words without "for me" and the like.
fn before_favour(filling: &Filling<'_>) -> usize {
    let (text, end) = (filling.text, filling.tokens.end);
    let asks = |at: usize| text.word(at) == "for" && matches!(text.word(at + 1), "me" | "us");
    (filling.tokens.start..end).find(|&at| asks(at)).unwrap_or(end)
}
