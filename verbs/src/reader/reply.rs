//! Yes, no, and "I cannot any more": from the phrases of a text to one label, or to none.

use super::phrase::{Hit, Sense, hits};
use super::token::{Token, tokens};
use super::{Label, Reading, ReplyContext};

/// Words of a longer story: beyond this, a yes somewhere in it is not an answer.
const WORDS_MAX: usize = 30;
/// How far a "not" reaches, in tokens.
const NEGATION_REACH: usize = 3;

/// Certain as far as a table of phrases can be.
const PLAIN: f64 = 0.97;
/// Two halves that had to be weighed.
const WEIGHED: f64 = 0.85;

/// The polarity of an answer's parts, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Yes,
    Wish,
    No,
}

pub(super) fn read(text: &str, context: ReplyContext) -> Reading {
    let tokens = tokens(text);
    if tokens.is_empty() || tokens.iter().filter(|token| token.word().is_some()).count() > WORDS_MAX
    {
        return Reading::UNCLEAR;
    }
    let hits = committed(&tokens, hits(&tokens));
    let has = |sense| hits.iter().any(|hit: &Hit| hit.sense == sense);
    if has(Sense::Doubt) || has(Sense::Ask) || asks(&tokens) {
        return Reading::UNCLEAR;
    }
    let label = if has(Sense::Quit) { Some((Label::CancelLater, PLAIN)) } else { weigh(&hits) };
    match label {
        Some((Label::Decline, sure)) if context == ReplyContext::Place => {
            Reading { label: Label::CancelLater, confidence: sure }
        }
        Some((label, confidence)) => Reading { label, confidence },
        None => Reading::UNCLEAR,
    }
}

/// Drops a question that follows a whole clause of yes: "Sure! What time?" commits already.
fn committed(tokens: &[Token], found: Vec<Hit>) -> Vec<Hit> {
    let end = tokens.iter().position(|token| token.word().is_none()).unwrap_or(tokens.len());
    let first: Vec<_> = found.iter().filter(|hit| hit.at < end).copied().collect();
    let covered: usize = first.iter().map(|hit| hit.len).sum();
    let plain = covered == end && !first.is_empty() && tokens.get(end) != Some(&Token::Break(true));
    let wants_details = found.iter().any(|hit| hit.sense == Sense::Ask && hit.at > end);
    let only_yes = first.iter().all(|hit| matches!(hit.sense, Sense::Yes | Sense::Wish));
    let rest_is_open = found.iter().filter(|hit| hit.at > end).any(|hit| {
        matches!(
            hit.sense,
            Sense::No | Sense::Quit | Sense::Doubt | Sense::Not | Sense::Turn | Sense::But
        )
    });
    if plain && only_yes && wants_details && !rest_is_open { first } else { found }
}

/// True where a clause ends in a question mark and no yes came before it in a clause of its own.
fn asks(tokens: &[Token]) -> bool {
    let question = tokens.iter().position(|token| *token == Token::Break(true));
    let clause = tokens.iter().position(|token| token.word().is_none());
    match (question, clause) {
        (Some(question), Some(clause)) if clause < question => {
            let head = hits(&tokens[..clause]);
            head.iter().map(|hit| hit.len).sum::<usize>() != clause
                || !head.iter().all(|hit| hit.sense == Sense::Yes)
        }
        (question, _) => question.is_some(),
    }
}

/// One label from the polarities of a text, or none where they disagree for no stated reason.
fn weigh(hits: &[Hit]) -> Option<(Label, f64)> {
    let parts = parts(hits)?;
    let turned = hits.iter().any(|hit| hit.sense == Sense::Turn);
    let but = hits.iter().find(|hit| hit.sense == Sense::But);
    let last = parts.last()?.1;
    let yes = parts.iter().any(|(_, part)| *part == Part::Yes);
    let no = parts.iter().any(|(_, part)| *part == Part::No);
    let other = hits.iter().any(|hit| hit.sense == Sense::Other);
    match (yes, no) {
        (_, true) if turned && last == Part::No => Some((Label::CancelLater, WEIGHED)),
        (true, _) if turned && last == Part::Yes => Some((Label::Accept, WEIGHED)),
        (_, _) if turned => None,
        (false, true) => Some((Label::Decline, PLAIN)),
        // "I'd love to" alone commits; "I'd love to but" does not.
        (_, false) if but.is_some() || other => None,
        (_, false) => Some((Label::Accept, PLAIN)),
        // "I can't this week but I can next week" refuses what was asked.
        (true, true) => {
            let first = parts.first()?.1;
            (first == Part::No && but.is_some() && other).then_some((Label::Decline, WEIGHED))
        }
    }
}

