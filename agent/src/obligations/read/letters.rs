//! Reads questions for letters of a text: "how many r's are in strawberry", "committee - how many m".

use unicode_segmentation::UnicodeSegmentation;

use super::clause::Clause;
use super::courtesy::{bare, without_thanks};
use super::token::Kind;
use crate::obligations::Obligation;
use crate::obligations::letters::{CountQuestion, LetterKind};

/// Words that ask for a number.
const ASKS: &str = "how many times|how many|how often|how much|number of times|number of|the number of|count of|count up|count|count how many|tally up|tally|\
    occurrences of|instances of|frequency of|how frequently|find all|find every|find|the count of|many|quantity of|amount of|total number of|what number of|letter count of";
/// Words between the question and the letter.
const BEFORE_LETTER: &str = "times does|times do|times is|times are|times did|times can you find|times|does|do|did|the|all|all the|all of the|of|of the|individual|single|lowercase|uppercase|\
    capital|is|are|total|instances of|number of|the number of|how many|occurrences of|occurrences|different|appearances of|a single|copies of|you see|you find|up|up the|can i find|can you find|do you see|will i find|would i find";
/// Words between the letter and the text.
const AFTER_LETTER: &str = "letters|letter|letter s|s|r|are|is|there|are there|is there|do you see|do you count|do you find|do you spot|can you see|can you find|can you count|can you spot|can i find|can i see|\
    appear|appears|appearing|occur|occurs|occurring|show up|shows up|come up|comes up|pop up|pops up|exist|exists|used|contained|present|found|to be found|it has|will i find|would i find|do we have|do we see|\
    total|in total|altogether|characters|character|does it appear|does it occur|does it show up|does it come up|is it|it is|that are|that appear|that occur|which appear|written|\
    do i see|do i need to write|do you need|do you need to spell|feature|features|will you find|could you find|get used|gets used|turn up|turns up|happen|happens|would you find|s are";
/// Words before the text.
const IN: &str = "in|inside|inside of|within|of|from|for|across|into|throughout|to spell|to write|if you spell|when you spell|if i spell|when i spell|make up|spelling";
/// Words that name the text that follows.
const NOUNS: &str = "the word is|the word|the words|the name|the phrase|the sentence|the string|the text|the following word|the following sentence|the following phrase|the following text|this word|\
    this sentence|this phrase|this text|word|words|name|phrase|sentence|string|a word like|the term|the expression|the title|the line|the spelling of|spelling|the city name|the city|the state name|the country name|\
    the full word|the whole word|the english word|the quote|the whole sentence|the whole phrase|the name of|something like";
/// Words after any text.
const TOTAL: &str = "in total|in all|total|altogether|combined|are there|is there|do you see|can you find|by the way";
/// Words after the text that ask what it holds.
const HAS: &str = "have|has|contain|contains|contained|got|include|includes|hold|holds|have in it|have in total|use|uses|need|there|in total|in all|total|altogether|combined|are there|is there|\
    do you see|can you find|appear|occur|be spelled with|have got|by the way|do you count|can you see|feature|it|got in it";

/// What is counted: letters, or all of a kind.
struct Wanted<'t> {
    letters: Vec<String>,
    kind: Option<LetterKind>,
    /// Whether it can be nothing but a letter: it is quoted, called a letter or has an apostrophe.
    is_clear: bool,
    rest: Clause<'t>,
}

