//! The phrases that carry a meaning, in one table, and where they stand in a text.

use super::token::Token;

/// What a phrase does to an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    /// Commits.
    Yes,
    /// Would like to; commits only where nothing speaks against it.
    Wish,
    /// Refuses.
    No,
    /// Takes back.
    Quit,
    /// Turns the next yes into a no.
    Not,
    /// Corrects what came before.
    Turn,
    /// Sets two halves against each other.
    But,
    /// Names another time than the one asked for.
    Other,
    /// Makes it a condition, odds or a question: nothing to act upon.
    Doubt,
    /// Begins a question.
    Ask,
}

/// A phrase found in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    /// What it does.
    pub sense: Sense,
    /// Its first token.
    pub at: usize,
    /// How many tokens it spans.
    pub len: usize,
}

/// Phrases by sense, separated by `;`, apostrophes dropped. A `$` at the end asks for the end of
/// the clause: "im in" commits, "im in the hospital" does not.
const PHRASES: &[(Sense, &str)] = &[
    (
        Sense::Yes,
        "yes; yep; yeah; yea; yup; yess; y$; ya$; sure; sure thing; ok; okay; okey; k$; absolutely; \
         definitely; certainly; of course; for sure; you bet; will do; can do; gladly; \
         count me in; sign me up; put me down; im in$; i am in$; im in for; im game; i can$; i can do; i can help; \
         i can serve; i can be there; i can make it; i can cover; i can come; i could do; i could help; i am able; im able; able; \
         ill be there; i will be there; ill do; i will do; ill help; i will help; ill serve; ill take; \
         i will take; ill come; i accept; accept; accepted; ill be happy; id be happy; id be glad; \
         im happy; im available; i am available; available; im free; i am free; free; \
         works for me; that works; sounds good; sounds great; no problem; not a problem; no prob; \
         cant wait; wouldnt miss it; why not; si$; sí$; claro; with pleasure; my pleasure; 👍; 👌; ✅; 🙌; 💯; 🙋",
    ),
    (
        Sense::Wish,
        "happy to; glad to; love to; would love; id love; like to; id like; would like; pleased to; honored to; \
         wish i could; i wish",
    ),
    (
        Sense::No,
        "no; nope; nah; naw; n$; no thanks; no thank you; no way; no can do; no go; not me; not this; \
         not today; not on; not for me; cant; cannot; can not; wont be able; wouldnt be able; will not be able; wont be available; wont be free; couldnt; wont; will not; wouldnt; \
         unable; not able; im away; i am away; away; out of town; im out$; i am out$; out that day; busy; \
         im sick; i am sick; sick; im ill; i am ill; working that; have to work; got to work; traveling; \
         travelling; on vacation; have to pass; ill pass; i will pass; pass on; pass this; pass$; \
         decline; i decline; count me out; dont think i can; do not think i can; dont think so; do not think so; \
         dont think ill; not going to; not possible; impossible; not interested; not available; \
         unavailable; unfortunately not; afraid not; sit this one out; have other plans; have plans; 👎; ❌",
    ),
    (
        Sense::Quit,
        "cancel my; cancel me; have to cancel; need to cancel; must cancel; something came up; \
         take me off; remove me; back out; backing out; drop out; dropping out; bail; no longer; \
         cant make it anymore; cant anymore; cant after all; not anymore; give up my; \
         find someone else; find somebody else; replace me; change of plans; plans changed",
    ),
    (Sense::Not, "not; never; dont; do not; isnt; arent; aint; didnt; doesnt; hardly"),
    (
        Sense::Turn,
        "wait; oh wait; actually; scratch that; never mind; nevermind; nvm; oops; whoops; \
         correction; just realized; just realised; turns out; on second thought; i forgot; sorry wait",
    ),
    (Sense::But, "but; however; though; except"),
    (Sense::Other, "next; another; other; later; different; instead; some other; following"),
    (
        Sense::Doubt,
        "if; unless; maybe; might; may be; depends; depending; probably; possibly; perhaps; let me; \
         lemme; not sure; unsure; get back; until; hopefully; think so; i think; i guess; i suppose; \
         should be able; could be; try; trying; tentative; tentatively; as long as; provided; \
         once i; need to check; have to check; ask my; check with; 50 50; will see; well see; \
         we will see; soon as; either; as a backup; no idea; dont know; do not know; idk; \
         no worries; no reply; auto reply; driving; cant say; cant tell; cant promise; who is this; \
         wrong number; 🤔; 🤷",
    ),
    (
        Sense::Ask,
        "who; what; when; where; why; how; which; is it; is this; are you; do you; do i; does; did you; \
         can you; could you; would you; will you; whats; whos; hows; wheres; whens",
    ),
];

/// The phrases of a text, in order, each the longest that stands at its place.
pub(super) fn hits(tokens: &[Token]) -> Vec<Hit> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match longest(tokens, at) {
            Some(hit) => {
                at += hit.len;
                found.push(hit);
            }
            None => at += 1,
        }
    }
    found
}

fn longest(tokens: &[Token], at: usize) -> Option<Hit> {
    PHRASES
        .iter()
        .flat_map(|(sense, list)| list.split(';').map(move |phrase| (*sense, phrase.trim())))
        .filter_map(|(sense, phrase)| {
            length(&tokens[at..], phrase).map(|len| Hit { sense, at, len })
        })
        .max_by_key(|hit| hit.len)
}

/// How many tokens the phrase spans at the start of `tokens`, if it stands there.
fn length(tokens: &[Token], phrase: &str) -> Option<usize> {
    let (phrase, closing) = phrase.strip_suffix('$').map_or((phrase, false), |p| (p, true));
    let mut len = 0;
    for word in phrase.split(' ') {
        if tokens.get(len)?.word()? != word {
            return None;
        }
        len += 1;
    }
    let closed = tokens.get(len).and_then(Token::word).is_none_or(is_closing);
    (!closing || closed).then_some(len)
}

/// A word that may follow a phrase which asks for the end of its clause.
fn is_closing(word: &str) -> bool {
    matches!(
        word,
        "thanks"
            | "thank"
            | "pat"
            | "sorry"
            | "please"
            | "again"
            | "this"
            | "on"
            | "sunday"
            | "and"
            | "but"
            | "for"
    ) || !word.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::token::tokens;

    #[test]
    fn the_longest_phrase_wins_and_ends_matter() {
        let senses = |text: &str| -> Vec<Sense> {
            hits(&tokens(text)).into_iter().map(|hit| hit.sense).collect()
        };
        assert_eq!(senses("no problem"), [Sense::Yes]);
        assert_eq!(senses("can't wait!"), [Sense::Yes]);
        assert_eq!(senses("I'm in!"), [Sense::Yes]);
        assert_eq!(senses("I'm in the hospital"), []);
        assert_eq!(senses("not sure"), [Sense::Doubt]);
    }
}
