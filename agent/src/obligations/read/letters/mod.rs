//! Reads questions for letters of a text: "how many r's are in strawberry", "committee - how many m".

mod phrase;
mod wanted;

use super::clause::Clause;
use super::courtesy::{bare, without_thanks};
use super::token::Kind;
use crate::obligations::Obligation;
use crate::obligations::letters::{CountQuestion, LetterKind};
use phrase::{AFTER_LETTER, ASKS, BEFORE_LETTER, HAS, HOW_LONG, IN, NOUNS, TOTAL};
pub(super) use wanted::letter_alone;
use wanted::{Wanted, every_letter, letter, wanted};

/// Reads a question for letters. Without a text it is about the text of the question before; if there is none, the
/// text is asked for.
pub(super) fn read(clause: Clause<'_>, previous: Option<&str>) -> Option<Vec<Obligation>> {
    let clause = bare(clause);
    if let (Some(text), Some(wanted)) = (previous, only_letters(clause)) {
        return found(&wanted, text);
    }
    asked(clause).or_else(|| without_question(clause))
}

/// Reads "how many p", which asks for letters and names no text.
fn only_letters(clause: Clause<'_>) -> Option<Wanted<'_>> {
    let wanted = named(clause.after(ASKS)?)?;
    let has_text = !passed(wanted.rest, AFTER_LETTER).trimmed().is_empty();
    Some(wanted).filter(|wanted| !has_text && !wanted.letters.is_empty())
}

/// Reads a question with words that ask for a number.
fn asked(clause: Clause<'_>) -> Option<Vec<Obligation>> {
    if let Some(text) = clause.after(HOW_LONG) {
        return found(&every_letter(text), &cleaned(text));
    }
    // A number at the end is no order to count.
    let body = clause.short_of("count|counts");
    let asks = (0..body.len()).find(|at| clause.from(*at).starts(ASKS) > 0)?;
    let after = clause.from(asks + clause.from(asks).starts(ASKS));
    let before = clause.until(asks).trimmed();
    // "the a's in banana, how many"
    if after.trimmed().is_empty() {
        return without_question(before);
    }
    // "The letter i, how many times is it in indivisibility?"
    let told = before
        .split("letter")
        .and_then(|sides| wanted(sides.after))
        .filter(|told| told.rest.trimmed().is_empty());
    let wanted = match told {
        Some(told) => Wanted {
            rest: passed(after, BEFORE_LETTER).past("it|that|that letter|the letter"),
            is_clear: true,
            ..told
        },
        None => named(after)?,
    };
    let is_apart = passed(wanted.rest, AFTER_LETTER).starts(":|, in|=") > 0;
    let rest = passed(wanted.rest, AFTER_LETTER).trimmed();
    // "how many of the letters in committee are t"
    if let Some(found) = turned(&wanted, rest) {
        return Some(found);
    }
    if wanted.letters.is_empty() && wanted.is_singular {
        return Some(vec![Obligation::clarify("letter")]);
    }
    let is_quoted = rest.token(0).is_some_and(|token| token.kind == Kind::Quoted);
    if let Some(further) = rest.after(IN).and_then(several) {
        let read = further.iter().filter_map(|text| found(&wanted, text)).flatten();
        return Some(read.collect());
    }
    let text = if let Some(text) = rest.after(IN) {
        cleaned(text)
    } else if is_quoted || (is_apart && !rest.is_empty()) {
        cleaned(rest)
    } else if let Some(text) = rest.after("does|do|did|has|have|would|will|in") {
        cleaned(short_of_has(text))
    } else if rest.is_empty() && !before.is_empty() {
        cleaned(
            short_of_has(before)
                .past(IN)
                .past("take|look at|consider|given|with|regarding|about|on"),
        )
    } else if rest.is_empty() && wanted.is_clear {
        return Some(vec![Obligation::clarify("text")]);
    } else {
        return None;
    };
    found(&wanted, &text)
}

/// Reads several quoted texts: "'Texas' and 'Kansas'".
fn several(clause: Clause<'_>) -> Option<Vec<String>> {
    let quoted = |at: usize| clause.token(at).is_some_and(|token| token.kind == Kind::Quoted);
    let texts: Vec<usize> = (0..clause.len()).filter(|at| quoted(*at)).collect();
    let is_list = texts.len() > 1 && quoted(0);
    let between = || {
        (0..clause.len())
            .all(|at| quoted(at) || clause.from(at).starts("and|,|or|&|the word|word|?|the|in") > 0)
    };
    // "strawberry and the word raspberry"
    if let Some(sides) = clause.split("and the word|and in the word|and in the name|and the name") {
        return Some(vec![cleaned(sides.before), cleaned(sides.after)]);
    }
    (is_list && between())
        .then(|| texts.iter().map(|at| clause.slice(*at..at + 1).unquoted().to_owned()).collect())
}

/// Reads a letter behind the text: "of the letters in committee are t".
fn turned(wanted: &Wanted<'_>, rest: Clause<'_>) -> Option<Vec<Obligation>> {
    let last = rest.len().checked_sub(2).filter(|_| wanted.kind == Some(LetterKind::Letter))?;
    let letter = letter(rest.from(last + 1))
        .filter(|_| rest.from(last).starts("are|is|equal|that are") > 0)?;
    let text = cleaned(rest.until(last).after(IN)?.short_of("that|which"));
    let letters = vec![letter.text];
    found(&Wanted { letters, kind: None, is_clear: true, is_singular: false, rest }, &text)
}

/// Reads "r's in strawberry": a letter and a text without a question.
fn without_question(clause: Clause<'_>) -> Option<Vec<Obligation>> {
    // "strawberry - r count?"
    if let Some(counted) = clause.before("count|counts") {
        let last = counted.len().checked_sub(1).filter(|last| *last > 0)?;
        let wanted = wanted(counted.from(last)).filter(|wanted| wanted.rest.is_empty())?;
        return found(&wanted, &cleaned(counted.until(last).short_of("letter")));
    }
    let wanted = wanted(clause.past("any|the|letter|letters"))?;
    let is_count = wanted.rest.starts("count|counts|frequency") > 0;
    let text =
        passed(wanted.rest, AFTER_LETTER).after(IN).filter(|_| wanted.is_clear || is_count)?;
    found(&wanted, &cleaned(text))
}

fn found(wanted: &Wanted<'_>, text: &str) -> Option<Vec<Obligation>> {
    if text.is_empty() {
        return None;
    }
    let question = |letter: Option<String>| {
        let of = wanted.kind.filter(|kind| *kind != LetterKind::Letter);
        Obligation::report(&CountQuestion { text: text.to_owned(), letter, of })
    };
    Some(match &wanted.letters[..] {
        [] => vec![question(None)],
        letters => letters.iter().map(|letter| question(Some(letter.clone()))).collect(),
    })
}

/// Passes phrases as long as one is there.
fn passed<'t>(clause: Clause<'t>, phrases: &str) -> Clause<'t> {
    let mut clause = clause;
    while let Some(rest) = clause.after(phrases) {
        clause = rest;
    }
    clause
}