/// Reads a question for letters. A letter without a text leads to a question for the text.
pub(super) fn read(clause: Clause<'_>) -> Option<Vec<Obligation>> {
    let clause = bare(clause);
    let Some(asks) = (0..clause.len()).find(|at| clause.from(*at).starts(ASKS) > 0) else {
        return without_question(clause);
    };
    let after = clause.from(asks + clause.from(asks).starts(ASKS));
    let before = clause.until(asks).trimmed();
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
    let rest = passed(wanted.rest, AFTER_LETTER).trimmed();
    // "how many of the letters in committee are t"
    if let Some(found) = turned(&wanted, rest) {
        return Some(found);
    }
    let text = if let Some(text) = rest.after(IN) {
        cleaned(text)
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

/// Reads a letter behind the text: "of the letters in committee are t".
fn turned(wanted: &Wanted<'_>, rest: Clause<'_>) -> Option<Vec<Obligation>> {
    let last = rest.len().checked_sub(2).filter(|_| wanted.kind == Some(LetterKind::Letter))?;
    let letter = letter(rest.from(last + 1))
        .filter(|_| rest.from(last).starts("are|is|equal|that are") > 0)?;
    let text = cleaned(rest.until(last).after(IN)?.short_of("that|which"));
    let letters = vec![letter.text];
    found(&Wanted { letters, kind: None, is_clear: true, rest }, &text)
}

/// Reads "r's in strawberry": a letter and a text without a question.
fn without_question(clause: Clause<'_>) -> Option<Vec<Obligation>> {
    let wanted = wanted(clause.past("any|the|letter|letters"))?;
    let text = passed(wanted.rest, AFTER_LETTER).after(IN).filter(|_| wanted.is_clear)?;
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
    let rest = passed(rest, AFTER_LETTER).trimmed();
    rest.is_empty() || rest.starts(IN) > 0 || rest.starts("does|do|did|has|have|would|will") > 0
}

/// Reads one or several letters, or a kind of letters.
fn wanted(clause: Clause<'_>) -> Option<Wanted<'_>> {
    let kinds = [
        ("vowels|vowel", LetterKind::Vowel),
        ("consonants|consonant", LetterKind::Consonant),
        ("words", LetterKind::Word),
    ];
    for (words, kind) in kinds {
        if let Some(rest) = clause.after(words) {
            return Some(Wanted { letters: Vec::new(), kind: Some(kind), is_clear: true, rest });
        }
    }
    let called = clause.after("letter|letters|character|characters");
    let rest = called.unwrap_or(clause);
    let is_plural = rest.word(0) == "s" && rest.is_glued(0);
    let mut rest = if is_plural { rest.from(1) } else { rest }.past(":");
    let mut letters = Vec::new();
    let mut is_clear = called.is_some();
    while let Some(letter) = letter(rest) {
        letters.push(letter.text);
        is_clear |= letter.is_clear;
        rest = rest.from(letter.tokens);
        let next = rest.past(",").past("and|or|&|plus").past("letter");
        if next.len() == rest.len() || self::letter(next).is_none() {
            break;
        }
        rest = next;
    }
    match (letters.is_empty(), called) {
        (true, Some(rest)) => {
            Some(Wanted { letters, kind: Some(LetterKind::Letter), is_clear: true, rest })
        }
        (true, None) => None,
        (false, _) => Some(Wanted { letters, kind: None, is_clear, rest }),
    }
}

/// A letter, and the number of its tokens.
struct Letter {
    text: String,
    tokens: usize,
    is_clear: bool,
}

/// Reads a letter: "r", "r's", "Rs", "'r'", "'r's".
fn letter(clause: Clause<'_>) -> Option<Letter> {
    let token = clause.token(0)?;
    let written = clause.until(1).unquoted();
    let graphemes: Vec<&str> = written.graphemes(true).collect();
    let has_plural = clause.word(1) == "s" && clause.is_glued(1);
    let quoted = token.kind == Kind::Quoted;
    if !quoted && token.kind != Kind::Word {
        return None;
    }
    let is_clear = quoted || written.contains(['\'', '’', '‘', '`']);
    let letter = match graphemes[..] {
        [letter] => letter,
        [letter, "s" | "S"] | [letter, "'" | "’" | "`" | "‘", "s" | "S"] => letter,
        _ => return None,
    };
    let is_letter = letter.chars().all(|c| c.is_alphabetic() || !c.is_ascii());
    is_letter.then(|| Letter {
        text: letter.to_lowercase(),
        tokens: 1 + usize::from(has_plural),
        is_clear,
    })
}

/// Reads a clause that is nothing but a letter.
pub(super) fn letter_alone(clause: Clause<'_>) -> Option<String> {
    let wanted = wanted(clause.past("the"))?;
    let is_alone = wanted.rest.trimmed().is_empty() && wanted.letters.len() == 1;
    wanted.letters.into_iter().next().filter(|_| is_alone)
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
