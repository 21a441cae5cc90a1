//! Translates a text into obligations, by rules. Nothing is solved here.
//!
//! `token` cuts a text into words, `sentence` into sentences and requests, and each reader reads one kind of
//! request: `arithmetic`, `letters`, `people`, `status`, `fact`, `time`, `agenda`, `reminder`, `goal`, `doubt`.
//! `follow_up` reads what only the conversation explains. A text that no reader reads is asked back.

mod agenda;
mod arithmetic;
mod clause;
mod context;
mod courtesy;
mod doubt;
mod fact;
mod field;
mod follow_up;
mod goal;
mod letters;
mod people;
mod place;
mod reminder;
mod sentence;
mod spelling;
mod status;
mod time;
mod timing;
mod token;
mod when;

pub use context::{Dialogue, DirectoryWords, OpenSlot, ReadContext};
pub use timing::{SaidTimes, is_bare_order, said_times, without_times};

use abide_language::base::Value;

use super::clock::TimeQuestion;
use super::letters::CountQuestion;
use super::math::MathQuestion;
use super::{Obligation, ObligationType};
use crate::text::CHARS_MAX;
use clause::Clause;
use sentence::{parts, sentences};

/// Maximum number of words and marks of a request. In a longer clause, only letters are counted and arithmetic is
/// read, whose texts and expressions can be long; all other readers would search it in vain.
const CLAUSE_TOKENS_MAX: usize = 80;
/// The slot of a text that nobody understands.
const REQUEST: &str = "request";
/// The predicate of a thing that is not known yet.
const SUPPOSED: &str = "it.supposed";

/// Reads a text as obligations, in the order of the text. A text that is not understood becomes a `CLARIFY` of the
/// slot `request`. Characters beyond the length of a long text message are ignored.
#[must_use]
pub fn read(text: &str, context: &ReadContext) -> Vec<Obligation> {
    let end = text.char_indices().nth(CHARS_MAX).map_or(text.len(), |(at, _)| at);
    let text = &token::narrow(&text[..end]);
    let tokens = token::tokens(text);
    let whole = Clause::new(text, &tokens);
    let mut found = Vec::new();
    let mut rest = &sentences(whole)[..];
    while let Some((sentence, behind)) = rest.split_first() {
        // A story asks its question in its last sentence.
        let story = Clause::new(text, &tokens[whole_from(whole, *sentence)..]);
        let is_plain = arithmetic::read(*sentence, None).is_some();
        if !is_plain && let Some(story) = arithmetic::story::read(story) {
            add(&mut found, story);
            break;
        }
        let read = requests(*sentence, &found, context);
        add(&mut found, read);
        rest = behind;
    }
    // "The word is 'programming'. How many m's?"
    let lacks_text =
        found.iter().all(|o| o.is(ObligationType::Clarify) && o.text("slot") == Some("text"));
    if lacks_text
        && !found.is_empty()
        && let Some(of_whole) = letters::read(whole, None)
    {
        found = of_whole;
    }
    if found.is_empty() {
        found = follow_up::answer(whole, context).unwrap_or_default();
    }
    if found.is_empty() {
        found.push(Obligation::clarify(REQUEST));
    }
    found
}

/// Whether a text is nothing but a name, as the answer to "what's your name?" is.
#[must_use]
pub(crate) fn is_bare_name(text: &str) -> bool {
    let tokens = token::tokens(&text[..text.floor_char_boundary(CHARS_MAX)]);
    fact::is_bare_name(Clause::new(text, &tokens))
}

/// Returns the place of a part in the tokens of the whole.
fn whole_from(whole: Clause<'_>, part: Clause<'_>) -> usize {
    let start = part.bytes().start;
    whole.tokens().iter().position(|token| token.bytes.start >= start).unwrap_or_default()
}

/// Adds obligations, none of them twice.
fn add(found: &mut Vec<Obligation>, read: Vec<Obligation>) {
    for obligation in read {
        if !found.contains(&obligation) {
            found.push(obligation);
        }
    }
}

/// Reads all requests of a sentence. `before` is what the text said before it.
fn requests(sentence: Clause<'_>, before: &[Obligation], context: &ReadContext) -> Vec<Obligation> {
    // Whether a part can be read is tried first with an "it" that means something.
    let mut supposed =
        vec![Obligation::of_predicate(ObligationType::Achieve, SUPPOSED, Value::Null)];
    let text = SUPPOSED.to_owned();
    supposed.push(Obligation::report(&CountQuestion { text, letter: None, of: None }));
    supposed.extend_from_slice(before);
    let is_request = |o: &Obligation| !o.is(ObligationType::Clarify);
    let parts = parts(sentence, &|clause| one(clause, &supposed, context).iter().any(is_request));
    let mut found = before.to_vec();
    for part in parts {
        let read = one(part, &found, context);
        add(&mut found, read);
    }
    found.split_off(before.len())
}

/// Reads a clause as one request.
fn one(clause: Clause<'_>, before: &[Obligation], context: &ReadContext) -> Vec<Obligation> {
    let last = before.iter().rev().find(|o| o.is(ObligationType::Report));
    let last = last.or(context.dialogue.last_question.as_ref());
    let previous = last.and_then(|last| last.read::<MathQuestion>());
    let previous = previous.as_ref().map(|question| question.expr.as_str());
    let counted = last.and_then(|last| last.read::<CountQuestion>());
    let counted = counted.as_ref().map(|question| question.text.as_str());
    let place = place(before)
        .or_else(|| place::before(clause, &context.directory))
        .or_else(|| place(context.dialogue.last_question.as_slice()));
    let subject = subject(before);
    let memory = &context.dialogue.memory;
    if clause.len() > CLAUSE_TOKENS_MAX {
        return letters::read(clause, counted)
            .or_else(|| arithmetic::read(clause, previous))
            .unwrap_or_default();
    }
    doubt::read(clause)
        .or_else(|| fact::correction(clause, &context.dialogue))
        .or_else(|| letters::read(clause, counted))
        .or_else(|| arithmetic::read(clause, previous))
        .or_else(|| reminder::read(clause, context))
        .or_else(|| fact::read(clause))
        .or_else(|| goal::read(clause, subject.as_deref()))
        .or_else(|| time::read(clause, place.as_deref(), memory))
        .or_else(|| agenda::read(clause, context))
        .or_else(|| status::read(clause, memory))
        .or_else(|| people::read(clause, &context.directory, last, place.as_deref()))
        .or_else(|| follow_up::read(clause, context))
        .unwrap_or_default()
}

/// Returns the place of the last question for the time.
fn place(obligations: &[Obligation]) -> Option<String> {
    obligations.iter().rev().find_map(|obligation| obligation.read::<TimeQuestion>()?.city)
}

/// Returns the thing of the last order about a state, which "it" means.
fn subject(obligations: &[Obligation]) -> Option<String> {
    let orders = [ObligationType::Achieve, ObligationType::Maintain, ObligationType::Avoid];
    obligations.iter().rev().find_map(|obligation| {
        let pred =
            obligation.text("pred").filter(|_| orders.contains(&obligation.obligation_type))?;
        pred.split_once('.').map(|(thing, _)| thing.to_owned())
    })
}

#[cfg(test)]
mod tests;