/// The polarities in order, a "not" applied to the yes in its reach; none where a "not" hangs free.
fn parts(hits: &[Hit]) -> Option<Vec<(usize, Part)>> {
    let mut parts: Vec<(usize, Part)> = Vec::new();
    let mut negation: Option<usize> = None;
    for hit in hits {
        let negated = negation.is_some_and(|end| hit.at - end < NEGATION_REACH);
        let part = match hit.sense {
            Sense::Yes | Sense::Wish if negated => Part::No,
            Sense::Yes => Part::Yes,
            Sense::Wish => Part::Wish,
            Sense::No => Part::No,
            Sense::Not => {
                negation = Some(hit.at + hit.len);
                continue;
            }
            _ => continue,
        };
        negation = None;
        parts.push((hit.at, part));
    }
    negation.is_none().then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `label | text | text …`, read as the answer to an invitation.
    const ANSWERS: &str = "
        accept | yes | Yes. | YES!! | yep | sure | Sure, happy to | sure I can help | Sure I can help! | yes please
        accept | I'm in | I’m in! | im in | count me in | 👍 | 👍🏽 | ok | Okay! | Absolutely | of course | you bet
        accept | I can do it | I'll be there | I will be there Sunday | happy to help | I'd love to! | sounds good, see you then
        accept | no problem | No problem, I'll be there | can't wait! | sure thing | works for me | yes I'm available
        accept | Yes! I can serve at 9 | I am free that morning | Yes, thanks for asking | no wait, yes I can
        accept | Sure! What time should I be there? | yep, will do | glad to | Yes I can take nursery
        decline | no | No. | nope | nah | no sorry | No, sorry! | no thanks | I can't | I can't this week | i cant make it
        decline | sorry, can't | Sorry I am out of town | I won't be able to | not this week | not able to | I'm not available
        decline | I am not free | I'd love to but I can't | wish I could but we're away | I'll pass | count me out | 👎
        decline | Unfortunately I have to work | I don't think I can | can't, sick kids | I'm busy | no can do
        decline | I can't this week but I can next week | Not for me | sadly I cannot | I am not able to help
        cancel_later | oh wait no I'm away | Oh wait no I’m away | actually I can't | wait, no | yes... wait no, I can't
        cancel_later | something came up | I have to cancel | please take me off | cancel my spot | I can't make it anymore
        cancel_later | I need to back out | change of plans, sorry
        unclear | maybe | not sure | I might | if my wife can | yes if I can find a sitter | let me check | who is this?
        unclear | what time? | Yes? | thanks | sorry | hello | hmm | 🤔 | can you ask me later | probably | I think so
        unclear | I'm in the hospital | yes and no | yes but not the whole time | how many kids are there | | ...
        unclear | is it ok if I bring my daughter? | I'd love to but | depends | no idea | don't know yet | no worries
        unclear | not | I'd love to, next time | yes no | could be | ok what is this about | never
    ";

    #[test]
    fn answers_to_an_invitation() {
        let mut wrong = Vec::new();
        for line in ANSWERS.lines().filter(|line| !line.trim().is_empty()) {
            let mut cells = line.split('|').map(str::trim);
            let expected = cells.next().expect("a label");
            for text in cells {
                let found = read(text, ReplyContext::Invite).label.as_str();
                if found != expected {
                    wrong.push(format!("{text:?}: {found}, expected {expected}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_no_from_somebody_with_a_place_takes_it_back() {
        for text in ["no", "sorry, can't", "oh wait no I'm away", "I can't make it anymore"] {
            assert_eq!(read(text, ReplyContext::Place).label, Label::CancelLater, "{text}");
        }
        assert_eq!(read("see you then, yes", ReplyContext::Place).label, Label::Accept);
    }

    #[test]
    fn long_stories_are_never_answers() {
        let story = "yes ".repeat(WORDS_MAX + 1);
        assert_eq!(read(&story, ReplyContext::Invite), Reading::UNCLEAR);
    }
}
