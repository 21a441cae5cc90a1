//! Names and addresses of people and companies.

use super::super::tag::Tag;
use super::super::token::Stop;
use super::Filling;
use super::span::{after, quoted, trimmed, until_stop};

/// Returns the addresses of the command: the copies, or the others.
pub(super) fn emails(filling: &Filling<'_>, copies: bool) -> Vec<String> {
    let text = filling.text;
    let copied = after(text, filling.tokens.clone(), &["cc", "copy", "ccing", "copying", "cced"]);
    let own = text.emails.iter().filter(|it| filling.tokens.contains(&it.tokens.start));
    own.filter(|it| copied.is_some_and(|at| it.tokens.start >= at) == copies)
        .map(|it| it.value.clone())
        .collect()
}

pub(super) fn names(filling: &Filling<'_>) -> Vec<String> {
    let own = filling.text.names.iter().filter(|it| filling.tokens.contains(&it.tokens.start));
    own.map(|it| it.name.clone()).collect()
}

/// Returns the first person of the command.
pub(super) fn person(filling: &Filling<'_>) -> Option<String> {
    names(filling).into_iter().next()
}

/// Returns the one to whom something is given: "to Dave", "for Mel", "Jess is looking after it".
pub(super) fn assignee(filling: &Filling<'_>, member: &str) -> Option<String> {
    let text = filling.text;
    let mut own = text.names.iter().filter(|it| filling.tokens.contains(&it.tokens.start));
    let name = filling.contract.name.as_str();
    if filling.contract.input.requires(member)
        || name.starts_with("report.")
        || name.ends_with(".list")
    {
        return own.find(|it| !it.owns || name.starts_with("report.")).map(|it| it.name.clone());
    }
    let given = |at: usize| {
        matches!(
            text.before(at),
            "to" | "assign" | "assigned" | "give" | "inspector" | "remind" | "get" | "with"
        ) || (text.before(at) == "for" && name.starts_with("os.") && !filling.content.contains(&at))
            || text.before(at) == "by"
    };
    let staffed = |at: usize| name.starts_with("job.") && text.before(at) == "with" || given(at);
    let assigned = |at: usize| match name {
        "os.create_task" | "os.update_task" => given(at) && !filling.content.contains(&at),
        "job.create" => matches!(text.before(at), "assign" | "assigned"),
        _ => staffed(at),
    };
    own.find(|it| assigned(it.tokens.start)).map(|it| it.name.clone())
}

/// Whether a word is the name of a file.
fn is_file(word: &str) -> bool {
    const ENDINGS: &[&str] =
        &["jpg", "jpeg", "png", "pdf", "heic", "gif", "mp4", "doc", "docx", "csv", "xlsx"];
    word.rsplit_once('.')
        .is_some_and(|(name, ending)| !name.is_empty() && ENDINGS.contains(&ending))
}

/// Returns a name: one that is announced, else the first.
pub(super) fn name(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let call_it = filling.tokens.clone().find(|&at| {
        matches!(text.word(at), "call" | "name" | "title") && text.word(at + 1) == "it"
    });
    if let Some(at) = call_it.filter(|at| at + 2 < filling.tokens.end) {
        let range = until_stop(text, at + 2..filling.tokens.end, Stop::Comma);
        return filling.said(trimmed(text, range, false));
    }
    let stored = filling.contract.name == "os.create_snapshot";
    let words: &[&str] = if stored {
        &["called", "named", "name", "title", "as", "under"]
    } else {
        &["called", "named", "name", "as"]
    };
    if let Some(at) = after(text, filling.tokens.clone(), words) {
        let range = until_stop(text, at..filling.tokens.end, Stop::Comma);
        let end = range.clone().find(|&at| {
            matches!(text.word(at), "as" | "with" | "and" | "on")
                || text.tags[at] == Tag::Phone
                || text.tags[at] == Tag::Email
        });
        let range = trimmed(text, at..end.unwrap_or(range.end), false);
        let starts_well =
            !matches!(text.word(range.start), "a" | "an" | "the" | "supplier" | "vehicle" | "new");
        if starts_well && !range.is_empty() {
            return filling.said(range);
        }
    }
    let file = filling.tokens.clone().find(|&at| is_file(text.word(at)));
    if let Some(at) = file.filter(|_| filling.contract.domain() == Some("media")) {
        return filling.said(at..at + 1);
    }
    if let Some(quoted) = quoted(text, filling.tokens.clone()) {
        return filling.said(quoted);
    }
    let own = text.names.iter().filter(|it| filling.tokens.contains(&it.tokens.start) && !it.owns);
    let longest = own.max_by_key(|it| it.tokens.len()).map(|it| it.name.clone());
    match filling.contract.domain() {
        Some("entity") => capitals(filling).or(longest).or_else(|| after_noun(filling)),
        Some("os") => after_noun(filling).filter(|it| !stored || !is_figures(it)),
        Some("media" | "integrations") => after_noun(filling),
        _ => longest,
    }
}

/// Whether words only say what is stored: "snapshot the numbers".
fn is_figures(said: &str) -> bool {
    let last = said.split_whitespace().last().unwrap_or_default().to_lowercase();
    matches!(last.as_str(), "numbers" | "figures" | "everything" | "reports" | "now")
}

/// Returns the first words with capital letters, such as the name of a company: "High Up Hire", "Hilux 3".
pub(super) fn capitals(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let opens = |at: usize| at == 0 || text.tokens[at - 1].stop == Stop::Sentence;
    let known = ["I", "GST", "SMS"];
    let capital = |at: usize| text.tokens[at].capital && !known.contains(&text.said(at..at + 1));
    let start = filling.clause.clone().find(|&at| capital(at) && !opens(at))?;
    let mut end = start + 1;
    while end < filling.tokens.end
        && text.tokens[end - 1].stop == Stop::None
        && (capital(end) || text.tokens[end].is_number())
    {
        end += 1;
    }
    filling.said(start..end)
}

/// Returns the words after the word for the record, or after a colon.
pub(super) fn after_noun(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let start = if filling.content.is_empty() {
        let nouns = [
            "supplier",
            "vehicle",
            "subbie",
            "subcontractor",
            "entity",
            "snapshot",
            "scaffolder",
            "insurer",
            "competitor",
        ];
        let noun = filling.clause.clone().find(|&at| nouns.contains(&text.word(at)))?;
        noun + 1
    } else {
        filling.content.start
    };
    let range = until_stop(text, start..filling.tokens.end, Stop::Comma);
    let range = trimmed(text, range, false);
    let range = if text.word(range.start) == "the" { range.start + 1..range.end } else { range };
    (!range.is_empty() && !text.tokens[range.start].is(&["record", "list", "figures", "of"]))
        .then(|| filling.said(range))
        .flatten()
}
