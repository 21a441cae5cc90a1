//! Draws a person's answers to one message.

use abide_engine::base::{Span, Timestamp};
use jiff::tz::TimeZone;

use super::CrowdModel;
use super::question_rng::QuestionRng;
use super::words;

/// A message that asks a person something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextToAnswer<'a> {
    /// The seed of the simulation.
    pub seed: u64,
    /// The person's phone number.
    pub person: &'a str,
    /// The position of this message among all messages that ask this person something, counted from 1.
    pub nth: u32,
    /// When the message arrived.
    pub at: Timestamp,
}

/// A message that a simulated person writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrowdAnswer {
    /// When the person writes the message.
    pub at: Timestamp,
    /// The body of the message.
    pub body: &'static str,
}

const WORDS: [&[&str]; 5] = [words::YES, words::NO, words::MAYBE, words::QUESTION, words::STOP];
/// The index of `words::YES` in [`WORDS`].
const YES: usize = 0;

/// Whether a message asks something. Every message that contains a question mark counts as a question.
#[must_use]
pub fn is_question(text: &str) -> bool {
    text.contains('?')
}

/// Draws the answers to the message `asked`, in order of time.
/// Returns an empty list if the person stays silent.
#[must_use]
pub fn draw_answers(
    model: &CrowdModel,
    asked: &TextToAnswer<'_>,
    zone: &TimeZone,
) -> Vec<CrowdAnswer> {
    let model = model.of_person(asked.person);
    draw(&mut QuestionRng::for_question(asked.seed, asked.person, asked.nth), model, asked, zone)
}

/// Draws the answers of a person who has not answered by `now`.
/// Draws again until the first drawn answer is later than `now`, or a draw yields no answer.
#[must_use]
pub fn draw_answers_after(
    now: Timestamp,
    model: &CrowdModel,
    asked: &TextToAnswer<'_>,
    zone: &TimeZone,
) -> Vec<CrowdAnswer> {
    let model = model.of_person(asked.person);
    let mut rng = QuestionRng::for_question(asked.seed, asked.person, asked.nth);
    let mut draws = (0..DRAWS_MAX).map(|_| draw(&mut rng, model, asked, zone));
    let may_be = |answers: &Vec<CrowdAnswer>| answers.first().is_none_or(|first| first.at > now);
    draws.find(may_be).unwrap_or_default()
}

/// Maximum number of draws in [`draw_answers_after`].
/// If every draw yields an answer by `now`, the person is assumed to stay silent.
const DRAWS_MAX: u32 = 1_000;

fn draw(
    rng: &mut QuestionRng,
    model: &CrowdModel,
    asked: &TextToAnswer<'_>,
    zone: &TimeZone,
) -> Vec<CrowdAnswer> {
    let replies = match asked.nth {
        1 => model.replies,
        _ => model.replies_again.unwrap_or(model.replies),
    };
    if !rng.happens(replies) {
        return Vec::new();
    }
    let delay = |rng: &mut QuestionRng, from: Timestamp| {
        let takes = rng.delay(model.delay.median, model.delay.spread);
        model.asleep.permitted(from + takes, zone)
    };
    let first = delay(rng, asked.at);
    let kind = rng.weighted_index(model.answers.weights());
    let mut all = vec![CrowdAnswer { at: first, body: rng.pick(WORDS[kind]) }];
    if kind == YES && rng.happens(model.changes_mind) {
        let later = delay(rng, first).max(first + Span::from_secs(1));
        all.push(CrowdAnswer { at: later, body: rng.pick(words::CHANGED_MIND) });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: &str = "2025-09-30T12:00:00-05:00";

    fn drawn(model: &CrowdModel, nth: u32, n: u64) -> Vec<Vec<CrowdAnswer>> {
        let zone = TimeZone::get("America/Chicago").expect("the zone");
        let at = NOON.parse().expect("an instant");
        (0..n)
            .map(|seed| {
                draw_answers(model, &TextToAnswer { seed, person: "+15125550101", nth, at }, &zone)
            })
            .collect()
    }

    #[test]
    fn the_silent_are_silent_and_the_eager_answer() {
        let silent = CrowdModel::shipped("silent").expect("the model");
        assert!(drawn(&silent, 1, 100).iter().all(Vec::is_empty));
        let eager = CrowdModel::shipped("eager").expect("the model");
        let all = drawn(&eager, 1, 300);
        let answered = all.iter().filter(|answers| !answers.is_empty()).count();
        assert!((255..295).contains(&answered), "{answered}");
        assert_eq!(all, drawn(&eager, 1, 300), "the same seeds draw the same answers");
    }

    #[test]
    fn whoever_has_not_answered_yet_answers_later_or_never() {
        let typical = CrowdModel::shipped("typical").expect("a model");
        let zone = TimeZone::get("America/Chicago").expect("a zone");
        let at: Timestamp = NOON.parse().expect("an instant");
        let answered = |hours: i64| {
            let now = at + Span::from_secs(hours * 3_600);
            (0..500)
                .filter(|seed| {
                    let asked = TextToAnswer { seed: *seed, person: "+15125550101", nth: 1, at };
                    let answers = draw_answers_after(now, &typical, &asked, &zone);
                    assert!(answers.iter().all(|answer| answer.at > now), "{answers:?}");
                    !answers.is_empty()
                })
                .count()
        };
        let (at_once, late, very_late) = (answered(0), answered(4), answered(24 * 20));
        assert!(at_once > late && late > very_late, "{at_once} {late} {very_late}");
        assert!(late > 0, "some people answer after four hours");
    }

    #[test]
    fn nobody_writes_in_their_sleep_and_a_second_thought_comes_second() {
        let typical = CrowdModel::shipped("typical").expect("a model");
        let zone = TimeZone::get("America/Chicago").expect("a zone");
        for answers in drawn(&typical, 1, 500) {
            assert!(answers.is_sorted_by_key(|answer| answer.at));
            for answer in answers {
                let awake = typical.asleep.permitted(answer.at, &zone) == answer.at;
                assert!(awake, "{}", answer.at);
            }
        }
        let first: usize = drawn(&typical, 1, 500).iter().filter(|a| !a.is_empty()).count();
        let again: usize = drawn(&typical, 2, 500).iter().filter(|a| !a.is_empty()).count();
        assert!(again < first, "{again} {first}");
    }
}