/// Reads the letter after a question, behind as many words between them as leave a letter: in "how many is in
/// Mississippi" the letter is an i.
fn named(after: Clause<'_>) -> Option<Wanted<'_>> {
    let mut clause = after;
    let mut first = wanted(clause).filter(|wanted| leads_to_text(wanted.rest));
    while first.is_none() {
        clause = clause.after(BEFORE_LETTER)?;
        first = wanted(clause).filter(|wanted| leads_to_text(wanted.rest) || wanted.is_clear);
    }
    first
}

/// Whether what is behind a letter can lead to the text.
fn leads_to_text(rest: Clause<'_>) -> bool {
    let rest = passed(rest, AFTER_LETTER);
    let is_apart = rest.word(0) == ":";
    let rest = rest.trimmed();
    let is_quoted = rest.token(0).is_some_and(|token| token.kind == Kind::Quoted);
    is_apart
        || is_quoted
        || rest.is_empty()
        || rest.starts(IN) > 0
        || rest.starts("does|do|did|has|have|would|will") > 0
}

fn short_of_has(clause: Clause<'_>) -> Clause<'_> {
    let mut clause = without_thanks(clause);
    while let Some(shorter) = clause.before(HAS).filter(|shorter| !shorter.is_empty()) {
        clause = shorter.trimmed();
    }
    clause
}

/// Returns the text that a clause names, without the words around it.
fn cleaned(clause: Clause<'_>) -> String {
    let mut clause = without_thanks(clause);
    while let Some(named) = clause.after(NOUNS).filter(|rest| !rest.trimmed().is_empty()) {
        clause = named.trimmed();
    }
    if clause.token(0).is_some_and(|token| token.kind == Kind::Quoted) {
        return clause.until(1).unquoted().to_owned();
    }
    let shorter = clause.short_of(TOTAL).trimmed();
    if shorter.is_empty() { clause.raw().to_owned() } else { shorter.raw().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, show};

    #[test]
    fn letters_are_asked_for_in_many_ways() {
        let show = |text: &str| show(text);
        check(
            show,
            &[
                ("How many r's in strawberry?", "REPORT count letter=r text=strawberry"),
                ("how many Rs are there in the word Arrow", "REPORT count letter=r text=Arrow"),
                (
                    "how many L's does \"Hello, World!\" have",
                    "REPORT count letter=l text=Hello, World!",
                ),
                (
                    "The letter i, how many times is it in indivisibility?",
                    "REPORT count letter=i text=indivisibility",
                ),
                ("committee - how many m", "REPORT count letter=m text=committee"),
                ("in the word banana how many a's do you see", "REPORT count letter=a text=banana"),
                ("how many w's in www.wow.com", "REPORT count letter=w text=www.wow.com"),
                ("how many is are in Mississippi", "REPORT count letter=i text=Mississippi"),
                ("count the e's in 'bee keeper' please", "REPORT count letter=e text=bee keeper"),
                (
                    "how often does the letter t appear in the sentence: the cat sat on the mat",
                    "REPORT count letter=t text=the cat sat on the mat",
                ),
                ("how many é in résumé", "REPORT count letter=é text=résumé"),
                ("r's in strawberry?", "REPORT count letter=r text=strawberry"),
                ("How many letters are in \"hello there\"?", "REPORT count text=hello there"),
                ("how many vowels does queue have", "REPORT count of=vowel text=queue"),
                (
                    "how many p's and q's in pipsqueak",
                    "REPORT count letter=p text=pipsqueak + REPORT count letter=q text=pipsqueak",
                ),
                (
                    "What is the number of times the letter s occurs in possesses",
                    "REPORT count letter=s text=possesses",
                ),
                (
                    "does the word letter... how many t does letter have",
                    "REPORT count letter=t text=letter",
                ),
                ("how many r's are there?", "CLARIFY slot slot=text"),
            ],
        );
    }

    #[test]
    fn other_questions_for_numbers_are_no_letters() {
        for text in [
            "how many people do I know in Boise",
            "how many times a week in June",
            "how many I have",
        ] {
            assert!(!show(text).contains("REPORT count"), "{text}: {}", show(text));
        }
    }
}
